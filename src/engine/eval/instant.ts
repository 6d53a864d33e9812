// Dates and times as numbers: texts of ISO 8601 read and written, days counted in the Gregorian calendar, also before it was introduced.

import { isDate } from '../../model/types/time/calendar.ts';
import { datetime } from '../../model/types/time/datetime.ts';

export interface Instant {
  /** Since 1970-01-01. */
  readonly day: number;
  /** Of the day, in UTC; of a time without a zone, as if it were in UTC. */
  readonly second: number;
  /** The digits behind the seconds, as they were given. */
  readonly fraction: string;
  readonly form: 'date' | 'local' | 'utc';
}

export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export const secondsOfDay = 86_400;

/** `undefined` where it is no date and no time of the calendar. */
export function readMoment(text: string): Instant | undefined {
  if (isDate(text)) return { day: dayIn(text), second: 0, fraction: '', form: 'date' };
  const read = datetime.parse(text);
  if (typeof read !== 'string') return undefined;
  const [hour, minute, second] = [read.slice(11, 13), read.slice(14, 16), read.slice(17, 19)].map(Number);
  const isUtc = read.endsWith('Z');
  return {
    day: dayIn(read),
    second: ((hour ?? 0) * 60 + (minute ?? 0)) * 60 + (second ?? 0),
    fraction: read.slice(20, isUtc ? -1 : undefined),
    form: isUtc ? 'utc' : 'local',
  };
}

function dayIn(text: string): number {
  return dayNumber({ year: Number(text.slice(0, 4)), month: Number(text.slice(5, 7)), day: Number(text.slice(8, 10)) });
}

/** Whether its year has four digits: only such dates can be written and stored. */
export function isWritable({ day }: Instant): boolean {
  return day >= firstDay && day <= lastDay;
}

export function writeMoment(moment: Instant): string {
  const date = writeDay(moment.day);
  if (moment.form === 'date') return date;
  const time = writeTime(moment.second);
  return `${date}T${time}.${moment.fraction.padEnd(3, '0')}${moment.form === 'utc' ? 'Z' : ''}`;
}

export function writeDay(number: number): string {
  const { year, month, day } = calendarDay(number);
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

export function writeTime(second: number): string {
  return [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60].map(twoDigits).join(':');
}

export function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

const daysOf400Years = 146_097;

/** Years are counted from March, so that the day that a leap year has more is its last. */
export function dayNumber({ year, month, day }: CalendarDay): number {
  const fromMarch = month > 2 ? year : year - 1;
  const era = Math.floor(fromMarch / 400);
  const ofEra = fromMarch - era * 400;
  const ofYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return era * daysOf400Years + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - daysBefore1970;
}

export function calendarDay(number: number): CalendarDay {
  const shifted = number + daysBefore1970;
  const era = Math.floor(shifted / daysOf400Years);
  const ofEra = shifted - era * daysOf400Years;
  const years = Math.floor((ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365);
  const ofYear = ofEra - (365 * years + Math.floor(years / 4) - Math.floor(years / 100));
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = era * 400 + years + (month <= 2 ? 1 : 0);
  return { year, month, day: ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1 };
}

/** From the first of March of the year 0. */
const daysBefore1970 = 719_468;
const firstDay = dayNumber({ year: 1, month: 1, day: 1 });
const lastDay = dayNumber({ year: 9999, month: 12, day: 31 });

/** 0 is Monday, as in ISO 8601. */
export function weekday(number: number): number {
  return (((number + 3) % 7) + 7) % 7;
}
