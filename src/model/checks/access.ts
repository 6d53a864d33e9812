// Rules of `@rbac` that cannot mean what they say: those that never allow anything, roles that are a slip of the hand, links that take over.

import { isSlip } from '../../diagnostics.ts';
import { isShown } from '../description.ts';
import type { FaultReport } from '../fault-report.ts';
import { type AccessRule, type Attribute, type Between, type Contains, columnKind, type Entity, localOf, type Model } from '../model.ts';
import type { Expression } from '../pattern.ts';

export function checkAccess(model: Model, report: FaultReport): void {
  for (const each of model.entities.values()) checkEntity(each, report);
  for (const { rbac } of [...model.events.values(), ...model.agents.values()]) for (const rule of rbac ?? []) neverFor(rule, report);
  for (const each of model.relationships.values()) {
    if (each.kind === 'contains') checkContains(each, model, report);
    else checkBetween(each, report);
  }
  similarRoles(model, report);
}

function checkEntity({ rbac, attributes }: Entity, report: FaultReport): void {
  for (const rule of [...(rbac ?? []), ...attributes.flatMap((each) => each.rbac ?? [])]) checkRule(rule, attributes, report);
}

function checkRule(rule: AccessRule, attributes: readonly Attribute[], report: FaultReport): void {
  if (!neverFor(rule, report) && rule.where !== undefined) checkCondition(rule.where, attributes, report);
}

function neverFor({ roles, allow, span }: AccessRule, report: FaultReport): boolean {
  // What is allowed is told by its names, where they are wrong.
  if (report.isTold(span)) return true;
  if (roles.length > 0 && allow.length > 0) return false;
  report.fault('rbac-never', span, `the rule allows ${roles.length === 0 ? 'nobody' : 'nothing'}`);
  return true;
}

/** A relationship has no rows of its own: its rules say who may put a child under a parent, and the child's own must allow that too. */
function checkContains(
  { rbac, child, local, inherit, parent, span }: Contains,
  { entities, relationships }: Model,
  report: FaultReport,
): void {
  const own = entities.get(child);
  for (const rule of rbac ?? []) {
    if (neverFor(rule, report)) continue;
    if (!rule.allow.includes('create'))
      report.fault('rbac-ineffective', rule.span, `\`${local}\` is made when a child is: \`create\` is all that its rules can allow`);
    else if (own?.rbac?.some(({ allow }) => allow.includes('create')) !== true)
      report.fault(
        'rbac-ineffective',
        rule.span,
        `no rule of \`${own?.local ?? child}\` allows to create one, which this rule needs besides`,
      );
  }
  if (own?.rbac === undefined) return;
  const owners = `the owners of a \`${localOf(parent)}\` have no rights on its \`${own.local}\`, which has rules of its own`;
  if (!inherit) report.fault('rbac-narrowed', span, `by \`${local}\`, ${owners}`, 'add `@inherit` to the relationship to give them back');
  const others = [...relationships.values()].filter((each) => each.kind === 'contains' && each.parent === child && each.child === child);
  if (parent === child && others.some((each) => each.kind === 'contains' && each.inherit !== inherit))
    report.fault('rbac-inherit', span, `relationships by which \`${own.local}\` contains itself have \`@inherit\` all or none`);
}

function checkBetween({ rbac, attributes, owner, assign, local, ends, span }: Between, report: FaultReport): void {
  for (const rule of rbac ?? []) checkRule(rule, attributes, report);
  if (owner === undefined || owner !== assign?.to) return;
  const [from, to] = [assign.from, assign.to].map((name) => ends.find(({ attribute }) => attribute === name)?.attribute ?? name);
  const message = `whoever owns \`${to}\` may make a link of \`${local}\` alone, and comes to own whatever \`${from}\` it leads to`;
  report.fault('owner-takes-over', span, message);
}

/** Comparisons of an attribute with the caller or with what stands in the model, joined by `and` and `or`: a row condition is no more. */
function checkCondition(where: Expression, attributes: readonly Attribute[], report: FaultReport): void {
  if (report.isTold(where.span)) return;
  if (where.kind === 'binary' && (where.operator === 'and' || where.operator === 'or')) {
    checkCondition(where.left, attributes, report);
    checkCondition(where.right, attributes, report);
    return;
  }
  const message = neverHolds(where, attributes);
  if (message !== undefined) report.fault('rbac-never', where.span, message);
}

const operators: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'like']);
const form = 'a condition compares an attribute of `this` with `auth.user` or a value';

function neverHolds(where: Expression, attributes: readonly Attribute[]): string | undefined {
  if (where.kind !== 'binary') return form;
  const { operator, left, right } = where;
  if (!operators.has(operator)) return form;
  const sides = [sideOf(left), sideOf(right)];
  if (sides.filter((each) => each === 'row').length !== 1 || sides.includes('other')) return form;
  if (operator === 'like' && (sides[0] !== 'row' || sides[1] !== 'value')) return form;
  const row = sides[0] === 'row' ? left : right;
  const name = row.kind === 'reference' ? row.path[1] : undefined;
  const attribute = attributes.find((each) => each.name === name);
  if (attribute === undefined) return `\`${name}\` is an end of the link, and compared with nothing`;
  if (!isShown(attribute)) return `\`${name}\` is hidden, and compared with nothing`;
  const kind = columnKind(attribute);
  return sides.includes('caller') && kind !== 'text' && kind !== 'scalar'
    ? `\`${name}\` never holds an e-mail, which \`auth.user\` is`
    : undefined;
}

type Side = 'row' | 'caller' | 'value' | 'other';

function sideOf(expression: Expression): Side {
  if (expression.kind === 'literal') return 'value';
  if (expression.kind !== 'reference') return 'other';
  const [start] = expression.path;
  return start === 'this' && expression.path.length === 2 ? 'row' : start === 'auth' ? 'caller' : 'other';
}

/** The later of two that differ in one letter, once. */
function similarRoles({ entities, relationships, events, agents }: Model, report: FaultReport): void {
  const known = new Set(['admin']);
  const rules = [...entities.values(), ...relationships.values(), ...events.values(), ...agents.values()].flatMap(({ rbac }) => rbac ?? []);
  const ofAttributes = [...entities.values()].flatMap(({ attributes }) => attributes.flatMap(({ rbac }) => rbac ?? []));
  for (const { roles, span } of [...rules, ...ofAttributes].toSorted(inOrder))
    for (const role of roles) {
      if (known.has(role)) continue;
      const similar = [...known].find((each) => isSlip(role, each));
      if (similar !== undefined)
        report.fault(
          'role-similar',
          span,
          `the role \`${role}\` differs from \`${similar}\` in one letter`,
          `did you mean \`${similar}\`?`,
        );
      known.add(role);
    }
}

function inOrder({ span: one }: AccessRule, { span: other }: AccessRule): number {
  return one.source.file === other.source.file ? one.start - other.start : one.source.file < other.source.file ? -1 : 1;
}
