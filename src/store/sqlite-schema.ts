// Carries out migration steps on SQLite, and remembers in the database which tables it holds.

import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { unreachable } from '../errors.ts';
import type { Column, ForeignKey, Table } from '../plan/table.ts';
import { difference, type Step } from './schema.ts';
import { physicalColumns, sqliteDialect } from './sqlite-dialect.ts';
import type { Database } from './sqlite-driver.ts';
import { columnOf, quote, quoteText } from './statements.ts';
import { StartRefused } from './store.ts';

/** Grows when the layout that this runtime writes changes; an older runtime refuses a newer database. */
const format = 1;

export function migrateSqlite(database: Database, tables: readonly Table[], clock: Clock): void {
  database.exec('CREATE TABLE IF NOT EXISTS "__platform" ("key" TEXT PRIMARY KEY, "value" TEXT NOT NULL) STRICT');
  refuseNewer(database);
  const wanted = JSON.stringify(tables);
  const digest = createHash('sha256').update(wanted).digest('hex');
  if (stored(database, 'digest') === digest) return;
  const before = parseTables(stored(database, 'tables'));
  const { steps, refusals } = difference(before, tables);
  if (refusals.length > 0) throw refused(refusals);
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const step of steps) apply(step, database, clock);
    for (const [key, value] of Object.entries({ format: String(format), tables: wanted, digest })) remember(database, key, value);
    database.exec('COMMIT');
  } catch (thrown) {
    database.exec('ROLLBACK');
    throw thrown;
  }
}

function refused(refusals: readonly string[]): StartRefused {
  const what = 'The stored data does not fit the model, and nothing was changed:';
  const text =
    refusals.length === 1
      ? `${what} ${refusals[0]}. Take this change back, or start on another database.`
      : [what, ...refusals.map((each) => `  - ${each}`), 'Take these changes back, or start on another database.'].join('\n');
  return new StartRefused(text);
}

function refuseNewer(database: Database): void {
  const written = stored(database, 'format');
  if (written !== undefined && Number(written) > format) {
    throw new StartRefused(`The database was written by a newer version of the platform (format ${written}, this one knows ${format}).`);
  }
}

function stored(database: Database, key: string): string | undefined {
  const row = database.prepare('SELECT "value" AS v FROM "__platform" WHERE "key" = ?1').get(key);
  return typeof row?.['v'] === 'string' ? row['v'] : undefined;
}

function remember(database: Database, key: string, value: string): void {
  database.prepare('INSERT INTO "__platform" VALUES (?1, ?2) ON CONFLICT DO UPDATE SET "value" = ?2').run(key, value);
}

function parseTables(text: string | undefined): readonly Table[] {
  return text === undefined ? [] : JSON.parse(text);
}

function apply(step: Step, database: Database, clock: Clock): void {
  const { table } = step;
  switch (step.kind) {
    case 'create-table':
      createTable(table, database);
      break;
    case 'replace-empty-table':
      replaceEmpty(table, step.reason, database);
      break;
    case 'add-column':
      addColumn(step, database, clock);
      break;
    case 'create-index':
      createIndex(table, step.columns, step.unique, database);
      break;
    case 'drop-index':
      database.exec(`DROP INDEX ${quote(indexName(table, step.columns, step.unique))}`);
      break;
    case 'require':
      requireValues(table, step.column, database);
      break;
    case 'retype':
      if (count(database, table, `${quote(step.column.name)} IS NOT NULL`) > 0) throw refused([step.reason]);
      break;
    case 'narrow-values':
      refuseValues(table, step.column, database);
      break;
    default:
      unreachable(step);
  }
}

function replaceEmpty(table: Table, reason: string, database: Database): void {
  if (count(database, table, '1 = 1') > 0) throw refused([`${reason}, and it holds instances`]);
  database.exec(`DROP TABLE ${quote(table.name)}`);
  createTable(table, database);
}

