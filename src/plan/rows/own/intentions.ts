// The service's own table of calls of composing resolvers: what is intended is written down before the call, and struck out after the commit.

import type { Table } from '../table.ts';
import { ownTable } from './own-table.ts';

export function intentionTable(): Table {
  return ownTable(
    'intentions',
    {
      id: 'uuid',
      resolver: 'text',
      type: 'text',
      operation: 'text',
      before: ['text', 'optional'],
      after: ['text', 'optional'],
      since: 'integer',
      due: 'integer',
    },
    ['id'],
    {},
  );
}
