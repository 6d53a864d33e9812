// `npm run bench:large`: what reading one instance costs among ten million, beside the same among a thousand, on each store.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from '../test/support/postgres-server.ts';
import { type Case, cases, fillRequests } from './cases.ts';
import { Generator } from './generator.ts';
import { fillPostgres, fillSqlite, noteId } from './large-fill.ts';
import { type Loaded, slice } from './measure.ts';
import { median } from './median.ts';
import { queryDatabase } from './postgres.ts';
import { type DatabaseServer, RunningServer, type ServerOptions, type StoreName, storeNames } from './servers.ts';

/** Among many, at most so much of what it costs among few. */
const aim = 1.3;
const rounds = 10;
const sliceMs = 1000;
const connections = 16;
/** So many different ones are read, all over the table. */
const read = 10_000;
/** Bytes that a note takes with its indexes, on the disk. */
const bytes: Record<StoreName, number> = { sqlite: 260, postgres: 320 };

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '10000000' }, store: { type: 'string', default: storeNames.join(',') } },
});
const rows = Number(values.rows);
const stores = storeNames.filter((name) => values.store.split(',').includes(name));
const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const generator = new Generator();
try {
  for (const store of stores)
    print(`${store} needs about ${((rows * bytes[store]) / 1e9).toFixed(1)} GB in ${tmpdir()} while it is measured.`);
  print('\n| store | rows | load, s | few, CPU µs | many, CPU µs | ratio | aim |\n| --- | --: | --: | --: | --: | --: | --: |');
  for (const store of stores) await (store === 'sqlite' ? onSqlite() : onPostgres());
} finally {
  generator.close();
  rmSync(folder, { recursive: true, force: true });
}

async function onSqlite(): Promise<void> {
  const servers: RunningServer[] = [];
  const loaded = async (name: string, count: number): Promise<Loaded> => {
    const own = mkdtempSync(join(folder, name));
    await prepare({ folder: own, logLevel: 'warn' });
    fillSqlite(join(own, 'ours.db'), count);
    return serve({ folder: own, logLevel: 'warn' }, count, servers);
  };
  await compare('sqlite', loaded, servers);
}

async function onPostgres(): Promise<void> {
  const { port, stop } = await startServer({ folder: mkdtempSync(join(tmpdir(), 'platform-bench-')) });
  const servers: RunningServer[] = [];
  const loaded = async (name: string, count: number): Promise<Loaded> => {
    const postgres: DatabaseServer = { port, username: 'postgres', password: 'postgres', database: name };
    await queryDatabase(port, 'postgres', [`CREATE DATABASE ${name}`]);
    const options = { folder: mkdtempSync(join(folder, name)), logLevel: 'warn', postgres };
    await prepare(options);
    await fillPostgres(postgres, name, count);
    return serve(options, count, servers);
  };
  try {
    await compare('postgres', loaded, servers);
  } finally {
    await stop();
  }
}

/** Tables and the note that the others are made from. */
async function prepare(options: ServerOptions): Promise<void> {
  const server = await RunningServer.start('ours', options);
  try {
    await server.answer('/health');
    await generator.run({ port: server.port, connections: 1, requests: fillRequests().slice(0, 1), status: 201 });
  } finally {
    await server.stop();
  }
}

async function serve(options: ServerOptions, count: number, servers: RunningServer[]): Promise<Loaded> {
  const server = await RunningServer.start('ours', options);
  servers.push(server);
  await server.answer('/health');
  const stride = Math.max(1, Math.floor(count / read));
  const numbers = Array.from({ length: Math.min(count, read) }, (_, index) => 1 + ((index * stride * 7919) % count));
  return { server, ids: numbers.map(noteId) };
}

async function compare(store: StoreName, loaded: (name: string, count: number) => Promise<Loaded>, servers: readonly RunningServer[]) {
  try {
    const few = await loaded('few', 1000);
    const began = performance.now();
    const many = await loaded('many', rows);
    const seconds = (performance.now() - began) / 1000;
    const costs = { few: await costOf(few, sliceMs * 3), many: await costOf(many, sliceMs * 3) };
    const found: { few: number[]; many: number[] } = { few: [], many: [] };
    for (let round = 0; round < rounds; round += 1) {
      found.few.push(await costOf(few, sliceMs));
      found.many.push(await costOf(many, sliceMs));
    }
    const ratio = median(found.many.map((cost, round) => cost / (found.few[round] ?? costs.few)));
    const cells = [store, rows.toLocaleString('en'), seconds.toFixed(0), median(found.few).toFixed(1), median(found.many).toFixed(1)];
    print(`| ${cells.join(' | ')} | ${ratio.toFixed(2)} | ≤ ${aim}${ratio > aim ? ' ✗' : ''} |`);
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function costOf(loaded: Loaded, milliseconds: number): Promise<number> {
  return (await slice(loaded, { case: readOne(), connections }, milliseconds, generator)).cpu;
}

function readOne(): Case {
  const found = cases.find(({ name }) => name === 'read');
  if (found === undefined) throw new Error('no case read');
  return found;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
