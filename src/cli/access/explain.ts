// `platform access explain`: by which rule, owner or grant a user may do something, or why by none.

import { type Asking, holdsOf, outcomeOf, type Reason, reasonsFor, reasonsToRun, type Subject } from '../../access/explain.ts';
import { grantsOn, ownedAlong } from '../../access/owners.ts';
import { systemClock } from '../../clock.ts';
import { type Located, locateExisting } from '../../engine/address/address.ts';
import type { Address, Collection } from '../../engine/operation.ts';
import { isError } from '../../errors.ts';
import type { Operation, TypeName } from '../../model/model.ts';
import { ambientOf } from '../../plan/query/ambient.ts';
import { equal } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import { readSnapshot } from '../../store/snapshot.ts';
import { type Reader, StartRefused } from '../../store/store.ts';
import type { Terminal } from '../terminal.ts';
import { type AskedOperation, type Explanation, jsonOf, linesOf, nameOf, type ShownReason } from './explanation.ts';
import { type Guarded, type OfProject, readGuarded } from './project.ts';
import { type Target, targetAt } from './target.ts';

export interface ExplainOptions extends OfProject {
  readonly user: string;
  readonly op: AskedOperation;
  readonly on: string;
  /** Of an API key, which may have fewer than the user. */
  readonly roles?: readonly string[];
  readonly json?: boolean;
}

export async function explain(path: string, options: ExplainOptions, terminal: Terminal): Promise<number> {
  const guarded = await readGuarded(path, options, terminal);
  if (guarded === undefined) return 1;
  const target = targetAt(options.on, guarded);
  const { settings, plan } = guarded;
  const explanation = await readSnapshot({ settings: settings.store, clock: systemClock(), tables: plan.tables }, (reader) =>
    explanationOf(target, options, guarded, reader),
  );
  terminal.out(options.json === true ? jsonOf(explanation, terminal.folder) : linesOf(explanation, terminal).join('\n'));
  return 0;
}

async function explanationOf(target: Target, options: ExplainOptions, guarded: Guarded, reader: Reader): Promise<Explanation> {
  const { op, on } = options;
  const { user, roles } = await userIn(options, guarded, reader);
  const asked = { user, roles, operation: op, on };
  const { access, model } = guarded;
  const ambient = ambientOf(user, roles, systemClock());
  const asking: Asking = { access, model, ambient, isNarrowed: options.roles !== undefined, reader };
  if (target.kind === 'run') {
    if (op !== 'execute' && op !== 'create') throw new StartRefused(`${on} is run: --op execute.`);
    return { ...asked, ...(await runOf(target.type, asking)) };
  }
  if (op === 'execute') throw new StartRefused(`${on} is not run: --op create, read, update or delete.`);
  const { hidden, subject } = await subjectAt(target, op, on, asking);
  const type = target.kind === 'instance' ? target.at.in.plan.type : target.at.plan.type;
  const found = await reasonsFor(op, subject, asking);
  if (found === undefined) throw new StartRefused(`${type} is kept by the service itself: only admins have rights on it.`);
  const reasons: ShownReason[] = [];
  for (const reason of found) reasons.push(await shown(reason, subject, user, guarded, reader));
  const allowed = hidden === undefined ? outcomeOf(reasons) : false;
  const status = allowed === false ? await statusOf(op, subject, hidden, asking) : undefined;
  return { ...asked, type, allowed, status, notes: notesOf(hidden, user, op, reasons), reasons };
}

const asCaller = 'What it reads and writes is what the user may read and write.';

async function runOf(type: TypeName, asking: Asking): Promise<Omit<Explanation, 'user' | 'roles' | 'operation' | 'on'>> {
  const found = await reasonsToRun(type, asking);
  if (found === undefined)
    return { type, allowed: true, status: undefined, notes: [`Whoever is signed in may run it. ${asCaller}`], reasons: [] };
  const reasons = found.map((reason) => ({ ...reason, owned: [], grants: [] }));
  const allowed = outcomeOf(reasons);
  return { type, allowed, status: allowed === true ? undefined : 403, notes: allowed === true ? [asCaller] : [], reasons };
}

