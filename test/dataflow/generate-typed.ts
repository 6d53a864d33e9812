// In charge of generated values for attributes of every type: literals, attributes of an instance `x`, and what is computed from them.

import fc, { type Arbitrary } from 'fast-check';

/** Each with a value that it takes. */
export const attributes = [
  ['s', 'String', '"abc"'],
  ['f', 'String @format("[a-z]+")', '"abc"'],
  ['n', 'Int', '5'],
  ['d', 'Decimal', '1.50'],
  ['g', 'BigInteger', '12'],
  ['r', 'Float', '2.5'],
  ['b', 'Boolean', 'true'],
  ['u', 'UUID', '"00000000-0000-7000-8000-000000000001"'],
  ['e', 'Email', '"a@example.com"'],
  ['y', 'Date', '"2025-01-31"'],
  ['t', 'Time', '"09:30:00"'],
  ['m', 'DateTime', '"2025-01-31T09:30:00Z"'],
  ['l', 'URL', '"https://example.com/"'],
  ['k', '@enum("tea", "coffee")', '"tea"'],
  ['c', 'Int @enum(1, 2)', '1'],
  ['ls', 'String[]', '["a", "b"]'],
  ['li', 'Int[]', '[1, 2]'],
  ['o', 'Map', '{"a": 1}'],
  ['p', 'Pack', '{"w": 1}'],
  ['a', 'Any', '"abc"'],
] as const;

const names = attributes.map(([name]) => name);

/** `Full` has them all, `Target` may have each, `Needs` needs some of them. */
export const declarations = [
  'module m',
  'record Pack { w Int, note String @optional }',
  `entity Full { id Int @id, ${attributes.map(([name, type]) => `${name} ${type}`).join(', ')} }`,
  `entity Target { id UUID @id @default(uuid()), ${attributes.map(([name, type]) => `${name} ${type} @optional`).join(', ')} }`,
  'entity Needs { id UUID @id @default(uuid()), s String, n Int, b Boolean @default(false), o Map @optional, z Int @expr(n * 2) }',
  `{Full {id 1, ${attributes.map(([name, , value]) => `${name} ${value}`).join(', ')}}, @upsert}`,
].join('\n');

export const attribute: Arbitrary<string> = fc.constantFrom(...names);

/** Also those that other attributes take. */
export const literal: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...attributes.filter(([name]) => !['ls', 'li', 'o', 'p'].includes(name)).map(([, , value]) => value)),
  fc.constantFrom(
    'null',
    'false',
    '0',
    '-1',
    '3',
    '1.5',
    '9223372036854775808',
    '1e3',
    '""',
    '"5"',
    '"x y"',
    '"TEA"',
    '"2025-02-30"',
    '"coffee"',
  ),
  fc.integer().map(String),
  fc.stringMatching(/^[a-z0-9@:./-]{0,12}$/).map((text) => JSON.stringify(text)),
);

const own: Arbitrary<string> = attribute.map((name) => `x.${name}`);
const operator = fc.constantFrom('+', '-', '*', '/', '==', '<', 'and', 'or');

export const value: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: literal },
  { weight: 4, arbitrary: own },
  { weight: 3, arbitrary: fc.tuple(own, operator, fc.oneof(own, literal)).map((parts) => parts.join(' ')) },
  fc.constantFrom('now()', 'uuid()', 'dateFns.today()', 'dateFns.addDays(x.y, 1)', 'dateFns.diffInDays(x.m, x.y)', 'dateFns.dayName(x.y)'),
  fc.constantFrom(
    'x',
    '{Full? {}}',
    '{Full {id? 1}}',
    'x.p.w',
    'not x.b',
    '-x.n',
    '{Pack {w 1}}',
    '{"w": 1}',
    '{"note": "x"}',
    '{"w": "x"}',
  ),
  fc.array(fc.oneof(literal, own), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
);
