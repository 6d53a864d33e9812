// Why a user may do something, or may not, as a whole: who asks, what it is about, the outcome, and each way with what of it holds.

import type { Clock } from '../clock.ts';
import { locateExisting, pathOf } from '../engine/address/address.ts';
import type { Address, Collection } from '../engine/operation.ts';
import type { Located } from '../engine/row.ts';
import { isError } from '../errors.ts';
import type { Operation, TypeName } from '../model/model.ts';
import { boundlessBy } from '../model/run-rules.ts';
import type { AccessPlan } from '../plan/access/right.ts';
import type { Plan } from '../plan/plan.ts';
import { ambientOf } from '../plan/query/ambient.ts';
import { equal } from '../plan/query/condition.ts';
import type { Select } from '../plan/query/shape.ts';
import { positionOf, type Span } from '../source.ts';
import { type Reader, StartRefused } from '../store/store.ts';
import { type Grant, grantsTo, type Owned, ownedAlong } from './owners.ts';
import { type Asking, type Holds, holdsOf, outcomeOf, type Reason, reasonsFor, reasonsToRun, type Subject } from './ways.ts';

export type AskedOperation = Operation | 'execute';

/** What is asked: may this user do this there? */
export interface AccessQuestion {
  readonly user: string;
  readonly op: AskedOperation;
  /** A path, as the answer names it. */
  readonly on: string;
  /** Of an API key, which may have fewer than the user. */
  readonly roles?: readonly string[] | undefined;
}

/** What stands at the path. */
export type Target =
  | { readonly kind: 'instance'; readonly at: Address }
  | { readonly kind: 'collection'; readonly at: Collection }
  /** An event or an agent. */
  | { readonly kind: 'run'; readonly type: TypeName };

export interface Guarded {
  readonly plan: Plan;
  readonly access: AccessPlan;
  readonly clock: Clock;
}

export interface Explanation {
  readonly user: string;
  readonly roles: readonly string[];
  readonly operation: AskedOperation;
  readonly on: string;
  readonly type: string;
  readonly allowed: Holds;
  /** What a request is answered where it is refused. */
  readonly status: 403 | 404 | undefined;
  readonly notes: readonly string[];
  readonly reasons: readonly ShownReason[];
}

export type ShownReason = Reason & { readonly owned: readonly Owned[]; readonly grants: readonly Grant[] };

/** Throws `StartRefused`, with a line that says why, where there is nothing to explain. */
export async function explanationOf(target: Target, question: AccessQuestion, guarded: Guarded, reader: Reader): Promise<Explanation> {
  const { op, on } = question;
  const { user, id, roles } = await userIn(question, guarded, reader);
  const asked = { user, roles, operation: op, on };
  const { access, plan, clock } = guarded;
  const ambient = ambientOf({ user, id, roles }, clock);
  const asking: Asking = { access, model: plan.model, entities: plan.entities, ambient, isNarrowed: question.roles !== undefined, reader };
  if (target.kind === 'run') {
    if (op !== 'execute' && op !== 'create') throw new StartRefused(`${on} is run: what is asked of it is execute.`);
    return { ...asked, ...(await runOf(target.type, asking)) };
  }
  if (op === 'execute') throw new StartRefused(`${on} is not run: what is asked of it is create, read, update or delete.`);
  const { hidden, subject } = await subjectAt(target, op, on, asking);
  const type = target.kind === 'instance' ? target.at.in.plan.type : target.at.plan.type;
  const found = await reasonsFor(op, subject, asking);
  if (found === undefined) throw new StartRefused(`${type} is kept by the service itself: only admins have rights on it.`);
  const reasons: ShownReason[] = [];
  for (const reason of found) reasons.push(await shown(reason, subject, user, guarded, reader));
  const allowed = hidden === undefined ? outcomeOf(reasons) : false;
  const status = allowed === false ? await statusOf(op, subject, hidden, asking) : undefined;
  const notes = [...notesOf(hidden, user, op, reasons), ...(allowed === false ? [] : await attributeNotes(op, subject, asking))];
  return { ...asked, type, allowed, status, notes, reasons };
}

/** With whose rights it runs then. */
function rightsOf(type: TypeName, { events }: Asking['model']): string {
  if (events.get(type)?.runAs === 'system') return 'It reads and writes as the system: every row.';
  return 'What it reads and writes is what the user may read and write.';
}

