// `npm run bench:agents`: what a call of an agent costs beside the same call written by hand, what a hundred of them at once do to reads, and what a
// thousand of them leave in memory. `-- cost`, `-- reads` and `-- heap` measure one of these.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './median.ts';
import { root } from './servers.ts';
import { cpuOf } from './usage.ts';

const source = `module desk
entity Ticket { id Int @id, title String }
@public agent clerk { role "You are a clerk.", instruction "Answer." }
`;
const slow = 2000;
/** Says how much is used after a forced collection, when it is told to. */
const teller = `process.on('SIGUSR2', () => { globalThis.gc(); globalThis.gc(); process.stdout.write(' heap=' + process.memoryUsage().heapUsed + ' '); });`;
const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const started: ChildProcess[] = [];
const [only] = process.argv.slice(2);

try {
  if (only === undefined || only === 'cost') await cost();
  if (only === undefined || only === 'reads') await reads();
  if (only === undefined || only === 'heap') await heap();
} finally {
  for (const each of started) each.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly pid: number;
}

async function launch(...argv: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, [...argv], { stdio: ['ignore', 'pipe', 'inherit'], cwd: root });
  started.push(child);
  let said = '';
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`ended by itself: ${said}`)));
    child.stdout.on('data', (chunk) => {
      said += String(chunk);
      const found = /(?:^|localhost:|127\.0\.0\.1:)(\d+)\s/.exec(said)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
  });
  return { child, port, pid: child.pid ?? 0 };
}

/** The service as it is run, in front of a model that takes so many milliseconds. */
async function ours(name: string, delay: number, flags: readonly string[] = []): Promise<Server> {
  const project = join(folder, name);
  const model = await launch(join(root, 'bench', 'baseline', 'model-server.js'), String(delay));
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'src', 'desk.al'), source);
  writeFileSync(join(project, 'package.json'), '{"name": "desk", "version": "1.0.0"}');
  const llm = { baseUrl: `http://127.0.0.1:${model.port}/v1`, model: 'test-model' };
  const config = { llm, log: { level: 'error' }, service: { port: 0 }, store: { type: 'sqlite', dbname: join(project, 'desk.db') } };
  writeFileSync(join(project, 'config.al'), JSON.stringify(config));
  return launch(...flags, join(root, 'bin', 'platform.js'), 'run', project);
}

interface Asked {
  readonly status: number;
  readonly milliseconds: number;
}

function ask({ port }: Server, agent: Agent, path: string, body?: object): Promise<Asked> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const call = request({ host: '127.0.0.1', port, path, agent, method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, milliseconds: performance.now() - began }));
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** So many at a time, until so many were made. */
async function calls(server: Server, count: number, width: number): Promise<readonly Asked[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: width });
  const all: Asked[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      all.push(await ask(server, agent, '/desk/clerk', { message: `Hello, number ${next}` }));
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  agent.destroy();
  return all;
}

async function cost(): Promise<void> {
  const model = await launch(join(root, 'bench', 'baseline', 'model-server.js'), '0');
  const hand = await launch(join(root, 'bench', 'baseline', 'agent-server.js'), `http://127.0.0.1:${model.port}/v1`);
  const own = await ours('cost', 0);
  const [count, rounds] = [500, 5];
  const spent = async (server: Server): Promise<number> => {
    const before = cpuOf(server.pid);
    const answers = await calls(server, count, 8);
    if (answers.some(({ status }) => status !== 200)) throw new Error('a call failed');
    return (cpuOf(server.pid) - before) / 1000 / count;
  };
  for (const server of [hand, own]) await calls(server, 1500, 8);
  const [byHand, byUs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    byHand.push(await spent(hand));
    byUs.push(await spent(own));
  }
  const [first, second] = [median(byHand), median(byUs)];
  print(
    `CPU of a call: by hand ${first.toFixed(2)} ms, ours ${second.toFixed(2)} ms, of which ours alone ${(second - first).toFixed(2)} ms`,
  );
}

async function reads(): Promise<void> {
  const server = await ours('reads', slow);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  for (let id = 1; id <= 200; id += 1) await ask(server, agent, '/desk/Ticket', { id, title: `Ticket ${id}` });
  const read = async (milliseconds: number): Promise<readonly number[]> => {
    const [times, until]: [number[], number] = [[], performance.now() + milliseconds];
    for (let id = 1; performance.now() < until; id = (id % 200) + 1) {
      times.push((await ask(server, agent, `/desk/Ticket/${id}`)).milliseconds);
      await sleep(1);
    }
    return times;
  };
  await read(3000);
  const quiet = await read(6000);
  let isOver = false;
  // A hundred callers, more than the service takes at once, who do not all come at the same moment; whoever is refused comes again a second later.
  const busy: Asked[] = [];
  const callers = new Agent({ keepAlive: true, maxSockets: 100 });
  const caller = async (_: unknown, at: number): Promise<void> => {
    await sleep((at * slow) / 100);
    while (!isOver) {
      const answer = await ask(server, callers, '/desk/clerk', { message: 'Hello' });
      busy.push(answer);
      if (answer.status === 429) await sleep(1000);
    }
  };
  const load = Promise.all(Array.from({ length: 100 }, caller));
  const beside = await read(12_000);
  isOver = true;
  await load;
  // A run is two commits: as many plain writes, for comparison.
  const rate = (2 * busy.filter(({ status }) => status === 200).length) / 12;
  let written = 1000;
  const writing = setInterval(() => {
    written += 1;
    ask(server, callers, '/desk/Ticket', { id: written, title: 'Another' }).catch(() => clearInterval(writing));
  }, 1000 / rate);
  const besideWrites = await read(8000);
  clearInterval(writing);
  callers.destroy();
  const taken = busy.filter(({ status }) => status === 200).length;
  const refused = busy.filter(({ status }) => status === 429).length;
  const [before, during] = [p99(quiet), p99(beside)];
  print(
    `reads beside 100 calls at once of a model of ${slow / 1000} s: p99 ${before.toFixed(2)} ms quiet, ${during.toFixed(2)} ms beside (${(during / before).toFixed(2)} times); ${taken} answered, ${refused} refused by the limit, ${busy.length - taken - refused} others; beside as many plain writes p99 ${p99(besideWrites).toFixed(2)} ms`,
  );
}

function p99(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

async function heap(): Promise<void> {
  const server = await ours('heap', 0, ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(teller)}`]);
  const used = async (): Promise<number> => {
    await sleep(2000);
    const heard = once(server.child.stdout ?? server.child, 'data');
    server.child.kill('SIGUSR2');
    return Number(/heap=(\d+)/.exec(String((await heard)[0]))?.[1]) / 2 ** 20;
  };
  await calls(server, 1000, 16);
  const before = await used();
  await calls(server, 1000, 16);
  const after = await used();
  print(`heap: ${before.toFixed(1)} MiB before 1,000 runs, ${after.toFixed(1)} MiB after, ${(after - before).toFixed(2)} MiB more`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
