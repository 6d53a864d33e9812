// Generated applications and requests for them: every attribute type, every kind of identifier, values at the edges of the types.

import fc, { type Arbitrary } from 'fast-check';

export interface Application {
  readonly model: string;
  readonly requests: readonly Request[];
}

export interface Request {
  readonly method: string;
  readonly target: string;
  readonly text?: string;
}

/** Texts of JSON values, so that numbers arrive as they are written. */
const values: Readonly<Record<string, readonly string[]>> = {
  Int: ['0', '1', '-1', '7', '9007199254740993', '9223372036854775807', '-9223372036854775808', '2147483648'],
  String: ['""', '"a"', '"A"', '"b"', '"é"', '"\\uffee"', '"😀"', '"a_b%"', '"\\"\\\\"', '"\\u0001\\n"', '" "', '"it\'s"', '"$1"'],
  UUID: ['"0190d5a2-1234-7abc-8def-0123456789ab"', '"ffffffff-ffff-ffff-ffff-ffffffffffff"', '"00000000-0000-0000-0000-000000000000"'],
  Float: [
    '0',
    '0.1',
    '-1.5',
    '1e21',
    '1e20',
    '123456789012345680000',
    '1e15',
    '1e-7',
    '0.000001',
    '0.00001234',
    '5e-324',
    '1.7976931348623157e308',
    '3',
  ],
  Decimal: ['"0"', '"1.5"', '"1.50"', '"-0.001"', '"100000000000000000000000000000.000001"', '9.5', '"-2"'],
  Boolean: ['true', 'false'],
  Date: ['"0001-01-01"', '"2024-02-29"', '"9999-12-31"', '"1999-12-31"'],
  Time: ['"00:00:00"', '"09:30"', '"09:30:00.500"', '"23:59:59.999999999"'],
  DateTime: [
    '"2024-01-01T00:00:00Z"',
    '"2024-01-01T00:00:00"',
    '"2024-01-01T00:00:00.5Z"',
    '"2024-01-01T00:00:00.123456789Z"',
    '"2024-01-01T02:00:00+02:00"',
    '"0001-01-02T00:00:00Z"',
  ],
  Email: ['"a@b.org"', '"A@b.org"', '"z@b.org"'],
  URL: ['"https://example.com/a?b=c"', '"http://b.org"'],
  Map: ['{}', '{"b":1,"a":[1.0,2,"x"]}', '{"":null,"é":"\\u2028"}', '{"n":9007199254740993}'],
  Any: ['1', '"text"', '[]', '[1,[2,{"z":0,"a":1}]]', 'false', '{"k":1e2}', '0.10'],
  'String[]': ['[]', '["a","b"]', '[""]'],
  '@enum("x", "y z")': ['"x"', '"y z"'],
};
const wrong = ['"wrong"', '1.5', 'true', '{}', '[]', 'null', '"2024-13-01"', '123456789012345678901234567890'];

/** Not `DateTime`: with a zone and without one it is another identifier and has the same place in the order. */
const identifying = ['Int', 'String', 'UUID', 'Date', 'Time', 'Email'];
const suffixes = ['', '@optional', '@optional', '@optional @indexed', '@unique', '@optional @unique'];

interface Attribute {
  readonly name: string;
  readonly type: string;
  readonly suffix: string;
}

interface Type {
  readonly name: string;
  readonly id: string;
  readonly attributes: readonly Attribute[];
}

function typeNamed(name: string, most: number): Arbitrary<Type> {
  const attribute = fc.tuple(fc.constantFrom(...Object.keys(values)), fc.constantFrom(...suffixes));
  return fc.record({
    name: fc.constant(name),
    id: fc.constantFrom(...identifying),
    attributes: fc
      .array(attribute, { minLength: 1, maxLength: most })
      .map((all) => all.map(([type, suffix], index): Attribute => ({ name: `a${index}`, type, suffix: fittingSuffix(type, suffix) }))),
  });
}

/** What holds many values is not unique. */
function fittingSuffix(type: string, suffix: string): string {
  return ['Map', 'Any', 'String[]', 'Boolean'].includes(type) ? '@optional' : suffix;
}

