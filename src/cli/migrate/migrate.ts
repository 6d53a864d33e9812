// `platform migrate`: plans, applies, tells, undoes and purges migrations of the project's database.

import { systemClock } from '../../clock.ts';
import { compile } from '../../plan/compile.ts';
import type { Table } from '../../plan/rows/table.ts';
import { type RenameCandidate, withFormerNames } from '../../store/migration/diff/rename-candidates.ts';
import { lockText } from '../../store/migration/lock-text.ts';
import {
  applyMigration,
  type MigrationPlan,
  migrationStatus,
  planMigration,
  purgeRetired,
  undoMigration,
} from '../../store/migration/migration.ts';
import { openStore } from '../../store/open.ts';
import { readSchemaOf } from '../../store/snapshot.ts';
import type { SchemaSession } from '../../store/sql/ddl.ts';
import type { MigrationAbout, Store } from '../../store/store.ts';
import { load, type Ready } from '../load.ts';
import { keepLock } from '../lock-file.ts';
import { counted, report } from '../report.ts';
import { type Terminal, withProgress } from '../terminal.ts';
import { blockedLines, changeLines, planJson, planText, statusJson, statusText } from './report.ts';
import { unusedValue, withGivenValues } from './values.ts';

export interface MigrateOptions {
  readonly config?: string;
  readonly sql?: boolean;
  readonly check?: boolean;
  readonly json?: boolean;
  readonly yes?: boolean;
  /** `Entity.attribute=value`. */
  readonly set?: readonly string[];
}

export function plan(path: string, options: MigrateOptions, terminal: Terminal): Promise<number> {
  return beside(path, options, terminal, async (session, tables, about) => {
    const found = await planMigration(session, tables, about);
    if (isUnused(tables, found, terminal)) return 1;
    if (options.sql === true) terminal.out(found.script.join('\n'));
    else terminal.out(options.json === true ? planJson(found) : planText(found, terminal.colours));
    return options.check === true && found.changes.length > 0 ? 1 : 0;
  });
}

export function apply(path: string, options: MigrateOptions, terminal: Terminal): Promise<number> {
  return withDatabase(path, options, terminal, async ({ store, tables, about, ready }) => {
    const first = await store.schema((session) => planMigration(session, tables));
    const answers = options.yes === true ? [] : await askForNames(first.lookalikes, terminal);
    const wanted = answers.length === 0 ? tables : withFormerNames(tables, answers);
    const found = answers.length === 0 ? first : await store.schema((session) => planMigration(session, wanted));
    if (isUnused(wanted, found, terminal)) return 1;
    if (found.changes.some((each) => each.blocked !== undefined)) {
      terminal.err(['platform: nothing was changed; in the way:', ...blockedLines(found.changes)].join('\n'));
      return 1;
    }
    if (!(await isWanted(found, options, terminal))) return 1;
    const words = await store.schema((session) => applyMigration(session, wanted, about));
    await keepLockOf(store, ready, terminal);
    tell(words, options, terminal, 'Nothing to do: the database fits the model.', 'Done:');
    return 0;
  });
}

export function status(path: string, options: MigrateOptions, terminal: Terminal): Promise<number> {
  return beside(path, options, terminal, async (session, tables) => {
    const found = await migrationStatus(session, tables);
    terminal.out(options.json === true ? statusJson(found) : statusText(found, terminal.colours));
    return 0;
  });
}

export function undo(path: string, options: MigrateOptions, terminal: Terminal): Promise<number> {
  return withDatabase(path, options, terminal, async ({ store, tables, about, ready }) => {
    const { history } = await store.schema((session) => migrationStatus(session, tables));
    const last = history.findLast((each) => !each.undone && each.kind !== 'undo');
    if (last?.before !== undefined && options.yes !== true && terminal.ask !== undefined) {
      terminal.err([`Migration ${last.number} of ${last.time}:`, ...last.words.map((each) => `  ${each}`)].join('\n'));
      if (!isYes(await terminal.ask('Take it back? [y/N] '))) return refusedByPerson(terminal);
    }
    const words = await store.schema((session) => undoMigration(session, about));
    await keepLockOf(store, ready, terminal);
    tell(words, options, terminal, 'Nothing to do.', 'Taken back:');
    return 0;
  });
}

export function purge(path: string, options: MigrateOptions, terminal: Terminal): Promise<number> {
  return withDatabase(path, options, terminal, async ({ store, tables, about, ready }) => {
    const { retired } = await store.schema((session) => migrationStatus(session, tables));
    if (retired.length > 0 && options.yes !== true) {
      if (terminal.ask === undefined) {
        terminal.err(`platform: ${counted(retired.length, 'retired thing')} would be removed for good; say --yes`);
        return 1;
      }
      terminal.err(retired.map((each) => `  ${each.name} (${each.type}), ${counted(each.rows, 'row')}`).join('\n'));
      if (!isYes(await terminal.ask('Remove them for good? [y/N] '))) return refusedByPerson(terminal);
    }
    const words = await store.schema((session) => purgeRetired(session, about));
    await keepLockOf(store, ready, terminal);
    tell(words, options, terminal, 'Nothing is retired.', 'Removed:');
    return 0;
  });
}

