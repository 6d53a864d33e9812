// The log of changes: written by triggers of the database itself, in the transaction of each change, for tables that somebody watches.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { both, equal } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import type { SchemaSession } from '../sql/ddl.ts';
import type { Executor } from '../sql/executor.ts';
import { quote, quoteText } from '../sql/names.ts';
import type { Awaitable, Reader, Row, Store } from '../store.ts';
import { isBefore, type Place } from './change.ts';
import { LogReader, placeOf } from './log-reader.ts';
import { checkOrigin } from './origin.ts';
import { changesTable, prunedTable, pruneState, type Recorded, watchedTable } from './tables.ts';

const day = 24 * 60 * 60 * 1000;
/** Changes that are kept. */
const mostChanges = 100_000;
/** Milliseconds after which it is written down once more that a table is watched. */
const touched = 10 * 60 * 1000;
/** Milliseconds for which another process is taken not to have begun the log anew. */
const trusted = 1000;
/** Tables that are begun to be recorded at once: each has a connection of its own. */
const mostAtOnce = 4;

export class ChangeLog {
  readonly read: LogReader;
  readonly #store: Store;
  readonly #clock: Clock;
  /** When it was last written down that a table is watched, and since which generation of its triggers it is. */
  readonly #watched = new Map<string, { readonly at: number; readonly generation: string }>();

