// Cells that search by words: in lists, with everything that lists take, and in workflows.

import { type Around, asks, type Cell, get, samples } from './guarded-cells.ts';
import { searchedByFlows } from './guarded-model.ts';
import { pages } from './guarded-reads.ts';
import { type EntityName, placeOf } from './guarded-rows.ts';
import { eventRequests } from './guarded-world.ts';

export function searchesOf(type: EntityName, around: Around): readonly Cell[] {
  const { surface, sight } = around;
  const { seen, hidden } = samples(type, around);
  const isFree = sight.visible.entries.length > 0;
  const words = ['ann', 'bob', 'dan', ...[...seen, ...hidden].flatMap(({ text, code }) => [text, `${code} ${text.toUpperCase()}`])];
  const found = (text: string) => seen.filter((each) => each.text === text).map((each) => each.text);
  const list = (query: string) => asks(get(`${surface.at(type)}?${query}`));
  const made: readonly Omit<Cell, 'surface' | 'entity'>[] = words.flatMap((each) => {
    const query = `@search=${encodeURIComponent(each)}`;
    return [
      { path: 'search', run: list(query), ...(isFree ? { status: [200], shows: found(each) } : {}) },
      { path: 'search', run: list(`${query}&@count=true&@limit=1`) },
      { path: 'search', run: list(`${query}&@sort=-rank&@select=text`) },
      { path: 'search', run: list(`${query}&rank[gt]=3&@or=(owner=ann,owner=bob)`) },
      { path: 'search', run: pages(`${surface.at(type)}?${query}&@limit=2`) },
      ...(searchedByFlows.includes(type)
        ? eventRequests(surface, `search${type}`, { q: each }).map((request) => ({
            path: 'flow that searches',
            run: asks(request),
            ...(isFree ? { status: [200], shows: found(each) } : {}),
          }))
        : []),
    ];
  });
  const nested = [...seen, ...hidden]
    .filter((each) => each.type === 'Org')
    .map((org) => ({ path: 'search', run: asks(get(surface.at(`${placeOf(org)}/OrgTeam/Team?@search=ann&@count=true`))) }));
  return [...made, ...nested].map((each) => ({ ...each, surface: surface.name, entity: type }));
}
