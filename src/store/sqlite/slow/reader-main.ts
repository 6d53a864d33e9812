// The inside of a process that reads: a connection of its own to the same file, and one statement after the other.

import { ByteCache, CacheBound } from '../../../byte-cache.ts';
import { type Clock, systemClock } from '../../../clock.ts';
import { isError } from '../../../errors.ts';
import { type Database, findDriver, openDatabase, type PreparedStatement } from '../driver.ts';
import { errorCodeOf } from '../errors.ts';
import { bytesOf, fetchRows, prepareSql } from '../statement.ts';
import { type Answer, fileToRead, flattened, type Question } from './messages.ts';
import { StatementWatch } from './time-limit.ts';

/** The file that such a process is started with: this one, in whatever it is bundled. */
export const readerFile: string = import.meta.url;

/** Bytes of the statements that are kept prepared. */
const mostKept = 4 * 1024 * 1024;
/** The service kills this process when a statement exceeds its time. Without a service, the statement ends so many milliseconds later by itself. */
const patience = 1000;

// Above what begins the process: it is used at once.
const file = fileToRead();
if (file !== undefined) serve(file);

function serve(reads: string): void {
  const database = openDatabase(findDriver(), reads, 'read');
  const clock = systemClock();
  const watch = new StatementWatch(database, clock);
  const cached = new ByteCache<string, PreparedStatement>(new CacheBound(mostKept), (statement) => statement.finalize?.());
  process.on('message', (question: Question) => process.send?.(answered(question, database, cached, watch, clock)));
  // It ends with the service, not by a signal to all processes: the service still answers the requests under way.
  process.on('disconnect', () => process.exit()).on('SIGTERM', () => {});
}

type Statements = ByteCache<string, PreparedStatement>;

/** Statements are reset when they return: each sees the newest state, and none is held on to. */
function answered(question: Question, database: Database, cached: Statements, watch: StatementWatch, clock: Clock): Answer {
  try {
    database.limits.length = question.longest;
    watch.bound(question.longest);
    const rows = watch.during(clock.now().getTime() + question.time + patience, () =>
      fetchRows(statementFor(question, database, cached), question.fetch, question.parameters, () => watch.look()),
    );
    return flattened(rows);
  } catch (thrown) {
    if (isError(thrown, 'store-busy')) return { kind: 'late' };
    return { kind: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown), code: errorCodeOf(thrown) };
  }
}

function statementFor({ sql, bigints, parameters }: Question, database: Database, cached: Statements): PreparedStatement {
  const known = cached.get(sql);
  if (known !== undefined) return known;
  const statement = prepareSql(database, sql, bigints);
  cached.set(sql, statement, bytesOf({ sql, parameters: parameters.length }));
  return statement;
}
