// Runs an application against its oracle: a random course of requests, then everything that moves its data or changes its model.

import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import type { Log } from '../../src/http/server/log.ts';
import { command } from '../cli/harness.ts';
import { testTerminal } from '../docs/support.ts';
import { answerOf } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { counted, isLarge, seed } from '../support/form.ts';
import { storeOfRun } from '../support/store.ts';
import { Fraction } from './decimals.ts';
import { Random } from './random.ts';

export interface Application {
  readonly name: string;
  /** The project as its author wrote it: a folder beside this file. */
  readonly folder: string;
  /** How its configuration is written. */
  readonly surface: 'current' | 'earlier';
  oracle(random: Random): Oracle;
  /** The next version of its model: files by name, and what `migrate apply` is told besides. */
  readonly next: { readonly files: Readonly<Record<string, string>>; readonly apply: readonly string[] };
}

/** The application in plain code. */
export interface Oracle {
  /** Draws a request, says what it must be answered with, and does the same itself. */
  operation(): Operation;
  /** Requests that are sent at the same time; which answer is whose is not said, for any of them may come first. */
  together(): readonly Operation[];
  /** Each list that can be asked for, by its path and query, with everything it must hold, in its order. */
  lists(): ReadonlyMap<string, readonly object[]>;
  /** The same with the next version of the model. */
  nextLists(): ReadonlyMap<string, readonly object[]>;
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly target: string;
  readonly body?: unknown;
  /** The body as it is sent, where the order of its keys is none that an object of JavaScript has. */
  readonly text?: string;
  /** `refused` is any status of 4xx: where a request has two faults, which of them is told is not what this is about. */
  readonly status: number | 'refused';
  /** What the answer is, or holds where it is an error; absent where the status says it all. */
  readonly answer?: unknown;
  /** What stands in the text of the answer. */
  readonly shows?: string;
}

export type Request = Pick<Operation, 'method' | 'target' | 'body' | 'text'> & { readonly headers?: Readonly<Record<string, string>> };

const operations = counted({ long: 1000, short: 70, postgres: 35 });
const seeds = isLarge ? [seed, seed + 1, seed + 2] : [seed];

export function testApplication(application: Application): void {
  for (const seed of seeds) {
    test(`${application.name} answers as its oracle, also exported, imported, copied, restored and with a changed model (seed ${seed})`, async () => {
      await run(application, seed);
    }, 600_000);
  }
}

async function run(application: Application, seed: number): Promise<void> {
  const oracle = application.oracle(new Random(seed));
  const home = await placeFor(application, 'home', storeOfRun());
  await serving(home, async (ask) => {
    await course(oracle, ask, operations);
    await atOnce(oracle.together(), ask);
    await agrees(oracle.lists(), ask);
  });
  await imported(application, oracle, home);
  await copied(application, oracle, home);
  if (storeOfRun() === 'sqlite') await restored(application, oracle, home);
  await changed(application, oracle, home);
  await emptied(application, oracle, home);
  await serving(home, async (ask) => {
    await course(oracle, ask, Math.floor(operations / 5));
    await agrees(oracle.lists(), ask);
  });
}

/** Exported as text, and put into an empty store. */
async function imported(application: Application, oracle: Oracle, home: Place): Promise<void> {
  const other = await placeFor(application, 'imported', storeOfRun());
  await perform(home, 'export', '.', '--out', join(other.folder, 'exported'));
  await perform(other, 'import', 'exported', '.');
  await serving(other, (ask) => agrees(oracle.lists(), ask));
}

/** To the embedded store, whatever the store is. */
async function copied(application: Application, oracle: Oracle, home: Place): Promise<void> {
  const other = await placeFor(application, 'copied', 'sqlite');
  await perform(home, 'store', 'copy', '.', '--to', `config:${join(other.folder, other.config)}`);
  await serving(other, (ask) => agrees(oracle.lists(), ask));
}

async function restored(application: Application, oracle: Oracle, home: Place): Promise<void> {
  const other = await placeFor(application, 'restored', 'sqlite');
  await perform(home, 'backup', join(other.folder, 'data', 'test.db'), '.');
  await serving(other, (ask) => agrees(oracle.lists(), ask));
}

async function changed({ next }: Application, oracle: Oracle, home: Place): Promise<void> {
  const before = Object.keys(next.files).map((name) => [name, home.read(name)] as const);
  for (const [name, text] of Object.entries(next.files)) home.write(name, text);
  await perform(home, 'migrate', 'apply', '.', '--yes', ...next.apply);
  await serving(home, (ask) => agrees(oracle.nextLists(), ask));
  await perform(home, 'migrate', 'undo', '.', '--yes');
  for (const [name, text] of before) home.write(name, text);
  await serving(home, (ask) => agrees(oracle.lists(), ask));
}

/** An entity that holds nothing comes and goes with a start. */
async function emptied({ surface, next }: Application, oracle: Oracle, home: Place): Promise<void> {
  const [file = ''] = Object.keys(next.files);
  const before = home.read(file);
  home.write(
    file,
    `${before}\n${surface === 'current' ? 'entity Spare { no Int @id }' : '(entity :Spare {:No {:type :Int :guid true}})'}\n`,
  );
  await serving(home, (ask) => agrees(oracle.lists(), ask));
  home.write(file, before);
  await serving(home, (ask) => agrees(oracle.lists(), ask));
}

export type Asking = (request: Request) => ReturnType<typeof answerOf>;

