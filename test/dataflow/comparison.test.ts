// A comparison means the same in a query pattern, in @where, in `if` and in a filter of REST: for every type, operator and value, as an oracle has it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';

const types = ['String', 'Int', 'Float', 'Decimal', 'Boolean', 'UUID', 'Date', 'Time', 'DateTime'] as const;
type Type = (typeof types)[number];

const operators = { eq: '==', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;
type Operator = keyof typeof operators;
const names = Object.keys(operators).filter((each): each is Operator => each in operators);

type Sent = string | number | boolean;

const uuid = '0190d5a2-1234-7abc-8def-0123456789ab';
const stored: Readonly<Record<Type, readonly Sent[]>> = {
  String: ['a', 'B', '1.0', '12:30', '2024-01-01', ''],
  Int: [-3, 0, 1, 2],
  Float: [-0.5, 0, 1, 1.5],
  Decimal: ['-0.50', '0', '1.00', '1.5'],
  Boolean: [true, false],
  UUID: [uuid, uuid.replace('0190', '0191')],
  Date: ['2024-01-01', '2023-12-31'],
  Time: ['12:30:00', '12:30:00.500', '00:00'],
  DateTime: ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.5Z', '2024-01-01T00:00:00.000', '2023-12-31T23:59:10Z'],
};
const others: readonly Sent[] = [
  ...['', 'a', 'b', '1.0', '1', '1.50', '-0.5', '1e0', ' 1', '0x1', 'true', '12:30', '12:30:00.5', '25:00', '2024-01-01', '2024-02-30'],
  ...['2024-01-01T02:00:00+02:00', '2024-01-01T00:00', '2024-01-01T00:00:00.50', uuid.toUpperCase(), uuid.replaceAll('-', '')],
  ...[-3, 0, 1, 1.5, -0.5, true, false],
];

/** What sorts as the values do; nothing where a value is none of the type. Numbers here have few digits. */
function keyOf(type: Type, value: Sent): string | bigint | undefined {
  switch (type) {
    case 'String':
      return typeof value === 'string' ? value : undefined;
    case 'Boolean':
      return typeof value === 'boolean' ? BigInt(value) : undefined;
    case 'UUID':
      return typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) ? value.toLowerCase() : undefined;
    case 'Date':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? milliseconds(`${value}T00:00:00Z`, value) : undefined;
    case 'Time':
      return typeof value === 'string' && /^\d\d:\d\d/.test(value) ? milliseconds(`2000-01-01T${value}Z`, '2000-01-01') : undefined;
    case 'DateTime':
      if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)) return undefined;
      return milliseconds(/(Z|[+-]\d\d:\d\d)$/.test(value) ? value : `${value}Z`);
    default:
      if (typeof value === 'boolean' || !/^-?\d+(\.\d+)?(e\d+)?$/.test(String(value))) return undefined;
      return BigInt(Math.round(Number(value) * 1000));
  }
}

/** A day that the calendar does not have comes out as another one. */
function milliseconds(text: string, day?: string): bigint | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) || (day !== undefined && !new Date(time).toISOString().startsWith(day)) ? undefined : BigInt(time);
}

function expected(type: Type, own: Sent | null, operator: Operator, value: Sent | null): boolean {
  if (own === null || value === null) return operator === 'eq' ? own === value : operator === 'ne' && own !== value;
  const [a, b] = [keyOf(type, own), keyOf(type, value)];
  if (a === undefined || b === undefined) return operator === 'ne';
  const order = a < b ? -1 : a > b ? 1 : 0;
  return { eq: order === 0, ne: order !== 0, lt: order < 0, lte: order <= 0, gt: order > 0, gte: order >= 0 }[operator];
}

const attributes = types.map((type) => `a${type} ${type} @optional`).join(', ');
const workflows = types.flatMap((type) =>
  names.map((name) => {
    const [at, sign] = [`a${type}`, operators[name]];
    const [event, own] = [`v${type}${name}`, `E.${at}`];
    const asked = sign === '==' ? '?' : `?${sign}`;
    return `event ${event} { v Any @optional }
workflow ${event} {
  {E {${at}${asked} ${event}.v}} @as p
  {E? {}, @where(${own} ${sign} ${event}.v)} @as w
  {E? {}} @as all
  for e in all { if (e.${at} ${sign} ${event}.v) { {Hit {id e.id}} } }
  {Hit? {}} @as h
  delete {Hit? {}}
  {"pattern": p, "where": w, "if": h}
}`;
  }),
);

const rounds = process.env['PLATFORM_TEST_LONG'] === '1' ? 10_000 : 150;

/** Half of the values are of the type. */
const asked = fc
  .constantFrom(...types)
  .chain((type) =>
    fc.tuple(
      fc.constant(type),
      fc.constantFrom(...names),
      fc.oneof(fc.constantFrom<Sent | null>(...stored[type]), fc.constantFrom<Sent | null>(...others, null)),
    ),
  );

test('every pair of a type and a value compares alike in a pattern, @where, `if` and a filter', async () => {
  const served = await serve(`module m\nentity E { id Int @id, ${attributes} }\nentity Hit { id Int @id }\n${workflows.join('\n')}`);
  const rows: (readonly [type: Type, id: number, value: Sent | null])[] = [];
  for (const type of types)
    for (const value of [...stored[type], null]) {
      rows.push([type, rows.length + 1, value]);
      const made = await served.post('/m/E', { id: rows.length, ...(value === null ? {} : { [`a${type}`]: value }) });
      expect(made.status, made.text).toBe(201);
    }
  const idsOf = (text: string): readonly number[] => [...text.matchAll(/"id":(\d+)/g)].map((each) => Number(each[1])).sort((a, b) => a - b);
  await fc.assert(
    fc.asyncProperty(asked, async ([type, name, v]) => {
      const wanted = rows.flatMap(([of, id, value]) => (expected(type, of === type ? value : null, name, v) ? [id] : []));
      const answer = await served.post(`/m/v${type}${name}`, { v });
      expect(answer.status, answer.text).toBe(200);
      const parts = answer.text.split(/"(?:pattern|where|if)":/).slice(1);
      expect(parts.map(idsOf), `${type} ${name} ${JSON.stringify(v)}`).toEqual([wanted, wanted, wanted]);
      // All that stands in a query string is a text, also a truth value.
      if (v === null || typeof v !== (type === 'Boolean' ? 'boolean' : 'string')) return;
      const filtered = await served.get(`/m/E?a${type}[${name}]=${encodeURIComponent(String(v))}`);
      // A filter that is badly typed is refused.
      if (filtered.status === 200) expect(idsOf(filtered.text), `${type}[${name}]=${v}`).toEqual(wanted);
      else expect([filtered.status, keyOf(type, v) === undefined || type === 'Int' || type === 'Boolean']).toEqual([422, true]);
    }),
    { numRuns: rounds },
  );
}, 600_000);
