// `npm run bench:slow`: how long reading one instance takes while others ask what no index answers, beside the same when it is quiet.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fillRequests } from './cases.ts';
import { Generator } from './generator.ts';
import { fillSqlite, noteId } from './large-fill.ts';
import type { LoadResult } from './load-messages.ts';
import { RunningServer } from './servers.ts';
import { memoryOf } from './usage.ts';

/** While others ask, at most so many times of what the slowest hundredth takes when it is quiet. */
const aim = 5;

const slow: readonly (readonly [title: string, request: string, status: number])[] = [
  ['a filter without an index', get('/bench/Note?title=The%20note%20with%20the%20number%20nobody&@limit=10'), 200],
  ['a sort without an index', get('/bench/Note?@sort=-title&@limit=10'), 200],
  ['a count of a filter', get('/bench/Note?kind=b&@limit=1&@count=true'), 200],
  ['a count of everything', get('/bench/Note?@limit=1&@count=true'), 200],
  ['a loop over everything, ended at its limit', post('/bench/every'), 422],
];

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '5' },
    others: { type: 'string', default: '1' },
  },
});
const rows = Number(values.rows);
const others = Number(values.others);
const milliseconds = Number(values.seconds) * 1000;
const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const [reading, disturbing] = [new Generator(), new Generator()];
try {
  await filled();
  const server = await RunningServer.start('ours', { folder, logLevel: 'warn' });
  try {
    await server.answer('/health');
    await compare(server);
  } finally {
    await server.stop();
  }
} finally {
  reading.close();
  disturbing.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Tables and one note by the service, the others by the database. */
async function filled(): Promise<void> {
  const server = await RunningServer.start('ours', { folder, logLevel: 'warn' });
  try {
    await server.answer('/health');
    await reading.run({ port: server.port, connections: 1, requests: fillRequests().slice(0, 1), status: 201 });
  } finally {
    await server.stop();
  }
  fillSqlite(join(folder, 'ours.db'), rows);
}

async function compare(server: RunningServer): Promise<void> {
  await readOne(server, 3000);
  const before = memoryOf(server.pid);
  print(`${rows.toLocaleString('en')} notes, 4 connections that read one, ${others} that ask the others.\n`);
  print('| meanwhile | read one: p50 ms | p99 ms | to quiet | aim | per second | the others: p50 ms | per second |');
  print('| --- | --: | --: | --: | --: | --: | --: | --: |');
  const quiet = await readOne(server, milliseconds);
  print(`| nothing | ${quiet.p50.toFixed(2)} | ${quiet.p99.toFixed(2)} | | | ${perSecond(quiet)} | | |`);
  for (const [title, request, status] of slow) {
    const [asked, other] = await Promise.all([readOne(server, milliseconds), ask(server, request, status)]);
    const ratio = asked.p99 / quiet.p99;
    const cells = [title, asked.p50.toFixed(2), asked.p99.toFixed(2), ratio.toFixed(1), `≤ ${aim}${ratio > aim ? ' ✗' : ''}`];
    print(`| ${cells.join(' | ')} | ${perSecond(asked)} | ${other.p50.toFixed(0)} | ${perSecond(other)} |`);
  }
  print(`\nRSS: ${before.toFixed(1)} MiB before, ${memoryOf(server.pid).toFixed(1)} MiB after.`);
}

function readOne(server: RunningServer, duration: number): Promise<LoadResult> {
  const numbers = Array.from({ length: 10_000 }, (_, index) => 1 + ((index * 7919) % rows));
  const requests = numbers.map((number) => get(`/bench/Note/${noteId(number)}`));
  return reading.run({ port: server.port, connections: 4, requests, status: 200, milliseconds: duration });
}

function ask(server: RunningServer, request: string, status: number): Promise<LoadResult> {
  return disturbing.run({ port: server.port, connections: others, requests: [request], status, milliseconds });
}

function post(path: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`;
}

function perSecond({ count, milliseconds: took }: LoadResult): string {
  return ((count * 1000) / took).toFixed(0);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
