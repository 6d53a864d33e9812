// `dateFns.*` over the whole calendar, against the host's own Date and its tables of time zones.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callDate } from '../../src/engine/eval/date-functions.ts';
import { PlatformError } from '../../src/errors.ts';
import type { Value } from '../../src/values/value.ts';
import { isLarge } from '../support/form.ts';

const numRuns = isLarge ? 50_000 : 170;
const now = new Date('2024-03-05T12:00:00Z');
const [first, last] = [new Date('0001-01-01T00:00:00Z').getTime(), new Date('9999-12-31T23:59:59Z').getTime()];

/** Any second of the calendar, and any digits behind it. */
const seconds = fc.integer({ min: first / 1000, max: Math.floor(last / 1000) });
const fraction = fc.stringMatching(/^\d{0,9}$/);

/** `refused` where it is refused. */
function ask(name: string, ...values: readonly Value[]): Value {
  try {
    return callDate(`dateFns.${name}`, values, now);
  } catch (thrown) {
    if (thrown instanceof PlatformError && thrown.code === 'dataflow-failed') return 'refused';
    throw thrown;
  }
}

const inCalendar = (date: Date): boolean => date.getTime() >= first && date.getTime() < last + 1000;
const dateText = (date: Date): Value => (inCalendar(date) ? date.toISOString().slice(0, 10) : 'refused');
const timeText = (date: Date, digits: string): Value =>
  inCalendar(date) ? `${date.toISOString().slice(0, 19)}.${digits.padEnd(3, '0')}Z` : 'refused';
const changed = (at: number, change: (date: Date) => void): Date => {
  const date = new Date(at);
  change(date);
  return date;
};

test('days, weeks and months are added over the whole calendar, and nothing of a second is lost', () => {
  const count = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -200_000, max: 200_000 }));
  fc.assert(
    fc.property(seconds, fraction, count, (second, digits, by) => {
      const at = second * 1000;
      const given = `${new Date(at).toISOString().slice(0, 19)}${digits === '' ? '' : `.${digits}`}Z`;
      const later = changed(at, (date) => date.setUTCDate(date.getUTCDate() + by));
      expect(ask('addDays', given, by)).toBe(timeText(later, digits));
      expect(ask('addDays', given.slice(0, 10), by)).toBe(dateText(later));
      expect(ask('addWeeks', given.slice(0, 10), by)).toBe(dateText(changed(at, (date) => date.setUTCDate(date.getUTCDate() + 7 * by))));
      const month = changed(at, (date) => {
        const day = date.getUTCDate();
        date.setUTCDate(1);
        date.setUTCMonth(date.getUTCMonth() + by);
        // The day before the first of the next month.
        const length = changed(date.getTime(), (each) => each.setUTCMonth(each.getUTCMonth() + 1, 0)).getUTCDate();
        date.setUTCDate(Math.min(day, length));
      });
      expect(ask('addMonths', given, by)).toBe(timeText(month, digits));
    }),
    { numRuns },
  );
});

test('weeks and months begin, end and are named over the whole calendar', () => {
  const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  fc.assert(
    fc.property(seconds, (second) => {
      const at = second * 1000;
      const date = new Date(at);
      const given = date.toISOString().slice(0, 10);
      const monday = changed(at, (each) => each.setUTCDate(each.getUTCDate() - ((each.getUTCDay() + 6) % 7)));
      const sunday = changed(monday.getTime(), (each) => each.setUTCDate(each.getUTCDate() + 6));
      expect([ask('startOfWeek', given), ask('endOfWeek', given)]).toEqual([dateText(monday), dateText(sunday)]);
      const end = changed(at, (each) => each.setUTCMonth(each.getUTCMonth() + 1, 0));
      expect([ask('startOfMonth', given), ask('endOfMonth', given)]).toEqual([`${given.slice(0, 8)}01`, dateText(end)]);
      expect(ask('dayName', given)).toBe(names[date.getUTCDay()]);
      // The week that holds the fourth of January is the first: counted on from there.
      const thursday = changed(monday.getTime(), (each) => each.setUTCDate(each.getUTCDate() + 3));
      const fourth = changed(thursday.getTime(), (each) => each.setUTCMonth(0, 4));
      const firstMonday = changed(fourth.getTime(), (each) => each.setUTCDate(4 - ((each.getUTCDay() + 6) % 7)));
      expect(ask('getWeek', given)).toBe(1 + Math.round((monday.getTime() - firstMonday.getTime()) / 604_800_000));
    }),
    { numRuns },
  );
});

test('what was formatted is read again, and differences are exact', () => {
  fc.assert(
    fc.property(seconds, seconds, (one, other) => {
      const [a, b] = [new Date(one * 1000), new Date(other * 1000)];
      const pattern = 'EEEE, d MMMM yyyy HH:mm:ss';
      expect(ask('parseDate', ask('formatDate', a.toISOString(), pattern), pattern)).toBe(a.toISOString());
      expect(ask('diffInDays', a.toISOString(), b.toISOString())).toBe(Math.trunc((one - other) / 86_400) + 0);
      expect(ask('diffInWeeks', a.toISOString(), b.toISOString())).toBe(Math.trunc((one - other) / 604_800) + 0);
    }),
    { numRuns },
  );
});

test('clocks of other zones show what the tables of the host say', { timeout: 600_000 }, () => {
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  fc.assert(
    fc.property(seconds, zone, (second, timeZone) => {
      const date = new Date(second * 1000);
      const offset = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
        .formatToParts(date)
        .find(({ type }) => type === 'timeZoneName')?.value;
      const [, sign = '+', hours = '0', minutes = '0', rest = '0'] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(offset ?? '') ?? [];
      const by = (Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)) * (sign === '-' ? -1 : 1);
      const shown = new Date((second + by) * 1000);
      expect(ask('toTimezone', date.toISOString().replace('.000', ''), timeZone)).toBe(
        inCalendar(shown) ? shown.toISOString().slice(0, 19) : 'refused',
      );
    }),
    { numRuns },
  );
});

test('only days of the calendar are dates', () => {
  const part = (most: number) => fc.integer({ min: 0, max: most });
  fc.assert(
    fc.property(part(10_000), part(14), part(33), (year, month, day) => {
      const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
      const date = changed(0, (each) => each.setUTCFullYear(year, month - 1, day));
      const isReal = date.toISOString().slice(0, 10) === text && year > 0;
      expect(ask('addDays', text, 0)).toBe(isReal ? text : 'refused');
    }),
    { numRuns },
  );
});
