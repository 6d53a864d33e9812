// What a query leaves to be done with the rows of its join: conditions and columns that are computed, then groups, order and the rest.

import type { ColumnKind } from '../../../model/types/attribute-type.ts';
import type { InMemoryPart, JoinAction, Test } from '../../../plan/flow/flow.ts';
import { nameOf } from '../../../plan/flow/tests.ts';
import type { JoinOutput, JoinTerm } from '../../../plan/query/shape.ts';
import { isMomentKind } from '../../../plan/rows/tables.ts';
import { ExactNumber } from '../../../values/exact-number.ts';
import { JsonObject, writeJson } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';
import { checkDeadline } from '../../budget.ts';
import { aggregate, aggregateDoubles } from '../../eval/aggregate.ts';
import { identityOf, order } from '../../eval/comparison.ts';
import { isTrue } from '../../eval/eval.ts';
import { operandOf, outside } from '../../eval/operands.ts';
import { evaluateNow } from '../run.ts';
import type { Fields, Run, Scopes } from '../state.ts';

/** One row of the join: the values of each source, by the names of their columns. */
type Joined = readonly Fields[];

export async function decidedRows(
  action: JoinAction,
  apart: InMemoryPart,
  rows: readonly Fields[],
  run: Run,
  scopes: Scopes,
): Promise<readonly Fields[]> {
  const valuesOf = (joined: Joined): Scopes => scopeOfRow(action, joined, scopes);
  const passing: Joined[] = [];
  for (const [index, row] of rows.entries()) {
    const joined = joinedRow(action, apart, row);
    if (passes(action.tests, valuesOf(joined), run)) passing.push(joined);
    if (index % looksAfter === 0) await checkDeadline(run);
  }
  const results: Result[] = [];
  for (const [index, group] of grouped(apart, passing, action.sources, valuesOf, run).entries()) {
    results.push({ group, fields: fieldsOf(action, apart, group, valuesOf, run) });
    if (index % looksAfter === 0) await checkDeadline(run);
  }
  const sorted = alikeInOrder(apart, results).toSorted((first, second) => sortedBy(action, apart, first, second));
  return distinctOnly(
    apart,
    sorted.map((each) => each.fields),
    action.sources,
  );
}

/** The values of a row under the names of their types. */
function scopeOfRow({ sources }: JoinAction, joined: Joined, scopes: Scopes): Scopes {
  return [...sources.map((_, source) => ({ type: nameOf(source, sources), values: joined[source] ?? noFields })), ...scopes];
}

/** What a row does not have is absent in it, so that nothing else of the same name is found instead. */
function joinedRow({ sources }: JoinAction, { columns }: InMemoryPart, row: Fields): Joined {
  const joined = sources.map((): Fields => new JsonObject());
  for (const { source, name, column, attribute } of columns) {
    const value = row[`${source}.${column}`] ?? null;
    const fields = joined[source] ?? noFields;
    fields[column] = attribute === undefined ? value : operandOf(attribute, value);
    fields[name] = fields[column];
  }
  return joined;
}

function passes(tests: readonly Test[], scopes: Scopes, run: Run): boolean {
  return tests.every((test) => test.kind !== 'filter' || isTrue(evaluateNow(test.value, run, scopes)));
}

interface Result {
  readonly group: readonly Joined[];
  /** Decimals are numbers in them. */
  readonly fields: Fields;
}

type ValuesOf = (joined: Joined) => Scopes;

const looksAfter = 256;
const noFields: Fields = new JsonObject();

