// Conditions of rules on rows: those that mean nothing, hold for nothing, take long, or ask for what others than admin may set for themselves.

import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { profileOf } from '../access/profile.ts';
import { isOfRow, keyOfValue, nameOf, type RowCondition, type RowTest, rowCondition, testsIn, valuesIn } from '../access/row-condition.ts';
import type { RowType } from '../access/row-path.ts';
import { isChangeable } from '../description.ts';
import type { FaultReport } from '../fault-report.ts';
import { type AccessRule, type Attribute, columnKind, type Entity, localOf, type Model, type Resolver, type TypeName } from '../model.ts';

/** `start` is what `this` is in the rule. */
export function checkRowCondition({ where, span }: AccessRule, start: RowType, model: Model, report: FaultReport): void {
  if (where === undefined || report.isTold(where.span)) return;
  const condition = rowCondition(where, start, model, ({ code, message, unknown, suggestion }, at) => {
    if (unknown === undefined) report.fault(code, at, message, suggestion);
    else report.unknown(code, at, message, unknown.name, unknown.known);
  });
  if (report.isTold(span)) return;
  contradictions(condition, report);
  for (const test of testsIn(condition)) {
    unindexed(test, start, report);
    keptElsewhere(test, model, report);
    preferIdentifier(test, start, report);
  }
}

/** Of parts that must hold together: a value that is to be two at once. */
function contradictions(condition: RowCondition, report: FaultReport): void {
  if (condition.kind === 'not') contradictions(condition.condition, report);
  if (condition.kind === 'or') for (const each of condition.conditions) contradictions(each, report);
  if (condition.kind !== 'and') return;
  const known = new Map<string, { readonly operator: string; readonly value: string }[]>();
  for (const test of joined(condition)) {
    const key = keyOfValue(test.left);
    const said = saidBy(test);
    if (key === undefined || said === undefined) continue;
    const before = known.get(key) ?? [];
    if (before.some((each) => excludes(each, said))) {
      const message = `\`${nameOf(test.left)}\` cannot be what both parts ask for: the condition holds for nothing`;
      report.fault('rbac-contradiction', test.span, message, 'join them with `or`, or leave one of them out');
    }
    known.set(key, [...before, said]);
  }
}

function joined(condition: RowCondition): readonly RowTest[] {
  if (condition.kind === 'test') return [condition];
  return condition.kind === 'and' ? condition.conditions.flatMap(joined) : [];
}

type Said = { readonly operator: string; readonly value: string };

function saidBy({ tests }: RowTest): Said | undefined {
  const [only, ...more] = tests;
  if (only === undefined || more.length > 0) return undefined;
  if (only.right === undefined) return { operator: only.operator, value: '' };
  return only.right.kind === 'constant' ? { operator: only.operator, value: textOf(only.right.value) } : undefined;
}

function textOf(value: Value): string {
  return writeJson(value);
}

function excludes(one: Said, other: Said): boolean {
  const pair = (first: string, second: string): boolean =>
    (one.operator === first && other.operator === second) || (one.operator === second && other.operator === first);
  if (pair('eq', 'eq')) return one.value !== other.value;
  if (pair('eq', 'ne')) return one.value === other.value;
  return pair('null', 'not-null') || pair('null', 'eq');
}

/** What a resolver keeps is no part of a statement. */
function keptElsewhere(test: RowTest, model: Model, report: FaultReport): void {
  const crossed = valuesIn(test).flatMap((each) => (each.kind === 'path' ? each.steps.map(({ entity }) => entity) : []));
  const found = crossed.find((each) => keeperOf(each, model) !== undefined);
  if (found === undefined) return;
  report.fault('rbac-path', test.span, `\`${localOf(found)}\` is kept by a resolver: rules ask only for what is stored here`);
}

function keeperOf(entity: TypeName, { resolvers }: Model): Resolver | undefined {
  return [...resolvers.values()].find(({ compose, types }) => !compose && types.includes(entity));
}

/** What is the caller's is found by an index; without one, each row is looked at. */
function unindexed(test: RowTest, start: RowType, report: FaultReport): void {
  const values = valuesIn(test);
  const byCaller = test.tests.some(({ operator, right }) => operator === 'eq' && right?.kind === 'caller');
  const byProfile = test.tests.some(({ operator }) => operator === 'eq') && values.some(({ kind }) => kind === 'profile');
  for (const value of values) {
    if (value.kind !== 'path' || isIndexed(value.attribute) || !(byProfile || (byCaller && value.steps.length > 0))) continue;
    const holder = localOf(value.steps.at(-1)?.entity ?? start.name);
    const message = `\`${holder}.${value.attribute.name}\` has no index: to find what is the caller's, each \`${holder}\` is looked at`;
    report.fault('rbac-unindexed', test.span, message, `mark \`${value.attribute.name}\` with \`@indexed\``);
  }
}

