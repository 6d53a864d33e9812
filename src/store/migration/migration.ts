// Migrations as people meet them: at start, planned, applied, told, undone, purged. Each is one transaction.

import type { Table } from '../../plan/rows/table.ts';
import { forgetChanges } from '../changes/changes.ts';
import type { SchemaSession } from '../sql/ddl.ts';
import type { Executor } from '../sql/executor.ts';
import { quote } from '../sql/names.ts';
import { type MigrationAbout, StartRefused } from '../store.ts';
import { additionsIn } from './affected-objects.ts';
import { carryOut } from './apply.ts';
import { type Change, type ChangeForOthers, changesOf, givesOtherValues } from './diff/changes.ts';
import { leavesOthers } from './diff/fit.ts';
import { type Match, matchById, matchByName } from './diff/match.ts';
import { refused } from './diff/refusal.ts';
import { type RenameCandidate, renameCandidates } from './diff/rename-candidates.ts';
import { countRows } from './diff/rows.ts';
import { physicalTable, type RetiredColumn, retiredColumn, type Schema, type StoredTable } from './diff/schema.ts';
import { type Judged, judge } from './diff/verdicts.ts';
import { findAstray, inWords, type MendedTable, mendPaths, placesChecked, placesFormat, smallTables } from './mend-paths.ts';
import { forgetAssigned } from './owners.ts';
import { beforehand, recorded, scriptOf } from './script.ts';
import {
  addHistory,
  computedFrom,
  digestOf,
  ensureState,
  forgetBefore,
  type HistoryEntry,
  type HistoryKind,
  markUndone,
  readHistory,
  readSchema,
  recall,
  remember,
  storedDigest,
  writeSchema,
} from './state.ts';

export interface MigrationPlan {
  readonly changes: readonly Judged[];
  /** What would be run, in order; comments stand for what is done row by row. Empty where something is in the way. */
  readonly statements: readonly string[];
  /** The same as one transaction, with what the service writes down about itself: for whoever runs it by hand. */
  readonly script: readonly string[];
  /** Pairs of what is gone and what is new that could be one thing with two names. */
  readonly lookalikes: readonly RenameCandidate[];
}

export interface MigrationStatus {
  /** Changes of the model that wait for `apply` or the next start. */
  readonly pending: readonly Judged[];
  readonly history: readonly HistoryEntry[];
  readonly retired: readonly Retired[];
}

export interface Retired {
  /** `blog/Post` or `blog/Post.title`. */
  readonly name: string;
  readonly since: string;
  readonly type: string;
  /** Whether the attribute is still there, with another type. */
  readonly replaced: boolean;
  /** Instances, or instances with a value. */
  readonly rows: number;
}

/** What only adds, or renames, is done; anything else refuses the start and changes nothing. Of an unchanged model only the digest is looked at. */
export async function migrateAtStart(session: SchemaSession, tables: readonly Table[], about: MigrationAbout): Promise<void> {
  const digest = digestOf(tables);
  if ((await storedDigest(session)) !== digest) await migrateTo(session, tables, about, digest);
  if (about.mended !== undefined) for (const each of await mendAtStart(session, tables)) about.mended(inWords(each));
}

function migrateTo(session: SchemaSession, tables: readonly Table[], about: MigrationAbout, digest: string): Promise<void> {
  return inTransaction(session, async () => {
    // Another process may have done it while this one waited for its turn.
    if ((await storedDigest(session)) === digest) return;
    await ensureState(session);
    const schema = await readSchema(session);
    const match = matchByName(schema, tables);
    await keepOthersOff(match, session);
    const judged = await judgeAll(match, session);
    refuse(judged.filter((each) => !each.atStart || each.blocked !== undefined));
    await doIt(session, { schema, match, judged, kind: 'start', about, digest });
  });
}

/**
 * What follows from the parents of a row can be made again. Every row is looked at once in the life of a database, and at each start those
 * of tables that are looked through in no time; nothing is locked where every row is right.
 */
