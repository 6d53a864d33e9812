// How the place is found behind which a page goes on, that of its last row: in the text of the page, where it shows it.

import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { Select } from '../../plan/query/shape.ts';
import { isMomentKind } from '../../plan/rows/tables.ts';
import type { Dialect, ShownPlace } from './dialect.ts';
import { columnOf } from './names.ts';

/** Whether the further columns of the last row are found without looking for it: a page goes on behind a single column that is never null. */
export function isSimplePage(shape: Select): boolean {
  const [name] = shape.output.columns;
  if (typeof name !== 'string' || shape.order.length !== 1 || shape.output.columns.length !== 1 || name !== shape.order[0]?.column)
    return false;
  // The last of these is not the greatest as it is stored.
  const { kind } = columnOf(shape.table, name);
  return !isMomentKind(kind) && kind !== 'decimal';
}

const shownKinds: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['text', 'uuid', 'date', 'integer']);
/** These may hold objects. */
const nestedKinds: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['json', 'scalar']);

/** Nothing where it has to be asked for: rows that hold other objects could be taken for those. */
export function shownPlace({ table, output: { fields, columns } }: Select, { writesDensely }: Dialect): ShownPlace | undefined {
  const [name] = columns;
  const key = fields.find((each) => each.kind === 'column' && each.column === name);
  const isFlat = fields.every(
    (each) => each.kind === 'constant' || (each.kind === 'column' && !nestedKinds.has(columnOf(table, each.column).kind)),
  );
  if (!writesDensely || typeof name !== 'string' || key === undefined || !isFlat || !shownKinds.has(columnOf(table, name).kind))
    return undefined;
  return { begin: `{${member(fields[0]?.name ?? '')}`, member: member(key.name) };
}

function member(name: string): string {
  return `${JSON.stringify(name)}:`;
}
