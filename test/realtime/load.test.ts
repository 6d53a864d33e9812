// Many streams while many write: each is told exactly what it may see, and those who write hardly notice. PLATFORM_TEST_LONG=1 has 1,000 streams for a minute.

import { fork } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { isLarge } from '../support/form.ts';
import { storeOfRun } from '../support/store.ts';
import { pause, until } from '../support/time.ts';
import { ask, type Fleet, join, Listener, type Person, startFleet, type ToldOf } from './load.ts';

const streamsEach = 10;
const people = isLarge ? 100 : 5;
const writesPerSecond = isLarge ? 100 : 40;
const seconds = isLarge ? 60 : 3;
/** How long writing alone takes is of the long form. */
const quietSeconds = isLarge ? 20 : 0;
const warmSeconds = isLarge ? 10 : 1;
/**
 * Milliseconds for 99 of 100 writes that nobody watches, from which on other programs have the processors: then all that is measured is a matter of those,
 * also the memory of what waits.
 */
const busyMachine = 25;

test('every stream is told exactly what it may see, in order for each instance, also when it comes back elsewhere', async () => {
  const fleet = await startFleet();
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') console.info(fleet.said().slice(0, 3000));
    await fleet.stop();
  });
  const [port = 0] = fleet.ports;
  const all: Person[] = [];
  for (let n = 0; n < people; n += 1) all.push(await join(port, `p${n}`));

  const write = startWriter(fleet, all);
  // What a process does for the first time takes longer.
  if (isLarge) await write(warmSeconds, 1_000_000);
  const quiet = await write(quietSeconds, 2_000_000);
  const before = fleet.memory();
  const listeners = all.flatMap((person, n) =>
    Array.from({ length: streamsEach }, (_, s) => new Listener(targetOf(s, person), person, addressOf(n * streamsEach + s))),
  );
  onTestFinished(() => {
    for (const each of listeners) each.close();
  });
  for (const [index, each] of listeners.entries()) await each.open(portOf(fleet, index));

  const warm = await write(warmSeconds, 3_000_000);
  const watched = isLarge ? watchMemory(fleet, before) : [];
  const [busy, most] = await Promise.all([write(seconds, 4_000_000), watched, dropAll(fleet, listeners)]);
  const done = [...warm.done, ...busy.done, ...(await lastOf(all, fleet))];
  const expected = all.flatMap((person) => Array.from({ length: streamsEach }, (_, s) => wanted(done, person, s)));
  await until(() => listeners.every(({ told, fault }, at) => told.has(lastId + Math.floor(at / streamsEach)) || fault !== undefined));

  const wrong = listeners.flatMap((each, at) => differences(each, expected[at] ?? new Map()));
  const told = listeners.reduce((sum, each) => sum + eventsIn(each.told), 0);
  const figures = (): string =>
    `${storeOfRun()}, ${fleet.ports.length} process(es): ${listeners.length} streams, ${busy.times.length} writes in ${seconds} s, ${told} events told, ` +
    `p99 of writes ${quiet.p99.toFixed(1)} ms quiet, ${busy.p99.toFixed(1)} ms watched (p50 ${quiet.p50.toFixed(1)}, ${busy.p50.toFixed(1)}), ` +
    `memory grew by ${most.map((each) => each.toFixed(0)).join(' and ')} MiB${quiet.p99 > busyMachine ? ', on a machine that does other things' : ''}`;
  if (isLarge) console.info(figures());
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(told).toBe(expected.reduce((sum, each) => sum + eventsIn(each), 0));
  expect(listeners.every(({ drops }) => drops === 1)).toBe(true);
  expect(fleet.said()).not.toContain('"level":"error"');
  if (!isLarge || quiet.p99 > busyMachine) return;
  for (const each of most) expect(each).toBeLessThan(100);
  expect(busy.p99).toBeLessThan(2 * quiet.p99);
});

