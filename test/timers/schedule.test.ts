// Texts of schedules, and the moments that are due by them.

import { expect, test } from 'vitest';
import { nextTime, parseSchedule } from '../../src/model/timers/schedule.ts';

const due: readonly [schedule: string, after: string, next: string, zone?: string][] = [
  ['every second', '2026-03-01T10:00:00.200Z', '2026-03-01T10:00:01.000Z'],
  ['every 5 minutes', '2026-03-01T10:00:00.000Z', '2026-03-01T10:05:00.000Z'],
  ['EVERY 2 Hours', '2026-03-01T10:30:00.000Z', '2026-03-01T12:00:00.000Z'],
  ['every day', '2026-03-01T10:30:00.000Z', '2026-03-02T00:00:00.000Z'],
  ['* * * * *', '2026-03-01T10:30:59.999Z', '2026-03-01T10:31:00.000Z'],
  ['*/15 * * * *', '2026-03-01T10:30:00.000Z', '2026-03-01T10:45:00.000Z'],
  ['5/20 * * * *', '2026-03-01T10:30:00.000Z', '2026-03-01T10:45:00.000Z'],
  ['30 6 * * mon-fri', '2026-03-06T06:30:00.000Z', '2026-03-09T06:30:00.000Z'],
  ['0 0 29 2 *', '2026-03-01T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
  ['0 12 1,15 * *', '2026-03-01T12:00:00.000Z', '2026-03-15T12:00:00.000Z'],
  ['0 0 13 * fri', '2026-03-01T00:00:00.000Z', '2026-03-06T00:00:00.000Z'],
  ['0 0 * * 7', '2026-03-03T00:00:00.000Z', '2026-03-08T00:00:00.000Z'],
  ['0 19 1,16,31 * *', '2024-02-23T12:00:00.000Z', '2024-03-01T19:00:00.000Z'],
  ['0 9-17/4 * * *', '2026-03-01T09:00:00.000Z', '2026-03-01T13:00:00.000Z'],
  ['0 0 1 jan *', '2026-03-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['0 9 * * *', '2026-07-01T00:00:00.000Z', '2026-07-01T07:00:00.000Z', 'Europe/Berlin'],
  ['0 9 * * *', '2026-01-01T00:00:00.000Z', '2026-01-01T08:00:00.000Z', 'Europe/Berlin'],
  // Clocks go from 02:00 to 03:00 on 29 March, and from 03:00 back to 02:00 on 25 October.
  ['30 2 * * *', '2026-03-28T12:00:00.000Z', '2026-03-29T01:30:00.000Z', 'Europe/Berlin'],
  ['30 2 * * *', '2026-10-24T12:00:00.000Z', '2026-10-25T00:30:00.000Z', 'Europe/Berlin'],
  ['30 2 * * *', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z', 'Europe/Berlin'],
  ['*/30 * * * *', '2026-03-29T01:30:00.000Z', '2026-03-29T02:00:00.000Z', 'Europe/Berlin'],
  ['*/30 * * * *', '2026-10-25T00:30:00.000Z', '2026-10-25T02:00:00.000Z', 'Europe/Berlin'],
  ['12,40 * * * *', '2026-11-01T04:45:58.122Z', '2026-11-01T05:42:00.000Z', 'America/St_Johns'],
  ['0 0 * * *', '2026-03-01T00:00:00.000Z', '2026-03-01T18:30:00.000Z', 'Asia/Kolkata'],
];
test.each(due)('%s is due behind %s at %s', (text, after, next, zone = 'UTC') => {
  const schedule = parseSchedule(text);
  const moment = schedule && nextTime(schedule, Date.parse(after), zone);
  expect(moment === undefined ? undefined : new Date(moment).toISOString()).toBe(next);
});

const wrong = [
  '',
  'every',
  'every 0 minutes',
  'every 5 fortnights',
  'every 999999999 weeks',
  'every 10 milliseconds',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '*/0 * * * *',
  '5-1 * * * *',
  '*-5 * * * *',
  '1,,2 * * * *',
  '0 0 30 2 *',
  'jan * * * *',
  '-1 * * * *',
];
test.each(wrong)('%j is no schedule', (text) => {
  expect(parseSchedule(text)).toBeUndefined();
});
