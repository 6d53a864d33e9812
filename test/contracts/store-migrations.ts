// What every store promises when the model changes: what only adds is applied; anything else is refused in a sentence, and changes nothing.

import { describe, expect, onTestFinished, test } from 'vitest';
import type { Table } from '../../src/plan/rows/table.ts';
import { StartRefused } from '../../src/store/store.ts';
import type { Value } from '../../src/values/value.ts';
import { folderForTest } from '../support/folder.ts';
import type { OpenStore } from './store.ts';
import { column, insertInto, selectFrom, table } from './tables.ts';

const id = column('id', 'integer', { required: true });
const name = column('name', 'text');
const other = table('m/Other', [id]);
const before = table('m/Item', [id, name]);
const rows: readonly (readonly Value[])[] = [
  [1, 'a'],
  [2, 'a'],
  [3, null],
];
const toOther = { columns: ['other'], table: 'm/Other', references: ['id'], onDelete: 'no action', onUpdate: 'cascade' } as const;

/** What the model becomes, and what the stored rows are then. */
const additive: readonly (readonly [title: string, after: readonly Table[], json: string])[] = [
  ['nothing changes', [before], '{"id":1,"name":"a"}'],
  ['a new table', [before, other], '{"id":1,"name":"a"}'],
  ['a new optional column', [table('m/Item', [id, name, column('n', 'integer')])], '{"id":1,"name":"a","n":null}'],
  ['a new optional decimal', [table('m/Item', [id, name, column('d', 'decimal')])], '{"id":1,"name":"a","d":null}'],
  [
    'a new required column with a default',
    [table('m/Item', [id, name, column('d', 'decimal', { required: true, fill: { kind: 'value', value: '1.50' } })])],
    '{"id":1,"name":"a","d":"1.50"}',
  ],
  [
    'a new boolean with a default',
    [table('m/Item', [id, name, column('b', 'boolean', { required: true, fill: { kind: 'value', value: true } })])],
    '{"id":1,"name":"a","b":true}',
  ],
  [
    'a new column with a default of JSON',
    [table('m/Item', [id, name, column('j', 'json', { required: true, fill: { kind: 'value', value: 'x' } })])],
    '{"id":1,"name":"a","j":"x"}',
  ],
  ['an index', [table('m/Item', [id, name], { indexes: [['name']] })], '{"id":1,"name":"a"}'],
  ['columns in another order', [table('m/Item', [id, column('n', 'integer'), name])], '{"id":1,"n":null,"name":"a"}'],
  [
    'a new optional column that refers to another table',
    [other, table('m/Item', [id, name, column('other', 'integer')], { foreignKeys: [toOther] })],
    '{"id":1,"name":"a","other":null}',
  ],
  ['what was required becomes optional', [table('m/Item', [column('id', 'integer'), name])], '{"id":1,"name":"a"}'],
];

const refused: readonly (readonly [title: string, after: readonly Table[], sentence: RegExp])[] = [
  ['a table is gone', [other], /m\/Item .*no longer in the model/],
  ['a column is gone', [table('m/Item', [id])], /m\/Item\.name .*no longer in the model/],
  [
    'a type changes',
    [table('m/Item', [id, column('name', 'integer')])],
    /\n {2}- m\/Item\.name is stored as text and would become integer, but 2 instances .*: 1, 2\n.*\n.*\nTake this change back, or see what platform migrate plan says\.$/,
  ],
  [
    'an optional value becomes required',
    [table('m/Item', [id, column('name', 'text', { required: true })])],
    /m\/Item\.name .*required.*1 /,
  ],
  [
    'a required column without a default',
    [table('m/Item', [id, name, column('n', 'integer', { required: true })])],
    /m\/Item\.n .*no default/,
  ],
  ['unique over duplicates', [table('m/Item', [id, name], { uniques: [['name']] })], /m\/Item .*same name.*unique/],
  [
    'an enum that leaves a stored value out',
    [table('m/Item', [id, column('name', 'text', { values: ['b', 'c'] })])],
    /m\/Item\.name .*no longer allows/,
  ],
  ['another key', [table('m/Item', [id, name], { primaryKey: ['name'] })], /keys of m\/Item change/],
  [
    'an existing column begins to refer to nothing',
    [other, table('m/Item', [id, name], { foreignKeys: [{ ...toOther, columns: ['id'] }] })],
    /m\/Item/,
  ],
  ['several at once', [table('m/Item', [id, column('n', 'integer', { required: true })])], /m\/Item\.name/],
  [
    'several that are all told',
    [table('m/Item', [column('id', 'text', { required: true })])],
    /changed:\n {2}- m\/Item\.name (?:.*\n)+ {2}- m\/Item\.id (?:.*\n)+Take these changes back, or see what platform migrate plan says\.$/,
  ],
];

