// How many statements a workflow asks of the store, and what `platform explain` says about it.

import { expect, onTestFinished, test } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { systemClock } from '../../src/clock.ts';
import { anonymous } from '../../src/engine/caller.ts';
import { createEngine, type Engine, noRecorder } from '../../src/engine/engine.ts';
import { noFunctions } from '../../src/engine/eval/functions.ts';
import { openGuard } from '../../src/engine/seams.ts';
import { compile } from '../../src/plan/compile.ts';
import { openStore } from '../../src/store/open.ts';
import type { Reader, Store, Writer } from '../../src/store/store.ts';
import { testTerminal } from '../docs/support.ts';
import { modelOf } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';

test('a thousand links are read through a relationship in at most 3 statements', async () => {
  const { invoke, counted } = await engineFor(`module m
entity Post { id Int @id, title String }
entity Tag { name Int @id }
entity Comment { no Int @id, text String }
relationship PostTag between(Post, Tag)
relationship PostComment contains(Post, Comment)
workflow fill { for n in fill.list { {Tag {name n}}; {PostTag {Post fill.post, Tag n}}; {Post {id? fill.post}, PostComment [{Comment {no n, text "x"}}]} } 1 }
workflow tags { {Post? {}, PostTag {Tag? {}}} }
workflow comments { {Post? {}, PostComment {Comment? {}}} }
{Post {id 1, title "a"}, @upsert}
{Post {id 2, title "b"}, @upsert}`);
  await invoke('m/fill', { post: 1, list: Array.from({ length: 1000 }, (_, index) => index) });
  for (const [event, most] of [
    ['m/tags', 3],
    ['m/comments', 2],
  ] as const) {
    counted.statements = 0;
    const value = await invoke(event, {});
    const [first] = Array.isArray(value) ? value : [];
    expect(Object.values(Object(first)).find(Array.isArray)).toHaveLength(1000);
    expect(counted.statements).toBeLessThanOrEqual(most);
  }
});

test('a change that is seen by hundreds of instances takes a few statements', async () => {
  const { invoke, counted } = await engineFor(`module m
entity Rate { id Int @id, by Decimal }
entity Order { id Int @id, total Decimal @expr(sum(OrderLine.Line.cost)) }
entity Line { no Int @id, rate Int @ref(Rate.id), cost Decimal @expr(round(rate.by * no, 2)) }
relationship OrderLine contains(Order, Line)
workflow fill { for n in fill.list { {Order {id? 1}, OrderLine [{Line {no n, rate 1}}]} } 1 }
workflow raise { {Rate {id? 1, by 2.5}} 1 }
workflow total { {Order {id? 1}} @as [order]; order.total }
{Rate {id 1, by 1.5}}
{Order {id 1}}`);
  await invoke('m/fill', { list: Array.from({ length: 400 }, (_, index) => index + 1) });
  counted.statements = 0;
  await invoke('m/raise', {});
  expect(counted.statements).toBeLessThanOrEqual(100);
  expect(await invoke('m/total', {})).toMatchObject({ text: '200500.00' });
});

test('platform explain tells the steps and the statement of each', async () => {
  const said: string[] = [];
  const terminal = { ...testTerminal(process.cwd()), out: (text: string) => said.push(text), err: (text: string) => said.push(text) };
  expect(await main(['explain', 'buy', 'examples/shop'], terminal)).toBe(0);
  const text = said.join('\n');
  expect(text).toContain('shop/buy: one transaction that writes');
  expect(text).toMatch(/1\. \{Customer \{email\? buy\.customer\}\}.*\n.*SELECT .* FROM "shop\/Customer" WHERE "email" = \?1/);
  expect(text).toContain('INSERT INTO "shop/Purchase"');
  expect(text).toContain('before it: before update shop/Product');
  said.length = 0;
  expect(await main(['explain', 'shop/sales', 'examples/shop'], terminal)).toBe(0);
  expect(said.join('\n')).toMatch(/shop\/sales: only reads[\s\S]*INNER JOIN[\s\S]*GROUP BY/);
  said.length = 0;
  expect(await main(['explain', 'nothing', 'examples/shop'], terminal)).toBe(1);
  expect(said.join('\n')).toMatch(/no event with a workflow is called nothing; there are shop\/buy, shop\/sales/);
});

async function engineFor(
  text: string,
): Promise<{ invoke(event: string, body: object): Promise<unknown>; counted: { statements: number } }> {
  const model = modelOf(text);
  const plan = compile(model);
  const clock = systemClock();
  const store = openStore({ type: 'sqlite', file: `${folderForTest()}/test.db` }, clock);
  onTestFinished(() => store.close());
  await store.migrate(plan.tables);
  const counted = { statements: 0 };
  const engine: Engine = createEngine({
    plan,
    store: counting(store, counted),
    clock,
    functions: noFunctions,
    hash: async (secret) => secret,
    limits: { memory: 16 * 1024 * 1024, tree: { instances: 1000, depth: 10, bytes: 1_000_000 }, flow: { steps: 100_000, time: 600 } },
    guard: openGuard,
    recorder: noRecorder,
    failed: (thrown) => {
      throw thrown;
    },
  });
  await engine.start();
  const invoke = async (event: string, body: object): Promise<unknown> => {
    const target = model.events.get(event);
    if (target === undefined) throw new Error(`no event ${event}`);
    const result = await engine.execute({ kind: 'invoke', target, body: { ...body } as never }, anonymous);
    return result.kind === 'outcome' ? result.outcome.value : undefined;
  };
  return { invoke, counted };
}

/** The store, with every statement counted. */
function counting(store: Store, counted: { statements: number }): Store {
  const names: ReadonlySet<string | symbol> = new Set([
    'one',
    'rows',
    'page',
    'count',
    'report',
    'insert',
    'insertEach',
    'update',
    'updateEach',
    'delete',
  ]);
  const watched = <T extends Reader | Writer>(tx: T): T =>
    new Proxy(tx, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (names.has(name)) counted.statements += 1;
        return typeof found === 'function' ? found.bind(target) : found;
      },
    });
  return new Proxy(store, {
    get(target, name) {
      if (name === 'read') return (work: (reader: Reader) => unknown) => target.read((tx) => work(watched(tx)));
      if (name === 'write')
        return (work: (writer: Writer) => unknown, options?: object) => target.write((tx) => work(watched(tx)), options);
      const found: unknown = Reflect.get(target, name);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}