function typeText({ name, id, attributes }: Type): string {
  return `entity ${name} { id ${id} @id, ${attributes.map((each) => `${each.name} ${each.type} ${each.suffix}`).join(', ')} }`;
}

function bodyOf(type: Type, part: 'whole' | 'some'): Arbitrary<string> {
  const given = (of: string): Arbitrary<string> =>
    fc.oneof({ weight: 14, arbitrary: fc.constantFrom(...(values[of] ?? [])) }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });
  const members = type.attributes.map(({ name, type: of, suffix }) => {
    const isNeeded = part === 'whole' && !suffix.includes('@optional');
    const member = given(of).map((value) => `"${name}":${value}`);
    return isNeeded ? member : fc.option(member, { nil: undefined });
  });
  const id = part === 'whole' ? [given(type.id).map((value) => `"id":${value}`)] : [];
  return fc.tuple(...id, ...members).map((all) => `{${all.filter((each) => each !== undefined).join(',')}}`);
}

function idOf(type: Type): Arbitrary<string> {
  return fc.constantFrom(...(values[type.id] ?? [])).map((text) => segmentOf(JSON.parse(text.replace(/^-?\d{17,}$/, '"$&"'))));
}

function segmentOf(value: unknown): string {
  return encodeURIComponent(String(value));
}

const operators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'between', 'null', 'like'];

function queryOf(type: Type): Arbitrary<string> {
  const columns = [...type.attributes, { name: 'id', type: type.id, suffix: '' }];
  const filter = fc.constantFrom(...columns).chain(({ name, type: of }) =>
    fc
      .tuple(fc.constantFrom(...operators), fc.array(fc.constantFrom(...(values[of] ?? [])), { minLength: 2, maxLength: 2 }))
      .map(([operator, given]) => {
        const texts = given.map((each) => (each.startsWith('"') ? String(JSON.parse(each)) : each)).filter((each) => !each.includes(','));
        if (operator === 'null') return `${name}[null]=${texts.length % 2 === 0}`;
        const count = operator === 'in' || operator === 'between' ? 2 : 1;
        return `${name}[${operator}]=${texts.slice(0, count).map(encodeURIComponent).join(',')}`;
      }),
  );
  const sort = fc.array(fc.tuple(fc.constantFrom('', '-'), fc.constantFrom(...columns)), { minLength: 1, maxLength: 2 }).map((terms) => {
    return `@sort=${terms.map(([sign, column]) => `${sign}${column.name}`).join(',')}`;
  });
  const part = fc.oneof(
    { weight: 3, arbitrary: filter },
    { weight: 3, arbitrary: sort },
    { weight: 2, arbitrary: fc.constantFrom('@limit=1', '@limit=2', '@limit=3', '@offset=1', '@count=true', '@select=id', '@select=a0') },
  );
  return fc.uniqueArray(part, { maxLength: 3, selector: (each) => each.split('=')[0] }).map((parts) => parts.join('&'));
}