async function runOf(type: TypeName, asking: Asking): Promise<Omit<Explanation, 'user' | 'roles' | 'operation' | 'on'>> {
  const found = await reasonsToRun(type, asking);
  if (found === undefined)
    return {
      type,
      allowed: true,
      status: undefined,
      notes: [`Whoever is signed in may run it. ${rightsOf(type, asking.model)}`],
      reasons: [],
    };
  const reasons = found.map((reason) => ({ ...reason, owned: [], grants: [] }));
  const allowed = outcomeOf(reasons);
  const event = asking.model.events.get(type);
  const why = event?.rbac === undefined && event !== undefined ? boundlessBy(event, asking.model) : undefined;
  const unruled = why === undefined ? [] : [`No rule says who may run it, and ${why}: only admins may.`];
  const notes = [...unruled, ...(allowed === true ? [rightsOf(type, asking.model)] : [])];
  return { type, allowed, status: allowed === true ? undefined : 403, notes, reasons };
}

async function userIn(
  { user: given, roles }: AccessQuestion,
  { plan, access }: Guarded,
  reader: Reader,
): Promise<{ user: string; id: string; roles: readonly string[] }> {
  const user = given.normalize('NFC').toLowerCase();
  const users = plan.entities.get('platform.auth/User');
  const row = users && (await reader.one({ ...users.shapes.exists, output: { fields: [], columns: ['id'] } }, [user]));
  if (row === undefined) throw new StartRefused(`There is no user ${user}.`);
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
  return { user, id: String(row.columns[0]), roles: roles === undefined ? held : held.filter((each) => roles.includes(each)) };
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
  if (way.kind === 'grant') return { ...nothing, grants: await grantsTo(user, start, sources) };
  const steps = way.kind === 'owner' || way.kind === 'rule' ? way.chain : undefined;
  if (steps === undefined) return nothing;
  // From the parent it is one step less.
  const chain = subject.kind === 'new' && steps[0]?.kind === 'contains' ? steps.slice(1) : steps;
  return { ...nothing, owned: await ownedAlong(chain, start, sources) };
}

/** Attributes with rules of their own that the user may not read, or not set. */
async function attributeNotes(op: Operation, subject: Subject, asking: Asking): Promise<readonly string[]> {
  if (op === 'delete' || subject.kind === 'new') return [];
  const { access, isNarrowed } = asking;
  const { plan } = subject.located;
  const rules = (isNarrowed ? access.narrowedAttributes : access.attributes).rights.get(plan.type);
  const not: string[] = [];
  for (const [name, rule] of rules ?? []) {
    const right = op === 'read' ? rule.read : rule.update;
    if (!(await holdsOf(subject.located, right.condition, asking))) not.push(name);
  }
  return not.length === 0
    ? []
    : [`By rules of their own, these attributes may not be ${op === 'read' ? 'read' : 'changed'}: ${not.join(', ')}.`];
}

function notesOf(hidden: Located | undefined, user: string, op: Operation, reasons: readonly Reason[]): readonly string[] {
  const way = hidden === undefined ? [] : [`The path leads through ${nameOf(hidden)}, which ${user} may not read: it leads nowhere.`];
  const holding = reasons.filter(({ holds }) => holds === true);
  const byRows = holding.length > 0 && holding.every(({ rules }) => rules.some(({ rule }) => rule.where !== undefined));
  return [...way, ...(op === 'update' && byRows ? ['The condition must hold of the changed instance too.'] : [])];
}

/** As plain data; `shownFile` says how a file is named. */
export function explanationData(explanation: Explanation, shownFile: (file: string) => string): Readonly<Record<string, unknown>> {
  const { user, roles, operation, on, type, allowed, status, notes, reasons } = explanation;
  const ways = reasons.map(({ who, holds, rules, tests, owned, grants }) => ({
    who,
    holds: holds ?? null,
    rules: rules.map(({ of, rule }) => ({
      type: of.type,
      file: shownFile(rule.span.source.file),
      line: positionOf(rule.span).line,
      text: textOf(rule.span),
    })),
    tests: tests.map((each) => ({ text: each.text, holds: each.holds ?? null })),
    owned: owned.map(({ located, owners }) => ({ type: located.plan.type, id: plainId(located.id), path: pathOf(located), owners })),
    grants,
  }));
  return { user, roles, operation, on, type, allowed: allowed ?? null, status: status ?? null, notes, ways };
}

/** Exact, also where JSON readers have no such number. */
function plainId(id: Located['id']): unknown {
  return typeof id === 'bigint' ? String(id) : id;
}

export function textOf({ source, start, end }: Span): string {
  return source.text.slice(start, end).replace(/\s+/g, ' ');
}

export function nameOf({ plan, id }: Located): string {
  return `${plan.type} ${String(id)}`;
}
