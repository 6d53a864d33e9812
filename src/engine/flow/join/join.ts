// Runs queries whose rows are no instances: joins, chosen columns, aggregates.

import type { JoinAction } from '../../../plan/flow/flow.ts';
import type { Condition } from '../../../plan/query/condition.ts';
import type { JoinQuery } from '../../../plan/query/shape.ts';
import type { Row } from '../../../store/store.ts';
import type { Value } from '../../../values/value.ts';
import { checkDeadline, inTime, spend, stepsLeft } from '../../budget.ts';
import { sumOf } from '../../eval/aggregate.ts';
import { operandOf } from '../../eval/operands.ts';
import { type Bound, rowCondition, unbound } from '../../instances/guard.ts';
import { seenBy } from '../../instances/seen.ts';
import { heldRows } from '../../memory.ts';
import type { Context } from '../../operation.ts';
import { cacheQueryShape } from '../../shape-cache.ts';
import { alsoBound, bindTests, cutOf } from '../find.ts';
import { refuseHiddenInJoin } from '../hidden.ts';
import { fieldsOf } from '../run.ts';
import type { Fields, Run, Scopes } from '../state.ts';
import { refuseTooManyPairs } from './pairs.ts';
import { decidedRows, kindAt } from './rows.ts';

/** Where the rows stand for instances, they hold the key of each. */
export async function runReport(action: JoinAction, run: Run, scopes: Scopes): Promise<readonly Fields[]> {
  const { apart } = action;
  refuseHiddenInJoin(action, run.reading);
  const visible = visibleSources(action, run.reading);
  const joins: Bound[] = [];
  for (const [index, { tests }] of action.joins.entries())
    joins.push((visible.joins[index] ?? []).reduce(alsoBound, await bindTests(tests, run, scopes)));
  const where = visible.where.reduce(alsoBound, await bindTests(action.tests, run, scopes));
  const shape = shapeOf(action, joins, where);
  await refuseTooManyPairs(shape, run);
  const most = stepsLeft(run) + 1;
  const { limit = most, offset } = await cutOf(action, run, scopes);
  const cuts = apart === undefined ? [limit, ...(shape.offset ? [offset] : [])] : [most];
  const rows = await rowsInTime(shape, [...joins.flatMap((each) => each.values), ...where.values, ...cuts], run);
  spend(run, rows.length);
  await checkDeadline(run);
  if (apart === undefined) {
    const outputs = outputsOf(action);
    return rows.map((row) => withNumbers(fieldsOf(row), outputs));
  }
  const found = await decidedRows(action, apart, rows.map(fieldsOf), run, scopes);
  return found.slice(offset, offset + limit);
}

async function rowsInTime(shape: JoinQuery, values: readonly Value[], run: Run): Promise<readonly Row[]> {
  const { reading, budget } = run;
  return inTime((until) => heldRows((bytes) => reading.tx.report(seenBy(shape, reading), values, until, bytes), budget.held, reading), run);
}

function shapeOf(action: JoinAction, joins: readonly Bound[], where: Bound): JoinQuery {
  const key = [...joins, where].map((each) => each.key).join('|');
  const cached = action.cached.get(key);
  if (cached !== undefined) return cached;
  const made: JoinQuery = {
    ...action.shape,
    joins: action.joins.map(({ side, table }, index) => ({ side, table, on: joins[index]?.condition ?? { kind: 'all' } })),
    where: where.condition,
  };
  return cacheQueryShape(action.cached, key, made);
}

type Convert = (value: Value) => Value;

/** The columns whose values expressions see in another form than the store gives them. */
function outputsOf({ shape, sources }: JoinAction): readonly (readonly [name: string, convert: Convert])[] {
  return shape.outputs.flatMap((output): readonly (readonly [string, Convert])[] => {
    const place = output.kind === 'aggregate' ? output.of : output;
    const attribute = place && sources[place.source]?.attributes.find((each) => each.column === place.column);
    if (output.kind === 'column') return attribute?.numbers === undefined ? [] : [[output.name, (value) => operandOf(attribute, value)]];
    const { function: name } = output;
    if (name === 'count') return [];
    // What a store does not add up exactly comes as the list of its values, whole numbers as billions, what is left of them, and their number.
    const kind = kindAt(place, sources);
    const single: Convert = (value) => (attribute === undefined ? value : operandOf(attribute, value));
    return [[output.name, (value) => (Array.isArray(value) ? sumOf(name, kind, value) : single(value))]];
  });
}

/** Decimals stay numbers for whoever computes with the rows; answers show their texts. */
function withNumbers(fields: Fields, outputs: readonly (readonly [name: string, convert: Convert])[]): Fields {
  for (const [name, convert] of outputs) fields[name] = convert(fields[name] ?? null);
  return fields;
}

interface VisibleSources {
  /** For each join, what its condition must hold besides. */
  readonly joins: readonly (readonly Bound[])[];
  readonly where: readonly Bound[];
}

/** What the guard lets the caller see of each type of a join: rows they may not see are as if they were not there. */
function visibleSources({ sources, joins }: JoinAction, context: Context): VisibleSources {
  const bounds = sources.map((plan, source) => onSource(rowCondition('read', plan, context), source));
  const isOuter = joins.some(({ side }) => side !== 'inner');
  return {
    // A row that the caller may not read must not count as the partner of another one: an outer join would show that it exists.
    joins: joins.map((_, index) => bounds.slice(0, index + 2).map((bound, source) => orAbsent(bound, source, sources, source <= index))),
    where: bounds.map((bound, source) => orAbsent(bound, source, sources, isOuter)),
  };
}

function orAbsent(bound: Bound, source: number, sources: JoinAction['sources'], mayBeAbsent: boolean): Bound {
  const column = sources[source]?.key;
  if (bound === unbound || column === undefined || !mayBeAbsent) return bound;
  const absent: Condition = { kind: 'compare', column, source, operator: 'null' };
  return { ...bound, condition: { kind: 'or', conditions: [bound.condition, absent] }, key: `${bound.key}?` };
}

function onSource(bound: Bound, source: number): Bound {
  if (bound === unbound) return unbound;
  return { ...bound, condition: { kind: 'row', source, condition: bound.condition }, key: `${bound.key}${source}` };
}
