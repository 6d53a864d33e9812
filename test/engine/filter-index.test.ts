// A filter along a relationship finds its rows by indexes, and reads no table whole.

import { expect, test } from 'vitest';
import { listQuery } from '../../src/http/rest/query/query.ts';
import { compile } from '../../src/plan/compile.ts';
import { filterCondition } from '../../src/plan/query/filter.ts';
import { allRows, outputOf, plainView, wholeSelection } from '../../src/plan/query/selection.ts';
import { compileShape } from '../../src/store/sql/statements.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import { modelOf, serve } from '../support/app.ts';

const model = `module shop
entity Customer { id Int @id, name String @indexed, mail Email @unique }
entity Order { id Int @id, state String }
entity Item { id Int @id, sku String @indexed }
relationship Ordered between(Customer, Order) @one_many
relationship OrderItem contains(Order, Item)
`;

const queries: readonly (readonly [type: string, query: string])[] = [
  ['Order', 'Ordered.Customer.name=ann'],
  ['Order', 'Ordered.Customer.mail[in]=a@b.org,c@d.org'],
  ['Order', 'OrderItem.Item.sku=a'],
  ['Item', 'OrderItem.Order.id=3'],
  ['Item', 'OrderItem.Order.Ordered.Customer.name=ann'],
  ['Customer', 'Ordered.Order.OrderItem.Item.sku=a&Ordered.Order.state=new'],
];

for (const [type, query] of queries) {
  test(`${type}?${query}`, async () => {
    const plan = compile(modelOf(model)).entities.get(`shop/${type}`);
    if (plan === undefined) throw new Error(`no ${type}`);
    const { filter, order } = listQuery(plan, query, { page: undefined }, plainView);
    const { condition } = filterCondition(filter, plan, allRows);
    const output = outputOf(plan, wholeSelection(plainView), allRows);
    const shape = { kind: 'select', table: plan.table, output, where: condition, order, limit: true, offset: false } as const;
    const served = await serve(model, { store: 'sqlite' });
    const steps = await served.kept.rows(`EXPLAIN QUERY PLAN ${compileShape(shape, sqliteDialect).sql}`);
    const details = steps.map((each) => String(each['detail']));
    expect(details.filter((each) => /^SCAN "?(shop|r\d)/.test(each))).toEqual([]);
    expect(details.some((each) => each.startsWith('SEARCH'))).toBe(true);
  });
}
