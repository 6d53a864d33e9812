// Transactions that are open for long, and streams that are: what waits for what, and that nothing is lost for it.

import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Place } from '../../src/store/changes/change.ts';
import { LogReader, placeOf } from '../../src/store/changes/log-reader.ts';
import { PostgresStore } from '../../src/store/postgres/postgres.ts';
import { world } from '../access/people.ts';
import { type Served, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { otherTransaction } from '../support/postgres.ts';
import { storeOfRun } from '../support/store.ts';
import { brief, looked, watch } from './support.ts';

const model = 'module blog\nentity Post { id Int @id, text String }\n';
const owned = `module blog\nentity Post { id Int @id, text String, @rbac [(roles: [user], allow: [create])] }\n`;
const day = 24 * 60 * 60 * 1000;
const onServer = test.runIf(storeOfRun() === 'postgres');

onServer('a transaction of another database of the server holds up nobody', async () => {
  const served = await serve(model);
  const first = await watch(served, '/blog/Post');
  await first.until(1);
  await otherTransaction(served, 'postgres');
  await served.post('/blog/Post', { id: 1, text: 'a' });
  expect(brief(await first.until(2))).toEqual(['create 1']);
  await first.close();
  const second = await watch(served, '/blog/Post');
  const resumed = await watch(served, '/blog/Post', { after: first.cursor() });
  await served.post('/blog/Post', { id: 2, text: 'b' });
  expect(brief(await second.until(2))).toEqual(['create 2']);
  expect(brief(await resumed.until(2))).toEqual(['create 2']);
});

onServer('a transaction of its own database holds up what came behind it, which is told after it in the order of the log', async () => {
  const served = await serve(model);
  const stream = await watch(served, '/blog/Post');
  await stream.until(1);
  await served.post('/blog/Post', { id: 1, text: 'a' });
  await stream.until(2);
  const own = await otherTransaction(served);
  await own.query(`UPDATE "blog/Post" SET "text" = 'late' WHERE "id" = 1`);
  await otherTransaction(served, 'postgres');
  await served.post('/blog/Post', { id: 2, text: 'b' });
  const fresh = await watch(served, '/blog/Post');
  await served.post('/blog/Post', { id: 3, text: 'c' });
  await looked();
  expect([brief(stream.told), brief(fresh.told)]).toEqual([['create 1'], []]);
  await own.query('COMMIT');
  expect(brief(await stream.until(5))).toEqual(['create 1', 'update 1', 'create 2', 'create 3']);
  expect(brief(await fresh.until(3))).toEqual(['update 1', 'create 3']);
});

onServer('what was settled once stays so, whatever the server tells of transactions a moment later', async () => {
  const served = await serve(model);
  const stream = await watch(served, '/blog/Post');
  await stream.until(1);
  for (const id of [1, 2]) await served.post('/blog/Post', { id, text: 'a' });
  await stream.until(3);
  const [first, second] = (await served.kept.rows('SELECT "tx", "seq" FROM __platform_changes ORDER BY "tx"')).map(placeOf);
  if (first === undefined || second === undefined || served.kept.settings.type !== 'postgres') throw new Error('nothing was recorded');
  // As if one that began before them had ended while it was looked for.
  await served.kept.execute('CREATE OR REPLACE VIEW "__platform_changes_horizon" AS SELECT 0::bigint AS "tx"');
  const store = new PostgresStore(served.kept.settings, systemClock());
  onTestFinished(() => store.close());
  const log = new LogReader(store);
  const told = async (settled: Place): Promise<readonly (readonly [number, boolean])[]> =>
    store.read(async (reader) => {
      const { changes, isAll } = await log.next(first, settled, 10, reader, 1024);
      return changes.map(({ tx }) => [tx, isAll]);
    });
  expect(await told(second)).toEqual([[second.tx, true]]);
  expect(await told(first)).toEqual([]);
  expect(await store.read((reader) => log.lastSettled(reader, second))).toMatchObject({ tx: second.tx, seq: second.seq });
});

onServer('whoever waits for a transaction that is open for longer than the log is kept begins anew', async () => {
  const { served, clock } = await aged();
  const stream = await watch(served, '/blog/Post');
  await stream.until(1);
  const own = await otherTransaction(served);
  await served.post('/blog/Post', { id: 1, text: 'a' });
  const before = await lastWatched(served);
  clock.advance(day + 60_000);
  // It is written down that somebody watches, before what nobody watches is ended.
  vi.advanceTimersByTime(5_000);
  await expect.poll(() => lastWatched(served)).toBeGreaterThan(before);
  vi.advanceTimersByTime(10 * 60 * 1000);
  await expect
    .poll(() => served.kept.rows('SELECT 1 AS n FROM __platform_changes WHERE "before" IS NOT NULL OR "after" IS NOT NULL'))
    .toEqual([]);
  await own.query('COMMIT');
  await served.post('/blog/Post', { id: 2, text: 'b' });
  await stream.ended;
  expect(brief(stream.told)).toEqual([]);
  expect((await watch(served, '/blog/Post', { after: stream.cursor() })).status).toBe(410);
  const again = await watch(served, '/blog/Post');
  await served.post('/blog/Post', { id: 3, text: 'c' });
  expect(brief(await again.until(2))).toEqual(['create 3']);
  expect(served.failures).toEqual([]);
});

test('a stream that is open for longer than the log is kept is told of changes as before', async () => {
  const { served, clock } = await aged();
  const stream = await watch(served, '/blog/Post');
  await stream.until(1);
  await served.post('/blog/Post', { id: 1, text: 'a' });
  await stream.until(2);
  const before = await lastWatched(served);
  clock.advance(day + 60_000);
  vi.advanceTimersByTime(5_000);
  await expect.poll(() => lastWatched(served)).toBeGreaterThan(before);
  vi.advanceTimersByTime(10 * 60 * 1000);
  await expect
    .poll(() => served.kept.rows('SELECT 1 AS n FROM __platform_changes WHERE "before" IS NOT NULL OR "after" IS NOT NULL'))
    .toEqual([]);
  // The change itself is not kept, but that it was the last one.
  const again = await watch(served, '/blog/Post', { after: stream.cursor() });
  expect(again.status).toBe(200);
  await served.post('/blog/Post', { id: 2, text: 'b' });
  expect(brief(await stream.until(3))).toEqual(['create 1', 'create 2']);
  expect(brief(await again.until(2))).toEqual(['create 2']);
});

onServer('a stream that could not be opened because a table was locked is told of everything when it is opened again', async () => {
  const served = await serve(`${model}entity Tag { id Int @id }\nrelationship PostTag between(Post, Tag)\n`);
  await served.post('/blog/Post', { id: 1, text: 'a' });
  expect((await watch(served, '/blog/Post')).status).toBe(200);
  const other = await otherTransaction(served);
  await other.query('LOCK TABLE "blog/PostTag" IN ROW EXCLUSIVE MODE');
  expect((await watch(served, '/blog/Post/1/PostTag/Tag')).status).toBe(503);
  await other.query('COMMIT');
  const again = await watch(served, '/blog/Tag');
  expect(again.status).toBe(200);
  await served.post('/blog/Tag', { id: 1 });
  expect(brief(await again.until(2))).toEqual(['create 1']);
});

onServer('a table that is locked holds up no first stream of another type', async () => {
  const types = ['A', 'B', 'C', 'D', 'E'];
  const served = await serve(`${model}${types.map((each) => `entity ${each} { id Int @id }\n`).join('')}`);
  const other = await otherTransaction(served);
  await other.query('LOCK TABLE "blog/Post" IN ROW EXCLUSIVE MODE');
  const waiting = `SELECT pid FROM pg_locks WHERE locktype = 'relation' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  let isOvertaken = false;
  // A machine may be so slow that the one has waited for its five seconds before the other is open: then others are tried.
  for (const each of types) {
    let isOver = false;
    const locked = watch(served, '/blog/Post').finally(() => {
      isOver = true;
    });
    await expect.poll(async () => isOver || (await served.kept.rows(waiting)).length > 0).toBe(true);
    const isWaiting = !isOver;
    expect((await watch(served, `/blog/${each}`)).status).toBe(200);
    isOvertaken = isWaiting && !isOver;
    expect((await locked).status).toBe(503);
    if (isOvertaken) break;
  }
  expect(isOvertaken).toBe(true);
});

onServer(
  'streams that are opened while another process begins to record wait for it once, and are refused for a while when it takes too long',
  async () => {
    const served = await serve(model);
    const other = await otherTransaction(served);
    await other.query('SELECT pg_advisory_xact_lock(7040305117)');
    const opened = Promise.all([1, 2, 3].map(() => watch(served, '/blog/Post')));
    const waiting = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await expect.poll(() => served.kept.rows(waiting)).toHaveLength(1);
    expect((await opened).map(({ status }) => status)).toEqual([503, 503, 503]);
    await other.query('COMMIT');
    expect((await watch(served, '/blog/Post')).status).toBe(200);
  },
);

onServer('of two transactions that change one row, the one that changed it last is told last, whichever began to write first', async () => {
  const served = await serve(model);
  await served.post('/blog/Post', { id: 1, text: 'a' });
  const [stream, some] = [await watch(served, '/blog/Post'), await watch(served, '/blog/Post?id[lt]=50')];
  for (const each of [stream, some]) await each.until(1);
  const early = await otherTransaction(served);
  const between = await otherTransaction(served);
  await served.put('/blog/Post/1', { text: 'b' });
  await early.query(`UPDATE "blog/Post" SET "text" = "text" || ' and c' WHERE "id" = 1`);
  await early.query('COMMIT');
  // What comes before it in the log may not be told alone, and its place is not sure.
  await looked();
  expect(brief(stream.told)).toEqual([]);
  await between.query('COMMIT');
  await served.post('/blog/Post', { id: 2, text: 'x' });
  const told = await stream.until(4);
  const last = [
    ['update', 'b and c'],
    ['create', 'x'],
  ];
  expect(told.slice(1).map(({ event, data }) => [event, data['text']])).toEqual([['update', 'b'], ...last]);
  expect((await some.until(3)).slice(1).map(({ event, data }) => [event, data['text']])).toEqual(last);
  expect(told[1]?.id).toBeUndefined();
  const resumed = await watch(served, '/blog/Post', { after: told[0]?.id });
  expect(brief(await resumed.until(4))).toEqual(['update 1', 'update 1', 'create 2']);
});

onServer(
  'what was there when a stream was opened, and is changed by a transaction that began to write before it was made, is told',
  async () => {
    const served = await serve(model);
    await (await watch(served, '/blog/Post')).until(1);
    const early = await otherTransaction(served);
    for (const id of [1, 2, 3]) await served.post('/blog/Post', { id, text: 'a' });
    const streams = [await watch(served, '/blog/Post?@initial=true'), await watch(served, '/blog/Post?id[lt]=50&@initial=true')];
    for (const each of streams) await each.until(4);
    await early.query('DELETE FROM "blog/Post" WHERE "id" = 1');
    await early.query(`UPDATE "blog/Post" SET "text" = 'b' WHERE "id" = 2`);
    await early.query('COMMIT');
    for (const each of streams) expect(brief((await each.until(6)).slice(4)).toSorted()).toEqual(['delete 1', 'update 2']);
  },
);

onServer('rows that get the identifiers of each other in one transaction are all there behind it', async () => {
  const served = await serve(model);
  await served.post(
    '/blog/Post',
    [1, 2].map((id) => ({ id, text: `was ${id}` })),
  );
  const streams = [await watch(served, '/blog/Post'), await watch(served, '/blog/Post?id[lt]=50')];
  for (const each of streams) await each.until(1);
  const other = await otherTransaction(served);
  await other.query(`INSERT INTO "blog/Post" ("id", "text", "__version") VALUES (60, 'new', 1)`);
  for (const [from, to] of [
    [1, 99],
    [2, 1],
    [99, 3],
    [60, 2],
  ])
    await other.query(`UPDATE "blog/Post" SET "id" = ${to} WHERE "id" = ${from}`);
  await other.query('COMMIT');
  for (const each of streams) {
    const told = await each.until(6);
    expect(brief(told).toSorted()).toEqual(['create 1', 'create 2', 'create 3', 'gone 1', 'gone 2']);
    const view = new Map<unknown, unknown>();
    for (const { event, data } of told.slice(1))
      if (event === 'gone') view.delete(data['id']);
      else view.set(data['id'], data['text']);
    expect([...view].toSorted()).toEqual([
      [1, 'was 2'],
      [2, 'new'],
      [3, 'was 1'],
    ]);
  }
});

onServer('who may read a row that got the identifier of another one is decided behind the transaction', async () => {
  const { served, join } = await world(owned);
  const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
  await ann.create('/blog/Post', [
    { id: 1, text: 'canary' },
    { id: 2, text: 'open' },
  ]);
  const given = { resource: 'blog/Post', resourceId: '2', assignee: bob.email, actions: ['read'] };
  expect((await ann.assign('InstancePrivilegeAssignment', given)).status).toBe(201);
  const stream = await watch(served, '/blog/Post?@initial=true', { headers: bob.headers });
  await stream.until(2);
  const other = await otherTransaction(served);
  for (const [from, to] of [
    [1, 99],
    [2, 1],
    [99, 2],
  ])
    await other.query(`UPDATE "blog/Post" SET "id" = ${to} WHERE "id" = ${from}`);
  await other.query('DELETE FROM "platform.rbac/InstancePrivilegeAssignment"');
  await other.query('COMMIT');
  await bob.create('/blog/Post', { id: 5, text: 'mine' });
  expect(brief(await stream.until(4))).toEqual(['present 2', 'gone 2', 'create 5']);
});

onServer('the first cursor of a stream stands behind all that could be read when it was opened', async () => {
  const { served, join } = await world(owned);
  const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
  await ann.create('/blog/Post', { id: 1, text: 'a' });
  const known = await watch(served, '/blog/Post', { headers: bob.headers });
  await known.until(1);
  const other = await otherTransaction(served);
  const given = { resource: 'blog/Post', resourceId: '1', assignee: bob.email, actions: ['read'] };
  const { body } = await ann.assign('InstancePrivilegeAssignment', given);
  // It waits for a second at most: that is not over before the other one is.
  const stands = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => stands.mockRestore());
  let isOpen = false;
  const opening = watch(served, '/blog/Post', { headers: bob.headers }).finally(() => {
    isOpen = true;
  });
  // Whoever comes later and has a cursor waits for nothing.
  await (await watch(served, '/blog/Post', { headers: bob.headers, after: known.cursor() })).until(1);
  await looked();
  expect(isOpen).toBe(false);
  await other.query('COMMIT');
  const stream = await opening;
  stands.mockRestore();
  await stream.until(1);
  expect((await bob.read('/blog/Post')).body).toHaveLength(1);
  await stream.close();
  await ann.remove(ann.at('InstancePrivilegeAssignment', String(Reflect.get(Object(body), 'id'))));
  const resumed = await watch(served, '/blog/Post', { headers: bob.headers, after: stream.cursor() });
  expect(brief(await resumed.until(2))).toEqual(['gone 1']);
});

onServer('behind the present instances a cursor is given when all that they show has been told', async () => {
  const served = await serve(model);
  await watch(served, '/blog/Post');
  const other = await otherTransaction(served);
  await served.post('/blog/Post', { id: 1, text: 'a' });
  const stream = await watch(served, '/blog/Post?@initial=true');
  expect(brief(await stream.until(2))).toEqual(['present 1']);
  await looked();
  expect(stream.cursor()).toBeUndefined();
  await other.query('COMMIT');
  await expect.poll(() => stream.cursor()).toBeDefined();
  await stream.close();
  const resumed = await watch(served, '/blog/Post', { after: stream.cursor() });
  await served.post('/blog/Post', { id: 2, text: 'b' });
  expect(brief(await resumed.until(2))).toEqual(['create 2']);
});

/** Somebody who watches, whose posts are told when everything before is, and another one's post. */
async function watched() {
  const { served, join } = await world(owned);
  const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
  await ann.create('/blog/Post', { id: 1, text: 'old' });
  const stream = await watch(served, '/blog/Post', { headers: bob.headers });
  await stream.until(1);
  const toldAtEnd = async () => {
    await bob.create('/blog/Post', { id: 2, text: 'b' });
    await expect.poll(() => brief(stream.told).includes('create 2'), { timeout: 10_000 }).toBe(true);
    await looked();
    // Only those of one instance have an order.
    return stream.told
      .slice(1)
      .map(({ event, data }) => `${event} ${String(data['id'])} ${String(data['text'])}`)
      .toSorted();
  };
  return { served, ann, bob, toldAtEnd };
}

const grantTo = (email: string) =>
  `INSERT INTO "platform.rbac/InstancePrivilegeAssignment" ("id","resource","resourceId","assignee","actions","__version","__target") VALUES (gen_random_uuid(), 'blog/Post', '1', '${email}', '["read"]', 1, 'blog/Post' || chr(1) || '8000000000000001')`;

onServer('what was replaced before a right was given is not told, whichever transaction began first', async () => {
  const { served, ann, bob, toldAtEnd } = await watched();
  const other = await otherTransaction(served);
  await ann.change('/blog/Post/1', { text: 'canary' });
  await ann.change('/blog/Post/1', { text: 'open' });
  await other.query(grantTo(bob.email));
  await other.query('COMMIT');
  expect(await toldAtEnd()).toEqual(['create 1 open', 'create 2 b']);
});

onServer('what was deleted before a right was given is not told, whichever transaction began first', async () => {
  const { served, ann, bob, toldAtEnd } = await watched();
  const other = await otherTransaction(served);
  await ann.change('/blog/Post/1', { text: 'canary' });
  await ann.remove('/blog/Post/1');
  await other.query(grantTo(bob.email));
  await other.query('COMMIT');
  expect((await toldAtEnd()).join()).not.toContain('canary');
});

/** When the log is looked at while transactions are open: what has been committed is stored then, and only a part of it can be told. */
for (const [when, lookedAt] of [
  ['at the end', []],
  ['before the right is taken back', ['given']],
  ['before the other transaction has ended', ['committed']],
  ['each time', ['given', 'taken', 'committed', 'changed']],
] as const) {
  const look = async (now: string): Promise<void> => {
    if (lookedAt.some((each) => each === now)) await looked();
  };

  onServer(
    `what was committed behind the taking back of a right is not told, whichever transaction began first: looked at ${when}`,
    async () => {
      const { served, ann, bob, toldAtEnd } = await watched();
      const first = await otherTransaction(served);
      await first.query(`UPDATE "blog/Post" SET "text" = 'canary' WHERE "id" = 1`);
      const given = { resource: 'blog/Post', resourceId: '1', assignee: bob.email, actions: ['read'] };
      const { body } = await ann.assign('InstancePrivilegeAssignment', given);
      await look('given');
      const second = await otherTransaction(served);
      await ann.remove(ann.at('InstancePrivilegeAssignment', String(Reflect.get(Object(body), 'id'))));
      await look('taken');
      await first.query('COMMIT');
      await look('committed');
      await second.query(`UPDATE "blog/Post" SET "text" = 'later' WHERE "id" = 1`);
      await look('changed');
      await second.query('COMMIT');
      expect((await toldAtEnd()).join()).not.toContain('canary');
    },
  );

  onServer(
    `what was replaced before a right was given is not told, whichever transaction is open meanwhile: looked at ${when}`,
    async () => {
      const { served, ann, bob, toldAtEnd } = await watched();
      const first = await otherTransaction(served);
      await ann.change('/blog/Post/1', { text: 'canary' });
      await look('given');
      const second = await otherTransaction(served);
      await first.query('COMMIT');
      await look('taken');
      await ann.change('/blog/Post/1', { text: 'open' });
      const given = { resource: 'blog/Post', resourceId: '1', assignee: bob.email, actions: ['read'] };
      await ann.assign('InstancePrivilegeAssignment', given);
      await look('committed');
      await second.query('COMMIT');
      await look('changed');
      expect(await toldAtEnd()).toEqual(['create 1 open', 'create 2 b']);
    },
  );

  onServer(`what a right was given for and taken back again is told at no moment as it became behind that: looked at ${when}`, async () => {
    const { served, ann, bob, toldAtEnd } = await watched();
    await ann.create('/blog/Post', { id: 3, text: 'other' });
    const first = await otherTransaction(served);
    await first.query(`UPDATE "blog/Post" SET "text" = 'canary' WHERE "id" = 1`);
    const assign = async (id: string) => {
      const { body } = await ann.assign('InstancePrivilegeAssignment', {
        resource: 'blog/Post',
        resourceId: id,
        assignee: bob.email,
        actions: ['read'],
      });
      return String(Reflect.get(Object(body), 'id'));
    };
    const one = await assign('1');
    // A row that has not changed: what may be read is looked at as a whole.
    await assign('3');
    await look('given');
    const second = await otherTransaction(served);
    await ann.remove(ann.at('InstancePrivilegeAssignment', one));
    await look('taken');
    await first.query('COMMIT');
    await look('committed');
    await second.query('COMMIT');
    await look('changed');
    const told = await toldAtEnd();
    expect(told.join()).not.toContain('canary');
    expect(told).toContain('create 3 other');
  });
}

onServer('what came to be readable while a stream was opened, was shown as present and is taken back again, is gone', async () => {
  const { served, join } = await world(owned);
  const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
  await ann.create('/blog/Post', { id: 1, text: 'a' });
  const known = await watch(served, '/blog/Post', { headers: bob.headers });
  await known.until(1);
  const first = await otherTransaction(served);
  await ann.create('/blog/Post', { id: 2, text: 'b' });
  // The opening waits for it for a second, which is not over before the right is given: what the stream knows of has been looked up by then.
  const stands = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => stands.mockRestore());
  const opening = watch(served, '/blog/Post?@initial=true', { headers: bob.headers });
  await (await watch(served, '/blog/Post', { headers: bob.headers, after: known.cursor() })).until(1);
  await looked();
  const given = { resource: 'blog/Post', resourceId: '1', assignee: bob.email, actions: ['read'] };
  const { body } = await ann.assign('InstancePrivilegeAssignment', given);
  stands.mockRestore();
  const stream = await opening;
  expect(brief(await stream.until(2))).toEqual(['present 1']);
  const second = await otherTransaction(served);
  await ann.remove(ann.at('InstancePrivilegeAssignment', String(Reflect.get(Object(body), 'id'))));
  await first.query('COMMIT');
  await looked();
  await second.query('COMMIT');
  expect(brief(await stream.until(3))).toEqual(['present 1', 'gone 1']);
});

onServer('what another program has deleted is made again by whoever made it', async () => {
  const { served, join } = await world(owned);
  const ann = await join('ann', 'user');
  expect((await ann.create('/blog/Post', { id: 1, text: 'a' })).status).toBe(201);
  await served.kept.execute('DELETE FROM "blog/Post"');
  expect((await ann.create('/blog/Post', { id: 1, text: 'b' })).status).toBe(201);
  expect((await ann.read('/blog/Post')).body).toEqual([{ id: 1, text: 'b' }]);
});

test('what a transaction changes several times is told once, as it was committed', async () => {
  const workflow = 'workflow Twice { {Post {id Twice.id, text "first"}}; {Post {id? Twice.id, text "second"}} }\n';
  const gone = 'workflow Never { {Post {id Never.id, text "never"}}; delete {Post {id? Never.id}} }\n';
  const served = await serve(`${model}event Twice { id Int }\n${workflow}event Never { id Int }\n${gone}`);
  const stream = await watch(served, '/blog/Post');
  await stream.until(1);
  for (const [name, id] of [
    ['Twice', 1],
    ['Never', 2],
    ['Twice', 3],
  ] as const)
    expect((await served.post(`/blog/${name}`, { id })).status).toBe(200);
  const told = await stream.until(3);
  expect(told.slice(1).map(({ event, data }) => [event, data])).toEqual([
    ['create', { id: 1, text: 'second' }],
    ['create', { id: 3, text: 'second' }],
  ]);
});

test('nobody goes on in the middle of a transaction: only its last event has a cursor', async () => {
  const served = await serve(model);
  const stream = await watch(served, '/blog/Post');
  await stream.until(1);
  await served.post(
    '/blog/Post',
    [1, 2, 3].map((id) => ({ id, text: 'a' })),
  );
  await served.post('/blog/Post', { id: 4, text: 'b' });
  const [ready, one, two, three, four] = await stream.until(5);
  expect([one?.id, two?.id]).toEqual([undefined, undefined]);
  expect(new Set([ready?.id, three?.id, four?.id]).size).toBe(3);
  const resumed = await Promise.all([ready, three].map((from) => watch(served, '/blog/Post', { after: from?.id })));
  expect(brief((await resumed[0]?.until(5)) ?? [])).toEqual(['create 1', 'create 2', 'create 3', 'create 4']);
  expect(brief((await resumed[1]?.until(2)) ?? [])).toEqual(['create 4']);
});

test('a transaction that has changed more than is looked at together ends streams, which begin anew behind it', async () => {
  const loop = 'workflow Fill { for n in Fill.ids { {Post {id n, text "x"}}; {Post {id? n, text "y"}} } }\n';
  const served = await serve(`${model}event Fill { ids Int[] }\n${loop}`);
  const stream = await watch(served, '/blog/Post');
  await stream.until(1);
  const ids = Array.from({ length: 5001 }, (_, index) => index + 1);
  const filled = await served.post('/blog/Fill', { ids });
  expect([filled.status, filled.status === 200 ? '' : filled.text]).toEqual([200, '']);
  await stream.ended;
  expect(brief(stream.told)).toEqual([]);
  expect((await watch(served, '/blog/Post', { after: stream.cursor() })).status).toBe(410);
  const again = await watch(served, '/blog/Post');
  await served.post('/blog/Post', { id: 20_000, text: 'b' });
  expect(brief(await again.until(2))).toEqual(['create 20000']);
  expect(served.failures).toEqual([]);
});

async function lastWatched({ kept }: Served): Promise<number> {
  return Number((await kept.rows('SELECT "last" AS l FROM __platform_watched'))[0]?.['l']);
}

async function aged() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = testClock(new Date().toISOString());
  // Without a time for statements: the sessions of the pool would age as well, and a busy one be cut.
  return { clock, served: await serve(model, { parts: { clock }, postgres: { statementTimeout: 0 } }) };
}
