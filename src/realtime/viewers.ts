// Who of many users may see which of the rows that changed: asked for all of them together, so that nobody is asked about alone for nothing.

import { type Caller, rolesOf, userOf } from '../engine/caller.ts';
import { mapAwaitable } from '../engine/context.ts';
import type { Watch } from '../engine/watch/watch.ts';
import type { JoinQuery } from '../plan/query/shape.ts';
import type { Awaitable, Row } from '../store/store.ts';

/** Somebody who watches, with what tells those apart who are told something else: made once, as it is asked for with every batch. */
export interface Viewer {
  readonly watch: Watch;
  readonly caller: Caller;
  /** The same for all who are told the same of the same selection. */
  readonly key: string;
  /** The same for all who may see rows for the same reasons; absent where they cannot be asked about together. */
  readonly group: string | undefined;
}

export function viewerOf(watch: Watch, caller: Caller): Viewer {
  const roles = [...rolesOf(caller)].sort();
  return {
    watch,
    caller,
    key: watch.isShared ? '' : JSON.stringify([userOf(caller) ?? null, roles, watch.changedValues], writeValue),
    group: watch.viewers === undefined || userOf(caller) === undefined ? undefined : JSON.stringify([watch.viewersKey, roles]),
  };
}

function writeValue(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}

/** Reads which users, numbered in this order, may see which of the changed rows, numbered in theirs. */
export type ReadViewers = (join: JoinQuery, users: readonly string[]) => Awaitable<readonly Row[]>;

/** Rows times users that one statement looks at: others wait for it. */
const mostPairs = 1000;
/** Fewer are asked about alone. */
const fewestUsers = 3;

interface Group {
  /** The users that nobody has asked about yet. */
  readonly left: Set<string>;
  /** Of the others, the numbers of the rows that they may see. */
  readonly visible: Map<string, Set<number>>;
}

export class Viewers {
  readonly #groups = new Map<string, Group>();

  constructor(all: readonly Viewer[]) {
    for (const { caller, group } of all) {
      const user = userOf(caller);
      if (user === undefined || group === undefined) continue;
      const known = this.#groups.get(group);
      if (known === undefined) this.#groups.set(group, { left: new Set([user]), visible: new Map() });
      else known.left.add(user);
    }
  }

  /** The numbers of those of so many rows that somebody may see; nothing where they are to be asked about alone. */
  visibleRows({ watch, caller, group }: Viewer, rows: number, read: ReadViewers): Awaitable<ReadonlySet<number> | undefined> {
    const [user, known] = [userOf(caller), group === undefined ? undefined : this.#groups.get(group)];
    if (user === undefined || known === undefined || watch.viewers === undefined) return undefined;
    const { left, visible } = known;
    if (!left.has(user)) return visible.get(user) ?? new Set();
    const others = [...left].filter((each) => each !== user).slice(0, Math.floor(mostPairs / Math.max(rows, 1)));
    const users = [user, ...others];
    if (users.length < fewestUsers) return undefined;
    return mapAwaitable(read(watch.viewers, users), (found) => {
      for (const each of users) left.delete(each);
      for (const { json } of found) {
        const pair: { readonly row: number; readonly user: number } = JSON.parse(json);
        const its = visible.get(users[pair.user] ?? '');
        if (its === undefined) visible.set(users[pair.user] ?? '', new Set([pair.row]));
        else its.add(pair.row);
      }
      return visible.get(user) ?? new Set();
    });
  }
}
