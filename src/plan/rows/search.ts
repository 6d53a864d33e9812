// The search by words that a table can be asked for.

import { searchedAttributes } from '../../model/searched.ts';
import type { AttributePlan } from '../plan.ts';
import type { Search } from '../query/condition.ts';
import type { Table } from './table.ts';

/** Nothing where there is nothing to search. */
export function searchIn(attributes: readonly AttributePlan[], table: Table): Search | undefined {
  if (table.search !== undefined) return { columns: table.search, isIndexed: true };
  const searched = new Set(searchedAttributes(attributes.map((each) => each.attribute)));
  const columns = attributes.filter((each) => searched.has(each.attribute)).map((each) => each.column);
  return columns.length === 0 ? undefined : { columns, isIndexed: false };
}
