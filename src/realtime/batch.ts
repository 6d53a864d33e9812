// Changes that are told together: what of them concerns a stream is read once for all streams that ask the same.

import type { Caller } from '../engine/caller.ts';
import type { Engine } from '../engine/engine.ts';
import type { Watch } from '../engine/watch/watch.ts';
import { everything } from '../plan/query/condition.ts';
import type { Select } from '../plan/query/shape.ts';
import { targetColumn } from '../plan/rows/assignments.ts';
import { keyName, keyPrefix } from '../plan/rows/keys.ts';
import type { Table } from '../plan/rows/table.ts';
import { type Change, imagesText, imageTable, type Place } from '../store/changes/changes.ts';
import { numberColumn } from '../store/sql/supplied-rows.ts';
import type { Awaitable, Row } from '../store/store.ts';
import type { Value } from '../values/value.ts';

/** A row before and after a change: its key, and what names it. */
export interface NamedChange {
  readonly change: Change;
  readonly number: number;
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

export class Batch {
  readonly changes: readonly Change[];
  readonly #engine: Engine;
  readonly #bySource = new Map<string, Change[]>();
  readonly #named = new Map<Select, Awaitable<readonly NamedChange[]>>();
  readonly #shared = new Map<Select, Awaitable<ReadonlyMap<number, string>>>();
  readonly #targets = new Map<string, Awaitable<readonly string[] | undefined>>();

  constructor(changes: readonly Change[], engine: Engine) {
    this.changes = changes;
    this.#engine = engine;
    for (const each of changes) {
      const known = this.#bySource.get(each.source);
      if (known === undefined) this.#bySource.set(each.source, [each]);
      else known.push(each);
    }
  }

  get end(): Place | undefined {
    return this.changes.at(-1)?.place;
  }

  /** Of a table, without those that changed nothing. */
  of({ name }: Table): readonly Change[] {
    return this.#bySource.get(name) ?? [];
  }

  touches(sources: readonly Table[]): boolean {
    return sources.some(({ name }) => this.#bySource.has(name));
  }

  /** The changes of rows of a type, with what names those rows. */
  named(watch: Watch, caller: Caller): Awaitable<readonly NamedChange[]> {
    const known = this.#named.get(watch.named);
    if (known !== undefined) return known;
    const own = this.of(watch.plan.table).filter(({ before, after }) => before !== after);
    const images = own.flatMap(({ before, after }) => [before, after].filter((each) => each !== undefined));
    const rows = this.#read(watch.named, [], images, watch.plan.table, caller);
    const made = then(rows, (found) => inPairs(own, found, watch));
    this.#named.set(watch.named, made);
    return made;
  }

  /** By the number of the change: the instances that are among the watched ones after it. */
  visible(watch: Watch, caller: Caller): Awaitable<ReadonlyMap<number, string>> {
    const known = watch.isEverything ? this.#shared.get(watch.changed) : undefined;
    if (known !== undefined) return known;
    const after = this.of(watch.plan.table)
      .filter((each) => each.before !== each.after)
      .flatMap((each, number) => (each.after === undefined ? [] : [{ image: each.after, number }]));
    const numbers = after.map(({ number }) => number);
    const rows = this.#read(
      watch.changed,
      watch.changedValues,
      after.map(({ image }) => image),
      watch.plan.table,
      caller,
    );
    const made = then(rows, (found) => new Map(found.map(({ json, columns: [n] }) => [numbers[Number(n)] ?? -1, json])));
    if (watch.isEverything) this.#shared.set(watch.changed, made);
    return made;
  }

  /** Whether rows may have come to be watched, or not to be any more, which have not changed themselves. */
  decides(watch: Watch, own: readonly NamedChange[], caller: Caller): Awaitable<boolean> {
    const sources = watch.sources.filter(({ name }) => watch.deciding.has(name) && this.#bySource.has(name));
    const targets = new Set(own.flatMap(({ before, after }) => [before?.target, after?.target]));
    let isDecided: Awaitable<boolean> = false;
    for (const source of sources) {
      isDecided = then(
        isDecided,
        (is) => is || then(this.#targetsIn(source, caller), (found) => found?.every((each) => targets.has(each)) !== true),
      );
    }
    return isDecided;
  }

  /** What the changed assignments are about; nothing where the table has none. */
  #targetsIn(source: Table, caller: Caller): Awaitable<readonly string[] | undefined> {
    if (!source.columns.some(({ name }) => name === targetColumn)) return undefined;
    const known = this.#targets.get(source.name);
    if (known !== undefined) return known;
    const images = this.of(source).flatMap(({ before, after }) => [before, after].filter((each) => each !== undefined));
    const made = then(this.#read(targetsOf(source), [], images, source, caller), (rows) =>
      rows.map(({ columns: [target] }) => String(target)),
    );
    this.#targets.set(source.name, made);
    return made;
  }

  #read(select: Select, values: readonly Value[], images: readonly string[], table: Table, caller: Caller): Awaitable<readonly Row[]> {
    if (images.length === 0) return [];
    const text = imagesText(images, (index) => index);
    const supplier = { supplies: ({ name }: Table) => name === `#${table.name}`, rows: () => text };
    return this.#engine.reading(caller, supplier, ({ store }) => store.read((reader) => reader.rows(select, values)));
  }
}

function inPairs(own: readonly Change[], rows: readonly Row[], { plan }: Watch): readonly NamedChange[] {
  let next = 0;
  const subject = {
    type: plan.type,
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
  return own.map((change, number) => ({ change, number, before: named(change.before), after: named(change.after) }));
}

function targetsOf(source: Table): Select {
  const order = [{ column: numberColumn, descending: false }];
  const output = { fields: [], columns: [targetColumn] };
  return { kind: 'select', table: imageTable(source), output, where: everything, order, limit: false, offset: false };
}

function then<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
