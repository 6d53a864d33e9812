// Conditions of joins that the store is not asked to compute: which of them can wait for the rows of the whole join, and how the others are decided before it.

import type { Expression } from '../../../model/pattern.ts';
import { partsOf } from '../../../model/walk.ts';
import type { ColumnPlan, Decision, DecisionReading, JoinAction, Test } from '../../flow/flow.ts';
import { ownNames } from '../../flow/single-row.ts';
import { columnOf, nameOf } from '../../flow/tests.ts';
import type { EntityPlan, LinkPlan } from '../../plan.ts';
import type { ColumnOf } from '../condition.ts';

type Joins = JoinAction['joins'];
type Sources = readonly (EntityPlan | LinkPlan)[];

/** The joins with what must be decided before them, and the tests of all rows with those that can wait. */
export function withDecisions(joins: Joins, tests: readonly Test[], sources: Sources): Pick<JoinAction, 'joins' | 'tests'> {
  const waiting = joins.flatMap((join, index) => (canWait(joins, index) ? join.tests.filter(isFilter) : []));
  const decided = joins.map((join, index) => {
    const filters = join.tests.filter(isFilter);
    const asked = { ...join, tests: join.tests.filter((each) => !isFilter(each)) };
    if (filters.length === 0 || canWait(joins, index)) return asked;
    return { ...asked, decision: decisionOf(filters, index, { joins, tests, sources }) };
  });
  return { joins: decided, tests: [...tests, ...waiting] };
}

/** No row is joined to another by what both lack, also where that is computed. */
export function joinTest(test: Test | undefined, sources: Sources): readonly Test[] {
  if (test?.kind !== 'filter' || test.value.kind !== 'binary') return test === undefined ? [] : [test];
  const { operator, left, right, span } = test.value;
  const own = left.kind === 'reference' ? left.path[0] : undefined;
  const looksElsewhere = sources.some(
    (_, source) => nameOf(source, sources) !== own && ownNames(right, nameOf(source, sources)).length > 0,
  );
  if (!looksElsewhere || (operator !== '==' && operator !== 'in')) return [test];
  const nothing: Expression = { kind: 'literal', value: null, raw: 'null', span };
  const isThere: Expression = { kind: 'binary', operator: '!=', left, right: nothing, span };
  return [{ kind: 'filter', value: { kind: 'binary', operator: 'and', left: isThere, right: test.value, span } }];
}

export function isFilter(test: Test): test is Extract<Test, { kind: 'filter' }> {
  return test.kind === 'filter';
}

/** What an inner join leaves out can be left out at the end, unless a row of a later join would stand alone for it. */
function canWait(joins: Joins, index: number): boolean {
  return joins[index]?.side === 'inner' && joins.slice(index + 1).every(({ side }) => side === 'inner' || side === 'left');
}

interface Around {
  readonly joins: Joins;
  readonly tests: readonly Test[];
  readonly sources: Sources;
}

function decisionOf(filters: Decision['filters'], index: number, around: Around): Decision {
  const { joins, sources } = around;
  const before = sources.flatMap((_, source) => (source <= index && columnsRead(filters, source, sources).length > 0 ? [source] : []));
  const absent = subsets(before.filter((source) => mayBeAbsent(source, joins.slice(0, index))));
  const all = [...before, index + 1];
  const columns = all.flatMap((source) => columnsRead(filters, source, sources));
  return {
    filters,
    columns,
    keys: all.map((source) => keyOf(source, sources)),
    readings: absent.map((gone) => readingOf(all, gone, columns, index, around)),
  };
}

/** Before a join: rows of an outer join before it, and whatever stands left of one that keeps the right side. */
function mayBeAbsent(source: number, before: Joins): boolean {
  return before.some(({ side }, index) => {
    if (side === 'left' || side === 'full') if (source === index + 1) return true;
    return (side === 'right' || side === 'full') && source <= index;
  });
}

function subsets(of: readonly number[]): readonly (readonly number[])[] {
  const [first, ...rest] = of;
  if (first === undefined) return [[]];
  const others = subsets(rest);
  return [...others, ...others.map((each) => [first, ...each])];
}

