// Customers, their orders and what stands in those, for filters along relationships and into values; and what each filter means, said once more in another way.

import fc from 'fast-check';
import type { Served } from '../support/app.ts';
import { askFor } from '../support/table.ts';

export const filterModel = `module shop
record Inner { code String }
record Address { city String, zip Int @optional, price Decimal @optional, rate Float @optional, at DateTime @optional, on Date @optional, ok Boolean @optional, inner Inner @optional }
entity Customer { id Int @id, name String @indexed, address Address @optional, extra Map @optional, tags String[] @optional, nums Int[] @optional, decs Decimal[] @optional, flags Boolean[] @optional }
entity Order { id Int @id, total Decimal, state String @enum("new", "paid") }
entity Item { id Int @id, sku String, n Int @optional }
entity Product { sku String @id, name String }
entity Node { id Int @id, label String }
relationship Ordered between(Customer, Order) @one_many
relationship OrderItem contains(Order, Item)
relationship Sold between(Order, Product) { price Int }
relationship Knows between(Customer @as from, Customer @as to)
relationship Sub contains(Node @as above, Node @as below)
`;

interface Item {
  readonly id: number;
  readonly sku: string;
  readonly n?: number;
}

interface Order {
  readonly id: number;
  readonly total: string;
  readonly state: string;
  readonly items: readonly Item[];
  readonly sold: readonly { readonly sku: string; readonly price: number }[];
}

interface Customer {
  readonly id: number;
  readonly name: string;
  readonly address?: Readonly<Record<string, unknown>>;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[];
  readonly nums?: readonly number[];
  readonly decs?: readonly string[];
  readonly flags?: readonly boolean[];
  readonly orders: readonly Order[];
  readonly knows: readonly number[];
}

export const products: Readonly<Record<string, string>> = { p1: 'Kelvin', p2: 'STRASSE', p3: 'ὈΔΥΣΣΕΎΣ', p4: '100%' };

export const customers: readonly Customer[] = [
  {
    id: 1,
    name: 'Ann',
    address: {
      city: 'Köln',
      zip: 50667,
      price: '1.50',
      rate: 0.1,
      at: '2024-01-01T00:00:00Z',
      on: '2024-01-01',
      ok: true,
      inner: { code: 'a' },
    },
    extra: { colour: 'red', size: 5, 'a.b': 'dotted', ok: true, none: null, list: [1, 2], rate: 0.1 },
    tags: ['x', 'Y'],
    nums: [1, 9_007_199_254_740_990],
    decs: ['1.50', '2'],
    flags: [true],
    orders: [
      {
        id: 1,
        total: '9.50',
        state: 'new',
        items: [
          { id: 1, sku: 'a', n: 1 },
          { id: 2, sku: 'b' },
        ],
        sold: [{ sku: 'p1', price: 5 }],
      },
      { id: 2, total: '100', state: 'paid', items: [], sold: [] },
    ],
    knows: [2, 3],
  },
  {
    id: 2,
    name: 'bob',
    address: { city: 'KÖLN', zip: 9, price: '1.5', at: '2024-01-01T01:00:00+01:00', ok: false },
    extra: { colour: 'Red', size: '5' },
    tags: [],
    orders: [
      {
        id: 3,
        total: '9.5',
        state: 'new',
        items: [{ id: 1, sku: 'b', n: 7 }],
        sold: [
          { sku: 'p2', price: 9 },
          { sku: 'p1', price: 1 },
        ],
      },
    ],
    knows: [1],
  },
  { id: 3, name: 'ANN', address: { city: 'straße', zip: -3, inner: { code: 'b' } }, extra: {}, nums: [2, 3], orders: [], knows: [] },
  {
    id: 4,
    name: 'Σίσυφος',
    tags: ['y', 'it\'s "x", (y)'],
    decs: ['-3'],
    flags: [false],
    orders: [{ id: 4, total: '-2', state: 'paid', items: [{ id: 5, sku: 'c', n: 0 }], sold: [{ sku: 'p3', price: 0 }] }],
    knows: [4],
  },
  {
    id: 5,
    name: 'Kim',
    address: { city: 'STRASSE' },
    extra: { size: 5.5, colour: 'blue' },
    orders: [{ id: 5, total: '0.001', state: 'new', items: [], sold: [{ sku: 'p4', price: 100 }] }],
    knows: [1, 2, 3],
  },
  { id: 6, name: 'a_b', extra: { colour: null }, nums: [], orders: [], knows: [5] },
];

