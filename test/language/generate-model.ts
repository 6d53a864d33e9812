// In charge of generated models without faults, as texts of the current surface: every name in them means something.

import fc, { type Arbitrary } from 'fast-check';

interface EntitySpec {
  readonly name: string;
  readonly identifier: string;
  readonly attributes: readonly string[];
  readonly annotations: readonly string[];
}

const plainAttributes = [
  'String',
  'Int @default(7)',
  'Decimal @default(1.50)',
  'Float @optional',
  'Boolean @default(true)',
  'Date @optional @indexed',
  'String @optional @fulltext',
  'DateTime @default(now())',
  'DateTime @default(localNow()) @readonly',
  'Now',
  'Email @unique',
  'Keyword',
  'Map @optional',
  'String[] @default(["a", "b"])',
  'Password',
  'String @secret @optional',
  'String @writeonly',
  '@enum("open", "in progress") @default("open")',
  '@enum(1, 2.5)',
  'String @format("[A-Z]{2,3}")',
  'Size',
  'Code',
  'Code @default("AB")',
  '@ref(Root.key)',
  '@ref(Root.key) @cascade(true) @optional',
  '@oneof(Root.key)',
  'Any @expr(base * 2 + 1)',
  'Int @expr(base + 1)',
  'String @expr("n" + base)',
  'Any @expr(add(base, base, 1.50))',
  'String @meta {"audit": true, "label": "a b"} @comment("it\'s \\"quoted\\"") @was("older")',
];
const identifiers = ['', 'no Int @id', 'no String @guid', 'no Int @id, gid Identity', 'no UUID @id @default(uuid())'];
const typeAnnotations = [
  '@with_unique(a0, base)',
  '@meta {"doc": "what it is", "ownerOnly": true, "creatorOwns": false}',
  '@rbac [(roles: [user, "chief editor"], allow: [create, read]), (allow: [*], where: this.base = 1), (allow: [read], where: this.base is not null and not (this.base in [1, 2] or this.base between [4, 8]))]',
  '@after {create Made, update Made @async}',
  '@before {delete Made}',
  '@was("Earlier")',
];

function entity(name: string): Arbitrary<EntitySpec> {
  return fc.record({
    name: fc.constant(name),
    identifier: fc.constantFrom(...identifiers),
    attributes: fc.array(fc.constantFrom(...plainAttributes), { minLength: 1, maxLength: 4 }),
    annotations: fc.uniqueArray(fc.constantFrom(...typeAnnotations), { maxLength: 2, selector: (each) => each.slice(0, 6) }),
  });
}

function entityText({ name, identifier, attributes, annotations }: EntitySpec): string {
  const lines = [
    ...(identifier === '' ? [] : [identifier]),
    'base Int',
    ...attributes.map((each, index) => `a${index} ${each}`),
    ...annotations.filter((each) => !each.includes('a0') || isComparable(attributes[0] ?? '')),
  ];
  return `entity ${name} {\n  ${lines.join(',\n  ')}\n}`;
}

function isComparable(attribute: string): boolean {
  return /^(?:Int|Email|Keyword|Now)\b/.test(attribute);
}

const relationships = [
  'relationship Holds contains(One, Two)',
  'relationship Holds contains(One, Two) @cascade(false) @inherit @meta {"doc": "d"}',
  'relationship Holds contains(One @as parent, One @as child)',
  'relationship Links between(One, Two)',
  'relationship Links between(One @as from, One @as to) @one_one @owner(from) @assign(to -> from)',
  'relationship Links between(One @as first, Two @as second) @one_many {\n  since Date,\n  @with_unique(since, first),\n  @rbac [(roles: [x], allow: [create])]\n}',
];

const statements = [
  '{One {base 1}, @from Made.One} @as made',
  '{One {base?> Made.One}} @as [first, _, third]',
  '{One? {}} @as [first, __, rest]',
  '{Two {base?>= 3, base?<= 9}}',
  '{One {base? between [1, 3], base 4}}',
  '{One {base? in [1, 2]}}',
  '{Two? {}, @where(Two.base > 3 or not (Two.base == 1)), @orderBy(base @desc), @limit(3), @offset(1)}',
  '{Two? {}, @into {count @count(*), sum @sum(base)}, @groupBy(base)}',
  '{Two? {}, @distinct, @join One {base? Two.base}, @into {b One.base, c Two.base}}',
  '{Two {base 1}, @upsert}',
  '{Two {base Two.a0}, @from Made.One}',
  'delete {One {base? 3}}',
  'purge {Two? {}}',
  'for each in {One? {}} {\n    {Two {base each.base}, @upsert} @as t\n    t.base\n  } @as all',
  'if (Made.One > 3 and Made.One < 9) {\n    {One {base 2}, @upsert}\n  } else if (Made.One like "a%") {\n    {Two {base 3}, @upsert}\n    {Two {base 4}, @upsert}\n  } else {\n    Made.One\n  } @as chosen',
  '{One {base? 1}} @catch {not_found {One {base 2}, @upsert} error {Two {base 2}, @upsert}}',
  '{One {base? 1}} @throws {not_found {One {base 2}, @upsert}} @as x',
  '{One {base? 1}} @then {\n    {Two {base 2}, @upsert}\n  }',
  '{One {base? 1}} @empty {Two {base 2}, @upsert}',
  'return {One? {}}',
  'throw("no")',
  'Made.One + 2 * 3 - 1',
  'add(Made.One, 1, 2.50) + -3',
  '-(Made.One + "a") + (1 + 2)',
  'uuid()',
  '[1, "two", Made.One]',
  '{"a": 1, "b": [true, null]}',
  'rates.convert(Made.One, 2)',
  'await rates.load(1)',
  '{One {base Made.One}, @upsert} @as One1',
];

/** A whole module. */
export const modelText: Arbitrary<string> = fc
  .record({
    one: entity('One'),
    two: entity('Two'),
    relationship: fc.uniqueArray(fc.constantFrom(...relationships), { maxLength: 2, selector: (each) => each.slice(0, 20) }),
    body: fc.array(fc.constantFrom(...statements), { minLength: 1, maxLength: 4 }),
    trigger: fc.option(fc.constantFrom('before delete', 'after create', 'after update'), { nil: undefined }),
    startup: fc.boolean(),
    isPublic: fc.boolean(),
    extra: fc.boolean(),
  })
  .map(({ one, two, relationship, body, trigger, startup, isPublic, extra }) =>
    [
      'module m.core',
      'import "rates.js" @as rates',
      'entity Root {\n  key String @guid,\n  used Int @check(rates.valid) @default(rates.first)\n}',
      'record Size {\n  width Float,\n  unit String @default("mm")\n}',
      'attribute Code String @format("[A-Z]+")',
      `${isPublic ? '@public ' : ''}event Made${extra ? ' extends Size' : ''} {\n  One Any @optional\n}`,
      entityText(one),
      entityText(two),
      ...relationship,
      `workflow Made {\n  ${body.join('\n  ')}\n}`,
      ...(trigger === undefined ? [] : [`workflow @${trigger.replace(' ', ' ')}:One {\n  {Two {base? this.base}}\n}`]),
      ...(startup ? ['{Root {key "a", used 1}}'] : []),
      ...(extra ? ['record Big extends Size {\n  height Float,\n  @required(width)\n}'] : []),
    ].join('\n\n'),
  );
