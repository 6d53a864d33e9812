// Makes up joins: three small tables with absent values, kinds and conditions of joins, and what comes of them, found by comparing each row with each.

import fc from 'fast-check';

export interface Case {
  readonly rows: readonly [Rows, Rows, Rows];
  readonly joins: readonly JoinCase[];
  readonly where: Comparison | undefined;
}

type Rows = readonly Row[];

interface Row {
  readonly id: number;
  readonly n: number | null;
  readonly t: string | null;
}

interface JoinCase {
  readonly side: 'join' | 'left_join' | 'right_join' | 'full_join';
  /** Which of the tables. */
  readonly table: 1 | 2;
  readonly conditions: readonly Comparison[];
}

/** `column?op value`; the value is a constant, a column of a table before it, or computed from one. */
interface Comparison {
  readonly table: number;
  readonly column: 'id' | 'n' | 't';
  readonly operator: '' | '!=' | '<' | '<=' | '>' | '>=';
  readonly value:
    | { readonly kind: 'constant'; readonly value: number | string }
    | { readonly kind: 'column'; readonly table: number; readonly column: 'id' | 'n' | 't' }
    | { readonly kind: 'computed'; readonly table: number; readonly column: 'id' | 'n'; readonly plus: number };
}

const names = ['A', 'B', 'C'] as const;

const row = (id: number): fc.Arbitrary<Row> =>
  fc.record({
    id: fc.constant(id),
    n: fc.option(fc.integer({ min: 0, max: 3 })),
    t: fc.option(fc.constantFrom('', 'a', 'b', 'ab')),
  });
const rows: fc.Arbitrary<Rows> = fc
  .integer({ min: 0, max: 4 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, id) => row(id))));

function comparison(table: number, before: readonly number[]): fc.Arbitrary<Comparison> {
  const other = fc.constantFrom(...before);
  const operator = fc.constantFrom(...(['', '!=', '<', '<=', '>', '>='] as const));
  const number = fc.constantFrom(...(['id', 'n'] as const));
  return fc.oneof(
    fc.record({
      table: fc.constant(table),
      column: number,
      operator,
      value: fc.oneof(
        fc.record({ kind: fc.constant('constant' as const), value: fc.integer({ min: 0, max: 3 }) }),
        fc.record({ kind: fc.constant('column' as const), table: other, column: number }),
        fc.record({ kind: fc.constant('computed' as const), table: other, column: number, plus: fc.integer({ min: -1, max: 2 }) }),
        fc.record({ kind: fc.constant('computed' as const), table: other, column: number, plus: fc.integer({ min: -1, max: 2 }) }),
      ),
    }),
    fc.record({
      table: fc.constant(table),
      column: fc.constant('t' as const),
      operator,
      value: fc.oneof(
        fc.record({ kind: fc.constant('constant' as const), value: fc.constantFrom('a', 'b') }),
        fc.record({ kind: fc.constant('column' as const), table: other, column: fc.constant('t' as const) }),
      ),
    }),
  );
}

const side = fc.constantFrom(...(['join', 'left_join', 'right_join', 'full_join'] as const));

function join(table: 1 | 2, before: readonly number[]): fc.Arbitrary<JoinCase> {
  return fc.record({ side, table: fc.constant(table), conditions: fc.array(comparison(table, before), { maxLength: 2 }) });
}

export const joinCase: fc.Arbitrary<Case> = fc
  .record({
    rows: fc.tuple(rows, rows, rows),
    joins: fc.oneof(fc.tuple(join(1, [0])), fc.tuple(join(1, [0]), join(2, [0, 1]))),
    where: fc.option(comparison(0, [1]), { nil: undefined, freq: 2 }),
  })
  .map((made) => (made.joins.every((each) => each.side === 'join') ? made : { ...made, joins: made.joins.map(decided) }));

/** Nothing that is computed for each row stands beside an outer join. */
function decided(made: JoinCase): JoinCase {
  const conditions = made.conditions.map((each): Comparison => {
    const { value } = each;
    return value.kind === 'computed' ? { ...each, value: { kind: 'column', table: value.table, column: value.column } } : each;
  });
  return { ...made, conditions };
}

