// Changes that are told together: what of them concerns a stream is read once for all streams that ask the same, from one state of the store.

import { type Caller, userOf } from '../engine/caller.ts';
import { mapAwaitable } from '../engine/context.ts';
import type { Engine } from '../engine/engine.ts';
import type { Watch } from '../engine/watch/watch.ts';
import { everything } from '../plan/query/condition.ts';
import type { Select } from '../plan/query/shape.ts';
import { targetColumn } from '../plan/rows/assignments.ts';
import { keyName, keyPrefix } from '../plan/rows/keys.ts';
import type { Table } from '../plan/rows/table.ts';
import { type Change, imagesText, imageTable, type Place, usersTable } from '../store/changes/changes.ts';
import { numberColumn } from '../store/sql/supplied-rows.ts';
import type { Awaitable, Reader, Row } from '../store/store.ts';
import type { RowSupplier } from '../store/supplied-store.ts';
import type { Value } from '../values/value.ts';
import { overlaid, supplierOf, textsBefore } from './rows.ts';
import { type Viewer, Viewers } from './viewers.ts';

/** A row before and after a change: its key, and what names it. */
export interface NamedChange {
  readonly change: Change;
  readonly number: number;
  /** Up to here nothing else of the type has changed: who owns a new row is written down behind it. */
  readonly until: Place;
  readonly before: NamedRow | undefined;
  readonly after: NamedRow | undefined;
}

export interface NamedRow {
  readonly key: string;
  readonly value: Value;
  readonly json: string;
  /** What assignments of it are about, with everything below it. */
  readonly target: string;
}

/** A change that may decide for a caller which rows are watched. */
interface Deciding {
  /** Among all changes, those behind the batch included. */
  readonly index: number;
  readonly change: Change;
  /** The instances that it is about; absent where it may be about any. */
  readonly targets: readonly string[] | undefined;
}

interface Assigned {
  readonly target: string;
  readonly assignee: string;
  readonly resource: string;
}

interface OwnChange {
  readonly change: Change;
  readonly index: number;
}

/** A row after a change, by the number of the change. */
interface NumberedImage {
  readonly image: string;
  readonly number: number;
}

export interface BatchParts {
  readonly engine: Engine;
  /** Sees one state, in which all of these changes are made. */
  readonly reader: Reader;
  /** Everybody who is going to be told of it, where those are many. */
  readonly viewers?: readonly Viewer[];
}

export class Batch {
  readonly changes: readonly Change[];
  readonly #all: readonly Change[];
  readonly #parts: BatchParts;
  readonly #viewers: Viewers;
  readonly #bySource = new Map<string, OwnChange[]>();
  readonly #ownOf = new Map<string, readonly OwnChange[]>();
  readonly #named = new Map<Select, Awaitable<readonly NamedChange[]>>();
  readonly #shared = new Map<Select, Map<string, Awaitable<ReadonlyMap<number, string>>>>();
  readonly #shown = new Map<Select, Awaitable<ReadonlyMap<number, Row>>>();
  readonly #assigned = new Map<string, Awaitable<ReadonlyMap<Change, readonly Assigned[]>>>();
  readonly #deciding = new Map<string, Awaitable<readonly Deciding[]>>();

  /** `later` are changes that are made in the state which is read, and are told with another batch. */
  constructor(changes: readonly Change[], later: readonly Change[], parts: BatchParts) {
    this.changes = changes;
    this.#all = [...changes, ...later];
    this.#parts = parts;
    this.#viewers = new Viewers(parts.viewers ?? []);
    for (const [index, change] of this.#all.entries()) {
      const known = this.#bySource.get(change.source);
      if (known === undefined) this.#bySource.set(change.source, [{ change, index }]);
      else known.push({ change, index });
    }
  }

  get end(): Place | undefined {
    return this.changes.at(-1)?.place;
  }