function requestsFor(one: Type, two: Type): Arbitrary<readonly Request[]> {
  const flat = fc.constantFrom(one, two);
  const under = idOf(one).map((id) => `/m/One/${id}/Holds/Two`);
  const place = fc.oneof(
    { weight: 4, arbitrary: fc.constant({ type: one, path: fc.constant('/m/One') }) },
    { weight: 3, arbitrary: fc.constant({ type: two, path: under }) },
    { weight: 1, arbitrary: fc.constant({ type: two, path: fc.constant('/m/Two') }) },
    { weight: 1, arbitrary: fc.constant({ type: one, path: idOf(one).map((id) => `/m/One/${id}/Linked/One`) }) },
  );
  const at = place.chain(({ type, path }) => fc.record({ type: fc.constant(type), path }));
  const create = at.chain(({ type, path }) => bodyOf(type, 'whole').map((text): Request => ({ method: 'POST', target: path, text })));
  const instance = at.chain(({ type, path }) => idOf(type).map((id) => ({ type, target: `${path}/${id}` })));
  const link = fc.tuple(idOf(one), idOf(one)).map(
    ([from, to]): Request => ({
      method: 'POST',
      target: `/m/One/${from}/Linked/One`,
      text: `{"id":${JSON.stringify(decodeURIComponent(to))}}`,
    }),
  );
  const request = fc.oneof(
    { weight: 6, arbitrary: create },
    { weight: 1, arbitrary: link },
    { weight: 2, arbitrary: instance.map(({ target }): Request => ({ method: 'GET', target })) },
    { weight: 1, arbitrary: idOf(one).map((id): Request => ({ method: 'GET', target: `/m/One/${id}?@tree=true` })) },
    {
      weight: 5,
      arbitrary: at.chain(({ type, path }) => queryOf(type).map((query): Request => ({ method: 'GET', target: `${path}?${query}` }))),
    },
    { weight: 1, arbitrary: flat.map((type): Request => ({ method: 'GET', target: `/m/${type.name}` })) },
    { weight: 1, arbitrary: fc.constant<Request>({ method: 'GET', target: '/m/One?@include=Holds,Linked' }) },
    {
      weight: 3,
      arbitrary: instance.chain(({ type, target }) => bodyOf(type, 'some').map((text): Request => ({ method: 'PUT', target, text }))),
    },
    { weight: 1, arbitrary: instance.map(({ target }): Request => ({ method: 'DELETE', target })) },
    { weight: 1, arbitrary: fc.constantFrom<Request>(...reports) },
  );
  return fc.array(request, { minLength: 1, maxLength: 60, size: 'max' });
}

/** Workflows whose rows are no instances. */
const flows = {
  counted: '{One? {}, @into {n @count(*), m @count(a0)}}',
  extremes: '{One? {}, @into {low @min(id), high @max(id), first @min(a0), last @max(a0)}}',
  grouped: '{One? {}, @into {n @count(*)}, @groupBy(a0), @orderBy(a0)}',
  descending: '{One? {}, @into {n @count(*), v One.a0}, @groupBy(One.a0), @orderBy(n @desc, v)}',
  distinct: '{One? {}, @into {v One.a0}, @distinct, @orderBy(v)}',
  joined: '{One? {}, @left_join Two {a0? One.id}, @into {id One.id, n @count(Two.id)}, @groupBy(One.id), @orderBy(id)}',
  sums: '{One? {}, @into {s @sum(a0), a @avg(a0)}}',
};
const reports: readonly Request[] = Object.keys(flows).map((name) => ({ method: 'POST', target: `/m/${name}`, text: '{}' }));
/** Added up in whatever order, these have one sum, and one that is never too large. */
const summed: readonly string[] = ['Decimal'];

/** Of these none is the least. */
const unordered = /\[\]$|^(Map|Any|Json)$/;

const relationships = ['relationship Holds contains(One, Two)', 'relationship Holds contains(One, Two) @cascade(false)'];
const links = [
  'relationship Linked between(One @as first, One @as second)',
  'relationship Linked between(One @as first, One @as second) @one_one',
  'relationship Linked between(One @as first, One @as second) @one_many',
];

/** Values of these may be the same and be written differently, so that a group shows one of several, and none of them comes first. */
const written: readonly string[] = ['Decimal', 'DateTime'];

function flowTexts({ id, attributes: [first] }: Type, two: Type): readonly string[] {
  const type = first?.type ?? '';
  const fits = (name: string) =>
    (name !== 'sums' || summed.includes(type)) &&
    (name !== 'extremes' || !unordered.test(type)) &&
    (name !== 'joined' || two.attributes[0]?.type === id) &&
    (!['grouped', 'descending', 'distinct'].includes(name) || !written.includes(type));
  return Object.entries(flows).map(([name, pattern]) => `workflow ${name} { ${fits(name) ? pattern : flows.counted} }`);
}

export const application: Arbitrary<Application> = fc
  .record({
    one: typeNamed('One', 5),
    two: typeNamed('Two', 3),
    holds: fc.constantFrom(...relationships),
    linked: fc.constantFrom(...links),
  })
  .chain(({ one, two, holds, linked }) =>
    requestsFor(one, two).map((requests) => ({
      model: ['module m', typeText(one), typeText(two), holds, linked, ...flowTexts(one, two)].join('\n'),
      requests,
    })),
  );
