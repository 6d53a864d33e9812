// Which changes may decide for a caller which rows are watched: those of the tables that rights are looked up in, and of owners and grants only the caller's.

import { type Caller, userOf } from '../engine/caller.ts';
import { mapAwaitable } from '../engine/context.ts';
import type { VisibilityTable, Watch } from '../engine/watch/watch.ts';
import { everything } from '../plan/query/condition.ts';
import type { Select } from '../plan/query/shape.ts';
import { targetColumn } from '../plan/rows/assignments.ts';
import type { Table } from '../plan/rows/table.ts';
import { byPlace, type Change, type Place } from '../store/changes/change.ts';
import { imageTable } from '../store/changes/images.ts';
import { numberColumn } from '../store/sql/supplied-rows.ts';
import type { Awaitable, Row } from '../store/store.ts';
import { memoized } from './memoized.ts';
import type { Assigned, Identities, ReadCache } from './read-cache.ts';

export interface NumberedChange {
  readonly change: Change;
  /** Among all changes, those behind the batch included. */
  readonly index: number;
}

/** A change that may decide for a caller which rows are watched. */
export interface VisibilityChange extends NumberedChange {
  /** The instances that it is about; absent where it may be about any. */
  readonly targets: readonly string[] | undefined;
}

/** What changes of rights and of what filters ask for decide in a batch. */
export interface VisibilityEffects {
  /** Whether rows may have come to be watched, or not to be any more, which have not changed themselves. */
  readonly affectsOthers: boolean;
  /** The last of them that decides about a row which another transaction has changed: nobody who has not passed it was told what is watched before it. */
  readonly until: Place | undefined;
}

export const noEffects: VisibilityEffects = { affectsOthers: false, until: undefined };

interface AssignedChange extends NumberedChange {
  readonly assigned: readonly Assigned[];
}

type ReadImages = (select: Select, images: readonly string[], table: Table, caller: Caller) => Awaitable<readonly Row[]>;

const none: readonly never[] = [];

export class VisibilityChanges {
  readonly #bySource: ReadonlyMap<string, readonly NumberedChange[]>;
  readonly #cache: ReadCache;
  readonly #read: ReadImages;
  readonly #byAssignee = new Map<string, Awaitable<ReadonlyMap<string, readonly AssignedChange[]>>>();

  constructor(bySource: ReadonlyMap<string, readonly NumberedChange[]>, cache: ReadCache, read: ReadImages) {
    this.#bySource = bySource;
    this.#cache = cache;
    this.#read = read;
  }

