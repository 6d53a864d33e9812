// Copies all rows of all tables from one store to another, and proves by counts and hashes that both then hold the same.

import { createHash } from 'node:crypto';
import { isError } from '../errors.ts';
import { both, equal, everything } from '../plan/query/condition.ts';
import type { Insert, Select, Update } from '../plan/query/shape.ts';
import type { Table } from '../plan/rows/table.ts';
import { columnFields, pagesOf, tablesInOrder } from '../plan/rows/transfer.ts';
import { canonicalJson } from '../values/json/canonical.ts';
import { parseStored } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';
import { rowsOf } from './all-rows.ts';
import { type Reader, StartRefused, type Store, type Writer } from './store.ts';

export interface Copied {
  readonly table: string;
  readonly rows: number;
  /** Of the content, in whatever order it is read. */
  readonly digest: string;
}

/** The target has the tables, and nothing in them; what is there afterwards is what `from` holds, or this throws. */
export async function copyTables(
  tables: readonly Table[],
  from: Reader,
  to: Store,
  tell: (table: Table, rows: number, total: number) => void,
): Promise<readonly Copied[]> {
  await refuseFilled(tables, to);
  const waiting: Waiting[] = [];
  const sources: Copied[] = [];
  for (const table of tablesInOrder(tables)) {
    const total = await from.count(selectAll(table), []);
    sources.push(await copyTable(table, from, to, waiting, (rows) => tell(table, rows, total)));
  }
  await putWaiting(waiting, to);
  for (const source of sources) await compare(source, tables, to);
  return sources;
}

async function refuseFilled(tables: readonly Table[], to: Store): Promise<void> {
  for (const table of tables) {
    const rows = await to.read((reader) => reader.count(selectAll(table), []));
    if (rows > 0)
      throw new StartRefused(
        `The target already holds ${rows} rows of ${table.name}; a copy needs one without data, and one that was cut off is removed first.`,
      );
  }
}

/** Rows that point at rows which come later: of the same table, or where two tables point at each other. */
interface Waiting {
  readonly table: Table;
  readonly values: readonly Value[];
}

async function copyTable(table: Table, from: Reader, to: Store, waiting: Waiting[], tell: (rows: number) => void): Promise<Copied> {
  const digest = new Digest();
  let rows = 0;
  for await (const page of rowsOf(from, pagesOf(table, columnFields(table)))) {
    const batch = page.map((row) => valuesOf(table, row.json));
    for (const values of batch) digest.add(values);
    await putBatch(table, batch, to, waiting);
    rows += page.length;
    tell(rows);
  }
  return { table: table.name, rows, digest: digest.text() };
}

/** Together; where something is not there yet, one by one, so that the others are not held up. */
async function putBatch(table: Table, batch: readonly (readonly Value[])[], to: Store, waiting: Waiting[]): Promise<void> {
  try {
    await to.write((writer) => putAll(table, batch, writer));
  } catch (thrown) {
    if (!isError(thrown, 'instance-referenced')) throw refused(table, thrown);
    await to.write(async (writer) => {
      for (const values of batch) if (!(await putOne(table, values, writer))) waiting.push({ table, values });
    });
  }
}

async function putAll(table: Table, batch: readonly (readonly Value[])[], writer: Writer): Promise<void> {
  const together = Math.min(mostTogether, Math.floor(mostParameters / (2 * table.columns.length)));
  const whole = batch.length - (batch.length % together);
  const many = insertInto(table, together);
  for (let at = 0; at < whole; at += together) await writer.insert(many, batch.slice(at, at + together).flat());
  for (const values of batch.slice(whole)) await writer.insert(insertInto(table, 1), values);
}

/** Rows in one statement, so that not every row has to wait for an answer; a column may take two parameters. */
const mostTogether = 50;
/** What every store takes in one statement. */
const mostParameters = 32_000;

function putOne(table: Table, values: readonly Value[], writer: Writer): Promise<boolean> {
  return unlessAbsent(table, () => writer.attempt(() => writer.insert(insertInto(table, 1), values)));
}

/** First without what they point at, so that all of them stand, also where they point at each other; then they get it. */
async function putWaiting(all: readonly Waiting[], to: Store): Promise<void> {
  await untilDone(all.toReversed(), to, ({ table, values }, writer) => putOne(table, withoutReferences(table, values), writer));
  await untilDone(all, to, pointAgain);
}

