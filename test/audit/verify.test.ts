// A trail that is as it was written verifies; whatever is altered, removed, inserted, reordered or cut off is found and named.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { readKeys } from '../../src/audit/files.ts';
import { signerWith } from '../../src/audit/hash-chain.ts';
import { rotateStored } from '../../src/audit/inspect.ts';
import { open, type Served } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { counted } from '../support/form.ts';
import { inspected, type Verified, verified } from './support.ts';

const model = `module m
entity Post { id Int @id, title String, text String @optional, map Map @optional, @meta {"audit": true} }
`;

interface Row {
  readonly [column: string]: unknown;
}

interface World {
  readonly folder: string;
  readonly kept: Served['kept'];
}

/** Several blocks: what is not sealed yet is sealed when the service is closed. */
async function written(blocks: number, perBlock: number): Promise<World> {
  const folder = folderForTest();
  let kept: Served['kept'] | undefined;
  for (let block = 0; block < blocks; block += 1) {
    const served = await open(model, { folder, audit: {} });
    kept = served.kept;
    const ids = Array.from({ length: perBlock }, (_, at) => block * perBlock + at);
    // In one transaction, so that they are sealed together whenever that is.
    const posts = ids.map((id) => ({ id, title: `title ${id}`, map: { b: [1, 2.5], a: 'é', 10: null } }));
    expect((await served.post('/m/Post', posts)).status).toBe(201);
    await served.close();
  }
  if (kept === undefined) throw new Error('nothing was written');
  return { folder, kept };
}

const entries = '"platform.audit/Entry"';
const blocksTable = '"__platform_audit_blocks"';
const unsealed = '"__platform_audit_unsealed"';
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const rows = (world: World, table: string, order: string): Promise<readonly Row[]> =>
  world.kept.rows(`SELECT * FROM ${table} ORDER BY "${order}"`);

const named = ({ found }: Verified): readonly string[] =>
  found.map(
    (each) =>
      `${each.kind} ${'entry' in each ? each.entry : 'block' in each ? each.block : 'from' in each ? `${each.from}-${each.to}` : ''}`,
  );

test('a trail that is as it was written verifies, also while the service runs, and it is told how many are not sealed yet', async () => {
  const folder = folderForTest();
  const served = await open(model, { folder, audit: {} });
  onTestFinished(() => served.close());
  for (const id of [1, 2, 3]) await served.post('/m/Post', { id, title: 'a' });
  const first = await verified(model, served);
  expect(first.found).toEqual([]);
  expect(first.sealed + first.unsealed).toBe(3);
  // Within a second.
  await expect.poll(async () => (await verified(model, served)).sealed).toBe(3);
  expect(await verified(model, served)).toMatchObject({ unsealed: 0, blocks: expect.any(Number), findings: 0 });
});

/** What is done to the trail, and what is found; `id(n)` is the n-th entry. */
type Attack = readonly [
  title: string,
  sql: (id: (at: number) => string) => readonly string[],
  found: (id: (at: number) => string) => readonly string[],
];

