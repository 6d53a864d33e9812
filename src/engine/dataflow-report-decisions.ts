// Decides the conditions of joins that a store is not asked to compute: rows that may come together are read and looked at, and the join is told which do.

import { writeJson } from '../model/json.ts';
import type { Decision, DecisionReading, ReportAction } from '../plan/dataflow.ts';
import type { Report } from '../plan/shape.ts';
import type { Row } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import { alsoBound, bindTests } from './dataflow-find.ts';
import { joinedRow, passes, scopeOfRow } from './dataflow-report-rows.ts';
import { seenTogether } from './dataflow-report-seen.ts';
import type { RunAction } from './dataflow-values.ts';
import type { Bound } from './guarded.ts';
import { keepIn } from './kept.ts';
import { fieldsOf, look, type Own, type Run, spend, stepsLeft } from './run.ts';

type ReadReport = (shape: Report, values: readonly Value[], run: Run) => Promise<readonly Row[]>;

/** As a condition of the join: its rows are those that it holds for, or stand alone. */
export async function decide(
  decision: Decision,
  action: ReportAction,
  run: Run,
  own: Own,
  runAction: RunAction,
  read: ReadReport,
): Promise<Bound> {
  const marks: Value[] = [];
  for (const reading of decision.readings) {
    const rows = await rowsOf(reading, run, own, runAction, read);
    for (const [index, row] of rows.entries()) {
      const fields = fieldsOf(row);
      if (passes(decision.filters, scopeOfRow(action, joinedRow(action, decision, fields), own), run)) marks.push(fields['mark'] ?? null);
      if (index % looksAfter === 0) await look(run);
    }
  }
  return { condition: { kind: 'marked', keys: decision.keys }, values: [writeJson(marks)], key: 'm' };
}

const looksAfter = 256;

async function rowsOf(reading: DecisionReading, run: Run, own: Own, runAction: RunAction, read: ReadReport): Promise<readonly Row[]> {
  const where = alsoBound(seenTogether(reading.sources, run.reading), await bindTests(reading.tests, run, own, runAction));
  const shape = reading.kept.get(where.key) ?? keepIn(reading.kept, where.key, { ...reading.shape, where: where.condition });
  const rows = await read(shape, [...where.values, stepsLeft(run) + 1], run);
  spend(run, rows.length);
  await look(run);
  return rows;
}