async function mendAtStart(session: SchemaSession, tables: readonly Table[]): Promise<readonly MendedTable[]> {
  const isChecked = (await recall(session, placesChecked)) === placesFormat;
  const suspects = isChecked ? await smallTables(session, tables) : tables;
  const isRight = (await findAstray(session, suspects, tables)).length === 0;
  const mended = isRight ? [] : await mendAll(session, tables);
  if (!isChecked) await remember(session, placesChecked, placesFormat);
  return mended;
}

function mendAll(session: SchemaSession, tables: readonly Table[]): Promise<readonly MendedTable[]> {
  return inTransaction(session, async () => {
    const { executor, ddl } = session;
    for (const each of ddl.keepWritersOff) await executor.run(each);
    const mended = await mendPaths(session, tables);
    await refuseBroken(session);
    return mended;
  });
}

export async function planMigration(session: SchemaSession, tables: readonly Table[], about: MigrationAbout = {}): Promise<MigrationPlan> {
  const known = await storedDigest(session);
  const schema = await readSchema(session);
  const match = matchByName(schema, tables);
  const changes = await judgeAll(match, session);
  const deed: Deed = { schema, match, judged: changes, kind: 'apply', about, digest: digestOf(tables) };
  const isPossible = changes.length > 0 && changes.every((each) => each.blocked === undefined);
  const { carried } = await additionsIn(match, changesOf(match), session);
  const run = (work: (acting: SchemaSession, note: (text: string) => void) => Promise<unknown>) =>
    recorded(session, async (acting, note) => {
      await work(acting, note);
      for (const each of carried) note(each);
    });
  const statements = isPossible ? await run((acting, note) => carryOut(acting, schema, match, note)) : [];
  const script = isPossible
    ? scriptOf([...(await beforehand(known, schema, session)), ...(await run((acting, note) => doIt(acting, deed, note)))], session.ddl)
    : [];
  return { changes, statements, script, lookalikes: renameCandidates(match) };
}

/** What was done, in words. */
export async function applyMigration(session: SchemaSession, tables: readonly Table[], about: MigrationAbout): Promise<readonly string[]> {
  return inTransaction(session, async () => {
    await storedDigest(session);
    await ensureState(session);
    const schema = await readSchema(session);
    const match = matchByName(schema, tables);
    await keepOthersOff(match, session);
    const judged = await judgeAll(match, session);
    refuse(judged.filter((each) => each.blocked !== undefined));
    await doIt(session, { schema, match, judged, kind: 'apply', about, digest: digestOf(tables) });
    const mended = await mendPaths(session, tables);
    return [...judged.map((each) => each.words), ...mended.map((each) => `${inWords(each)}: mended`)];
  });
}

interface SchemaFigures extends Pick<MigrationStatus, 'history'> {
  readonly fits: boolean;
  readonly retired: number;
}

export async function migrationStatus(session: SchemaSession, tables: readonly Table[]): Promise<MigrationStatus> {
  await storedDigest(session);
  const schema = await readSchema(session);
  return {
    pending: await judgeAll(matchByName(schema, tables), session),
    history: await readHistory(session),
    retired: await retiredIn(schema, session),
  };
}

/** What can be told without reading rows: asked for again and again while the service works. */
export async function schemaFigures(session: SchemaSession, tables: readonly Table[]): Promise<SchemaFigures> {
  await storedDigest(session);
  const schema = await readSchema(session);
  const retired = schema.tables.reduce((sum, table) => sum + table.retired.length, schema.retired.length);
  return { fits: (await toldOf(matchByName(schema, tables), session)).length === 0, history: await readHistory(session), retired };
}

