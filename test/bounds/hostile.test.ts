// Thousands of random hostile requests over fifty connections, half of which read nothing: nobody else notices.

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { errorCodes } from '../../src/errors.ts';
import { compile } from '../../src/plan/compile.ts';
import { Random } from '../applications/random.ts';
import { modelOf } from '../support/app.ts';
import { seed } from '../support/form.ts';
import { pause } from '../support/time.ts';
import { summary } from './attack.ts';
import { askAll, dialled, finished, labelsIn } from './client.ts';
import { Attacker, type Hostile, written } from './hostile.ts';
import { dense, model, posts } from './model.ts';
import { isLong, Service, size } from './service.ts';
import { longest, type Waits, watch } from './watch.ts';

const count = size(600, 10_000);
const connections = 50;
/** What is asked for without reading it, before its connection is given up. */
const ahead = 20;

let service: Service;
beforeAll(async () => {
  service = await Service.start(model);
  for (const each of [posts, dense]) await each(service);
  await askAll(
    service.port,
    Array.from({ length: 50 }, (_, id) => ({ target: '/blog/Calm', body: { id, text: 'quiet' } })),
  );
}, 300_000);
afterAll(() => service.remove());

const honest = ['/blog/Calm/7', '/blog/Calm?@limit=20', '/health'];
/** How many ask for that at once, and for how many milliseconds each is silent behind an answer. */
const [callers, rest] = [Number(process.env['PLATFORM_TEST_CALLERS'] ?? 8), size(10, 2)];

interface Exchange {
  readonly request: Hostile;
  readonly said: string;
}

/** One request, of whose answer at most some megabytes are read. */
async function answered(request: Hostile): Promise<string> {
  const socket = await dialled(service.port);
  let [text, bytes] = ['', 0];
  const ended = new Promise<void>((resolve) => {
    socket.setTimeout(60_000, () => socket.destroy(new Error('silent')));
    socket
      .once('close', () => resolve())
      .on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (text.length < 100_000) text += piece.toString('latin1');
        if (bytes > 4_000_000) socket.destroy();
      });
  });
  // The end of the connection is the end of the answer.
  socket.write(written({ ...request, headers: { ...request.headers, connection: 'close' } }));
  await ended;
  return labelsIn(text)[0] ?? 'cut';
}

/** What the connections ask for: the next request, as long as there is one. */
type Source = (most: number) => readonly Hostile[];

async function reader(source: Source, done: Exchange[]): Promise<void> {
  for (let [request] = source(1); request !== undefined; [request] = source(1)) done.push({ request, said: await answered(request) });
}

async function nonReader(source: Source): Promise<void> {
  for (let some = source(ahead); some.length > 0; some = source(ahead)) {
    const socket = await dialled(service.port);
    socket.write(some.map(written).join(''));
    await pause(1500);
    socket.destroy();
  }
}

/** How long others wait beside fifty connections that ask for all of this, half of which do not read. */
async function beside(read: Source, unread: Source): Promise<{ readonly waits: Waits; readonly done: readonly Exchange[] }> {
  const done: Exchange[] = [];
  const others = watch(service, honest, rest, callers);
  const lanes = Array.from({ length: connections / 2 });
  await Promise.all([...lanes.map(() => reader(read, done)), ...lanes.map(() => nonReader(unread))]);
  return { waits: await others.stop(), done };
}

function times(count: number, next: () => Hostile): Source {
  let left = count;
  return (most) => {
    const some = Math.min(most, left);
    left -= some;
    return Array.from({ length: some }, next);
  };
}

/**
 * The same callers with requests as anybody has them: those who attack share the processors with the service here, and what others wait
 * for that reason alone is no matter of what is asked.
 */
function cheap(milliseconds: number): Source {
  const until = performance.now() + milliseconds;
  let at = 0;
  const next = (): Hostile => {
    at += 1;
    return { method: 'GET', target: honest[at % honest.length] ?? '', headers: {}, body: undefined };
  };
  return (most) => (performance.now() < until ? Array.from({ length: most }, next) : []);
}

async function quietly(): Promise<Waits> {
  const others = watch(service, honest, rest, callers);
  await pause(5000);
  return others.stop();
}

/** Whoever attacks does it from elsewhere: here they get what the service leaves of the processors, where the system lets us say so. */
function leaveProcessors(): void {
  if (process.platform !== 'linux') return;
  const schedule = (policy: '--idle' | '--other') => execFileSync('chrt', ['--all-tasks', policy, '--pid', '0', String(process.pid)]);
  try {
    schedule('--idle');
    onTestFinished(() => {
      schedule('--other');
    });
    // Those that read give way to its main thread, as they do elsewhere.
    for (const thread of threadsOf(service.pid)) setPriority(thread, getPriority(thread) - 5);
  } catch {
    // Not everybody may.
  }
}

/** Each has a priority of its own. */
function threadsOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).map(Number);
}

function figures(name: string, measured: Waits | undefined): string {
  if (measured === undefined) return '';
  const { times: waited, work, delays } = measured;
  const each = (of: readonly number[]): string => [0.5, 0.99, 1].map((share) => longest(of, share).toFixed(1)).join(', ');
  return `${name}: wait ${each(waited)} ms, main thread works ${each(work)} ms, waits for a processor ${each(delays)} ms (median, 99 of 100, longest)\n`;
}

// More than five seconds on a busy machine: fewer requests, drawn at random, would not meet each kind of attack in each run.
test(`${count} hostile requests over ${connections} connections, half of which do not read, are a matter of those who send them`, {
  timeout: size(300_000, 1_800_000),
}, async () => {
  if (isLong) leaveProcessors();
  // What the waits are held against, where they are.
  const [quiet, usual] = isLong ? [await quietly(), await beside(cheap(10_000), cheap(10_000))] : [];
  const attacker = new Attacker(compile(modelOf(model)), new Random(seed));
  const next = () => attacker.next();
  const { waits, done } = await beside(times(count / 2, next), times(count / 2, next));
  process.stdout.write(
    `seed ${seed}, ${service.peak()} MiB\n${figures('alone', quiet)}${figures('beside usual requests', usual?.waits)}` +
      `${figures('beside hostile ones', waits)}${summary(done.map(({ said }) => said))}\n`,
  );
  expect(service.isUp, service.faults().join('\n')).toBe(true);
  expect(waits.others).toEqual([]);
  expect(unknown(done)).toEqual([]);
  // Else they do not get beyond the door.
  expect(done.filter(({ said }) => said.startsWith('2')).length).toBeGreaterThan(done.length / 5);
  // Not the wait itself, which other programs on this machine are a part of.
  if (usual !== undefined)
    expect(longest(waits.work, 0.99), 'milliseconds of work that others wait for').toBeLessThan(3 * longest(usual.waits.work, 0.99));
  await finished(service.port);
  await service.stop();
  expect(service.faults()).toEqual([]);
});

/** Answers that the table of errors does not have, with what was asked. */
function unknown(done: readonly Exchange[]): readonly string[] {
  const codes = new Set(Object.keys(errorCodes));
  const isKnown = ({ said, request }: Exchange): boolean => {
    const [status = '', code] = said.split(' ');
    if (status === '500' || status < '400') return status !== '500';
    return code === undefined ? request.method === 'HEAD' : codes.has(code);
  };
  return done
    .filter((each) => each.said !== 'cut' && !isKnown(each))
    .slice(0, 10)
    .map(({ request, said }) => `${said}: ${written(request).slice(0, 1500)}`);
}
