// GET /platform/explain?event=<name>: the steps of an event with their statements; ?entity=<name>: the rules of an entity. For operators.

import { error, type Fault } from '../../../errors.ts';
import type { TypeName } from '../../../model/model.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { StoreSettings } from '../../../store/open.ts';
import type { HttpRequest, HttpResponse } from '../../exchange.ts';
import type { EntityRules, ExplainedStep, Explanation } from '../description.ts';
import { entityRules } from './entity.ts';
import { explanation } from './explain.ts';

/** `shownFile` names a file: where the files of the project lie is not told. */
export function explainAnswer({ query }: HttpRequest, plan: Plan, store: StoreSettings, shownFile: FileNames): HttpResponse {
  const { about, name } = askedIn(query);
  const found = about === 'event' ? explainedEvent(name, plan, store, shownFile) : explainedEntity(name, plan, shownFile);
  if (found === undefined) throw error('path-unknown', { detail: `There is no such ${about}.` });
  return { status: 200, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body: JSON.stringify(found) };
}

function askedIn(query: string): { readonly about: 'event' | 'entity'; readonly name: TypeName } {
  const given = [...new URLSearchParams(query)];
  const [about, name = ''] = given[0] ?? [];
  if (given.length === 1 && (about === 'event' || about === 'entity')) return { about, name };
  const fault = (attribute: string, message: string): Fault => ({
    attribute,
    code: message === 'is required' ? 'required' : 'unknown',
    message,
  });
  const others = given
    .slice(about === 'event' || about === 'entity' ? 1 : 0)
    .map(([attribute]) => fault(attribute, 'is not a parameter here'));
  throw error('query-invalid', { errors: others.length > 0 ? others : [fault('event', 'is required')] });
}

type FileNames = (file: string) => string;

function explainedEvent(name: TypeName, plan: Plan, store: StoreSettings, shownFile: FileNames): Explanation | undefined {
  const flow = plan.dataflows.flows.get(name);
  if (plan.model.events.get(name)?.isInternal === true) return undefined;
  if (flow === undefined) return plan.model.events.has(name) ? { summary: 'done by the service itself', steps: [] } : undefined;
  const found = explanation(flow, { plan, store });
  return { ...found, steps: found.steps.map((each) => withShownFile(each, shownFile)) };
}

function explainedEntity(name: TypeName, { model }: Plan, shownFile: FileNames): EntityRules | undefined {
  const entity = model.entities.get(name);
  if (entity === undefined) return undefined;
  const rules = entityRules(entity, model);
  return { ...rules, file: shownFile(rules.file) };
}

function withShownFile(step: ExplainedStep, shownFile: FileNames): ExplainedStep {
  return { ...step, file: shownFile(step.file), steps: step.steps.map((each) => withShownFile(each, shownFile)) };
}
