// A prepared statement of the embedded store: the caller's values become its parameters, and what SQLite gives becomes rows.

import type { ColumnKind } from '../../model/types/attribute-type.ts';
import { readScalar } from '../../model/types/scalar.ts';
import type { Ambient } from '../../plan/query/ambient.ts';
import type { Value } from '../../values/value.ts';
import type { ShownPlace, Statement } from '../sql/dialect.ts';
import { boundValue } from '../sql/parameters.ts';
import { bytesIn, type Page, type Row, TooLarge } from '../store.ts';
import type { Database, PreparedStatement } from './driver.ts';
import { TooLargeTogether } from './errors.ts';
import type { Reach } from './slow/reach.ts';

export interface Prepared {
  readonly statement: PreparedStatement;
  readonly sql: string;
  readonly parameters: Statement['parameters'];
  /** Whether the caller's values are the parameters, as they are. */
  readonly plain: boolean;
  /** Which parameters, where they are not null, say that nobody knows how long it takes. */
  readonly costly: readonly number[];
  readonly columns: Statement['columns'];
  readonly shown: Statement['shown'];
  /** Whether it gives no text that is longer than one request may hold. */
  readonly isBounded: boolean;
  /** Whether integers are read exactly. */
  readonly bigints: boolean;
  readonly reach: Reach | undefined;
  /**
   * As large as the statement, and never written to. A statement goes when its object is collected, and the runtime does not know what it takes
   * beside that: this tells it, so that it collects those that nobody has any more in time.
   */
  readonly weight: ArrayBufferView;
}

/** A row as the driver gives it: its values in the order of the statement, without their names, which it would make anew for each row. */
export type RawRow = Readonly<Record<number, unknown>>;
/** All rows may be bounded: so many bytes together, where they are several. */
export type Fetch = 'first' | 'all' | { readonly most: number };

export function prepare(database: Database, compiled: Statement, reach: Reach | undefined, isBounded: boolean): Prepared {
  const bigints = compiled.shown === undefined && compiled.isExact;
  return {
    statement: prepareSql(database, compiled.sql, bigints),
    sql: compiled.sql,
    parameters: compiled.parameters,
    plain: compiled.parameters.every((each, index) => each.origin === 'given' && each.source === index && each.encode === undefined),
    costly: compiled.parameters.flatMap((each, index) => (each.isCostly === true ? [index] : [])),
    columns: compiled.columns,
    shown: compiled.shown,
    isBounded,
    bigints,
    reach,
    weight: Buffer.allocUnsafeSlow(bytesOf({ sql: compiled.sql, parameters: compiled.parameters.length })),
  };
}

export function prepareSql(database: Database, sql: string, bigints: boolean): PreparedStatement {
  const statement = database.prepare(sql);
  statement.setReadBigInts(bigints);
  statement.setReturnArrays(true);
  return statement;
}

/**
 * What a statement takes in memory, in bytes: what SQLite makes of its text, and what is kept beside it here. Measured by what a process
 * grew by for 1,500 of a kind: 10 KB with few columns, 20 KB with forty, 14 KB with an include, 62 KB with a list of 200 values.
 */
export function bytesOf({ sql, parameters }: { readonly sql: string; readonly parameters: number }): number {
  return bytesOfStatement + bytesOfCharacter * sql.length + bytesOfParameter * parameters;
}

const bytesOfStatement = 8192;
const bytesOfCharacter = 16;
const bytesOfParameter = 160;

/** Of rows that come one by one, `look` is called for some, and may throw: a statement may give many for each that it looks at. */
export function fetchRows(
  statement: PreparedStatement,
  fetch: Fetch,
  parameters: readonly unknown[],
  look: () => void = () => {},
): readonly RawRow[] {
  if (fetch === 'all') return statement.all(...parameters);
  if (typeof fetch === 'object') return rowsWithin(statement.iterate(...parameters), fetch.most, look);
  const row = statement.get(...parameters);
  return row === undefined ? [] : [row];
}

/** Of so many rows one looks at the time. */
const rowsOfLook = 256;

function rowsWithin(found: IterableIterator<RawRow>, most: number, look: () => void): readonly RawRow[] {
  const rows: RawRow[] = [];
  let bytes = 0;
  try {
    for (const row of found) {
      bytes += bytesIn(row);
      rows.push(row);
      if (rows.length % rowsOfLook === 0) look();
      if (bytes > most && rows.length > 1) throw new TooLargeTogether();
    }
    return rows;
  } catch (thrown) {
    // The driver leaves a statement where it failed: without this, its next use would report the same failure.
    found.return?.();
    throw thrown;
  }
}

export function encode(prepared: Prepared, values: readonly Value[], ambient?: Ambient): readonly unknown[] {
  if (prepared.plain) return values;
  return prepared.parameters.map((each) => boundValue(each, values, ambient));
}

/** The text, and then the further columns. */
export function toRow(row: RawRow, { columns }: Prepared): Row {
  const values: Value[] = [];
  for (let index = 1; index <= columns.length; index += 1) values.push(ofKind(columns[index - 1], toValue(row[index])));
  return { json: textOf(row), columns: values };
}

/** The text of all rows, their number, and then the further columns of the last, unless it shows them. */
export function toPage(row: RawRow | undefined, { columns, shown }: Prepared): Page {
  if (row === undefined) throw new Error('a page is always one row');
  const [json, count] = [textOf(row), Number(row[1])];
  if (shown !== undefined) return new ShownPage(json, count, shown);
  const last = columns.map((kind, index) => {
    const value = ofKind(kind, toValue(row[index + 2]));
    // Doubles come as they are written.
    return kind === 'real' && value !== null ? Number(value) : value;
  });
  return { json, count, last };
}

/**
 * Where a list is complete, nobody asks for the place. A class: an object with a getter of its own would be of a shape of its own, and shapes are
 * held, with the page that the getter sees, until the runtime collects the whole heap.
 */
class ShownPage implements Page {
  readonly json: string;
  readonly count: number;
  readonly #shown: ShownPlace;

  constructor(json: string, count: number, shown: ShownPlace) {
    this.json = json;
    this.count = count;
    this.#shown = shown;
  }

  get last(): readonly Value[] {
    return [this.count === 0 ? null : shownIn(this.json, this.#shown)];
  }
}

/** Texts hold no quote that is not escaped: what begins a row, and what stands in front of a value, is in none of them. */
function shownIn(json: string, { begin, member }: ShownPlace): Value {
  const from = json.indexOf(member, json.lastIndexOf(begin));
  const [text] = /^(?:"(?:[^"\\]|\\.)*"|-?\d+)/.exec(json.slice(from + member.length)) ?? [];
  if (from === -1 || text === undefined) throw new Error('a page shows the place of its last row');
  const value: unknown = JSON.parse(text);
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? Number(value) : BigInt(text);
}

function ofKind(kind: ColumnKind | undefined, value: Value): Value {
  return kind === 'scalar' && typeof value === 'string' ? readScalar(value) : value;
}

/** A driver that cannot give a text, however long it is, must not pass for a row without one. */
function textOf(row: RawRow): string {
  const text = row[0];
  if (typeof text !== 'string') throw new TooLarge();
  return text;
}

export function toValue(value: unknown): Value {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
