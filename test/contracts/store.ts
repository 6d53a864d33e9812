// What every store promises: all or nothing, values exact, one order, nothing lost by a migration.

import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { equal } from '../../src/plan/query/condition.ts';
import type { Table } from '../../src/plan/rows/table.ts';
import type { Store } from '../../src/store/store.ts';
import { folderForTest } from '../support/folder.ts';
import { pause, until } from '../support/time.ts';
import { ascending, column, insertInto, selectFrom, table, updateOf } from './tables.ts';

/** Opens the store that lives in a folder. */
export type OpenStore = (folder: string) => Store;

const items = table('m/Item', [column('id', 'integer', { required: true }), column('name', 'text')], { uniques: [['name']] });
const all = selectFrom(items, { order: [ascending('id')] });
const insert = insertInto(items);

/** What only some stores promise. */
export interface Traits {
  /** Writes are made one after the other, in the order in which they came; a server makes them side by side. */
  readonly oneWriter: boolean;
}

export function storeContract(name: string, open: OpenStore, traits: Traits = { oneWriter: true }): void {
  describe(`${name}: transactions`, () => transactions(open));
  describe(`${name}: writes that come together`, () => together(open));
  describe(`${name}: writes that wait`, () => waiting(open));
  if (traits.oneWriter) describe(`${name}: one writer`, () => oneWriter(open));
  describe(`${name}: keeping`, () => keeping(open));
}

/** A store in a new folder that goes with the test. */
export async function storeWith(open: OpenStore, tables: readonly Table[]): Promise<{ readonly store: Store; readonly folder: string }> {
  const folder = folderForTest();
  const store = open(folder);
  onTestFinished(() => store.close());
  await store.migrate(tables);
  return { store, folder };
}

export async function namesIn(store: Store): Promise<readonly unknown[]> {
  const rows = await store.read((reader) => reader.rows(all, []));
  return rows.map((row) => JSON.parse(row.json).name);
}

export const add = (store: Store, id: number, label: string) => store.write((tx) => tx.insert(insert, [id, label]));
export { items };

