// How many statements a query asks of the store: one for each field at its root, however deep.

import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { anonymous } from '../../src/engine/caller.ts';
import { createEngine, noRecorder } from '../../src/engine/engine.ts';
import { noFunctions } from '../../src/engine/eval/functions.ts';
import { openGuard } from '../../src/engine/seams.ts';
import { graphqlEndpoint } from '../../src/http/graphql/graphql.ts';
import { compile } from '../../src/plan/compile.ts';
import { openStore } from '../../src/store/open.ts';
import type { Reader, Store } from '../../src/store/store.ts';
import { modelOf } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { blog } from './support.ts';

const queries: readonly (readonly [title: string, query: string, statements: number])[] = [
  [
    '3 levels over 100 instances, with links and filters',
    '{ postList(limit: 100) { slug _version PostComment(limit: 5, orderBy: [{id: DESC}]) { text CommentReply(limit: 5) { text } } PostTag { name } } }',
    1,
  ],
  ['cursors', '{ postList(limit: 100, orderBy: [{AuthorPost: {name: ASC}}, {title: DESC}]) { slug _cursor AuthorPost { name } } }', 1],
  ['one instance with what is around it', '{ post(slug: "p1") { slug PostComment { text CommentReply { text } } } }', 1],
  ['three fields', '{ a: postCount b: postList { slug } c: authorList { name AuthorPost { slug } } }', 3],
  ['a request that is refused', '{ postList(limit: 200) { PostComment(limit: 100) { id } } }', 0],
];

test.each(queries)('%s: the statements are counted', async (_, query, statements) => {
  const { ask, counted } = await counting();
  const filling = Array.from({ length: 100 }, (__, n) => {
    const comments = `PostComment: [{id: 1, text: "c", CommentReply: [{id: 1, text: "r"}, {id: 2, text: "s"}]}, {id: 2, text: "d"}]`;
    return `p${n}: createPost(input: {slug: "p${n}", title: "t", ${comments}}) { slug }`;
  });
  expect(await ask(`mutation { ${filling.join(' ')} }`)).not.toContain('errors');
  counted.clear();
  const answer = await ask(query);
  expect(answer.includes('errors')).toBe(statements === 0);
  expect(counted.size, [...counted].join('\n')).toBe(statements);
});

async function counting(): Promise<{ ask(query: string): Promise<string>; counted: Set<string> }> {
  const plan = compile(modelOf(blog));
  const clock = systemClock();
  const store = openStore({ type: 'sqlite', file: `${folderForTest()}/test.db` }, clock);
  onTestFinished(() => store.close());
  await store.migrate(plan.tables);
  const counted = new Set<string>();
  const failed = (thrown: unknown): void => {
    throw thrown;
  };
  const engine = createEngine({
    plan,
    store: watched(store, counted),
    clock,
    functions: noFunctions,
    hash: async (secret) => secret,
    limits: { memory: 16 * 1024 * 1024, tree: { instances: 1000, depth: 10, bytes: 1_000_000 }, flow: { steps: 100_000, time: 600 } },
    guard: openGuard,
    recorder: noRecorder,
    failed,
  });
  await engine.start();
  const endpoint = graphqlEndpoint({
    plan,
    engine,
    surface: 'current',
    changes: { open: () => Promise.reject(new Error('no streams here')), authenticate: () => anonymous },
    limits: { page: undefined, json: { depth: 64, keys: 10_000, items: 10_000 } },
    failed,
  });
  const ask = async (query: string): Promise<string> => {
    const request = {
      method: 'POST',
      path: '/graphql',
      query: '',
      headers: { 'content-type': 'application/json' },
      id: 'q',
      remote: '::1',
    };
    const { body } = await endpoint.respond({ ...request, body: Buffer.from(JSON.stringify({ query })) }, anonymous);
    return String(body);
  };
  return { ask, counted };
}

/** Every statement that is read is noted, each with a number of its own. */
function watched(store: Store, counted: Set<string>): Store {
  const names: ReadonlySet<string | symbol> = new Set(['one', 'rows', 'page', 'count', 'report']);
  const reading = (tx: Reader): Reader =>
    new Proxy(tx, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (names.has(name)) counted.add(`${counted.size} ${String(name)}`);
        return typeof found === 'function' ? found.bind(target) : found;
      },
    });
  return new Proxy(store, {
    get(target, name) {
      if (name === 'read') return (work: (reader: Reader) => unknown) => target.read((tx) => work(reading(tx)));
      const found: unknown = Reflect.get(target, name);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}