function createTable(table: Table, database: Database): void {
  const columns = table.columns.flatMap((column) =>
    physicalColumns(column).map((each) => `${quote(each.name)} ${each.type}${table.primaryKey.includes(column.name) ? ' NOT NULL' : ''}`),
  );
  const foreign = table.foreignKeys.map((key) => `FOREIGN KEY (${key.columns.map(quote).join(', ')}) ${referencesOf(key)}`);
  const parts = [...columns, `PRIMARY KEY (${table.primaryKey.map(quote).join(', ')})`, ...foreign];
  database.exec(`CREATE TABLE ${quote(table.name)} (${parts.join(', ')}) STRICT`);
  for (const columns of table.uniques) createIndex(table, columns, true, database);
  for (const columns of table.indexes) createIndex(table, columns, false, database);
}

function referencesOf({ table, references, onDelete, onUpdate }: ForeignKey): string {
  return `REFERENCES ${quote(table)} (${references.map(quote).join(', ')}) ON DELETE ${onDelete.toUpperCase()} ON UPDATE ${onUpdate.toUpperCase()}`;
}

function addColumn({ table, column, foreignKey }: Extract<Step, { kind: 'add-column' }>, database: Database, clock: Clock): void {
  const hasRows = count(database, table, '1 = 1') > 0;
  if (hasRows && column.required && column.fill === undefined) {
    throw refused([`${table.name}.${column.name} is required and has no default, but ${table.name} already holds instances`]);
  }
  for (const physical of physicalColumns(column)) {
    const references = foreignKey === undefined || physical.name !== column.name ? '' : ` ${referencesOf(foreignKey)}`;
    database.exec(`ALTER TABLE ${quote(table.name)} ADD COLUMN ${quote(physical.name)} ${physical.type}${references}`);
  }
  if (hasRows && column.fill !== undefined) fill(table, column, database, clock);
}

function fill(table: Table, column: Column, database: Database, clock: Clock): void {
  const { fill: source } = column;
  if (source === undefined) return;
  const columns = sqliteDialect.physical(column);
  const set = columns.map((each, index) => `${quote(each.name)} = ?${index + 1}`).join(', ');
  const write = (value: string | number | boolean, where: string, ...more: unknown[]): void => {
    const written = columns.map((each) => (each.encode === undefined ? value : each.encode(value)));
    database.prepare(`UPDATE ${quote(table.name)} SET ${set} ${where}`).run(...written, ...more);
  };
  if (source.kind === 'value') write(source.value, '');
  else if (source.kind === 'now') write(clock.now().toISOString(), '');
  else {
    const [key = ''] = table.primaryKey;
    const keys = database.prepare(`SELECT ${quote(key)} AS k FROM ${quote(table.name)}`);
    keys.setReadBigInts(true);
    for (const row of keys.all()) write(clock.uuid(), `WHERE ${quote(key)} = ?${columns.length + 1}`, row['k']);
  }
}

function createIndex(table: Table, columns: readonly string[], unique: boolean, database: Database): void {
  const name = quote(indexName(table, columns, unique));
  const expressions = columns.map((each) => {
    const column = columnOf(table, each);
    // Foreign keys need a unique index on the column itself; equal decimals can be written differently.
    return unique && column.kind !== 'decimal' ? quote(each) : sqliteDialect.ordering(column, quote(each)).expression;
  });
  try {
    database.exec(`CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${name} ON ${quote(table.name)} (${expressions.join(', ')})`);
  } catch (thrown) {
    if (!unique) throw thrown;
    throw refused([`${table.name} holds instances with the same ${columns.join(', ')}, which would have to be unique`]);
  }
}

function indexName(table: Table, columns: readonly string[], unique: boolean): string {
  return `${table.name}|${columns.join('|')}|${unique ? 'unique' : 'index'}`;
}

function requireValues(table: Table, column: Column, database: Database): void {
  const missing = count(database, table, `${quote(column.name)} IS NULL`);
  if (missing > 0) throw refused([`${table.name}.${column.name} would be required, but ${missing} stored instances have no value`]);
}

function refuseValues(table: Table, column: Column, database: Database): void {
  const allowed = (column.values ?? []).map(quoteText).join(', ');
  const others = count(database, table, `${quote(column.name)} NOT IN (${allowed})`);
  if (others > 0)
    throw refused([`${others} stored instances hold a value of ${table.name}.${column.name} that the model no longer allows`]);
}

function count(database: Database, table: Table, where: string): number {
  const row = database.prepare(`SELECT count(*) AS n FROM ${quote(table.name)} WHERE ${where}`).get();
  return Number(row?.['n'] ?? 0);
}
