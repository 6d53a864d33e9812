// What SQLite does its own way: column types, JSON made in SQL, order of decimals and times, case-sensitive `like`.

import { writeJson } from '../model/json.ts';
import type { ColumnKind, Value } from '../model/types/attribute-type.ts';
import type { Column } from '../plan/table.ts';
import type { Dialect } from './dialect.ts';
import { directed, quoteText } from './statements.ts';

export const sqliteDialect: Dialect = {
  parameter: (position) => `?${position}`,
  physical: (column) => physicalColumns(column).map(({ name, encode }) => ({ name, encode })),
  ordering,
  // A time with a zone and one without sort together, and are never the same; as it stands, the column's index is used.
  equality: (column, quoted) => (column.kind === 'datetime' ? { expression: quoted, encode: undefined } : ordering(column, quoted)),
  // Values are compared as they are, whatever their columns are called.
  alike: ([, first], [, second]) => [first, second],
  further: (_kind, column) => column,
  json: jsonValue,
  constant: quoteText,
  lookup: (columns, from) => {
    const values = columns.map(([, column]) => column);
    return `(SELECT ${values.length === 1 ? values[0] : `coalesce(${values.join(', ')})`} ${from})`;
  },
  object: (pairs) => `json_object(${pairs.map(([name, value]) => `${quoteText(name)}, ${value}`).join(', ')})`,
  array: (subquery) => `(SELECT json('[' || coalesce(group_concat(j, ','), '') || ']') FROM (${subquery}))`,
  aggregate,
  anyOf: (expression) => expression,
  reportRows: ({ object, from, order, distinct }) => {
    const terms = order.map((each) => directed(each.expression, each.descending, true));
    return `SELECT ${distinct ? 'DISTINCT ' : ''}${object} AS j ${from}${terms.length === 0 ? '' : ` ORDER BY ${terms.join(', ')}`}`;
  },
  concatenated: () => `coalesce(group_concat(j, ','), '')`,
  // LIKE ignores case here and GLOB does not, so a pattern is rewritten for GLOB.
  like: (expression, parameter) => `${expression} GLOB ${parameter}`,
  encodeLike: (pattern) => globOf(String(pattern)),
  distinct: (expression, parameter) => `${expression} IS NOT ${parameter}`,
  greatest: (first, second) => `max(${first}, ${second})`,
  // As part of an expression: SQLite plans a statement anew for each value of a parameter that is a limit by itself.
  rowCount: (parameter) => `${parameter} + 0`,
  // Only on a connection that is watched.
  watched: (on) => on,
  // There is one writer, which nobody overtakes.
  lock: () => '',
  nullsFirst: true,
};

/** Some are kept twice: a decimal as it is answered and as a text that sorts as it does, a double as it sorts and as the text that is answered. */
export function physicalColumns(
  column: Column,
): readonly { readonly name: string; readonly type: string; readonly encode: ((value: Value) => unknown) | undefined }[] {
  const own = { name: column.name, type: storedTypes[column.kind], encode: encoders[column.kind] };
  const twin = twins[column.kind];
  return twin === undefined ? [own] : [own, { name: `${column.name}#`, type: 'TEXT', encode: twin }];
}

/** A text that sorts by code point as the decimals sort by value: sign, exponent, digits; all of it complemented below zero. */
export function decimalKey(value: Value): string | null {
  if (value === null) return null;
  const text = String(value);
  const negative = text.startsWith('-');
  const [whole = '', fraction = ''] = text.replace(/^[-+]/, '').split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return '1';
  const exponent = whole.replace(/^0+/, '').length || -(fraction.length - fraction.replace(/^0+/, '').length);
  const key = `${String(exponent + 50_000).padStart(5, '0')}${digits.replace(/0+$/, '')}`;
  if (!negative) return `2${key}`;
  return `0${[...key].map((digit) => 9 - Number(digit)).join('')}~`;
}

const twins: Partial<Record<ColumnKind, (value: Value) => unknown>> = {
  decimal: decimalKey,
  // SQLite's own texts of doubles are not always the number.
  real: (value) => (value === null ? null : String(value)),
};

const storedTypes: Record<ColumnKind, string> = {
  text: 'TEXT',
  uuid: 'TEXT',
  datetime: 'TEXT',
  date: 'TEXT',
  time: 'TEXT',
  decimal: 'TEXT',
  json: 'TEXT',
  integer: 'INTEGER',
  boolean: 'INTEGER',
  real: 'REAL',
};

