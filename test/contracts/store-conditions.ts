// What every store promises of conditions: one that was made once means the same in every statement that it is put into.

import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createEngine, noRecorder } from '../../src/engine/engine.ts';
import { noFunctions } from '../../src/engine/eval/functions.ts';
import { openGuard } from '../../src/engine/seams.ts';
import { compile } from '../../src/plan/compile.ts';
import { ambientOf } from '../../src/plan/query/ambient.ts';
import { type Condition, equal, everything } from '../../src/plan/query/condition.ts';
import type { JoinQuery, Select } from '../../src/plan/query/shape.ts';
import { versionColumn } from '../../src/plan/rows/tables.ts';
import { AmbientStore } from '../../src/store/ambient-store.ts';
import type { Writer } from '../../src/store/store.ts';
import type { Value } from '../../src/values/value.ts';
import { modelOf } from '../support/app.ts';
import { byCaller, callers, conditions, coverLinks, model, type Named, tagLinks } from './condition-cases.ts';
import { greater, ids, included, selecting, statements, whole } from './condition-statements.ts';
import { type OpenStore, storeWith } from './store.ts';

export function conditionContract(name: string, open: OpenStore): void {
  describe(`${name}: one condition in every statement`, () => {
    for (const [title, make, expected] of conditions) {
      test(title, async () => {
        const { plan, of, store } = await filled(open);
        const condition = make(of);
        for (const user of ['ann', 'bob', 'cid'] as const) {
          const asking = new AmbientStore(store, ambientOf({ user, id: 'an-id', roles: callers[user] }, systemClock()));
          for (const [statement, run] of Object.entries(statements)) {
            const found = await undone(asking, (tx) => run({ condition, plan, of, tx }));
            const wanted = 'ann' in expected ? expected[user] : expected;
            expect([statement, user, [...found].sort()]).toEqual([statement, user, wanted]);
          }
        }
      });
    }

    test('a statement that asks who the caller is fails where nobody is known', async () => {
      const { of, store } = await filled(open);
      const asked = async (): Promise<unknown> => store.read((tx) => tx.rows(selecting(of('Doc'), byCaller('owner')), []));
      await expect(asked()).rejects.toThrow('none is known here');
      const nobody = new AmbientStore(store, ambientOf({ user: undefined, id: 'an-id', roles: [] }, systemClock()));
      expect(await nobody.read((tx) => tx.rows(selecting(of('Doc'), byCaller('owner')), []))).toEqual([]);
    });

    test.each([{}, { consistent: true }, { consistent: true, pauses: true }, { consistent: true, pauses: true, repeatable: () => true }])(
      'every way to read knows the caller: %s',
      async (options) => {
        const { of, store } = await filled(open);
        const asking = new AmbientStore(store, ambientOf({ user: 'bob', id: 'an-id', roles: [] }, systemClock()));
        const select: Select = { ...selecting(of('Doc'), byCaller('owner')), limit: true };
        const report: JoinQuery = {
          ...{ kind: 'report', table: of('Doc').table, joins: [], where: byCaller('owner'), groupBy: [], order: [], distinct: false },
          ...{ limit: false, offset: false, outputs: [{ kind: 'column', name: 'id', source: 0, column: 'id' }] },
        };
        const found = await asking.read(async (tx) => {
          const [one, page] = [await tx.one(select, [9]), await tx.page(select, [9])];
          const counted = await tx.count({ ...select, limit: false }, []);
          return [
            one === undefined ? [] : ids([one]),
            page.count,
            counted,
            ids(await tx.rows(select, [9])),
            ids(await tx.report(report, [])),
          ];
        }, options);
        expect(found).toEqual([[2], 2, 2, [2, 6], [2, 6]]);
      },
    );

    test('statements of one text, whose values come from elsewhere, are told apart', async () => {
      const { of, store } = await filled(open);
      const asking = new AmbientStore(store, ambientOf({ user: 'ann', id: 'an-id', roles: [] }, systemClock()));
      const found = async (condition: Condition, values: readonly Value[]): Promise<readonly number[]> =>
        ids(await asking.read((tx) => tx.rows(selecting(of('Doc'), condition), values)));
      const constant = (owner: string): Condition => ({ kind: 'compare', column: 'owner', operator: 'eq', value: { constants: [owner] } });
      expect([await found(equal('owner'), ['bob']), await found(byCaller('owner'), []), await found(constant('cid'), [])]).toEqual([
        [2, 6],
        [1, 5],
        [4],
      ]);
      expect([await found(constant('bob'), []), await found(equal('owner'), ['cid'])]).toEqual([[2, 6], [4]]);
    });

    test('values of a condition inside an include come behind limit and offset', async () => {
      const { of, store } = await filled(open);
      const docs = included(of('Dept'), 'DeptDoc', whole(of('Doc')).fields, equal('status'));
      const select: Select = { ...selecting(of('Dept'), greater('id'), [docs]), limit: true, offset: true };
      const page = await store.read((tx) => tx.page(select, [0, 2, 1, 'open']));
      const found: readonly { id: number; DeptDoc: readonly { id: number }[] }[] = JSON.parse(`[${page.json}]`);
      expect(found.map(({ id, DeptDoc }) => [id, DeptDoc.map((each) => each.id)])).toEqual([
        [2, []],
        [3, [4]],
      ]);
    });
  });
}

/** What it gives, and nothing of what it does. */
async function undone<T>(store: AmbientStore, work: (tx: Writer) => Promise<T>): Promise<T> {
  const undo = new Error('undone');
  let result: { readonly value: T } | undefined;
  await store
    .write(
      async (tx) => {
        result = { value: await work(tx) };
        throw undo;
      },
      { waits: true },
    )
    .catch((thrown: unknown) => {
      if (thrown !== undo) throw thrown;
    });
  if (result === undefined) throw new Error('nothing was done');
  return result.value;
}

async function filled(open: OpenStore) {
  const plan = compile(modelOf(model));
  const of: Named = (name) => {
    const found = plan.entities.get(`m/${name}`);
    if (found === undefined) throw new Error(`no entity ${name}`);
    return found;
  };
  const { store } = await storeWith(open, plan.tables);
  const engine = createEngine({
    plan,
    store,
    clock: systemClock(),
    functions: noFunctions,
    hash: async (secret) => secret,
    limits: { memory: 16 * 1024 * 1024, tree: { instances: 1000, depth: 10, bytes: 1_000_000 }, flow: { steps: 100_000, time: 60 } },
    guard: openGuard,
    recorder: noRecorder,
    failed: () => {},
  });
  await engine.start();
  await store.write(async (tx) => {
    const keys = new Map<number, Value>();
    for (const row of await tx.rows(selecting(of('Doc'), everything), [])) keys.set(JSON.parse(row.json).id, row.columns[0] ?? null);
    const insert = async (type: string, values: Readonly<Record<string, Value>>): Promise<void> => {
      const link = plan.links.get(type);
      if (link === undefined) throw new Error(`no link ${type}`);
      await tx.insert(
        link.shapes.insert,
        link.shapes.insert.columns.map((column) => values[column] ?? null),
      );
    };
    for (const [index, [doc, tag, by]] of tagLinks.entries())
      await insert('m/DocTag', { __Id__: uuid(index), Doc: keys.get(doc) ?? null, Tag: tag, by, [versionColumn]: 1 });
    for (const [index, [doc, cover]] of coverLinks.entries())
      await insert('m/DocCover', { __Id__: uuid(index), Doc: keys.get(doc) ?? null, Cover: cover, [versionColumn]: 1 });
  });
  return { plan, of, store };
}

function uuid(index: number): string {
  return `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
}
