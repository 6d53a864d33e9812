// Why somebody may do something, or may not: each way of the rules, which are those that the guard has, asked for itself.

import { locatedRow } from '../engine/address/address.ts';
import type { Located } from '../engine/row.ts';
import type { AccessRule, Model, Operation, TypeName } from '../model/model.ts';
import type { Expression, Reference } from '../model/pattern.ts';
import type { AccessPlan, OwnerStep, RuleOf, Way } from '../plan/access/right.ts';
import type { ContainsPlan, EntityPlan, LinkPlan, Plan } from '../plan/plan.ts';
import type { Ambient } from '../plan/query/ambient.ts';
import { both, type Condition, everything } from '../plan/query/condition.ts';
import type { Reader } from '../store/store.ts';
import { parseStored, writeJson } from '../values/json/json.ts';
import { chainText, conditionText, holderText, ruleIn, ruleText } from './words.ts';

/** Who asks, and where the answers come from. */
export interface Asking {
  readonly access: AccessPlan;
  readonly model: Model;
  readonly entities: Plan['entities'];
  readonly ambient: Ambient;
  /** Whether the caller does without some of the roles that the user has. */
  readonly isNarrowed: boolean;
  readonly reader: Reader;
}

/** What it is about: an instance, or one that is to be made. */
export type Subject =
  | { readonly kind: 'instance'; readonly located: Located }
  | {
      readonly kind: 'new';
      readonly plan: EntityPlan | LinkPlan;
      readonly under?: { readonly contains: ContainsPlan; readonly parent: Located };
    };

/** Neither where it depends on what the new instance holds. */
export type Holds = boolean | undefined;

/** One way, and what came of it. */
export interface Reason {
  readonly way: Way;
  readonly who: string;
  readonly holds: Holds;
  readonly rules: readonly { readonly of: RuleOf; readonly rule: AccessRule }[];
  readonly tests: readonly { readonly text: string; readonly holds: Holds }[];
}

export function planOf(subject: Subject): EntityPlan | LinkPlan {
  return subject.kind === 'instance' ? subject.located.plan : subject.plan;
}

/** In the order in which the rules stand; nothing where what the service keeps has no rules. */
export async function reasonsFor(operation: Operation, subject: Subject, asking: Asking): Promise<readonly Reason[] | undefined> {
  const { access, isNarrowed } = asking;
  const rights = (isNarrowed ? access.narrowedRights : access.rights).get(planOf(subject).type);
  if (rights === undefined) return undefined;
  const reasons: Reason[] = [];
  for (const way of rights[operation].ways) {
    if (isElsewhere(way, subject)) continue;
    reasons.push(await reasonOf(way, subject, asking));
  }
  return reasons;
}

/** The same of an event or an agent; nothing where whoever is signed in may run it. */
export async function reasonsToRun(type: TypeName, asking: Asking): Promise<readonly Reason[] | undefined> {
  const { access, isNarrowed, model } = asking;
  const right = (isNarrowed ? access.narrowedRuns : access.runs).get(type);
  if (right === undefined) return undefined;
  const reasons: Reason[] = [];
  for (const way of right.ways) {
    const tests: { text: string; holds: Holds }[] = [];
    for (const { roles, condition } of rolesTested(way.condition, access))
      tests.push({ text: roleText(roles), holds: await hasRow(condition, asking) });
    const who = way.kind === 'rule' ? ruleText(way) : holderText(way);
    reasons.push({
      way,
      who,
      holds: tests.every(({ holds }) => holds === true),
      rules: way.kind === 'rule' ? rulesOf(way, model) : [],
      tests,
    });
  }
  return reasons;
}

/** What the ways come to together: one that holds is enough. */
export function outcomeOf(reasons: readonly Pick<Reason, 'holds'>[]): Holds {
  if (reasons.some(({ holds }) => holds === true)) return true;
  return reasons.some(({ holds }) => holds === undefined) ? undefined : false;
}

/** A way for new instances under another parent, or through another relationship. */
function isElsewhere(way: Way, subject: Subject): boolean {
  if (subject.kind === 'instance' || subject.plan.kind === 'link') return false;
  const under = subject.under?.contains.contains.name;
  if (way.kind === 'rule' && way.relationship !== undefined) return way.relationship.type !== under;
  const [first] = way.kind === 'owner' || way.kind === 'rule' ? (way.chain ?? []) : [];
  return first?.kind === 'contains' && first.relationship !== under;
}

