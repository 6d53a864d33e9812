// Timers for an operator who has the store: what is kept of them, without what they are given.

import type { Plan } from '../plan/plan.ts';
import type { Reader } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import { TimerRows, triggerIn } from './rows.ts';

export interface KeptTimer {
  readonly name: string;
  readonly due: string | null;
  /** In words: `every 5 minutes`. */
  readonly when: string;
  /** What is run. */
  readonly trigger: string;
  readonly user: string | null;
  readonly last: string | null;
  readonly runs: number;
  readonly error: string | null;
}

/** In the order in which they are due; those that are not any more come first. */
export async function keptTimers(plan: Plan, reader: Reader): Promise<readonly KeptTimer[]> {
  const rows = await new TimerRows(plan).all(reader);
  const kept = rows.map((row): KeptTimer => {
    const text = (name: string): string | null => (typeof row[name] === 'string' ? row[name] : null);
    const unit = (text('unit') ?? 'second').toLowerCase().replace(/s$/, '');
    const duration = `${String(row['duration'])} ${unit}${Number(row['duration']) === 1 ? '' : 's'}`;
    return {
      name: text('name') ?? '',
      due: text('due'),
      when: text('schedule') ?? (isOnce(row['repeat']) ? `once, after ${duration}` : `every ${duration}`),
      trigger: triggerIn(row)?.name ?? '',
      user: text('user'),
      last: text('last'),
      runs: Number(row['runs'] ?? 0),
      error: text('error'),
    };
  });
  return kept.sort((a, b) => ((a.due ?? '') < (b.due ?? '') ? -1 : 1));
}

function isOnce(repeat: Value | undefined): boolean {
  return repeat === false || repeat === 0 || repeat === 0n;
}
