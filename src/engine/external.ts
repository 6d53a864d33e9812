// Whether what a request writes is kept elsewhere: then it waits for a resolver, and may need nothing of the store.

import type { TypeName } from '../model/model.ts';
import type { EntityPlan, LinkPlan } from '../plan/plan.ts';
import type { Context, Service } from './operation.ts';
import type { WriteKind } from './seams.ts';

/** Whether to write instances of these types may be to ask a resolver. */
export function asksResolver(types: Iterable<TypeName>, { plan: { external } }: Pick<Service, 'plan'>): boolean {
  if (external.near.size === 0) return false;
  for (const type of types) if (external.near.has(type)) return true;
  return false;
}

/** Whether such a write stores nothing: no owner, no link, nothing that it sets off. */
export function isWrittenElsewhere(operation: WriteKind, plan: EntityPlan | LinkPlan, context: Context): boolean {
  if (plan.kind === 'link' || plan.external === undefined || context.plan.relatedComputed !== undefined) return false;
  const {
    triggers,
    plan: { access },
  } = context;
  if (triggers.fires('before', operation, plan.type, context) || triggers.fires('after', operation, plan.type, context)) return false;
  if (operation === 'update') return true;
  const isAlone = plan.steps.size === 0 && !plan.contained;
  return access === undefined && (operation === 'create' || isAlone);
}
