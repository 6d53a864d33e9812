// Many requests on the same rows at once: each is answered as if it had come alone, and nothing that any of them did is lost.

import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { noRecorder } from '../../src/engine/engine.ts';
import type { EventHandler } from '../../src/engine/handlers.ts';
import type { WriteContext } from '../../src/engine/operation.ts';
import { updateRow } from '../../src/engine/rows/rows.ts';
import type { Recorder } from '../../src/engine/seams.ts';
import type { Row } from '../../src/store/store.ts';
import { type Answer, type Project, type Served, serve as serveProject } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { until } from '../support/time.ts';

const functions = `
export const atOnce = (value) => value >= 0;
export const double = (value) => value * 2;
export const one = () => 1;
let arrived = [];
/** Waits until five have come; for whoever comes later, a moment. */
export const slowly = () => new Promise((resolve) => {
  const all = arrived?.push(resolve) === 5 ? arrived : [];
  if (arrived === undefined) setTimeout(resolve, 1, true);
  if (all.length > 0) arrived = undefined;
  for (const each of all) setTimeout(each, 1, true);
});
`;

const counter = (attributes: string, more = '') => ({
  'rules.js': functions,
  'core.al': `module m
import "rules.js" @as rules
entity Counter { id Int @id, n Int, ${attributes} }
entity Log { id UUID @id @default(uuid()), counter Int }
workflow add { {Counter {id? 1, n Counter.n + 1}} }
${more}`,
});

/** What is in the way of each other is tried again: the work grows with the square of it. */
const times = counted({ long: 30, short: 10 });

/** Nobody waits for a connection, however long the others take: that ends after five seconds. */
const serve = (project: Project, handlers: ReadonlyMap<string, EventHandler> = new Map()) =>
  serveProject(project, { postgres: { pool: 32 }, parts: { handlers } });

/** Adds one to the counter, as a part of the service may that looks at no failure, and then does something else. */
function adding(
  write: (work: () => Promise<unknown>, context: WriteContext) => Promise<unknown>,
  further: (context: WriteContext) => Promise<unknown> = async () => undefined,
): EventHandler {
  return {
    transaction: 'write',
    waits: false,
    async handle(_, context) {
      const plan = context.plan.entities.get('m/Counter');
      const attribute = plan?.attribute.get('n');
      if (plan === undefined || attribute === undefined) throw new Error('there is a counter');
      const { n } = JSON.parse((await context.tx.one(plan.shapes.byKey, [1]))?.json ?? '{}');
      await write(async () => updateRow(plan, 1, new Map([[attribute, n + 1]]), context), context).catch(() => undefined);
      await further(context);
      return null;
    },
  };
}

interface Way {
  readonly project: Record<string, string>;
  readonly path?: string;
  /** Of the counter, besides its number. */
  readonly has?: object;
  /** Of the event that is posted, in place of a workflow. */
  readonly handler?: EventHandler;
  /** Where each takes long. */
  readonly fewer?: number;
}

