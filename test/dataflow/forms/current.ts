// All scenarios of workflows, by group.

import { control, handlers, names } from './current-control.ts';
import { conditions, pages, queries } from './current-queries.ts';
import { calls, dates, refusedDates, reports } from './current-reports.ts';
import { related, writes } from './current-writes.ts';
import type { FormTables } from './form.ts';

export const currentTables: FormTables = {
  queries,
  conditions,
  pages,
  writes,
  related,
  control,
  names,
  handlers,
  calls,
  dates,
  refusedDates,
  reports,
};
