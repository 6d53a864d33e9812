// What a pattern asks of rows → tests that a store can be asked, and what is left to be decided on the rows themselves.

import { columnKind, type TypeName } from '../../model/model.ts';
import type { BinaryOperator, ComparisonOperator, Expression, InstancePattern, PatternAttribute } from '../../model/pattern.ts';
import { isWaiting, readsRowOf } from '../../model/references.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { EntityPlan, LinkPlan } from '../plan.ts';
import { pathColumn } from '../rows/tables.ts';
import type { ColumnPlan, Test } from './flow.ts';

type Sources = readonly (EntityPlan | LinkPlan)[];
/** Values that texts are read as the type of. */
type Typed = ReadonlySet<Expression>;

/** `sources` are the types whose columns are there; `outer` those whose instances are known only when rows have been read. */
export function compileTests(
  pattern: InstancePattern,
  sources: Sources,
  outer: readonly TypeName[],
  note: (value: Expression) => Expression,
  typed: Typed,
): readonly Test[] {
  const { attributes, options } = pattern;
  const queried = [...attributes.filter((each) => each.query !== undefined), ...(options.where ?? [])];
  const tests = queried.flatMap((each) => attributeTest(each, 0, sources, outer, note, typed) ?? []);
  return options.condition === undefined ? tests : [...tests, ...conjuncts(note(options.condition), sources, outer, typed)];
}

/** `attr?op value`; the name may be qualified by its type. `main` is the type whose columns may be named alone. */
export function attributeTest(
  { name, query, value }: PatternAttribute,
  main: number,
  sources: Sources,
  outer: readonly TypeName[],
  note: (value: Expression) => Expression,
  typed: Typed,
): Test | undefined {
  if (value.kind === 'aggregate') return undefined;
  const column = findColumn(name.text, sources, main);
  const noted = note(value);
  if (column === undefined) return undefined;
  const other = columnIn(noted, sources);
  // Not the column itself, which no row differs from: the instance that goes by the name of its type already.
  const isKnown = other?.source === column.source && other.column === column.column && !outer.includes(sources[column.source]?.type ?? '');
  if (isKnown) return { kind: 'compare', column, operator: query ?? '==', value: noted };
  return comparison(column, query ?? '==', noted, sources, outer, typed.has(value));
}

/** `year`, `shop/Day.year`. */
export function findColumn(text: string, sources: Sources, main = 0): ColumnPlan | undefined {
  const slash = text.indexOf('/');
  const dot = text.indexOf('.', slash + 1);
  if (dot === -1) return columnOf(text, main, sources);
  const source = sources.findIndex((each) => each.type === text.slice(0, dot));
  return columnOf(text.slice(dot + 1), source, sources);
}

/** What the columns of a type go by in expressions: its own name, and one that nobody can write where it is joined to itself. */
export function nameOf(source: number, sources: Sources): string {
  const type = sources[source]?.type ?? '';
  return sources.findIndex((each) => each.type === type) === source ? type : `${type}#${source}`;
}

export function columnOf(name: string, source: number, sources: Sources): ColumnPlan | undefined {
  const plan = sources[source];
  if (plan === undefined) return undefined;
  const attribute = name === '__Id__' ? plan.identifier : plan.attribute.get(name);
  if (attribute !== undefined) return { name, column: attribute.column, source, attribute, end: undefined };
  const end = plan.kind === 'link' ? plan.ends.find((each) => each.attribute === name) : undefined;
  if (end !== undefined) return { name, column: end.column, source, attribute: undefined, end, lookup: end.lookup };
  if (name !== pathColumn) return undefined;
  // What is contained nowhere has a path that says no more than its identifier.
  const column = plan.systemFields.includes(pathColumn) ? pathColumn : plan.identifier.column;
  return { name, column, source, attribute: undefined, end: undefined, path: plan };
}

function conjuncts(expression: Expression, sources: Sources, outer: readonly TypeName[], typed: Typed): readonly Test[] {
  if (expression.kind === 'binary' && expression.operator === 'and')
    return [...conjuncts(expression.left, sources, outer, typed), ...conjuncts(expression.right, sources, outer, typed)];
  return [testOf(expression, sources, outer, typed)];
}

function testOf(expression: Expression, sources: Sources, outer: readonly TypeName[], typed: Typed): Test {
  if (!hasColumns(expression, sources, outer)) return { kind: 'value', value: expression };
  const filter: Test = { kind: 'filter', value: expression };
  if (expression.kind === 'unary' && expression.operator === 'not') {
    const test = testOf(expression.operand, sources, outer, typed);
    return isWhole(test) ? { kind: 'not', test } : filter;
  }
  if (expression.kind !== 'binary') return filter;
  const { operator, left, right } = expression;
  if (operator === 'and' || operator === 'or') {
    const tests = [testOf(left, sources, outer, typed), testOf(right, sources, outer, typed)];
    return tests.every(isWhole) ? { kind: operator, tests } : filter;
  }
  if (!isComparison(operator)) return filter;
  const column = columnIn(left, sources);
  if (column !== undefined) return comparison(column, operator, right, sources, outer, typed.has(right));
  const other = columnIn(right, sources);
  const turned = mirrored[operator];
  return other === undefined || turned === undefined ? filter : comparison(other, turned, left, sources, outer, typed.has(left));
}

