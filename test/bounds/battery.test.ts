// The battery: each attack against a service with a heap of 256 MiB, which stays up, answers others, takes no more memory than it may, and
// says what the table of errors has. The long run has the sizes that once ended a service, each in a process of its own, and prints figures.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampled } from '../support/form.ts';
import { storeOfRun } from '../support/store.ts';
import { type Attack, summary } from './attack.ts';
import { bodies } from './attacks-bodies.ts';
import { connections } from './attacks-connections.ts';
import { reads } from './attacks-reads.ts';
import { work } from './attacks-work.ts';
import { finished } from './client.ts';
import { model, type Seed } from './model.ts';
import { isLong, Service, size } from './service.ts';
import { longest, watch } from './watch.ts';

const attacks: readonly Attack[] = [...connections, ...bodies, ...reads, ...work];
/** Mebibytes. */
const mostMemory = 400;
const muchMemory = 200;
/**
 * What others may wait is half a second on a machine that does nothing else. Here other tests run beside it, on machines of any speed: what
 * counts is for how long the main thread was at work while somebody waited, held against the work of starting.
 */
const longestInStarts = 5;
/** Milliseconds for which the others are silent behind an answer: what is in the way of them for seconds is met by each. */
const rest = size(20, 5);

/** Of the long run, with what it needs: 26,000 different statements take a server a quarter of an hour and more on a busy machine. */
const longestAttack = storeOfRun() === 'sqlite' ? 600_000 : 1_800_000;

let service: Service;
const seeded = new Set<Seed>();

beforeAll(async () => {
  service = await Service.start(model);
}, 300_000);
afterAll(() => service.remove());

async function prepare({ needs = [] }: Attack): Promise<void> {
  if (!service.isUp) await service.restart();
  const missing = needs.filter((seed) => !seeded.has(seed));
  for (const seed of missing) {
    await seed(service);
    seeded.add(seed);
  }
  service.forgetPeak();
  // What one attack has left behind is not held against the next.
  if (isLong || (service.peak() ?? 0) > muchMemory) await service.restart();
}

// A fourth of them in the short form. One whose requests are as large as they may be takes five seconds and more: smaller ones show nothing.
for (const attack of sampled(attacks, 4)) {
  test(`a service that meets ${attack.name} stays up, and answers others`, { timeout: size(300_000, longestAttack) }, async () => {
    await prepare(attack);
    const others = watch(service, ['/health'], rest);
    const began = performance.now();
    const said = await attack.run(service);
    const seconds = (performance.now() - began) / 1000;
    const waits = await others.stop();
    const [wait, busy, peak] = [Math.round(longest(waits.times)), Math.round(longest(waits.work)), service.peak()];
    const figures = `${wait} ms | ${busy} ms | ${peak} MiB | ${seconds.toFixed(1)} s | ${summary(said)}`;
    process.stdout.write(`| ${attack.name} | ${figures} |\n`);
    expect(service.isUp, service.faults().join('\n')).toBe(true);
    expect(said.filter((each) => !attack.answers.includes(each))).toEqual([]);
    expect(said).toEqual(expect.arrayContaining([...(attack.all ?? attack.answers.slice(0, attack.answers.length === 1 ? 1 : 0))]));
    expect(waits.others).toEqual([]);
    if (service.startWork !== undefined)
      expect(busy / service.startWork, 'work that others wait for, in starts of the service').toBeLessThan(longestInStarts);
    expect(peak ?? 0, 'MiB').toBeLessThanOrEqual(mostMemory);
    if (isLong) {
      await service.stop();
      expect(service.faults()).toEqual([]);
    }
  });
}

// The long form stops the service behind each attack, and asks for its faults there.
test.skipIf(isLong)('none of it was a fault of the service', async () => {
  await finished(service.port);
  await service.stop();
  expect(service.faults()).toEqual([]);
});
