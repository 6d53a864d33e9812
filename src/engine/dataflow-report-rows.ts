// What a query leaves to be done with the rows of its join: conditions and columns that are computed, then groups, order and the rest.

import { ExactNumber } from '../exact-number.ts';
import { JsonObject, writeJson } from '../model/json.ts';
import type { Value } from '../model/types/attribute-type.ts';
import type { Apart, ReportAction, Test } from '../plan/dataflow.ts';
import type { ReportOutput, ReportTerm } from '../plan/shape.ts';
import { kindOf } from '../plan/tables.ts';
import { aggregate, order } from './aggregate.ts';
import { isTrue, outside } from './expression.ts';
import { evaluateNow, type Fields, look, type Own, type Run } from './run.ts';

/** One row of the join: the values of each source, by the names of their columns. */
type Joined = readonly Fields[];

export async function decidedRows(
  action: ReportAction,
  apart: Apart,
  rows: readonly Fields[],
  run: Run,
  own: Own,
): Promise<readonly Fields[]> {
  const scope = (joined: Joined): Own => [
    ...action.sources.map(({ type }, source) => ({ type, values: joined[source] ?? noFields })),
    ...own,
  ];
  const kept: Joined[] = [];
  const all = rows.map((row) => joinedRow(action, apart, row));
  for (const [index, joined] of joinedAgain(action, all, (tests, each) => passes(tests, scope(each), run)).entries()) {
    if (passes(action.tests, scope(joined), run)) kept.push(joined);
    if (index % looksAfter === 0) await look(run);
  }
  const groups = grouped(apart, kept);
  const computed = groups.map((group): Result => ({ group, fields: fieldsOf(apart, group, scope, run) }));
  const sorted = computed.toSorted((first, second) => sortedBy(apart, first, second));
  return distinctOnly(
    apart,
    sorted.map((each) => each.fields),
  );
}

interface Result {
  readonly group: readonly Joined[];
  readonly fields: Fields;
}

const looksAfter = 256;
const noFields: Fields = new JsonObject();

function joinedRow({ sources }: ReportAction, { columns }: Apart, row: Fields): Joined {
  const joined = sources.map((): Fields => new JsonObject());
  for (const { source, name, column, attribute } of columns) {
    const value = row[`${source}.${column}`] ?? null;
    const isDecimal = attribute !== undefined && kindOf(attribute.attribute) === 'decimal' && typeof value === 'string';
    const fields = joined[source] ?? noFields;
    fields[column] = isDecimal ? new ExactNumber(value) : value;
    fields[name] = fields[column];
  }
  return joined;
}

/** Computed conditions of joins: of a left join, what loses its last match stands alone. */
function joinedAgain(
  action: ReportAction,
  rows: readonly Joined[],
  holds: (tests: readonly Test[], joined: Joined) => boolean,
): readonly Joined[] {
  const inner = action.joins.filter((each) => each.side === 'inner');
  const left = rows.filter((joined) => inner.every((each) => holds(each.tests, joined)));
  const last = action.joins.at(-1);
  const source = action.sources.length - 1;
  const key = action.sources[source]?.key ?? '';
  if (last?.side !== 'left' || !last.tests.some((each) => each.kind === 'filter')) return left;
  const matched = (joined: Joined): boolean => (joined[source]?.[key] ?? null) !== null && holds(last.tests, joined);
  const before = new Map<string, Joined[]>();
  for (const joined of left) {
    const name = action.sources
      .slice(0, source)
      .map((plan, index) => writeJson(joined[index]?.[plan.key] ?? null))
      .join();
    before.set(name, [...(before.get(name) ?? []), joined]);
  }
  return [...before.values()].flatMap((group) => {
    const found = group.filter(matched);
    return found.length > 0 ? found : group.slice(0, 1).map((joined) => [...joined.slice(0, source), noFields]);
  });
}

function passes(tests: readonly Test[], own: Own, run: Run): boolean {
  return tests.every((test) => test.kind !== 'filter' || isTrue(evaluateNow(test.value, run, own)));
}

/** Without groups each row is one, unless all of them are summed up. */
function grouped({ groupBy, results }: Apart, rows: readonly Joined[]): readonly (readonly Joined[])[] {
  if (groupBy.length === 0) return results.some((each) => each.kind === 'aggregate') ? [rows] : rows.map((each) => [each]);
  const groups = new Map<string, Joined[]>();
  for (const row of rows) {
    const key = groupBy.map((term) => writeJson(outside(termValue(term, results, row)))).join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

function fieldsOf({ results }: Apart, group: readonly Joined[], scope: (joined: Joined) => Own, run: Run): Fields {
  const [first] = group;
  const fields: Fields = new JsonObject();
  for (const each of results) {
    if (each.kind === 'aggregate') fields[each.name] = aggregated(each, group);
    else if (first === undefined) fields[each.name] = null;
    else fields[each.name] = outside(each.kind === 'computed' ? evaluateNow(each.value, run, scope(first)) : placeValue(each, first));
  }
  return fields;
}

function aggregated({ function: name, of }: Extract<ReportOutput, { kind: 'aggregate' }>, group: readonly Joined[]): Value {
  if (of === undefined) return group.length;
  const values = group.map((each) => placeValue(of, each)).filter((each) => each !== null);
  return name === 'count' ? values.length : aggregate(name, values);
}

function placeValue({ source, column }: { readonly source: number; readonly column: string }, joined: Joined): Value {
  return joined[source]?.[column] ?? null;
}

function termValue(term: ReportTerm, results: Apart['results'], joined: Joined): Value {
  if (term.kind === 'column') return placeValue(term, joined);
  const result = results.find((each) => each.name === term.name);
  return result?.kind === 'column' ? placeValue(result, joined) : null;
}

function sortedBy({ order: terms }: Apart, first: Result, second: Result): number {
  for (const term of terms) {
    const [one, other] = [sortValue(term, first), sortValue(term, second)];
    const found = order(one, other);
    if (found !== 0) return term.descending ? -found : found;
  }
  return 0;
}

function sortValue(term: ReportTerm, { group, fields }: Result): Value {
  const [first] = group;
  return term.kind === 'output' ? (fields[term.name] ?? null) : first === undefined ? null : placeValue(term, first);
}

function distinctOnly({ distinct }: Apart, rows: readonly Fields[]): readonly Fields[] {
  return distinct ? [...new Map(rows.map((row) => [writeJson(row), row])).values()] : rows;
}