  /** By the name of the table: whoever needs the same waits for it, and nobody for a table of others that is locked. */
  readonly #ensuring = new Map<string, Promise<void>>();
  readonly #running = new Set<Promise<void>>();
  #making: Promise<void> | undefined;
  #isMade = false;
  /** What begins the name of a generation here. */
  #begins = '';
  #comparing: Promise<void> | undefined;
  #comparedAt = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.read = new LogReader(store);
  }

  /** From when it resolves on, every change of rows of these tables is in the log, whoever writes. Gives what tells this stretch of the log from earlier ones, a secret that all processes share. */
  async record(tables: readonly Recorded[]): Promise<string> {
    await this.#compare();
    for (let stale = this.#stale(tables); stale.length > 0; stale = this.#stale(tables))
      await Promise.all(stale.map((each) => this.#ensuring.get(each.table.name) ?? this.#begin(each)));
    return tables.map(({ table: { name } }) => this.#watched.get(name)?.generation ?? '').join(' ');
  }

  /** A migration by another process takes the log away, with the triggers of all tables. */
  async #compare(): Promise<void> {
    const now = this.#clock.now().getTime();
    if (!this.#store.isShared || this.#watched.size === 0) return;
    if (this.#comparing === undefined && now - this.#comparedAt < trusted) return;
    this.#comparing ??= this.#store
      .schema(storedGenerations)
      .then((stored) => {
        this.#comparedAt = now;
        for (const [name, { generation }] of this.#watched) if (stored.get(name) !== generation) this.#forget(name);
      })
      .finally(() => {
        this.#comparing = undefined;
      });
    await this.#comparing;
  }

  #forget(table: string): void {
    this.#watched.delete(table);
    this.#isMade = false;
  }

  #stale(tables: readonly Recorded[]): readonly Recorded[] {
    const now = this.#clock.now().getTime();
    return tables.filter(({ table: { name } }) => now - (this.#watched.get(name)?.at ?? 0) > touched);
  }

  #begin(stale: Recorded): Promise<void> {
    const { name } = stale.table;
    const done = this.#inTurn(() => this.#store.schema((session) => this.#ensure(stale, session))).finally(() => {
      this.#ensuring.delete(name);
    });
    this.#ensuring.set(name, done);
    return done;
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= mostAtOnce) await Promise.race(this.#running);
    const done = work();
    // Whoever waits for a connection does not care how it went: that is told who asked for it.
    const ended: Promise<void> = done.then(ignore, ignore).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
    return done;
  }

  /** Of a log that is there already, only what an earlier version of the service has made is made anew, once: readers of it have to wait for that. */
  async #make(session: SchemaSession): Promise<void> {
    const { executor, ddl } = session;
    this.#making ??= inTransaction(session, ddl.changes.begin, async () => {
      for (const sql of ddl.changes.createLog) await executor.run(sql);
      this.#begins = await checkOrigin(session);
    })
      .then(() => {
        this.#isMade = true;
      })
      .finally(() => {
        this.#making = undefined;
      });
    await this.#making;
  }

  async #ensure({ table, hidden }: Recorded, session: SchemaSession): Promise<void> {
    const now = this.#clock.now().getTime();
    const { executor, ddl } = session;
    const p = ddl.dialect.parameter;
    let generation = '';
    if (!this.#isMade) await this.#make(session);
    const written = `${this.#begins}${[...hidden].sort().join()} `;
    await inTransaction(session, ddl.changes.beginTable(table.name), async () => {
      // A migration takes it away.
      this.#isMade = await isRecorded(session);
      if (!this.#isMade) return;
      const known = await executor.rows(`SELECT "generation" AS g FROM ${quote(watchedTable)} WHERE "source" = ${p(1)}`, [table.name]);
      const before = String(known[0]?.['g'] ?? '');
      const isSame = before.startsWith(written);
      generation = isSame ? before : `${written}${randomBytes(32).toString('base64url')}`;
      // A generation begins with triggers of its own, whatever is left of an earlier one.
      const begun = isSame ? [] : [...ddl.changes.dropTriggers(table.name), ...ddl.changes.createTriggers(table, hidden)];
      for (const sql of begun) await executor.run(sql);
      await touch(executor, p, [table.name, generation, now]);
    });
    // Only now: where it was rolled back, nothing of it is recorded. Where there was no log, whoever waits asks for it again.
    if (generation !== '') this.#watched.set(table.name, { at: now, generation });
  }

  /** Where the log stands: everything before it can be read, nothing behind it is. */
  async head(): Promise<Place> {
    return this.#store.schema(async ({ executor, ddl }) => {
      const [row] = await executor.rows(ddl.changes.head);
      return placeOf(row);
    });
  }

  /** Whether the log has come to this place and the change at it is still the one that was there: a database that was put back has others, or none yet. */
  async isKnown({ tx, seq, at = 0 }: Place): Promise<boolean> {
    const row = await this.#store.read((reader) => reader.one(changeAt, [tx, seq]));
    if (Number(row?.columns[0] ?? 0) !== at) return false;
    return (
      at !== 0 ||
      this.#store.schema(async ({ executor, ddl }) => !isBefore(placeOf((await executor.rows(ddl.changes.end))[0]), { tx, seq }))
    );
  }

  /** Whether everything behind a place is still in the log. */
  async holds(place: Place, reader?: Reader): Promise<boolean> {
    const read = (from: Reader): Awaitable<Row | undefined> => from.one(prunedPlace, [1]);
    const row = await (reader === undefined ? this.#store.read(read) : read(reader));
    const [tx, seq] = row?.columns ?? [];
    return row !== undefined && !isBefore(place, { tx: Number(tx), seq: Number(seq) });
  }

  async isForgotten(): Promise<boolean> {
    const isThere = await this.#store.schema(isRecorded);
    if (!isThere) for (const name of [...this.#watched.keys()]) this.#forget(name);
    return !isThere;
  }

  /** Takes away what is too old or too much, and ends what nobody has watched for a day. */
  async prune(): Promise<void> {
    const now = this.#clock.now().getTime();
    await this.#store.schema(async (session) => {
      const { executor, ddl } = session;
      if (!(await isRecorded(session))) return;
      await inTransaction(session, ddl.changes.begin, async () => {
        const p = ddl.dialect.parameter;
        const log = quote(changesTable.name);
        const old = await executor.rows(
          `SELECT "tx" AS tx, "seq" AS seq FROM ${log} WHERE "at" < ${p(1)} OR "seq" <= (SELECT max("seq") FROM ${log}) - ${mostChanges} ORDER BY "tx" DESC, "seq" DESC LIMIT 1`,
          [now - day],
        );
        const last = old[0];
        if (last !== undefined) {
          const place = [Number(last['tx']), Number(last['seq'])];
          await executor.run(`UPDATE ${quote(pruneState)} SET "tx" = ${p(1)}, "seq" = ${p(2)}`, place);
          await executor.run(`DELETE FROM ${log} WHERE "tx" < ${p(1)} OR ("tx" = ${p(2)} AND "seq" < ${p(3)})`, [place[0], ...place]);
          // Whoever has been told it, and of nothing since, goes on from it: that it is the same is seen by its time.
          await executor.run(
            `UPDATE ${log} SET "before" = NULL, "after" = NULL, "old_key" = NULL, "new_key" = NULL WHERE "tx" = ${p(1)} AND "seq" = ${p(2)}`,
            place,
          );
        }
        const left = await executor.rows(`SELECT "source" AS s FROM ${quote(watchedTable)} WHERE "last" < ${p(1)}`, [now - day]);
        for (const row of left) {
          for (const sql of ddl.changes.dropTriggers(String(row['s']))) await executor.run(sql);
          await executor.run(`DELETE FROM ${quote(watchedTable)} WHERE "source" = ${p(1)}`, [String(row['s'])]);
          this.#watched.delete(String(row['s']));
        }
      });
    });
  }
}

