// What a recorder is told, replayed onto nothing, is what is stored: each row that a transaction changed, as it was and as it is.

import fc from 'fast-check';
import picocolors from 'picocolors';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { systemClock } from '../../src/clock.ts';
import { noFunctions } from '../../src/engine/eval/functions.ts';
import { type RestoreItem, type RestoreParts, restore } from '../../src/engine/restore/restore.ts';
import { restoreTogether } from '../../src/engine/restore/together.ts';
import { recordedColumns } from '../../src/engine/rows/record.ts';
import { insertRow } from '../../src/engine/rows/rows.ts';
import type { Recorder } from '../../src/engine/seams.ts';
import type { Log } from '../../src/http/server/log.ts';
import { compile } from '../../src/plan/compile.ts';
import { openStore } from '../../src/store/open.ts';
import type { Row } from '../../src/store/store.ts';
import type { Value } from '../../src/values/value.ts';
import { workspace } from '../cli/harness.ts';
import { modelOf, open, type Served } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { counted } from '../support/form.ts';
import { storeIn, storeOfRun } from '../support/store.ts';

const model = `module m
entity Room { id Int @id, name String @optional, boxes Int @expr(count(RoomBox)), weight Int @expr(sum(RoomBox.Box.weight)) }
entity Box { id Int @id, weight Int @default(1), code String @unique @optional, items Int @expr(count(BoxItem)) }
entity Item { id Int @id, of String @ref(Kind.code) @cascade(true) @optional, double Int @expr(id * 2) }
entity Kind { code String @id, note String @optional, @after {delete mourn, create greet @async} }
entity Late { id UUID @id @default(uuid()), code String }
entity Knot { id Int @id, other Int @ref(Knot.id) @optional }
entity Loose { id Int @id, at Int @default(0) }
entity Part { id Int @id }
entity Seat { id Int @id, place Int @unique @optional }
entity Tag { name String @id, uses Int @expr(count(BoxTag)) }
entity Gone { id UUID @id @default(uuid()), code String }
entity Journal { seq Int @id, type String, before String @optional, after String @optional }
relationship RoomBox contains(Room, Box)
relationship BoxItem contains(Box, Item)
relationship RoomLoose contains(Room, Loose) @cascade(false)
relationship LoosePart contains(Loose, Part)
relationship BoxTag between(Box, Tag) { since Int @default(1) }
relationship LooseTag between(Loose, Tag)
workflow greet { {Late {code greet.Kind.code}} }
workflow mourn { {Gone {code mourn.Kind.code}} }
workflow heavier { {Box {weight?>= 0, weight Box.weight + heavier.by}} }
workflow empty { delete {Item {id?>= empty.from}} }
workflow put { {Room {id put.id, name "put"}, RoomBox {Box {id put.box, weight 7}}, @upsert} }
workflow fails { {Room {id fails.id}}; {Box {weight?>= 0, weight 99}}; throw("no") }
workflow swap { {Box {code? "a", code "b"}}; {Room {id? swap.id}, RoomBox {Box {id 90, code "a"}}} }
workflow renew { delete {Tag {name? renew.name}}; {Tag {name renew.name}} }
workflow shift { {Seat {id?> 0, place Seat.place + 1}} }
workflow tries { {Box {weight?>= 0, code "a"}} @catch {error "no"} }
{Tag {name "start"}, @upsert}
`;

/** Journals in the same transaction, as an audit trail does. */
function journal(): Recorder {
  let seq = 0;
  return {
    records: ({ type }) => type !== 'm/Journal',
    async changed(changes, context) {
      const own = context.plan.entities.get('m/Journal');
      if (own === undefined) throw new Error('there is no journal');
      for (const { plan, before, after } of changes) {
        const text = (row: Row | undefined) => (row === undefined ? null : JSON.stringify(valuesOf(row, recordedColumns(plan))));
        seq += 1;
        await insertRow(own, [seq, plan.type, text(before), text(after), 0], context);
      }
    },
    denied: () => {},
    failed: () => {},
  };
}

type Values = Readonly<Record<string, string | null>>;