/** Without groups each row is one, unless all of them are summed up. */
function grouped(
  { groupBy, results }: InMemoryPart,
  rows: readonly Joined[],
  sources: Sources,
  valuesOf: ValuesOf,
  run: Run,
): readonly (readonly Joined[])[] {
  if (groupBy.length === 0) return results.some((each) => each.kind === 'aggregate') ? [rows] : rows.map((each) => [each]);
  const groups = new Map<string, Joined[]>();
  for (const row of rows) {
    const key = groupBy.map((term) => identityOf(termValue(term, results, row, valuesOf, run), kindOfTerm(term, results, sources))).join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

function termValue(term: JoinTerm, results: InMemoryPart['results'], joined: Joined, valuesOf: ValuesOf, run: Run): Value {
  if (term.kind === 'column') return placeValue(term, joined);
  const result = results.find((each) => each.name === term.name);
  if (result?.kind === 'computed') return evaluateNow(result.value, run, valuesOf(joined));
  return result?.kind === 'column' ? placeValue(result, joined) : null;
}

function fieldsOf({ sources }: JoinAction, { results }: InMemoryPart, group: readonly Joined[], valuesOf: ValuesOf, run: Run): Fields {
  const [first] = group;
  const fields: Fields = new JsonObject();
  for (const each of results) {
    if (each.kind === 'aggregate') fields[each.name] = aggregated(each, group, sources);
    else if (each.kind === 'column') fields[each.name] = least(each, group, sources);
    else fields[each.name] = first === undefined ? null : evaluateNow(each.value, run, valuesOf(first));
  }
  return fields;
}

function shown(fields: Fields): Fields {
  for (const name of Object.keys(fields)) fields[name] = outside(fields[name] ?? null);
  return fields;
}

function aggregated(output: Extract<JoinOutput, { kind: 'aggregate' }>, group: readonly Joined[], sources: Sources): Value {
  const { function: name, of } = output;
  if (of === undefined) return group.length;
  const kind = kindAt(of, sources);
  const values = group.map((each) => placeValue(of, each)).filter((each) => each !== null);
  if (name === 'count') return values.length;
  if (kind === 'real' && (name === 'sum' || name === 'avg')) return aggregateDoubles(name, values);
  return isMomentKind(kind) && name !== 'sum' && name !== 'avg' ? extreme(name, values) : aggregate(name, values);
}

/** By moment, and then as they are written. */
function extreme(name: 'min' | 'max', times: readonly Value[]): Value {
  const sorted = times.toSorted((one, other) => order(one, other, 'datetime') || order(one, other));
  return (name === 'min' ? sorted[0] : sorted.at(-1)) ?? null;
}

/** Of a column that rows are not grouped by, as a store answers it: of decimals that are the same number, the one that is written shorter. */
function least(place: Place, group: readonly Joined[], sources: Sources): Value {
  const values = group.map((each) => placeValue(place, each)).filter((each) => each !== null);
  if (isMomentKind(kindAt(place, sources))) return extreme('min', values);
  const found = aggregate('min', values);
  if (!(found instanceof ExactNumber)) return found;
  const same = values.filter((each) => each instanceof ExactNumber && order(each, found) === 0).map((each) => String(outside(each)));
  return new ExactNumber(same.toSorted()[0] ?? found.text);
}

type Sources = JoinAction['sources'];

/** The kind that a column is stored as. */
export function kindAt(place: Place | undefined, sources: Sources): ColumnKind {
  return sources[place?.source ?? 0]?.table.columns.find(({ name }) => name === place?.column)?.kind ?? 'text';
}

interface Place {
  readonly source: number;
  readonly column: string;
}

function placeValue({ source, column }: Place, joined: Joined): Value {
  return joined[source]?.[column] ?? null;
}

function sortedBy({ sources }: JoinAction, { order: terms, results }: InMemoryPart, first: Result, second: Result): number {
  for (const term of terms) {
    const [one, other] = [sortValue(term, first, sources), sortValue(term, second, sources)];
    const found = order(one, other, kindOfTerm(term, results, sources));
    if (found !== 0) return term.descending ? -found : found;
  }
  return 0;
}

/** The kind that a term is stored as; nothing where it is computed or counted. */
function kindOfTerm(term: JoinTerm, results: InMemoryPart['results'], sources: Sources): ColumnKind | undefined {
  const result = term.kind === 'output' ? results.find((each) => each.name === term.name) : term;
  const place = result?.kind === 'column' ? result : result?.kind === 'aggregate' && result.function !== 'count' ? result.of : undefined;
  return place === undefined ? undefined : kindAt(place, sources);
}

function sortValue(term: JoinTerm, { group, fields }: Result, sources: Sources): Value {
  return term.kind === 'output' ? (fields[term.name] ?? null) : least(term, group, sources);
}

/** Rows that are put together by what they show come by it too, where nothing else tells them apart. */
function alikeInOrder({ distinct }: InMemoryPart, results: readonly Result[]): readonly Result[] {
  if (!distinct) return results;
  const texts = new Map(results.map((each) => [each, textOf(each.fields)]));
  return results.toSorted((one, other) => order(texts.get(one) ?? null, texts.get(other) ?? null));
}

function textOf(fields: Fields): string {
  return writeJson(shown({ ...fields }));
}

/** Of rows that are the same the one is shown whose text comes first. */
function distinctOnly({ distinct, results }: InMemoryPart, rows: readonly Fields[], sources: Sources): readonly Fields[] {
  if (!distinct) return rows;
  const found = new Map<string, Fields>();
  for (const row of rows) {
    const identity = results
      .map(({ name }) => identityOf(row[name] ?? null, kindOfTerm({ kind: 'output', name }, results, sources)))
      .join();
    const known = found.get(identity);
    if (known === undefined) found.set(identity, row);
    else if (order(textOf(row), textOf(known)) < 0) Object.assign(known, row);
  }
  return [...found.values()];
}