function isIndexed({ identifier, unique, indexed, ref }: Attribute): boolean {
  return identifier || unique || indexed || ref !== undefined;
}

/** An address may be given to somebody else; who it was is known by the identifier. */
function preferIdentifier({ left, tests, span }: RowTest, start: RowType, report: FaultReport): void {
  const isUser = tests.some(({ operator, right }) => operator === 'eq' && right?.kind === 'caller' && right.name === 'user');
  if (!isUser || left.kind !== 'path' || start.kind !== 'entity') return;
  const { type } = left.attribute;
  if (type.kind !== 'plain' || type.type.name !== 'Email') return;
  // What is told apart by its address is no more than that.
  if (left.attribute.identifier || left.attribute.unique || left.attribute.name === start.profile) return;
  report.fault(
    'rbac-address',
    span,
    `\`${nameOf(left)}\` keeps an address, and whoever has that address later is meant by it`,
    'keep `auth.id` in an attribute of its own, and compare that',
  );
}

/** `@profile(email)` of each entity, and who may make or change what conditions go by. */
export function checkProfiles(model: Model, report: FaultReport): void {
  const rules = allRules(model);
  for (const entity of model.entities.values()) if (entity.profile !== undefined) checkProfile(entity, rules, model, report);
}

interface RuleOn {
  readonly start: RowType;
  readonly rule: AccessRule;
}

function allRules({ entities, relationships }: Model): readonly RuleOn[] {
  const own = [...entities.values()].flatMap((start) =>
    [...(start.rbac ?? []), ...start.attributes.flatMap(({ rbac }) => rbac ?? [])].map((rule) => ({ start, rule })),
  );
  const others = [...relationships.values()].flatMap((each): readonly RuleOn[] => {
    const start = each.kind === 'between' ? each : entities.get(each.child);
    return start === undefined ? [] : (each.rbac ?? []).map((rule) => ({ start, rule }));
  });
  return [...own, ...others];
}

function checkProfile(entity: Entity, rules: readonly RuleOn[], model: Model, report: FaultReport): void {
  const attribute = profileOf(entity);
  const { local, profile = '', span } = entity;
  if (attribute === undefined) {
    report.unknown(
      'profile-invalid',
      span,
      `\`@profile\` of \`${local}\` names \`${profile}\`, which it does not have`,
      profile,
      entity.attributes.map((each) => each.name),
    );
    return;
  }
  const isEmail = attribute.type.kind === 'plain' && attribute.type.type.name === 'Email' && columnKind(attribute) === 'text';
  if (!isEmail || attribute.secret || attribute.writeonly) {
    report.fault(
      'profile-invalid',
      attribute.span,
      `\`${profile}\` says whom a \`${local}\` describes: it is one e-mail that is shown`,
      'write `Email` for its type',
    );
    return;
  }
  const kept = keeperOf(entity.name, model);
  if (kept !== undefined) {
    report.fault('profile-invalid', span, `\`${local}\` is kept by the resolver \`${kept.local}\`: rules ask only for what is stored here`);
    return;
  }
  warnOfOthers(entity, usedOf(entity, rules, model), report);
}

/** The attributes of the profile that conditions ask for, with its e-mail. */
function usedOf(entity: Entity, rules: readonly RuleOn[], model: Model): ReadonlySet<string> {
  const used = new Set<string>();
  for (const { start, rule } of rules)
    for (const test of rule.where === undefined ? [] : testsIn(rowCondition(rule.where, start, model)))
      for (const value of valuesIn(test))
        if (isOfRow(value) && value.kind === 'profile' && value.entity.name === entity.name) used.add(value.attribute.name);
  return used.size === 0 ? used : used.add(entity.profile ?? '');
}

function warnOfOthers({ rbac, attributes, local }: Entity, used: ReadonlySet<string>, report: FaultReport): void {
  if (used.size === 0) return;
  for (const { roles, allow, span } of rbac ?? []) {
    if (roles.every((each) => each === 'admin')) continue;
    const writes = attributes.filter(
      (each) =>
        used.has(each.name) && !isAdminsAlone(each) && (allow.includes('create') || (allow.includes('update') && isChangeable(each))),
    );
    if (writes.length === 0) continue;
    const names = writes.map((each) => `\`${each.name}\``).join(', ');
    report.fault(
      'rbac-self-made',
      span,
      `this lets ${roles.map((each) => `\`${each}\``).join(', ')} write ${names} of \`${local}\`, by which conditions tell what its user may do`,
      'leave the writing to `admin`',
    );
  }
}

/** By rules of its own, which let nobody else set it. */
function isAdminsAlone({ rbac }: Attribute): boolean {
  const sets = rbac?.filter(({ allow }) => allow.includes('create') || allow.includes('update'));
  return sets?.every(({ roles }) => roles.every((each) => each === 'admin')) ?? false;
}
