// `npm run bench:auth`: the same requests with a bearer token and without authentication, on two services with the same data, in short slices in
// turn; and how long reads wait while fifty log in at once.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, type CaseName, cases } from './cases.ts';
import { fill } from './fill.ts';
import { Generator } from './generator.ts';
import { type Loaded, slice } from './measure.ts';
import { median } from './median.ts';
import { RunningServer, root } from './servers.ts';

/** What a token may cost. */
const aim = 1.2;
const rounds = 20;
const sliceMs = 300;
const loginRounds = 5;
const connections = 10;
const names: readonly CaseName[] = ['read', 'list100', 'filter', 'create', 'workflow'];
const account = { email: 'bench@example.com', password: 'a password for the bench' };

const results = join(root, 'bench', 'results');
mkdirSync(results, { recursive: true });
const [open, closed] = [mkdtempSync(join(results, 'data-')), mkdtempSync(join(results, 'data-'))];
const generator = new Generator();
const running: RunningServer[] = [];
try {
  const first = await started(open);
  const { ids } = await fill(first, generator);
  await first.stop();
  copyFileSync(join(open, 'ours.db'), join(closed, 'ours.db'));
  const plain: Loaded = { server: await started(open), ids };
  const withAuth: Loaded = { server: await started(closed, ['-c', join(root, 'bench', 'model', 'auth.al')]), ids };
  const token = await signedIn(withAuth.server.port);
  print('| operation | without, CPU µs | with a token, CPU µs | ratio | aim |\n| --- | --: | --: | --: | --: |');
  for (const name of names) print(await row(name, plain, withAuth, token));
  print(await logins(withAuth, token));
} finally {
  generator.close();
  for (const each of running) await each.stop();
  for (const each of [open, closed]) rmSync(each, { recursive: true, force: true });
}

async function started(folder: string, more: readonly string[] = []): Promise<RunningServer> {
  const server = await RunningServer.start('ours', { folder, logLevel: 'warn', arguments: more });
  running.push(server);
  await server.answer('/health');
  return server;
}

async function signedIn(port: number): Promise<string> {
  await post(port, 'signup');
  const answer: unknown = await (await post(port, 'login')).json();
  return String(Reflect.get(Object(answer), 'id-token'));
}

function post(port: number, name: string, user = account): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`http://127.0.0.1:${port}/platform.auth/${name}`, { method: 'POST', headers, body: JSON.stringify(user) });
}

async function row(name: CaseName, plain: Loaded, withAuth: Loaded, token: string): Promise<string> {
  const without = caseOf(name);
  const signed: Case = { ...without, requests: (all) => without.requests(all).map((each) => withToken(each, token)) };
  for (const [loaded, each] of [
    [plain, without],
    [withAuth, signed],
  ] as const)
    await slice(loaded, { case: each, connections }, sliceMs * 5, generator);
  const found: { plain: number[]; signed: number[] } = { plain: [], signed: [] };
  for (let round = 0; round < rounds; round += 1) {
    found.plain.push((await slice(plain, { case: without, connections }, sliceMs, generator)).cpu);
    found.signed.push((await slice(withAuth, { case: signed, connections }, sliceMs, generator)).cpu);
  }
  const ratio = median(found.signed.map((cpu, index) => cpu / (found.plain[index] ?? Number.NaN)));
  return `| ${without.title} | ${median(found.plain).toFixed(1)} | ${median(found.signed).toFixed(1)} | ${ratio.toFixed(2)} | ≤ ${aim} |`;
}

/** The 99th percentile of reads, quiet and while fifty users log in over and over, in turn. */
async function logins(loaded: Loaded, token: string): Promise<string> {
  const read = caseOf('read');
  const measured: Case = { ...read, requests: (all) => read.requests(all).map((each) => withToken(each, token)) };
  const users = Array.from({ length: 50 }, (_, index) => ({ ...account, email: `user${index}@example.com` }));
  for (const each of users) await post(loaded.server.port, 'signup', each);
  const found: { quiet: number[]; busy: number[]; logins: number } = { quiet: [], busy: [], logins: 0 };
  for (let round = 0; round < loginRounds; round += 1) {
    found.quiet.push((await slice(loaded, { case: measured, connections }, 1500, generator)).p99);
    const state = { isDone: false };
    const busy = users.map((each) => loginsOf(each, loaded.server.port, state));
    found.busy.push((await slice(loaded, { case: measured, connections }, 3000, generator)).p99);
    state.isDone = true;
    for (const count of await Promise.all(busy)) found.logins += count;
  }
  const [quiet, busy] = [median(found.quiet), median(found.busy)];
  const ratio = median(found.busy.map((p99, round) => p99 / (found.quiet[round] ?? Number.NaN)));
  return `\np99 of reads: ${quiet.toFixed(1)} ms quiet, ${busy.toFixed(1)} ms while 50 log in (${ratio.toFixed(1)} times, aim 3; ${found.logins} logins)`;
}

/** Who is told to wait does so. */
async function loginsOf(user: typeof account, port: number, state: { readonly isDone: boolean }): Promise<number> {
  let count = 0;
  while (!state.isDone) {
    const answer = await post(port, 'login', user);
    await answer.text();
    if (answer.ok) count += 1;
    const seconds = Number(answer.headers.get('retry-after') ?? 0);
    if (seconds > 0) await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
  return count;
}

function withToken(request: string, token: string): string {
  return request.replace('\r\n\r\n', `\r\nAuthorization: Bearer ${token}\r\n\r\n`);
}

function caseOf(name: CaseName): Case {
  const found = cases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
