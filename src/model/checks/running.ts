// Who runs events: what is said of internal ones in vain, and whose rights to run something are others than they were before a rule was needed.

import type { FaultReport } from '../fault-report.ts';
import type { Agent, EventType, Model } from '../model.ts';
import { boundlessBy } from '../run-rules.ts';

export function checkRunning(model: Model, report: FaultReport): void {
  for (const each of model.events.values()) {
    if (each.isInternal === true) checkInternal(each, isOpened(each, model), isTool(each, model), report);
    else if (usesRules(model)) checkBoundless(each, model, report);
  }
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

/** Where no rule says anything, access control is hardly on. */
export function usesRules({ entities, relationships, events, agents }: Model): boolean {
  return [...entities.values(), ...relationships.values(), ...events.values(), ...agents.values()].some(({ rbac }) => rbac !== undefined);
}
