// What export and import agree on: the names of the files, and what a line may hold.

import { nearest } from '../../diagnostics.ts';
import { isOtherName } from '../../plan/names.ts';
import type { EntityPlan, LinkPlan, Plan } from '../../plan/plan.ts';
import { StartRefused } from '../../store/store.ts';

export type Format = 'jsonl' | 'csv';

/** Far above what a request may hold: data of long ago is to be moved too. */
export const lineLimits = { depth: 1000, keys: 1_000_000, items: 10_000_000 };
export const longestLine = 64 * 1024 * 1024;

/** `shop/Item` → `shop.Item.jsonl`. */
export function fileOf(type: string, format: Format): string {
  return `${type.replaceAll('/', '.')}.${format}`;
}

/** By the qualified name, or the bare one where that is enough. */
export function planNamed(plan: Plan, name: string): EntityPlan | LinkPlan {
  const all = [...plan.entities.values(), ...plan.links.values()];
  const found = all.filter((each) => each.type === name || (each.local === name && !(each.kind === 'entity' && isOtherName(each.entity))));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only !== undefined) throw new StartRefused(`${name} is the name of several: ${found.map((each) => each.type).join(', ')}.`);
  const near = nearest(
    name,
    all.map((each) => (name.includes('/') ? each.type : each.local)),
  );
  throw new StartRefused(`The model has no entity or link ${name}${near === undefined ? '' : `; did you mean ${near}?`}.`);
}