function transactions(open: OpenStore): void {
  test('a failed transaction leaves no trace', async () => {
    const { store } = await storeWith(open, [items]);
    const failed = store.write(async (tx) => {
      await tx.insert(insert, [1, 'a']);
      await tx.insert(insert, [2, 'b']);
      throw new Error('stop');
    });
    await expect(failed).rejects.toThrow('stop');
    expect(await namesIn(store)).toEqual([]);
  });

  test('a transaction sees what it wrote, and others only what was committed', async () => {
    const { store } = await storeWith(open, [items]);
    let inside: unknown;
    let outside: unknown;
    await store.write(async (tx) => {
      await tx.insert(insert, [1, 'a']);
      inside = (await tx.rows(all, [])).length;
      outside = (await store.read((reader) => reader.rows(all, []))).length;
    });
    expect([inside, outside, (await namesIn(store)).length]).toEqual([1, 0, 1]);
  });

  test.each([true, false])(
    'a read of several statements sees one state, although others write in between (may be repeated: %s)',
    async (repeatable) => {
      const { store } = await storeWith(open, [items]);
      await add(store, 1, 'a');
      let next = 2;
      for (let round = 0; round < 3; round += 1) {
        const seen = await store.read(
          async (reader) => {
            const first = await reader.rows(all, []);
            for (let count = 0; count < 2; count += 1, next += 1) await add(store, next, `n${next}`);
            return [first.length, (await reader.rows(all, [])).length, await reader.count(all, [])];
          },
          { consistent: true, pauses: true, repeatable: () => repeatable },
        );
        expect(new Set(seen).size).toBe(1);
        expect(await namesIn(store)).toHaveLength(next - 1);
      }
    },
  );

  test('one update with many values changes each row, and none where one of them fails', async () => {
    const { store } = await storeWith(open, [items]);
    const change = { ...updateOf(items, ['name'], equal('id')), output: { fields: [], columns: [] } };
    const ids = Array.from({ length: 100 }, (_, index) => index + 1);
    await store.write(async (tx) => {
      for (const id of ids) await tx.insert(insert, [id, null]);
      await tx.updateEach(
        change,
        ids.map((id) => [`n${id}`, id]),
      );
      await tx.updateEach(change, []);
    });
    expect(new Set(await namesIn(store))).toEqual(new Set(ids.map((id) => `n${id}`)));
    const held = {
      ...change,
      columns: [],
      version: 'id',
      where: { kind: 'compare', column: 'id', operator: 'in', count: 3 },
      inOrder: 'id',
    } as const;
    const output = { fields: [], columns: ['id'] };
    const rows = await store.write((tx) => tx.update({ ...held, output }, [7, 3, 500]));
    expect(rows.map((row) => row.columns[0]).sort()).toEqual([3, 7]);
    const failing = store.write(async (tx) => {
      await tx.updateEach(change, [['changed', 1]]);
      await tx.updateEach({ ...change, columns: ['id'] }, [
        [200, 5],
        [200, 6],
      ]);
    });
    await expect(failing).rejects.toMatchObject({ code: 'duplicate' });
    expect(new Set(await namesIn(store))).toEqual(new Set(ids.map((id) => `n${id}`)));
  });

  test('one insert with many values gives each row in its order, and leaves none where one of them fails', async () => {
    const { store } = await storeWith(open, [items]);
    const ids = Array.from({ length: 100 }, (_, index) => index + 1);
    await store.write(async (tx) => {
      const made = await tx.insertEach(
        insert,
        ids.map((id) => [id, `n${id}`]),
      );
      expect(made.map((row) => row.json)).toEqual(ids.map((id) => `{"id":${id},"name":"n${id}"}`));
      expect(await tx.insertEach(insert, [])).toEqual([]);
      const failing = tx.attempt(() =>
        tx.insertEach(insert, [
          [200, 'x'],
          [7, 'y'],
        ]),
      );
      await expect(failing).rejects.toMatchObject({ code: 'duplicate' });
    });
    expect(new Set(await namesIn(store))).toEqual(new Set(ids.map((id) => `n${id}`)));
  });

  test('insert, update and delete give back what they did', async () => {
    const { store } = await storeWith(open, [items]);
    await store.write(async (tx) => {
      expect((await tx.insert(insert, [1, 'a'])).json).toBe('{"id":1,"name":"a"}');
      await tx.insert(insert, [2, null]);
      const changed = await tx.update(updateOf(items, ['name'], equal('id')), ['z', 1]);
      expect(changed.map((row) => row.json)).toEqual(['{"id":1,"name":"z"}']);
      expect(await tx.update(updateOf(items, ['name'], equal('id')), ['z', 9])).toEqual([]);
      expect(await tx.delete({ kind: 'delete', table: items, where: equal('id') }, [2])).toBe(1);
      expect(await tx.delete({ kind: 'delete', table: items, where: equal('id') }, [2])).toBe(0);
      expect(await tx.count(selectFrom(items), [])).toBe(1);
      expect(await tx.one(selectFrom(items, { where: equal('id') }), [5])).toBeUndefined();
    });
  });

  test('a duplicate is told as one, on insert and on update, and names what is taken', async () => {
    const { store } = await storeWith(open, [items]);
    await add(store, 1, 'a');
    await add(store, 2, 'b');
    await expect(add(store, 1, 'c')).rejects.toMatchObject({ code: 'duplicate' });
    await expect(add(store, 3, 'a')).rejects.toMatchObject({ code: 'duplicate', details: { detail: expect.stringContaining('name') } });
    const update = store.write((tx) => tx.update(updateOf(items, ['name'], equal('id')), ['a', 2]));
    await expect(update).rejects.toMatchObject({ code: 'duplicate' });
    expect(await namesIn(store)).toEqual(['a', 'b']);
  });

  test('a version only grows', async () => {
    const versioned = table('m/V', [column('id', 'integer'), column('v', 'integer')]);
    const { store } = await storeWith(open, [versioned]);
    const change = updateOf(versioned, ['v'], equal('id'), 'v');
    await store.write((tx) => tx.insert(insertInto(versioned), [1, 100]));
    const seen: string[] = [];
    for (const clock of [50, 100, 500, 500, 1]) {
      const [row] = await store.write((tx) => tx.update(change, [clock, 1]));
      seen.push(row?.json ?? '');
    }
    expect(seen.map((json) => JSON.parse(json).v)).toEqual([101, 102, 500, 501, 502]);
  });

  test('what is pointed at stays, unless the key says that both go', async () => {
    const parent = table('m/P', [column('id', 'integer')]);
    const child = table('m/C', [column('id', 'integer'), column('p', 'integer'), column('q', 'integer')], {
      foreignKeys: [
        { columns: ['p'], table: 'm/P', references: ['id'], onDelete: 'no action', onUpdate: 'cascade' },
        { columns: ['q'], table: 'm/P', references: ['id'], onDelete: 'cascade', onUpdate: 'cascade' },
      ],
    });
    const { store } = await storeWith(open, [parent, child]);
    await store.write(async (tx) => {
      for (const id of [1, 2]) await tx.insert(insertInto(parent), [id]);
      await tx.insert(insertInto(child), [1, 1, null]);
      await tx.insert(insertInto(child), [2, null, 2]);
    });
    const remove = (id: number) => store.write((tx) => tx.delete({ kind: 'delete', table: parent, where: equal('id') }, [id]));
    await expect(remove(1)).rejects.toMatchObject({ code: 'instance-referenced' });
    await remove(2);
    expect(await store.read((reader) => reader.count(selectFrom(child), []))).toBe(1);
    await expect(store.write((tx) => tx.insert(insertInto(child), [3, 7, null]))).rejects.toMatchObject({ code: 'instance-referenced' });
  });
}