const attacks: readonly Attack[] = [
  ['an altered user', (id) => [`UPDATE ${entries} SET "user" = 'eve' WHERE "id" = '${id(1)}'`], (id) => [`entry-altered ${id(1)}`]],
  [
    'an altered outcome',
    (id) => [`UPDATE ${entries} SET "outcome" = 'denied' WHERE "id" = '${id(4)}'`],
    (id) => [`entry-altered ${id(4)}`],
  ],
  ['another version', (id) => [`UPDATE ${entries} SET "__version" = 2 WHERE "id" = '${id(4)}'`], (id) => [`entry-altered ${id(4)}`]],
  [
    'a space more in what it holds',
    (id) => [`UPDATE ${entries} SET "after" = ' {}' WHERE "id" = '${id(0)}'`],
    (id) => [`entry-altered ${id(0)}`],
  ],
  ['a removed entry', (id) => [`DELETE FROM ${entries} WHERE "id" = '${id(2)}'`], (id) => [`entry-removed ${id(2)}`]],
  [
    'an inserted entry',
    () => [
      `INSERT INTO ${entries} ("id", "time", "operation", "type", "outcome", "__version") VALUES ('01900000-0000-7000-8000-000000000001', '2026-01-01T00:00:00Z', 'create', 'm/Post', 'done', 1)`,
    ],
    () => ['entry-inserted 01900000-0000-7000-8000-000000000001'],
  ],
  [
    'an inserted entry before all others, which has the place of one that is named twice',
    (id) => [
      `INSERT INTO ${unsealed} ("id", "entries") SELECT '${id(0)}', substr("entries", 1, 80) FROM ${blocksTable} WHERE "number" = 1`,
      `INSERT INTO ${entries} ("id", "time", "operation", "type", "outcome", "__version") VALUES ('00000000-0000-0000-0000-000000000000', '2026-01-01T00:00:00Z', 'create', 'm/Post', 'done', 1)`,
    ],
    (id) => [`entry-repeated ${id(0)}`, 'entry-inserted 00000000-0000-0000-0000-000000000000'],
  ],
  [
    'a forged entry that waits for its seal',
    () => [
      `INSERT INTO ${entries} ("id", "time", "operation", "type", "outcome", "__version") VALUES ('01900000-0000-7000-8000-000000000001', '2026-01-01T00:00:00Z', 'create', 'm/Post', 'done', 1)`,
      `INSERT INTO ${unsealed} ("id", "entries") VALUES ('01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000001 ${'A'.repeat(43)}')`,
    ],
    () => ['entry-altered 01900000-0000-7000-8000-000000000001'],
  ],
  [
    'two entries in each other’s place',
    (id) => [
      `UPDATE ${entries} SET "id" = '01900000-0000-7000-8000-000000000001' WHERE "id" = '${id(0)}'`,
      `UPDATE ${entries} SET "id" = '${id(0)}' WHERE "id" = '${id(5)}'`,
      `UPDATE ${entries} SET "id" = '${id(5)}' WHERE "id" = '01900000-0000-7000-8000-000000000001'`,
    ],
    (id) => [`entry-altered ${id(0)}`, `entry-altered ${id(5)}`],
  ],
  [
    'a removed block',
    () => [`DELETE FROM ${blocksTable} WHERE "number" = 2`],
    (id) => ['blocks-removed 2-2', `entry-inserted ${id(2)}`, `entry-inserted ${id(3)}`],
  ],
  [
    'a removed block, with its entries',
    (id) => [`DELETE FROM ${blocksTable} WHERE "number" = 2`, `DELETE FROM ${entries} WHERE "id" IN ('${id(2)}', '${id(3)}')`],
    () => ['blocks-removed 2-2'],
  ],
  [
    'two blocks in each other’s place',
    () => [
      `UPDATE ${blocksTable} SET "number" = 20 WHERE "number" = 1`,
      `UPDATE ${blocksTable} SET "number" = 1 WHERE "number" = 2`,
      `UPDATE ${blocksTable} SET "number" = 2 WHERE "number" = 20`,
    ],
    () => ['block-altered 1', 'block-altered 2', 'block-misplaced 3'],
  ],
  ['an altered block', () => [`UPDATE ${blocksTable} SET "time" = 1 WHERE "number" = 2`], () => ['block-altered 2']],
  ['a block that says it was pruned', () => [`UPDATE ${blocksTable} SET "kind" = 'pruned' WHERE "number" = 1`], () => ['block-altered 1']],
  [
    'a cut off end',
    (id) => [`DELETE FROM ${blocksTable} WHERE "number" = 3`, `DELETE FROM ${entries} WHERE "id" IN ('${id(4)}', '${id(5)}')`],
    () => ['end-removed 3'],
  ],
  [
    'everything removed',
    () => [`DELETE FROM ${blocksTable}`, `DELETE FROM ${entries}`, 'DELETE FROM "__platform_audit_state"'],
    () => ['end-removed 3'],
  ],
];

