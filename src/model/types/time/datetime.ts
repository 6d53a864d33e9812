// The type DateTime: ISO 8601, in UTC when it was sent with a zone, else without one.

import type { Value } from '../../../values/value.ts';
import { textType } from '../text/text.ts';
import { isDate, readTime } from './calendar.ts';

const form = /^(\d{4}-\d{2}-\d{2})T([0-9:.]{5,18})(Z|[+-]\d{2}:\d{2})?$/;

export const datetime = textType({
  name: 'DateTime',
  aliases: ['Now'],
  column: 'datetime',
  expected: 'a date and time such as 2025-01-31T09:30:00Z',
  read: readDateTime,
  // Not `format: date-time`, which would ask for a zone.
  schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})?$' },
  form: 'A moment: `2026-01-31T12:00:00.000Z`.',
  example: '2026-01-31T09:30:00.000Z',
});

/** The moment that a text means: a date alone is its midnight in UTC. */
export function momentIn(value: Value): string | undefined {
  if (typeof value !== 'string') return undefined;
  return readDateTime(value) ?? (isDate(value) ? `${value}T00:00:00Z` : undefined);
}

function readDateTime(text: string): string | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, day = '', clock = '', zone] = match;
  const time = readTime(clock);
  if (time === undefined || !isDate(day)) return undefined;
  if (zone === undefined) return `${day}T${time}`;
  return zone === 'Z' ? `${day}T${time}Z` : toUtc(day, time, zone);
}

/** The same moment in UTC. The fraction is carried over as text: a Date would cut it to milliseconds. */
function toUtc(day: string, time: string, zone: string): string | undefined {
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (hours > 23 || minutes > 59) return undefined;
  const offset = (hours * 60 + minutes) * (zone.startsWith('-') ? -60_000 : 60_000);
  const moment = new Date(Date.parse(`${day}T${time.slice(0, 8)}Z`) - offset).toISOString();
  const utcDay = moment.slice(0, 10);
  return isDate(utcDay) ? `${utcDay}T${moment.slice(11, 19)}${time.slice(8)}Z` : undefined;
}