interface Around {
  readonly ready: Ready;
  readonly store: Store;
  readonly tables: readonly Table[];
  readonly about: MigrationAbout;
}

async function withDatabase(
  path: string,
  options: MigrateOptions,
  terminal: Terminal,
  work: (around: Around) => Promise<number>,
): Promise<number> {
  const ready = await readModel(path, options, terminal);
  if (ready === undefined) return 1;
  const tables = tablesOf(ready, options, terminal);
  if (tables === undefined) return 2;
  const store = openStore(ready.settings.store, systemClock());
  try {
    return await work({ ready, store, tables, about: { version: ready.project.version } });
  } finally {
    await store.close();
  }
}

/** Only looks, and so disturbs nobody who has the database. */
async function beside(
  path: string,
  options: MigrateOptions,
  terminal: Terminal,
  work: (session: SchemaSession, tables: readonly Table[], about: MigrationAbout) => Promise<number>,
): Promise<number> {
  const ready = await readModel(path, options, terminal);
  if (ready === undefined) return 1;
  const tables = tablesOf(ready, options, terminal);
  if (tables === undefined) return 2;
  return readSchemaOf(ready.settings.store, systemClock(), (session) => work(session, tables, { version: ready.project.version }));
}

function tablesOf({ model }: Ready, { set = [] }: MigrateOptions, terminal: Terminal): readonly Table[] | undefined {
  const { tables, refusal } = withGivenValues(compile(model), set);
  if (refusal !== undefined) terminal.err(`platform: ${refusal}`);
  return refusal === undefined ? tables : undefined;
}

function isUnused(tables: readonly Table[], { changes }: MigrationPlan, terminal: Terminal): boolean {
  const unused = unusedValue(tables, changes);
  if (unused !== undefined) terminal.err(`platform: ${unused}`);
  return unused !== undefined;
}

async function readModel(path: string, { config }: MigrateOptions, terminal: Terminal): Promise<Ready | undefined> {
  const loaded = await withProgress(terminal, 'Reading the model', () => load({ path, config, keepsStoreId: true }, terminal));
  const { model, diagnostics, sources } = loaded;
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  return model === undefined ? undefined : { ...loaded, model };
}

/** What is gone and what is new could be one thing: only a person knows. */
async function askForNames(lookalikes: readonly RenameCandidate[], terminal: Terminal): Promise<readonly RenameCandidate[]> {
  const answers: RenameCandidate[] = [];
  for (const each of terminal.ask === undefined ? [] : lookalikes) {
    const [now, old] = each.column === undefined ? [each.table, each.was] : [`${each.table}.${each.column}`, `${each.table}.${each.was}`];
    if (isYes((await terminal.ask?.(`Is ${now} what was ${old} before? [y/N] `)) ?? '')) answers.push(each);
  }
  return answers;
}

async function isWanted(found: MigrationPlan, options: MigrateOptions, terminal: Terminal): Promise<boolean> {
  if (found.changes.length === 0 || options.yes === true) return true;
  const asked = found.changes.filter((each) => each.asks);
  if (terminal.ask === undefined && asked.length > 0) {
    terminal.err(['platform: nothing was changed; say --yes where this is meant:', ...asked.map(({ words }) => `  - ${words}`)].join('\n'));
    return false;
  }
  if (terminal.ask === undefined) return true;
  terminal.err(changeLines(found.changes).join('\n'));
  if (isYes(await terminal.ask(`Do ${found.changes.length === 1 ? 'it' : 'them'}? [y/N] `))) return true;
  refusedByPerson(terminal);
  return false;
}

function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}

function refusedByPerson(terminal: Terminal): number {
  terminal.err('platform: nothing was changed');
  return 1;
}

function tell(words: readonly string[], { json }: MigrateOptions, terminal: Terminal, nothing: string, title: string): void {
  if (json === true) terminal.out(JSON.stringify({ done: words }, undefined, 2));
  else terminal.out(words.length === 0 ? nothing : [title, ...words.map((each) => `  ${each}`)].join('\n'));
}

async function keepLockOf(store: Store, { project }: Ready, terminal: Terminal): Promise<void> {
  if (terminal.embedded !== undefined) return;
  const fault = await keepLock(project, () => store.schema((session) => lockText(session, undefined)));
  if (fault !== undefined) terminal.err(`platform: ${fault}`);
}
