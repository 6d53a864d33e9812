// Queries whose rows are no instances: joins, chosen columns, aggregates → one shape.

import type { Aggregate, Expression, InstancePattern } from '../model/pattern.ts';
import type { Action, ColumnPlan } from './dataflow.ts';
import type { Compiling } from './dataflow-effects.ts';
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
  const outputs = outputsOf(pattern, sources);
  if (outputs === undefined || sources.length !== joined.length + 1) return { kind: 'unavailable', what: 'a query of this form' };
  return {
    kind: 'report',
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
      limit: options.limit !== undefined || options.offset !== undefined,
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
    kept: new Map(),
  };
}

type Sources = readonly (EntityPlan | LinkPlan)[];

/** The columns that were asked for, with those that rows are grouped by; without any, those of the first type. */
function outputsOf({ options, attributes }: InstancePattern, sources: Sources): readonly ReportOutput[] | undefined {
  const aggregates = attributes.flatMap(({ name, value }) => (value.kind === 'aggregate' ? [{ name, value }] : []));
  const asked = [...(options.into ?? []), ...aggregates].map(({ name, value }) => outputOf(name.text, value, sources));
  if (asked.includes(undefined)) return undefined;
  const found = asked.flatMap((each) => each ?? []);
  const grouped = (options.groupBy ?? []).flatMap((name): readonly ReportOutput[] => {
    const column = findColumn(name.text, sources);
    const isThere = column === undefined || found.some((each) => isColumn(each, column));
    return isThere || column === undefined ? [] : [{ kind: 'column', name: column.name, source: column.source, column: column.column }];
  });
  if (found.length > 0 || grouped.length > 0) return [...grouped, ...found];
  const [main] = sources;
  return main?.attributes
    .filter((each) => !each.hidden)
    .map((each): ReportOutput => ({ kind: 'column', name: each.name, source: 0, column: each.column }));
}

function isColumn(output: ReportOutput, { source, column }: ColumnPlan): boolean {
  return output.kind === 'column' && output.source === source && output.column === column;
}

function outputOf(name: string, value: Expression | Aggregate, sources: Sources): ReportOutput | undefined {
  if (value.kind === 'aggregate') {
    if (value.of.text === '*') return { kind: 'aggregate', name, function: 'count', of: undefined };
    const column = findColumn(value.of.text, sources);
    return column && { kind: 'aggregate', name, function: value.function, of: { source: column.source, column: column.column } };
  }
  const column = value.kind === 'reference' ? referencedColumn(value.path, sources) : undefined;
  return column && { kind: 'column', name, source: column.source, column: column.column };
}

function referencedColumn(path: readonly string[], sources: Sources): ColumnPlan | undefined {
  return path.length === 2 ? findColumn(path.join('.'), sources) : undefined;
}

/** A column, or the name of an output. */
function termOf(text: string, outputs: readonly ReportOutput[], sources: Sources): ReportTerm | undefined {
  if (outputs.some((each) => each.name === text)) return { kind: 'output', name: text };
  const column = findColumn(text, sources);
  return column && { kind: 'column', source: column.source, column: column.column };
}
