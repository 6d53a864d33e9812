// Queries whose rows are no instances: joins, chosen columns, aggregates → one shape, and what is left to do with its rows.

import type { Aggregate, Expression, InstancePattern } from '../model/pattern.ts';
import type { Action, Apart, ColumnPlan, Computed, ReportAction, Test } from './dataflow.ts';
import type { Compiling } from './dataflow-effects.ts';
import { ownNames } from './dataflow-row.ts';
import { attributeTest, compileTests, findColumn } from './dataflow-tests.ts';
import type { EntityPlan, LinkPlan } from './plan.ts';
import type { ReportOutput, ReportTerm } from './shape.ts';

export function isReport({ options, attributes }: InstancePattern): boolean {
  const { joins, into, groupBy, distinct } = options;
  return [joins, into, groupBy, distinct].some((each) => each !== undefined) || attributes.some((each) => each.value.kind === 'aggregate');
}

export function compileReport(
  pattern: InstancePattern,
  plan: EntityPlan | LinkPlan,
  compiling: Compiling,
  note: (value: Expression) => Expression,
): Action {
  const { options } = pattern;
  const joined = (options.joins ?? []).map((each) => compiling.entities.get(each.type.text) ?? compiling.links.get(each.type.text));
  const sources = [plan, ...joined.flatMap((each) => each ?? [])];
  const results = resultsOf(pattern, sources, note);
  const outputs = results.flatMap((each) => (each.kind === 'computed' ? [] : [each]));
  const action: ReportAction = {
    kind: 'report',
    sources,
    shape: {
      kind: 'report',
      table: plan.table,
      outputs,
      groupBy: (options.groupBy ?? []).flatMap((each) => termOf(each.text, outputs, sources) ?? []),
      order: (options.orderBy ?? []).flatMap(({ name, descending }) => {
        const term = termOf(name.text, outputs, sources);
        return term === undefined ? [] : [{ ...term, descending }];
      }),
      distinct: options.distinct === true,
      // Also where nobody asked for one: an event reads only so many rows.
      limit: true,
      offset: options.offset !== undefined,
    },
    tests: compileTests(pattern, sources, [], note),
    joins: (options.joins ?? []).map((each, index) => ({
      side: each.side,
      table: sources[index + 1]?.table ?? plan.table,
      tests: each.attributes.flatMap((attribute) => attributeTest(attribute, index + 1, sources, [], note) ?? []),
    })),
    limit: options.limit === undefined ? undefined : note(options.limit),
    offset: options.offset === undefined ? undefined : note(options.offset),
    instances: false,
    apart: undefined,
    kept: new Map(),
  };
  return finished(action, results, pattern);
}

type Sources = readonly (EntityPlan | LinkPlan)[];
type ReportResult = ReportOutput | Computed;

function finished(action: ReportAction, results: readonly ReportResult[], { options }: InstancePattern): Action {
  const hasFilters = (tests: readonly Test[]): boolean => tests.some((each) => each.kind === 'filter');
  const computes = hasFilters(action.tests) || action.joins.some((each) => hasFilters(each.tests)) || results.some(isComputed);
  if (computes) return apartFrom(action, results);
  const { shape, sources } = action;
  const [main] = sources;
  const isPlain = results.length === 0 && shape.groupBy.length === 0 && options.distinct !== true;
  if (main === undefined || results.length > 0) return action;
  if (!isPlain) return { ...action, shape: { ...shape, outputs: ownColumns(main) } };
  return { ...action, instances: true, shape: { ...shape, outputs: [{ kind: 'column', name: 'key', source: 0, column: main.key }] } };
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
  const grouped = (options.groupBy ?? []).flatMap((name): readonly ReportOutput[] => {
    const column = findColumn(name.text, sources);
    if (column === undefined || found.some((each) => isColumn(each, column))) return [];
    return [{ kind: 'column', name: column.name, source: column.source, column: column.column }];
  });
  return [...grouped, ...found];
}

function ownColumns(main: EntityPlan | LinkPlan): readonly ReportOutput[] {
  return main.attributes
    .filter((each) => !each.hidden)
    .map((each): ReportOutput => ({ kind: 'column', name: each.name, source: 0, column: each.column }));
}

function isColumn(result: ReportResult, { source, column }: ColumnPlan): boolean {
  return result.kind === 'column' && result.source === source && result.column === column;
}

function resultOf(name: string, value: Expression | Aggregate, sources: Sources, note: (value: Expression) => Expression): ReportResult {
  if (value.kind === 'aggregate') {
    const column = value.of.text === '*' ? undefined : findColumn(value.of.text, sources);
    if (column === undefined) return { kind: 'aggregate', name, function: 'count', of: undefined };
    return { kind: 'aggregate', name, function: value.function, of: { source: column.source, column: column.column } };
  }
  const column = value.kind === 'reference' && value.path.length === 2 ? findColumn(value.path.join('.'), sources) : undefined;
  if (column === undefined) return { kind: 'computed', name, value: note(value) };
  return { kind: 'column', name, source: column.source, column: column.column };
}

/** A column, or the name of an output. */
function termOf(text: string, outputs: readonly ReportOutput[], sources: Sources): ReportTerm | undefined {
  if (outputs.some((each) => each.name === text)) return { kind: 'output', name: text };
  const column = findColumn(text, sources);
  return column && { kind: 'column', source: column.source, column: column.column };
}

/** The store gives rows of columns; conditions, groups and the rest are done with them. */
function apartFrom(action: ReportAction, results: readonly ReportResult[]): Action {
  const { shape, sources, joins } = action;
  const canBe = joins.every(({ side, tests }, index) => {
    if (!tests.some((each) => each.kind === 'filter')) return true;
    const later = joins.slice(index + 1);
    return side === 'inner' ? later.every((each) => each.side === 'inner' || each.side === 'left') : side === 'left' && later.length === 0;
  });
  if (!canBe) return { kind: 'unavailable', what: 'a condition that computes with columns in this outer join' };
  const [main] = sources;
  const wanted = results.length > 0 || main === undefined ? results : ownColumns(main);
  const { groupBy, order, distinct } = shape;
  const columns = columnsOf(action, wanted);
  const outputs = columns.map(({ source, column }): ReportOutput => ({ kind: 'column', name: `${source}.${column}`, source, column }));
  const apart: Apart = { columns, results: wanted, groupBy, order, distinct };
  return { ...action, apart, shape: { ...shape, outputs, groupBy: [], order: [], distinct: false, offset: false } };
}

/** Whatever is looked at, and the key of each source, each once. */
function columnsOf({ sources, tests, joins, shape }: ReportAction, results: readonly ReportResult[]): readonly ColumnPlan[] {
  const expressions = [...tests, ...joins.flatMap((each) => each.tests)].flatMap((each) => (each.kind === 'filter' ? [each.value] : []));
  const computed = results.flatMap((each) => (each.kind === 'computed' ? [each.value] : []));
  const read = sources.flatMap((plan) =>
    [...expressions, ...computed].flatMap((each) => ownNames(each, plan.type)).map((name) => findColumn(`${plan.type}.${name}`, sources)),
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
  const known = findColumn(`${sources[source]?.type}.${column}`, sources);
  return known?.source === source ? known : { name: column, column, source, attribute: undefined, end: undefined };
}
