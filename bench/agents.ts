// `npm run bench:agents`: what a call of an agent costs beside the same call written by hand, what a hundred of them at once do to reads, and what a
// thousand of them leave in memory, and what an agent in the model adds to a start. `-- cost`, `-- reads`, `-- heap` and `-- start` measure one of these.

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './median.ts';
import { root } from './servers.ts';
import { cpuOf, memoryOf } from './usage.ts';

const source = `module desk
entity Ticket { id Int @id, title String }
@public agent clerk { role "You are a clerk.", instruction "Answer." }
`;
const slow = 2000;
/** How long each part of a round reads, in milliseconds. */
const readTime = 6000;
const rounds = 3;
/** One caller, for whom the slightest wait counts, and as many as the other benches have. Milliseconds of pause behind an answer. */
const readers: readonly Readers[] = [
  { width: 1, pause: 1 },
  { width: 16, pause: 10 },
];
const callers = 100;
/** As many as the service takes at once (`llm.limits.runs`). */
const mostRuns = 64;
/** Says how much is used after a forced collection, when it is told to. */
const teller = `process.on('SIGUSR2', () => { globalThis.gc(); globalThis.gc(); process.stdout.write(' heap=' + process.memoryUsage().heapUsed + ' '); });`;
const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const started: ChildProcess[] = [];
const [only] = process.argv.slice(2);

try {
  if (only === undefined || only === 'cost') await cost();
  if (only === undefined || only === 'reads') for (const each of readers) await reads(each);
  if (only === undefined || only === 'heap') await heap();
  if (only === undefined || only === 'start') await start();
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
  const [count, times] = [500, 5];
  const spent = async (server: Server): Promise<number> => {
    const before = cpuOf(server.pid);
    const answers = await calls(server, count, 8);
    if (answers.some(({ status }) => status !== 200)) throw new Error('a call failed');
    return (cpuOf(server.pid) - before) / 1000 / count;
  };
  for (const server of [hand, own]) await calls(server, 1500, 8);
  const [byHand, byUs]: [number[], number[]] = [[], []];
  for (let round = 0; round < times; round += 1) {
    byHand.push(await spent(hand));
    byUs.push(await spent(own));
  }
  const [first, second] = [median(byHand), median(byUs)];
  print(
    `CPU of a call: by hand ${first.toFixed(2)} ms, ours ${second.toFixed(2)} ms, of which ours alone ${(second - first).toFixed(2)} ms`,
  );
}

/**
 * Reads on an idle service, beside callers of the program written by hand, who take the same time from the processors, beside callers of ours, and beside as many plain writes
 * as runs make commits; in turn, so that what else the machine does meets all of them. The first round does not count: in it the runtime still compiles.
 */
async function reads(those: Readers): Promise<void> {
  const server = await ours(`reads-${those.width}`, slow);
  const model = await launch(join(root, 'bench', 'baseline', 'model-server.js'), String(slow));
  const hand = await launch(join(root, 'bench', 'baseline', 'agent-server.js'), `http://127.0.0.1:${model.port}/v1`, String(mostRuns));
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  for (let id = 1; id <= 200; id += 1) await ask(server, agent, '/desk/Ticket', { id, title: `Ticket ${id}` });
  agent.destroy();
  const read = reader(server, those);
  const besides = async (path: string): Promise<readonly [readonly number[], Answered]> => {
    const load = await launch(join(root, 'bench', 'baseline', 'agent-callers.js'), path, String(callers), String(slow));
    await sleep(slow + 500);
    const times = await read(readTime);
    const heard = once(load.child.stdout ?? load.child, 'data');
    load.child.kill('SIGTERM');
    const answered: Answered = JSON.parse(String((await heard)[0]));
    // Whatever they left is answered before the next part.
    await sleep(slow + 500);
    return [times, answered];
  };
  const found: Record<'quiet' | 'hand' | 'ours' | 'writes', number[]> = { quiet: [], hand: [], ours: [], writes: [] };
  const answered: Answered = { answered: 0, refused: 0, others: 0 };
  for (let round = 0; round <= rounds; round += 1) {
    const quiet = p99(await read(readTime));
    const [besideHand] = await besides(`http://127.0.0.1:${hand.port}/`);
    const [besideOurs, counts] = await besides(`http://127.0.0.1:${server.port}/desk/clerk`);
    for (const name of ['answered', 'refused', 'others'] as const) answered[name] += counts[name];
    const writes = p99(await besideWrites(server, round, read));
    if (round === 0) continue;
    found.quiet.push(quiet);
    found.hand.push(p99(besideHand));
    found.ours.push(p99(besideOurs));
    found.writes.push(writes);
  }
  const [quiet, byHand, byUs, plain] = [found.quiet, found.hand, found.ours, found.writes].map(median);
  if (quiet === undefined || byHand === undefined || byUs === undefined || plain === undefined) throw new Error('nothing was read');
  print(
    `reads by ${those.width} at a time beside ${callers} callers of a model of ${slow / 1000} s, p99 (median of ${rounds}): ${quiet.toFixed(2)} ms quiet, ${byHand.toFixed(2)} ms beside the same callers of another program, ${byUs.toFixed(2)} ms beside ours (${(byUs / byHand).toFixed(2)} times the one, ${(byUs / quiet).toFixed(2)} times the other), ${plain.toFixed(2)} ms beside as many plain writes; ${answered.answered} answered, ${answered.refused} refused by the limit, ${answered.others} others`,
  );
  for (const each of started.splice(0)) each.kill('SIGKILL');
}