/** By the names of their columns; a number is the same in whichever type it comes. */
function valuesOf({ json, columns }: Row, names: readonly string[]): Values {
  const attributes: Record<string, unknown> = JSON.parse(json);
  return texts({ ...attributes, ...Object.fromEntries(names.map((name, index) => [name, columns[index] ?? null])) });
}

function texts(values: Readonly<Record<string, unknown>>): Values {
  const named = Object.entries(values).map(([name, value]) => [name, value === null ? null : String(value)] as const);
  return Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1)));
}

const id = fc.integer({ min: 1, max: 4 });
const code = fc.constantFrom('a', 'b', 'c');
const room = id.map((each) => `/m/Room/${each}`);
const box = fc.tuple(room, id).map(([at, each]) => `${at}/RoomBox/Box/${each}`);
const loose = fc.tuple(room, id).map(([at, each]) => `${at}/RoomLoose/Loose/${each}`);

interface Call {
  readonly method: string;
  readonly target: string;
  readonly body?: unknown;
}

const item = fc.record({ id, of: fc.option(code, { nil: undefined, freq: 2 }) }, { requiredKeys: ['id'] });
const boxBody = fc.record({ id, weight: id, code, BoxItem: fc.array(item, { maxLength: 3 }) }, { requiredKeys: ['id'] });
const post = (target: fc.Arbitrary<string>, body: fc.Arbitrary<unknown>) =>
  fc.tuple(target, body).map(([at, sent]): Call => ({ method: 'POST', target: at, body: sent }));
const put = (target: fc.Arbitrary<string>, body: fc.Arbitrary<unknown>) =>
  fc.tuple(target, body).map(([at, sent]): Call => ({ method: 'PUT', target: at, body: sent }));
const call: fc.Arbitrary<Call> = fc.oneof(
  post(fc.constant('/m/Room'), fc.record({ id, name: code, RoomBox: fc.array(boxBody, { maxLength: 2 }) }, { requiredKeys: ['id'] })),
  post(fc.constant('/m/Kind'), fc.record({ code, note: code }, { requiredKeys: ['code'] })),
  post(fc.constant('/m/Tag'), fc.record({ name: code })),
  post(
    room.map((at) => `${at}/RoomBox/Box`),
    boxBody,
  ),
  post(
    room.map((at) => `${at}/RoomLoose/Loose`),
    fc.record({ id, at: id, LoosePart: fc.array(fc.record({ id }), { maxLength: 2 }) }, { requiredKeys: ['id'] }),
  ),
  post(
    box.map((at) => `${at}/BoxItem/Item`),
    item,
  ),
  post(
    box.map((at) => `${at}/BoxTag/Tag`),
    fc.record({ name: code }),
  ),
  post(
    loose.map((at) => `${at}/LooseTag/Tag`),
    fc.record({ name: code }),
  ),
  put(room, fc.record({ name: code })),
  put(box, fc.record({ weight: id, code: fc.option(code) }, { requiredKeys: [] })),
  put(
    fc.oneof(box, loose),
    id.map((to) => ({ '@parent': `path://m$Room/${to}` })),
  ),
  put(box, fc.record({ '@parent': id.map((to) => `path://m$Room/${to}`), weight: id })),
  put(
    fc.tuple(box, id).map(([at, each]) => `${at}/BoxItem/Item/${each}`),
    fc.tuple(id, id).map(([to, into]) => ({ '@parent': `path://m$Room/${to}/m$RoomBox/m$Box/${into}` })),
  ),
  put(
    code.map((each) => `/m/Kind/${each}`),
    fc.record({ note: code }),
  ),
  fc
    .oneof(
      room,
      room,
      box,
      loose,
      code.map((each) => `/m/Kind/${each}`),
      code.map((each) => `/m/Tag/${each}`),
      fc.tuple(box, code).map(([at, each]) => `${at}/BoxTag/Tag/${each}`),
      fc.tuple(loose, code).map(([at, each]) => `${at}/LooseTag/Tag/${each}`),
    )
    .map((target): Call => ({ method: 'DELETE', target })),
  post(fc.constant('/m/heavier'), fc.record({ by: id })),
  post(fc.constant('/m/empty'), fc.record({ from: id })),
  post(fc.constant('/m/put'), fc.record({ id, box: id })),
  post(fc.constant('/m/fails'), fc.record({ id: fc.integer({ min: 5, max: 9 }) })),
  post(fc.constant('/m/swap'), fc.record({ id })),
  post(
    fc.constant('/m/Seat'),
    id.map((each) => ({ id: each, place: each })),
  ),
  // Each is in the way of the next until all of them have moved.
  post(fc.constant('/m/shift'), fc.constant({})),
  post(fc.constant('/m/renew'), fc.record({ name: code })),
  post(fc.constant('/m/tries'), fc.constant({})),
);

