// What a request that lost a race has called: functions that gave a promise, or whose import says `@external`, are called once for it, any others again.

import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Answer, type Project, type Served, serve } from '../support/app.ts';
import { until } from '../support/time.ts';

/** `plain` may be called again, `external` and what gives a promise may not. */
type Kind = 'plain' | 'external' | 'promise';

const kinds: readonly Kind[] = ['plain', 'external', 'promise'];

const module = `let calls = 0;
export const count = () => calls;
export const plain = (x = 1) => { calls += 1; return x; };
export const promise = async (x = 1) => plain(x);
export const failing = (x) => { calls += 1; throw new Error('no'); };
export const rejecting = async (x) => failing(x);
`;

/** A model whose workflow \`go\` reads the counter, then calls a function, as `way` does, then changes the counter. */
function projectOf({ model = '', log = 'x Int', step, change = '{c {n c.n + 1}}' }: Way, kind: Kind): Project {
  const words = (text: string): string => {
    const name = kind === 'external' ? 'once.plain' : `often.${kind}`;
    const failing = kind === 'external' ? 'once.failing' : kind === 'promise' ? 'often.rejecting' : 'often.failing';
    return text
      .replaceAll('AWAIT ', kind === 'promise' ? 'await ' : '')
      .replaceAll('FAIL', failing)
      .replaceAll('F', name);
  };
  return {
    'f.js': module,
    'core.al': `module m
import "f.js" @as often
import "f.js" @as once @external
entity counter { id Int @id, n Int }
entity tag { name String @id, n Int @default(0) }
entity log { id UUID @id @default(uuid()), ${words(log)} }
workflow count { often.count() }
${words(model)}
workflow go { {counter {id? 1}} @as [c]; ${words(step)}; ${change} }
`,
  };
}

interface Way {
  readonly model?: string;
  /** The attributes of what the workflow notes. */
  readonly log?: string;
  readonly step: string;
  readonly change?: string;
  /** What no function may be that gives a promise. */
  readonly isAtOnce?: true;
}

const ways: Readonly<Record<string, Way>> = {
  'a call': { step: '{log {x AWAIT F(1)}}' },
  'a call as a statement': { step: 'AWAIT F(1)' },
  'a condition': { step: 'if (AWAIT F(1)) { {log {x 1}} }' },
  'a call that fails, which is caught': { step: 'AWAIT FAIL(1) @catch {error 0}' },
  'a check': { log: 'ok Boolean @check(F)', step: '{log {ok true}}' },
  'a default': { log: 'x Int @default(F())', step: '{log {}}', isAtOnce: true },
  'a computed attribute': { log: 'x Int, y Int @expr(F(x))', step: '{log {x 1}}', isAtOnce: true },
  'a trigger before': { model: 'workflow @before create:log { {this {x AWAIT F(1)}} }', step: '{log {x 1}}' },
  'a trigger behind': { model: 'workflow @after create:log { AWAIT F(this.x) }', step: '{log {x 1}}' },
  'another workflow': { model: 'event other { x Int }\nworkflow other { AWAIT F(other.x) }', step: '{other {x 1}}' },
  'a loop': { step: 'for x in [AWAIT F(1)] { {log {x x}} }' },
};

const rows = Object.entries(ways).flatMap(([title, way]) =>
  kinds.flatMap((kind) => (way.isAtOnce === true && kind === 'promise' ? [] : [[title, kind, way] as const])),
);

/** How often the function was called, and what the request was answered: done once more, or refused. */
async function held(
  served: Served,
  kind: Kind,
  { status, headers, body }: Answer,
  refusal: 'store-busy' | 'duplicate' = 'store-busy',
): Promise<void> {
  const { body: calls } = await served.post('/m/count', {});
  if (kind === 'plain') {
    expect([calls, status]).toEqual([2, 200]);
    expect(served.failures).toEqual([]);
    return;
  }
  const isBusy = refusal === 'store-busy';
  expect([calls, status, body]).toEqual([1, isBusy ? 503 : 409, expect.objectContaining({ code: refusal })]);
  expect(headers['retry-after']).toBe(isBusy ? '1' : undefined);
  expect((await served.get('/m/log')).body).toEqual([]);
}

describe('a workflow whose row somebody else has changed meanwhile', () => {
  test.each(rows)('%s of a function that is %s', async (_, kind, way) => {
    const served = await serve(projectOf(way, kind));
    await served.post('/m/counter', { id: 1, n: 0 });
    const other = await otherThan(served);
    await other.query('BEGIN');
    await other.query('UPDATE "m/counter" SET n = n + 100 WHERE id = 1');
    const answer = served.post('/m/go', {});
    await Promise.race([waiting(served), answer]);
    await other.query('COMMIT');
    await held(served, kind, await answer);
    expect((await served.get('/m/counter/1')).body).toMatchObject({ n: kind === 'plain' ? 101 : 100 });
  });
});

