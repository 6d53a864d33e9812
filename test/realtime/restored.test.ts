// A store that was put back from a copy: a cursor of what is lost is refused, and nobody is told old changes as new ones.

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open, serve } from '../support/app.ts';
import { temporaryFolder } from '../support/folder.ts';
import { storeOfRun } from '../support/store.ts';
import { brief, watch } from './support.ts';

const model = 'module blog\nentity Post { id Int @id }\n';
const onFile = test.runIf(storeOfRun() === 'sqlite');
const onServer = test.runIf(storeOfRun() === 'postgres');

/** Creates them while somebody watches, who gives the last cursor. */
async function told(folder: string, ids: readonly number[]): Promise<string | undefined> {
  const served = await open(model, { folder });
  const stream = await watch(served, '/blog/Post');
  await stream.until(1);
  for (const id of ids) expect((await served.post('/blog/Post', { id })).status).toBe(201);
  await stream.until(1 + ids.length);
  await stream.close();
  await served.close();
  return stream.cursor();
}

onFile('a file that was put back, and has as many changes again, takes no cursor of those that are lost', async () => {
  const folder = temporaryFolder();
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const before = await told(folder, [1, 2]);
  cpSync(data, copy, { recursive: true });
  const lost = await told(folder, [3, 4]);
  rmSync(data, { recursive: true });
  cpSync(copy, data, { recursive: true });
  const served = await serve(model, { folder });
  expect((await watch(served, '/blog/Post', { after: lost })).status).toBe(410);
  for (const id of [5, 6, 7]) await served.post('/blog/Post', { id });
  expect((await watch(served, '/blog/Post', { after: lost })).status).toBe(410);
  const again = await watch(served, '/blog/Post', { after: before });
  expect(brief(await again.until(4))).toEqual(['create 5', 'create 6', 'create 7']);
});

const elsewhere: readonly (readonly [how: string, sql: string])[] = [
  ['counts transactions from less', 'UPDATE "__platform_changes" SET "tx" = "tx" + 1000000000'],
  [
    'is another one and has counted further',
    `UPDATE "__platform_watched" SET "generation" = regexp_replace("generation", '^(\\d+) \\S+', '\\1 7.7')`,
  ],
];

onServer.each(elsewhere)('a database that was put back into a server that %s begins a new log', async (_, sql) => {
  const folder = temporaryFolder();
  const before = await told(folder, [1, 2]);
  const moved = await open(model, { folder });
  await moved.close();
  await moved.kept.execute(sql);
  const served = await serve(model, { folder });
  expect((await watch(served, '/blog/Post', { after: before })).status).toBe(410);
  expect(await served.kept.rows('SELECT 1 AS n FROM "__platform_changes"')).toEqual([]);
  const stream = await watch(served, '/blog/Post');
  await stream.until(1);
  expect((await served.post('/blog/Post', { id: 3 })).status).toBe(201);
  expect(brief(await stream.until(2))).toEqual(['create 3']);
  await stream.close();
  expect((await served.post('/blog/Post', { id: 4 })).status).toBe(201);
  const again = await watch(served, '/blog/Post', { after: stream.cursor() });
  expect(brief(await again.until(2))).toEqual(['create 4']);
  expect(served.failures).toEqual([]);
});

onServer('a cursor of a change that the log of the server does not have is 410', async () => {
  const folder = temporaryFolder();
  const lost = await told(folder, [1, 2]);
  const before = await open(model, { folder });
  await before.close();
  await before.kept.execute('DELETE FROM "__platform_changes" WHERE "seq" = (SELECT max("seq") FROM "__platform_changes")');
  const served = await serve(model, { folder });
  await served.post('/blog/Post', { id: 3 });
  expect((await watch(served, '/blog/Post', { after: lost })).status).toBe(410);
});
