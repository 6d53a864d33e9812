// Two instances are asked for the same things at the same time: constraints and row locks decide, and exactly one of all callers wins.

import { describe, expect, test } from 'vitest';
import { both, type Caller, fleet, isLong } from './instances.ts';

const clients = isLong ? 50 : 8;
const keys = isLong ? 1000 : 20;
const races = isLong ? 10_000 : 100;

const shared = fleet();
const withBoth = both(shared);

describe('two instances on one database', () => {
  test(`${clients} clients of each ask for the same ${keys} keys: exactly one success per key, on identifiers, children and links`, async () => {
    await withBoth(clients, async (callers) => {
      const [first] = callers;
      await first?.ask('POST', '/shop/Shelf', { id: 'shelf' });
      const kinds = {
        identifiers: (key: number) => ({ path: '/shop/Shelf', body: { id: `s${key}` } }),
        children: (key: number) => ({ path: '/shop/Shelf/shelf/ShelfBox/Box', body: { no: key } }),
        links: (key: number) => ({ path: '/shop/ShelfTag', body: { Shelf: 'shelf', Tag: `t${key}` } }),
      };
      for (let key = 0; key < keys; key += 1) await first?.ask('POST', '/shop/Tag', { id: `t${key}` });
      for (const [kind, bodyOf] of Object.entries(kinds)) {
        const wins = new Map<number, number>();
        const others = new Set<number | undefined>();
        const one = async (asker: Caller): Promise<void> => {
          for (let key = 0; key < keys; key += 1) {
            const { path, body } = bodyOf(key);
            const status = await asker.ask('POST', path, body);
            if (status === 201) wins.set(key, (wins.get(key) ?? 0) + 1);
            else others.add(status);
          }
        };
        await Promise.all(callers.flatMap((asker) => Array.from({ length: clients }, () => one(asker))));
        expect([...others], kind).toEqual([409]);
        expect(wins.size, kind).toBe(keys);
        expect(
          [...wins.values()].every((count) => count === 1),
          kind,
        ).toBe(true);
      }
      const counts = await shared().rows(
        `SELECT (SELECT count(*) FROM "shop/Box")::int AS boxes, (SELECT count(*) FROM "shop/ShelfTag")::int AS links`,
      );
      expect(counts).toEqual([{ boxes: keys, links: keys }]);
    });
  }, 1_200_000);

  test(`a parent is deleted while a child is created, ${races} times: no child is left without its parent`, async () => {
    await withBoth(32, async ([one, other]) => {
      const seen = new Set<string>();
      const race = async (number: number): Promise<void> => {
        const path = `/shop/Shelf/race${number}`;
        await one?.ask('POST', '/shop/Shelf', { id: `race${number}` });
        const [created, deleted] = await Promise.all([one?.ask('POST', `${path}/ShelfBox/Box`, { no: 1 }), other?.ask('DELETE', path)]);
        seen.add(`${created} ${deleted}`);
      };
      for (let number = 0; number < races; number += 16) {
        await Promise.all(Array.from({ length: Math.min(16, races - number) }, (_, index) => race(number + index)));
      }
      expect([...seen].filter((each) => each !== '201 200' && each !== '404 200')).toEqual([]);
      const orphans = await shared().rows(
        `SELECT count(*)::int AS n FROM "shop/Box" AS b WHERE "__path__" LIKE '%/race%' OR NOT EXISTS
          (SELECT 1 FROM "shop/Shelf" AS s WHERE s.id = b."__parent_shop$ShelfBox")`,
      );
      expect(orphans).toEqual([{ n: 0 }]);
    });
  }, 1_200_000);

  test('the same Idempotency-Key on both instances at once makes one instance, and everyone gets its answer', async () => {
    await withBoth(16, async (callers) => {
      const rounds = isLong ? 500 : 20;
      for (let round = 0; round < rounds; round += 1) {
        const body = { text: `once ${round}` };
        const headers = { 'idempotency-key': `key ${round}` };
        const statuses = await Promise.all(
          Array.from({ length: 6 }, (_, index) => callers[index % 2]?.ask('POST', '/shop/Note', body, headers)),
        );
        // 409 with Retry-After is for those that come while the first is still running.
        expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
        expect(statuses).toContain(201);
      }
      const found = await shared().rows(`SELECT count(*)::int AS n, count(DISTINCT text)::int AS texts FROM "shop/Note"`);
      expect(found).toEqual([{ n: rounds, texts: rounds }]);
    });
  }, 600_000);
});