function columnsRead(filters: Decision['filters'], source: number, sources: Sources): readonly ColumnPlan[] {
  const names = new Set(filters.flatMap(({ value }) => ownNames(value, nameOf(source, sources))));
  return [...names].flatMap((name) => columnOf(name, source, sources) ?? []);
}

function keyOf(source: number, sources: Sources): { readonly source: number; readonly column: string } {
  return { source, column: sources[source]?.key ?? '' };
}

/** The tables of a reading are numbered anew, without those that are absent in it. */
function readingOf(
  all: readonly number[],
  gone: readonly number[],
  columns: readonly ColumnPlan[],
  index: number,
  around: Around,
): DecisionReading {
  const { sources } = around;
  const present = all.filter((source) => !gone.includes(source));
  const place = (source: number): number => present.indexOf(source);
  const plans = present.flatMap((source) => sources[source] ?? []);
  const [first, ...others] = plans.map((each) => each.table);
  if (first === undefined) throw new Error('a join is decided without its table');
  const moved = (key: ColumnOf): ColumnOf => ({ ...key, source: place(key.source ?? 0) });
  return {
    sources: plans,
    shape: {
      kind: 'report',
      table: first,
      joins: others.map((table) => ({ side: 'inner', table, on: { kind: 'all' } })),
      outputs: columns
        .filter(({ source }) => present.includes(source))
        .map(({ source, column, lookup }) => ({ kind: 'column', name: `${source}.${column}`, source: place(source), column, lookup })),
      mark: all.map((source) => (present.includes(source) ? moved(keyOf(source, sources)) : undefined)),
      groupBy: [],
      order: [],
      distinct: false,
      limit: true,
      offset: false,
    },
    tests: narrowing(present, index, around).map((each) => renumbered(each, place)),
    cached: new Map(),
  };
}

/**
 * What holds of every row that the join can be asked for, so that fewer are read. A row that stands beside one of a table before it came
 * there by the condition of its join. What is asked in the end may be asked at once only where no row stands alone for lack of another.
 */
function narrowing(present: readonly number[], index: number, { joins, tests }: Around): readonly Test[] {
  const of = (asked: readonly Test[], known: readonly number[]): readonly Test[] =>
    asked.filter((each) => isPlain(each) && sourcesIn(each).every((source) => known.includes(source)));
  const held = joins.flatMap((join, at) => {
    const isThis = at === index;
    const isBeside = at < index && present.includes(at + 1) && present.some((source) => source <= at);
    return isThis || isBeside ? of(join.tests, present) : [];
  });
  const keepsLeftOnly = joins.every(({ side }) => side === 'inner' || side === 'left');
  const left = present.filter((source) => source <= index);
  return keepsLeftOnly ? [...held, ...of(tests, left).filter((each) => sourcesIn(each).length > 0)] : held;
}

/** Asked twice it is the same, and nothing is done by asking. */
function isPlain(test: Test): boolean {
  switch (test.kind) {
    case 'compare':
      return isValue(test.value);
    case 'and':
    case 'or':
      return test.tests.every(isPlain);
    case 'not':
      return isPlain(test.test);
    default:
      return test.kind === 'columns';
  }
}

const valueKinds: readonly Expression['kind'][] = ['literal', 'reference', 'list', 'unary', 'binary'];

function isValue(expression: Expression): boolean {
  return valueKinds.includes(expression.kind) && partsOf(expression).every(isValue);
}

function sourcesIn(test: Test): readonly number[] {
  switch (test.kind) {
    case 'compare':
      return [test.column.source];
    case 'columns':
      return [test.left.source, test.right.source];
    case 'and':
    case 'or':
      return test.tests.flatMap(sourcesIn);
    case 'not':
      return sourcesIn(test.test);
    default:
      return [];
  }
}

function renumbered(test: Test, place: (source: number) => number): Test {
  const moved = (column: ColumnPlan): ColumnPlan => ({ ...column, source: place(column.source) });
  switch (test.kind) {
    case 'compare':
      return { ...test, column: moved(test.column) };
    case 'columns':
      return { ...test, left: moved(test.left), right: moved(test.right) };
    case 'and':
    case 'or':
      return { ...test, tests: test.tests.map((each) => renumbered(each, place)) };
    case 'not':
      return { ...test, test: renumbered(test.test, place) };
    default:
      return test;
  }
}