  /** In their order. */
  of(watch: Watch, caller: Caller): Awaitable<readonly VisibilityChange[]> {
    let found: Awaitable<readonly VisibilityChange[]> = none;
    for (const source of watch.visibilityTables) {
      if (!this.#bySource.has(source.table.name)) continue;
      found = mapAwaitable(found, (before) =>
        mapAwaitable(this.#ofTable(source, caller), (own) =>
          own.length === 0 ? before : [...before, ...own].sort((one, other) => one.index - other.index),
        ),
      );
    }
    return found;
  }

  #ofTable({ table, resources }: VisibilityTable, caller: Caller): Awaitable<readonly VisibilityChange[]> {
    if (resources === undefined) return (this.#bySource.get(table.name) ?? []).map((each) => ({ ...each, targets: undefined }));
    const user = userOf(caller);
    if (user === undefined) return none;
    return mapAwaitable(this.#assignments(table, caller), (all) =>
      (all.get(user) ?? none).flatMap(({ change, index, assigned }) => {
        const about = assigned.filter(({ resource }) => resources.has(resource));
        return about.length === 0 ? [] : [{ change, index, targets: about.map(({ target }) => target) }];
      }),
    );
  }

  /** The changed assignments of a table, by whom they are for. */
  #assignments(table: Table, caller: Caller): Awaitable<ReadonlyMap<string, readonly AssignedChange[]>> {
    const known = this.#byAssignee.get(table.name);
    if (known !== undefined) return known;
    const all = this.#bySource.get(table.name) ?? [];
    const unread = all.flatMap(({ change }) => (this.#cache.assigned.has(change) ? [] : [change]));
    const images = unread.flatMap((change) =>
      [change.before, change.after].flatMap((image) => (image === undefined ? [] : [{ change, image }])),
    );
    const texts = images.map(({ image }) => image);
    const read = texts.length === 0 ? [] : this.#read(assignedIn(table), texts, table, caller);
    const made = mapAwaitable(read, (rows) => {
      const found = new Map<Change, Assigned[]>(unread.map((change) => [change, []]));
      for (const [index, { change }] of images.entries()) {
        const [target, assignee, resource] = rows[index]?.columns ?? [];
        found.get(change)?.push({ target: String(target), assignee: String(assignee), resource: String(resource) });
      }
      for (const [change, assigned] of found) this.#cache.assigned.set(change, assigned);
      return byAssignee(all, this.#cache);
    });
    return memoized(this.#byAssignee, table.name, made);
  }
}

function byAssignee(all: readonly NumberedChange[], cache: ReadCache): ReadonlyMap<string, readonly AssignedChange[]> {
  const found = new Map<string, AssignedChange[]>();
  for (const { change, index } of all) {
    const assigned = cache.assigned.get(change) ?? [];
    for (const assignee of new Set(assigned.map((each) => each.assignee))) {
      const its = found.get(assignee) ?? [];
      found.set(assignee, its);
      its.push({ change, index, assigned: assigned.filter((each) => each.assignee === assignee) });
    }
  }
  return found;
}

const assignedSelects = new WeakMap<Table, Select>();

function assignedIn(source: Table): Select {
  const known = assignedSelects.get(source);
  if (known !== undefined) return known;
  const order = [{ column: numberColumn, descending: false }];
  const output = { fields: [], columns: [targetColumn, 'assignee', 'resource'] };
  const table = imageTable(source);
  const made: Select = { kind: 'select', table, output, where: everything, order, limit: false, offset: false };
  assignedSelects.set(source, made);
  return made;
}

/** By what names them for assignments, the ends of the transactions that changed rows. */
export function changedAt(own: readonly (Identities & { readonly change: Change })[]): ReadonlyMap<string, ReadonlySet<Place>> {
  const places = new Map<string, Set<Place>>();
  for (const { change, before, after } of own)
    for (const row of [before, after]) {
      if (row === undefined) continue;
      const its = places.get(row.target) ?? new Set();
      its.add(change.place);
      places.set(row.target, its);
    }
  return places;
}

/** A row after a change, by the number of the change. */
export interface NumberedImage {
  readonly image: string;
  readonly number: number;
}

/** Images, and the visibility changes that are made only behind the state that decides about them. */
export interface ImagesInState {
  readonly notYetApplied: readonly Change[];
  readonly images: readonly NumberedImage[];
}

interface Deciding {
  /** Those of the batch, and all that lie behind it. */
  readonly changes: readonly Change[];
  /** How many of them are of the batch. */
  readonly told: number;
  /** What names the row after a change, where each visibility change concerns one of these rows alone. */
  readonly target: ((change: Change) => string) | undefined;
}

/**
 * Images of the batch by the state that decides about them: the stored one, without the visibility changes that come behind the batch, or behind the next change of the
 * same row, in the order of the log. Transactions that overlap may have been committed in another order than they are logged in, which is not known: the image also has
 * to be visible in the state that the next change of the row was made in, by the order of statements, or in the stored one where there is no such change. Where that
 * state is another one, the image is among the `doubts`.
 */
export function imagesByState(
  own: readonly NumberedChange[],
  visibilityChanges: readonly VisibilityChange[],
  { changes, told, target }: Deciding,
): { readonly states: readonly ImagesInState[]; readonly doubts: readonly ImagesInState[] } {
  const starts = transactionStarts(changes);
  const [states, doubts] = [new StateGroups(), new StateGroups()];
  const next = new Map<string, Next>();
  /** Of the transaction that is looked at: a row of it may have got the key of another one. */
  let left: (Next & { readonly key: string })[] = [];
  for (const [number, { change, index }] of [...own.entries()].reverse()) {
    const start = starts[index] ?? index;
    if (left[0]?.start !== start) {
      for (const each of left) next.set(each.key, each);
      left = [];
    }
    const behind = next.get(change.keyAfter ?? '');
    if (change.keyBefore !== undefined) left.push({ key: change.keyBefore, start, seq: change.seq });
    if (change.after === undefined || index >= told) continue;
    const image = { image: change.after, number };
    const its = target?.(change);
    const about = its === undefined ? visibilityChanges : visibilityChanges.filter(({ targets }) => targets?.[0] === its);
    const until = Math.min(behind?.start ?? told, told);
    const logged = about.filter((each) => each.index >= until);
    const executed = behind === undefined ? [] : about.filter((each) => each.change.seq > behind.seq);
    states.add(String(logged.length), logged, image);
    if (executed.length !== logged.length || executed.some((each) => each.index < until))
      doubts.add(target === undefined ? executed.map((each) => each.index).join() : String(executed.length), executed, image);
  }
  return { states: states.all(), doubts: doubts.all() };
}

/** The next change of a row: where its transaction begins in the batch, and the sequence number of its statement. */
interface Next {
  readonly start: number;
  readonly seq: number;
}

/** Images whose states lack the same visibility changes, or as many where each of those concerns one row alone. */
class StateGroups {
  readonly #groups = new Map<string, { readonly notYetApplied: Set<VisibilityChange>; readonly images: NumberedImage[] }>();

  /** From the last image to the first. */
  add(key: string, notYetApplied: readonly VisibilityChange[], image: NumberedImage): void {
    const group = this.#groups.get(key) ?? { notYetApplied: new Set(), images: [] };
    this.#groups.set(key, group);
    for (const each of notYetApplied) group.notYetApplied.add(each);
    group.images.unshift(image);
  }

  all(): readonly ImagesInState[] {
    return [...this.#groups.values()].map(({ notYetApplied, images }) => ({
      notYetApplied: [...notYetApplied].sort((one, other) => one.index - other.index).map(({ change }) => change),
      images,
    }));
  }
}

/** By the index of a change, that of the first one of its transaction. */
function transactionStarts(changes: readonly Change[]): readonly number[] {
  const starts: number[] = [];
  for (const transaction of byPlace(changes)) starts.push(...transaction.map(() => starts.length));
  return starts;
}
