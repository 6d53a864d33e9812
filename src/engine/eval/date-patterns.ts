// Dates written and read by a pattern such as `EEEE, d MMMM yyyy`.

import { isDate, readTime } from '../../model/types/time/calendar.ts';
import { calendarDay, type Instant, readMoment, twoDigits, weekday, writeTime } from './instant.ts';

export const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const monthNames = 'January February March April May June July August September October November December'.split(' ');
const short = (name: string): string => name.slice(0, 3);

const oneOf = (names: readonly string[]): string => names.join('|');

/** By how they are written: what each reads. */
const parts: ReadonlyMap<string, string> = new Map([
  ['yyyy', '\\d{4}'],
  ['yy', '\\d{2}'],
  ['MMMM', oneOf(monthNames)],
  ['MMM', oneOf(monthNames.map(short))],
  ['MM', '\\d{2}'],
  ['M', '\\d{1,2}'],
  ['dd', '\\d{2}'],
  ['d', '\\d{1,2}'],
  ['EEEE', oneOf(dayNames)],
  ['EEE', oneOf(dayNames.map(short))],
  ['HH', '\\d{2}'],
  ['H', '\\d{1,2}'],
  ['mm', '\\d{2}'],
  ['ss', '\\d{2}'],
  ['SSS', '\\d{3}'],
]);

const anyPart = /(yyyy|yy|MMMM|MMM|MM|M|dd|d|EEEE|EEE|HH|H|mm|ss|SSS)/;
const onlyParts = /^(?:yyyy|yy|MMMM|MMM|MM|M|dd|d|EEEE|EEE|HH|H|mm|ss|SSS)+$/;

interface Piece {
  readonly text: string;
  readonly isPart: boolean;
}

/** A word of nothing but parts is read as them; in others a single letter is only a letter. */
function piecesOf(pattern: string): readonly Piece[] {
  return pattern.split(/([A-Za-z]+)/).flatMap((word, index): readonly Piece[] => {
    if (index % 2 === 0) return [{ text: word, isPart: false }];
    const isWhole = onlyParts.test(word);
    return word.split(anyPart).map((text) => ({ text, isPart: parts.has(text) && (isWhole || text.length > 1) }));
  });
}

export function formatMoment({ day: number, second, fraction }: Instant, pattern: string): string {
  const { year, month, day } = calendarDay(number);
  const [monthName = '', dayName] = [monthNames[month - 1], dayNames[weekday(number)] ?? ''];
  const [hours = '', minutes = '', seconds = ''] = writeTime(second).split(':');
  const written: Readonly<Record<string, string>> = {
    yyyy: String(year).padStart(4, '0'),
    yy: twoDigits(year % 100),
    MMMM: monthName,
    MMM: short(monthName),
    MM: twoDigits(month),
    M: String(month),
    dd: twoDigits(day),
    d: String(day),
    EEEE: dayName,
    EEE: short(dayName),
    HH: hours,
    H: String(Number(hours)),
    mm: minutes,
    ss: seconds,
    SSS: fraction.slice(0, 3).padEnd(3, '0'),
  };
  return piecesOf(pattern)
    .map(({ text, isPart }) => (isPart ? (written[text] ?? text) : text))
    .join('');
}

/** A year of two digits is one of 2000 to 2099; `undefined` where the text does not fit, or names no day of the calendar. */
export function readByPattern(text: string, pattern: string): Instant | undefined {
  const found = foundParts(text, piecesOf(pattern));
  if (found === undefined) return undefined;
  const first = (...names: readonly string[]): string | undefined =>
    names.map((each) => found.get(each)).find((each) => each !== undefined);
  const named = nameIndex(first('MMMM', 'MMM'), monthNames);
  const month = first('MM', 'M') ?? (named === undefined ? undefined : String(named + 1));
  const year = found.get('yyyy') ?? (found.has('yy') ? `20${found.get('yy')}` : undefined);
  const day = first('dd', 'd');
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const date = [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
  const time = readTime([first('HH', 'H')?.padStart(2, '0') ?? '00', found.get('mm') ?? '00', found.get('ss') ?? '00'].join(':'));
  const fraction = found.has('SSS') ? `.${found.get('SSS')}` : '';
  if (!isDate(date) || time === undefined) return undefined;
  const moment = readMoment(`${date}T${time}${fraction}Z`);
  const dayName = nameIndex(first('EEEE', 'EEE'), dayNames);
  return moment !== undefined && (dayName === undefined || weekday(moment.day) === dayName) ? moment : undefined;
}

/** What stands in the text for each part; each may stand in the pattern once. */
function foundParts(text: string, pieces: readonly Piece[]): ReadonlyMap<string, string> | undefined {
  const order = pieces.flatMap((each) => (each.isPart ? [each.text] : []));
  if (new Set(order).size < order.length) return undefined;
  const source = pieces.map((each) =>
    each.isPart ? `(${parts.get(each.text) ?? ''})` : each.text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
  );
  const match = new RegExp(`^${source.join('')}$`, 'i').exec(text);
  return match === null ? undefined : new Map(order.map((part, index) => [part, match[index + 1] ?? '']));
}

function nameIndex(word: string | undefined, names: readonly string[]): number | undefined {
  if (word === undefined) return undefined;
  return names.findIndex((each) => short(each).toLowerCase() === short(word).toLowerCase());
}
