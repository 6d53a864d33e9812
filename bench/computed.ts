// `npm run bench:computed`: CPU of nested creates with computed attributes, beside the plain one, and of changes that many rows see.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type App, createApp } from '../src/app.ts';
import { type Settings, settingsFrom } from '../src/config/config.ts';
import { currentFrontEnd } from '../src/language/current/current.ts';
import { link } from '../src/model/link/link.ts';
import { median } from './median.ts';
import { queryDatabase, startDatabase } from './postgres.ts';

const source = `module m
import "own.js" @as own
entity Product { id Int @id, price Int }
entity Plain { id Int @id }
entity PlainLine { id Int @id, quantity Int, price Int, x Int @optional }
relationship PlainLines contains(Plain, PlainLine)
entity Sums { id Int @id }
entity SumLine { id Int @id, quantity Int, price Int, x Int @expr(quantity * price) }
relationship SumLines contains(Sums, SumLine)
entity Own { id Int @id }
entity OwnLine { id Int @id, quantity Int, price Int, x Int @expr(own.total(quantity, price)) }
relationship OwnLines contains(Own, OwnLine)
entity Order { id Int @id, total Int @optional @expr(@sum(Lines.Line.amount)) }
entity Line { id Int @id, product Int @ref(Product.id), quantity Int, amount Int @optional @expr(quantity * product.price), taxed Int @optional @expr(own.total(amount, 2)) }
relationship Lines contains(Order, Line)`;

const { values } = parseArgs({ options: { store: { type: 'string', default: 'sqlite' }, rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);
const warming = 4;
const lines = 2000;
const orders = 25;
const seenBy = 2500;

const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const database = values.store === 'postgres' ? await startDatabase() : undefined;
try {
  const app = await started();
  try {
    await measure(app);
  } finally {
    await app.close();
  }
} finally {
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function started(): Promise<App> {
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src', 'own.js'), 'export const total = (quantity, price) => quantity * price;');
  const read = currentFrontEnd.read({ file: join(folder, 'src', 'core.al'), text: source });
  const { model, diagnostics } = link([read.unit]);
  if (model === undefined) throw new Error([...read.diagnostics, ...diagnostics].map(({ message }) => message).join('\n'));
  const settings = settingsFrom(new Map(), { projectFolder: folder, projectName: 'bench', configFile: undefined, storeId: () => 'bench' });
  const log = { debug() {}, info() {}, warn: console.warn, error: console.error, isLevelEnabled: () => false };
  return createApp({ model, settings: { ...settings, store: await storeSettings() }, name: 'bench', version: '1', folder, log });
}

async function storeSettings(): Promise<Settings['store']> {
  if (database === undefined) return { type: 'sqlite', file: join(folder, 'bench.db') };
  await queryDatabase(database.server.port, 'postgres', ['CREATE DATABASE computed']);
  const limits = { pool: 8, statementTimeout: 10, lockTimeout: 5 };
  const { server } = database;
  return {
    type: 'postgres',
    host: '127.0.0.1',
    ...server,
    dbname: 'computed',
    prepare: true,
    listen: true,
    ssl: 'off',
    ca: undefined,
    ...limits,
  };
}

async function measure(app: App): Promise<void> {
  for (let id = 1; id <= 3; id += 1) await send(app, 'POST', '/m/Product', { id, price: 1 });
  print('| what | CPU ms | to plain | aim |');
  print('| --- | --: | --: | --: |');
  const plain = await create(app, 'Plain', 'PlainLines', {});
  const cases: readonly (readonly [title: string, type: string, relationship: string, also: object, aim: string])[] = [
    ['a computed attribute', 'Sums', 'SumLines', {}, ''],
    ['a function of the application', 'Own', 'OwnLines', {}, '≤ 4'],
    ['a related product, a function, a sum', 'Order', 'Lines', { product: 1, price: undefined }, ''],
  ];
  print(`| a create of ${lines} lines | ${plain.toFixed(0)} | 1.0 | |`);
  for (const [title, type, relationship, also, aim] of cases) {
    const took = await create(app, type, relationship, also);
    print(`| with ${title} | ${took.toFixed(0)} | ${(took / plain).toFixed(1)} | ${aim} |`);
  }
  for (let order = 1; order <= orders; order += 1)
    await send(app, 'POST', '/m/Order', { id: -order, Lines: linesOf(seenBy / orders, { product: 2, price: undefined }) });
  const change = await medianOf((round) => send(app, 'PUT', '/m/Product/2', { price: round + 2 }));
  print(`| a price that ${seenBy} lines and ${orders} sums see | ${change.toFixed(0)} | | ≤ 500 |`);
}

function create(app: App, type: string, relationship: string, also: object): Promise<number> {
  return medianOf((round) => send(app, 'POST', `/m/${type}`, { id: round, [relationship]: linesOf(lines, also) }));
}

function linesOf(count: number, also: object): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({ id: index, quantity: 2, price: 3, ...also }));
}

/** Of some rounds; the first ones, in which the process warms up, do not count. */
async function medianOf(work: (round: number) => Promise<void>): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < warming + rounds; round += 1) {
    const before = process.cpuUsage();
    await work(round);
    const { user, system } = process.cpuUsage(before);
    if (round >= warming) took.push((user + system) / 1000);
  }
  return median(took);
}

async function send(app: App, method: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const request = { method, path, query: '', headers, body: Buffer.from(JSON.stringify(body)), id: 'bench', remote: '127.0.0.1' };
  const answer = await app.respond(request);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${String(answer.body)}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
