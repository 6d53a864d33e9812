// The type Date: a day of the calendar, ISO 8601.

import { textType } from '../text/text.ts';
import { isDate } from './calendar.ts';

export const date = textType({
  name: 'Date',
  column: 'date',
  expected: 'a date such as 2025-01-31',
  read: (text) => (isDate(text) ? text : undefined),
  schema: { type: 'string', format: 'date' },
  form: 'A day: `2026-01-31`.',
  example: '2026-01-31',
});