async function userIn(
  { user: given, roles }: ExplainOptions,
  { plan, access }: Guarded,
  reader: Reader,
): Promise<{ user: string; roles: readonly string[] }> {
  const user = given.normalize('NFC').toLowerCase();
  const users = plan.entities.get('platform.auth/User');
  if (users === undefined || (await reader.one(users.shapes.exists, [user])) === undefined)
    throw new StartRefused(`There is no user ${user}.`);
  const select: Select = {
    kind: 'select',
    table: access.roles.table,
    output: { fields: [], columns: ['role'] },
    where: equal('assignee'),
    order: [],
    limit: false,
    offset: false,
  };
  const held = [...new Set((await reader.rows(select, [user])).map(({ columns }) => String(columns[0])))].toSorted();
  return { user, roles: roles === undefined ? held : held.filter((each) => roles.includes(each)) };
}

interface Found {
  readonly subject: Subject;
  /** On the way to it: what the user may not read. */
  readonly hidden: Located | undefined;
}

async function subjectAt(target: Exclude<Target, { kind: 'run' }>, op: Operation, on: string, asking: Asking): Promise<Found> {
  const at = target.kind === 'instance' ? target.at.in : target.at;
  if (op === 'create') return newAt(at, asking, on);
  if (target.kind === 'collection')
    throw new StartRefused(`${on} is a collection: name one of its instances. A list shows those that the user may read.`);
  return { subject: { kind: 'instance', located: await existing(target.at, on, asking) }, hidden: await hiddenAbove(at, on, asking) };
}

/** A new instance stands in a collection, whether it is named already or not. */
async function newAt(at: Collection, asking: Asking, on: string): Promise<Found> {
  const hidden = await hiddenAbove(at, on, asking);
  const { plan, under } = at;
  if (under?.step.kind !== 'contains') return { subject: { kind: 'new', plan }, hidden };
  const parent = await existing(under.parent, on, asking);
  return { subject: { kind: 'new', plan, under: { contains: under.step.contains, parent } }, hidden };
}

async function existing(address: Address, on: string, { reader }: Asking): Promise<Located> {
  try {
    return await locateExisting(address, reader);
  } catch (thrown) {
    if (isError(thrown, 'instance-not-found')) throw new StartRefused(`${on}: there is no such instance.`, thrown);
    throw thrown;
  }
}

/** A path through something that the caller may not read leads nowhere. */
async function hiddenAbove(at: Collection, on: string, asking: Asking): Promise<Located | undefined> {
  for (let above = at.under?.parent; above !== undefined; above = above.in.under?.parent) {
    const located = await existing(above, on, asking);
    if (!(await mayRead(located, asking))) return located;
  }
  return undefined;
}

async function mayRead(located: Located, asking: Asking): Promise<boolean> {
  const { access, isNarrowed } = asking;
  const right = (isNarrowed ? access.narrowedRights : access.rights).get(located.plan.type)?.read;
  return right !== undefined && holdsOf(located, right.condition, asking);
}

async function statusOf(op: Operation, subject: Subject, hidden: Located | undefined, asking: Asking): Promise<403 | 404> {
  if (hidden !== undefined || op === 'read') return 404;
  return subject.kind === 'new' || (await mayRead(subject.located, asking)) ? 403 : 404;
}

async function shown(reason: Reason, subject: Subject, user: string, { plan, access }: Guarded, reader: Reader): Promise<ShownReason> {
  const { way } = reason;
  const nothing = { ...reason, owned: [], grants: [] };
  const start = subject.kind === 'instance' ? subject.located : subject.under?.parent;
  if (start === undefined) return nothing;
  const sources = { plan, access, reader };
  if (way.kind === 'grant') return { ...nothing, grants: (await grantsOn(start, sources)).filter(({ assignee }) => assignee === user) };
  if (way.kind !== 'owner') return nothing;
  // From the parent it is one step less.
  const chain = subject.kind === 'new' && way.chain[0]?.kind === 'contains' ? way.chain.slice(1) : way.chain;
  return { ...nothing, owned: await ownedAlong(chain, start, sources) };
}

function notesOf(hidden: Located | undefined, user: string, op: Operation, reasons: readonly Reason[]): readonly string[] {
  const way = hidden === undefined ? [] : [`The path leads through ${nameOf(hidden)}, which ${user} may not read: it leads nowhere.`];
  const holding = reasons.filter(({ holds }) => holds === true);
  const byRows = holding.length > 0 && holding.every(({ rules }) => rules.some(({ rule }) => rule.where !== undefined));
  return [...way, ...(op === 'update' && byRows ? ['The condition must hold of the changed instance too.'] : [])];
}