  touches(sources: readonly Table[]): boolean {
    return sources.some(({ name }) => (this.#bySource.get(name)?.[0]?.index ?? this.changes.length) < this.changes.length);
  }

  /** The changes of rows of a type, with what names those rows. */
  named(watch: Watch, caller: Caller): Awaitable<readonly NamedChange[]> {
    const known = this.#named.get(watch.named);
    if (known !== undefined) return known;
    const own = this.#own(watch);
    const images = own.flatMap(({ change: { before, after } }) => [before, after].filter((each) => each !== undefined));
    const rows = this.#readImages(watch.named, [], images, watch.plan.table, caller, new Map());
    return memoized(
      this.#named,
      watch.named,
      mapAwaitable(rows, (found) => inPairs(own, this.changes, found, watch)),
    );
  }

  /**
   * By the number of the change: the instances that are among the watched ones after it. That is decided by the state in which the next change of the
   * same row finds them, and by that at the end where there is none: whatever is shown could be read as it is shown.
   */
  visible(viewer: Viewer): Awaitable<ReadonlyMap<number, string>> {
    const { watch, caller, key } = viewer;
    const asked = this.#shared.get(watch.changed) ?? new Map<string, Awaitable<ReadonlyMap<number, string>>>();
    this.#shared.set(watch.changed, asked);
    const known = asked.get(key);
    if (known !== undefined) return known;
    return memoized(
      asked,
      key,
      mapAwaitable(this.#decidingFor(watch, caller), (deciding) => this.#visibleIn(viewer, deciding)),
    );
  }

  #visibleIn(viewer: Viewer, deciding: readonly Deciding[]): Awaitable<ReadonlyMap<number, string>> {
    const { watch } = viewer;
    const next = new Map<string, number>();
    /** By the number of deciding changes that are made in the state which decides. */
    const groups = new Map<number, NumberedImage[]>();
    for (const [number, { change, index }] of [...this.#own(watch).entries()].reverse()) {
      const until = next.get(change.keyAfter ?? '') ?? this.changes.length;
      if (change.keyBefore !== undefined) next.set(change.keyBefore, index);
      if (change.after === undefined) continue;
      const made = deciding.filter((each) => each.index < until).length;
      const group = groups.get(made) ?? [];
      groups.set(made, group);
      group.unshift({ image: change.after, number });
    }
    const found = new Map<number, string>();
    let work: Awaitable<unknown>;
    for (const [made, group] of groups) {
      const undone = deciding.slice(made).map(({ change }) => change);
      work = mapAwaitable(work, () =>
        undone.length === 0 ? this.#addNow(viewer, group, found) : this.#addAlone(viewer, group, textsBefore(watch.sources, undone), found),
      );
    }
    return mapAwaitable(work, () => found);
  }

  /** Those that a viewer may see in the state that is stored, which is asked for many of them together. */
  #addNow(viewer: Viewer, group: readonly NumberedImage[], found: Map<number, string>): Awaitable<void> {
    const { watch, caller } = viewer;
    return mapAwaitable(this.#visibleRows(viewer), (visible) => {
      const rows = visible === undefined ? group : group.filter(({ number }) => visible.has(number));
      const { shown } = watch;
      if (visible === undefined || shown === undefined) return this.#addAlone(viewer, rows, new Map(), found);
      if (rows.length === 0) return undefined;
      return mapAwaitable(this.#shownRows(watch, shown.select, caller), (all) => {
        for (const { number } of rows) {
          const row = all.get(number);
          const isWanted = shown.wanted.every(
            (value, at) => String(row?.columns[at + 1] ?? null) === value && row?.columns[at + 1] !== null,
          );
          if (row !== undefined && isWanted) found.set(number, row.json);
        }
      });
    });
  }

