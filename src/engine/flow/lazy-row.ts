// What was read or written, as the value of a step: its text is kept, and becomes a value when somebody looks at it.

import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { bytesOfRow, type Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { toInstance } from './run.ts';
import type { Binding, Completed, Fields, Run } from './state.ts';

// Classes, as every step makes one: a literal with a getter costs a function, and a shape of its own, which is held until the runtime collects
// the whole heap.

export class LazyRow implements Completed {
  readonly plan: EntityPlan | LinkPlan;
  readonly row: Row;
  readonly created: boolean;
  readonly #run: Run;
  #value: Fields | undefined;

  constructor(plan: EntityPlan | LinkPlan, row: Row, created: boolean, run: Run) {
    this.plan = plan;
    this.row = row;
    this.created = created;
    this.#run = run;
  }

  get value(): Fields {
    this.#value ??= toInstance(this.plan, this.row, this.#run);
    return this.#value;
  }
}

export class LazyRows implements Completed {
  readonly plan: EntityPlan | LinkPlan;
  readonly rows: readonly Row[];
  readonly created = false;
  /** What the name of the type stands for. */
  readonly first: LazyRow | undefined;
  readonly #run: Run;
  #value: readonly Fields[] | undefined;

  constructor(plan: EntityPlan | LinkPlan, rows: readonly Row[], run: Run) {
    const [row] = rows;
    this.plan = plan;
    this.rows = rows;
    this.first = row === undefined ? undefined : new LazyRow(plan, row, false, run);
    this.#run = run;
  }

  get value(): readonly Fields[] {
    this.#value ??= this.rows.map((row, index) => this.#instance(row, index));
    return this.#value;
  }

  /** Each made when its turn comes. */
  *each(): Iterable<Value> {
    for (const [index, row] of this.rows.entries()) yield this.#value?.[index] ?? this.#instance(row, index);
  }

  #instance(row: Row, index: number): Fields {
    return index === 0 && this.first !== undefined ? this.first.value : toInstance(this.plan, row, this.#run);
  }
}

/** What a name stands for, which is looked into when somebody asks. */
export class NamedValue implements Completed {
  readonly created = false;
  readonly plan: Binding['plan'];
  readonly row: Binding['row'];
  readonly rows: Binding['rows'];
  readonly #named: Binding;

  constructor(named: Binding) {
    this.plan = named.plan;
    this.row = named.row;
    this.rows = named.rows;
    this.#named = named;
  }

  get value(): Value {
    return this.#named.value;
  }
}

/** What several steps gave, one after the other: nothing of it is made before somebody looks at it. */
export class ResultList implements Completed {
  readonly #results: Completed[];
  readonly #sizes = new WeakMap<object, number>();
  /** What was added holds about so much memory. */
  bytes = 0;
  #value: readonly Value[] | undefined;

  constructor(results: readonly Completed[] = []) {
    this.#results = [...results];
  }

  /** Gives about how much memory it holds more by it. */
  add(result: Completed): number {
    this.#results.push(result);
    const more = bytesOfResult + sizeOf(result, this.#sizes);
    this.bytes += more;
    return more;
  }

  get created(): boolean {
    return this.#results.at(-1)?.created ?? false;
  }

  get value(): readonly Value[] {
    this.#value ??= this.#results.map((each) => each.value);
    return this.#value;
  }
}

/** Of a result by itself, besides the rows, the text or the entries in it. */
const bytesOfResult = 400;
const bytesOfEntry = 8;

/** About so much memory is held by what a step gave. */
export function sizeOf(result: Completed, known = new WeakMap<object, number>()): number {
  if (result instanceof ResultList) return result.bytes;
  if (result.row !== undefined) return result.row.json.length;
  if (result.rows !== undefined) return result.rows.reduce((sum, { json }) => sum + json.length + bytesOfRow, 0);
  // Whatever is made when somebody looks at it is one of those above.
  return sizeOfValue(result.value, known);
}

/** What so much is in is not counted again where the next round of a loop gives the same value. */
const large = 4096;

function sizeOfValue(value: unknown, known: WeakMap<object, number>): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const before = known.get(value);
  if (before !== undefined) return before;
  const entries: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  const size = entries.reduce<number>((sum, each) => sum + bytesOfEntry + sizeOfValue(each, known), 0);
  if (size > large) known.set(value, size);
  return size;
}
