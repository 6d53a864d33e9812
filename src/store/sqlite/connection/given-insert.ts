// What comes back of a row that is inserted, made from the values that were given: asking SQLite for it costs as much as the insert itself.

import type { ColumnKind } from '../../../model/types/attribute-type.ts';
import { type Field, type Insert, isEmptyOutput } from '../../../plan/query/shape.ts';
import type { Value } from '../../../values/value.ts';
import { columnOf } from '../../sql/names.ts';
import type { Row } from '../../store.ts';
import { toValue } from '../statement.ts';

export interface GivenInsert {
  /** The same insert, of which nothing comes back. */
  readonly silent: Insert;
  /** Nothing where a value is of another type than its column: then SQLite says what became of it. */
  row(values: readonly Value[]): Row | undefined;
}

/** `undefined` where a column is kept, or shown, in another form than it is given in. */
export function givenInsert(insert: Insert): GivenInsert | undefined {
  const { table, columns, rows, output } = insert;
  if (rows !== undefined || isEmptyOutput(output)) return undefined;
  const members = output.fields.map((field) => memberOf(field, insert));
  const further = output.columns.map((name) => ({ at: columns.indexOf(name), kind: columnOf(table, name).kind }));
  if (members.includes(undefined) || further.some(({ at, kind }) => at === -1 || kind === 'boolean' || !(kind in writers)))
    return undefined;
  const parts = members.filter((each) => each !== undefined);
  return {
    silent: { ...insert, output: { fields: [], columns: [] } },
    row(values) {
      const json = objectOf(parts, values);
      return json === undefined ? undefined : { json, columns: further.map(({ at }) => toValue(values[at])) };
    },
  };
}

interface Member {
  /** The name with its quotes and colon. */
  readonly name: string;
  readonly at: number;
  readonly write: Writer;
}

function memberOf(field: Field, { table, columns }: Insert): Member | undefined {
  if (field.kind !== 'column') return undefined;
  const at = columns.indexOf(field.column);
  const write = writers[columnOf(table, field.column).kind];
  return at === -1 || write === undefined ? undefined : { name: `${JSON.stringify(field.name)}:`, at, write };
}

function objectOf(members: readonly Member[], values: readonly Value[]): string | undefined {
  let json = '{';
  for (const { name, at, write } of members) {
    const value = values[at] ?? null;
    const text = value === null ? 'null' : write(value);
    if (text === undefined) return undefined;
    json += json === '{' ? name + text : `,${name}${text}`;
  }
  return `${json}}`;
}

type Writer = (value: Value) => string | undefined;

const quoted: Writer = (value) => (typeof value === 'string' ? JSON.stringify(value) : undefined);
/** Of forms that hold nothing that would have to be escaped. */
const plain: Writer = (value) => (typeof value === 'string' ? `"${value}"` : undefined);
const whole: Writer = (value) => (Number.isSafeInteger(value) || typeof value === 'bigint' ? String(value) : undefined);

/** Of what SQLite gives back as it was given. */
const writers: Partial<Record<ColumnKind, Writer>> = {
  text: quoted,
  uuid: plain,
  datetime: plain,
  date: plain,
  time: plain,
  decimal: plain,
  integer: whole,
  boolean: (value) => (typeof value === 'boolean' ? String(value) : undefined),
};
