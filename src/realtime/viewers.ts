// Who of many users may see any of the rows that changed: asked for all of them together, so that nobody is asked about alone for nothing.

import { type Caller, rolesOf, userOf } from '../engine/caller.ts';
import { mapAwaitable } from '../engine/context.ts';
import type { Watch } from '../engine/watch/watch.ts';
import type { Select } from '../plan/query/shape.ts';
import type { Awaitable, Row } from '../store/store.ts';

export interface Viewer {
  readonly watch: Watch;
  readonly caller: Caller;
}

/** Reads users, numbered in this order, who may see some of the changed rows. */
export type ReadViewers = (select: Select, users: readonly string[]) => Awaitable<readonly Row[]>;

/** Rows times users that one statement looks at: others wait for it. */
const mostPairs = 1000;
/** Fewer are asked about alone. */
const fewestUsers = 3;

export class Viewers {
  /** By what is asked, in which roles: the users that nobody has asked about yet. */
  readonly #groups = new Map<string, { readonly left: Set<string>; readonly seeing: Set<string> }>();

  constructor(all: readonly Viewer[]) {
    for (const { watch, caller } of all) {
      const user = userOf(caller);
      const key = keyOf(watch, caller);
      if (user === undefined || key === undefined) continue;
      const group = this.#groups.get(key) ?? { left: new Set(), seeing: new Set() };
      this.#groups.set(key, group);
      group.left.add(user);
    }
  }

  /** False where the caller can see none of so many rows. */
  maySee(watch: Watch, caller: Caller, rows: number, read: ReadViewers): Awaitable<boolean> {
    const [user, key] = [userOf(caller), keyOf(watch, caller)];
    const group = key === undefined ? undefined : this.#groups.get(key);
    if (user === undefined || group === undefined || watch.viewers === undefined) return true;
    const { left, seeing } = group;
    if (!left.has(user)) return seeing.has(user);
    const others = [...left].filter((each) => each !== user).slice(0, Math.floor(mostPairs / Math.max(rows, 1)));
    const users = [user, ...others];
    if (users.length < fewestUsers) return true;
    return mapAwaitable(read(watch.viewers, users), (found) => {
      for (const each of users) left.delete(each);
      for (const { columns } of found) seeing.add(users[Number(columns[0])] ?? '');
      return seeing.has(user);
    });
  }
}

function keyOf({ viewersKey, viewers }: Watch, caller: Caller): string | undefined {
  return viewers === undefined ? undefined : JSON.stringify([viewersKey, [...rolesOf(caller)].sort()]);
}
