// `POST /platform/backup`: a copy of the data at one moment, as a download. A server has tools of its own for that.

import type { Caller } from '../engine/caller.ts';
import { userOf } from '../engine/caller.ts';
import { error } from '../errors.ts';
import type { HttpRequest, HttpResponse } from '../http/exchange.ts';
import { downloadSqlite } from '../store/sqlite/backup/download.ts';
import { parametersIn } from './answer.ts';
import type { OperatorParts } from './parts.ts';

const dumpAdvice = 'The data is on a PostgreSQL server: pg_dump --format=custom backs it up while the service runs.';

export async function backupAnswer(
  request: HttpRequest,
  caller: Caller,
  parts: OperatorParts,
  running: Set<string>,
): Promise<HttpResponse> {
  parametersIn(request);
  const { settings, clock, name, log } = parts;
  const { store } = settings;
  if (store.type !== 'sqlite') throw error('not-available', { detail: dumpAdvice });
  // Each takes as much of the disk as the database.
  if (running.size > 0) throw error('service-busy', { detail: 'Another backup is being made.', retryAfter: 10 });
  running.add(request.id);
  const ended = (): void => void running.delete(request.id);
  const download = await downloadSqlite(store.file, clock).catch((thrown: unknown) => {
    ended();
    throw thrown;
  });
  const { bytes, pieces } = download;
  log.info({ bytes, user: userOf(caller) ?? null }, 'a backup is downloaded');
  const moment = clock.now().toISOString().slice(0, 19).replaceAll(':', '-');
  return {
    status: 200,
    headers: {
      'content-type': 'application/vnd.sqlite3',
      'content-length': String(bytes),
      'content-disposition': `attachment; filename="${name.replace(/[^\w.-]+/g, '-')}-${moment}.db"`,
      'cache-control': 'no-store',
    },
    body: undefined,
    bytes: untilEnd(pieces, bytes, ended),
  };
}

/** Written out, as an iterator that was never asked for anything must still be closed. */
export function untilEnd(pieces: AsyncIterable<Buffer>, bytes: number, ended: () => void): AsyncIterable<Buffer> {
  let given = 0;
  const iterator = pieces[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const result = await iterator.next().catch((thrown: unknown) => {
          ended();
          throw thrown;
        });
        given += result.done === true ? 0 : result.value.length;
        // Whoever has all of it may ask for another at once.
        if (result.done === true || given === bytes) ended();
        return result;
      },
      async return() {
        // A generator that has not begun would not come to its end by being closed.
        try {
          await iterator.next();
          await iterator.return?.();
        } finally {
          ended();
        }
        return { done: true, value: undefined };
      },
    }),
  };
}
