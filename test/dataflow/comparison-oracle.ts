// What comparisons mean: types, values of each, and an oracle that knows nothing of the code that is tested.

export const types = ['String', 'Int', 'Float', 'Decimal', 'Boolean', 'UUID', 'Date', 'Time', 'DateTime'] as const;
export type Type = (typeof types)[number];

export const operators = { eq: '==', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;
export type Operator = keyof typeof operators;
export const names = Object.keys(operators).filter((each): each is Operator => each in operators);

export type Sent = string | number | boolean;

const uuid = '0190d5a2-1234-7abc-8def-0123456789ab';
export const stored: Readonly<Record<Type, readonly Sent[]>> = {
  String: ['a', 'B', '1.0', '12:30', '2024-01-01', '', uuid.toUpperCase(), '2024-01-01T01:00+01:00'],
  Int: [-3, 0, 1, 2],
  Float: [-0.5, 0, 1, 1.5],
  Decimal: ['-0.50', '0', '1.00', '1.5'],
  Boolean: [true, false],
  UUID: [uuid, uuid.replace('0190', '0191')],
  Date: ['2024-01-01', '2023-12-31', '9999-12-31'],
  Time: ['12:30:00', '12:30:00.500', '00:00'],
  DateTime: ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.5Z', '2024-01-01T00:00:00.000', '2023-12-31T23:59:10Z'],
};
export const others: readonly Sent[] = [
  ...['', 'a', 'b', '1.0', '1', '1.50', '-0.5', '1e0', ' 1', '0x1', 'true', '12:30', '12:30:00.5', '25:00', '2024-01-01', '2024-02-30'],
  ...[
    '2024-01-01T02:00:00+02:00',
    '2024-01-01T00:00',
    '2023-12-31T12:00-13:00',
    '9999-12-31T12:00',
    '2024-01-01T00:00:00.50',
    uuid.toUpperCase(),
    uuid.replaceAll('-', ''),
  ],
  ...[-3, 0, 1, 1.5, -0.5, true, false],
];

/** What sorts as the values do; nothing where a value is none of the type. Numbers here have few digits. */
export function keyOf(type: Type, value: Sent): string | bigint | undefined {
  switch (type) {
    case 'String':
      return typeof value === 'string' ? value : undefined;
    case 'Boolean':
      return typeof value === 'boolean' ? BigInt(value) : undefined;
    case 'UUID':
      return typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) ? value.toLowerCase() : undefined;
    case 'Time':
      return typeof value === 'string' && /^\d\d:\d\d/.test(value) ? milliseconds(`2000-01-01T${value}Z`, '2000-01-01') : undefined;
    case 'Date':
    case 'DateTime':
      // A date is its midnight.
      if (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)) return milliseconds(`${value}T00:00:00Z`, value);
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

export function expected(type: Type, own: Sent | null, operator: Operator, value: Sent | null): boolean {
  if (own === null || value === null) return operator === 'eq' ? own === value : operator === 'ne' && own !== value;
  const [a, b] = [keyOf(type, own), keyOf(type, value)];
  if (a === undefined || b === undefined) return operator === 'ne';
  const order = a < b ? -1 : a > b ? 1 : 0;
  return { eq: order === 0, ne: order !== 0, lt: order < 0, lte: order <= 0, gt: order > 0, gte: order >= 0 }[operator];
}

const numbers: readonly Type[] = ['Int', 'Float', 'Decimal'];

/** What values of two declared types are compared as: a text as the other one, a date as a moment; nothing where they are never equal. */
export function commonType(one: Type, other: Type): Type | undefined {
  if (one === other) return one;
  if (numbers.includes(one) && numbers.includes(other)) return 'Decimal';
  if ([one, other].every((each) => each === 'Date' || each === 'DateTime')) return 'DateTime';
  if (one === 'String') return other;
  return other === 'String' ? one : undefined;
}

/** The identifiers in an answer, sorted. */
export function idsIn(text: string): readonly number[] {
  return [...text.matchAll(/"id":(\d+)/g)].map((each) => Number(each[1])).sort((a, b) => a - b);
}
