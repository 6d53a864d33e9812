// Filters and orders along relationships in a store with many rows: the database finds the rows by indexes, and reads no table whole.

import { expect, test } from 'vitest';
import { listShape } from '../../src/engine/crud/list.ts';
import { listQuery } from '../../src/http/rest/query/query.ts';
import { compile } from '../../src/plan/compile.ts';
import { filterCondition } from '../../src/plan/query/filter.ts';
import { allRows } from '../../src/plan/query/rows-of.ts';
import { plainView } from '../../src/plan/query/selection.ts';
import { postgresDialect } from '../../src/store/postgres/dialect.ts';
import { compilePage } from '../../src/store/sql/statements.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import { modelOf, type Served, serve } from '../support/app.ts';
import { isLarge } from '../support/form.ts';

const count = isLarge ? 100_000 : 2_000;
const model = `module shop
entity Customer { id Int @id, name String @indexed, mail Email @unique }
entity Order { id Int @id, state String, no String @unique }
entity Item { id Int @id, sku String @indexed }
relationship Ordered between(Customer, Order) @one_many { via String @indexed }
relationship OrderItem contains(Order, Item)
`;

/** The tables that a list is read from, each by an index. */
const queries: readonly (readonly [type: string, query: string, tables: readonly string[]])[] = [
  ['Order', 'Ordered.Customer.name=name7', ['Order', 'Ordered', 'Customer']],
  ['Order', 'Ordered.Customer.mail[in]=c7@b.org,c8@b.org', ['Order', 'Ordered', 'Customer']],
  ['Order', 'Ordered.Customer.id=7', ['Order', 'Ordered', 'Customer']],
  ['Order', 'Ordered.via=via7', ['Order', 'Ordered']],
  ['Order', 'OrderItem.Item.sku=sku7', ['Order', 'Item']],
  ['Item', 'OrderItem.Order.id=7', ['Item', 'Order']],
  ['Item', 'OrderItem.Order.Ordered.Customer.name=name7', ['Item', 'Order', 'Ordered', 'Customer']],
  ['Customer', 'Ordered.Order.OrderItem.Item.sku=sku7&Ordered.Order.state=new', ['Customer', 'Ordered', 'Order', 'Item']],
  ['Customer', '@or=(Ordered.Order.no=no7,name=name9)', ['Customer', 'Ordered', 'Order']],
  ['Order', 'no=no7&@sort=Ordered.Customer.name', ['Order', 'Ordered', 'Customer']],
];

test(`a filter along relationships on ${count} rows names its indexes in the plan of the database, and scans nothing`, async () => {
  const served = await serve(model);
  await fill(served);
  if (served.kept.settings.type === 'postgres') await served.kept.rows('ANALYZE');
  for (const [type, query, tables] of queries) {
    const { found, scanned, plan } = await planOf(served, type, query);
    const missing = tables.filter((each) => !found.includes(`shop/${each}`));
    expect([type, query, missing, scanned], plan).toEqual([type, query, [], []]);
    const answer = await served.get(`/shop/${type}?${query}`);
    expect([answer.status, Array.isArray(answer.body) && answer.body.length > 0], query).toEqual([200, true]);
  }
}, 900_000);

async function fill(served: Served): Promise<void> {
  const numbers = Array.from({ length: count }, (_, at) => at);
  const customers = numbers.slice(0, count / 10).map((id) => ({ id, name: `name${id}`, mail: `c${id}@b.org` }));
  const orders = numbers.map((id) => ({
    id,
    state: id % 2 === 0 ? 'paid' : 'new',
    no: `no${id}`,
    OrderItem: [{ id, sku: `sku${id % (count / 10)}` }],
  }));
  const links = numbers.map((id) => ({ Customer: id % (count / 10), Order: id, via: `via${id}` }));
  for (const [target, rows] of [
    ['Customer', customers],
    ['Order', orders],
    ['Ordered', links],
  ] as const) {
    for (let at = 0; at < rows.length; at += 500) {
      const { status, text } = await served.post(`/shop/${target}`, rows.slice(at, at + 500));
      if (status !== 201) throw new Error(text);
    }
  }
}

interface DatabasePlan {
  /** Tables whose rows are found by an index. */
  readonly found: readonly string[];
  /** Tables that are read whole. */
  readonly scanned: readonly string[];
  readonly plan: string;
}

async function planOf(served: Served, type: string, query: string): Promise<DatabasePlan> {
  const plan = compile(modelOf(model)).entities.get(`shop/${type}`);
  if (plan === undefined) throw new Error(`no ${type}`);
  const asked = listQuery(plan, query, { page: undefined }, plainView);
  const shape = listShape({ plan, under: undefined }, asked);
  if (served.kept.settings.type === 'sqlite') return ofSqlite(served, compilePage(shape, sqliteDialect).sql);
  const { sql, parameters } = compilePage(shape, postgresDialect);
  const values = [...filterCondition(asked.filter, plan, allRows).values, 100];
  // As texts, whose types the server knows from where they stand, as it does of parameters.
  const literals = parameters.map(
    ({ source, encode }) => `'${String(encode === undefined ? values[source] : encode(values[source] ?? null))}'`,
  );
  return ofPostgres(
    served,
    sql.replace(/\$(\d+)/g, (_, number) => literals[Number(number) - 1] ?? ''),
  );
}

async function ofSqlite(served: Served, sql: string): Promise<DatabasePlan> {
  const details = (await served.kept.rows(`EXPLAIN QUERY PLAN ${sql}`)).map((each) => String(each['detail']));
  const aliases = new Map([...sql.matchAll(/"(shop\/\w+)" AS (\w+)/g)].map(([, table = '', alias = '']) => [alias, table]));
  const tablesIn = (start: string): readonly string[] =>
    details.flatMap((each) => {
      const name = new RegExp(`^${start} "?([\\w/]+)"?`).exec(each)?.[1] ?? '';
      const table = aliases.get(name) ?? name;
      return table.startsWith('shop/') ? [table] : [];
    });
  return { found: tablesIn('SEARCH'), scanned: tablesIn('SCAN'), plan: details.join('\n') };
}

async function ofPostgres(served: Served, sql: string): Promise<DatabasePlan> {
  // A table of few pages is read whole because that is cheaper; that an index would serve shows without it.
  const cheap = isLarge ? 'on' : 'off';
  const lines = (await served.kept.rows(`SET enable_seqscan = ${cheap}; EXPLAIN ${sql}`)).map((each) => String(each['QUERY PLAN']));
  const tablesIn = (pattern: RegExp): readonly string[] => lines.flatMap((each) => pattern.exec(each)?.slice(1, 2) ?? []);
  return {
    found: tablesIn(/(?:Index (?:Only )?Scan(?: Backward)? using .*|Bitmap Heap Scan) on "(shop\/\w+)"/),
    scanned: tablesIn(/Seq Scan on "(shop\/\w+)"/),
    plan: lines.join('\n'),
  };
}
