// The first connection of a start: a server that is not there yet is waited for, one that cannot serve is refused in a line.

import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformError } from '../../errors.ts';
import { StartRefused } from '../store.ts';
import { codeOf, isAbsent, isLost, readOnly, reasonOf, withoutValues } from './errors.ts';
import type { PostgresSession, PostgresSettings } from './session.ts';

/** Milliseconds that a start waits for the server, and those between two tries. */
const longestWait = 10_000;
const pause = 200;

/** What the statements ask of the server. */
const oldest = 130_000;

export async function openFirstConnection(settings: PostgresSettings, connect: () => Promise<PostgresSession>): Promise<PostgresSession> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), longestWait);
  try {
    for (;;) {
      try {
        return await checked(await connect(), settings);
      } catch (thrown) {
        if (thrown instanceof StartRefused) throw thrown;
        if (!isAbsent(thrown)) throw refusal(settings, thrown, 'refuses the connection', 'store.username, store.password and store.dbname');
        if (controller.signal.aborted) throw refusal(settings, thrown, 'cannot be reached', 'store.host and store.port');
      }
      await sleep(pause);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** What the server says no to while tables are looked at or changed, in a line; what is no word of the server's is a bug. */
export function toRefusal(settings: PostgresSettings, thrown: unknown): unknown {
  if (thrown instanceof StartRefused || thrown instanceof PlatformError) return thrown;
  const { dbname } = settings;
  if (isLost(thrown) && codeOf(thrown) !== readOnly) {
    const after = 'platform migrate status tells whether something was changed';
    return new StartRefused(`The connection to ${nameOf(settings)} was lost: ${reasonOf(thrown)}; ${after}.`, thrown);
  }
  const code = codeOf(thrown);
  if (code === undefined) return thrown;
  const advice = advices.get(code);
  const more = advice === undefined ? '' : `; ${advice}`;
  return new StartRefused(
    `${nameOf(settings)} refuses to change or to tell the tables of ${dbname}: ${reasonOf(withoutValues(thrown))}; nothing was changed${more}.`,
    thrown,
  );
}

const advices: ReadonlyMap<string, string> = new Map([
  ['3F000', 'the role in store.username has no schema that it may use'],
  ['42501', 'the role in store.username must own the tables, and be allowed to make some'],
  [readOnly, 'a standby, or a database that is set so, takes no writes'],
  ['42P07', 'the database holds something of that name from elsewhere, see store.dbname'],
  ['42703', 'the database holds something of that name from elsewhere, see store.dbname'],
  ['55P03', 'a table was in use for too long, try again'],
  ['40P01', 'another transaction was in the way, try again'],
  ['53100', 'the disk of the server is full'],
]);

function refusal(settings: PostgresSettings, thrown: unknown, what: string, keys: string): StartRefused {
  return new StartRefused(`${nameOf(settings)} ${what}: ${reasonOf(thrown)}; see ${keys}.`, thrown);
}

function nameOf({ host, port }: PostgresSettings): string {
  return `PostgreSQL at ${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function checked(session: PostgresSession, settings: PostgresSettings): Promise<PostgresSession> {
  const sql = `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`;
  const [row] = await session.executor().rows(sql);
  const faults = [
    ...(Number(row?.['version'] ?? 0) < oldest ? ['it is older than version 13'] : []),
    ...(row?.['encoding'] === 'UTF8' ? [] : [`its database ${settings.dbname} is kept in ${String(row?.['encoding'])} and not in UTF8`]),
  ];
  if (faults.length === 0) return session;
  await session.end();
  throw new StartRefused(`${nameOf(settings)} cannot be used: ${faults.join(', and ')}.`);
}