describe('a workflow that waits for somebody who waits for it', () => {
  const way = { step: '{counter {id? 2, n 5}}; {log {x AWAIT F(1)}}' };
  test.each(kinds)('with a function that is %s', async (kind) => {
    const served = await serve(projectOf(way, kind));
    for (const id of [1, 2]) await served.post('/m/counter', { id, n: 0 });
    const other = await otherThan(served);
    // The one that is ended is the one that looks.
    await other.query("SET deadlock_timeout = '1h'");
    await other.query('BEGIN');
    await other.query('UPDATE "m/counter" SET n = 100 WHERE id = 1');
    const answer = served.post('/m/go', {});
    await Promise.race([waiting(served), answer]);
    await other.query('UPDATE "m/counter" SET n = 100 WHERE id = 2');
    await other.query('COMMIT');
    await held(served, kind, await answer);
    expect((await served.get('/m/counter/2')).body).toMatchObject({ n: kind === 'plain' ? 5 : 100 });
  });
});

describe('a workflow that creates what somebody else creates', () => {
  const ways = {
    'where it has not found it': '{tag {name? "x"}} @empty {tag {name "x"}}; {tag {name? "x", n tag.n + 1}}',
    'with @upsert': '{tag {name "x", n 8}, @upsert}',
  };
  const rows = Object.entries(ways).flatMap(([title, change]) => kinds.map((kind) => [title, kind, change] as const));
  test.each(rows)('%s, with a function that is %s', async (_, kind, change) => {
    const served = await serve(projectOf({ step: '{tag {name? "x"}} @empty null; {log {x AWAIT F(1)}}', change }, kind));
    await served.post('/m/counter', { id: 1, n: 0 });
    const other = await otherThan(served);
    await other.query('BEGIN');
    await other.query(`INSERT INTO "m/tag" (name, n) VALUES ('x', 7)`);
    const answer = served.post('/m/go', {});
    await Promise.race([waiting(served), answer]);
    await other.query('COMMIT');
    await held(served, kind, await answer, 'duplicate');
    expect((await served.get('/m/tag/x')).body).toMatchObject({ n: kind === 'plain' ? 8 : 7 });
  });
});

describe('a request that waits for somebody for longer than store.lockTimeout', () => {
  test.each(kinds)('whose check is %s', async (kind) => {
    const model = 'entity held { id Int @id, ok Boolean @check(F) }';
    const served = await serve(projectOf({ model, step: '{log {x 1}}' }, kind), { postgres: { lockTimeout: 1 } });
    const other = await otherThan(served);
    await other.query('BEGIN');
    await other.query('INSERT INTO "m/held" (id, ok) VALUES (1, true)');
    const calls = async (): Promise<unknown> => (await served.post('/m/count', {})).body;
    const answer = served.post('/m/held', { id: 1, ok: true });
    if (kind === 'plain') await until(async () => (await calls()) === 2);
    else await answer;
    await other.query('ROLLBACK');
    expect((await answer).status).toBe(kind === 'plain' ? 201 : 503);
    expect(await calls()).toBe(kind === 'plain' ? 2 : 1);
    expect((await served.get('/m/held')).body).toHaveLength(kind === 'plain' ? 1 : 0);
  });
});

describe('Clojure in the model is repeated unless it calls of imports what may not be', () => {
  const forms = {
    plain: '(often/plain 1)',
    external: '(inc (once/plain 1))',
    promise: '(do (often/promise 1) 1)',
  };
  test.each(kinds)('a function that is %s', async (kind) => {
    const model = `(component :m)
(import "f.js" :as :often)
(import "f.js" :as :once :external true)
(entity :counter {:id {:type :Int :guid true} :n :Int})
(entity :log {:id {:type :Int :guid true}})
(dataflow :count [:eval '(often/count)])
(dataflow :go {:counter {:id? 1} :as [:c]} [:eval '${forms[kind]}] {:log {:id 1}} {:counter {:id? 1 :n '(+ :c.n 1)}})`;
    const served = await serve({ 'f.js': module, 'm.platform': model });
    await served.post('/m/counter', { id: 1, n: 0 });
    const other = await otherThan(served);
    await other.query('BEGIN');
    await other.query('UPDATE "m/counter" SET n = n + 100 WHERE id = 1');
    const answer = served.post('/m/go', {});
    await Promise.race([waiting(served), answer]);
    await other.query('COMMIT');
    await held(served, kind, await answer);
  });
});

/** Another program that writes to the same database. */
async function otherThan(served: Served): Promise<pg.Client> {
  const { settings } = served.kept;
  if (settings.type !== 'postgres') throw new Error('the test is about the server');
  const { host, port, username: user, password, dbname: database } = settings;
  const client = new pg.Client({ host, port, user, password, database });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Until a statement of the service waits for what the other one holds. */
async function waiting(served: Served): Promise<void> {
  const sql = `SELECT 1 AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await until(async () => (await served.kept.rows(sql)).length > 0);
}