const ways: Readonly<Record<string, Way>> = {
  'a workflow': { project: counter('note String @optional') },
  'a check': { project: counter('m Int @default(1) @check(rules.atOnce)') },
  'a computed value': { project: counter('twice Int @expr(n * 2)'), has: { twice: times * 2 } },
  'a computed value that is a function of the application': {
    project: counter('m Int @default(1) @check(rules.atOnce), twice Int @expr(rules.double(n))'),
    has: { twice: times * 2 },
  },
  'a function of the application': {
    project: counter('note String @optional', 'workflow called { {Counter {id? 1}} @as [c]; {c {n c.n + rules.one()}} }'),
    path: '/m/called',
  },
  'a handler of failures': {
    project: counter(
      'm Int @default(1) @check(rules.atOnce)',
      'workflow caught { {Counter {id? 1, n Counter.n + 1}} @catch {error {Log {counter 13}}} @as [c]; c.n }',
    ),
    path: '/m/caught',
  },
  'triggers before and after': {
    project: counter(
      'seen Int @default(0) @check(rules.atOnce)',
      `workflow @before update:Counter { {this {seen this.seen + 1}} }
workflow @after update:Counter { {Log {counter this.id}} }`,
    ),
    has: { seen: times },
  },
  'a trigger that writes the hot row': {
    project: counter(
      'm Int @default(1) @check(rules.atOnce)',
      `workflow @after create:Log { {Counter {id? this.counter, n Counter.n + 1}} }
workflow jot { {Log {counter 1}} }`,
    ),
    path: '/m/jot',
  },
  'a trigger of a request': {
    project: counter(
      'm Int @default(1) @check(rules.atOnce)',
      'workflow @after create:Log { {Counter {id? this.counter, n Counter.n + 1}} }',
    ),
    path: '/m/Log',
  },
  'what is put off until after the commit': {
    project: counter(
      'note String @optional',
      `entity Order { id UUID @id @default(uuid()), @after {create note @async} }
workflow note { {Counter {id? 1, n Counter.n + 1}} }
workflow place { {Order {}} }`,
    ),
    path: '/m/place',
  },
  'a part of the service that takes no notice of its failures': {
    project: counter('note String @optional', 'event grow { counter Int }'),
    path: '/m/grow',
    handler: adding((work) => work()),
  },
  'a part of the service that goes on after its failures': {
    project: counter('note String @optional', 'event grow { counter Int }'),
    path: '/m/grow',
    handler: adding(
      (work) => work(),
      async ({ plan, tx }) => {
        const log = plan.entities.get('m/Log');
        if (log !== undefined) await tx.one(log.shapes.byKey, ['00000000-0000-7000-8000-000000000001']);
      },
    ),
  },
  'a part of the service that takes back what failed': {
    project: counter('note String @optional', 'event grow { counter Int }'),
    path: '/m/grow',
    handler: adding((work, { tx }) => tx.attempt(work)),
  },
  'a secret that is hashed': {
    project: counter('pin Password @optional', 'workflow secret { {Counter {id? 1, n Counter.n + 1, pin "12345678"}} }'),
    path: '/m/secret',
    fewer: 6,
  },
};

describe(`${times} at once on one row all succeed, and the sum is exact`, () => {
  for (const [title, { project, path = '/m/add', has = {}, fewer = times, handler }] of Object.entries(ways)) {
    test(title, async () => {
      const served = await serve(project, new Map(handler === undefined ? [] : [[path.slice(1), handler]]));
      expect((await served.post('/m/Counter', { id: 1, n: 0 })).status).toBe(201);
      succeeded(await Promise.all(numbers(fewer).map(() => served.post(path, { counter: 1 }))));
      await expect.poll(() => served.get('/m/Counter/1').then(({ body }) => body)).toMatchObject({ n: fewer, ...has });
      expect((await served.get('/m/Log?counter=13')).body).toEqual([]);
      expect(served.failures).toEqual([]);
    });
  }
});

describe('of a write that was begun anew it is recorded what it changed in the end, not what it would have changed before', () => {
  const placed = ways['what is put off until after the commit']?.project ?? {};
  for (const [title, path, project] of [
    ['a request', '/m/add', counter('note String @optional')],
    ['what is put off until after the commit', '/m/place', placed],
  ] as const) {
    test(title, async () => {
      const grown: number[] = [];
      const number = (row: Row | undefined): number => (row === undefined ? 0 : JSON.parse(row.json).n);
      const recorder: Recorder = {
        ...noRecorder,
        isIdle: false,
        records: ({ type }) => type === 'm/Counter',
        changed(changes) {
          for (const { before, after } of changes) grown.push(number(after) - number(before));
        },
      };
      const served = await serveProject(project, { postgres: { pool: 32 }, parts: { recorder } });
      await served.post('/m/Counter', { id: 1, n: 0 });
      grown.splice(0);
      succeeded(await Promise.all(numbers(times).map(() => served.post(path, {}))));
      await expect.poll(() => served.get('/m/Counter/1').then(({ body }) => body)).toMatchObject({ n: times });
      // Some of them were begun anew, and are told more than once.
      expect(grown.length).toBeGreaterThanOrEqual(times);
      expect(new Set(grown)).toEqual(new Set([1]));
    });
  }
});

