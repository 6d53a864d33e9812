// What the attributes of a timer say: what is run, and when. The same rules for the text of a model and for what is stored.

import type { Value } from '../../values/value.ts';
import type { TypeName } from '../model.ts';
import { isMap } from '../types/json.ts';
import { longestInterval, parseSchedule, type Schedule, scheduleForms, shortestInterval, unitTime, unitWords } from './schedule.ts';

/** As the current surface calls them; null where nothing is given, absent where it is not known yet. */
export interface TimerAttributes {
  readonly duration?: Value;
  readonly unit?: Value;
  readonly trigger?: Value;
  readonly repeat?: Value;
  readonly schedule?: Value;
}

export interface TimerFault {
  readonly attribute: keyof TimerAttributes;
  readonly message: string;
}

/** What is run, with the attributes that it is given. */
export interface Trigger {
  readonly name: TypeName;
  readonly body: Value;
}

/** `"mod/event"`, or `{"mod/event": {…}}`. */
export function triggerOf(given: Value): Trigger | undefined {
  if (typeof given === 'string') return { name: nameIn(given), body: {} };
  if (!isMap(given)) return undefined;
  const [first, ...more] = Object.entries(given);
  return first === undefined || more.length > 0 ? undefined : { name: nameIn(first[0]), body: first[1] ?? {} };
}

function nameIn(text: string): TypeName {
  return text.replace(/^:/, '');
}

/** Milliseconds, or the times of a schedule; nothing where the attributes say neither. */
export function timingOf({ duration, unit, schedule }: TimerAttributes): Schedule | undefined {
  if (typeof schedule === 'string') return parseSchedule(schedule);
  const time = typeof unit === 'string' ? unitTime(unit) : 1000;
  if (time === undefined || (typeof duration !== 'number' && typeof duration !== 'bigint')) return undefined;
  return { kind: 'every', interval: Number(duration) * time };
}

/** `isRunnable` tells whether an event or an agent of the model goes by a name. */
export function timerFaults(given: TimerAttributes, isRunnable: (name: TypeName) => boolean): readonly TimerFault[] {
  const { duration, unit, trigger, schedule, repeat } = given;
  const faults: TimerFault[] = [];
  const fault = (attribute: TimerFault['attribute'], message: string): number => faults.push({ attribute, message });
  const named = trigger === undefined ? undefined : triggerOf(trigger);
  if (trigger !== undefined && (named === undefined || !isRunnable(named.name)))
    fault('trigger', 'must be the name of an event of the model, with its module, or an object with that name and its attributes');
  if (typeof unit === 'string' && unitTime(unit) === undefined) fault('unit', `must be one of ${unitWords.join(', ')}`);
  if (typeof schedule === 'string' && parseSchedule(schedule) === undefined) fault('schedule', `must be ${scheduleForms}`);
  if (duration === null && schedule === null) fault('duration', 'is required where there is no schedule');
  if (duration !== null && duration !== undefined && typeof schedule === 'string')
    fault('schedule', 'stands in place of a duration, not beside one');
  if (schedule === null && faults.length === 0) {
    const timing = timingOf(given);
    const interval = timing?.kind === 'every' ? timing.interval : undefined;
    const least = repeat === false ? 1 : shortestInterval;
    if (interval !== undefined && (interval < least || interval > longestInterval))
      fault('duration', repeat === false ? 'must be from 1 millisecond to 4 years' : 'must be from 1 second to 4 years');
  }
  return faults;
}
