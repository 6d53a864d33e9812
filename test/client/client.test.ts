// `platform client`: the generated file compiles under the strictest settings, refuses what the model refuses, and talks to the service.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../cli/harness.ts';
import { serve } from '../support/app.ts';
import { clientModule, compile, opening, projectWithClient } from './harness.ts';
import { shop } from './model.ts';

const project = { 'src/core.al': shop };

const { Customer, Order, Item, Product, total } = {
  Customer: 'api.shop_core.Customer',
  Order: 'api.shop_core.Order',
  Item: 'api.shop_core.Item',
  Product: 'api.shop_core.Product',
  total: 'api.shop_core.total',
};

/** Each is one statement that the model does not allow. */
const wrong: readonly string[] = [
  `await ${Customer}.create({ name: 'Ann' })`,
  `await ${Customer}.create({ email: 'a@b.c', name: 5 })`,
  `await ${Customer}.create({ email: 'a@b.c', name: 'Ann', nick: 'x' })`,
  `await ${Customer}.create({ email: 'a@b.c', name: 'Ann', level: 'silver' })`,
  `await ${Customer}.create({ email: 'a@b.c', name: 'Ann', address: { city: 'Rome' } })`,
  `await ${Order}.get('1')`,
  `await ${Order}.get(1n)`,
  `await ${Item}.create({ sku: 'x', amount: 1 })`,
  `await ${Order}.list({ where: { totall: '1' } })`,
  `await ${Order}.list({ where: { total: { about: '1' } } })`,
  `await ${Order}.list({ where: { weight: { like: '1%' } } })`,
  `await ${Order}.list({ where: { id: 'one' } })`,
  `await ${Order}.list({ where: { CustomerOrder: { nam: 'x' } } })`,
  `await ${Order}.list({ orderBy: [{ placd: 'asc' }] })`,
  `await ${Order}.list({ orderBy: [{ placed: 'down' }] })`,
  `await ${Order}.list({ include: { OrderItems: true } })`,
  `await ${Order}.list({ include: { OrderItem: { include: { Custumer: true } } } })`,
  `await ${Order}.list({ select: ['totl'] })`,
  `(await ${Order}.get(1, { select: ['note'] })).total`,
  `(await ${Order}.get(1)).OrderItem`,
  `(await ${Item}.get('x')).secretCode`,
  `await ${Customer}.update('a@b.c', { nick: 'x' })`,
  `await ${Order}.at(1).Nothing.list()`,
  `await ${Order}.at(1).OrderItem.create({ sku: 'x' })`,
  `await ${Order}.at(1).OrderProduct.create({ code: 'a', '@link': { count: 'two' } })`,
  `await ${total}({})`,
  `await ${total}({ email: 'a@b.c', more: 1 })`,
  `(await ${total}({ email: 'a@b.c' })).summ`,
  `await ${Product}.count({ stock: 'many' })`,
  `await ${Customer}.delete()`,
  `await api.auth.login({ email: '', password: '' })`,
  `for await (const change of ${Order}.watch({ where: { totl: '1' } })) void change`,
  `for await (const change of ${Order}.watch({ limit: 5 })) void change`,
  `for await (const change of ${Order}.watch()) if (change.kind === 'gone') void change.instance.total`,
  `for await (const change of ${Order}.watch('1')) void change`,
];

const right: readonly string[] = [
  `await ${Customer}.create({ email: 'a@b.c', name: 'Ann', address: { street: 'x', city: 'Rome' }, tags: ['a'], settings: { a: 1 }, level: 'gold' })`,
  `const ids: readonly number[] = (await ${Order}.create([{ id: 1 }, { id: 2, total: '1.5', note: null }])).map((each) => each.id); void ids`,
  `const items: readonly number[] = (await ${Order}.list({ include: { OrderItem: true } })).flatMap((each) => each.OrderItem.map((item) => item.amount)); void items`,
  `const name: string | undefined = (await ${Item}.list({ include: { OrderItem: { include: { CustomerOrder: true } } } }))[0]?.OrderItem?.CustomerOrder?.name; void name`,
  `for await (const change of ${Order}.watch({ initial: true, where: { id: { gt: 1 } }, select: ['note'] })) if (change.kind === 'update') { const text: string | null = change.instance.note; void text; }`,
  `for await (const change of ${Order}.watch(1)) if (change.kind === 'delete') { const id: number = change.instance.id; void id; }`,
  `const exact: bigint = (await createClient({ baseUrl: '', bigints: true }).shop_core.Order.get(1n)).id; void exact`,
];

