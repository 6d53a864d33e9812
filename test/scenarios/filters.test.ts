// Filters along relationships, into records, maps and lists, without regard to case, and one of several: on both surfaces, and against an oracle.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, serve } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { check, type Step } from '../support/table.ts';
import { customers, fillShop, filterModel, type Term, terms } from './filter-rows.ts';

const runs = counted({ long: 10_000, short: 100 });

/** Which customers a query gives. */
const queries: readonly (readonly [query: string, ids: readonly number[]])[] = [
  ['@or=(name=Ann,name=bob)', [1, 2]],
  ['@or=(name=Ann,name=bob)&id[gt]=1', [2]],
  ['@or=(name=Ann,name=bob,id=5)&@or=(id=5,id=2)', [2, 5]],
  ['@or=(name[in]="Ann,bob",id[gte]=6)', [1, 2, 6]],
  ['@or=(id[between]="2,3",id=6)', [2, 3, 6]],
  ['@or=(tags[has]="it%27s \\"x\\", (y)",id=1)', [1, 4]],
  ['@or=(name=%2528,id=1)', [1]],
  ['name[ilike]=ann', [1, 3]],
  ['name[ilike]=%25n', [1, 3]],
  ['address.city[ilike]=k%C3%B6ln', [1, 2]],
  ['address.city[ilike]=STRASSE', [5]],
  ['address.city[ilike]=STRA%E1%BA%9EE', [3]],
  ['address.zip=50667', [1]],
  ['address.price=1.5', [1, 2]],
  ['address.at=2024-01-01T00:00:00Z', [1, 2]],
  ['address.ok=false', [2]],
  ['address.inner.code=b', [3]],
  ['address.zip[null]=true', [4, 5, 6]],
  ['address.inner[null]=false', [1, 3]],
  ['address.inner[null]=true', [2, 4, 5, 6]],
  ['extra.colour=red', [1]],
  ['extra.size=5', [1, 2]],
  ['extra.a.b=dotted', [1]],
  ['extra.colour[null]=false', [1, 2, 5]],
  ['tags[has]=x', [1]],
  ['decs[has]=1.5', [1]],
  ['nums[has]=9007199254740990', [1]],
  ['Ordered.Order.state=paid', [1, 4]],
  ['Ordered.Order.total[gt]=9.5', [1]],
  ['Ordered.Order.OrderItem.Item.sku=b', [1, 2]],
  ['Ordered.Order.Sold.price[gte]=9', [2, 5]],
  ['Ordered.Order.Sold.Product.name[ilike]=kelvin', [1, 2]],
  ['Knows.to.name=bob', [1, 5]],
  ['Knows.from.name=bob', [1]],
  ['Knows.to.Knows.to.id=3', [2, 5, 6]],
  ['Knows.Customer.id=5', [6]],
  ['Ordered.Order.state=new&Ordered.Order.total[gt]=50', [1]],
];

const refused: readonly (readonly [query: string, fault: string])[] = [
  ['Bought.Order.total=1', 'Bought.Order.total unknown'],
  ['Ordered.Item.sku=a', 'Ordered.Item.sku unknown'],
  ['Ordered.Order.colour=a', 'Ordered.Order.colour unknown'],
  ['Ordered.Order=1', 'Ordered.Order unknown'],
  ['address.street=a', 'address.street unknown'],
  ['address=a', 'address operator'],
  ['name.first=a', 'name.first unknown'],
  ['tags.x=a', 'tags.x unknown'],
  ['Knows.to.Knows.to.Knows.to.Knows.to.id=1', 'Knows.to.Knows.to.Knows.to.Knows.to.id limit'],
  ['Ordered.Order.total=much', 'Ordered.Order.total type'],
  ['address.zip=x', 'address.zip type'],
  ['extra.size[gt]=3', 'extra.size operator'],
  ['extra.a%00=3', 'extra.a\0 unknown'],
  ['extra.size[ne]=%00', 'extra.size type'],
  ['name[has]=a', 'name operator'],
  ['nums[has]=x', 'nums type'],
  ['address.zip[ilike]=1', 'address.zip operator'],
  ['@or=name=Ann', '@or value'],
  ['@or=()', '@or value'],
  ['@or=(name)', '@or value'],
  ['@or=(@or=(a=1))', '@or value'],
  ['@or=(colour=1,id=x)', 'colour unknown'],
  [`@or=(${Array.from({ length: 21 }, () => 'id=1').join(',')})`, '@or limit'],
];