test('a request whose function gave a promise is not done twice', async () => {
  const served = await serve(
    counter('note String @optional', 'workflow slow { {Counter {id? 1}} @as [c]; if (await rules.slowly()) { {c {n c.n + 1}} } }'),
  );
  await served.post('/m/Counter', { id: 1, n: 0 });
  const answers = await Promise.all(numbers(5).map(() => served.post('/m/slow', {})));
  const done = answers.filter((each) => each.status === 200).length;
  expect(answers.filter((each) => each.status !== 200 && each.status !== 503)).toEqual([]);
  expect(done).toBeLessThan(5);
  expect((await served.get('/m/Counter/1')).body).toMatchObject({ n: done });
});

const sums = `module m
import "rules.js" @as rules
entity All { id Int @id, sum Int @expr(sum(AllOrder.Order.sum)), twice Int @expr(rules.double(sum)) }
entity Order { id Int @id, sum Int @expr(sum(OrderLine.Line.amount)), count Int @expr(count(OrderLine)) }
entity Line { id Int @id, quantity Int @check(rules.atOnce), price Int @default(2), amount Int @expr(quantity * price) }
relationship AllOrder contains(All, Order)
relationship OrderLine contains(Order, Line)
workflow raise { {Line {id? raise.id, quantity Line.quantity + 1}} }
workflow append { {Order {id? append.order}, OrderLine {Line {id append.id, quantity 1}}} }
`;

const triggered = `entity Log { id UUID @id @default(uuid()), line Int }
workflow @after update:Line { {Log {line this.id}} }
`;

const clients = 20;
const rounds = counted({ long: 12, short: 3 });

for (const [title, more] of [
  ['', ''],
  [', with triggers', triggered],
] as const) {
  test(`${clients} clients on the rows behind three sums lose nothing${title}`, async () => {
    const served = await serve({ 'rules.js': functions, 'core.al': sums + more });
    const lines = (order: number) => numbers(4).map((line) => ({ id: order * 10 + line, quantity: 0 }));
    const tree = { id: 1, AllOrder: numbers(3).map((id) => ({ id, OrderLine: lines(id) })) };
    expect((await served.post('/m/All', tree)).status).toBe(201);
    const client = async (number: number): Promise<void> => {
      for (const round of numbers(rounds)) {
        const order = 1 + ((number + round) % 3);
        succeeded([await writeLine(served, order, 1 + ((number * round) % 4), number * 1000 + round, number + round)]);
      }
    };
    await Promise.all(numbers(clients).map(client));
    const { body: stored } = await served.get('/m/Line');
    const total = Array.isArray(stored) ? stored.reduce((sum, each) => sum + each.amount, 0) : -1;
    expect((await served.get('/m/All/1')).body).toMatchObject({ sum: total, twice: total * 2 });
    expect(served.failures).toEqual([]);
  });
}

function writeLine(served: Served, order: number, line: number, fresh: number, kind: number): Promise<Answer> {
  const path = `/m/All/1/AllOrder/Order/${order}/OrderLine/Line`;
  if (kind % 4 === 0) return served.put(`${path}/${order * 10 + line}`, { quantity: fresh % 7 });
  if (kind % 4 === 1) return served.post('/m/raise', { id: order * 10 + line });
  if (kind % 4 === 2) return served.post(path, { id: fresh, quantity: 3 });
  return served.post('/m/append', { order, id: fresh });
}

const upserts = `module m
entity Box { id Int @id }
entity Tag { id Int @id, n Int @default(0) }
entity Person { id Int @id, name String @unique @optional, email String @unique @optional, n Int @default(0) }
entity Visit { id UUID @id @default(uuid()), place String @unique, n Int @default(0) }
entity Club { id Int @id }
relationship BoxTag contains(Box, Tag)
relationship Member between(Person, Club)
workflow byIdentifier { {Person {id byIdentifier.key, n byIdentifier.n}, @upsert} }
workflow byUnique { {Visit {place "p" + byUnique.key, n byUnique.n}, @upsert} }
workflow asChild { {Box {id 1}, @upsert, BoxTag [{Tag {id asChild.key, n asChild.n}}]} }
workflow linked { {Person {id linked.key, n linked.n}, @upsert, Member [{Club {id linked.key}}]} }
workflow caught { {Person {id caught.key, n caught.n}, @upsert} @catch {error {Person {id 0 - 1}}} }
workflow clash { {Person {id clash.key, email "taken"}, @upsert} }
workflow deleted { delete {Person {id? deleted.key}}; {Person {id deleted.key, n deleted.n}, @upsert} }
`;

