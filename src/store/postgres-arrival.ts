// The first connection of a start: a server that is not there yet is waited for, one that cannot serve is refused in a line.

import { setTimeout as sleep } from 'node:timers/promises';
import { isAbsent, reasonOf } from './postgres-errors.ts';
import type { PostgresSession, PostgresSettings } from './postgres-session.ts';
import { StartRefused } from './store.ts';

/** Milliseconds that a start waits for the server (decisions 11.1), and those between two tries. */
const longestWait = 10_000;
const pause = 200;

/** What the statements ask of the server. */
const oldest = 130_000;

export async function arrive(settings: PostgresSettings, connect: () => Promise<PostgresSession>): Promise<PostgresSession> {
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