test('what a recorder is told, replayed onto nothing, is exactly what is stored, whatever failed in between', {
  timeout: 600_000,
}, async () => {
  let calls = 0;
  let failures = 0;
  let told = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 20, maxLength: 60, size: 'max' }), async (all) => {
      let greeted = 0;
      const served = await open(model, { parts: { recorder: journal() } });
      try {
        for (const [at, { method, target, body }] of all.entries()) {
          // What is computed in another way from now on is computed for what is stored.
          if (at === 15) await served.reload(model.replace('id * 2', 'id * 3'));
          const text = body === undefined ? undefined : JSON.stringify(body);
          const { status } = await served.ask({ method, target, headers: { 'content-type': 'application/json' }, ...(text && { text }) });
          expect(status).toBeLessThan(500);
          calls += 1;
          if (status >= 400) failures += 1;
          if (status === 201 && target === '/m/Kind') greeted += 1;
        }
        // What is put off until after the answers is done in the end.
        await expect.poll(async () => (await served.get('/m/Late?@count=true&@limit=1')).headers['x-total-count']).toBe(String(greeted));
        told += await replayed(served);
      } finally {
        await served.close();
      }
    }),
    { numRuns: counted({ long: 260, short: 5, postgres: 3 }) },
  );
  expect(failures).toBeGreaterThan(calls / 20);
  expect(told).toBeGreaterThan(calls / 4);
});

test('what an import puts back is recorded, and what it refuses is not', async () => {
  const plan = compile(modelOf(model));
  const kept = await storeIn(folderForTest(), storeOfRun(), true);
  const store = openStore(kept.settings, systemClock());
  onTestFinished(() => store.close());
  await store.migrate(plan.tables);
  const limits = { memory: 1 << 24, tree: { instances: 1000, depth: 10, bytes: 1 << 20 }, flow: { time: 600, steps: 100_000 } };
  const recorder = journal();
  const parts: RestoreParts = { plan, store, clock: systemClock(), functions: noFunctions, hash: async (text) => text, limits, recorder };
  const item = (type: string, body: Value): RestoreItem => {
    const found = plan.entities.get(`m/${type}`) ?? plan.links.get(`m/${type}`);
    if (found === undefined) throw new Error(`there is no ${type}`);
    return { plan: found, body };
  };
  const inRoom = { __path__: 'path://m$Room/1/m$RoomBox/m$Box/1' };
  const first = [
    item('Room', { id: 1, name: 'a', __version: 5 }),
    item('Tag', { name: 'a' }),
    item('Box', { id: 1, weight: 3, code: 'a', ...inRoom }),
    item('Box', { id: 2, weight: 3, code: 'a', __path__: 'path://m$Room/1/m$RoomBox/m$Box/2' }),
    item('Loose', { id: 4, __detached: true }),
    item('BoxTag', { Box: inRoom.__path__, Tag: 'a', since: 3 }),
    item('Room', { id: 1, name: 'b' }),
    item('Knot', { id: 1, other: 2 }),
  ];
  const kinds = ['added', 'added', 'added', 'refused', 'added', 'added', 'refused', 'waits'];
  expect((await restore(first, parts)).map(({ kind }) => kind)).toEqual(kinds);
  const circle = [item('Knot', { id: 1, other: 2 }), item('Knot', { id: 2, other: 1 }), item('Knot', { id: 3, other: 9 })];
  expect((await restoreTogether(circle, parts)).map(({ kind }) => kind)).toEqual(['added', 'added', 'waits']);
  expect(await replayed({ kept })).toBe(7);
});