/** Whether the store decides all of it. */
function isWhole(test: Test): boolean {
  switch (test.kind) {
    case 'filter':
      return false;
    case 'and':
    case 'or':
      return test.tests.every(isWhole);
    case 'not':
      return isWhole(test.test);
    default:
      return true;
  }
}

function comparison(
  column: ColumnPlan,
  operator: ComparisonOperator,
  value: Expression,
  sources: Sources,
  outer: readonly TypeName[],
  isTyped: boolean,
): Test {
  const other = columnIn(value, sources);
  const keys = other !== undefined && (operator === '==' || operator === '!=') ? keyColumns(column, other, sources) : undefined;
  if (keys !== undefined) return { kind: 'columns', left: keys[0], operator, right: keys[1] };
  const isEquality = operator === '==' || operator === '!=' || operator === 'in';
  const isJson = [column, other].some((each) => {
    const kind = each && keptAs(each);
    return kind === 'json' || (kind === 'scalar' && !isEquality);
  });
  // A text is read as the type of what it is compared with, and no store does that either.
  const readsText = isTyped && column.attribute !== undefined && keptAs(column) === 'text' && operator !== 'like';
  const asksRow = (isJson || readsText) && !isNothing(value) && !isWaiting(value);
  if (!asksRow && other !== undefined && areAlike(column, other) && operator !== 'in' && operator !== 'between' && operator !== 'like')
    return { kind: 'columns', left: column, operator, right: other };
  if (!asksRow && !hasColumns(value, sources, outer)) return { kind: 'compare', column, operator, value };
  const left: Expression = { kind: 'reference', path: [nameOf(column.source, sources), column.name], span: value.span };
  return { kind: 'filter', value: { kind: 'binary', operator, left, right: value, span: value.span } };
}

/** The columns of two keys, where both sides name an instance of the same contained type: one is an end of a link, the other one too, or its own name. */
function keyColumns(one: ColumnPlan, other: ColumnPlan, sources: Sources): readonly [ColumnPlan, ColumnPlan] | undefined {
  const [first, second] = [keyColumn(one, other, sources), keyColumn(other, one, sources)];
  return first === undefined || second === undefined ? undefined : [first, second];
}

function keyColumn(column: ColumnPlan, other: ColumnPlan, sources: Sources): ColumnPlan | undefined {
  const { end, attribute, source } = column;
  const entity = end?.entity ?? other.end?.entity;
  if (entity?.contained !== true || (end !== undefined && other.end !== undefined && end.entity !== other.end.entity)) return undefined;
  if (end !== undefined) return { ...column, lookup: undefined };
  const isName = attribute === entity.identifier || attribute === other.end?.guid || column.column === pathColumn;
  return isName && sources[source] === entity
    ? { name: column.name, column: entity.key, source, attribute: undefined, end: undefined }
    : undefined;
}

/** Stores compare columns of two kinds each in its own way: these are compared as in any expression. */
function areAlike(one: ColumnPlan, other: ColumnPlan): boolean {
  return keptAs(one) === keptAs(other);
}

/** The keys of what is contained, and paths, are texts. */
function keptAs({ attribute, end, path, column }: ColumnPlan): ColumnKind {
  if (path !== undefined && column !== pathColumn) return columnKind(path.identifier.attribute);
  const told = attribute ?? (end?.entity.contained === false ? end.entity.identifier : end?.guid);
  const kind = told === undefined ? 'text' : columnKind(told.attribute);
  // A guid that is shown for a key is compared as a text, unless it is a number.
  return end?.lookup === undefined || kind === 'integer' || kind === 'scalar' ? kind : 'text';
}

/** No store compares lists and maps: what is not asked for by being absent is decided on the row. */
function isNothing(value: Expression): boolean {
  return value.kind === 'literal' && value.value === null;
}

function columnIn(expression: Expression, sources: Sources): ColumnPlan | undefined {
  if (expression.kind !== 'reference' || expression.path.length !== 2) return undefined;
  const [type = '', name = ''] = expression.path;
  const source = sources.findIndex((each) => each.type === type);
  return source === -1 ? undefined : columnOf(name, source, sources);
}

/** Whether a value depends on the row that is looked at, or on one around it. */
function hasColumns(expression: Expression, sources: Sources, outer: readonly TypeName[]): boolean {
  return readsRowOf(expression, [...sources.map((each) => each.type), ...outer]);
}

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', 'like', 'between']);

function isComparison(operator: BinaryOperator): operator is ComparisonOperator {
  return comparisons.has(operator);
}

/** `3 < n` asks the same as `n > 3`. */
const mirrored: Partial<Record<ComparisonOperator, ComparisonOperator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
