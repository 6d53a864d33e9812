// Whoever asks for much does not keep others waiting: jobs have their turn by client, and the places and the queue are shared.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from '../../src/fair-queue.ts';

interface Job {
  readonly client: string;
  readonly id: number;
}

const limits = { places: 2, reserved: 1, waiting: 10, waitingOfOne: 6 };
const clients = ['a', 'b', 'c', 'd'];

function jobsOf(client: string, count: number): readonly Job[] {
  return Array.from({ length: count }, (_, id) => ({ client, id }));
}

function order(queue: FairQueue<Job>): readonly string[] {
  const served: string[] = [];
  for (let job = queue.next(); job !== undefined; job = queue.next()) {
    served.push(`${job.client}${job.id}`);
    queue.done(job);
  }
  return served;
}

test('clients are served in turn, each in the order in which it asked', () => {
  const queue = new FairQueue<Job>(limits);
  for (const job of [...jobsOf('a', 4), ...jobsOf('b', 2), ...jobsOf('c', 1)]) expect(queue.add(job)).toBeUndefined();
  expect(order(queue)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3']);
});

test('one client takes all places but one, which is there for the first job of another', () => {
  const queue = new FairQueue<Job>(limits);
  for (const job of jobsOf('a', 5)) queue.add(job);
  const [first, second, third] = [queue.next(), queue.next(), queue.next()];
  expect([first, second, third]).toEqual([{ client: 'a', id: 0 }, { client: 'a', id: 1 }, undefined]);
  for (const job of jobsOf('b', 2)) queue.add(job);
  expect([queue.next(), queue.next()]).toEqual([{ client: 'b', id: 0 }, undefined]);
});

test('where the queue is full, who has most waiting loses the last of them to who has fewer', () => {
  const queue = new FairQueue<Job>(limits);
  const refused = [...jobsOf('a', 7), ...jobsOf('b', 4)].map((job) => queue.add(job));
  // No client takes more than its part.
  expect(refused).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    { client: 'a', id: 6 },
    ...[1, 2, 3, 4].map(() => undefined),
  ]);
  expect(queue.add({ client: 'c', id: 0 })).toEqual({ client: 'a', id: 5 });
  expect(queue.add({ client: 'b', id: 4 })).toEqual({ client: 'b', id: 4 });
  expect(order(queue)).toHaveLength(limits.waiting);
});

test('whatever is asked, given up and done: no job is lost or served twice, and no client twice while another could be', () => {
  const act = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), client: fc.constantFrom(...clients) }),
    fc.record({ kind: fc.constantFrom('next' as const, 'done' as const, 'remove' as const), pick: fc.nat(20) }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
      const queue = new FairQueue<Job>(limits);
      const waiting = new Set<Job>();
      const running: Job[] = [];
      const since = new Map<string, Set<string>>();
      for (const [id, each] of acts.entries()) {
        if (each.kind === 'add') {
          const job = { client: each.client, id };
          waiting.add(job);
          const refused = queue.add(job);
          if (refused !== undefined) expect(waiting.delete(refused)).toBe(true);
        } else if (each.kind === 'remove') {
          const job = [...waiting, ...running][each.pick];
          if (job !== undefined) expect(queue.remove(job)).toBe(waiting.delete(job));
        } else if (each.kind === 'done') {
          const [job] = running.splice(each.pick, 1);
          if (job !== undefined) queue.done(job);
        } else {
          const job = queue.next();
          if (job === undefined) continue;
          expect(waiting.delete(job)).toBe(true);
          running.push(job);
          // Who waited all the while since this client was last served would have been before it.
          const others = [...waiting].filter(({ client }) => since.get(job.client)?.has(client) === true && !isServed(client, running));
          expect(others).toEqual([]);
          since.set(job.client, new Set([...waiting].map(({ client }) => client).filter((client) => client !== job.client)));
          for (const [client, those] of since) if (client !== job.client) those.delete(job.client);
        }
        for (const those of since.values())
          for (const client of those) if (![...waiting].some((job) => job.client === client)) those.delete(client);
        expect(waiting.size).toBeLessThanOrEqual(limits.waiting);
        expect(running.length).toBeLessThanOrEqual(limits.places + limits.reserved);
        expect(queue.isWaiting).toBe(waiting.size > 0);
      }
      expect(new Set(queue.clear())).toEqual(waiting);
    }),
  );
});

/** Whether the last place is not for it. */
function isServed(client: string, running: readonly Job[]): boolean {
  return running.length > limits.places && running.some((job) => job.client === client);
}