async function touch(executor: Executor, p: (position: number) => string, values: readonly unknown[]): Promise<void> {
  await executor.run(
    `INSERT INTO ${quote(watchedTable)} ("source", "generation", "last") VALUES (${p(1)}, ${p(2)}, ${p(3)}) ON CONFLICT ("source") DO UPDATE SET "generation" = excluded."generation", "last" = excluded."last"`,
    values,
  );
}

/** A migration makes other tables of them: what was recorded before says nothing about those. */
export async function forgetChanges(session: SchemaSession): Promise<void> {
  const { executor } = session;
  if (!(await isRecorded(session))) return;
  const watched = await executor.rows(`SELECT "source" AS s FROM ${quote(watchedTable)}`);
  for (const sql of forgetting(
    watched.map((row) => String(row['s'])),
    session,
  ))
    await executor.run(sql);
}

/** The same for later, by hand: whatever of these tables is watched by then. Fails, by the key of the state, where nothing was recorded before and something is then. */
export async function forgetChangesLater(tables: readonly string[], state: string, session: SchemaSession): Promise<readonly string[]> {
  if (await isRecorded(session)) return forgetting(tables, session);
  const isThere = session.ddl.tableExists.replace(session.ddl.dialect.parameter(1), () => quoteText(changesTable.name));
  return [`INSERT INTO ${quote(state)} ("key", "value") SELECT 'digest', '' WHERE EXISTS (${isThere})`];
}

/** By the names of the tables. */
async function storedGenerations(session: SchemaSession): Promise<ReadonlyMap<string, string>> {
  if (!(await isRecorded(session))) return new Map();
  const rows = await session.executor.rows(`SELECT "source" AS s, "generation" AS g FROM ${quote(watchedTable)}`);
  return new Map(rows.map(({ s, g }) => [String(s), String(g)]));
}

async function isRecorded({ executor, ddl }: SchemaSession): Promise<boolean> {
  return (await executor.rows(ddl.tableExists, [changesTable.name])).length > 0;
}

function forgetting(tables: readonly string[], { ddl: { changes } }: SchemaSession): readonly string[] {
  return [...tables.flatMap((each) => changes.dropTriggers(each)), ...changes.dropLog];
}

function ignore(): void {}

async function inTransaction(session: SchemaSession, begin: readonly string[], work: () => Promise<void>): Promise<void> {
  const { executor, ddl } = session;
  let isBegun = false;
  try {
    for (const sql of begin) {
      await executor.run(sql);
      isBegun = true;
    }
    await work();
    await executor.run('COMMIT');
  } catch (thrown) {
    if (isBegun) await executor.run('ROLLBACK');
    throw ddl.changes.failure(thrown);
  }
}

const changeAt: Select = {
  kind: 'select',
  table: changesTable,
  output: { fields: [], columns: ['at'] },
  where: both(equal('tx'), equal('seq')),
  order: [],
  limit: false,
  offset: false,
};

const prunedPlace: Select = {
  kind: 'select',
  table: prunedTable,
  output: { fields: [], columns: ['tx', 'seq'] },
  where: equal('id'),
  order: [],
  limit: false,
  offset: false,
};
