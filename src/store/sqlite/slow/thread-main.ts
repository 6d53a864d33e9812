// The inside of a thread that reads: a connection of its own to the same file, and one statement after the other.

import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { ByteCache, CacheBound } from '../../../byte-cache.ts';
import { type Clock, systemClock } from '../../../clock.ts';
import { isError } from '../../../errors.ts';
import { bytesOf, fetchRows, prepareSql } from '../connection/statement.ts';
import { type Database, findDriver, openDatabase, type PreparedStatement } from '../driver.ts';
import { errorCodeOf } from '../errors.ts';
import {
  busySignal,
  endOfQuestions,
  endSignal,
  flattened,
  isThreadStart,
  type ThreadAnswer,
  type ThreadQuery,
  type ThreadStart,
} from './thread-messages.ts';
import { StatementWatch } from './watch.ts';

/** The file that a thread is started with: this one, in whatever it is bundled. */
export const threadFile: string = import.meta.url;

/** Bytes of the statements that are kept prepared. */
const mostKept = 4 * 1024 * 1024;

// Above what begins the thread: it is used at once.
if (!isMainThread && parentPort !== null && isThreadStart(workerData)) serve(parentPort, workerData);

function serve(port: MessagePort, { reads, signals }: ThreadStart): void {
  const database = openDatabase(findDriver(), reads, 'read');
  const clock = systemClock();
  const watch = new StatementWatch(database, clock, { isUnwanted: () => Atomics.load(signals, endSignal) === 1 });
  const cached = new ByteCache<string, PreparedStatement>(new CacheBound(mostKept), (statement) => statement.finalize?.());
  port.on('message', (question: ThreadQuery | typeof endOfQuestions) => {
    if (question === endOfQuestions) {
      cached.clear();
      watch.close();
      database.close();
      port.close();
      return;
    }
    Atomics.store(signals, busySignal, 1);
    port.postMessage(answered(question, database, cached, watch, clock));
    Atomics.store(signals, busySignal, 0);
    Atomics.notify(signals, busySignal);
  });
  port.postMessage({ kind: 'ready' } satisfies ThreadAnswer);
}

type Statements = ByteCache<string, PreparedStatement>;

/** Statements are reset when they return: each sees the newest state, and none is held on to. */
function answered(question: ThreadQuery, database: Database, cached: Statements, watch: StatementWatch, clock: Clock): ThreadAnswer {
  const begun = clock.now().getTime();
  try {
    database.limits.length = question.longest;
    watch.bound(question.longest);
    const rows = watch.during(begun + question.time, () =>
      fetchRows(statementFor(question, database, cached), question.fetch, question.parameters, () => watch.look()),
    );
    return flattened(rows);
  } catch (thrown) {
    if (isError(thrown, 'store-busy')) return { kind: 'late' };
    return { kind: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown), code: errorCodeOf(thrown) };
  }
}

function statementFor({ sql, bigints, parameters }: ThreadQuery, database: Database, cached: Statements): PreparedStatement {
  const known = cached.get(sql);
  if (known !== undefined) return known;
  const statement = prepareSql(database, sql, bigints);
  cached.set(sql, statement, bytesOf({ sql, parameters: parameters.length }));
  return statement;
}
