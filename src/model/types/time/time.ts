// The type Time: a time of day without a zone, ISO 8601.

import { textType } from '../text/text.ts';
import { readTime } from './calendar.ts';

export const time = textType({
  name: 'Time',
  column: 'time',
  expected: 'a time such as 09:30:00',
  read: readTime,
  schema: { type: 'string', pattern: '^\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?$' },
  form: 'A time of day: `12:00:00`.',
  example: '09:30:00',
});
