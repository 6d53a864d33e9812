// Streams come behind whoever else is served.

import { expect, test } from 'vitest';
import type { HttpResponse } from '../../src/http/exchange.ts';
import { UnansweredRequests } from '../../src/http/unanswered.ts';
import { FairSemaphore, Turns } from '../../src/realtime/turns.ts';

const request = { method: 'GET', path: '/m/A', query: '', headers: {}, body: undefined, id: 'a', remote: '127.0.0.1' };
const nothing: HttpResponse = { status: 204, headers: {}, body: undefined };

/** One that is unanswered until it is told to be. */
function asked(requests: UnansweredRequests, headers: Readonly<Record<string, string>> = {}): (response: HttpResponse) => void {
  let answer: (response: HttpResponse) => void = () => {};
  const response = new Promise<HttpResponse>((resolve) => {
    answer = resolve;
  });
  void requests.counted(() => response)({ ...request, headers });
  return answer;
}

test('work for streams waits for a request that has just come, and is done when that is answered', async () => {
  const requests = new UnansweredRequests(() => 0);
  const turns = new Turns(requests);
  const order: string[] = [];
  const answer = asked(requests);
  expect(requests.areWaiting).toBe(true);
  const turn = turns.next()?.then(() => order.push('stream'));
  setImmediate(() => {
    order.push('answer');
    answer(nothing);
  });
  await turn;
  expect(order).toEqual(['answer', 'stream']);
  expect(requests.areWaiting).toBe(false);
});

test('a request that takes long, or one of a stream, holds up no stream', async () => {
  let now = 0;
  const requests = new UnansweredRequests(() => now);
  const turns = new Turns(requests);
  asked(requests);
  await turns.next();
  expect(requests.areWaiting).toBe(true);
  now = 26;
  expect(requests.areWaiting).toBe(false);
  asked(requests, { accept: 'text/event-stream' });
  expect(requests.areWaiting).toBe(false);
});

test('what is done for streams has one turn of the event loop after the other', async () => {
  const turns = new Turns(new UnansweredRequests());
  let rounds = 0;
  let isDone = false;
  const count = (): void => {
    rounds += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const seen: number[] = [];
  const busy = async (): Promise<void> => {
    await turns.next();
    seen.push(rounds);
    for (const end = performance.now() + 3; performance.now() < end; );
  };
  await Promise.all([busy(), busy(), busy()]);
  isDone = true;
  expect(new Set(seen).size).toBe(3);
});

test('one who comes back with many streams at once holds up nobody else: their streams catch up in turn', async () => {
  const few = new FairSemaphore(2);
  const order: string[] = [];
  let running = 0;
  const work = (client: string) =>
    few.run(client, async () => {
      running += 1;
      expect(running).toBeLessThanOrEqual(2);
      order.push(client);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    });
  const failed = few.run('a', () => Promise.reject(new Error('lost'))).catch(() => 'failed');
  await Promise.all([...Array.from({ length: 10 }, () => work('a')), work('b'), work('c')]);
  expect(await failed).toBe('failed');
  expect(order.length).toBe(12);
  expect(Math.max(order.indexOf('b'), order.indexOf('c'))).toBeLessThan(5);
});
