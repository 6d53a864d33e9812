// `dateFns.*`: calendar arithmetic on dates and times as texts, in UTC; a time without a zone stays without one.

import type { Value } from '../model/types/attribute-type.ts';

type Call = (values: readonly Value[], now: Date) => Value;

/** What is not a date, or has no such number, gives nothing. */
export function callDate(name: string, values: readonly Value[], now: Date): Value {
  const found = functions.get(name);
  if (found === undefined) throw new Error(`${name} has no behaviour in this version`);
  return found(values, now);
}

const day = 86_400_000;
const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const monthNames = 'January February March April May June July August September October November December'.split(' ');

const functions: ReadonlyMap<string, Call> = new Map<string, Call>([
  ['dateFns.today', (_, now) => now.toISOString().slice(0, 10)],
  ['dateFns.addDays', moved((date, count) => new Date(date.getTime() + count * day))],
  ['dateFns.addWeeks', moved((date, count) => new Date(date.getTime() + count * 7 * day))],
  ['dateFns.addMonths', moved(addMonths)],
  ['dateFns.startOfWeek', bound((date) => new Date(midnight(date) - weekday(date) * day))],
  ['dateFns.endOfWeek', bound((date) => new Date(midnight(date) + (7 - weekday(date)) * day - 1))],
  ['dateFns.startOfMonth', bound((date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)))],
  ['dateFns.endOfMonth', bound((date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) - 1))],
  ['dateFns.getWeek', ([text]) => withDate(text, weekOf)],
  ['dateFns.dayName', ([text]) => withDate(text, (date) => dayNames[date.getUTCDay()] ?? null)],
  ['dateFns.formatDate', ([text, pattern]) => withText(text, pattern ?? 'yyyy-MM-dd', formatted)],
  ['dateFns.parseDate', ([text]) => withDate(text, (date) => date.toISOString())],
  ['dateFns.diffInDays', ([first, second]) => difference(first, second, day)],
  ['dateFns.diffInWeeks', ([first, second]) => difference(first, second, 7 * day)],
  ['dateFns.toTimezone', ([text, zone]) => withText(text, zone ?? 'UTC', inZone)],
]);

function dateOf(value: Value | undefined): Date | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}/.test(value)) return undefined;
  const hasZone = value.length === 10 || /(Z|[+-]\d{2}:\d{2})$/.test(value);
  const date = new Date(hasZone ? value : `${value}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** In the form in which it was given: a date alone, a time without zone, or one in UTC. */
function likeGiven(date: Date, given: string): Value {
  if (Number.isNaN(date.getTime())) return null;
  const text = date.toISOString();
  // Before the year 0 and behind 9999 there is no such text.
  if (!/^\d{4}-/.test(text)) return null;
  if (given.length === 10) return text.slice(0, 10);
  return /(Z|[+-]\d{2}:\d{2})$/.test(given) ? text : text.slice(0, -1);
}

function withDate(value: Value | undefined, work: (date: Date) => Value): Value {
  const date = dateOf(value);
  return date === undefined ? null : work(date);
}

/** What is no text is no pattern, and no zone. */
function withText(value: Value | undefined, text: Value, work: (date: Date, text: string) => Value): Value {
  return typeof text === 'string' ? withDate(value, (date) => work(date, text)) : null;
}

function moved(move: (date: Date, count: number) => Date): Call {
  return ([text, count]) => withDate(text, (date) => (typeof count === 'number' ? likeGiven(move(date, count), String(text)) : null));
}

function bound(find: (date: Date) => Date): Call {
  return ([text]) => withDate(text, (date) => likeGiven(find(date), String(text)));
}

function midnight(date: Date): number {
  return Math.floor(date.getTime() / day) * day;
}

/** Weeks begin on Monday, as in ISO 8601. */
function weekday(date: Date): number {
  return (date.getUTCDay() + 6) % 7;
}

/** The last day of a shorter month stands for days that it does not have. */
function addMonths(date: Date, count: number): Date {
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + Math.trunc(count), 1));
  const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  const time = date.getTime() - midnight(date);
  return new Date(first.getTime() + (Math.min(date.getUTCDate(), length) - 1) * day + time);
}

/** The number of the week in its year, as in ISO 8601. */
function weekOf(date: Date): number {
  const thursday = midnight(date) + (3 - weekday(date)) * day;
  const year = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1);
  return Math.floor((thursday - year) / (7 * day)) + 1;
}

function difference(first: Value | undefined, second: Value | undefined, unit: number): Value {
  const [a, b] = [dateOf(first), dateOf(second)];
  return a === undefined || b === undefined ? null : Math.trunc((a.getTime() - b.getTime()) / unit);
}

function formatted(date: Date, pattern: string): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const month = monthNames[date.getUTCMonth()] ?? '';
  const name = dayNames[date.getUTCDay()] ?? '';
  const parts: Readonly<Record<string, string>> = {
    yyyy: String(date.getUTCFullYear()).padStart(4, '0'),
    yy: two(date.getUTCFullYear() % 100),
    MMMM: month,
    MMM: month.slice(0, 3),
    MM: two(date.getUTCMonth() + 1),
    M: String(date.getUTCMonth() + 1),
    dd: two(date.getUTCDate()),
    d: String(date.getUTCDate()),
    EEEE: name,
    EEE: name.slice(0, 3),
    HH: two(date.getUTCHours()),
    H: String(date.getUTCHours()),
    mm: two(date.getUTCMinutes()),
    ss: two(date.getUTCSeconds()),
  };
  // A single letter stands alone, so that words are left as they are.
  return pattern.replace(/yyyy|\byy\b|MMMM|MMM|MM|dd|EEEE|EEE|HH|mm|ss|\b[dMH]\b/g, (part) => parts[part] ?? part);
}

/** What a clock in that zone shows, without a zone. */
function inZone(date: Date, zone: string): Value {
  try {
    const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(date);
    return shown.replace(' ', 'T');
  } catch {
    // There is no such zone.
    return null;
  }
}