const encodeBoolean = (value: Value): unknown => (value === null ? null : value === true || value === 1 ? 1 : 0);
// The driver binds positive numbers below this one as the integer 0; as text they arrive exactly.
const smallestBound = 2 ** -52;
const encodeReal = (value: Value): unknown => (typeof value === 'number' && value > 0 && value < smallestBound ? String(value) : value);
const withoutZone = (value: Value): unknown => (typeof value === 'string' && value.endsWith('Z') ? value.slice(0, -1) : value);

const encoders: Partial<Record<ColumnKind, (value: Value) => unknown>> = {
  boolean: encodeBoolean,
  real: encodeReal,
  json: (value) => (value === null ? null : writeJson(value)),
};

function ordering(column: Column, quotedColumn: string): ReturnType<Dialect['ordering']> {
  switch (column.kind) {
    case 'decimal':
      return { expression: `${quotedColumn.slice(0, -1)}#"`, encode: decimalKey };
    case 'datetime':
      // Without its `Z`, `...:00Z` sorts before `...:00.5Z` as it should.
      return { expression: `rtrim(${quotedColumn}, 'Z')`, encode: withoutZone };
    case 'boolean':
    case 'real':
      return { expression: quotedColumn, encode: encoders[column.kind] };
    default:
      return { expression: quotedColumn, encode: undefined };
  }
}

function aggregate(name: string, { kind }: Column, column: string, sorts: boolean): string {
  if (name === 'count') return `count(${column})`;
  if (kind === 'decimal')
    return sorts ? `${name}(CAST(${column} AS REAL))` : `json_group_array(${column}) FILTER (WHERE ${column} IS NOT NULL)`;
  if (kind === 'integer' && name === 'sum') return wholeSum(column, sorts);
  const value = `${name}(${column})`;
  if (sorts) return value;
  // SQLite's own texts of doubles are not always the number.
  if (kind === 'real' || name === 'avg') return `json(CASE WHEN ${value} IS NOT NULL THEN printf('%!.17g', ${value}) END)`;
  return kind === 'boolean' ? jsonValue(kind, value) : value;
}

/** SQLite's own sum fails beyond 64 bits, even on the way: billions and what is left of them are added up apart, and put together as text. */
function wholeSum(column: string, sorts: boolean): string {
  const billions = `sum(${column} / 1000000000)`;
  const rest = `sum(${column} % 1000000000)`;
  const [high, low] = [`(${billions} + ${rest} / 1000000000)`, `(${rest} % 1000000000)`];
  const isSmall = `abs(${billions}) < 9000000000 AND abs(${rest}) < 200000000000000000`;
  const above = `printf('%d%09d', ${high} - (${low} < 0), ${low} + 1000000000 * (${low} < 0))`;
  const below = `printf('-%d%09d', -${high} - (${low} > 0), -${low} + 1000000000 * (${low} > 0))`;
  const large = sorts ? `${billions} * 1e9 + ${rest}` : `json(CASE WHEN ${high} > 0 THEN ${above} ELSE ${below} END)`;
  return `CASE WHEN ${billions} IS NULL THEN NULL WHEN ${isSmall} THEN ${billions} * 1000000000 + ${rest} ELSE ${large} END`;
}

function jsonValue(kind: ColumnKind, column: string): string {
  switch (kind) {
    case 'boolean':
      return `json(CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)`;
    case 'json':
      return `json(${column})`;
    case 'real':
      return `json(${column.slice(0, -1)}#")`;
    default:
      return column;
  }
}

/** `%` and `_` become `*` and `?`; what GLOB would read as special stands in brackets; a backslash takes the next character as it is. */
function globOf(pattern: string): string {
  let glob = '';
  for (let index = 0; index < pattern.length; index += 1) {
    let character = pattern[index] ?? '';
    if (character === '%') glob += '*';
    else if (character === '_') glob += '?';
    else {
      if (character === '\\' && index + 1 < pattern.length) {
        index += 1;
        character = pattern[index] ?? '';
      }
      glob += character === '*' || character === '?' || character === '[' ? `[${character}]` : character;
    }
  }
  return glob;
}
