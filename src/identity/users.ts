// Users and their roles, as they are stored: read past the guard, and written through it as the system.

import { perform } from '../engine/execute.ts';
import type { WriteContext } from '../engine/operation.ts';
import type { OwnTable } from '../engine/own-table.ts';
import { error } from '../errors.ts';
import type { EntityPlan, Plan } from '../plan/plan.ts';
import { equal } from '../plan/query/condition.ts';
import type { Select } from '../plan/query/shape.ts';
import type { Reader, Writer } from '../store/store.ts';
import { objectOf } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';

export interface User {
  readonly email: string;
  /** Given to no other user, nor to a later one of the same address. */
  readonly id: string;
  /** Its hash; absent where the user signs in otherwise, or has not confirmed the address. */
  readonly password: string | undefined;
  readonly name: string | undefined;
}

export const userType = 'platform.auth/User';
/** `not asked`: the address was neither confirmed nor is it to be. */
export type Confirmed = boolean | 'not asked';

const keyType = 'platform.auth/ApiKey';
const disabledType = 'platform.auth/DisabledUser';
const assignmentType = 'platform.rbac/RoleAssignment';

export class Users {
  readonly #unconfirmed: OwnTable;
  readonly #find: Select;
  readonly #roles: Select;
  readonly #assignments: Select;
  readonly #after: Select;
  readonly #withRole: Select;
  readonly #keys: Select;
  readonly #disabled: Select;