async function course(oracle: Oracle, ask: Asking, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) {
    const operation = oracle.operation();
    const { status, body, text } = await ask(operation);
    const shown = `operation ${number}: ${operation.method} ${operation.target} ${JSON.stringify(operation.body)}`;
    const isRefused = status >= 400 && status < 500;
    expect({ status, body }, shown).toMatchObject({ status: operation.status === 'refused' && isRefused ? status : operation.status });
    if (status < 400 && operation.shows !== undefined) expect(text, shown).toContain(operation.shows);
    if (status >= 400) expect(body, shown).toMatchObject(Object(operation.answer ?? {}));
    else if (operation.answer !== undefined) expect(comparable(body), shown).toEqual(comparable(operation.answer));
    // Often enough that a fault is found near where it was made.
    if (number % 50 === 0) await agrees(oracle.lists(), ask, shown);
  }
}

async function atOnce(operations: readonly Operation[], ask: Asking): Promise<void> {
  const answers = await Promise.all(operations.map(ask));
  const inOrder = (all: readonly { readonly status: unknown; readonly answer: unknown }[]): readonly string[] =>
    all.map(({ status, answer }) => JSON.stringify([status, comparable(answer)])).sort();
  const told = answers.map(({ status, body }, index) => {
    const { status: expected, answer } = operations[index] ?? {};
    return expected === 'refused' && status >= 400 && status < 500 ? { status: expected, answer } : { status, answer: body };
  });
  expect(inOrder(told)).toEqual(inOrder(operations.map(({ status, answer }) => ({ status, answer }))));
}

async function agrees(lists: ReturnType<Oracle['lists']>, ask: Asking, after = ''): Promise<void> {
  for (const [target, expected] of lists) {
    const { status, body } = await ask({ method: 'GET', target });
    expect(status, `${target} ${after}`).toBe(200);
    expect(comparable(body), `${target} ${after}`).toEqual(comparable(expected));
  }
}

/**
 * Decimals are the same number whatever zeros they end with: an oracle need not know how many digits a sum is shown with. Nor does it
 * know the identifiers that the service generates.
 */
export function comparable(value: unknown): unknown {
  if (value instanceof Fraction) return `= ${value.text()}`;
  if (typeof value === 'string') return /^-?\d+(\.\d+)?$/.test(value) ? `= ${Fraction.of(value).text()}` : value;
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  // A matcher of the oracle's own, where several writings of a value are as good as each other.
  if ('asymmetricMatch' in value) return value;
  const known = Object.entries(value).filter(([key]) => key !== '__Id__');
  return Object.fromEntries(known.map(([key, each]) => [key, comparable(each)]));
}

export interface Place {
  readonly folder: string;
  readonly config: string;
  read(name: string): string;
  write(name: string, text: string): void;
}

/** The project in a folder of its own, with a store of its own; `more` is what the configuration says besides, on the current surface. */
export async function placeFor(
  { folder: source, surface }: Pick<Application, 'folder' | 'surface'>,
  name: string,
  store: 'sqlite' | 'postgres',
  more: Readonly<Record<string, unknown>> = {},
): Promise<Place> {
  const folder = join(folderForTest(), name);
  cpSync(join(import.meta.dirname, source), folder, { recursive: true, filter: (each) => !each.endsWith('/data') });
  const settings = store === 'sqlite' ? { type: 'sqlite', dbname: 'data/test.db' } : await databaseSettings();
  const config = surface === 'current' ? 'config.al' : 'config.edn';
  writeFileSync(join(folder, config), surface === 'current' ? JSON.stringify({ ...more, store: settings }) : edn(settings));
  const { readFileSync } = await import('node:fs');
  return {
    folder,
    config,
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    write: (file, text) => writeFileSync(join(folder, file), text),
  };
}

async function databaseSettings(): Promise<Readonly<Record<string, unknown>>> {
  const { databaseForTest, postgresSettings } = await import('../support/postgres.ts');
  const { type, host, port, username, password, dbname } = postgresSettings(await databaseForTest());
  return { type, host, port, username, password, dbname };
}

function edn(store: Readonly<Record<string, unknown>>): string {
  return `{:store {${Object.entries(store)
    .map(([key, value]) => `:${key} ${key === 'type' ? `:${value}` : JSON.stringify(value)}`)
    .join(' ')}}}`;
}

async function perform({ folder }: Place, ...argv: readonly string[]): Promise<void> {
  const { code, out, err } = await command(folder, ...argv);
  expect(code, `${argv.join(' ')}\n${out}${err}`).toBe(0);
}

/** Nothing may be logged as a fault of the service meanwhile; a bug in a function of the application is none. */
export async function serving(
  place: Place,
  work: (ask: Asking) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const terminal = { ...testTerminal(place.folder), environment };
  const loaded = await load({ path: place.folder, config: undefined, keepsStoreId: true }, terminal);
  const { model, settings, project, diagnostics } = loaded;
  if (model === undefined) throw new Error(diagnostics.map((each) => each.message).join('\n'));
  const failures: object[] = [];
  const nothing = () => {};
  const log: Log = {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (fields, message) =>
      void ('code' in fields && fields.code === 'function-failed' ? undefined : failures.push({ ...fields, message })),
    isLevelEnabled: () => false,
  };
  const app = await createApp({ model, settings, name: project.name, version: project.version, folder: place.folder, log });
  try {
    await work(async ({ method, target, body, text = body === undefined ? undefined : JSON.stringify(body), headers: sent = {} }) => {
      const [path = '', query = ''] = target.split(/\?(.*)/s);
      const headers: Record<string, string> = text === undefined ? { ...sent } : { ...sent, 'content-type': 'application/json' };
      const bytes = text === undefined ? undefined : Buffer.from(text);
      return answerOf(await app.respond({ method, path, query, headers, body: bytes, id: 'test', remote: '127.0.0.1' }));
    });
    expect(failures).toEqual([]);
  } finally {
    await app.close();
  }
}