async function reasonOf(way: Way, subject: Subject, asking: Asking): Promise<Reason> {
  const rules = way.kind === 'rule' ? rulesOf(way, asking.model) : [];
  const who = way.kind === 'rule' ? ruleText(way) : holderText(way);
  const parts = await partsOf(way, subject, asking);
  const tests = [];
  for (const { text, holds } of way.kind === 'owner' ? [] : parts)
    tests.push({ text: await withValues(text, way, subject, asking), holds });
  // Asked whole, as the guard asks it; the parts only show where it fails.
  const holds = subject.kind === 'instance' ? await holdsOf(subject.located, way.condition, asking) : together(parts);
  return { way, who, holds, rules, tests };
}

function rulesOf(way: Extract<Way, { kind: 'rule' }>, model: Model): Reason['rules'] {
  return [way.rule, ...(way.relationship === undefined ? [] : [way.relationship])].flatMap((of) => {
    const rule = ruleIn(model, of);
    return rule === undefined ? [] : [{ of, rule }];
  });
}

interface Part {
  /** The condition of the rule where it is undefined. */
  readonly text: string | undefined;
  readonly holds: Holds;
}

function together(parts: readonly Part[]): Holds {
  if (parts.some(({ holds }) => holds === false)) return false;
  return parts.some(({ holds }) => holds === undefined) ? undefined : true;
}

async function partsOf(way: Way, subject: Subject, asking: Asking): Promise<readonly Part[]> {
  if (way.kind === 'rule' && way.chain !== undefined) {
    const parent = { text: chainText(way.chain), holds: await ownsParent(way.chain, subject, asking) };
    return [...(await ruleParts(way.ofRow ?? everything, subject, asking)), parent];
  }
  if (way.kind === 'admin' || way.kind === 'rule') return ruleParts(way.condition, subject, asking);
  if (subject.kind === 'instance') return [];
  return [{ text: undefined, holds: way.kind === 'owner' ? await ownsParent(way.chain, subject, asking) : undefined }];
}

/** Roles are asked for by themselves; what is left is the condition of the rule on the row. */
async function ruleParts(condition: Condition, subject: Subject, asking: Asking): Promise<readonly Part[]> {
  const parts: Part[] = [];
  const ofRow: Condition[] = [];
  for (const each of conjuncts(condition)) {
    const roles = rolesAsked(each, asking.access);
    if (roles !== undefined) parts.push({ text: roleText(roles), holds: await hasRow(each, asking) });
    else if (isOfParents(each, planOf(subject)))
      parts.push(...(standsSo(each, subject) ? [] : [{ text: 'stands elsewhere', holds: false }]));
    else if (each.kind !== 'all') ofRow.push(each);
  }
  if (ofRow.length === 0) return parts;
  const holds = subject.kind === 'instance' ? await holdsOf(subject.located, ofRow.reduce(both), asking) : undefined;
  return [...parts, { text: undefined, holds }];
}

function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.conditions.flatMap(conjuncts) : [condition];
}

function roleText(roles: readonly string[]): string {
  return `has the role ${roles.join(' or ')}`;
}

/** The roles that a condition asks for, each with the condition that asks. */
export function rolesTested(
  condition: Condition,
  access: AccessPlan,
): readonly { readonly roles: readonly string[]; readonly condition: Condition }[] {
  return conjuncts(condition).flatMap((each) => {
    const roles = rolesAsked(each, access);
    return roles === undefined ? [] : [{ roles, condition: each }];
  });
}

function rolesAsked(condition: Condition, { roles }: AccessPlan): readonly string[] | undefined {
  if (condition.kind !== 'exists' || condition.table !== roles.table || condition.on !== undefined) return undefined;
  return conjuncts(condition.where).flatMap((each) =>
    each.kind === 'compare' && each.column === 'role' && each.value !== undefined && 'constants' in each.value
      ? each.value.constants.map(String)
      : [],
  );
}

/** Whether it says only under which relationship a new instance stands. */
function isOfParents(condition: Condition, plan: EntityPlan | LinkPlan): condition is Extract<Condition, { kind: 'compare' }> {
  if (condition.kind !== 'compare' || plan.kind === 'link') return false;
  const isNull = condition.operator === 'null' || condition.operator === 'not-null';
  return isNull && plan.parents.some(({ column }) => column === condition.column);
}

function standsSo({ column, operator }: Extract<Condition, { kind: 'compare' }>, subject: Subject): boolean {
  if (subject.kind === 'instance') return true;
  return (subject.under?.contains.column === column) === (operator === 'not-null');
}

