// `platform resolvers`: what is pending is listed, settled by asking the other system, or struck out.

import { expect, onTestFinished, test } from 'vitest';
import { command, workspace } from '../cli/harness.ts';

const model = `module shop

import "goods.js" @as goods

entity Article {
  id String @id,
  price Int,
  pin String @optional @writeonly,
  code Password @optional
}

event sell {
  id String
}

workflow sell {
  {Article {id sell.id, price 1, pin "PIN-1234", code "CODE-5678"}}
  throw("no")
}

resolver goods [shop/Article] @compose {
  create goods.add,
  query goods.find
}
`;

/** Keeps articles in a file, so that another process finds them. */
const goods = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
const file = new URL('./articles', import.meta.url);
export const add = (article) => appendFileSync(file, JSON.stringify(article) + '\\n');
export const find = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\\n').map((line) => JSON.parse(line)) : []);
`;

test('what is pending is listed, settled by what query finds, or struck out', async () => {
  const place = workspace({ 'src/shop.al': model, 'src/goods.js': goods });
  onTestFinished(() => place.remove());
  const { open } = await import('../support/app.ts');
  const served = await open(
    { 'core.al': model, 'goods.js': goods },
    { folder: place.folder, store: 'sqlite', resolvers: [{ name: 'shop/goods', timeout: 1 }] },
  );
  for (const id of ['a', 'b']) expect((await served.post('/shop/sell', { id })).status).toBe(422);
  const hidden = /PIN-1234|CODE-5678|argon2|"pin"|"code"|"whole"/;
  expect(JSON.stringify((await served.get('/platform.resolver/Pending')).body)).not.toMatch(hidden);
  await served.close();
  place.write('config.al', '{"store": {"type": "sqlite", "dbname": "data/test.db"}}');
  const listed = await command(place.folder, 'resolvers', 'pending', '--json');
  expect(listed.err).toBe('');
  expect(listed.out).not.toMatch(hidden);
  const shown: readonly { readonly id: string; readonly instance: string; readonly error: string; readonly after: unknown }[] = JSON.parse(
    listed.out,
  );
  expect(shown.map(({ instance, error }) => `${instance} ${error}`).sort()).toEqual([
    'a it cannot be undone: there is no handler for delete',
    'b it cannot be undone: there is no handler for delete',
  ]);
  expect(shown.map(({ after }) => after)).toContainEqual({ id: 'a', price: 1 });
  const [first, second] = shown.toSorted((one, other) => one.instance.localeCompare(other.instance)).map(({ id }) => id);
  expect(await command(place.folder, 'resolvers', 'settle', String(first))).toMatchObject({ code: 0, out: `${first} is settled\n` });
  expect(await command(place.folder, 'resolvers', 'settle', String(first))).toMatchObject({ code: 1 });
  expect(await command(place.folder, 'resolvers', 'settle', String(second), '--discard')).toMatchObject({ code: 0 });
  expect((await command(place.folder, 'resolvers', 'pending')).err).toBe('0 calls are pending\n');
  expect(await served.kept.rows('SELECT id, price, pin FROM "shop/Article"')).toEqual([{ id: 'a', price: 1, pin: 'PIN-1234' }]);
});
