// `platform import`: puts exported instances and links back, checked line by line; cut off, it goes on where it was.

import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { systemClock } from '../../../clock.ts';
import { restore } from '../../../engine/restore/restore.ts';
import { restoreTogether } from '../../../engine/restore/together.ts';
import { loadFunctions } from '../../../functions/functions.ts';
import { compile } from '../../../plan/compile.ts';
import type { Plan } from '../../../plan/plan.ts';
import { plansInOrder } from '../../../plan/rows/transfer.ts';
import { hashSecret } from '../../../secrets.ts';
import { readHistory } from '../../../store/migration/state.ts';
import { openStore, type StoreSettings } from '../../../store/open.ts';
import { StartRefused, type Store } from '../../../store/store.ts';
import { load } from '../../load.ts';
import { type CommandRecorder, openRecorder } from '../../recorder.ts';
import { counted, report, shownPath } from '../../report.ts';
import type { Terminal } from '../../terminal.ts';
import { fileOf, planNamed } from '../files.ts';
import { placeOf } from '../store-location.ts';
import { claimImport } from './claim.ts';
import { openLedger } from './ledger.ts';
import type { ImportFile } from './records.ts';
import { type ImportTotal, runImport } from './run.ts';

export interface ImportOptions {
  readonly config?: string;
  readonly entity?: string;
  /** Ends at the first line that does not fit. */
  readonly strict?: boolean;
  readonly checkpoint?: string;
}

export async function importData(from: string, path: string, options: ImportOptions, terminal: Terminal): Promise<number> {
  const { project, model, settings, diagnostics, sources } = await load({ path, config: options.config, keepsStoreId: true }, terminal);
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return 1;
  const plan = compile(model);
  const source = resolve(terminal.folder, from);
  const files = filesOf(source, plan, options.entity);
  const clock = systemClock();
  const failed = (_: unknown, message: string) => terminal.err(`platform: ${message}`);
  const functions = await loadFunctions(model, {
    folder: project.folder,
    clock,
    limit: settings.service.limits.function,
    loaded: new Map(),
    failed,
    logged: (line) => terminal.err(line),
  });
  const store = openStore(settings.store, clock);
  let audit: CommandRecorder | undefined;
  try {
    await store.migrate(plan.tables, { version: project.version });
    audit = await openRecorder(settings, plan, store, clock, terminal);
    const { memory, tree, flow } = settings.service.limits;
    const parts = {
      plan,
      store,
      clock,
      functions,
      hash: hashSecret,
      recorder: audit.recorder,
      limits: { memory, tree: { instances: tree.size, depth: tree.depth, bytes: tree.bytes }, flow },
    };
    const checkpoint = options.checkpoint === undefined ? defaultCheckpoint(source) : resolve(terminal.folder, options.checkpoint);
    const claim = await claimImport(store, checkpoint, randomUUID());
    const place = { checkpoint, target: await databaseAt(settings.store, store), files: files.map((each) => each.file) };
    const total = await runImport({
      files,
      plan,
      strict: options.strict === true,
      ledger: openLedger(place, claim),
      restore: (items, note) => restore(items, parts, note),
      restoreTogether: (items, note) => restoreTogether(items, parts, note),
      tell: (file, line, message) => terminal.err(`${shownPath(file, terminal.folder)}:${line}: ${message}`),
    });
    await claim.end();
    return finish(total, terminal);
  } finally {
    await audit?.close();
    await store.close();
  }
}

/** A database that was made anew in the same place is another one. */
async function databaseAt(settings: StoreSettings, store: Store): Promise<string> {
  const [first] = await store.schema((session) => readHistory(session));
  return `${placeOf(settings)} ${first?.time ?? ''}`.trimEnd();
}

function finish(total: ImportTotal, terminal: Terminal): number {
  const parts = [
    `${counted(total.added, 'instance')} added`,
    ...(total.same > 0 ? [`${total.same} already there`] : []),
    ...(total.before > 0 ? [`${counted(total.before, 'line')} done before`] : []),
    ...(total.refused > 0 ? [`${counted(total.refused, 'line')} refused`] : []),
  ];
  terminal.out(parts.join(', '));
  return total.refused > 0 ? 1 : 0;
}

/** A folder holds a file for each entity and link; they are read in the order in which nothing lacks what it points at. */
function filesOf(source: string, plan: Plan, entity: string | undefined): readonly ImportFile[] {
  if (!existsSync(source)) throw new StartRefused(`There is no file or folder ${source}.`);
  const named = entity === undefined ? undefined : planNamed(plan, entity);
  const plans = plansInOrder(plan);
  if (!statSync(source).isDirectory()) {
    const byName = plans.find((each) => basename(source) === fileOf(each.type, 'csv'));
    const found = named ?? byName;
    if (source.endsWith('.csv') && found === undefined) throw new StartRefused(`Say with --entity what ${source} holds.`);
    return [{ file: source, plan: found }];
  }
  const known = plans.flatMap((each) => (['jsonl', 'csv'] as const).map((format) => ({ file: fileOf(each.type, format), plan: each })));
  const present = new Set(readdirSync(source).filter((name) => /\.(jsonl|csv)$/.test(name)));
  const unknown = [...present].filter((name) => known.every((each) => each.file !== name));
  if (unknown.length > 0) throw new StartRefused(`${join(source, unknown[0] ?? '')} is no entity or link of the model.`);
  const found = known.filter((each) => present.has(each.file) && (named === undefined || named === each.plan));
  if (found.length === 0) throw new StartRefused(`There is nothing to import in ${source}.`);
  return found.map((each) => ({ file: join(source, each.file), plan: each.plan }));
}

function defaultCheckpoint(source: string): string {
  return statSync(source).isDirectory() ? join(source, '.import.json') : `${source}.import.json`;
}
