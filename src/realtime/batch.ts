// Changes that are told together: what of them concerns a stream is read once for all streams that ask the same, from one state of the store.

import type { Caller } from '../engine/caller.ts';
import { mapAwaitable } from '../engine/context.ts';
import type { Engine } from '../engine/engine.ts';
import type { Watch } from '../engine/watch/watch.ts';
import type { Select } from '../plan/query/shape.ts';
import { keyName, keyPrefix } from '../plan/rows/keys.ts';
import type { Table } from '../plan/rows/table.ts';
import type { Change, Place } from '../store/changes/change.ts';
import { imagesText, imageTable, usersTable } from '../store/changes/images.ts';
import type { Awaitable, Reader, Row } from '../store/store.ts';
import type { RowSupplier } from '../store/supplied-store.ts';
import type { Value } from '../values/value.ts';
import { memoized } from './memoized.ts';
import type { Identities, ReadCache, RowIdentity } from './read-cache.ts';
import { overlaid, supplierOf, textsBefore } from './rows.ts';
import { type Viewer, Viewers } from './viewers.ts';
import {
  changedAt,
  type ImagesInState,
  imagesByState,
  type NumberedChange,
  type NumberedImage,
  noEffects,
  type VisibilityChange,
  VisibilityChanges,
  type VisibilityEffects,
} from './visibility.ts';

/** A row before and after a change: its key, and what names it. */
export interface IdentifiedChange extends Identities {
  readonly change: Change;
  readonly number: number;
}

export interface BatchParts {
  readonly engine: Engine;
  /** Sees one state, in which all of these changes are made. */
  readonly reader: Reader;
  readonly cache: ReadCache;
  /** Each statement is one piece of work. */
  /** Everybody who is going to be told of it, where those are many. */
  readonly viewers?: readonly Viewer[];
}

/** Images that one statement looks at: others wait for it. */
const mostImages = 500;

export class Batch {
  readonly changes: readonly Change[];
  /** Whether all that lies behind the changes, and is stored already, is known. */
  readonly knowsLater: boolean;
  readonly #all: readonly Change[];
  readonly #parts: BatchParts;
  readonly #viewers: Viewers;
  readonly #bySource = new Map<string, NumberedChange[]>();
  readonly #ownOf = new Map<string, readonly NumberedChange[]>();
  readonly #identified = new Map<Select, Awaitable<readonly IdentifiedChange[]>>();
  readonly #targets = new Map<Select, ReadonlySet<string | undefined>>();
  readonly #shared = new Map<Select, Map<string, Awaitable<ReadonlyMap<number, string>>>>();
  readonly #unchanged = new Map<Select, Map<string, Awaitable<ReadonlySet<number>>>>();
  readonly #rendered = new Map<Select, Awaitable<ReadonlyMap<number, Row>>>();
  readonly #imagesOf = new Map<string, readonly NumberedImage[]>();
  readonly #visibility: VisibilityChanges;

