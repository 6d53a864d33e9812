// Whoever comes back is told the same, whether what they missed is still in memory or has to be read from the log.

import { expect, test } from 'vitest';
import type { Select } from '../../src/plan/query/shape.ts';
import { ReadCache } from '../../src/realtime/read-cache.ts';
import { RecentChanges } from '../../src/realtime/recent.ts';
import type { Change } from '../../src/store/changes/change.ts';
import { changesTable } from '../../src/store/changes/tables.ts';
import { serve } from '../support/app.ts';
import { brief, watch } from './support.ts';

function changes(from: number, to: number, text = 'x'): readonly Change[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    place: { tx: 7, seq: from + index },
    tx: 7,
    seq: from + index,
    isSuperseded: false,
    source: 't',
    before: undefined,
    after: text,
    keyBefore: undefined,
    keyAfter: String(from + index),
  }));
}

function numbersAfter(seq: number, recent: RecentChanges): readonly number[] | undefined {
  return recent.after({ tx: 7, seq })?.map(({ place }) => place.seq);
}

test('the changes behind a place are all there, or it is said that they are not', () => {
  const recent = new RecentChanges({ tx: 7, seq: 10 });
  expect(numbersAfter(10, recent)).toEqual([]);
  recent.add(changes(12, 13));
  recent.add(changes(15, 16));
  expect([9, 10, 12, 13, 14, 16, 17].map((seq) => numbersAfter(seq, recent))).toEqual([
    undefined,
    [12, 13, 15, 16],
    [13, 15, 16],
    [15, 16],
    [15, 16],
    [],
    undefined,
  ]);
  expect(recent.end).toEqual({ tx: 7, seq: 16 });
});

test('so many changes are kept, and so much text, and nothing is said to be there that is not', () => {
  const many = new RecentChanges({ tx: 7, seq: 0 });
  many.add(changes(1, 3000));
  many.add(changes(3001, 6000));
  expect(numbersAfter(999, many)).toBeUndefined();
  expect(numbersAfter(1000, many)).toHaveLength(5000);
  const large = new RecentChanges({ tx: 7, seq: 0 });
  for (let seq = 1; seq <= 10; seq += 1) large.add(changes(seq, seq, 'x'.repeat(1024 * 1024)));
  expect(numbersAfter(5, large)).toBeUndefined();
  expect(numbersAfter(6, large)).toEqual([7, 8, 9, 10]);
  large.add(changes(11, 11, 'x'.repeat(5 * 1024 * 1024)));
  expect(numbersAfter(10, large)).toBeUndefined();
  expect(numbersAfter(11, large)).toEqual([]);
});

test('however many different things streams select, twice as much is kept of the changes that are in memory as those may have', () => {
  const kept = new ReadCache();
  const all = changes(1, 5000, 'x'.repeat(800));
  const selects = Array.from(
    { length: 20 },
    (_, index): Select => ({
      kind: 'select',
      table: changesTable,
      output: { fields: [], columns: [String(index)] },
      where: { kind: 'and', conditions: [] },
      order: [],
      limit: false,
      offset: false,
    }),
  );
  const json = JSON.stringify({ text: 'x'.repeat(400) });
  for (const select of selects) for (const each of all) kept.addRendered(select, each, { json, columns: [1, 'y'.repeat(200)] });
  const rows = selects.map((select) => all.flatMap((each) => kept.rendered(select, each) ?? []));
  expect(rows[0]).toHaveLength(all.length);
  expect(rows.flat().length * (json.length + 200)).toBeLessThan(8 * 1024 * 1024);
});

test('streams that select more different things of a change than are kept are told theirs, and so are those who come back', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const served = await serve(`module m\nentity Post { id Int @id, ${names.map((name) => `${name} String`).join(', ')} }\n`);
  const streams = await Promise.all(names.map((name) => watch(served, `/m/Post?@select=id,${name}`)));
  for (const each of streams) await each.until(1);
  const cursors = streams.map((each) => each.cursor());
  const textOf = (name: string): string => name.repeat(2000);
  await served.post('/m/Post', { id: 1, ...Object.fromEntries(names.map((name) => [name, textOf(name)])) });
  await served.put('/m/Post/1', { a: 'a' });
  for (const each of streams) await each.until(3);
  const back = await Promise.all(names.map((name, index) => watch(served, `/m/Post?@select=id,${name}`, { after: cursors[index] })));
  for (const each of back) await each.until(3);
  const expected = names.map((name) => [
    { id: 1, [name]: textOf(name) },
    { id: 1, [name]: name === 'a' ? 'a' : textOf(name) },
  ]);
  for (const all of [streams, back]) expect(all.map(({ told }) => told.slice(1).map(({ data }) => data))).toEqual(expected);
});

test('who comes back to what is still in memory, and to what is not any more, is told all of it once', async () => {
  const served = await serve('module m\nentity Post { id Int @id, state String, text String }\n');
  const all = await watch(served, '/m/Post?@select=id');
  const stream = await watch(served, '/m/Post?state=shown&@select=id');
  await stream.until(1);
  const text = 'x'.repeat(200_000);
  await served.post('/m/Post', { id: 1, state: 'shown', text });
  await served.post('/m/Post', { id: 2, state: 'hidden', text });
  await stream.until(2);
  const early = stream.cursor();
  await served.put('/m/Post/1', { state: 'hidden' });
  await served.put('/m/Post/2', { state: 'shown' });
  // More than is kept.
  for (let n = 1; n <= 20; n += 1) await served.put('/m/Post/1', { text: `${n}${text}` });
  await all.until(25);
  await stream.until(4);
  const late = stream.cursor();
  await served.put('/m/Post/2', { text: 'last' });
  await served.remove('/m/Post/2');
  await all.until(27);
  await stream.until(6);
  const fromLog = await watch(served, '/m/Post?state=shown&@select=id', { after: early });
  const fromMemory = await watch(served, '/m/Post?state=shown&@select=id', { after: late });
  expect(brief(await fromLog.until(5))).toEqual(['gone 1', 'create 2', 'update 2', 'delete 2']);
  expect(brief(await fromMemory.until(3))).toEqual(['update 2', 'delete 2']);
  expect(brief(stream.told)).toEqual(['create 1', 'gone 1', 'create 2', 'update 2', 'delete 2']);
});
