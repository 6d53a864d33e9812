// `platform backup`: a copy of the data at one moment, taken while the service runs.

import { resolve } from 'node:path';
import { systemClock } from '../../clock.ts';
import { inWords } from '../../store/migration/mend-paths.ts';
import type { PostgresSettings } from '../../store/postgres/session.ts';
import { backupSqlite } from '../../store/sqlite/backup/backup.ts';
import { load } from '../load.ts';
import { counted, report, shownPath } from '../report.ts';
import { type Terminal, withProgress } from '../terminal.ts';

export async function backup(target: string, path: string, options: { config?: string }, terminal: Terminal): Promise<number> {
  const loaded = await load({ path, config: options.config, keepsStoreId: false }, terminal);
  const { model, settings, diagnostics, sources } = loaded;
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return 1;
  const { store } = settings;
  if (store.type !== 'sqlite') {
    terminal.err(dumpAdvice(store, target));
    return 1;
  }
  const file = resolve(terminal.folder, target);
  const { bytes, rows, astray } = await withProgress(terminal, 'Copying', () => backupSqlite(store.file, file, systemClock()));
  const total = [...rows.values()].reduce((sum, each) => sum + each, 0);
  terminal.out(
    `${shownPath(file, terminal.folder)}: ${counted(total, 'row')} in ${counted(rows.size, 'table')}, ${sizeOf(bytes)}, checked`,
  );
  for (const each of astray) terminal.err(`platform: the backup holds ${inWords(each)}; platform migrate apply mends them`);
  return 0;
}

/** A server has its own tools for this; the password is asked for by them, or stands where they look for it. */
function dumpAdvice({ host, port, username, dbname }: PostgresSettings, target: string): string {
  const [place, name, file] = [`--host=${shell(host)} --port=${port} --username=${shell(username)}`, shell(dbname), shell(target)];
  return [
    'platform: the data is on a PostgreSQL server; its own tools back it up while the service runs:',
    `  pg_dump ${place} --format=custom --file=${file} ${name}`,
    'and restore it into an empty database:',
    `  pg_restore ${place} --exit-on-error --single-transaction --dbname=${name} ${file}`,
  ].join('\n');
}

function shell(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
