// Cells that move what the caller sees, or does not see: to parents that are hidden, that are not there, that they may write to or not.

import { type Around, asks, type Cell, hiddenIn, likeMissing, placesOf, placeWith } from './guarded-cells.ts';
import { containedBy, type EntityName, type Entry, pathOf, placeOf } from './guarded-rows.ts';
import type { Request } from './guarded-world.ts';
import type { Writing } from './guarded-writes.ts';

type Made = Omit<Cell, 'surface' | 'entity'>;

const contained = ['Team', 'Task'] as const;

function mover({ surface }: Around): (type: EntityName, place: string, parent: string) => Request {
  return (type, place, parent) => ({
    method: 'PUT',
    target: surface.at(place),
    body: surface.body({ type, attributes: { '@parent': parent } }),
  });
}

/** Found at every one of its places. */
function isPlain(entry: Entry, { sight }: Around): boolean {
  return hiddenIn(entry, sight) === undefined && entry.id % 1000 !== 777;
}

/** The path of an instance with another identifier in its place. */
function pathWith(entry: Entry, id: number | string): string {
  return pathOf(entry).replace(/\d+$/, String(id));
}

/** What changes nothing: moves of what is hidden, and to what is hidden, are as those of what is not there. */
export function refusedMoves(around: Around, isDenied: (entry: Entry) => boolean): readonly Cell[] {
  const move = mover(around);
  const { visible, hidden } = around.sight;
  return contained.flatMap((type) => {
    const parents = containedBy[type]?.parent;
    const seen = visible.entries.find((each) => each.type === type && isPlain(each, around));
    const target = visible.entries.find((each) => each.type === parents && isPlain(each, around) && each !== seen?.parent);
    const denied = visible.entries.find((each) => each.type === type && isPlain(each, around) && isDenied(each));
    const elsewhere = hidden.entries.find((each) => each.type === parents && each !== seen?.parent && each.id % 1000 !== 777);
    const unseen = hidden.entries.find((each) => each.type === type && each.id % 1000 !== 777);
    const made: Made[] = [];
    if (seen !== undefined && elsewhere !== undefined)
      made.push({
        path: 'move to a hidden parent',
        status: [422],
        ...likeMissing(elsewhere.id, (id) => asks(move(type, placeOf(seen), pathWith(elsewhere, id)))),
      });
    if (unseen !== undefined && target !== undefined)
      for (const place of placesOf(unseen)) {
        const obstacle = place === placeOf(unseen) ? (hiddenIn(unseen, around.sight) ?? unseen) : unseen;
        const at = (id: number | string) => (place === placeOf(unseen) ? placeWith(unseen, obstacle, id) : `${type}/${id}`);
        made.push({
          path: 'move of what is hidden',
          status: [404],
          ...likeMissing(obstacle.id, (id) => asks(move(type, at(id), pathOf(target)))),
        });
      }
    if (denied !== undefined && target !== undefined && denied.parent !== target)
      made.push({ path: 'denied move', status: [403], run: asks(move(type, placeOf(denied), pathOf(target))) });
    return made.map((each) => ({ ...each, surface: around.surface.name, entity: type }));
  });
}

/** There and back: what is hidden below it goes along, and is not told of. */
export function movesOf(writing: Writing): readonly Cell[] {
  const move = mover(writing);
  const { visible } = writing.sight;
  return contained.flatMap((type) => {
    const by = containedBy[type];
    const parents = visible.entries.filter((each) => each.type === by?.parent && isPlain(each, writing));
    const entry = visible.entries.find((each) => each.type === type && isPlain(each, writing));
    const target = parents.find((each) => each !== entry?.parent);
    if (entry?.parent === undefined || target === undefined || by === undefined) return [];
    const there = `${placeOf(target)}/${by.relationship}/${type}/${entry.id}`;
    const run = asks(move(type, placeOf(entry), pathOf(target)), move(type, there, pathOf(entry.parent)));
    const status = writing.creates ? [200] : [403, 404];
    return [{ path: 'move of own, there and back', entity: type, surface: writing.surface.name, status, run }];
  });
}
