// `platform store copy`: moves all data of a project from one store to another, and checks that it arrived.

import { systemClock } from '../../clock.ts';
import { compile } from '../../plan/compile.ts';
import type { Table } from '../../plan/rows/table.ts';
import { copyTables } from '../../store/copy.ts';
import { retiredNames } from '../../store/migration/state.ts';
import { openStore } from '../../store/open.ts';
import { readSnapshot } from '../../store/snapshot.ts';
import { StartRefused } from '../../store/store.ts';
import { load } from '../load.ts';
import { counted, report } from '../report.ts';
import type { Terminal } from '../terminal.ts';
import { placeOf, storeAt } from './store-location.ts';

export interface CopyOptions {
  readonly config?: string;
  /** `sqlite:<file>`, `postgres://…`, or `config:<file>`; without it the store of the project. */
  readonly from?: string;
  readonly to: string;
}

export async function copyStore(path: string, options: CopyOptions, terminal: Terminal): Promise<number> {
  const { project, model, settings, diagnostics, sources } = await load({ path, config: options.config, keepsStoreId: false }, terminal);
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return 1;
  const { tables } = compile(model);
  const from = options.from === undefined ? settings.store : await storeAt(options.from, path, terminal);
  const target = await storeAt(options.to, path, terminal);
  if (placeOf(from) === placeOf(target)) throw new StartRefused(`${placeOf(target)} is where the data comes from.`);
  const clock = systemClock();
  const { copied, retired } = await readSnapshot({ settings: from, clock, tables }, async (reader) => {
    const to = openStore(target, clock);
    try {
      await to.migrate(tables, { version: project.version });
      return { copied: await copyTables(tables, reader, to, progressOn(terminal)), retired: await retiredNames(reader) };
    } finally {
      await to.close();
    }
  });
  wipe(terminal);
  for (const { table, rows, digest } of copied) terminal.out(`${String(rows).padStart(10)}  ${digest.slice(0, 12)}  ${table}`);
  const total = copied.reduce((sum, each) => sum + each.rows, 0);
  terminal.out(`${counted(total, 'row')} in ${counted(copied.length, 'table')} copied to ${placeOf(target)}; counts and hashes agree`);
  if (retired.length > 0) terminal.err(`platform: what is retired is not in the copy, and stays where it was: ${retired.join(', ')}`);
  return 0;
}

function progressOn(terminal: Terminal): (table: Table, rows: number, total: number) => void {
  if (!terminal.isTerminal) return () => {};
  return ({ name }, rows, total) => {
    const done = total === 0 ? 1 : Math.min(1, rows / total);
    const bar = '#'.repeat(Math.round(done * 20)).padEnd(20, '.');
    process.stderr.write(`\r\u001b[K${terminal.colours.dim(`${bar} ${rows} of ${total}  ${name}`)}`);
  };
}

function wipe(terminal: Terminal): void {
  if (terminal.isTerminal) process.stderr.write('\r\u001b[K');
}