function together(open: OpenStore): void {
  test('one failing write among many rolls back alone', async () => {
    const { store } = await storeWith(open, [items]);
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, id) =>
        store.write(async (tx) => {
          await tx.insert(insert, [id, `n${id}`]);
          if (id % 7 === 3) throw new Error(`stop ${id}`);
          return id;
        }),
      ),
    );
    const done = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(results.filter((each) => each.status === 'rejected')).toHaveLength(9);
    expect(await namesIn(store)).toEqual(done.map((id) => `n${id}`));
  });

  test('a failure of the store in one write does not touch its neighbours', async () => {
    const { store } = await storeWith(open, [items]);
    const results = await Promise.allSettled([1, 2, 1, 3, 2].map((id) => add(store, id, `n${id}`)));
    const [a, b, again, c, bAgain] = results.map((each) => each.status);
    // Which of two that are the same is made is for the store to say.
    expect([[a, again].sort(), [b, bAgain].sort(), c]).toEqual([['fulfilled', 'rejected'], ['fulfilled', 'rejected'], 'fulfilled']);
    expect(await namesIn(store)).toEqual(['n1', 'n2', 'n3']);
  });

  test('more writes than share a commit are all made', async () => {
    const { store } = await storeWith(open, [items]);
    await Promise.all(Array.from({ length: 200 }, (_, id) => add(store, id, `n${id}`)));
    expect(await namesIn(store)).toHaveLength(200);
  });
}