/** What the last migration did is taken back: names, types and relationships; what it added is retired, what it retired is back. */
export async function undoMigration(session: SchemaSession, about: MigrationAbout): Promise<readonly string[]> {
  return inTransaction(session, async () => {
    await storedDigest(session);
    await ensureState(session);
    const last = lastUndoable(await readHistory(session));
    const schema = await readSchema(session);
    const match = matchById(schema, last.before.tables);
    await keepOthersOff(match, session);
    const judged = await judgeAll(match, session);
    refuse(judged.filter((each) => each.blocked !== undefined));
    // The model that these tables fit is looked at as a whole at the next start; whoever serves sees that they are others now.
    await doIt(session, { schema, match, judged, kind: 'undo', about, digest: `undone-${last.number}` });
    await markUndone(session, last.number);
    return judged.map((each) => each.words);
  });
}

/** Removes what is retired, for good; nothing before it can be undone any more. */
export async function purgeRetired(session: SchemaSession, about: MigrationAbout): Promise<readonly string[]> {
  return inTransaction(session, async () => {
    await storedDigest(session);
    await ensureState(session);
    const schema = await readSchema(session);
    const words = (await retiredIn(schema, session)).map(
      (each) => `${each.name} (${each.type}) is removed, with ${each.rows} ${each.rows === 1 ? 'row' : 'rows'}`,
    );
    if (words.length === 0) return words;
    const { executor, ddl } = session;
    await forgetAssigned(session, schema);
    for (const { stored } of schema.retired) for (const each of ddl.dropTable(stored)) await executor.run(each);
    for (const table of schema.tables) {
      for (const each of table.retired)
        for (const sql of ddl.dropColumn(physicalTable(table), retiredColumn(each))) await executor.run(sql);
    }
    const tables = schema.tables.map((table) => ({ ...table, retired: [] }));
    await writeSchema(session, { tables, retired: [] }, (await storedDigest(session)) ?? '');
    await forgetBefore(session);
    await addHistory(session, { kind: 'purge', version: about.version ?? '', words, before: undefined });
    await announce(session);
    return words;
  });
}

interface Deed {
  readonly schema: Schema;
  readonly match: Match;
  readonly judged: readonly Judged[];
  readonly kind: HistoryKind;
  readonly about: MigrationAbout;
  readonly digest: string;
}

async function doIt(session: SchemaSession, deed: Deed, note: (text: string) => void = () => {}): Promise<void> {
  const { schema, match, judged, kind, about, digest } = deed;
  if (judged.length > 0) await forgetChanges(session);
  const after = await carryOut(session, schema, match, note);
  await writeSchema(session, after, digest);
  if (judged.some(({ change }) => givesOtherValues(change))) await remember(session, computedFrom, '{}');
  if (judged.length > 0) {
    const isFirst = schema.tables.length === 0 && schema.retired.length === 0;
    const before = isFirst || kind === 'undo' ? undefined : schema;
    await addHistory(session, { kind, version: about.version ?? '', words: judged.map((each) => each.words), before });
  }
  if (judged.length > 0) await refuseBroken(session);
  await announce(session);
}

async function refuseBroken({ executor, ddl: { broken } }: SchemaSession): Promise<void> {
  const lost = broken === undefined ? [] : await executor.rows(broken);
  if (lost.length > 0) throw new Error(`the migration would leave ${lost.length} references that lead nowhere`);
}

/** Heard by other processes when the migration is committed. A server that has no such thing is asked by them instead. */
async function announce({ executor, ddl }: SchemaSession): Promise<void> {
  if (ddl.announce.length === 0) return;
  await executor.run('SAVEPOINT announcing');
  try {
    for (const each of ddl.announce) await executor.run(each);
  } catch {
    await executor.run('ROLLBACK TO SAVEPOINT announcing');
  }
  await executor.run('RELEASE SAVEPOINT announcing');
}

async function inTransaction<T>(session: SchemaSession, work: () => Promise<T>): Promise<T> {
  const { executor, ddl } = session;
  try {
    for (const each of ddl.begin) await executor.run(each);
    const result = await work();
    for (const each of ddl.commit) await executor.run(each);
    return result;
  } catch (thrown) {
    for (const each of ddl.rollback) await takeBack(executor, each);
    throw thrown;
  }
}

