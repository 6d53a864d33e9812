// An instance dies, or the database restarts, while callers write: nothing acknowledged is lost, and nothing is done twice.

import { describe, expect, test } from 'vitest';
import { seed } from '../support/form.ts';
import { pause, until } from '../support/time.ts';
import { type Caller, caller, fleet, isLong } from './instances.ts';

const kills = isLong ? 50 : 2;
const restarts = isLong ? 20 : 2;
const writers = 8;

const shared = fleet();

describe('faults under load', () => {
  test(`one of two instances is killed ${kills} times: no acknowledged write is lost, and the other serves on`, async () => {
    const steady = await shared().start();
    const other = { port: 0 };
    const state = { running: true };
    const acknowledged: string[] = [];
    const failures: (number | undefined)[] = [];
    const loops: Promise<void>[] = [];
    const serving = caller(steady.port, writers);
    loops.push(...writeInto(serving, 'steady', state, (id, status) => (status === 201 ? acknowledged.push(id) : failures.push(status))));
    for (let round = 0; round < kills; round += 1) {
      const doomed = await shared().start(other.port === 0 ? undefined : other.port);
      other.port = doomed.port;
      const asking = caller(doomed.port, writers);
      const own = { running: true };
      const taken: string[] = [];
      const writing = writeInto(asking, `doomed${round}`, own, (id, status) => status === 201 && taken.push(id));
      // It is killed at some moment while it writes.
      await until(() => taken.length > 0);
      await pause((seed + round * 97) % 450);
      doomed.running.child.kill('SIGKILL');
      await doomed.running.exit;
      own.running = false;
      await Promise.all(writing);
      acknowledged.push(...taken);
      asking.close();
    }
    state.running = false;
    await Promise.all(loops);
    serving.close();
    expect(failures).toEqual([]);
    await expectAll(acknowledged);
    steady.running.child.kill('SIGTERM');
    expect(await steady.running.exit).toBe(0);
  }, 600_000);

  test(`the database restarts ${restarts} times: only 503 in the gap, back within 2 s, and a repeated key gives exactly one row`, async () => {
    const instance = await shared().start();
    const asking = caller(instance.port, writers);
    const state = { running: true };
    const acknowledged: string[] = [];
    const refused = new Set<number | undefined>();
    const writing = writeInto(
      asking,
      'restart',
      state,
      (id, status) => (status === 201 ? acknowledged.push(id) : refused.add(status)),
      true,
    );
    /** Writes go on: each of those who write has had its turn. */
    const more = (count = acknowledged.length): Promise<boolean> => until(() => acknowledged.length > count + 2 * writers);
    const gaps: number[] = [];
    for (let round = 0; round < restarts; round += 1) {
      await more();
      await shared().database.restart();
      const began = performance.now();
      await until(async () => (await asking.ask('GET', '/ready')) === 200);
      gaps.push(performance.now() - began);
    }
    await more();
    state.running = false;
    await Promise.all(writing);
    asking.close();
    if (isLong) process.stdout.write(`longest gap after the database was back: ${Math.max(...gaps).toFixed(0)} ms\n`);
    expect([...refused].filter((status) => status !== 503)).toEqual([]);
    await expectAll(acknowledged);
    const twice = await shared().rows(`SELECT text FROM "shop/Note" GROUP BY text HAVING count(*) > 1`);
    expect(twice).toEqual([]);
    instance.running.child.kill('SIGTERM');
    expect(await instance.running.exit).toBe(0);
  }, 600_000);
});

/** Each loop writes one note after the other; with `again`, one that failed is sent again with its key until it is there. */
function writeInto(
  asking: Caller,
  prefix: string,
  state: { readonly running: boolean },
  tell: (text: string, status: number | undefined) => unknown,
  again = false,
): Promise<void>[] {
  return Array.from({ length: writers }, async (_, index) => {
    for (let number = 0; state.running; number += 1) {
      const text = `${prefix}-${index}-${number}`;
      for (let attempt = 0; attempt < 500; attempt += 1) {
        const status = await asking.ask('POST', '/shop/Note', { text }, again ? { 'idempotency-key': text } : {});
        tell(text, status);
        if (status === 201 || !again) break;
        await pause(20);
      }
      if (!state.running) break;
    }
  });
}

async function expectAll(texts: readonly string[]): Promise<void> {
  expect(texts.length).toBeGreaterThan(10);
  const rows = await shared().rows('SELECT text FROM "shop/Note"');
  const there = new Set(rows.map((row) => row['text']));
  expect(texts.filter((text) => !there.has(text))).toEqual([]);
}