  /** `later` are changes that are made in the state which is read, and are told with another batch; absent where they are too many. */
  constructor(changes: readonly Change[], later: readonly Change[] | undefined, parts: BatchParts) {
    this.changes = changes;
    this.knowsLater = later !== undefined;
    this.#all = [...changes, ...(later ?? [])];
    this.#parts = parts;
    this.#viewers = new Viewers(parts.viewers ?? []);
    for (const [index, change] of this.#all.entries()) {
      const known = this.#bySource.get(change.source);
      if (known === undefined) this.#bySource.set(change.source, [{ change, index }]);
      else known.push({ change, index });
    }
    this.#visibility = new VisibilityChanges(this.#bySource, parts.cache, (select, images, table, caller) =>
      this.#readImages(select, [], images, table, caller, new Map()),
    );
  }

  get end(): Place | undefined {
    return this.changes.at(-1)?.place;
  }

  touches(sources: readonly Table[]): boolean {
    return sources.some(({ name }) => (this.#bySource.get(name)?.[0]?.index ?? this.changes.length) < this.changes.length);
  }

  /** The changes of rows of a type, with what names those rows. */
  identified(watch: Watch, caller: Caller): Awaitable<readonly IdentifiedChange[]> {
    const known = this.#identified.get(watch.identity);
    if (known !== undefined) return known;
    const own = this.#own(watch);
    const cache = this.#parts.cache.identities(watch.identity);
    const unread = own.flatMap(({ change }) => (cache.has(change) ? [] : [change]));
    const images = unread.flatMap(({ before, after }) => [before, after].filter((each) => each !== undefined));
    const rows = this.#readImages(watch.identity, [], images, watch.plan.table, caller, new Map());
    const named = mapAwaitable(rows, (found) => {
      for (const [change, names] of identitiesOf(unread, found, watch)) cache.set(change, names);
      return own.map(({ change }, number) => ({ change, number, ...(cache.get(change) ?? noIdentities) }));
    });
    return memoized(this.#identified, watch.identity, named);
  }

  /**
   * By the number of the change: the instances that are among the watched ones after it. That is decided by the state that the next transaction with a change of the
   * same row begins with, and by that at the end where there is none: whatever is shown could be read as it is shown.
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
      mapAwaitable(this.#visibility.of(watch, caller), (visibilityChanges) => this.#visibleIn(viewer, visibilityChanges)),
    );
  }

  /** By the number of the change: the rows of which a viewer sees no difference. */
  unchanged({ watch: { seenVersions, ...watch }, caller, key }: Viewer): Awaitable<ReadonlySet<number> | undefined> {
    if (seenVersions === undefined) return undefined;
    const asked = this.#unchanged.get(seenVersions) ?? new Map<string, Awaitable<ReadonlySet<number>>>();
    this.#unchanged.set(seenVersions, asked);
    const known = asked.get(key);
    if (known !== undefined) return known;
    const changes = this.#own(watch).flatMap(({ change: { before, after } }, number) =>
      before === undefined || after === undefined ? [] : [{ images: [before, after], number }],
    );
    const images = changes.flatMap((each) => each.images);
    const read = this.#readImages(seenVersions, [], images, watch.plan.table, caller, new Map());
    const found = mapAwaitable(read, (rows) => {
      const versions = rows.map(({ columns }) => String(columns[1]));
      return new Set(changes.flatMap(({ number }, at) => (versions[2 * at] === versions[2 * at + 1] ? [number] : [])));
    });
    return memoized(asked, key, found);
  }

  #visibleIn(viewer: Viewer, visibilityChanges: readonly VisibilityChange[]): Awaitable<ReadonlyMap<number, string>> {
    const { watch } = viewer;
    const found = new Map<number, string>();
    // Of most changes most are told nothing: that is found without looking at each of them.
    if (visibilityChanges.length === 0) return mapAwaitable(this.#addNow(viewer, undefined, found), () => found);
    let work: Awaitable<unknown>;
    const { states, doubts } = this.#states(watch, visibilityChanges);
    const add = ({ notYetApplied, images }: ImagesInState, to: Map<number, string>): Awaitable<void> =>
      notYetApplied.length === 0
        ? this.#addNow(viewer, images, to)
        : this.#addAlone(viewer, images, textsBefore(watch.sources, notYetApplied), to);
    for (const each of states) work = mapAwaitable(work, () => add(each, found));
    for (const each of doubts) {
      const also = new Map<number, string>();
      work = mapAwaitable(work, () =>
        mapAwaitable(add(each, also), () => {
          for (const { number } of each.images) if (!also.has(number)) found.delete(number);
        }),
      );
    }
    return mapAwaitable(work, () => found);
  }

  /** Images by the states that decide about them. */
  #states(watch: Watch, visibilityChanges: readonly VisibilityChange[]): ReturnType<typeof imagesByState> {
    const identities = this.#parts.cache.identities(watch.identity);
    const own = this.#own(watch);
    const targets = own.map(({ change }) => identities.get(change) ?? {});
    return imagesByState(this.#ownAndLater(watch.plan.table), visibilityChanges, {
      changes: this.#all,
      told: this.changes.length,
      target: concernOneRowEach(visibilityChanges, watch, () => this.#targetsOf(watch, targets))
        ? (change) => identities.get(change)?.after?.target ?? ''
        : undefined,
    });
  }

  /** Those of a group, or of all, that a viewer may see in the state that is stored, which is asked for many of them together. */
  #addNow(viewer: Viewer, group: readonly NumberedImage[] | undefined, found: Map<number, string>): Awaitable<void> {
    const { watch, caller } = viewer;
    return mapAwaitable(this.#visibleRows(viewer), (visible) => {
      if (visible?.size === 0) return undefined;
      const { rendered } = watch;
      const rows = visible === undefined ? undefined : (group ?? this.#images(watch)).filter(({ number }) => visible.has(number));
      if (rows === undefined || rendered === undefined)
        return this.#addAlone(viewer, rows ?? group ?? this.#images(watch), new Map(), found);
      if (rows.length === 0) return undefined;
      return mapAwaitable(this.#renderedRows(watch, rendered.select, caller), (all) => {
        for (const { number } of rows) {
          const row = all.get(number);
          const isWanted = rendered.wanted.every(
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
  #renderedRows(watch: Watch, select: Select, caller: Caller): Awaitable<ReadonlyMap<number, Row>> {
    const known = this.#rendered.get(select);
    if (known !== undefined) return known;
    const { cache } = this.#parts;
    const renderedRows = new Map<number, Row>();
    const unread: { readonly change: Change; readonly number: number }[] = [];
    for (const [number, { change }] of this.#own(watch).entries()) {
      const row = cache.rendered(select, change);
      if (row !== undefined) renderedRows.set(number, row);
      else if (change.after !== undefined) unread.push({ change, number });
    }
    const images = unread.map(({ change: { after = '' } }) => after);
    const rendered = mapAwaitable(this.#readImages(select, [], images, watch.plan.table, caller, new Map()), (rows) => {
      for (const row of rows) {
        const read = unread[Number(row.columns[0])];
        if (read === undefined) continue;
        renderedRows.set(read.number, row);
        cache.addRendered(select, read.change, row);
      }
      return renderedRows;
    });
    return memoized(this.#rendered, select, rendered);
  }

  #images(watch: Watch): readonly NumberedImage[] {
    const { name } = watch.plan.table;
    const known = this.#imagesOf.get(name);
    if (known !== undefined) return known;
    const images = this.#own(watch).flatMap(({ change: { after } }, number) => (after === undefined ? [] : [{ image: after, number }]));
    this.#imagesOf.set(name, images);
    return images;
  }

  effects(watch: Watch, own: readonly IdentifiedChange[], caller: Caller): Awaitable<VisibilityEffects> {
    return mapAwaitable(this.#visibility.of(watch, caller), (all) => {
      const visibilityChanges = all.filter(({ index }) => index < this.changes.length);
      if (visibilityChanges.length === 0) return noEffects;
      const targets = this.#targetsOf(watch, own);
      const affectsOthers = visibilityChanges.some((each) => each.targets?.every((target) => targets.has(target)) !== true);
      const changed = changedAt(own);
      const last = visibilityChanges.findLast(
        ({ change, targets: about }) => about?.every((each) => changed.get(each)?.has(change.place)) !== true,
      );
      return { affectsOthers, until: last?.change.place };
    });
  }

  /** The rows of a type that have changed. */
  #targetsOf({ identity }: Watch, names: readonly Partial<Identities>[]): ReadonlySet<string | undefined> {
    const known = this.#targets.get(identity);
    if (known !== undefined) return known;
    const targets = new Set(names.flatMap(({ before, after }) => [before?.target, after?.target]));
    this.#targets.set(identity, targets);
    return targets;
  }

  /** What of the changes, those behind the batch included, may decide which rows somebody watched before them. */
  concerning(watch: Watch, caller: Caller): Awaitable<readonly Change[]> {
    const owning = new Set(watch.visibilityTables.flatMap(({ table, resources }) => (resources === undefined ? [] : [table.name])));
    return mapAwaitable(this.#visibility.of(watch, caller), (all) => {
      const visibilityChanges = new Set(all.map(({ change }) => change));
      return this.#all.filter((each) => !owning.has(each.source) || visibilityChanges.has(each));
    });
  }

  /** Reads as a caller at the end of the batch. */
  atEnd<T>(watch: Watch, caller: Caller, work: (reader: Reader, at: (select: Select) => Select) => Promise<T>): Awaitable<T> {
    const texts = this.#textsAtEnd(watch);
    return this.#read(caller, supplierOf(texts), (reader) => work(reader, (select) => (texts.size === 0 ? select : overlaid(select))));
  }

  /** Whether what a stream watches is stored as it is at the end of the batch. */
  endsAsStored(watch: Watch): boolean {
    return this.#textsAtEnd(watch).size === 0;
  }

  /** Reads as a caller what is stored, changes behind the batch included. */
  stored<T>(caller: Caller, work: (reader: Reader) => Promise<T>): Awaitable<T> {
    return this.#read(caller, supplierOf(new Map()), work);
  }

  #textsAtEnd({ sources }: Watch): ReadonlyMap<string, string> {
    return textsBefore(sources, this.#all.slice(this.changes.length));
  }

  /** Changes of the watched table in the batch, without those that changed nothing. */
  #own({ plan: { table } }: Pick<Watch, 'plan'>): readonly NumberedChange[] {
    const known = this.#ownOf.get(table.name);
    if (known !== undefined) return known;
    const own = this.#ownAndLater(table).filter(({ index }) => index < this.changes.length);
    this.#ownOf.set(table.name, own);
    return own;
  }

  /** The same, with those behind the batch. */
  #ownAndLater({ name }: Table): readonly NumberedChange[] {
    return (this.#bySource.get(name) ?? []).filter(({ change: { before, after } }) => before !== after);
  }

  /** Selects from images of a table, in a state of other tables that lies before some changes. */
  #readImages(
    selected: Select,
    values: readonly Value[],
    images: readonly string[],
    table: Table,
    caller: Caller,
    texts: ReadonlyMap<string, string>,
  ): Awaitable<readonly Row[]> {
    const select = texts.size > 0 ? overlaid(selected) : selected;
    let found: Awaitable<readonly Row[]> = [];
    for (let start = 0; start < images.length; start += mostImages) {
      const some = imagesText(images.slice(start, start + mostImages), (index) => start + index);
      const supplier = supplierOf(new Map(texts).set(imageTable(table).name, some));
      found = mapAwaitable(found, (before) =>
        mapAwaitable(
          this.#read(caller, supplier, (reader) => reader.rows(select, values)),
          (rows) => (before.length === 0 ? rows : [...before, ...rows]),
        ),
      );
    }
    return found;
  }

  #read<T>(caller: Caller, supplier: RowSupplier, work: (reader: Reader) => Awaitable<T>): Awaitable<T> {
    const { engine, reader } = this.#parts;
    return engine.reading(caller, supplier, ({ store }) => store.read(work), reader);
  }
}

