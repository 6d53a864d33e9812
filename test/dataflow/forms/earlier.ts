// All scenarios of dataflows, by group.

import { calls, names } from './earlier-calls.ts';
import { choices, handlers, loops, quoted } from './earlier-control.ts';
import { columns, conditions, queries } from './earlier-queries.ts';
import { related, writes } from './earlier-writes.ts';
import type { FormTables } from './form.ts';

export const earlierTables: FormTables = { queries, conditions, columns, writes, related, choices, loops, quoted, handlers, names, calls };
