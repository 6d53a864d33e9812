// Which mutations a run tries: drawn by a seed, from all rooms, not two in one file.

import type { Random } from '../applications/random.ts';
import type { Mutation } from './operators.ts';

export type Rooms = ReadonlyMap<string, readonly Mutation[]>;

/** Folders directly below `src`; the files beside them are one room. */
export function roomOf(file: string): string {
  const [, room = '', ...rest] = file.split('/');
  return rest.length === 0 ? 'base' : room;
}

export function byRoom(mutations: readonly Mutation[]): Rooms {
  return grouped(mutations, ({ file }) => roomOf(file));
}

/** How many of each room: two where there are that many to give, and more for the larger ones. */
export function quotas(rooms: Rooms, count: number, random: Random): ReadonlyMap<string, number> {
  const each = Math.min(2, Math.floor(count / rooms.size));
  const taken = new Map([...rooms.keys()].map((room) => [room, each]));
  const weights = [...rooms].map(([room, { length }]) => [Math.sqrt(length), room] as const);
  for (let left = count - each * rooms.size; left > 0; left -= 1) {
    const open = each > 0 ? weights : weights.filter(([, room]) => taken.get(room) === 0);
    const room = random.weighted(open);
    taken.set(room, (taken.get(room) ?? 0) + 1);
  }
  return taken;
}

/** One of each file at most, in the order in which they are tried: each operator is as likely as the others, however often it could be applied. */
export function drawn(mutations: readonly Mutation[], random: Random): readonly Mutation[] {
  const left = grouped(mutations, ({ operator }) => operator);
  const files = new Set<string>();
  const result: Mutation[] = [];
  while (left.size > 0) {
    const operator = random.pick([...left.keys()]);
    const open = (left.get(operator) ?? []).filter(({ file }) => !files.has(file));
    if (open.length === 0) {
      left.delete(operator);
      continue;
    }
    const found = random.pick(open);
    files.add(found.file);
    result.push(found);
    left.set(operator, open);
  }
  return result;
}

function grouped<K, T>(all: readonly T[], keyOf: (each: T) => K): Map<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const each of all) {
    const group = groups.get(keyOf(each));
    if (group === undefined) groups.set(keyOf(each), [each]);
    else group.push(each);
  }
  return new Map(groups);
}
