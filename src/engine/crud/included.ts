// Says which lists to ask for where an instance with what it includes is more than a request may hold.

import { error, type PlatformError } from '../../errors.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import type { Selection } from '../../plan/query/selection.ts';
import type { TooLarge } from '../../store/store.ts';

/** `thrown` itself where nothing is included: then it is a fault of the service. */
export function tooLarge(plan: EntityPlan | LinkPlan, { includes }: Selection, thrown: TooLarge): PlatformError | TooLarge {
  const lists = includes.map(({ name, way }) =>
    way.kind === 'parent' ? `/${way.target.type}` : `/${plan.type}/{id}/${name}/${way.target.type.replace(/^.*\//, '')}`,
  );
  if (lists.length === 0) return thrown;
  const detail = `An instance with what it includes is larger than a request may hold; read instead ${lists.join(', ')}.`;
  return error('include-too-large', { detail }, thrown);
}