  #addAlone(
    { watch, caller }: Viewer,
    rows: readonly NumberedImage[],
    texts: ReadonlyMap<string, string>,
    found: Map<number, string>,
  ): Awaitable<void> {
    const images = rows.map(({ image }) => image);
    return mapAwaitable(this.#readImages(watch.changed, watch.changedValues, images, watch.plan.table, caller, texts), (all) => {
      for (const { json, columns } of all) found.set(rows[Number(columns[0])]?.number ?? -1, json);
    });
  }

  /** The numbers of the changes whose rows a viewer may see; nothing where that is to be asked about them alone. */
  #visibleRows(viewer: Viewer): Awaitable<ReadonlySet<number> | undefined> {
    const { watch, caller } = viewer;
    return this.#viewers.visibleRows(viewer, this.#own(watch).length, (join, users) => {
      const images = this.#images(watch);
      const supplied = new Map([
        [usersTable.name, JSON.stringify(users.map((user, index) => [user, index]))],
        [imageTable(watch.plan.table).name, numbered(images)],
      ]);
      return images.length === 0 ? [] : this.#read(caller, supplierOf(supplied), (reader) => reader.report(join, []));
    });
  }

  /** Rows after the changes as everybody is shown them, by the number of the change. */
  #shownRows(watch: Watch, select: Select, caller: Caller): Awaitable<ReadonlyMap<number, Row>> {
    const known = this.#shown.get(select);
    if (known !== undefined) return known;
    const supplied = new Map([[imageTable(watch.plan.table).name, numbered(this.#images(watch))]]);
    const rows = this.#read(caller, supplierOf(supplied), (reader) => reader.rows(select, []));
    return memoized(
      this.#shown,
      select,
      mapAwaitable(rows, (all) => new Map(all.map((row) => [Number(row.columns[0]), row]))),
    );
  }

  #images(watch: Watch): readonly NumberedImage[] {
    return this.#own(watch).flatMap(({ change: { after } }, number) => (after === undefined ? [] : [{ image: after, number }]));
  }

  /** Whether rows may have come to be watched, or not to be any more, which have not changed themselves. */
  decides(watch: Watch, own: readonly NamedChange[], caller: Caller): Awaitable<boolean> {
    return mapAwaitable(this.#decidingFor(watch, caller), (all) => {
      const deciding = all.filter(({ index }) => index < this.changes.length);
      if (deciding.length === 0) return false;
      const targets = new Set(own.flatMap(({ before, after }) => [before?.target, after?.target]));
      return deciding.some((each) => each.targets?.every((target) => targets.has(target)) !== true);
    });
  }

  /** Reads as a caller at the end of the batch. */
  atEnd<T>(watch: Watch, caller: Caller, work: (reader: Reader, at: (select: Select) => Select) => Promise<T>): Awaitable<T> {
    const texts = textsBefore(watch.sources, this.#all.slice(this.changes.length));
    return this.#read(caller, supplierOf(texts), (reader) => work(reader, (select) => (texts.size === 0 ? select : overlaid(select))));
  }

  /** Changes of the watched table in the batch, without those that changed nothing. */
  #own({ plan: { table } }: Watch): readonly OwnChange[] {
    const known = this.#ownOf.get(table.name);
    if (known !== undefined) return known;
    const all = this.#bySource.get(table.name) ?? [];
    const own = all.filter(({ change: { before, after }, index }) => before !== after && index < this.changes.length);
    this.#ownOf.set(table.name, own);
    return own;
  }

  #decidingFor(watch: Watch, caller: Caller): Awaitable<readonly Deciding[]> {
    const sources = watch.deciding.filter(({ table }) => this.#bySource.has(table.name));
    if (sources.length === 0) return [];
    const key = `${userOf(caller) ?? ''} ${sources.map(({ table, resources }) => `${table.name} ${[...(resources ?? [])].join()}`).join(' ')}`;
    const known = this.#deciding.get(key);
    if (known !== undefined) return known;
    let found: Awaitable<readonly Deciding[]> = [];
    for (const { table, resources } of sources) {
      found = mapAwaitable(found, (before) =>
        mapAwaitable(resources === undefined ? undefined : this.#assignments(table, caller), (assigned) => [
          ...before,
          ...(this.#bySource.get(table.name) ?? []).flatMap(({ change, index }) => {
            const about = assigned?.get(change)?.filter((each) => each.assignee === userOf(caller) && resources?.has(each.resource));
            return about?.length === 0 ? [] : [{ change, index, targets: about?.map(({ target }) => target) }];
          }),
        ]),
      );
    }
    return memoized(
      this.#deciding,
      key,
      mapAwaitable(found, (all) => all.toSorted((one, other) => one.index - other.index)),
    );
  }

  /** Whom the changed assignments of a table are for, and what they are about. */
  #assignments(table: Table, caller: Caller): Awaitable<ReadonlyMap<Change, readonly Assigned[]>> {
    const known = this.#assigned.get(table.name);
    if (known !== undefined) return known;
    const images = (this.#bySource.get(table.name) ?? []).flatMap(({ change }) =>
      [change.before, change.after].flatMap((image) => (image === undefined ? [] : [{ change, image }])),
    );
    const texts = images.map(({ image }) => image);
    const made = mapAwaitable(this.#readImages(assignedIn(table), [], texts, table, caller, new Map()), (rows) => {
      const found = new Map<Change, Assigned[]>();
      for (const [index, { change }] of images.entries()) {
        const [target, assignee, resource] = rows[index]?.columns ?? [];
        found.set(change, [
          ...(found.get(change) ?? []),
          { target: String(target), assignee: String(assignee), resource: String(resource) },
        ]);
      }
      return found;
    });
    return memoized(this.#assigned, table.name, made);
  }

  /** Selects from images of a table, in a state of other tables that lies before some changes. */
  #readImages(
    select: Select,
    values: readonly Value[],
    images: readonly string[],
    table: Table,
    caller: Caller,
    texts: ReadonlyMap<string, string>,
  ): Awaitable<readonly Row[]> {
    if (images.length === 0) return [];
    const all = new Map(texts).set(
      imageTable(table).name,
      imagesText(images, (index) => index),
    );
    return this.#read(caller, supplierOf(all), (reader) => reader.rows(texts.size > 0 ? overlaid(select) : select, values));
  }

  #read<T>(caller: Caller, supplier: RowSupplier, work: (reader: Reader) => Awaitable<T>): Awaitable<T> {
    const { engine, reader } = this.#parts;
    return engine.reading(caller, supplier, ({ store }) => store.read(work), reader);
  }
}