/**
 * Whether each of them is about one of these rows alone. Then those about one row say nothing of another, and rows for which as many are not made yet are asked
 * about together.
 */
function concernOneRowEach(
  visibilityChanges: readonly VisibilityChange[],
  { plan }: Watch,
  targetsOf: () => ReadonlySet<string | undefined>,
): boolean {
  if (plan.kind !== 'entity' || plan.contained) return false;
  const own = targetsOf();
  return visibilityChanges.every(
    ({ targets }) => targets !== undefined && own.has(targets[0]) && targets.every((each) => each === targets[0]),
  );
}

const noIdentities: Identities = { before: undefined, after: undefined };

function numbered(images: readonly NumberedImage[]): string {
  return imagesText(
    images.map(({ image }) => image),
    (index) => images[index]?.number ?? -1,
  );
}

/** Of each change, by the rows of its images in their order. */
function identitiesOf(changes: readonly Change[], rows: readonly Row[], { plan }: Watch): readonly (readonly [Change, Identities])[] {
  let next = 0;
  const subject = {
    type: (plan.kind === 'entity' ? plan.entity.system?.stored : undefined) ?? plan.type,
    contained: plan.kind === 'entity' && plan.contained,
    form: plan.kind === 'entity' ? plan.form : ('plain' as const),
  };
  const named = (image: string | undefined): RowIdentity | undefined => {
    if (image === undefined) return undefined;
    const row = rows[next];
    next += 1;
    const key = row?.columns[1] ?? null;
    return { key: keyName(key), value: key, json: row?.json ?? '{}', target: keyPrefix(subject, key) };
  };
  return changes.map((change) => [change, { before: named(change.before), after: named(change.after) }]);
}