interface Readers {
  readonly width: number;
  readonly pause: number;
}

type Read = (milliseconds: number) => Promise<readonly number[]>;

function reader({ port }: Server, { width, pause }: Readers): Read {
  const told = [port, '/desk/Ticket', 200, width, pause].map(String);
  const child = fork(join(root, 'bench', 'baseline', 'reader.js'), told, { execArgv: [] });
  started.push(child);
  return (milliseconds) =>
    new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error('the reader ended'));
      child.once('exit', ended);
      child.once('message', (times: readonly number[]) => {
        child.off('exit', ended);
        resolve(times);
      });
      child.send(milliseconds);
    });
}

interface Answered {
  answered: number;
  refused: number;
  others: number;
}

/** A run is two commits: as many plain writes, for comparison. */
async function besideWrites(server: Server, round: number, read: Read): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true });
  let written = 1000 + round * 100_000;
  const writing = setInterval(
    () => {
      written += 1;
      ask(server, agent, '/desk/Ticket', { id: written, title: 'Another' }).catch(() => clearInterval(writing));
    },
    1000 / ((2 * mostRuns * 1000) / slow),
  );
  const times = await read(readTime);
  clearInterval(writing);
  agent.destroy();
  return times;
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

/** The same example with and without one agent, in turn: CPU until it serves, memory some seconds later. The first of each, which make the tables, do not count. */
async function start(): Promise<void> {
  const kinds = ['without', 'with'] as const;
  const found = { without: nothingMeasured(), with: nothingMeasured() };
  for (const kind of kinds) {
    const project = join(folder, kind);
    cpSync(join(root, 'examples', 'blog'), project, { recursive: true });
    const config = { log: { level: 'error' }, service: { port: 0 }, store: { type: 'sqlite', dbname: join(project, 'blog.db') } };
    writeFileSync(join(project, 'config.al'), JSON.stringify(config));
    if (kind === 'with') writeFileSync(join(project, 'src', 'desk.al'), 'module desk\n@public agent clerk { instruction "Answer." }\n');
  }
  for (let round = 0; round <= 5; round += 1)
    for (const kind of kinds) {
      const { child, pid } = await launch(join(root, 'bin', 'platform.js'), 'run', join(folder, kind));
      const cpu = cpuOf(pid) / 1000;
      await sleep(3000);
      const memory = memoryOf(pid);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      if (round === 0) continue;
      found[kind].cpu.push(cpu);
      found[kind].memory.push(memory);
    }
  const told = kinds.map(
    (kind) => `${kind} an agent ${median(found[kind].cpu).toFixed(0)} ms of CPU, ${median(found[kind].memory).toFixed(1)} MiB`,
  );
  print(`start of examples/blog: ${told.join('; ')}`);
}

function nothingMeasured(): { readonly cpu: number[]; readonly memory: number[] } {
  return { cpu: [], memory: [] };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