/** Whoever asks for it when it is there does not wait for it. Where it fails, whoever waits is told. */
function memoized<K, V>(all: Map<K, Awaitable<V>>, key: K, made: Awaitable<V>): Awaitable<V> {
  all.set(key, made);
  if (made instanceof Promise)
    made.then(
      (value) => all.set(key, value),
      () => undefined,
    );
  return made;
}

function numbered(images: readonly NumberedImage[]): string {
  return imagesText(
    images.map(({ image }) => image),
    (index) => images[index]?.number ?? -1,
  );
}

function inPairs(own: readonly OwnChange[], all: readonly Change[], rows: readonly Row[], { plan }: Watch): readonly NamedChange[] {
  let next = 0;
  const subject = {
    type: (plan.kind === 'entity' ? plan.entity.system?.stored : undefined) ?? plan.type,
    contained: plan.kind === 'entity' && plan.contained,
    form: plan.kind === 'entity' ? plan.form : ('plain' as const),
  };
  const named = (image: string | undefined): NamedRow | undefined => {
    if (image === undefined) return undefined;
    const row = rows[next];
    next += 1;
    const key = row?.columns[1] ?? null;
    return { key: keyName(key), value: key, json: row?.json ?? '{}', target: keyPrefix(subject, key) };
  };
  return own.map(({ change }, number) => {
    const until = all[(own[number + 1]?.index ?? all.length) - 1]?.place ?? change.place;
    return { change, number, until, before: named(change.before), after: named(change.after) };
  });
}

function assignedIn(source: Table): Select {
  const order = [{ column: numberColumn, descending: false }];
  const output = { fields: [], columns: [targetColumn, 'assignee', 'resource'] };
  return { kind: 'select', table: imageTable(source), output, where: everything, order, limit: false, offset: false };
}
