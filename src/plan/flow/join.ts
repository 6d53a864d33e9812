// Queries whose rows are no instances: joins, chosen columns, aggregates → one shape, and what is left to do with its rows.

import { columnKind } from '../../model/model.ts';
import { type Aggregate, type Expression, type InstancePattern, isDecidedLast } from '../../model/pattern.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { EntityPlan, LinkPlan } from '../plan.ts';
import type { JoinOutput, JoinQuery, JoinTerm } from '../query/shape.ts';
import type { Compiling } from './effects.ts';
import type { Action, ColumnPlan, Computed, InMemoryPart, JoinAction, Test } from './flow.ts';
import { ownNames } from './single-row.ts';
import { attributeTest, columnOf, compileTests, findColumn, nameOf } from './tests.ts';

export function compileJoin(
  pattern: InstancePattern,
  plan: EntityPlan | LinkPlan,
  compiling: Compiling,
  note: (value: Expression) => Expression,
): Action {
  const { options } = pattern;
  const joined = (options.joins ?? []).map((each) => compiling.entities.get(each.type.text) ?? compiling.links.get(each.type.text));
  const sources = [plan, ...joined.flatMap((each) => each ?? [])];
  const results = resultsOf(pattern, sources, note);
  const joins = (options.joins ?? []).map((each, index) => ({
    side: each.side,
    table: sources[index + 1]?.table ?? plan.table,
    tests: each.attributes.flatMap((attribute) =>
      joinTest(attributeTest(attribute, index + 1, sources.slice(0, index + 2), [], note, compiling.model.readAsTyped), sources),
    ),
  }));
  const tests = compileTests(pattern, sources, [], note, compiling.model.readAsTyped).flatMap((each) => joinTest(each, sources));
  const action: JoinAction = {
    kind: 'report',
    sources,
    shape: {
      kind: 'report',
      table: plan.table,
      outputs: [],
      groupBy: groupsOf(pattern, results, sources),
      order: orderOf(pattern, results, sources),
      distinct: options.distinct === true,
      // Also where nobody asked for one: an event reads only so many rows.
      limit: true,
      offset: options.offset !== undefined,
    },
    ...withFiltersLast(joins, tests),
    limit: options.limit === undefined ? undefined : note(options.limit),
    offset: options.offset === undefined ? undefined : note(options.offset),
    instances: false,
    declared: new Map(),
    apart: undefined,
    cached: new Map(),
  };
  return finished(action, results, pattern);
}

type Sources = readonly (EntityPlan | LinkPlan)[];
type ReportResult = JoinOutput | Computed;

/** What the store does not decide of a join is decided on the rows of the whole query: the model has refused it where that would be too late. */
function withFiltersLast(joins: JoinAction['joins'], tests: readonly Test[]): Pick<JoinAction, 'joins' | 'tests'> {
  if (joins.some((join, index) => join.tests.some(isFilter) && !isDecidedLast(joins, index)))
    throw new Error('a condition of an outer join is left to its rows');
  return {
    joins: joins.map((join) => ({ ...join, tests: join.tests.filter((each) => !isFilter(each)) })),
    tests: [...tests, ...joins.flatMap((join) => join.tests.filter(isFilter))],
  };
}

