// In charge of `#:Ns{...}`: a map whose keys belong to a component without saying so each time.

import type { Form } from './form.ts';

/** Keys that name a component themselves keep it; `:_/X` stays without one. */
export function namespaced(items: readonly Form[], namespace: string): readonly Form[] {
  return items.map((item, index) => {
    if (index % 2 === 1 || (item.kind !== 'keyword' && item.kind !== 'symbol')) return item;
    if (item.name.startsWith('_/')) return { ...item, name: item.name.slice(2) };
    return item.name.includes('/') ? item : { ...item, name: `${namespace}/${item.name}` };
  });
}