  constructor(plan: Plan, unconfirmed: OwnTable) {
    this.#unconfirmed = unconfirmed;
    this.#find = selectOf(plan, userType, 'email', ['email', 'password', 'name', 'id']);
    this.#roles = selectOf(plan, assignmentType, 'assignee', ['role']);
    this.#assignments = selectOf(plan, assignmentType, 'assignee', ['id', 'role']);
    this.#after = {
      ...selectOf(plan, userType, 'email', ['email', 'name']),
      where: { kind: 'compare', column: 'email', operator: 'gt' },
      order: [{ column: 'email', descending: false }],
      limit: true,
    };
    this.#withRole = { ...selectOf(plan, assignmentType, 'role', ['id']), limit: true };
    this.#keys = selectOf(plan, keyType, 'owner', ['id']);
    this.#disabled = selectOf(plan, disabledType, 'user', ['id']);
  }

  async find(email: string, tx: Reader): Promise<User | undefined> {
    const row = await tx.one(this.#find, [email]);
    if (row === undefined) return undefined;
    const [, password, name, id] = row.columns;
    return { email, id: String(id), password: textOrNone(password), name: textOrNone(name) };
  }

  /** The first `limit` of those whose address comes after this one. */
  async after(email: string, limit: number, tx: Reader): Promise<readonly Pick<User, 'email' | 'name'>[]> {
    const rows = await tx.rows(this.#after, [email, limit]);
    return rows.map(({ columns }) => ({ email: String(columns[0]), name: textOrNone(columns[1]) }));
  }

  /** Nobody else who asks for this name, to write users behind it, gets past here until the transaction ends. */
  async alone(name: string, tx: Writer): Promise<void> {
    await tx.alone(name, this.#find.table.name);
  }

  async rolesOf(email: string, tx: Reader): Promise<readonly string[]> {
    return [...new Set((await tx.rows(this.#roles, [email])).map(({ columns }) => String(columns[0])))];
  }

  /** Whether anybody has this role. */
  async isGiven(role: string, tx: Reader): Promise<boolean> {
    return (await tx.rows(this.#withRole, [role, 1])).length > 0;
  }

  /** Whether the user may log in: the address was confirmed, or nobody asked for that. */
  async isConfirmed(email: string, tx: Reader): Promise<boolean> {
    const found = await this.#unconfirmed.find(tx, { email });
    return found === undefined || Number(found['waits']) === 0;
  }

  /** Whether nothing lets the user in at present: no password, no session, no key, no other service. */
  async isDisabled(email: string, tx: Reader): Promise<boolean> {
    return (await tx.rows(this.#disabled, [email])).length > 0;
  }

  /** Whether that changed anything. */
  async disable(email: string, writing: WriteContext): Promise<boolean> {
    if (await this.isDisabled(email, writing.tx)) return false;
    const at = { plan: planOf(disabledType, writing.plan), under: undefined };
    await perform({ kind: 'create', at, body: objectOf([['user', email]]) }, writing);
    return true;
  }

  /** Whether that changed anything. */
  async enable(email: string, writing: WriteContext): Promise<boolean> {
    const at = { plan: planOf(disabledType, writing.plan), under: undefined };
    const found = await writing.tx.rows(this.#disabled, [email]);
    for (const { columns } of found)
      await perform({ kind: 'delete', at: { in: at, id: columns[0] ?? null }, versions: undefined }, writing);
    return found.length > 0;
  }

  /** Whether nobody knows yet that the address is the user's. */
  async isUnproven(email: string, tx: Reader): Promise<boolean> {
    return (await this.#unconfirmed.find(tx, { email })) !== undefined;
  }

  /** The password comes as its hash. */
  async create(values: Readonly<Record<string, Value>>, confirmed: Confirmed, writing: WriteContext): Promise<void> {
    await perform(
      { kind: 'create', at: { plan: planOf(userType, writing.plan), under: undefined }, body: objectOf(Object.entries(values)) },
      keeping(values['password'], writing),
    );
    if (confirmed === true) return;
    const since = writing.clock.now().getTime();
    await this.#unconfirmed.insert(writing.tx, { email: values['email'] ?? null, since, waits: confirmed === false ? 1 : 0 });
  }

  /** From then on the address counts as confirmed: only who reads its mail gets here. */
  async setPassword(email: string, hash: string | undefined, writing: WriteContext): Promise<void> {
    await this.changePassword(email, hash, writing);
    await this.#unconfirmed.remove(writing.tx, { email });
  }

  /** By who knows the one before, and need not read the mail of the address. */
  async changePassword(email: string, hash: string | undefined, writing: WriteContext): Promise<void> {
    const at = { in: { plan: planOf(userType, writing.plan), under: undefined }, id: email };
    await perform({ kind: 'update', at, body: objectOf([['password', hash ?? null]]), versions: undefined }, keeping(hash, writing));
  }

  /** API keys of the user go. */
  async removeKeys(email: string, writing: WriteContext): Promise<void> {
    const plan = planOf(keyType, writing.plan);
    for (const { columns } of await writing.tx.rows(this.#keys, [email]))
      await perform({ kind: 'delete', at: { in: { plan, under: undefined }, id: columns[0] ?? null }, versions: undefined }, writing);
  }

  /** The assignment of this identifier is there while `isGiven`; others of the same role are somebody else's affair. */
  async keepRole(email: string, role: string, id: string, isGiven: boolean, writing: WriteContext): Promise<void> {
    const at = { plan: planOf(assignmentType, writing.plan), under: undefined };
    const assigned = await writing.tx.rows(this.#assignments, [email]);
    if (assigned.some(({ columns }) => columns[0] === id) === isGiven) return;
    const body = objectOf(Object.entries({ id, role, assignee: email }));
    if (isGiven) await perform({ kind: 'create', at, body }, writing);
    else await perform({ kind: 'delete', at: { in: at, id }, versions: undefined }, writing);
  }

  async addRole(email: string, role: string, writing: WriteContext): Promise<void> {
    const body = objectOf([
      ['role', role],
      ['assignee', email],
    ]);
    await perform({ kind: 'create', at: { plan: planOf(assignmentType, writing.plan), under: undefined }, body }, writing);
  }

  /** Whether the user had it. */
  async removeRole(email: string, role: string, writing: WriteContext): Promise<boolean> {
    const assigned = await writing.tx.rows(this.#assignments, [email]);
    const found = assigned.filter(({ columns }) => columns[1] === role);
    const at = { plan: planOf(assignmentType, writing.plan), under: undefined };
    for (const { columns } of found)
      await perform({ kind: 'delete', at: { in: at, id: columns[0] ?? null }, versions: undefined }, writing);
    return found.length > 0;
  }

  /** With everything that is kept of the user. */
  async remove(email: string, writing: WriteContext): Promise<void> {
    const at = { in: { plan: planOf(userType, writing.plan), under: undefined }, id: email };
    await perform({ kind: 'delete', at, versions: undefined }, writing);
  }
}

/** What was hashed before the transaction is stored as it is; other secrets, which the application's own logic may set beside it, are not. */
function keeping(made: Value | undefined, writing: WriteContext): WriteContext {
  return { ...writing, hash: async (given) => (given === made ? given : writing.hash(given)) };
}

function selectOf(plan: Plan, type: string, by: string, columns: readonly string[]): Select {
  const { table } = planOf(type, plan);
  return { kind: 'select', table, output: { fields: [], columns }, where: equal(by), order: [], limit: false, offset: false };
}

function planOf(type: string, plan: Plan): EntityPlan {
  const found = plan.entities.get(type);
  if (found === undefined) throw new Error(`${type} is part of every model with users`);
  return found;
}

function textOrNone(value: Value | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** One form for one mailbox. */
export function emailOf(given: string): string {
  const email = given.normalize('NFC').trim().toLowerCase();
  if (email.length > 254)
    throw error('attributes-invalid', { errors: [{ attribute: 'email', code: 'type', message: 'must be an e-mail address' }] });
  return email;
}