test('filters go along relationships, into records, maps and lists, and are joined by or, on both surfaces', async () => {
  const served = await serve(filterModel, { surfaces: ['current', 'earlier'] });
  await fillShop(served);
  for (const [query, ids] of queries) {
    expect([query, idsOf(await served.ask({ method: 'GET', target: `/shop/Customer?${encoded(query)}&@count=true` }))]).toEqual([
      query,
      ids,
    ]);
    const earlier = await served.ask({ method: 'GET', target: `/api/shop/Customer?${encoded(query)}` });
    expect([query, idsOf(earlier)]).toEqual([query, ids]);
  }
  const steps = refused.map(([query, fault]): Step => {
    const faults = query.startsWith('@or=(colour') ? [fault, 'id type'] : [fault];
    return { ask: `GET /shop/Customer?${encoded(query)}`, status: 422, code: 'query-invalid', faults };
  });
  await check(served, steps);
  for (const [operator, ids] of [
    ['=', [2, 4, 5, 6]],
    ['<>', [1, 3]],
  ] as const) {
    const where = [operator, 'address.inner', null];
    const has = ids.map((id) => ({ id }));
    await check(served, [{ ask: 'POST /q', body: { Query: { from: 'shop/Customer', where } }, status: 200, has }]);
  }
});

test('filters go up to parents, and from both sides of a type that contains itself', async () => {
  const served = await serve(filterModel);
  await fillShop(served);
  await check(served, [
    { ask: 'GET /shop/Item?OrderItem.Order.state=new&@select=sku', status: 200, has: [{ sku: 'a' }, { sku: 'b' }, { sku: 'b' }] },
    { ask: 'GET /shop/Item?OrderItem.Order.Ordered.Customer.name=bob&@select=sku', status: 200, has: [{ sku: 'b' }] },
    { ask: 'GET /shop/Order/1/OrderItem/Item?OrderItem.Order.state=paid', status: 200, is: [] },
    { ask: 'GET /shop/Item?__path__[gt]=%00', status: 422, code: 'query-invalid', faults: ['__path__ type'] },
    { ask: 'POST /shop/Node', body: { id: 1, label: 'top', Sub: [{ id: 2, label: 'mid', Sub: [{ id: 3, label: 'low' }] }] }, status: 201 },
    { ask: 'GET /shop/Node?Sub.below.label=low&@select=label', status: 200, has: [{ label: 'mid' }] },
    { ask: 'GET /shop/Node?Sub.Node.Sub.Node.label=low&@select=label', status: 200, has: [{ label: 'top' }] },
    { ask: 'GET /shop/Node?above.Node.label=top&@select=label', status: 200, has: [{ label: 'mid' }] },
    { ask: 'GET /shop/Node?Sub.above.label=top&@select=label', status: 200, has: [{ label: 'mid' }] },
    { ask: 'GET /shop/Node?Sub.above.Sub.above.label=top&@select=label', status: 200, has: [{ label: 'low' }] },
    {
      ask: 'GET /shop/Node?@sort=-Sub.above.label&@select=label',
      status: 200,
      has: [{ label: 'mid' }, { label: 'low' }, { label: 'top' }],
    },
  ]);
});

test(`${runs} random filters give the same as an oracle, as a query and as a query object`, async () => {
  const served = await serve(filterModel, { surfaces: ['current', 'earlier'] });
  await fillShop(served);
  const groups = fc.array(fc.array(terms, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(groups, async (all) => {
      const expected = customers.filter((each) => all.every((group) => group.some((term) => term.holds(each)))).map(({ id }) => id);
      const singles = new Set<string>();
      const query = all.map((group) => groupText(group, singles)).join('&');
      const answer = await served.ask({ method: 'GET', target: `/shop/Customer?${encoded(query)}` });
      expect([query, idsOf(answer)]).toEqual([query, expected]);
      const where = ['and', ...all.map((group) => ['or', ...group.map((term) => term.object)])];
      const body = JSON.stringify({ Query: { from: 'shop/Customer', where } });
      const queried = await served.ask({ method: 'POST', target: '/q', headers: { 'content-type': 'application/json' }, text: body });
      expect([body, idsOf(queried)]).toEqual([body, expected]);
    }),
    { numRuns: runs },
  );
}, 900_000);

/** A filter that stands alone goes without brackets, unless it stands there already. */
function groupText(group: readonly Term[], singles: Set<string>): string {
  const [first] = group;
  const name = first?.text.slice(0, first.text.indexOf('=')) ?? '';
  if (group.length === 1 && first !== undefined && !singles.has(name)) {
    singles.add(name);
    return first.text;
  }
  return `@or=(${group.map((term) => inGroup(term.text)).join(',')})`;
}

function inGroup(text: string): string {
  const at = text.indexOf('=');
  return `${text.slice(0, at)}="${text.slice(at + 1).replace(/["\\]/g, '\\$&')}"`;
}

function encoded(query: string): string {
  return query
    .replace(/%(?![0-9a-fA-F]{2})/g, '%25')
    .replace(/[^\x21-\x7e]/gu, encodeURIComponent)
    .replaceAll('"', '%22')
    .replaceAll('\\', '%5C');
}

function idsOf(answer: Answer): unknown {
  const { body } = answer;
  return Array.isArray(body) ? body.map((each) => each.id) : answer.text;
}
