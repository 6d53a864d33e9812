// Who runs events: what is said of internal ones in vain, and whose rights to run something are others than they were before a rule was needed.

import type { Span } from '../../source.ts';
import type { FaultReport } from '../fault-report.ts';
import { type AccessRule, type Agent, type EventType, localOf, type Model, type RunAs, type TypeName, type Workflow } from '../model.ts';
import type { Statement } from '../pattern.ts';
import { boundlessBy } from '../run-rules.ts';
import { someNode } from '../walk.ts';

export function checkRunning(model: Model, report: FaultReport): void {
  for (const each of model.events.values()) {
    if (each.isInternal === true) checkInternal(each, isOpened(each, model), isTool(each, model), report);
    else if (usesRules(model)) checkBoundless(each, model, report);
  }
  for (const each of model.workflows.values()) checkMade(each, model, report);
  if (usesRules(model)) for (const each of settingOff(model)) checkTrigger(each, model, report);
  for (const each of model.agents.values())
    if (each.isInternal === true) checkInternal(each, each.isPublic && !each.isEarlier, false, report);
}

function isOpened({ name, isPublic }: EventType, { workflows }: Model): boolean {
  return isPublic || workflows.get(name)?.isPublic === true;
}

function isTool({ name }: EventType, { agents }: Model): boolean {
  return [...agents.values()].some(({ tools }) => tools.includes(name));
}

/** Nothing leads to it from outside, whatever else opens it. */
function checkInternal({ local, rbac, span }: EventType | Agent, opened: boolean, isAsked: boolean, report: FaultReport): void {
  const message = `\`${local}\` is internal, so that nothing leads to it from outside`;
  if (opened) report.fault('internal-open', span, `${message}: \`@public\` opens nothing`, 'take one of them out');
  if (rbac !== undefined && !isAsked)
    report.fault('internal-open', span, `${message}, and nobody is asked by its rules`, 'take out `@internal`, or the rules');
}

function checkBoundless(event: EventType, model: Model, report: FaultReport): void {
  const { rbac, system, local, span } = event;
  const why = rbac === undefined && system === undefined ? boundlessBy(event, model) : undefined;
  if (why === undefined) return;
  const open = '`@rbac [(roles: ["*"], allow: [create])]` lets whoever is signed in run it; `@internal` leaves it to logic';
  report.fault('run-narrowed', span, `${why}, and no rule says who may run \`${local}\`: only admins may`, open);
}

/** Rules of what a workflow makes are asked where that is posted, and not of the workflow: whoever may run this one runs that one too. */
function checkMade({ event, local, body, span }: Workflow, model: Model, report: FaultReport): void {
  const own = model.events.get(event);
  if (own === undefined || own.isInternal === true || own.system !== undefined) return;
  const made = new Set<TypeName>();
  someNode(body, (node) => {
    if (node.kind === 'instance' && node.type.text !== event) made.add(node.type.text);
    return false;
  });
  for (const name of made) {
    const rules = (model.events.get(name) ?? model.agents.get(name))?.rbac;
    if (rules === undefined || rolesIn(own.rbac).every((role) => rolesIn(rules).includes(role))) continue;
    const message = `\`${local}\` makes \`${localOf(name)}\`, whose rules it is not asked for: whoever may run the one runs the other`;
    report.fault('run-unasked', span, message, `\`@rbac\` of \`${localOf(name)}\` on \`${local}\` too keeps it to the same roles`);
  }
}

function rolesIn(rules: readonly AccessRule[] | undefined): readonly string[] {
  return rules === undefined ? ['*'] : rules.flatMap(({ roles, allow }) => (allow.length === 0 ? [] : roles));
}

/** Where no rule says anything, access control is hardly on. */
export function usesRules({ entities, relationships, events, agents }: Model): boolean {
  return [...entities.values(), ...relationships.values(), ...events.values(), ...agents.values()].some(({ rbac }) => rbac !== undefined);
}

/** What a write sets off: what it runs, and where it says so. */
interface SetOff {
  readonly what: string;
  readonly body: readonly Statement[];
  readonly runAs: RunAs | undefined;
  readonly span: Span;
}

function settingOff({ triggers, workflows, events, reactions }: Model): readonly SetOff[] {
  const ofEvent = (name: TypeName, what: string, span: Span): SetOff => ({
    what,
    body: workflows.get(name)?.body ?? [],
    runAs: events.get(name)?.runAs,
    span,
  });
  const set = triggers.map(({ when, operation, entity, runs, runAs, span }): SetOff => {
    const what = `\`${when} ${operation} ${localOf(entity)}\``;
    return runs.kind === 'body' ? { what, body: runs.body, runAs, span } : ofEvent(runs.event, what, span);
  });
  const conditional = [...workflows.values()].filter(({ condition }) => condition !== undefined);
  const rules = reactions.map(({ local, conditions, body, options, span }): SetOff => {
    const said = options['run-as'];
    return {
      what: `\`${local}\``,
      body: [...conditions.slice(1), ...body],
      runAs: said === 'caller' || said === 'system' ? said : undefined,
      span,
    };
  });
  return [
    ...set,
    ...rules,
    ...conditional.map(({ event, local, span }) => ofEvent(event, `\`${local}\`, where a write sets it off,`, span)),
  ];
}

/** Before there was this rule it had the rights of whoever set it off; where nothing of it asks for rights, that is all the same. */
function checkTrigger({ what, body, runAs, span }: SetOff, model: Model, report: FaultReport): void {
  if (runAs !== undefined || !touchesRows(body, model)) return;
  const message = `${what} reads and writes as the system: it sees and changes rows that whoever sets it off may not`;
  report.fault('trigger-as-system', span, message, '`@runAs(caller)` gives it their rights, `@runAs(system)` says that this is meant');
}

function touchesRows(body: readonly Statement[], { entities, relationships, workflows }: Model): boolean {
  const isStored = (name: string): boolean => entities.has(name) || relationships.has(name) || workflows.has(name);
  return someNode(body, (node) => node.kind === 'instance' && isStored(node.type.text));
}
