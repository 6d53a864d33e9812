// What is kept to be found again is bounded in bytes, and what has to go is made anew: caches, and the prepared statements of a connection.

import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteCache, CacheBound } from '../../src/byte-cache.ts';
import { systemClock } from '../../src/clock.ts';
import type { Select } from '../../src/plan/query/shape.ts';
import { SqliteConnection } from '../../src/store/sqlite/connection/connection.ts';
import { type Database, findDriver, openDatabase, type PreparedStatement } from '../../src/store/sqlite/driver.ts';
import { StatementWatch } from '../../src/store/sqlite/slow/time-limit.ts';
import { folderForTest } from '../support/folder.ts';
import { ascending, column, insertInto, outputOf, selectFrom, table } from './tables.ts';

const most = 100;

test('caches that share a bound keep no more bytes than it, tell what had to go, and give what is left', () => {
  const step = fc.record({ cache: fc.nat(1), key: fc.nat(20), bytes: fc.integer({ min: 1, max: 40 }), isRead: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const bound = new CacheBound(most);
      const alive = [new Map<number, string>(), new Map<number, string>()];
      const caches = alive.map((own) => new ByteCache<number, string>(bound, (value) => own.delete(Number(value.split(' ')[0]))));
      for (const [index, { cache, key, bytes, isRead }] of steps.entries()) {
        const own = caches[cache];
        if (isRead) expect(own?.get(key)).toBe(alive[cache]?.get(key));
        else {
          const value = `${key} ${index}`;
          expect(own?.set(key, value, bytes).value).toBe(value);
          alive[cache]?.set(key, value);
        }
        expect(bound.bytes).toBeLessThanOrEqual(most);
      }
      expect(caches.map((each) => each.size)).toEqual(alive.map((each) => each.size));
    }),
  );
});

test('what was used stays when something has to go that was not', () => {
  const cache = new ByteCache<string, number>(new CacheBound(most));
  cache.set('often', 1, 40);
  for (let index = 0; index < 1000; index += 1) {
    expect(cache.get('often')).toBe(1);
    cache.set(`once ${index}`, index, 30);
  }
  expect([cache.get('once 998'), cache.get('once 999'), cache.get('once 1')]).toEqual([998, 999, undefined]);
});

test('what is larger than all of them together is kept alone, until the next one comes', () => {
  const bound = new CacheBound(most);
  const cache = new ByteCache<string, number>(bound);
  cache.set('small', 1, 10);
  expect(cache.set('large', 2, 500).value).toBe(2);
  expect([cache.size, bound.bytes]).toEqual([1, 500]);
  cache.set('small', 3, 10);
  expect([cache.get('large'), cache.get('small'), bound.bytes]).toEqual([undefined, 3, 10]);
});

/** The columns of a row in some order: each choice is another statement. */
const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const things = table('m/Thing', [column('id', 'integer', { required: true }), ...names.map((name) => column(name, 'text'))]);
const shapes = permutations(names).map((order): Select => {
  const fields = order.map((name) => ({ kind: 'column', name, column: name }) as const);
  return selectFrom(things, { order: [ascending('id')], limit: true, output: { fields, columns: ['id'] } });
});

function permutations(items: readonly string[]): readonly (readonly string[])[] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) => permutations(items.filter((each) => each !== item)).map((rest) => [item, ...rest]));
}

interface Counts {
  open: number;
  prepared: number;
}

/** The same database, whose statements are counted. */
function counted(database: Database, counts: Counts): Database {
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    limits: database.limits,
    prepare: (sql) => countedStatement(database.prepare(sql), counts),
  };
}

function countedStatement(statement: PreparedStatement, counts: Counts): PreparedStatement {
  counts.open += 1;
  counts.prepared += 1;
  return {
    get: (...values) => statement.get(...values),
    all: (...values) => statement.all(...values),
    run: (...values) => statement.run(...values),
    iterate: (...values) => statement.iterate(...values),
    setReadBigInts: (enabled) => statement.setReadBigInts(enabled),
    setReturnArrays: (enabled) => statement.setReturnArrays(enabled),
    finalize() {
      counts.open -= 1;
      statement.finalize?.();
    },
  };
}

test('a connection keeps statements up to its bound, gives back those that go, and answers the same whatever went', async () => {
  const file = join(folderForTest(), 'data.db');
  const database = openDatabase(findDriver(), file, 'write');
  const columns = things.columns.map(({ name, kind }) => `"${name}" ${kind === 'integer' ? 'INTEGER' : 'TEXT'}`);
  database.exec(`CREATE TABLE "m/Thing" (${columns.join(', ')}) STRICT`);
  const bound = new CacheBound(256 * 1024);
  const counts: Counts = { open: 0, prepared: 0 };
  const watch = new StatementWatch(database, systemClock());
  const connection = new SqliteConnection(counted(database, counts), { cached: bound, watch });
  connection.insert(insertInto(things), [1, ...names]);
  const byKey = selectFrom(things, { output: outputOf(things, ['id']) });
  for (let round = 0; round < 2; round += 1) {
    for (const shape of shapes) {
      const order = shape.output.fields.map(({ name }) => name);
      const json = `{${order.map((name) => `"${name}":"${name}"`).join()}}`;
      expect(await connection.page(shape, [10])).toEqual({ json, count: 1, last: [1] });
      expect(await connection.rows(shape, [10])).toEqual([{ json, columns: [1] }]);
      expect(await connection.one(byKey, [])).toMatchObject({ columns: [1] });
      expect(bound.bytes).toBeLessThanOrEqual(bound.most);
      expect(counts.open).toBeLessThan(100);
    }
  }
  // What is asked between all others is not among those that go; each of the others is prepared once a round.
  expect(counts.prepared).toBe(2 + 2 * 2 * shapes.length);
  connection.close();
  expect(counts.open).toBe(0);
});
