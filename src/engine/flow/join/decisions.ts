// Decides the conditions of joins that a store is not asked to compute: rows that may come together are read and looked at, and the join is told which do.

import type { Decision, DecisionReading, JoinAction } from '../../../plan/flow/flow.ts';
import type { JoinQuery } from '../../../plan/query/shape.ts';
import type { Row } from '../../../store/store.ts';
import { writeJson } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';
import type { Bound } from '../../instances/guard.ts';
import { cacheQueryShape } from '../../shape-cache.ts';
import { alsoBound, bindTests } from '../find.ts';
import { checkDeadline, fieldsOf, type Run, type Scopes, spend, stepsLeft } from '../run.ts';
import { joinedRow, passes, scopeOfRow } from './rows.ts';
import { visibleTogether } from './visible.ts';

type ReadReport = (shape: JoinQuery, values: readonly Value[], run: Run) => Promise<readonly Row[]>;

/** As a condition of the join: its rows are those that it holds for, or stand alone. */
export async function decide(decision: Decision, action: JoinAction, run: Run, scopes: Scopes, read: ReadReport): Promise<Bound> {
  const marks: Value[] = [];
  for (const reading of decision.readings) {
    const rows = await rowsOf(reading, run, scopes, read);
    for (const [index, row] of rows.entries()) {
      const fields = fieldsOf(row);
      if (passes(decision.filters, scopeOfRow(action, joinedRow(action, decision, fields), scopes), run))
        marks.push(fields['mark'] ?? null);
      if (index % looksAfter === 0) await checkDeadline(run);
    }
  }
  return { condition: { kind: 'marked', keys: decision.keys }, values: [writeJson(marks)], key: 'm' };
}

const looksAfter = 256;

async function rowsOf(reading: DecisionReading, run: Run, scopes: Scopes, read: ReadReport): Promise<readonly Row[]> {
  const where = alsoBound(visibleTogether(reading.sources, run.reading), await bindTests(reading.tests, run, scopes));
  const shape = reading.cached.get(where.key) ?? cacheQueryShape(reading.cached, where.key, { ...reading.shape, where: where.condition });
  const rows = await read(shape, [...where.values, stepsLeft(run) + 1], run);
  spend(run, rows.length);
  await checkDeadline(run);
  return rows;
}