describe('what several `@upsert` at once is created by one of them and changed by the others', () => {
  for (const name of ['byIdentifier', 'byUnique', 'asChild', 'linked', 'caught', 'deleted']) {
    test(name, async () => {
      const served = await serve(upserts);
      for (const key of numbers(4)) succeeded(await Promise.all(numbers(10).map((n) => served.post(`/m/${name}`, { key, n }))));
      expect((await served.get('/m/Person/-1')).status).toBe(404);
      const stored = { byUnique: 'Visit', asChild: 'Tag' }[name] ?? 'Person';
      expect((await served.get(`/m/${stored}`)).body).toHaveLength(4);
      if (name === 'linked') expect((await served.get('/m/Member')).body).toHaveLength(4);
      expect(served.failures).toEqual([]);
    });
  }

  test('a value that is really taken is 409 at once', { timeout: 120_000 }, async () => {
    const served = await serve(upserts);
    expect((await served.post('/m/Person', { id: 1, email: 'taken' })).status).toBe(201);
    // What is tried again ends with the time of an event, which is longer than that of this test.
    expect((await served.post('/m/clash', { key: 2 })).status).toBe(409);
  });
});

const found = `module m
entity Counter { id UUID @id @default(uuid()), name String @unique, n Int @default(0) }
entity Plain { name String @id, n Int @default(0) }
workflow byUnique { {Counter {name? byUnique.name}} @empty {Counter {name byUnique.name}}; {Counter {name? byUnique.name, n Counter.n + 1}} }
workflow byIdentifier { {Plain {name? byIdentifier.name}} @empty {Plain {name byIdentifier.name}}; {Plain {name? byIdentifier.name, n Plain.n + 1}} }
workflow byAll {
  {Plain? {}} @as all
  {Plain {name? byAll.name}} @catch {not_found {Plain {name byAll.name}}}
  {Plain {name? byAll.name, n Plain.n + 1}}
}
workflow caught { {Plain {name? "none"}}; {Plain {name "taken"}} @catch {error "caught"} }
workflow taken { {Plain {name? "none"}}; {Plain {name "taken"}} }
`;

describe(`${times} at once that look for something and create it where it is not there`, () => {
  for (const [name, type] of [
    ['byUnique', 'Counter'],
    ['byIdentifier', 'Plain'],
    ['byAll', 'Plain'],
  ]) {
    test(`${name}: one creates it, the others find it`, async () => {
      const served = await serve({ 'core.al': found });
      succeeded(await Promise.all(numbers(times).map(() => served.post(`/m/${name}`, { name: 'new' }))));
      expect((await served.get(`/m/${type}`)).body).toMatchObject([{ name: 'new', n: times }]);
      expect(served.failures).toEqual([]);
    });
  }

  test('what is really taken is 409, and told to the model where it asks', { timeout: 120_000 }, async () => {
    const served = await serve({ 'core.al': found });
    expect((await served.post('/m/Plain', { name: 'taken' })).status).toBe(201);
    expect(await served.post('/m/taken', {})).toMatchObject({ status: 409, body: { code: 'duplicate' } });
    expect(await served.post('/m/caught', {})).toMatchObject({ status: 200, body: 'caught' });
  });
});