/** One event for each case, and one that puts rows in place of all others. */
export function modelOfCase(cases: readonly Case[]): string {
  const entity = (name: string): string => `entity ${name} { id Int @id, n Int @optional, t String @optional }`;
  const fill = names.map((name) => `delete {${name}? {}}\nfor r in fill.${name} { {${name} {id r.id, n r.n, t r.t}} }`).join('\n');
  const events = cases.map((each, index) => `workflow ask${index} { ${written(each)} }`);
  return `module m\n${names.map(entity).join('\n')}\nworkflow fill {\n${fill}\n1 }\n${events.join('\n')}`;
}

function written({ joins, where }: Case): string {
  const used = [0, ...joins.map((each) => each.table)];
  const joined = joins.map((each) => `@${each.side} ${names[each.table]} {${each.conditions.map((one) => asked(one, false)).join(', ')}}`);
  const into = used.map((table) => `${names[table]?.toLowerCase()} ${names[table]}.id`).join(', ');
  const order = used.map((table) => names[table]?.toLowerCase()).join(', ');
  const asks = where === undefined ? [] : [`@where {${asked(where, true)}}`];
  return `{A? {}, ${[...joined, `@into {${into}}`, ...asks, `@orderBy(${order})`].join(', ')}}`;
}

function asked({ table, column, operator, value }: Comparison, isQualified: boolean): string {
  const name = isQualified ? `${names[table]}.${column}` : column;
  return `${name}?${operator} ${valueText(value)}`;
}

function valueText(value: Comparison['value']): string {
  switch (value.kind) {
    case 'constant':
      return JSON.stringify(value.value);
    case 'column':
      return `${names[value.table]}.${value.column}`;
    default:
      return `${names[value.table]}.${value.column} + ${value.plus}`.replace('+ -', '- ');
  }
}

type Joined = readonly (Row | undefined)[];

export function expectedRows({ rows: tables, joins, where }: Case): readonly Record<string, number | null>[] {
  let found: readonly Joined[] = tables[0].map((each) => [each]);
  for (const [index, each] of joins.entries()) found = joinedWith(found, tables[each.table], each, index + 1);
  const kept = found.filter((each) => where === undefined || holds(where, each));
  const shown = kept.map((each) => each.map((one) => one?.id ?? null));
  const sorted = shown.toSorted((one, other) => {
    const at = one.findIndex((value, index) => value !== other[index]);
    return at === -1 ? 0 : (one[at] ?? -1) - (other[at] ?? -1);
  });
  return sorted.map((each) => Object.fromEntries(each.map((value, index) => [names[index]?.toLowerCase() ?? '', value])));
}

function joinedWith(left: readonly Joined[], right: Rows, { side: kind, conditions }: JoinCase, width: number): readonly Joined[] {
  const matches = (one: Joined, other: Row): boolean => conditions.every((each) => holds(each, [...one, other]));
  const pairs = left.flatMap((one) => right.filter((other) => matches(one, other)).map((other): Joined => [...one, other]));
  const keepsLeft = kind === 'left_join' || kind === 'full_join';
  const keepsRight = kind === 'right_join' || kind === 'full_join';
  const alone = keepsLeft
    ? left.filter((one) => !right.some((other) => matches(one, other))).map((one): Joined => [...one, undefined])
    : [];
  const absent = Array.from({ length: width }, () => undefined);
  const others = keepsRight ? right.filter((other) => !left.some((one) => matches(one, other))) : [];
  return [...pairs, ...alone, ...others.map((other): Joined => [...absent, other])];
}

/** What is absent is neither smaller nor greater than anything, and rows do not come together by what both lack. */
function holds({ table, column, operator, value }: Comparison, joined: Joined): boolean {
  const own = joined[table]?.[column] ?? null;
  const other = operandOf(value, joined);
  if (operator === '') return own === other && own !== null;
  if (operator === '!=') return own !== other;
  if (own === null || other === null) return false;
  if (operator === '<') return own < other;
  if (operator === '<=') return own <= other;
  return operator === '>' ? own > other : own >= other;
}

function operandOf(value: Comparison['value'], joined: Joined): number | string | null {
  if (value.kind === 'constant') return value.value;
  const found = joined[value.table]?.[value.column] ?? null;
  if (value.kind === 'column') return found;
  return typeof found === 'number' ? found + value.plus : null;
}
