// Cells that run workflows: queries, joins of every side, aggregates, related patterns, and writes of what the caller does not see.

import { randomUUID } from 'node:crypto';
import { type Around, asks, type Cell, likeMissing, samples } from './guarded-cells.ts';
import { joinEvents, relatedEvents } from './guarded-model.ts';
import { type EntityName, entities } from './guarded-rows.ts';
import { eventRequests } from './guarded-world.ts';

const plain = ['all', 'like', 'where', 'count', 'group', 'loop'] as const;
/** Which texts of the rows that the caller sees such a query must show. */
const wholeOnes: readonly string[] = ['all', 'loop'];

export function flowsOf(type: EntityName, around: Around): readonly Cell[] {
  const { surface, sight } = around;
  const { seen, hidden } = samples(type, around);
  const isFree = sight.visible.entries.length > 0;
  const mine = sight.visible.entries.filter((each) => each.type === type).map(({ text }) => text);
  const made = [
    ...plain.flatMap((name) =>
      eventRequests(surface, `${name}${type}`).map((request) => ({
        path: name === 'count' || name === 'group' ? 'flow that aggregates' : 'flow that queries',
        run: asks(request),
        ...(isFree && wholeOnes.includes(name) ? { shows: mine, status: [200] } : {}),
      })),
    ),
    ...(['by', 'safe'] as const).flatMap((name) => [
      ...seen.flatMap(({ id, text }) =>
        eventRequests(surface, `${name}${type}`, { id }).map((request) => ({
          path: 'flow that finds one',
          run: asks(request),
          shows: [text],
        })),
      ),
      ...hidden.flatMap(({ id }) => forEach(name, id)),
    ]),
    ...hidden.flatMap(({ id }) => [...forEach('change', id, { rank: 8 }), ...forEach('drop', id)]),
  ];
  return made.map((each) => ({ ...each, surface: surface.name, entity: type }));

  function forEach(name: 'by' | 'safe' | 'change' | 'drop', hiddenId: number, rest: object = {}) {
    const path = { by: 'flow that finds one', safe: 'flow that finds one', change: 'flow that updates', drop: 'flow that deletes' }[name];
    const requests = (id: number | string) => eventRequests(surface, `${name}${type}`, { id, ...rest });
    return requests(hiddenId).map((_, at) => ({
      path,
      ...likeMissing(hiddenId, (id) => asks(...requests(id).slice(at, at + 1))),
      ...(isFree ? { status: [200] } : {}),
    }));
  }
}

export function joinsOf({ surface }: Around): readonly Cell[] {
  const related: readonly string[] = relatedEvents;
  return [...joinEvents, ...related].flatMap((name) =>
    eventRequests(surface, name).map((request) => ({
      path: related.includes(name) ? 'flow with related patterns' : 'flow that joins',
      surface: surface.name,
      entity: name,
      run: asks(request),
    })),
  );
}

/** The first answer to a key belongs to whoever asked with it. */
export function replaysOf({ surface, caller }: Around): readonly Cell[] {
  return entities.flatMap((type) =>
    eventRequests(surface, `all${type}`).flatMap((request) => {
      const keyed = { ...request, headers: { 'idempotency-key': randomUUID() } };
      return (['ann', 'bob', 'system'] as const)
        .filter((other) => other !== caller)
        .map(
          (other): Cell => ({
            path: 'Idempotency-Key of another caller',
            surface: surface.name,
            entity: type,
            run: async (ask) => {
              await ask(keyed, other);
              return [await ask(keyed), await ask(keyed)];
            },
          }),
        );
    }),
  );
}
