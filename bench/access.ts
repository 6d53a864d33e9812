// `npm run bench:access`: the same requests with authentication, access control and an audit trail and without any of them, on two services
// with the same 100,000 notes, in short slices in turn. `-- create` measures one of them, `-- create --profile` tells where its time goes.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Case, type CaseName, cases } from './cases.ts';
import { fill } from './fill.ts';
import { Generator } from './generator.ts';
import { type Loaded, slice } from './measure.ts';
import { median } from './median.ts';
import { now, profiled, readProfile } from './profile.ts';
import { RunningServer, root } from './servers.ts';
import { summary } from './summary.ts';

const aims: readonly (readonly [name: CaseName, aim: number])[] = [
  ['read', 1.35],
  ['list100', 1.5],
  ['create', 1.8],
];
const rounds = 20;
const sliceMs = 300;
const connections = 10;
/** Besides the notes that every bench has. */
const others = 90;
const together = 1000;
const ownNotes = 100;
const [admin, user] = ['admin@example.com', 'bench@example.com'];
const password = 'a password for the bench';
Object.assign(process.env, { PLATFORM_SUPERUSER_EMAIL: admin, PLATFORM_SUPERUSER_PASSWORD: password });

const { values, positionals } = parseArgs({ options: { profile: { type: 'boolean', default: false } }, allowPositionals: true });
const results = join(root, 'bench', 'results');
mkdirSync(results, { recursive: true });
const [open, closed] = [mkdtempSync(join(results, 'data-')), mkdtempSync(join(results, 'data-'))];
const generator = new Generator();
const running: RunningServer[] = [];
try {
  const first = await started(open);
  const { ids } = await fill(first, generator);
  for (let at = 0; at < others; at += 1) await post(first.port, '/bench/Note', someNotes(together, 'other'));
  await first.stop();
  copyFileSync(join(open, 'ours.db'), join(closed, 'ours.db'));
  const plain: Loaded = { server: await started(open), ids };
  const flags = values.profile ? profiled(closed) : [];
  const server = await started(closed, ['-c', join(root, 'bench', 'model', 'access.al')], flags);
  const token = await userOf(server.port);
  const made = await post(server.port, '/bench/Note', someNotes(ownNotes, 'own'), token);
  const guarded: Loaded = { server, ids: Array.isArray(made) ? made.map((each) => String(Reflect.get(Object(each), 'id'))) : [] };
  print('| operation | without, CPU µs | with auth, access and audit, CPU µs | ratio | aim |\n| --- | --: | --: | --: | --: |');
  const from = now();
  for (const [name, aim] of aims)
    if (positionals.length === 0 || positionals.includes(name)) print(await row(name, aim, plain, guarded, token));
  if (values.profile) {
    const until = now();
    await server.stop();
    for (const line of summary(readProfile(closed), from, until, 100)) print(line);
  }
} finally {
  generator.close();
  for (const each of running) await each.stop();
  for (const each of [open, closed]) rmSync(each, { recursive: true, force: true });
}

async function started(folder: string, more: readonly string[] = [], flags: readonly string[] = []): Promise<RunningServer> {
  const server = await RunningServer.start('ours', { folder, logLevel: 'warn', arguments: more, flags });
  running.push(server);
  await server.answer('/health');
  return server;
}

function someNotes(count: number, title: string): readonly object[] {
  return Array.from({ length: count }, (_, rank) => ({ title: `${title} ${rank}`, rank: 5000 + rank, kind: 'a' }));
}

/** Somebody in the role that may make notes. */
async function userOf(port: number): Promise<string> {
  await post(port, '/platform.auth/signup', { email: user, password });
  await post(port, '/platform.rbac/RoleAssignment', { role: 'user', assignee: user }, await tokenOf(port, admin));
  return tokenOf(port, user);
}

async function tokenOf(port: number, email: string): Promise<string> {
  return String(Reflect.get(Object(await post(port, '/platform.auth/login', { email, password })), 'id-token'));
}

async function post(port: number, path: string, body: unknown, token?: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function row(name: CaseName, aim: number, plain: Loaded, guarded: Loaded, token: string): Promise<string> {
  const without = caseOf(name);
  const signed: Case = { ...without, requests: (all) => without.requests(all).map((each) => withToken(each, token)) };
  await slice(plain, { case: without, connections }, sliceMs * 5, generator);
  await slice(guarded, { case: signed, connections }, sliceMs * 5, generator);
  const found: { plain: number[]; signed: number[] } = { plain: [], signed: [] };
  for (let round = 0; round < rounds; round += 1) {
    found.plain.push((await slice(plain, { case: without, connections }, sliceMs, generator)).cpu);
    found.signed.push((await slice(guarded, { case: signed, connections }, sliceMs, generator)).cpu);
  }
  const ratio = median(found.signed.map((cpu, index) => cpu / (found.plain[index] ?? Number.NaN)));
  return `| ${without.title} | ${median(found.plain).toFixed(1)} | ${median(found.signed).toFixed(1)} | ${ratio.toFixed(2)} | ≤ ${aim} |`;
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