test.each(attacks)('%s is found, and named', async (_, attack, expected) => {
  const world = await written(3, 2);
  const all = await rows(world, entries, 'id');
  const id = (at: number): string => String(all[at]?.['id']);
  expect(await verified(model, world)).toMatchObject({ blocks: 3, sealed: 6, unsealed: 0, findings: 0 });
  for (const sql of attack(id)) await world.kept.execute(sql);
  const found = named(await verified(model, world));
  expect(found).toEqual(expect.arrayContaining([...expected(id)]));
});

test('what was cut off before more was written is found: the anchor stays what it was', async () => {
  const world = await written(3, 2);
  const all = await rows(world, entries, 'id');
  await world.kept.execute(`DELETE FROM ${blocksTable} WHERE "number" = 3`);
  await world.kept.execute(`DELETE FROM ${entries} WHERE "id" >= '${String(all[4]?.['id'])}'`);
  const served = await open(model, { folder: world.folder, audit: {} });
  await served.post('/m/Post', { id: 100, title: 'after' });
  await served.close();
  expect(served.failures).toMatchObject([{ message: expect.stringContaining('the end of the audit trail was cut off: block 3') }]);
  expect(named(await verified(model, world))).toEqual(['blocks-removed 3-3', 'end-replaced 3']);
});

test('a service that runs keeps the anchor where the end is cut off under it', async () => {
  const folder = folderForTest();
  const served = await open(model, { folder, audit: {} });
  await served.post('/m/Post', { id: 1, title: 'a' });
  await expect.poll(async () => (await verified(model, served)).sealed).toBe(1);
  if (served.kept.settings.type === 'postgres') {
    await served.kept.execute(`DELETE FROM ${blocksTable}`);
    await served.kept.execute(`DELETE FROM ${entries}`);
    await served.post('/m/Post', { id: 2, title: 'b' });
    await served.close();
    expect(named(await verified(model, served))).toEqual(['blocks-removed 1-1', 'end-replaced 1']);
  } else await served.close();
});

test('without its key nothing is proved, another key proves nothing, and a service does not go on with either', async () => {
  const world = await written(1, 1);
  const key = join(world.folder, 'audit-key');
  const own = readFileSync(key, 'utf8');
  writeFileSync(key, `${'0'.repeat(64)}\n`);
  expect(named(await verified(model, world))).toContain('block-altered 1');
  await expect(open(model, { folder: world.folder, audit: {} })).rejects.toThrow(
    'is not the key that the audit trail of this store was begun with',
  );
  rmSync(key);
  await expect(verified(model, world)).rejects.toThrow('The key of the audit trail is not there');
  await expect(open(model, { folder: world.folder, audit: {} })).rejects.toThrow('The key of the audit trail is not there');
  writeFileSync(key, own, { mode: 0o644 });
  await expect(open(model, { folder: world.folder, audit: {} })).rejects.toThrow('can be read by others');
  rmSync(key);
  writeFileSync(key, own, { mode: 0o600 });
  rmSync(join(world.folder, 'audit-anchor'));
  expect(named(await verified(model, world))).toEqual(['anchor-missing ']);
});

test('a new key signs what comes after it, those before it prove what they have signed, and sign nothing any more', async () => {
  const world = await written(2, 2);
  const parts = inspected(model, world);
  expect(await rotateStored(parts, '1.2.3')).toBe(2);
  const served = await open(model, { folder: world.folder, audit: {} });
  for (const id of [50, 51]) await served.post('/m/Post', { id, title: 'new' });
  await served.close();
  expect(await verified(model, world)).toMatchObject({ sealed: 6, unsealed: 0, found: [] });
  const sealed = await rows(world, blocksTable, 'number');
  const previous = String(sealed.at(-1)?.['signature']);
  const [current, replaced] = readKeys(parts.audit.key) ?? [];
  if (current === undefined || replaced === undefined) throw new Error('there are two keys');
  // Somebody has got hold of the one that was replaced.
  const forged = { kind: 'block', number: sealed.length + 1, time: 1, count: 0, entries: '', previous };
  const signature = signerWith([replaced]).sign(forged);
  await world.kept.execute(
    `INSERT INTO ${blocksTable} ("number", "kind", "time", "count", "entries", "previous", "signature") VALUES (${forged.number}, 'block', 1, 0, '', '${previous}', '${signature}')`,
  );
  expect(named(await verified(model, world))).toEqual([`block-altered ${forged.number}`]);
  writeFileSync(parts.audit.key, `${replaced.toString('hex')}\n`);
  expect(named(await verified(model, world))).toContain('key-other ');
  await expect(open(model, { folder: world.folder, audit: {} })).rejects.toThrow('is not the key');
});