async function takeBack(executor: Executor, statement: string): Promise<void> {
  try {
    await executor.run(statement);
  } catch (thrown) {
    // After some failures a database has already rolled back by itself; anything else shows at the next transaction.
    if (!(thrown instanceof Error)) throw thrown;
  }
}

/** What is judged stays true until it is done, and nothing is written to a table that is being copied. */
async function keepOthersOff(match: Match, { executor, ddl }: SchemaSession): Promise<void> {
  const changes = changesOf(match);
  const changed = changes.flatMap((each) => ('before' in each ? each.before.name : []));
  const names = new Set([...changed, ...match.gone.map((each) => each.name)]);
  if (!changes.every(leavesOthers)) for (const each of ddl.keepWritersOff) await executor.run(each);
  for (const each of ddl.lockTables([...names].sort())) await executor.run(each);
}

async function toldOf(match: Match, session: SchemaSession): Promise<readonly (Change | ChangeForOthers)[]> {
  const changes = changesOf(match);
  const additions = await additionsIn(match, changes, session);
  return [...changes, ...additions.changes].filter((each) => !isOwn(each));
}

async function judgeAll(match: Match, session: SchemaSession): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  const own = new Set([...match.gone, ...match.pairs.flatMap((each) => each.before ?? [])].map((each) => each.name));
  for (const change of await toldOf(match, session)) {
    const isForeign = change.kind === 'new-table' && !own.has(change.table.name) && (await isTaken(change.table.name, session));
    const each = await judge(change, session);
    judged.push(
      isForeign ? { ...each, blocked: `${each.words}, but the database has a table of that name from elsewhere`, ways: elsewhere } : each,
    );
  }
  return judged;
}

/** The service's own tables, and how it finds what stands under a parent, are nobody's concern. */
function isOwn(change: Judged['change']): boolean {
  if (change.kind === 'new-table') return change.table.name.startsWith('__');
  return (change.kind === 'new-index' || change.kind === 'gone-index') && change.columns.every((each) => each.startsWith('__'));
}

const elsewhere = ['give the application a database of its own: store.dbname', 'or take that table away'];

async function isTaken(name: string, { executor, ddl }: SchemaSession): Promise<boolean> {
  return (await executor.rows(ddl.tableExists, [name])).length > 0;
}

function refuse(unfit: readonly Judged[]): void {
  if (unfit.length > 0) throw refused(unfit.map(({ words, why, blocked, ways }) => ({ what: blocked ?? why ?? words, ways })));
}

function lastUndoable(history: readonly HistoryEntry[]): HistoryEntry & { readonly before: Schema } {
  const last = history.findLast((each) => !each.undone && each.kind !== 'undo');
  if (last?.before === undefined) {
    throw new StartRefused(
      last === undefined || last.number === 1
        ? 'There is no migration to undo.'
        : `Migration ${last.number} (${last.kind}) cannot be undone any more.`,
    );
  }
  return { ...last, before: last.before };
}

async function retiredIn(schema: Schema, session: SchemaSession): Promise<readonly Retired[]> {
  const found: Retired[] = [];
  for (const { table, stored, since } of schema.retired)
    found.push({ name: table.name, since, type: 'all of it', replaced: false, rows: await countRows(session, stored) });
  for (const table of schema.tables) for (const each of table.retired) found.push(await retiredOf(table, each, session));
  return found;
}

async function retiredOf(table: StoredTable, { column, stored, since, replaced }: RetiredColumn, session: SchemaSession): Promise<Retired> {
  const rows = await countRows(session, table.name, `${quote(stored)} IS NOT NULL`);
  const parent = /^__parent_(.*)\$(.*)$/s.exec(column.name);
  if (parent !== null) return { name: `${parent[1]}/${parent[2]}`, since, type: `contains ${table.name}`, replaced, rows };
  return { name: `${table.name}.${column.name}`, since, type: column.type ?? column.kind, replaced, rows };
}