/** Through the service. */
export async function fillShop(served: Served): Promise<void> {
  const post = async (target: string, body: unknown): Promise<void> => {
    const answer = await askFor(served, { ask: `POST /shop/${target}`, body, status: 201 });
    if (answer.status !== 201) throw new Error(`${target}: ${answer.text}`);
  };
  for (const [sku, name] of Object.entries(products)) await post('Product', { sku, name });
  for (const { orders, knows: _, ...customer } of customers) {
    await post('Customer', customer);
    for (const { items, sold, ...order } of orders) {
      await post('Order', { ...order, OrderItem: items });
      await post('Ordered', { Customer: customer.id, Order: order.id });
      for (const { sku, price } of sold) await post('Sold', { Order: order.id, Product: sku, price });
    }
  }
  for (const { id, knows } of customers) for (const to of knows) await post('Knows', { from: id, to });
}

/** A filter of customers, as it stands in a query and what it means. */
export interface Term {
  readonly text: string;
  /** The same as part of a query object. */
  readonly object: readonly unknown[];
  holds(customer: Customer): boolean;
}

type Operator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'like' | 'ilike';
const signs: Readonly<Record<Operator, string>> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  in: 'in',
  like: 'like',
  ilike: 'ilike',
};

interface Place {
  readonly name: string;
  readonly operators: readonly Operator[];
  readonly values: readonly string[];
  /** Of each related row one; nothing where it is absent. */
  read(customer: Customer): readonly unknown[];
  /** What sorts and is equal as the values do. */
  key(value: unknown): number | string;
}

const text = (value: unknown): string => String(value);
const inTexts: readonly Operator[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'ilike'];
const inNumbers: readonly Operator[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in'];
const untyped: readonly Operator[] = ['eq', 'ne', 'in', 'like', 'ilike'];
const ordersOf = (customer: Customer): readonly Order[] => customer.orders;
const patterns = ['%n%', 'a%', 'A_B', '%\\_%', 'straSSe', 'KÖLN', 'köln', 'ΣΊΣΥΦΟΣ', 'σίσυφος', 'KELVIN', '%σ%', '%'];
const member = (key: string): Place => ({
  name: `extra.${key}`,
  operators: untyped,
  values: ['red', 'Red', 'RED', '5', '5.5', '0.1', 'true', 'dotted', '[1,2]', ...patterns],
  read: ({ extra }) => [extra?.[key] ?? undefined],
  key: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
});
const field = (name: string, operators: readonly Operator[], values: readonly string[], key: Place['key']): Place => ({
  name: `address.${name}`,
  operators,
  values,
  read: ({ address }) => [name.split('.').reduce((at: unknown, part) => propertyOf(at, part), address)],
  key,
});
const moment = (value: unknown): number => Date.parse(text(value));

const places: readonly Place[] = [
  { name: 'name', operators: inTexts, values: ['Ann', 'bob', 'B', ...patterns], read: ({ name }) => [name], key: text },
  { name: 'id', operators: inNumbers, values: ['1', '3', '6', '0'], read: ({ id }) => [id], key: Number },
  field('city', inTexts, ['Köln', 'M', 'STRASSE', ...patterns], text),
  field('zip', inNumbers, ['9', '50667', '-3', '0', '100'], Number),
  field('price', inNumbers, ['1.5', '1.500', '0', '2'], Number),
  field('rate', inNumbers, ['0.1', '0.5'], Number),
  field('at', inNumbers, ['2024-01-01T00:00:00Z', '2024-01-01T02:00:00%2B02:00', '2023-01-01T00:00:00Z'], moment),
  field('on', inNumbers, ['2024-01-01', '2025-01-01'], text),
  field('ok', ['eq', 'ne'], ['true', 'false'], text),
  field('inner.code', inTexts, ['a', 'b', 'A%'], text),
  ...['colour', 'size', 'a.b', 'ok', 'none', 'list', 'rate', 'missing', "it's"].map(member),
  {
    name: 'Ordered.Order.total',
    operators: inNumbers,
    values: ['9.5', '9.50', '0', '100', '-2'],
    read: (each) => ordersOf(each).map(({ total }) => total),
    key: Number,
  },
  {
    name: 'Ordered.Order.state',
    operators: ['eq', 'ne', 'in'],
    values: ['new', 'paid'],
    read: (each) => ordersOf(each).map(({ state }) => state),
    key: text,
  },
  {
    name: 'Ordered.Order.OrderItem.Item.sku',
    operators: inTexts,
    values: ['a', 'b', 'z', 'B', '_'],
    read: (each) => ordersOf(each).flatMap(({ items }) => items.map(({ sku }) => sku)),
    key: text,
  },
  {
    name: 'Ordered.Order.OrderItem.Item.n',
    operators: inNumbers,
    values: ['0', '1', '7'],
    read: (each) => ordersOf(each).flatMap(({ items }) => items.map(({ n }) => n)),
    key: Number,
  },
  {
    name: 'Ordered.Order.Sold.Product.name',
    operators: inTexts,
    values: ['Kelvin', 'STRASSE', '100\\%', ...patterns],
    read: (each) => ordersOf(each).flatMap(({ sold }) => sold.map(({ sku }) => products[sku])),
    key: text,
  },
  {
    name: 'Ordered.Order.Sold.price',
    operators: inNumbers,
    values: ['0', '5', '9', '100'],
    read: (each) => ordersOf(each).flatMap(({ sold }) => sold.map(({ price }) => price)),
    key: Number,
  },
  {
    name: 'Knows.to.name',
    operators: inTexts,
    values: ['Ann', 'ANN', 'bob', ...patterns],
    read: ({ knows }) => knows.map(nameOf),
    key: text,
  },
  {
    name: 'Knows.from.id',
    operators: inNumbers,
    values: ['1', '5', '6'],
    read: ({ id }) => customers.filter(({ knows }) => knows.includes(id)).map((each) => each.id),
    key: Number,
  },
  {
    name: 'Knows.to.Ordered.Order.Sold.price',
    operators: inNumbers,
    values: ['1', '5', '9'],
    read: ({ knows }) =>
      knows.flatMap((id) =>
        customers.filter((each) => each.id === id).flatMap((each) => each.orders.flatMap(({ sold }) => sold.map(({ price }) => price))),
      ),
    key: Number,
  },
];

/** A value that holds a comma, a quote or a bracket stands in quotes, with `inGroup`. */
export const terms: fc.Arbitrary<Term> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...places).chain(compared) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...places), fc.boolean()).map(([place, isNull]) => absent(place, isNull)) },
  { weight: 1, arbitrary: fc.constantFrom(...lists()) },
);

