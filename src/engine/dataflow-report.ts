// Runs queries whose rows are no instances: joins, chosen columns, aggregates.

import { error } from '../errors.ts';
import { ExactNumber } from '../exact-number.ts';
import type { Value } from '../model/types/attribute-type.ts';
import type { ReportAction, Test } from '../plan/dataflow.ts';
import type { Report } from '../plan/shape.ts';
import { type Bound, bindTests, countOf } from './dataflow-find.ts';
import type { RunAction } from './dataflow-values.ts';
import { calculate, compareNumbers, isNumeric } from './numbers.ts';
import { breathe, type Fields, fieldsOf, limits, type Own, type Run, spend } from './run.ts';

export async function runReport(action: ReportAction, run: Run, own: Own, runAction: RunAction): Promise<Value> {
  const joins: Bound[] = [];
  for (const each of action.joins) joins.push(await bound(each.tests, run, own, runAction));
  const where = await bound(action.tests, run, own, runAction);
  const shape = shapeOf(action, joins, where);
  const limit = (await countOf(action.limit, 'limit', run, own, runAction)) ?? limits.steps + 1;
  const offset = (await countOf(action.offset, 'offset', run, own, runAction)) ?? 0;
  const values = [...joins.flatMap((each) => each.values), ...where.values];
  const cuts = [...(shape.limit ? [limit] : []), ...(shape.offset ? [offset] : [])];
  const rows = await run.reading.tx.report(shape, [...values, ...cuts]);
  spend(run, rows.length);
  await breathe(run);
  return rows.map((row) => summed(fieldsOf(row), action));
}

/** What the store is not asked to compute has no place in a report. */
function bound(tests: readonly Test[], run: Run, own: Own, runAction: RunAction): Promise<Bound> {
  if (tests.some((each) => each.kind === 'filter'))
    throw error('not-available', { detail: 'A condition that computes with columns is not in this version of joins and aggregates.' });
  return bindTests(tests, run, own, runAction);
}

function shapeOf(action: ReportAction, joins: readonly Bound[], where: Bound): Report {
  const key = [...joins, where].map((each) => each.key).join('|');
  const kept = action.kept.get(key);
  if (kept !== undefined) return kept;
  const made: Report = {
    ...action.shape,
    joins: action.joins.map(({ side, table }, index) => ({ side, table, on: joins[index]?.condition ?? { kind: 'all' } })),
    where: where.condition,
  };
  action.kept.set(key, made);
  return made;
}

/** Decimals come as the list of their values, and are added up exactly. */
function summed(fields: Fields, { shape }: ReportAction): Fields {
  for (const output of shape.outputs) {
    const value = fields[output.name] ?? null;
    if (output.kind === 'aggregate' && output.function !== 'count' && Array.isArray(value))
      fields[output.name] = aggregate(output.function, value.map(String));
  }
  return fields;
}

function aggregate(name: 'sum' | 'avg' | 'min' | 'max', texts: readonly string[]): Value {
  const [first, ...rest] = texts.map((each) => new ExactNumber(each));
  if (first === undefined) return null;
  if (name === 'min' || name === 'max')
    return rest.reduce((best, each) => (compareNumbers(each, best) < 0 === (name === 'min') ? each : best), first).text;
  const sum = rest.reduce<Value>((total, each) => (isNumeric(total) ? calculate('+', total, each) : null), first);
  const result = name === 'sum' || !isNumeric(sum) ? sum : calculate('/', sum, texts.length);
  return result instanceof ExactNumber ? result.text : result;
}
