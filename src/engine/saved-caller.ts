// For whom something is done later, as it is written down, and found again when its time has come: with the roles that the user has then.

import type { Plan } from '../plan/plan.ts';
import type { Reader } from '../store/store.ts';
import { type Asker, anonymous, type Caller, isNarrowed, isNarrowedFrom, principalOf, system } from './caller.ts';
import { OwnTable } from './own-table.ts';

/** The identifier is absent in what was written down before there was one. */
interface Saved {
  readonly kind: string;
  readonly email?: string;
  readonly id?: string;
  readonly roles?: readonly string[];
  readonly as?: string;
}

/** With `logic`, the model itself says what is to be done: then nobody is asked whether the caller may. */
export function callerText(caller: Caller, logic = false): string {
  const principal = principalOf(caller);
  const by = { ...(logic ? { logic } : {}), ...(caller.kind === 'logic' ? { as: 'system' } : {}) };
  if (principal.kind !== 'user') return JSON.stringify({ kind: principal.kind, ...by });
  const { email, id, roles, narrowed = false } = principal;
  return JSON.stringify({ kind: 'user', email, id, ...(narrowed ? { roles } : {}), ...by });
}

/** Whether the model itself says what is to be done. */
export function isOfLogic(text: string): boolean {
  const { kind, logic = false }: { kind: string; logic?: boolean } = JSON.parse(text);
  return kind === 'system' || logic;
}

/** Nothing where the user is gone, or disabled; whoever has the address later is another one. */
export async function callerFrom(text: string, plan: Plan, tx: Reader): Promise<Caller | undefined> {
  const saved: Saved = JSON.parse(text);
  const asker = await askerFrom(saved, plan, tx);
  return asker !== undefined && saved.as === 'system' && asker.kind !== 'system' ? { kind: 'logic', asker } : asker;
}

async function askerFrom({ kind, email, id: kept, roles: narrowed }: Saved, plan: Plan, tx: Reader): Promise<Asker | undefined> {
  if (kind === 'system') return system;
  if (email === undefined) return anonymous;
  const [users, assignments] = [plan.entities.get('platform.auth/User'), plan.entities.get('platform.rbac/RoleAssignment')];
  if (users === undefined || assignments === undefined) return undefined;
  const user = await new OwnTable(users.table).find(tx, { email: email.toLowerCase() });
  if (user === undefined || (kept !== undefined && user['id'] !== kept)) return undefined;
  const disabled = plan.entities.get('platform.auth/DisabledUser');
  if (disabled !== undefined && (await new OwnTable(disabled.table).find(tx, { user: email })) !== undefined) return undefined;
  const rows = await new OwnTable(assignments.table).all(tx, { assignee: email });
  const now = rows.map((each) => String(each['role']));
  const roles = narrowed === undefined ? now : now.filter((role) => narrowed.includes(role));
  return { kind: 'user', email, id: String(user['id']), roles, token: undefined, ...(narrowed === undefined ? {} : { narrowed: true }) };
}

/** Whether somebody with fewer roles than the user has may let what was kept for the user go on: it would go on with the roles that it was kept with. */
export function coversCaller(caller: Caller, text: string): boolean {
  if (!isNarrowed(caller)) return true;
  const { roles }: { roles?: readonly string[] } = JSON.parse(text);
  return roles?.every((role) => !isNarrowedFrom(caller, role)) ?? false;
}