/** No row is joined to another by what both lack, also where that is computed. */
function joinTest(test: Test | undefined, sources: Sources): readonly Test[] {
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

function isFilter(test: Test): test is Extract<Test, { kind: 'filter' }> {
  return test.kind === 'filter';
}

/** Without columns, groups and the like the rows stand for instances of the first type: they hold its key. */
function finished(action: JoinAction, results: readonly ReportResult[], { options }: InstancePattern): Action {
  const [main] = action.sources;
  if (main === undefined) return action;
  const instances = results.length === 0 && action.shape.groupBy.length === 0 && options.distinct !== true;
  const key: JoinOutput = { kind: 'column', name: 'key', source: 0, column: main.key };
  const wanted = instances ? [key] : results.length === 0 ? ownColumns(main) : results;
  const declared = declaredIn(wanted, action.sources);
  if (action.tests.some(isFilter) || wanted.some(isComputed) || tellsMapsApart(action, wanted))
    return { ...inMemoryPartOf(action, wanted), instances, declared };
  return {
    ...action,
    instances,
    declared,
    shape: { ...action.shape, outputs: wanted.flatMap((each) => (isComputed(each) ? [] : [each])) },
  };
}

function declaredIn(wanted: readonly ReportResult[], sources: Sources): JoinAction['declared'] {
  const declared = new Map<string, ColumnKind>();
  for (const each of wanted) {
    const isOneOfThem = each.kind === 'aggregate' && (each.function === 'min' || each.function === 'max');
    const place = each.kind === 'column' ? each : isOneOfThem ? each.of : undefined;
    const attribute = sources[place?.source ?? 0]?.attributes.find(({ column }) => column === place?.column);
    if (attribute !== undefined) declared.set(each.name, columnKind(attribute.attribute));
  }
  return declared;
}

/** Whether rows are put together by lists or maps, which are the same whatever the order of their keys: no store compares them so. */
function tellsMapsApart({ shape, sources }: JoinAction, wanted: readonly ReportResult[]): boolean {
  const isJson = (term: ReportResult | JoinTerm | undefined): boolean => {
    if (term?.kind === 'output') return isJson(wanted.find((each) => each.name === term.name));
    if (term?.kind !== 'column') return false;
    return sources[term.source]?.table.columns.find((each) => each.name === term.column)?.kind === 'json';
  };
  return shape.groupBy.some(isJson) || (shape.distinct && wanted.some(isJson));
}

function isComputed(result: ReportResult): result is Computed {
  return result.kind === 'computed';
}

/** The columns that were asked for, with those that rows are grouped by; none where the first type is meant. */
function resultsOf(
  { options, attributes }: InstancePattern,
  sources: Sources,
  note: (value: Expression) => Expression,
): readonly ReportResult[] {
  const aggregates = attributes.flatMap(({ name, value }) => (value.kind === 'aggregate' ? [{ name, value }] : []));
  const found = [...(options.into ?? []), ...aggregates].map(({ name, value }) => resultOf(name.text, value, sources, note));
  const shown = (name: string): boolean => found.some((each) => each.kind !== 'aggregate' && each.name === name);
  const columns = (options.groupBy ?? []).flatMap(({ text }) => (shown(text) ? [] : (findColumn(text, sources) ?? [])));
  const grouped = columns.filter((column) => !found.some((each) => isColumn(each, column)));
  return [...grouped.map((column, index) => groupOutput(column, [...found, ...grouped.slice(0, index)], sources)), ...found];
}

/** By the name of its attribute, and with that of its type where the other is taken. */
function groupOutput(group: ColumnPlan, others: readonly { readonly name: string }[], sources: Sources): JoinOutput {
  const { name, source } = group;
  const isTaken = others.some((each) => each.name === name);
  return { kind: 'column', name: isTaken ? `${sources[source]?.local}.${name}` : name, ...shownColumn(group) };
}

function shownColumn({ source, column, lookup }: ColumnPlan): Pick<ColumnPlan, 'source' | 'column' | 'lookup'> {
  return lookup === undefined ? { source, column } : { source, column, lookup };
}

function ownColumns(main: EntityPlan | LinkPlan): readonly JoinOutput[] {
  return main.attributes
    .filter((each) => !each.hidden)
    .map((each): JoinOutput => ({ kind: 'column', name: each.name, source: 0, column: each.column }));
}

function isColumn(result: ReportResult, { source, column }: ColumnPlan): boolean {
  return result.kind === 'column' && result.source === source && result.column === column;
}

function resultOf(name: string, value: Expression | Aggregate, sources: Sources, note: (value: Expression) => Expression): ReportResult {
  if (value.kind === 'aggregate') {
    const column = value.of.text === '*' ? undefined : findColumn(value.of.text, sources);
    if (column === undefined) return { kind: 'aggregate', name, function: 'count', of: undefined };
    return { kind: 'aggregate', name, function: value.function, of: shownColumn(column) };
  }
  const column = value.kind === 'reference' && value.path.length === 2 ? findColumn(value.path.join('.'), sources) : undefined;
  if (column === undefined) return { kind: 'computed', name, value: note(value) };
  return { kind: 'column', name, ...shownColumn(column) };
}

/** A row of a group is no group: what is summed up gives way to the column of the same name. */
function groupsOf({ options }: InstancePattern, results: readonly ReportResult[], sources: Sources): readonly JoinTerm[] {
  const single = results.filter((each) => each.kind !== 'aggregate');
  return (options.groupBy ?? []).flatMap((each) => termOf(each.text, single, sources) ?? []);
}

/**
 * Rows that are alike in all that was asked for come in the order of their groups, or of their keys. Where nobody asked for an order, the
 * first of a join are wanted as soon as they are found.
 */
function orderOf(pattern: InstancePattern, results: readonly ReportResult[], sources: Sources): JoinQuery['order'] {
  const { orderBy = [], distinct, limit, offset } = pattern.options;
  const asked = orderBy.flatMap(({ name, descending }) => {
    const term = termOf(name.text, results, sources);
    return term === undefined ? [] : [{ ...term, descending }];
  });
  const groups = groupsOf(pattern, results, sources);
  const isSummed = groups.length > 0 || results.some((each) => each.kind === 'aggregate');
  const isFirstOnly = asked.length === 0 && sources.length > 1 && (limit !== undefined || offset !== undefined);
  if (distinct === true || (!isSummed && isFirstOnly)) return asked;
  const keys = sources.map((plan, source) => ({ kind: 'column' as const, source, column: plan.key }));
  const further = (isSummed ? groups : keys).filter((each) => !asked.some((term) => isSameTerm(each, term, results)));
  return [...asked, ...further.map((each) => ({ ...each, descending: false, exact: true }))];
}

/** Whether rows that are alike in one are alike in the other. */
function isSameTerm(one: JoinTerm, other: JoinTerm, results: readonly ReportResult[]): boolean {
  const [first, second] = [one, other].map((term) => (term.kind === 'output' ? results.find((each) => each.name === term.name) : term));
  if (first?.kind !== 'column' || second?.kind !== 'column') return first !== undefined && first === second;
  return first.source === second.source && first.column === second.column;
}

/** A column, or the name of an output. */
function termOf(text: string, results: readonly ReportResult[], sources: Sources): JoinTerm | undefined {
  if (results.some((each) => each.name === text)) return { kind: 'output', name: text };
  const column = findColumn(text, sources);
  return column && { kind: 'column', source: column.source, column: column.column };
}

/** The store gives rows of columns; conditions, groups and the rest are done with them. */
function inMemoryPartOf(action: JoinAction, results: readonly ReportResult[]): JoinAction {
  const { shape } = action;
  const { groupBy, order, distinct } = shape;
  const columns = columnsOf(action, results);
  const keys = new Map(
    order.flatMap((term) => endIn(term, results, action.sources) ?? []).map((each) => [`${each.source}.${each.column}#`, each]),
  );
  const outputs = [
    ...columns.map((each): JoinOutput => ({ kind: 'column', name: `${each.source}.${each.column}`, ...shownColumn(each) })),
    ...[...keys].map(([name, { source, column }]): JoinOutput => ({ kind: 'column', name, source, column })),
  ];
  const apart: InMemoryPart = {
    columns: [...columns, ...[...keys.values()].map(keyOfEnd)],
    results,
    groupBy,
    order: order.map((term) => {
      const end = endIn(term, results, action.sources);
      return end === undefined ? term : { kind: 'column', source: end.source, column: keyOfEnd(end).column, descending: term.descending };
    }),
    distinct,
  };
  return { ...action, apart, shape: { ...shape, outputs, groupBy: [], order: [], distinct: false, offset: false } };
}

/** An end of a link sorts by the key that it holds, and shows something else. */
function endIn(term: JoinTerm, results: readonly ReportResult[], sources: Sources): ColumnPlan | undefined {
  const found = term.kind === 'output' ? results.find((each) => each.name === term.name) : term;
  const column = found?.kind === 'column' ? columnOf(found.column, found.source, sources) : undefined;
  return column?.lookup === undefined ? undefined : column;
}

/** No attribute has such a name. */
function keyOfEnd({ source, column }: ColumnPlan): ColumnPlan {
  return { name: `${column}#`, column: `${column}#`, source, attribute: undefined, end: undefined };
}

/** Whatever is looked at, and the key of each source, each once. */
function columnsOf({ sources, tests, shape }: JoinAction, results: readonly ReportResult[]): readonly ColumnPlan[] {
  const expressions = tests.filter(isFilter).map((each) => each.value);
  const computed = results.flatMap((each) => (each.kind === 'computed' ? [each.value] : []));
  const read = sources.flatMap((_, source) =>
    [...expressions, ...computed].flatMap((each) => ownNames(each, nameOf(source, sources))).map((name) => columnOf(name, source, sources)),
  );
  const placed = [...results, ...shape.groupBy, ...shape.order].flatMap((each) => {
    const place = each.kind === 'aggregate' ? each.of : each.kind === 'column' ? each : undefined;
    return place === undefined ? [] : [plainColumn(place.source, place.column, sources)];
  });
  const keys = sources.map((plan, source) => plainColumn(source, plan.key, sources));
  const all = [...keys, ...placed, ...read.flatMap((each) => each ?? [])];
  return [...new Map(all.map((each) => [`${each.source}.${each.name}`, each])).values()];
}

function plainColumn(source: number, column: string, sources: Sources): ColumnPlan {
  return columnOf(column, source, sources) ?? { name: column, column, source, attribute: undefined, end: undefined };
}