test('a key is not replaced while entries wait for their seal', async () => {
  const world = await written(1, 1);
  await world.kept.execute(`INSERT INTO ${unsealed} ("id", "entries") VALUES ('01900000-0000-7000-8000-000000000001', '')`);
  await expect(rotateStored(inspected(model, world), '1.2.3')).rejects.toThrow('Not all entries are sealed yet');
});

const columns = [
  'id',
  'time',
  'user',
  'operation',
  'type',
  'instance',
  'before',
  'after',
  'requestId',
  'outcome',
  'run',
  'toolCall',
] as const;
const blockColumns = ['number', 'kind', 'time', 'count', 'entries', 'previous', 'signature'] as const;

test('a single altered byte is found, whichever it is', { timeout: 600_000 }, async () => {
  const world = await written(3, 3);
  const [all, sealed] = [await rows(world, entries, 'id'), await rows(world, blocksTable, 'number')];
  const byte = fc.record({ inBlock: fc.boolean(), row: fc.nat(), column: fc.nat(), at: fc.nat(), bit: fc.integer({ min: 0, max: 4 }) });
  await fc.assert(
    fc.asyncProperty(byte, async ({ inBlock, row, column, at, bit }) => {
      const [table, list, names, key] = inBlock
        ? ([blocksTable, sealed, blockColumns, 'number'] as const)
        : ([entries, all, columns, 'id'] as const);
      const found = list[row % list.length] ?? {};
      const name = names[column % names.length] ?? 'time';
      const next = altered(found[name], at, bit, isJson(name) && !inBlock);
      if (next === undefined) return;
      const where = `"${key}" = ${literal(found[key])}`;
      const changed = `"${key}" = ${name === key ? next : literal(found[key])}`;
      try {
        await world.kept.execute(`UPDATE ${table} SET "${name}" = ${next} WHERE ${where}`);
      } catch {
        // The store itself refuses what is no UUID.
        return;
      }
      const result = named(await verified(model, world));
      await world.kept.execute(`UPDATE ${table} SET "${name}" = ${literalOf(found[name], isJson(name) && !inBlock)} WHERE ${changed}`);
      expect(result).not.toEqual([]);
      const subject = inBlock ? /^(block|blocks|entry|end)-/ : new RegExp(`^entry-(altered|removed) ${String(found['id'])}$`);
      expect(
        result.some((each) => subject.test(each)),
        `${name}: ${result.join(', ')}`,
      ).toBe(true);
    }),
    { numRuns: counted({ long: 2000, short: 20, postgres: 10 }) },
  );
  expect((await verified(model, world)).found).toEqual([]);
});

function isJson(name: string): boolean {
  return name === 'before' || name === 'after';
}

/** PostgreSQL gives JSON as values. */
function literalOf(value: unknown, json: boolean): string {
  return json && value !== null && typeof value === 'object' ? quoted(JSON.stringify(value)) : literal(value);
}

function literal(value: unknown): string {
  return value === null || value === undefined ? 'NULL' : typeof value === 'string' ? quoted(value) : String(value);
}

/** As SQL: one bit of one character is another, or one more where there was nothing. */
function altered(value: unknown, at: number, bit: number, json: boolean): string | undefined {
  if (value === null || value === undefined) return json ? quoted('{}') : quoted('x');
  if (typeof value === 'number' || typeof value === 'bigint') return String(BigInt(value) + (1n << BigInt(bit)));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const place = at % text.length;
  const next = String.fromCharCode(text.charCodeAt(place) ^ (1 << bit));
  const made = `${text.slice(0, place)}${next}${text.slice(place + 1)}`;
  if (next < ' ') return undefined;
  if (json && !isReadable(made)) return undefined;
  return quoted(made);
}

function isReadable(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