function waiting(open: OpenStore): void {
  test('reads do not wait for a write, and see the state before it', async () => {
    const { store } = await storeWith(open, [items]);
    await add(store, 1, 'a');
    let release = (): void => {};
    let isWritten = false;
    const held = store.write(
      async (tx) => {
        await tx.insert(insert, [2, 'b']);
        isWritten = true;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      },
      { waits: true },
    );
    await until(() => isWritten);
    expect(await namesIn(store)).toEqual(['a']);
    release();
    await held;
    expect(await namesIn(store)).toEqual(['a', 'b']);
  });

  test('a write that waits and fails is rolled back', async () => {
    const { store } = await storeWith(open, [items]);
    const failed = store.write(
      async (tx) => {
        await tx.insert(insert, [1, 'a']);
        await turn();
        throw new Error('stop');
      },
      { waits: true },
    );
    await expect(failed).rejects.toThrow('stop');
    await add(store, 2, 'b');
    expect(await namesIn(store)).toEqual(['b']);
  });

  test('closing lets what was taken finish, and takes nothing more', async () => {
    const folder = folderForTest();
    const store = open(folder);
    await store.migrate([items]);
    const writes = Array.from({ length: 20 }, (_, id) => add(store, id, `n${id}`));
    const closed = store.close();
    await expect(add(store, 99, 'late')).rejects.toMatchObject({ code: 'service-stopping' });
    await Promise.all([...writes, closed]);
    const again = open(folder);
    onTestFinished(() => again.close());
    expect(await namesIn(again)).toHaveLength(20);
  });
}

function oneWriter(open: OpenStore): void {
  test('writes run in the order in which they came', async () => {
    const { store } = await storeWith(open, [items]);
    const order: number[] = [];
    const write = (id: number, waits: boolean) =>
      store.write(
        async (tx) => {
          if (waits) await pause(5);
          await tx.insert(insert, [id, null]);
          order.push(id);
        },
        { waits },
      );
    await Promise.all(Array.from({ length: 12 }, (_, id) => write(id, id % 4 === 2)));
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test('a write that waits has the writer alone; whoever waits for it longer than 5 s is told that the store is busy', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { store } = await storeWith(open, [items]);
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = store.write(
      async (tx) => {
        await tx.insert(insert, [1, 'a']);
        await gate;
      },
      { waits: true },
    );
    await new Promise((resolve) => setImmediate(resolve));
    const impatient = add(store, 2, 'b').catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(4900);
    const patient = add(store, 3, 'c');
    await vi.advanceTimersByTimeAsync(200);
    expect(await impatient).toMatchObject({ code: 'store-busy', details: { retryAfter: expect.any(Number) } });
    release();
    await Promise.all([held, patient]);
    expect(await namesIn(store)).toEqual(['a', 'c']);
  });
}

function keeping(open: OpenStore): void {
  test('what was acknowledged is there after the store is opened again', async () => {
    const folder = folderForTest();
    const store = open(folder);
    await store.migrate([items]);
    await Promise.all(Array.from({ length: 30 }, (_, id) => add(store, id, `n${id}`)));
    await store.close();
    const again = open(folder);
    onTestFinished(() => again.close());
    await again.migrate([items]);
    expect(await namesIn(again)).toEqual(Array.from({ length: 30 }, (_, id) => `n${id}`));
  });

  test('a store that can be used says so', async () => {
    const { store } = await storeWith(open, [items]);
    expect(await store.ready()).toBe(true);
  });

  test('a list finds the rows that are in it, however long it is and however often it is asked', async () => {
    const { store } = await storeWith(open, [items]);
    await store.write(async (tx) => {
      for (const id of [1, 2, 3]) await tx.insert(insert, [id, `n${id}`]);
    });
    for (const count of [2, 1000, 1200, 5000]) {
      const among = selectFrom(items, { where: { kind: 'compare', column: 'id', operator: 'in', count }, order: [ascending('id')] });
      const values = Array.from({ length: count }, (_, index) => index + 2);
      for (let times = 0; times < 2; times += 1) {
        const found = await store.read((reader) => reader.rows(among, values));
        expect(found.length, `${count}`).toBe(2);
      }
    }
  });

  test('every shape can be explained', async () => {
    const { store } = await storeWith(open, [items]);
    const shapes = [all, insert, updateOf(items, ['name'], equal('id')), { kind: 'delete', table: items, where: equal('id') } as const];
    for (const shape of shapes) expect(store.explain(shape)).toContain('m/Item');
  });
}