test('what the configuration puts in place at start is recorded as any other change, with what was there before', async () => {
  const place = workspace({ 'src/core.al': model });
  onTestFinished(() => place.remove());
  const kept = await storeIn(place.folder, storeOfRun(), true);
  const terminal = { ...silentTerminal, folder: place.folder };
  const recorder = journal();
  const started = async (configured: object): Promise<number> => {
    place.write('config.al', JSON.stringify(configured));
    const { model: loaded, settings, diagnostics } = await load({ path: '.', config: undefined, keepsStoreId: false }, terminal);
    if (loaded === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
    const { folder } = place;
    const parts = { folder, name: 'test', version: '1.0.0', log: silentLog, parts: { recorder } };
    const app = await createApp({ model: loaded, settings: { ...settings, store: kept.settings }, ...parts });
    await app.close();
    return (await kept.rows('SELECT * FROM "m/Journal"')).length;
  };
  const one = {
    'm/Room': [
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ],
    'm/Tag': { name: 'a' },
  };
  // With the one that the model itself puts in place; a tag that is there has nothing that could change.
  expect(await started(one)).toBe(4);
  expect(await started(one)).toBe(6);
  expect(
    await started({
      ...one,
      'm/Room': [
        { id: 1, name: 'changed' },
        { id: 3, name: 'c' },
      ],
    }),
  ).toBe(8);
  expect(await replayed({ kept })).toBe(8);
  const last = await kept.rows(`SELECT "before", "after" FROM "m/Journal" WHERE "type" = 'm/Room' ORDER BY "seq"`);
  expect(last.slice(-2).map(({ before, after }) => [nameIn(before), nameIn(after)])).toEqual([
    ['a', 'changed'],
    [undefined, 'c'],
  ]);
});

const nameIn = (text: unknown): unknown => (text === null ? undefined : JSON.parse(String(text)).name);
const nothing = (): void => {};
const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, isLevelEnabled: () => false };
const silentTerminal: Omit<Terminal, 'folder'> = {
  out: nothing,
  err: nothing,
  isTerminal: false,
  line: async () => '',
  colours: picocolors.createColors(false),
  environment: {},
};

const tables = ['Room', 'Box', 'Item', 'Kind', 'Loose', 'Part', 'Seat', 'Tag', 'Gone', 'Late', 'Knot', 'BoxTag', 'LooseTag'] as const;

/** How many changes there were. */
async function replayed(served: Pick<Served, 'kept'>): Promise<number> {
  const entries = await served.kept.rows('SELECT * FROM "m/Journal" ORDER BY "seq"');
  const state = new Map<string, Values>();
  for (const { type, before, after } of entries) {
    const nameOf = (values: Values) => `${type} ${values['__key'] ?? JSON.stringify(keyOf(String(type), values))}`;
    const [was, is] = [before, after].map((text): Values | null => (text === null ? null : JSON.parse(String(text))));
    expect(was).not.toEqual(is);
    if (was) {
      expect(state.get(nameOf(was))).toEqual(was);
      state.delete(nameOf(was));
    }
    if (is) {
      expect(state.has(nameOf(is))).toBe(false);
      state.set(nameOf(is), is);
    }
  }
  const stored: [string, Values][] = [];
  for (const table of tables) {
    const type = `m/${table}`;
    for (const row of await served.kept.rows(`SELECT * FROM "${type}"`)) {
      const values = texts(row);
      stored.push([`${type} ${values['__key'] ?? JSON.stringify(keyOf(type, values))}`, values]);
    }
  }
  expect(Object.fromEntries(state)).toEqual(Object.fromEntries(stored));
  return entries.length;
}

function keyOf(type: string, values: Values): string | null {
  return values[type === 'm/Kind' ? 'code' : type === 'm/Tag' ? 'name' : type.endsWith('Tag') ? '__Id__' : 'id'] ?? null;
}