const numbered = `module m
entity Doc { id UUID @id @default(uuid()), no Int, kind String @default("a") }
entity Entry { id UUID @id @default(uuid()), no Int }
entity Note { id UUID @id @default(uuid()), text String, n Int @default(0) }
{Doc {no 0, kind "first"}}
workflow highest { {Doc? {}, @orderBy(no) @desc, @limit(1)} @as [last]; {Doc {no last.no + 1}} }
workflow counted { {Doc? {}, @into {n @count(Doc.id)}} @as [all]; {Doc {no all.n}} }
workflow called { {highest {}} }
workflow @after create:Entry { {highest {}} }
workflow jot { {Note {text "x"}, @upsert} }
entity Person { id Int @id }
entity Club { id UUID @id @default(uuid()), name String, short String @unique @optional }
entity Room { id UUID @id @default(uuid()), name String }
relationship Member between(Person, Club)
relationship PersonRoom contains(Person, Room)
{Person {id 0}, PersonRoom [{Room {name "r"}}]}
workflow linked { {Person {id linked.n}, Member [{Club {name "x"}}], @upsert} }
workflow joining { {Person {id joining.n}}; {Person {id? joining.n}, Member [{Club {name "x"}}]} }
workflow roomed { {Person {id 1}, PersonRoom [{Room {name "r"}}], @upsert} }
entity Desk { id UUID @id @default(uuid()), name String, code String @unique @optional }
relationship RoomDesk contains(Person, Desk)
{Person {id 5000}}
workflow nullableLinked { {Person {id nullableLinked.n}, Member [{Club {name "x", short nullableLinked.short}}], @upsert} }
workflow nullableChild { {Person {id 5000}, RoomDesk [{Desk {name "d", code nullableChild.short}}], @upsert} }
workflow nullable { {Club {name "x", short nullable.short}, @upsert} }
`;

describe(`${times} at once that go by all rows there are see each other's`, () => {
  const ways = [
    ['the highest number and one more', '/m/highest', {}],
    ['how many there are', '/m/counted', {}],
    ['a workflow that calls another', '/m/called', {}],
    ['a trigger of a request', '/m/Entry', { no: 1 }],
  ] as const;
  for (const [title, path, body] of ways) {
    test(title, async () => {
      const served = await serve({ 'core.al': numbered });
      succeeded(await Promise.all(numbers(times).map(() => served.post(path, body))));
      const { body: docs } = await served.get('/m/Doc?@sort=no&@limit=100');
      expect(Array.isArray(docs) && docs.map((each) => each.no)).toEqual([0, ...numbers(times)]);
      expect(served.failures).toEqual([]);
    });
  }

  const upserted = [
    ['an @upsert by what is not unique', 'jot', '/m/Note'],
    ['an @upsert of what is linked, by what is not unique', 'linked', '/m/Club'],
    ['a link with what may be there already', 'joining', '/m/Club'],
    ['an @upsert of what is contained, by what is not unique, under its parent', 'roomed', '/m/Person/1/PersonRoom/Room'],
    ['an @upsert by a unique attribute that is null', 'nullable', '/m/Club'],
    ['an @upsert of what is linked, by a unique attribute that is null', 'nullableLinked', '/m/Club'],
    ['an @upsert of what is contained, by a unique attribute that is null', 'nullableChild', '/m/Person/5000/RoomDesk/Desk'],
  ] as const;
  for (const [title, name, path] of upserted) {
    test(title, async () => {
      const served = await serve({ 'core.al': numbered });
      succeeded(await Promise.all(numbers(times).map((n) => served.post(`/m/${name}`, { n, short: null }))));
      expect((await served.get(path)).body).toHaveLength(1);
      expect(served.failures).toEqual([]);
    });
  }
});

const seenFromBelow = `module m
entity House { no Int @id, sum Int @expr(sum(HF.Flat.x)) }
entity Flat { no Int @id, x Int, total Int @expr(HF.House.sum) }
relationship HF contains(House, Flat)
workflow raise { {Flat {no? raise.no, x Flat.x + 1}} }
workflow raiseAll { {Flat {no?> 0, x Flat.x + 1}} }
workflow drop { delete {Flat {no? drop.no}} }
`;

