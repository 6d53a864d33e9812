// The service's own table of subscriptions of resolvers: which process holds each of them, and how far it is.

import type { Table } from '../table.ts';
import { ownTable } from './own-table.ts';

export function subscriptionTable(): Table {
  return ownTable(
    'subscriptions',
    {
      resolver: 'text',
      holder: ['text', 'optional'],
      beat: 'integer',
      cursor: ['text', 'optional'],
    },
    ['resolver'],
    {},
  );
}
