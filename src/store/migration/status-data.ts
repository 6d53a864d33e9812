// What is to be done to the tables, was done, and is retired, as plain data: for commands and for operators of a running service.

import type { Judged } from './diff/verdicts.ts';
import type { MigrationStatus } from './migration.ts';

export function statusData({ pending, history, retired }: MigrationStatus): Readonly<Record<string, unknown>> {
  const done = history.map(({ before, ...entry }) => ({ ...entry, canBeUndone: before !== undefined && !entry.undone }));
  return { pending: pending.map(changeData), history: done, retired };
}

export function changeData(each: Judged): Readonly<Record<string, unknown>> {
  const { change, words, blocked, ways } = each;
  const base = { kind: change.kind, words, by: byWhom(each) };
  return blocked === undefined ? base : { ...base, blocked, ways };
}

export function byWhom({ atStart, blocked }: Judged): 'start' | 'apply' | 'nobody' {
  if (blocked !== undefined) return 'nobody';
  return atStart ? 'start' : 'apply';
}
