// Whether a process that serves one model can go on when the tables have become those of another: what only adds does not concern it. Pure.

import { unreachable } from '../../../errors.ts';
import type { Column, Table } from '../../../plan/rows/table.ts';
import { type Change, changesOf } from './changes.ts';
import { matchByName } from './match.ts';
import { addressingOf, identified } from './schema.ts';

/** The tables that cannot be served any more as they are `served`; empty where everything fits. */
export function misfits(served: readonly Table[], stored: readonly Table[]): readonly string[] {
  const changes = changesOf(matchByName(identified(served), stored)).filter((each) => !leavesOthers(each));
  return [...new Set(changes.map((each) => ('before' in each ? each.before.name : each.table.name)))];
}

/** Whether whoever does not know of the change reads and writes as before, and writes nothing that does not fit it. */
export function leavesOthers(change: Change): boolean {
  switch (change.kind) {
    case 'new-table':
    case 'restored-table':
    case 'widened-column':
    case 'loosened-column':
    case 'new-index':
    case 'gone-index':
    // Constraints are kept by the database, whoever writes.
    case 'new-unique':
    case 'new-reference':
      return true;
    case 'new-column':
    case 'restored-column':
      if (typeof change.column.computed === 'string') return false;
      return !change.column.required || isFilled(change.column) || isParent(change);
    case 'unclear-name':
    case 'renamed-table':
    case 'gone-table':
    case 'renamed-column':
    case 'gone-column':
    case 'retyped-column':
    case 'required-column':
    case 'narrowed-column':
    // Whoever does not know how it is computed would leave it untrue.
    case 'recomputed-column':
    // Whoever does not know of the words of a row would leave them untrue.
    case 'new-search':
    case 'gone-search':
    case 'gone-parent':
    case 'contains-to-between':
    case 'between-to-contains':
    case 'new-key':
      return false;
    default:
      return unreachable(change);
  }
}

/** Whether the server itself gives it to what is written without it. */
function isFilled({ fill }: Column): boolean {
  return fill !== undefined && fill.kind !== 'local-now' && fill.kind !== 'count';
}

function isParent({ table, column }: Extract<Change, { kind: 'new-column' | 'restored-column' }>): boolean {
  return addressingOf(table).parents.some((each) => each.column === column.name);
}
