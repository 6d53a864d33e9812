// Calls of another system that take long hold nothing of the store: what is stored here is read and written meanwhile.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { isLong } from '../support/form.ts';

const calls = 50;

const source = `
module m
import "slow.js" @as slow
entity Far { id String @id }
entity Near { id Int @id, text String }
event release { }
workflow release { slow.release() }
event waiting { }
workflow waiting { slow.count() }
resolver far [m/Far] { query slow.query, create slow.create }
`;

/** Answers when it is told to, or after two seconds where nobody tells it. */
const slow = (milliseconds: number) => `
let waiting = [];
const held = (given) => new Promise((resolve) => {
  waiting.push(() => resolve(given));
  ${milliseconds === 0 ? '' : `setTimeout(() => resolve(given), ${milliseconds});`}
});
export const query = () => held([{ id: 'a' }]);
export const create = (instance) => held(instance);
export const found = () => [{ id: 'a' }];
export const fine = async () => true;
export const count = () => waiting.length;
export const release = () => { const all = waiting; waiting = []; for (const each of all) each(); return all.length; };
`;

function openCalls(served: Served): readonly Promise<{ readonly status: number }>[] {
  return Array.from({ length: calls }, (_, index) =>
    index % 2 === 0 ? served.post('/m/Far', { id: String(index) }) : served.get('/m/Far/a'),
  );
}

test('while fifty calls of an overriding resolver are open, all local reads and writes are answered', async () => {
  const served = await serve({ 'core.al': source, 'slow.js': slow(0) }, { resolvers: [{ name: 'm/far', timeout: 300 }] });
  let isOver = false;
  const open = Promise.all(openCalls(served)).finally(() => {
    isOver = true;
  });
  await expect.poll(async () => (await served.post('/m/waiting', {})).body).toBe(calls);
  for (let id = 0; id < 20; id += 1) {
    expect((await served.post('/m/Near', { id, text: 'a' })).status).toBe(201);
    expect((await served.put(`/m/Near/${id}`, { text: 'b' })).body).toEqual({ id, text: 'b' });
    expect((await served.get('/m/Near?@limit=5')).status).toBe(200);
    expect((await served.remove(`/m/Near/${id}`)).status).toBe(200);
  }
  expect([isOver, (await served.post('/m/waiting', {})).body]).toEqual([false, calls]);
  await served.post('/m/release', {});
  expect((await open).map(({ status }) => status)).toEqual(Array.from({ length: calls }, (_, index) => (index % 2 === 0 ? 201 : 200)));
});

const silent = `
module m
import "slow.js" @as slow
entity Far { id String @id }
entity Kept { id String @id, n Int @optional }
entity Both { id String @id }
entity Checked { id String @id @default("a"), n Int @default(1) @check(slow.fine) }
event ask { }
event tell { }
workflow tell { {Both {id "t"}} }
event waiting { }
workflow waiting { slow.count() }
resolver far [m/Far] { query slow.query, create slow.create }
resolver kept [m/Kept] { query slow.found, update slow.create, delete slow.create }
resolver both [m/Both] @compose { create slow.create }
resolver checked [m/Checked] { create slow.create }
resolver asked [m/ask] { eval slow.query }
resolver told [m/tell] @compose { eval slow.query }
event askInFlow { }
workflow askInFlow { {ask {}} }
event tellInFlow { }
workflow tellInFlow { {tell {}} }
event createInFlow { }
workflow createInFlow { {Far {id "a"}} }
event composeInFlow { }
workflow composeInFlow { {Both {id "a"}} }
event updateInFlow { }
workflow updateInFlow { {Kept {id? "a", n 1}} }
event deleteInFlow { }
workflow deleteInFlow { delete {Kept {id? "a"}} }
event readInFlow { }
workflow readInFlow { {Far {id? "a"}} }
`;

test.each([
  ['an event that is posted', 'ask', 10],
  ['a create with a check that is waited for', 'Checked', 10],
  ['an event in a workflow', 'askInFlow', 8],
  ['an event that is told before its workflow', 'tell', 8],
  ['an event that is told in another workflow', 'tellInFlow', 8],
  ['a create in a workflow', 'createInFlow', 8],
  ['a create that is stored besides, in a workflow', 'composeInFlow', 8],
  ['an update in a workflow', 'updateInFlow', 8],
  ['a delete in a workflow', 'deleteInFlow', 8],
  ['a read in a workflow', 'readInFlow', 8],
] as const)('%s: the call of %s has %d seconds, and is 504 then', async (_, event, seconds) => {
  const served = await serve({ 'core.al': silent, 'slow.js': slow(0) });
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let status = 0;
  const asked = served.post(`/m/${event}`, {}).then((answer) => {
    status = answer.status;
  });
  const patience = Date.now() + 60_000;
  let waiting = await served.post('/m/waiting', {});
  while (waiting.body !== 1 && Date.now() < patience) {
    await nextTurn();
    waiting = await served.post('/m/waiting', {});
  }
  expect(waiting).toMatchObject({ status: 200, body: 1 });
  await vi.advanceTimersByTimeAsync(seconds * 1000 - 100);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(status).toBe(0);
  await vi.advanceTimersByTimeAsync(200);
  await asked;
  expect(status).toBe(504);
});

const p99 = (times: readonly number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0;

test.runIf(isLong)('the 99th percentile of local reads and writes is printed, quiet and with fifty calls of two seconds open', async () => {
  const served = await serve({ 'core.al': source, 'slow.js': slow(2000) });
  await served.post('/m/Near', { id: 0, text: 'a' });
  const measure = async (goesOn: (count: number) => boolean): Promise<readonly [reads: number, writes: number, count: number]> => {
    const [reads, writes]: [number[], number[]] = [[], []];
    for (let count = 0; goesOn(count); count += 1) {
      for (const [times, work] of [
        [reads, () => served.get('/m/Near/0')],
        [writes, () => served.put('/m/Near/0', { text: String(count) })],
      ] as const) {
        const begin = performance.now();
        expect((await work()).status).toBe(200);
        times.push(performance.now() - begin);
      }
    }
    return [p99(reads), p99(writes), reads.length];
  };
  await measure((count) => count < 500);
  const quiet = await measure((count) => count < 1500);
  let isOver = false;
  const open = Promise.all(openCalls(served)).finally(() => {
    isOver = true;
  });
  const loaded = await measure(() => !isOver);
  await open;
  const line = (name: string, [reads, writes, count]: typeof quiet) =>
    `${name}: p99 of ${count} reads ${reads.toFixed(2)} ms, of as many writes ${writes.toFixed(2)} ms\n`;
  process.stdout.write(line('quiet', quiet) + line(`${calls} calls of 2 s open`, loaded));
});