/** Allowed as long as nothing is stored that would not fit. */
const allowedWhenEmpty = refused.filter(([title]) => !/ is gone$|^a type changes$|^several /.test(title));

export function migrationContract(title: string, open: OpenStore): void {
  describe(`${title}: migrations that only add are applied`, () => {
    for (const [change, after, json] of additive) test(change, () => applies(open, after, json));
    test('a uuid for each row, and the present time, where rows get a new column', () => fills(open));
    test('an enum that allows more', () => widens(open));
    test('to a table without rows, what would not fit rows', async () => {
      for (const [, after] of allowedWhenEmpty) await appliesToEmpty(open, after);
    });
  });
  describe(`${title}: anything else is refused, and nothing is changed`, () => {
    for (const [change, after, sentence] of refused) test(change, () => refuses(open, after, sentence));
  });
}

async function applies(open: OpenStore, after: readonly Table[], json: string): Promise<void> {
  const folder = await filled(open);
  for (let start = 0; start < 2; start += 1) {
    const store = open(folder);
    await store.migrate(after);
    await store.migrate(after);
    const [changed] = after.filter((each) => each.name === before.name);
    if (changed === undefined) throw new Error('the table is gone');
    const found = await store.read((reader) => reader.rows(selectFrom(changed, { order: [{ column: 'id', descending: false }] }), []));
    expect(found).toHaveLength(rows.length);
    expect(found[0]?.json).toBe(json);
    await store.close();
  }
}

async function refuses(open: OpenStore, after: readonly Table[], sentence: RegExp): Promise<void> {
  const folder = await filled(open);
  const store = open(folder);
  const thrown = await store.migrate(after).catch((each: unknown) => each);
  expect(thrown).toBeInstanceOf(StartRefused);
  expect(String(thrown)).toMatch(sentence);
  expect(String(thrown)).toMatch(/nothing was changed/);
  await store.migrate([before]);
  expect((await store.read((reader) => reader.rows(selectFrom(before), []))).map((row) => JSON.parse(row.json))).toEqual([
    { id: 1, name: 'a' },
    { id: 2, name: 'a' },
    { id: 3, name: null },
  ]);
  await store.write((tx) => tx.insert(insertInto(before), [4, 'a']));
  await store.close();
}

async function appliesToEmpty(open: OpenStore, after: readonly Table[]): Promise<void> {
  const store = open(folderForTest());
  await store.migrate([before]);
  await store.migrate(after);
  await store.close();
}

async function fills(open: OpenStore): Promise<void> {
  const folder = await filled(open);
  const store = open(folder);
  onTestFinished(() => store.close());
  const filledUuid = column('u', 'uuid', { required: true, fill: { kind: 'uuid' } });
  const filledTime = column('t', 'datetime', { required: true, fill: { kind: 'now' } });
  // A column of this name hides the place of a row from SQLite.
  const after = table('m/Item', [id, name, column('rowid', 'text'), filledUuid, filledTime]);
  await store.migrate([after]);
  const found = (await store.read((reader) => reader.rows(selectFrom(after), []))).map((row) => JSON.parse(row.json));
  expect(new Set(found.map((each) => each.u)).size).toBe(3);
  for (const each of found)
    expect([each.u, each.t]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^\d{4}-.*Z$/)]);
}

async function widens(open: OpenStore): Promise<void> {
  const store = open(folderForTest());
  onTestFinished(() => store.close());
  const kind = (values: readonly string[]) => table('m/E', [id, column('kind', 'text', { values })]);
  await store.migrate([kind(['a'])]);
  await store.write((tx) => tx.insert(insertInto(kind(['a'])), [1, 'a']));
  await store.migrate([kind(['a', 'b'])]);
  await store.migrate([kind(['b', 'a'])]);
  await expect(store.migrate([kind(['b'])])).rejects.toThrow(/no longer allows/);
}

/** A folder with a store that holds the rows. */
async function filled(open: OpenStore): Promise<string> {
  const folder = folderForTest();
  const store = open(folder);
  await store.migrate([before]);
  await store.write(async (tx) => {
    for (const row of rows) await tx.insert(insertInto(before), row);
  });
  await store.close();
  return folder;
}
