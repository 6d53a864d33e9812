// GET /platform/explain?event=<name>: the steps of an event with their statements; ?entity=<name>: the rules of an entity. For operators.

import { error, type Fault } from '../../../errors.ts';
import type { TypeName } from '../../../model/model.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { StoreSettings } from '../../../store/open.ts';
import type { HttpRequest, HttpResponse } from '../../exchange.ts';
import type { EntityRules, ExplainedStep, Explanation } from '../description.ts';
import { entityRules } from './entity.ts';
import { explanation } from './explain.ts';

export function explainAnswer({ query }: HttpRequest, plan: Plan, store: StoreSettings): HttpResponse {
  const { about, name } = askedIn(query);
  const found = about === 'event' ? explainedEvent(name, plan, store) : explainedEntity(name, plan);
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

function explainedEvent(name: TypeName, plan: Plan, store: StoreSettings): Explanation | undefined {
  const flow = plan.dataflows.flows.get(name);
  if (flow === undefined) return plan.model.events.has(name) ? { summary: 'done by the service itself', steps: [] } : undefined;
  const found = explanation(flow, { plan, store });
  return { ...found, steps: found.steps.map(withoutFolder) };
}

function explainedEntity(name: TypeName, { model }: Plan): EntityRules | undefined {
  const entity = model.entities.get(name);
  if (entity === undefined) return undefined;
  const rules = entityRules(entity, model);
  return { ...rules, file: nameOf(rules.file) };
}

function withoutFolder(step: ExplainedStep): ExplainedStep {
  return { ...step, file: nameOf(step.file), steps: step.steps.map(withoutFolder) };
}

/** Where the files of the project lie is not told. */
function nameOf(file: string): string {
  return file.replace(/^.*[\\/]/, '');
}