/** A reference that is a key, or is pointed at itself, has to wait for a further round. */
async function untilDone(all: readonly Waiting[], to: Store, work: (each: Waiting, writer: Writer) => Promise<boolean>): Promise<void> {
  let waiting = all;
  while (waiting.length > 0) {
    const left: Waiting[] = [];
    for (let at = 0; at < waiting.length; at += mostTogether) {
      const some = waiting.slice(at, at + mostTogether);
      left.push(...(await to.write((writer) => undone(some, writer, work))));
    }
    if (left.length === waiting.length)
      throw new StartRefused(`${left.length} rows of ${left[0]?.table.name} point at rows that are not there.`);
    waiting = left.toReversed();
  }
}

async function undone(
  some: readonly Waiting[],
  writer: Writer,
  work: (each: Waiting, writer: Writer) => Promise<boolean>,
): Promise<readonly Waiting[]> {
  const left: Waiting[] = [];
  for (const each of some) if (!(await work(each, writer))) left.push(each);
  return left;
}

function withoutReferences(table: Table, values: readonly Value[]): readonly Value[] {
  const references = new Set(referencesOf(table));
  return values.map((value, index) => (references.has(table.columns[index]?.name ?? '') ? null : value));
}

async function pointAgain({ table, values }: Waiting, writer: Writer): Promise<boolean> {
  const columns = referencesOf(table);
  if (columns.length === 0) return true;
  const output = { fields: [], columns: [] };
  const where = table.primaryKey.map(equal).reduce(both, everything);
  const valueIn = (column: string) => values[table.columns.findIndex((each) => each.name === column)] ?? null;
  const update: Update = { kind: 'update', table, columns, version: undefined, where, output };
  return unlessAbsent(table, () => writer.attempt(() => writer.update(update, [...columns, ...table.primaryKey].map(valueIn))));
}

/** Columns that hold a key of another row, except those that are the row's own key: no row stands without that. */
function referencesOf(table: Table): readonly string[] {
  const columns = table.foreignKeys.flatMap((each) => each.columns).filter((each) => !table.primaryKey.includes(each));
  return [...new Set(columns)];
}

/** False where what is pointed at is not there. */
async function unlessAbsent(table: Table, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (thrown) {
    if (isError(thrown, 'instance-referenced')) return false;
    throw refused(table, thrown);
  }
}

/** What the target says it has, read back. */
async function compare(source: Copied, tables: readonly Table[], to: Store): Promise<void> {
  const table = tables.find((each) => each.name === source.table);
  if (table === undefined) return;
  const digest = new Digest();
  const rows = await to.read(async (reader) => {
    let count = 0;
    for await (const page of rowsOf(reader, pagesOf(table, columnFields(table)))) {
      for (const row of page) digest.add(valuesOf(table, row.json));
      count += page.length;
    }
    return count;
  });
  if (rows !== source.rows || digest.text() !== source.digest) {
    throw new StartRefused(`The copy of ${table.name} differs from its source (${source.rows} rows there, ${rows} here); do not use it.`);
  }
}

/** A sum of the hashes of all rows: the order in which they come makes no difference. */
class Digest {
  #sum = 0n;

  add(values: readonly Value[]): void {
    // Stores differ in the order of the keys that they give JSON back in.
    const hash = createHash('sha256').update(canonicalJson(values)).digest('hex');
    this.#sum = (this.#sum + BigInt(`0x${hash}`)) % 2n ** 256n;
  }

  text(): string {
    return this.#sum.toString(16).padStart(64, '0');
  }
}

function valuesOf(table: Table, json: string): readonly Value[] {
  const row = parseStored(json);
  return table.columns.map(({ name }) => row[name] ?? null);
}

function insertInto(table: Table, rows: number): Insert {
  return { kind: 'insert', table, columns: table.columns.map((each) => each.name), rows, moved: true, output: { fields: [], columns: [] } };
}

function selectAll(table: Table): Select {
  return { kind: 'select', table, output: { fields: [], columns: [] }, where: everything, order: [], limit: false, offset: false };
}

function refused(table: Table, thrown: unknown): unknown {
  return isError(thrown, 'duplicate') ? new StartRefused(`${table.name}: ${thrown.message}`, thrown) : thrown;
}
