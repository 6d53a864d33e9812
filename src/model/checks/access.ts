// Rules of `@rbac` that cannot mean what they say: those that never allow anything, roles that are a slip of the hand, links that take over.

import { isSlip } from '../../diagnostics.ts';
import type { FaultReport } from '../fault-report.ts';
import { type AccessRule, type Between, type Contains, type Entity, localOf, type Model } from '../model.ts';
import { checkProfiles, checkRowCondition } from './row-conditions.ts';

export function checkAccess(model: Model, report: FaultReport): void {
  for (const each of model.entities.values())
    for (const rule of [...(each.rbac ?? []), ...each.attributes.flatMap(({ rbac }) => rbac ?? [])]) checkRule(rule, each, model, report);
  for (const { rbac } of [...model.events.values(), ...model.agents.values()]) for (const rule of rbac ?? []) neverFor(rule, report);
  for (const each of model.relationships.values()) {
    if (each.kind === 'contains') checkContains(each, model, report);
    else checkBetween(each, model, report);
  }
  checkProfiles(model, report);
  similarRoles(model, report);
}

function checkRule(rule: AccessRule, start: Entity | Between, model: Model, report: FaultReport): void {
  if (!neverFor(rule, report)) checkRowCondition(rule, start, model, report);
}

function neverFor({ roles, allow, span }: AccessRule, report: FaultReport): boolean {
  // What is allowed is told by its names, where they are wrong.
  if (report.isTold(span)) return true;
  if (roles.length > 0 && allow.length > 0) return false;
  report.fault('rbac-never', span, `the rule allows ${roles.length === 0 ? 'nobody' : 'nothing'}`);
  return true;
}

/** A relationship has no rows of its own: its rules say who may put a child under a parent, and the child's own must allow that too. In both, `this` is the child. */
function checkContains({ rbac, child, local, inherit, parent, span }: Contains, model: Model, report: FaultReport): void {
  const { entities, relationships } = model;
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
    if (own !== undefined) checkRowCondition(rule, own, model, report);
  }
  if (own?.rbac === undefined) return;
  const owners = `the owners of a \`${localOf(parent)}\` have no rights on its \`${own.local}\`, which has rules of its own`;
  if (!inherit) report.fault('rbac-narrowed', span, `by \`${local}\`, ${owners}`, 'add `@inherit` to the relationship to give them back');
  const others = [...relationships.values()].filter((each) => each.kind === 'contains' && each.parent === child && each.child === child);
  if (parent === child && others.some((each) => each.kind === 'contains' && each.inherit !== inherit))
    report.fault('rbac-inherit', span, `relationships by which \`${own.local}\` contains itself have \`@inherit\` all or none`);
}

function checkBetween(between: Between, model: Model, report: FaultReport): void {
  const { rbac, owner, assign, local, ends, span } = between;
  for (const rule of rbac ?? []) checkRule(rule, between, model, report);
  if (owner === undefined || owner !== assign?.to) return;
  const [from, to] = [assign.from, assign.to].map((name) => ends.find(({ attribute }) => attribute === name)?.attribute ?? name);
  const message = `whoever owns \`${to}\` may make a link of \`${local}\` alone, and comes to own whatever \`${from}\` it leads to`;
  report.fault('owner-takes-over', span, message);
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