function compared(place: Place): fc.Arbitrary<Term> {
  return fc
    .tuple(fc.constantFrom(...place.operators), fc.array(fc.constantFrom(...place.values), { minLength: 1, maxLength: 3 }))
    .map(([operator, values]) => {
      const used = operator === 'in' ? values : values.slice(0, 1);
      const sent = used.map((value) => (operator === 'in' ? `"${value.replace(/["\\]/g, '\\$&')}"` : value));
      return {
        text: `${place.name}[${operator}]=${sent.join(',')}`,
        object: [signs[operator], place.name, operator === 'in' ? used.map((value) => typed(place, value)) : typed(place, used[0] ?? '')],
        holds: (customer) =>
          place
            .read(customer)
            .some((stored) => used.some((value) => fits(place, operator, stored, decodeURIComponent(value.replace(/%(?!2B)/g, '%25'))))),
      };
    });
}

/** In a query object numbers are numbers, and truth values are such. */
function typed({ key }: Place, value: string): unknown {
  const plain = value.replace('%2B', '+');
  if (key === Number) return value.includes('.') || value === '' ? value : Number(value);
  return value === 'true' || value === 'false' ? value === 'true' : plain;
}

function fits({ key }: Place, operator: Operator, stored: unknown, value: string): boolean {
  if (stored === undefined || stored === null) return operator === 'ne';
  const [one, other] = [key(stored), key(value)];
  switch (operator) {
    case 'eq':
    case 'in':
      return one === other;
    case 'ne':
      return one !== other;
    case 'like':
      return pattern(value, 'us').test(String(one));
    case 'ilike':
      return pattern(value, 'ius').test(String(one));
    default: {
      const order = typeof one === 'number' ? one - Number(other) : Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
      return { lt: order < 0, lte: order <= 0, gt: order > 0, gte: order >= 0 }[operator];
    }
  }
}

function pattern(like: string, flags: string): RegExp {
  const parts = [...like.matchAll(/\\(.)|(.)/gsu)].map(([, escaped, plain]) =>
    escaped !== undefined ? quoted(escaped) : plain === '%' ? '.*' : plain === '_' ? '.' : quoted(plain ?? ''),
  );
  return new RegExp(`^${parts.join('')}$`, flags);
}

function quoted(character: string): string {
  return character.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

function absent(place: Place, isNull: boolean): Term {
  return {
    text: `${place.name}[null]=${isNull}`,
    object: [isNull ? '=' : '<>', place.name, null],
    holds: (customer) => place.read(customer).some((stored) => (stored === undefined || stored === null) === isNull),
  };
}

function lists(): readonly Term[] {
  const has = (name: 'tags' | 'nums' | 'decs' | 'flags', value: string, given: unknown, holds: Term['holds']): Term => ({
    text: `${name}[has]=${value}`,
    object: ['has', name, given],
    holds,
  });
  return [
    ...['x', 'X', 'y', 'z'].map((value) => has('tags', value, value, ({ tags = [] }) => tags.includes(value))),
    ...[1, 2, 3, 7].map((value) => has('nums', String(value), value, ({ nums = [] }) => nums.includes(value))),
    ...['1.5', '2.00', '-3', '9'].map((value) =>
      has('decs', value, value, ({ decs = [] }) => decs.some((each) => Number(each) === Number(value))),
    ),
    ...[true, false].map((value) => has('flags', String(value), value, ({ flags = [] }) => flags.includes(value))),
  ];
}

function nameOf(id: number): string | undefined {
  return customers.find((each) => each.id === id)?.name;
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;
}