test('compiles under the strictest settings, and of a program with mistakes the compiler refuses every line', async () => {
  const folder = await projectWithClient(project);
  expect(compile(folder, `${opening}${right.map((each) => `{ ${each}; }`).join('\n')}`)).toBe('');
  const said = compile(folder, `${opening}${wrong.map((each) => `void (async () => { ${each}; });`).join('\n')}`);
  const refused = new Set([...said.matchAll(/^program\.ts\((\d+),/gm)].map(([, line]) => Number(line)));
  const first = opening.split('\n').length;
  expect(wrong.filter((_, index) => !refused.has(first + index))).toEqual([]);
  expect([said.includes('api.ts('), refused.size]).toEqual([false, wrong.length]);
  expect(wrong.length).toBeGreaterThanOrEqual(20);
});

test('--check tells whether the file is what the model says', async () => {
  const folder = await projectWithClient(project);
  expect(await command(folder, 'client', '--out', 'api.ts', '--check')).toEqual({ code: 0, out: '', err: '' });
  writeFileSync(join(folder, 'src', 'core.al'), shop.replace('stock Int', 'inStock Int'));
  expect(await command(folder, 'client', '--out', 'api.ts', '--check')).toMatchObject({
    code: 1,
    err: expect.stringContaining('api.ts is not what the model says'),
  });
  expect(await command(folder, 'client', '--out', 'other.ts', '--check')).toMatchObject({
    code: 1,
    err: expect.stringContaining('does not exist'),
  });
  expect(existsSync(join(folder, 'other.ts'))).toBe(false);
});

describe('against the service', () => {
  /** The client as a program would import it, its requests answered by the application itself. */
  const connected = async (options: object = {}) => {
    const folder = await projectWithClient(project);
    const served = await serve(shop);
    const asked: string[] = [];
    const fetch = async (
      address: string,
      { method, headers, body }: { method: string; headers: Record<string, string>; body?: string },
    ) => {
      const url = new URL(address);
      asked.push(`${method} ${decodeURIComponent(url.pathname + url.search)}`);
      const answer = await served.ask({
        method,
        target: `${url.pathname}${url.search}`,
        headers,
        ...(body === undefined ? {} : { text: body }),
      });
      return new Response(answer.text === '' ? null : answer.text, { status: answer.status, headers: answer.headers });
    };
    const { createClient } = await clientModule(folder);
    const all = createClient({ baseUrl: 'http://shop.test/', fetch, ...options });
    return { served, asked, all, api: all.shop_core };
  };

  test('creates, reads, lists, counts, changes and deletes, along relationships and with versions', async () => {
    const { api, all, asked } = await connected();
    const ann = await api.Customer.create({
      email: 'ann@example.com',
      name: 'Ann "A", \\',
      address: { street: 'x', city: 'Rome' },
      tags: ['a', 'b,c'],
    });
    await api.Order.create([
      { id: 1, total: '12.50', OrderItem: [{ sku: 'x', amount: 2 }], CustomerOrder: [{ email: ann.email }] },
      { id: 2 },
    ]);
    const [order, ...none] = await api.Order.list({
      where: { total: { gte: '1' }, CustomerOrder: { name: 'Ann "A", \\' }, or: [{ note: null }, { id: { in: [7, 8] } }] },
      include: { OrderItem: true, CustomerOrder: true },
    });
    expect([order, none]).toMatchObject([
      { id: 1, total: '12.50', OrderItem: [{ sku: 'x', amount: 2 }], CustomerOrder: { email: ann.email } },
      [],
    ]);
    expect(await api.Customer.count({ tags: { has: 'b,c' }, address: { city: { like: 'R%' } } })).toBe(1);
    expect(await api.Customer.count({ name: { in: ['Ann "A", \\', 'b'] } })).toBe(1);
    const first = await api.Order.list({ orderBy: [{ id: 'desc' }], limit: 1, select: ['total'] });
    expect([...first]).toEqual([{ id: 2, total: '0' }]);
    expect([...(await api.Order.list({ orderBy: [{ id: 'desc' }], limit: 1, after: first.next }))]).toMatchObject([{ id: 1 }]);
    await api.Product.create({ code: 'p/1', price: '1.00' });
    await api.Order.at(1).OrderProduct.create({ code: 'p/1', '@link': { count: 3 } });
    expect([...(await api.Order.at(1).OrderProduct.list())]).toMatchObject([{ code: 'p/1', '@link': { count: 3 } }]);
    await api.Order.at(1).OrderProduct.delete('p/1');
    expect(await api.Order.at(1).OrderProduct.count()).toBe(0);
    const changed = await api.Customer.update(ann.email, { name: 'Anna' }, { version: all.versionOf(ann) });
    expect(changed).toMatchObject({ name: 'Anna' });
    await expect(api.Customer.update(ann.email, { name: 'Late' }, { version: all.versionOf(ann) })).rejects.toMatchObject({
      name: 'PreconditionFailedError',
      status: 412,
    });
    await api.Product.delete('p/1');
    await expect(api.Product.get('p/1')).rejects.toMatchObject({ name: 'NotFoundError', code: 'instance-not-found' });
    await expect(api.Customer.create({ email: 'no', name: 'x' })).rejects.toMatchObject({
      name: 'InvalidError',
      errors: [{ attribute: 'email' }],
    });
    expect(await api.total({ email: 'a@example.com' })).toMatchObject({ orders: 1, sum: '12.50' });
    expect(asked).toContain('GET /shop.core/Order/1/OrderProduct/Product');
  });

  test('integers beyond 2^53 are exact with bigints, and an error without', async () => {
    const { api } = await connected({ bigints: true });
    const id = 9_007_199_254_740_993n;
    expect(await api.Order.create({ id, weight: 0.30000000000000004, note: '\u00019007199254740993' })).toMatchObject({
      id,
      weight: 0.30000000000000004,
      note: '\u00019007199254740993',
    });
    expect((await api.Order.list({ where: { id: { gt: 1n } } }))[0].id).toBe(id);
    const { api: plain, served } = await connected();
    await served.ask({ method: 'POST', target: '/shop.core/Order', text: `{"id":${id}}`, headers: { 'content-type': 'application/json' } });
    await expect(plain.Order.list()).rejects.toThrow('bigints: true');
  });

  test('a filter of no values finds nothing, and what no query can say is refused', async () => {
    const { api } = await connected();
    await api.Customer.create({ email: 'a@example.com', name: '', address: { street: 'x', city: '' } });
    expect(await api.Customer.count({ name: { in: [] } })).toBe(0);
    expect(await api.Customer.list({ where: { address: { city: { in: [] } } } })).toHaveLength(0);
    expect(await api.Customer.count({ name: { in: [''] } })).toBe(1);
    expect(await api.Customer.count({ or: [{ name: { in: [] } }, { email: { in: [] } }] })).toBe(0);
    expect(await api.Customer.count({ or: [{ name: { in: [] } }, { email: 'a@example.com' }] })).toBe(1);
    expect(await api.Customer.count({ or: [{ name: { in: [] } }, { email: 'b@example.com' }] })).toBe(0);
    const meant = [
      { or: [] },
      { name: { in: ['x', null] } },
      { name: { lt: null } },
      { name: { eq: ['x'] } },
      { CustomerOrder: { id: { in: [] } } },
    ];
    for (const where of meant) await expect((async () => api.Customer.count(where))()).rejects.toThrow(/takes|needs/);
  });

  test('a whole number in a map that no double holds is never another number; a large double stays one', async () => {
    const { api } = await connected({ bigints: true });
    const settings = { a: 9_007_199_254_740_993n, b: 1e17, c: [-9_007_199_254_740_995n, 5], d: 1.5e300 };
    await api.Customer.create({ email: 'm@example.com', name: 'Map', settings });
    expect((await api.Customer.get('m@example.com')).settings).toEqual(settings);
    const { api: plain, served } = await connected();
    const text = '{"email":"m@example.com","name":"Map","settings":{"a":9007199254740993}}';
    await served.ask({ method: 'POST', target: '/shop.core/Customer', text, headers: { 'content-type': 'application/json' } });
    await expect(plain.Customer.get('m@example.com')).rejects.toThrow('9007199254740993, more than a number holds');
    // What other systems give may be more than any double.
    const long = 10n ** 400n + 1n;
    const { createClient } = await clientModule(await projectWithClient(project));
    const fetch = async () => new Response(`{"settings":{"a":${long}}}`, { status: 200 });
    const read = (bigints: boolean) =>
      createClient({ baseUrl: 'http://shop.test', fetch, bigints }).shop_core.Customer.get('m@example.com');
    expect(await read(true)).toEqual({ settings: { a: long } });
    await expect(read(false)).rejects.toThrow('more than a number holds');
  });

  test('a create is sent again with the same key where the service is busy, and done once', async () => {
    const { served, api } = await connected();
    const keys: (string | null)[] = [];
    const folder = await projectWithClient(project);
    const fetch = async (
      address: string,
      { method, headers, body }: { method: string; headers: Record<string, string>; body?: string },
    ) => {
      keys.push(new Headers(headers).get('idempotency-key'));
      const answer = await served.ask({
        method,
        target: new URL(address).pathname,
        headers,
        ...(body === undefined ? {} : { text: body }),
      });
      if (keys.length === 1) throw new TypeError('the connection was lost behind the answer');
      return new Response(answer.text, { status: answer.status, headers: answer.headers });
    };
    const { createClient } = await clientModule(folder);
    const made = await createClient({ baseUrl: 'http://shop.test', fetch }).shop_core.Product.create({ code: 'once', price: 1 });
    expect([made.code, keys.length, new Set(keys).size]).toEqual(['once', 2, 1]);
    expect(await api.Product.count({ code: 'once' })).toBe(1);
  });
});
