// Who is served when: what does not fit waits in the order of arrival, networks in turn, and is refused when it has waited too long.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.ts';
import { Admission, type Leave } from '../../src/http/server/admission.ts';
import { defaultLimits } from '../../src/http/server/limits.ts';
import { until } from '../support/time.ts';
import { serve } from './serve.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Requests that are not answered before it is said; of three places the last is for a network that has none. */
class Requests {
  readonly #admission = new Admission({ ...defaultLimits, requests: 2, requestsReserved: 1, requestsWaiting: 4, requestWait: 5000 });
  readonly begun: string[] = [];
  readonly refused: string[] = [];
  readonly #leaving = new Map<string, Leave>();

  /** `a1`: the first request of the network `a`. */
  come(...names: readonly string[]): void {
    for (const name of names) {
      const begin = (leave: Leave): void => {
        this.begun.push(name);
        this.#leaving.set(name, leave);
      };
      const client = name.charAt(0);
      if (this.#admission.isOpen(client)) begin(this.#admission.enter(client));
      else
        this.#admission.wait(client, begin, (reason) => {
          expect(reason).toMatchObject({ code: 'service-busy', details: { retryAfter: 1 } });
          this.refused.push(name);
        });
    }
  }

  async answer(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.#leaving.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

test('one network takes all places but those that are kept for others', () => {
  const requests = new Requests();
  requests.come('a1', 'a2', 'a3', 'b1', 'c1');
  expect(requests.begun).toEqual(['a1', 'a2', 'b1']);
});

test('what waits begins in the order of arrival, and networks in turn', async () => {
  const requests = new Requests();
  requests.come('a1', 'a2', 'b1', 'a3', 'a4', 'b2', 'c1');
  await requests.answer('a1', 'a2', 'b1', 'a3', 'c1');
  expect(requests.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('who has waited too long is refused, and so is the last of the network that has most waiting where too many wait', async () => {
  const requests = new Requests();
  requests.come('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2');
  expect(requests.refused).toEqual(['a6']);
  vi.advanceTimersByTime(5000);
  expect(requests.refused.toSorted()).toEqual(['a3', 'a4', 'a5', 'a6', 'b2']);
  await requests.answer('a1', 'a2', 'b1');
  requests.come('a7');
  expect(requests.begun).toEqual(['a1', 'a2', 'b1', 'a7']);
});

test('a service whose places are taken answers whoever watches over it, and the others as soon as there is a place', async () => {
  vi.useRealTimers();
  const answers: (() => void)[] = [];
  const respond = (request: HttpRequest): HttpResponse | Promise<HttpResponse> => {
    const response = { status: 200, headers: {}, body: request.path };
    return request.path === '/slow' ? new Promise((resolve) => answers.push(() => resolve(response))) : response;
  };
  const { port } = await serve(respond, { limits: { requests: 1, requestsReserved: 0, requestWait: 60_000 } });
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  const slow = ask('/slow');
  const [answer] = await until(() => (answers.length > 0 ? answers : undefined));
  const order: string[] = [];
  const waiting = ask('/quick').then((text) => order.push(text));
  order.push(await ask('/health'));
  answer?.();
  await Promise.all([slow, waiting]);
  expect(order).toEqual(['/health', '/quick']);
});

test('a service whose places stay taken refuses who has waited too long, and says when to come again', async () => {
  vi.useRealTimers();
  const never = (): Promise<HttpResponse> => new Promise(() => {});
  const { port } = await serve(never, { limits: { requests: 1, requestsReserved: 0, requestWait: 1 } });
  const leaving = new AbortController();
  const taken = fetch(`http://127.0.0.1:${port}/taken`, { signal: leaving.signal }).catch(() => 'left');
  const refused = await until(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/other`, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
    return answer?.status === 503 ? answer : undefined;
  });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject({ code: 'service-busy' });
  leaving.abort();
  expect(await taken).toBe('left');
});