/** Half of them by each of the types, half of those with a filter. */
function targetOf(s: number, { email }: Person): string {
  return `/m/${typeOf(s)}${s % 4 < 2 ? '' : `?person=${encodeURIComponent(email)}`}`;
}

function typeOf(s: number): string {
  return s % 2 === 0 ? 'Note' : 'Post';
}

function portOf({ ports }: Fleet, index: number): number {
  return ports[index % ports.length] ?? 0;
}

/** A client may have so many connections: those of the long form come from several. */
function addressOf(index: number): string {
  return isLarge ? `127.0.0.${2 + Math.floor(index / 100)}` : '127.0.0.1';
}

interface Done {
  readonly email: string;
  readonly type: string;
  readonly id: number;
  readonly line: string;
}

interface Written {
  readonly done: readonly Done[];
  readonly times: readonly number[];
  readonly p50: number;
  readonly p99: number;
}

type Write = (seconds: number, from: number) => Promise<Written>;

/** Streams are told in the order of the log: whoever is told of these has been told all that was before. */
const lastId = 9_000_000;

async function lastOf(all: readonly Person[], fleet: Fleet): Promise<readonly Done[]> {
  const made: Done[] = [];
  for (const [index, person] of all.entries())
    for (const type of [typeOf(0), typeOf(1)]) {
      const id = lastId + index;
      await ask(portOf(fleet, index), 'POST', `/m/${type}`, { id, n: 0, person: person.email }, person.headers);
      made.push({ email: person.email, type, id, line: 'create 0' });
    }
  return made;
}

/** A process of people who write. */
function startWriter({ ports }: Fleet, people: readonly Person[]): Write {
  const writer = fork(new URL('./writer.js', import.meta.url), { execArgv: [] });
  onTestFinished(() => void writer.kill());
  const types = [typeOf(0), typeOf(1)];
  return async (time, from) => {
    writer.send({ ports, people, types, seconds: time, perSecond: writesPerSecond, from });
    const { done, times, fault } = await new Promise<Pick<Written, 'done' | 'times'> & { readonly fault?: string }>((resolve, reject) => {
      writer.once('message', resolve).once('exit', () => reject(new Error('the writer has ended')));
    });
    if (fault !== undefined) throw new Error(fault);
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
    return { done, times, p50: at(0.5), p99: at(0.99) };
  };
}

/** Every stream is dropped once, and opened again at the next process. */
async function dropAll(fleet: Fleet, listeners: readonly Listener[]): Promise<void> {
  const open = listeners.map((each, index) => ({ each, index }));
  const pace = ((seconds - 1.5) * 1000) / open.length;
  const pending: Promise<void>[] = [];
  for (const { each, index } of open) {
    await pause(pace);
    pending.push(each.reopen(portOf(fleet, index + 1)));
  }
  await Promise.all(pending);
}

/** The most by which each process has grown. */
async function watchMemory(fleet: Fleet, before: readonly number[]): Promise<readonly number[]> {
  let most = before.map(() => 0);
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const now = fleet.memory();
    most = most.map((each, at) => Math.max(each, (now[at] ?? 0) - (before[at] ?? 0)));
    await pause(200);
  }
  return most;
}

function wanted(done: readonly Done[], person: Person, s: number): ToldOf {
  const found: ToldOf = new Map();
  for (const each of done) {
    if (each.email !== person.email || each.type !== typeOf(s)) continue;
    found.set(each.id, [...(found.get(each.id) ?? []), each.line]);
  }
  return found;
}

function eventsIn(told: ToldOf): number {
  return [...told.values()].reduce((sum, { length }) => sum + length, 0);
}

function differences({ told, fault }: Listener, expected: ToldOf): readonly string[] {
  const ids = new Set([...told.keys(), ...expected.keys()]);
  const wrong = [...ids].filter((id) => told.get(id)?.join() !== expected.get(id)?.join());
  return [
    ...(fault === undefined ? [] : [fault]),
    ...wrong.map((id) => `${id}: told ${told.get(id)?.join()}, not ${expected.get(id)?.join()}`),
  ];
}
