// What the rows of a report are grouped by.

import type { ColumnOf } from '../condition.ts';
import type { Report } from '../shape.ts';

/** Columns, whatever they are called in it. */
export function groupedColumns({ groupBy, outputs }: Report): readonly ColumnOf[] {
  return groupBy.map((term) => {
    const found = term.kind === 'output' ? outputs.find((each) => each.name === term.name) : term;
    if (found?.kind !== 'column') throw new Error('rows are grouped by columns');
    return found;
  });
}
