// `dateFns.*`: calendar arithmetic on dates and times as texts, in UTC; a time without a zone stays without one.

import { error, type PlatformError } from '../../errors.ts';
import type { Value } from '../../values/value.ts';
import { dayNames, formatMoment, readByPattern } from './date-patterns.ts';
import {
  calendarDay,
  dayNumber,
  type Instant,
  isWritable,
  readMoment,
  secondsOfDay,
  weekday,
  writeDay,
  writeMoment,
  writeTime,
} from './instant.ts';

type Call = (values: readonly Value[], now: Date) => Value;

/** What is absent gives nothing; what is no date of the calendar, or gives none, is refused. */
export function callDate(name: string, values: readonly Value[], now: Date): Value {
  const found = functions.get(name);
  if (found === undefined) throw new Error(`${name} has no behaviour in this version`);
  return values.includes(null) ? null : found(values, now);
}

const functions: ReadonlyMap<string, Call> = new Map<string, Call>([
  ['dateFns.today', (_, now) => now.toISOString().slice(0, 10)],
  ['dateFns.addDays', moved((moment, count) => ({ ...moment, day: moment.day + count }))],
  ['dateFns.addWeeks', moved((moment, count) => ({ ...moment, day: moment.day + 7 * count }))],
  ['dateFns.addMonths', moved(addMonths)],
  ['dateFns.startOfWeek', bound(({ day }) => day - weekday(day), false)],
  ['dateFns.endOfWeek', bound(({ day }) => day - weekday(day) + 6, true)],
  ['dateFns.startOfMonth', bound(({ day }) => firstOfMonth(day, 0), false)],
  ['dateFns.endOfMonth', bound(({ day }) => firstOfMonth(day, 1) - 1, true)],
  ['dateFns.getWeek', ([text]) => weekOf(momentOf(text))],
  ['dateFns.dayName', ([text]) => dayNames[weekday(momentOf(text).day)] ?? null],
  ['dateFns.formatDate', ([text, pattern = 'yyyy-MM-dd']) => formatMoment(momentOf(text), textIn(pattern, 'a pattern'))],
  ['dateFns.parseDate', ([text, pattern]) => written({ ...(pattern === undefined ? momentOf(text) : parsed(text, pattern)), form: 'utc' })],
  ['dateFns.diffInDays', ([first, second]) => difference(momentOf(first), momentOf(second), 1)],
  ['dateFns.diffInWeeks', ([first, second]) => difference(momentOf(first), momentOf(second), 7)],
  ['dateFns.toTimezone', ([text, zone = 'UTC']) => inZone(momentOf(text), textIn(zone, 'a time zone'))],
]);

export const dateFunctionNames: readonly string[] = [...functions.keys()];

function momentOf(value: Value | undefined): Instant {
  const moment = typeof value === 'string' ? readMoment(value) : undefined;
  if (moment === undefined) throw refusal('A value is no date of the calendar such as 2025-01-31 or 2025-01-31T09:30:00Z.');
  return moment;
}

function parsed(text: Value | undefined, pattern: Value): Instant {
  const moment = readByPattern(textIn(text, 'a date'), textIn(pattern, 'a pattern'));
  if (moment === undefined) throw refusal('A text is no date of the calendar in the form of its pattern.');
  return moment;
}

function textIn(value: Value | undefined, what: string): string {
  if (typeof value !== 'string') throw refusal(`A value is not ${what}.`);
  return value;
}

function refusal(detail: string): PlatformError {
  return error('dataflow-failed', { detail });
}

/** In the form in which it was given: a date alone, a time without zone, or one in UTC. */
function written(moment: Instant): string {
  if (!isWritable(moment)) throw refusal('A date lies before the year 0001 or behind 9999.');
  return writeMoment(moment);
}

function moved(move: (moment: Instant, count: number) => Instant): Call {
  return ([text, count]) => {
    const moment = momentOf(text);
    const number = typeof count === 'bigint' ? Number(count) : count;
    if (typeof number !== 'number' || !Number.isInteger(number))
      throw refusal('The number of days, weeks or months is not a whole number.');
    // So many lead out of the calendar from anywhere in it.
    return written(move(moment, Math.max(-furthest, Math.min(number, furthest))));
  };
}

const furthest = 10_000_000;

/** At midnight, or as late as its digits allow. */
function bound(find: (moment: Instant) => number, isEnd: boolean): Call {
  return ([text]) => {
    const moment = momentOf(text);
    const fraction = isEnd ? '9'.repeat(Math.max(3, moment.fraction.length)) : '';
    return written({ ...moment, day: find(moment), second: isEnd ? secondsOfDay - 1 : 0, fraction });
  };
}

/** The last day of a shorter month stands for days that it does not have. */
function addMonths(moment: Instant, count: number): Instant {
  const length = firstOfMonth(moment.day, count + 1) - firstOfMonth(moment.day, count);
  return { ...moment, day: firstOfMonth(moment.day, count) + Math.min(calendarDay(moment.day).day, length) - 1 };
}

/** Of the month that is so many later. */
function firstOfMonth(number: number, later: number): number {
  const { year, month } = calendarDay(number);
  const months = year * 12 + month - 1 + later;
  const inYear = Math.floor(months / 12);
  return dayNumber({ year: inYear, month: months - inYear * 12 + 1, day: 1 });
}

/** The number of the week in its year, as in ISO 8601: the year that its Thursday is in. */
function weekOf({ day }: Instant): number {
  const thursday = day - weekday(day) + 3;
  const newYear = dayNumber({ year: calendarDay(thursday).year, month: 1, day: 1 });
  return Math.floor((thursday - newYear) / 7) + 1;
}

/** Whole ones, without what is left over. */
function difference(first: Instant, second: Instant, days: number): number {
  return Number((nanoseconds(first) - nanoseconds(second)) / (BigInt(days * secondsOfDay) * 1_000_000_000n));
}

function nanoseconds({ day, second, fraction }: Instant): bigint {
  return BigInt(day * secondsOfDay + second) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** What a clock in that zone shows, without a zone. */
function inZone(moment: Instant, zone: string): string {
  const shown = zoned(moment.day * secondsOfDay + moment.second, zone);
  const day = Math.floor(shown / secondsOfDay);
  if (!isWritable({ ...moment, day })) throw refusal('A date lies before the year 0001 or behind 9999.');
  const fraction = moment.fraction === '' ? '' : `.${moment.fraction}`;
  return `${writeDay(day)}T${writeTime(shown - day * secondsOfDay)}${fraction}`;
}

function zoned(seconds: number, zone: string): number {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  const parts = formatIn(zone, numeric).formatToParts(new Date(seconds * 1000));
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((each) => each.type === type)?.value ?? 0);
  const isBefore = parts.some(({ type, value }) => type === 'era' && value.startsWith('B'));
  const year = isBefore ? 1 - part('year') : part('year');
  const day = dayNumber({ year, month: part('month'), day: part('day') });
  return day * secondsOfDay + (part('hour') * 60 + part('minute')) * 60 + part('second');
}

function formatIn(timeZone: string, numeric: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      ...numeric,
      timeZone,
      era: 'short',
      hourCycle: 'h23',
      calendar: 'gregory',
      numberingSystem: 'latn',
    });
  } catch (thrown) {
    if (thrown instanceof RangeError) throw refusal('There is no such time zone.');
    throw thrown;
  }
}