describe('20 at once on children that look at a sum of their parent all succeed, without waiting for each other in a circle', () => {
  const each: Readonly<Record<string, (served: Served, no: number) => Promise<Answer>>> = {
    'are changed': (served, no) => served.put(`/m/House/1/HF/Flat/${1 + (no % 8)}`, { x: no }),
    'are made': (served, no) => served.post('/m/House/1/HF/Flat', { no: 100 + no, x: no }),
    'are deleted': (served, no) => served.remove(`/m/House/1/HF/Flat/${no}`),
    'are changed by workflows': (served, no) => served.post('/m/raise', { no }),
    'are changed by workflows, one or all': (served, no) => served.post(no % 5 === 0 ? '/m/raiseAll' : '/m/raise', { no }),
    'are deleted by workflows': (served, no) => served.post('/m/drop', { no }),
    'are changed, made and deleted': (served, no) => {
      if (no % 4 === 0) return served.put(`/m/House/1/HF/Flat/${no}`, { x: no });
      if (no % 4 === 1) return served.post('/m/House/1/HF/Flat', { no: 100 + no, x: no });
      return no % 4 === 2 ? served.remove(`/m/House/1/HF/Flat/${no}`) : served.post('/m/raise', { no });
    },
  };
  for (const [title, ask] of Object.entries(each)) {
    test(title, async () => {
      const served = await serve({ 'core.al': seenFromBelow });
      const flats = numbers(20).map((no) => ({ no, x: 1 }));
      expect((await served.post('/m/House', { no: 1, HF: flats })).status).toBe(201);
      succeeded(await Promise.all(numbers(20).map((no) => ask(served, no))));
      const { body: left } = await served.get('/m/Flat?@limit=100');
      const sum = Array.isArray(left) ? left.reduce((all, { x }) => all + x, 0) : -1;
      expect((await served.get('/m/House/1')).body).toMatchObject({ sum });
      expect((await served.get(`/m/Flat?total[ne]=${sum}`)).body).toEqual([]);
      expect(served.failures).toEqual([]);
    });
  }
});

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function succeeded(answers: readonly Answer[]): void {
  expect(answers.filter((each) => each.status >= 300).map((each) => `${each.status} ${each.text}`)).toEqual([]);
}

/** Holds the row as another program may, until it is told to let go. */
async function holding(served: Served): Promise<() => Promise<void>> {
  const { settings } = served.kept;
  if (settings.type !== 'postgres') throw new Error('the test is about the server');
  const { host, port, username: user, password, dbname: database } = settings;
  const client = new pg.Client({ host, port, user, password, database });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM "m/Counter" WHERE id = 1 FOR UPDATE');
  return () => client.end();
}

describe('a row that another program holds for longer than store.lockTimeout', () => {
  const project = { 'core.al': 'module m\nentity Counter { id Int @id, n Int }\nworkflow add { {Counter {id? 1, n Counter.n + 1}} }' };

  test.each(['PUT', 'workflow'])('is written when it is let go of, while the request has time: %s', async (how) => {
    const served = await serveProject(project, { postgres: { lockTimeout: 1 } });
    await served.post('/m/Counter', { id: 1, n: 1 });
    const letGo = await holding(served);
    const answer = how === 'PUT' ? served.put('/m/Counter/1', { n: 2 }) : served.post('/m/add', {});
    // It has been cut once when another statement waits for the row.
    const waiting = `SELECT pid, query_start::text AS begun FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    const seen = new Set<string>();
    await until(async () => {
      for (const { pid, begun } of await served.kept.rows(waiting)) seen.add(`${String(pid)} ${String(begun)}`);
      return seen.size > 1;
    });
    await letGo();
    expect((await answer).status).toBe(200);
    expect((await served.get('/m/Counter/1')).body).toMatchObject({ n: 2 });
  });

  test('is 503 with Retry-After when the time of the request is over', async () => {
    const served = await serveProject(project, { postgres: { lockTimeout: 1 }, limits: { flow: { steps: 1000, time: 2 } } });
    await served.post('/m/Counter', { id: 1, n: 1 });
    const letGo = await holding(served);
    const { status, headers, body } = await served.put('/m/Counter/1', { n: 2 });
    expect([status, headers['retry-after'], body]).toEqual([503, '1', expect.objectContaining({ code: 'store-busy' })]);
    await letGo();
    expect((await served.get('/m/Counter/1')).body).toMatchObject({ n: 1 });
  });
});