/** Owners of the parent, by the same ways as those of the parent itself. */
async function ownsParent(chain: readonly OwnerStep[], subject: Subject, asking: Asking): Promise<Holds> {
  if (subject.kind === 'instance' || subject.under === undefined) return false;
  const [first, ...rest] = chain;
  const { parent } = subject.under;
  const wanted = [JSON.stringify(rest), ...(first?.kind === 'above' ? [JSON.stringify(chain)] : [])];
  const rights = (asking.isNarrowed ? asking.access.narrowedRights : asking.access.rights).get(parent.plan.type);
  for (const way of rights?.update.ways ?? []) {
    if (way.kind !== 'owner' || !wanted.includes(JSON.stringify(way.chain))) continue;
    if (await holdsOf(parent, way.condition, asking)) return true;
  }
  return false;
}

/** Whether the condition holds of the row, as the guard asks it. */
export async function holdsOf({ plan, key }: Located, condition: Condition, { reader, ambient }: Asking): Promise<boolean> {
  const { exists } = plan.shapes;
  return (await reader.one({ ...exists, where: both(exists.where, condition) }, [key], ambient)) !== undefined;
}

/** Of a condition that asks for rows that do not depend on the instance. */
export async function hasRow(condition: Condition, { reader, ambient }: Asking): Promise<boolean> {
  if (condition.kind !== 'exists') return false;
  const { table, where } = condition;
  const select = { kind: 'select', table, output: { fields: [], columns: [] }, where, order: [], limit: true, offset: false } as const;
  return (await reader.one(select, [1], ambient)) !== undefined;
}

/** The condition of a rule, with what its attributes are. */
async function withValues(text: string | undefined, way: Way, subject: Subject, asking: Asking): Promise<string> {
  if (text !== undefined) return text;
  const where = way.kind === 'rule' ? ruleIn(asking.model, way.rule)?.where : undefined;
  if (where === undefined) return 'depends on what is linked';
  const shown = [...(await ofRow(where, subject, asking)), ...(await ofProfiles(where, asking))];
  return shown.length === 0 ? conditionText(where) : `${conditionText(where)} (${shown.join(', ')})`;
}

async function ofRow(where: Expression, subject: Subject, { reader }: Asking): Promise<readonly string[]> {
  const names = new Set(attributesIn(where));
  if (subject.kind === 'new' || names.size === 0) return [];
  const row = await reader.one(subject.located.plan.shapes.byKey, [subject.located.key]);
  const values = row === undefined ? {} : parseStored(row.json);
  return [...names].map((name) => `this.${name} is ${writeJson(values[name] ?? null)}`);
}

/** What the user's own instances hold of what a condition asks for. */
async function ofProfiles(where: Expression, { access, entities, isNarrowed, reader, ambient }: Asking): Promise<readonly string[]> {
  const shown: string[] = [];
  for (const reference of referencesIn(where)) {
    const [first, type = '', name = ''] = reference.path;
    const [own, plan] = [access.profiles.get(type), entities.get(type)];
    const column = plan?.attribute.get(name)?.column;
    if (first !== 'auth' || own === undefined || plan === undefined || column === undefined) continue;
    const output = { fields: [], columns: [column] };
    const select = { kind: 'select', table: plan.table, output, where: own, order: [], limit: false, offset: false } as const;
    const rows = isNarrowed ? [] : await reader.rows(select, [], undefined, undefined, ambient);
    const values = rows.map(({ columns }) => writeJson(columns[0] ?? null));
    shown.push(values.length === 0 ? `the user has no ${plan.local}` : `${conditionText(reference)} is ${values.join(' or ')}`);
  }
  return [...new Set(shown)];
}

function referencesIn(expression: Expression): readonly Reference[] {
  switch (expression.kind) {
    case 'reference':
      return [expression];
    case 'binary':
      return [...referencesIn(expression.left), ...referencesIn(expression.right)];
    case 'unary':
      return referencesIn(expression.operand);
    case 'list':
      return expression.items.flatMap(referencesIn);
    default:
      return [];
  }
}

function attributesIn(expression: Expression): readonly string[] {
  return referencesIn(expression).flatMap(({ path: [first, second] }) => (first === 'this' && second !== undefined ? [second] : []));
}

/** The row as it is addressed, by its key. */
export async function locatedByKey(plan: EntityPlan | LinkPlan, key: Located['key'], reader: Reader): Promise<Located | undefined> {
  const row = await reader.one(plan.shapes.byKey, [key]);
  return row && locatedRow(plan, parseStored(row.json)[plan.identifier.name] ?? null, row);
}
