// API keys: bearer tokens for programs, made by a user for some of their roles. The key is shown once; only its hash is stored.

import { randomBytes } from 'node:crypto';
import { perform } from '../../engine/execute.ts';
import type { EventHandler, EventHandlers } from '../../engine/handlers.ts';
import type { Context, WriteContext } from '../../engine/operation.ts';
import { writeAsSystem } from '../../engine/system-work.ts';
import { error, type Fault, invalid } from '../../errors.ts';
import { objectOf } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { Accounts } from '../accounts.ts';
import { answer, type Given, refuseApiKey, type Spelling, spellings, textOf } from '../events.ts';
import { hashOf } from '../sessions.ts';

export const apiKeyType = 'platform.auth/ApiKey';
/** By this a key is told from other tokens, and found by programs that look for secrets in texts. */
const prefix = 'pk_';
const form = /^pk_[\w-]{43}$/;
const longestName = 200;
const mostOfUser = 100;

export function isApiKey(bearer: string): boolean {
  return bearer.startsWith(prefix);
}

/** Of what can be a key. */
export function hashOfApiKey(bearer: string): string | undefined {
  return form.test(bearer) ? hashOf(bearer) : undefined;
}

export function apiKeyHandlers(accounts: () => Accounts): EventHandlers {
  const names = { current: 'createApiKey', earlier: 'CreateApiKey' } as const;
  return new Map(
    (['current', 'earlier'] as const).map((surface): [string, EventHandler] => {
      const spelling = spellings[surface];
      const handle = (given: Given, context: Context): Promise<Value> => makeApiKey(given, spelling, accounts(), context);
      return [`${spelling.module}/${names[surface]}`, { transaction: 'own', waits: true, handle }];
    }),
  );
}

async function makeApiKey(given: Given, spelling: Spelling, accounts: Accounts, context: Context): Promise<Value> {
  refuseApiKey(context);
  const { caller } = context;
  if (caller.kind !== 'user') throw error('unauthenticated');
  const key = `${prefix}${randomBytes(32).toString('base64url')}`;
  const made = await writeAsSystem(context, async (writing) => {
    const { name = '', roles = null, expires = null } = await checked(given, caller.email, spelling, accounts, writing);
    const created = writing.clock.now().toISOString();
    const columns: Given = { id: writing.clock.uuid(), name, owner: caller.email, roles, expires, created };
    const plan = writing.plan.entities.get(apiKeyType);
    if (plan === undefined) throw new Error(`${apiKeyType} is part of every model with users`);
    await perform({ kind: 'create', at: { plan, under: undefined }, body: objectOf(Object.entries(columns)) }, writing);
    await accounts.tables.apiKeys.insert(writing.tx, { hash: hashOf(key), key: columns['id'] ?? null });
    return columns;
  });
  return answer({ ...made, key }, spelling);
}

/** What is to be stored, with all that does not fit at once. */
async function checked(
  given: Given,
  owner: string,
  { named }: Spelling,
  { users, tables }: Accounts,
  { tx, clock }: WriteContext,
): Promise<Given> {
  const name = textOf(given[named('name')]).trim();
  const roles = rolesIn(given[named('roles')]);
  const expires = momentOf(given[named('expires')]);
  const owned = await users.rolesOf(owner, tx);
  const faults: Fault[] = [];
  const refuse = (attribute: string, message: string): number => faults.push({ attribute: named(attribute), code: 'value', message });
  if (name === '' || name.length > longestName) refuse('name', `must have 1 to ${longestName} characters`);
  if (roles?.some((each) => !owned.includes(each)) === true)
    refuse('roles', owned.length === 0 ? 'must be empty: you have no roles' : `must be some of your roles: ${owned.join(', ')}`);
  if (expires !== undefined && !(expires > clock.now().getTime())) refuse('expires', 'must be in the future');
  if (faults.length > 0) throw invalid(faults);
  if ((await tables.apiKeyRows.all(tx, { owner })).length >= mostOfUser)
    throw error('access-denied', { detail: `You have ${mostOfUser} API keys; revoke one of them first.` });
  return {
    name,
    ...(roles === undefined ? {} : { roles }),
    ...(expires === undefined ? {} : { expires: new Date(expires).toISOString() }),
  };
}

/** Absent: all that the owner has. */
function rolesIn(value: Value | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? [...new Set(value.map(String))] : undefined;
}

/** Milliseconds; a time without a zone is one of UTC. */
export function momentOf(value: Value | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  return Date.parse(/(Z|[+-]\d{2}:\d{2})$/.test(value) ? value : `${value}Z`);
}
