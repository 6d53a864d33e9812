// The rows of timers as the service sees them: which are due, taken by one process at a time, set to their next time.

import { OwnTable } from '../engine/own-table.ts';
import { isOfLogic } from '../engine/saved-caller.ts';
import { type TimerAttributes, type Trigger, timingOf, triggerOf } from '../model/timers/definition.ts';
import { nextTime, type Schedule } from '../model/timers/schedule.ts';
import { timerType } from '../model/timers/timers.ts';
import type { EntityPlan, Plan } from '../plan/plan.ts';
import { versionColumn } from '../plan/rows/tables.ts';
import type { Reader, Writer } from '../store/store.ts';
import { parseJson } from '../values/json/json.ts';
import type { Value, Values } from '../values/value.ts';

export interface Timer {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly due: number;
  readonly trigger: Trigger | undefined;
  readonly timing: Timing;
  readonly repeats: boolean;
  readonly runs: number;
  /** For whom it runs, as it is written down. */
  readonly caller: string;
}

export interface Timing {
  readonly schedule: Schedule | undefined;
  /** The times are those of the schedule; otherwise they are counted from the one before. */
  readonly isFixed: boolean;
}

/** What is kept of a run. */
export interface Outcome {
  /** Its next due time; `never`: it stays without one; `done`: the timer is removed. */
  readonly next: number | 'never' | 'done';
  readonly last: number;
  readonly error: string | null;
}

const jsonLimits = { depth: 1000, keys: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY };
const ever = '0001-01-01T00:00:00Z';
const forever = '9999-12-31T23:59:59Z';

export function timersPlan({ entities }: Plan): EntityPlan {
  const plan = entities.get(timerType);
  if (plan === undefined) throw new Error('the model was linked without timers');
  return plan;
}

export class TimerRows {
  readonly #rows: OwnTable;

  constructor(plan: Plan) {
    this.#rows = new OwnTable(timersPlan(plan).table);
  }

  /** Those whose time has come, the longest ago first. */
  async due(tx: Reader, now: number, limit: number): Promise<readonly Timer[]> {
    return (await this.#rows.upTo(tx, 'due', textOf(now), limit, ever)).map(timerOf);
  }

  /** When the next one is due of those that were not due yet at this time. */
  async nextDue(tx: Reader, after: number): Promise<number | undefined> {
    const [first] = await this.#rows.upTo(tx, 'due', forever, 1, textOf(after + 1));
    return first === undefined ? undefined : timerOf(first).due;
  }

  /** Whether it is still due then, and nobody else has taken it; nobody does until the transaction ends. */
  async take(tx: Writer, { name, due }: Timer): Promise<boolean> {
    return (await this.#rows.find(tx, { name, due: textOf(due) }, 'free')) !== undefined;
  }

  /** Nothing is changed where the timer is gone, or was set to another time meanwhile. */
  async put(tx: Writer, timer: Timer, outcome: Outcome): Promise<void> {
    await this.#write(tx, { name: timer.name, due: textOf(timer.due) }, timer, outcome);
  }

  /** What came of a run whose beginning was put; nothing is changed where the timer was changed meanwhile. */
  async end(tx: Writer, timer: Timer, begun: Outcome, outcome: Outcome): Promise<void> {
    await this.#write(tx, { name: timer.name, last: textOf(begun.last), runs: timer.runs + 1 }, timer, outcome);
  }

  async #write(tx: Writer, by: Values, timer: Timer, { next, last, error }: Outcome): Promise<void> {
    if (next === 'done') await this.#rows.remove(tx, by);
    else {
      const due = next === 'never' ? null : textOf(next);
      await this.#rows.update(tx, by, { due, last: textOf(last), runs: timer.runs + 1, error, [versionColumn]: last });
    }
  }

  /** Whether what it runs stands in the model itself. */
  async isOfModel(tx: Reader, name: string): Promise<boolean> {
    const row = await this.#rows.find(tx, { name });
    return row !== undefined && isOfLogic(timerOf(row).caller);
  }

  async all(tx: Reader): Promise<readonly Values[]> {
    return this.#rows.all(tx, {});
  }

  async remove(tx: Writer, by: { readonly name: string } | { readonly user: string }): Promise<void> {
    await this.#rows.remove(tx, { ...by });
  }
}

/** As a column of moments holds it. */
export function textOf(time: number): string {
  return new Date(time).toISOString();
}

function timerOf(row: Values): Timer {
  return {
    name: String(row['name']),
    due: Date.parse(String(row['due'])),
    trigger: triggerIn(row),
    timing: timingIn({ duration: row['duration'] ?? null, unit: row['unit'] ?? null, schedule: row['schedule'] ?? null }),
    repeats: isYes(row['repeat']),
    runs: Number(row['runs'] ?? 0),
    caller: String(row['caller'] ?? '{"kind":"anonymous"}'),
  };
}

export function triggerIn(row: Values): Trigger | undefined {
  return triggerOf(jsonOf(row['trigger']));
}

/** A store that has no truth values keeps a number. */
function isYes(value: Value | undefined): boolean {
  return value === true || value === 1 || value === 1n;
}

function jsonOf(value: Value | undefined): Value {
  return typeof value === 'string' ? parseJson(value, jsonLimits) : (value ?? null);
}

export function timingIn({ duration = null, unit = null, schedule = null }: TimerAttributes): Timing {
  return { schedule: timingOf({ duration, unit, schedule }), isFixed: schedule !== null };
}

/** The first due time behind `after`; `from` is the due time, or the moment, that others are counted from. */
export function following({ schedule, isFixed }: Timing, from: number, after: number, zone: string): number | undefined {
  if (schedule === undefined) return undefined;
  if (isFixed || schedule.kind !== 'every') return nextTime(schedule, after, zone);
  return from + Math.max(1, Math.floor((after - from) / schedule.interval) + 1) * schedule.interval;
}
