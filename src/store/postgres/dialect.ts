// What PostgreSQL does its own way: column types, JSON made as text in SQL, order by code point, values that a type would not take.

import type { ColumnKind } from '../../model/types/attribute-type.ts';
import { encodeScalar, readScalar } from '../../model/types/scalar.ts';
import { isDate } from '../../model/types/time/calendar.ts';
import type { Comparison, KeyKind } from '../../plan/query/condition.ts';
import type { Column } from '../../plan/rows/table.ts';
import { isMomentKind } from '../../plan/rows/tables.ts';
import { writeJson } from '../../values/json/json.ts';
import { ilikeExpression } from '../../values/like.ts';
import type { Value } from '../../values/value.ts';
import {
  type Dialect,
  type Inner,
  type JoinParts,
  type JoinSqlParts,
  type MemberGroup,
  mostRelated,
  type Parameter,
} from '../sql/dialect.ts';
import { encodeMoment, momentOf } from '../sql/instant.ts';
import { directed, quoteText } from '../sql/names.ts';
import { unboundSearch } from './search.ts';

export const postgresDialect: Dialect = {
  parameter: (position) => `$${position}`,
  physical: (column) => [{ name: column.name, type: columnTypes[column.kind], encode: encoders[column.kind] }],
  supplied: (columns, parameter) => {
    // A collation stands behind the cast.
    const cast = columns.map(({ quoted, type }, index) => `(v ->> ${index})::${type} AS ${quoted}`);
    return `SELECT ${cast.join(', ')} FROM json_array_elements(${parameter}::json) AS e(v)`;
  },
  // Rows that are given a name are not known by it where they are described.
  stored: (table) => table,
  rowNumber: [],
  ordering: (column, quoted, operator) => ({ expression: orderingOf(column.kind, quoted), encode: compared(column.kind, operator) }),
  equality: (column, quoted) => ({
    expression: column.kind === 'json' ? `${quoted}::text` : orderingOf(column.kind, quoted),
    encode: compared(column.kind, 'eq'),
  }),
  alike,
  text: (column) => asText(column),
  key: (kind, column) => keyForms[kind]?.(column) ?? column,
  further,
  json: (kind, column) => `coalesce(${jsonOrNull(kind, column)}, 'null')`,
  constant: (text) => quoteText(JSON.stringify(text)),
  lookup: (columns, from) =>
    `coalesce((SELECT coalesce(${columns.map(([kind, each]) => jsonOrNull(kind, each)).join(', ')}) ${from}), 'null')`,
  // JSON functions of the server put spaces behind colons; text that is put together has none, and is the fastest.
  object,
  digest: (text) => `('x' || left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 13))::bit(52)::bigint`,
  array: (subquery) =>
    `(SELECT CASE WHEN count(*) > ${mostRelated} THEN ${tooMany}::text ELSE '[' || coalesce(string_agg(j, ','), '') || ']' END FROM (${subquery}) AS a)`,
  within: (object) => object,
  few: (subquery) =>
    `(SELECT CASE WHEN count(*) > ${mostRelated} THEN ${tooMany} END FROM (${subquery} LIMIT ${mostRelated + 1}) AS a) IS NULL`,
  single: (subquery) => `coalesce((${subquery}), 'null')`,
  aggregate,
  least,
  leastOf: (expression, kind) => (kind === 'boolean' ? `bool_and(${expression})` : `min(${further(kind, expression)})`),
  reportRows,
  concatenated: () => `coalesce(string_agg(j, ','), '')`,
  place: further,
  fitting: '',
  lastOf: (column) => `(array_agg(${column}))[count(*)::int]`,
  writesDensely: false,
  like: (expression, parameter) => `${asText(expression)} LIKE ${parameter((pattern) => storable(completed(String(pattern))))}`,
  ilike: (expression, parameter) => `${asText(expression)} ~ ${parameter((pattern) => storable(ilikeExpression(String(pattern))))}`,
  ...unboundSearch,
  field: (column, path, as) => inner(as, `(${column} #>> ${textArray(path)})`),
  member: (column, path, key) => inBytes(`${path.length === 0 ? column : `(${column} #> ${textArray(path)})`} ->> ${key}::text`),
  elements: (column, alias, as) => {
    // What stands inside of a record is a text.
    const list = `CASE WHEN json_typeof(${column}::json) = 'array' THEN ${column}::json END`;
    return { from: `json_array_elements_text(${list}) AS ${alias}(v)`, element: inner(as, `${alias}.v`) };
  },
  distinct: (expression, parameter) => `${expression} IS DISTINCT FROM ${parameter}`,
  hexadecimal: (column) => `lpad(to_hex(${column} # (-9223372036854775808)::bigint), 16, '0')`,
  plain: (text) => `${text} !~ '[^A-Za-z0-9_.!~*''()-]'`,
  greatest: (first, second) => `greatest(${first}, ${second})`,
  rowCount: (parameter) => `${parameter}::bigint`,
  joining,
  scanning: (where) => where,
  // What takes long is made after the sort by itself.
  sorted: (from) => from,
  among: (expression, parameter) => `${expression} = ANY (ARRAY(SELECT json_array_elements_text(${parameter}::json)))`,
  lock: (kind, table) => ` FOR ${kind === 'remove' ? 'UPDATE' : 'NO KEY UPDATE'} OF ${table}${kind === 'free' ? ' SKIP LOCKED' : ''}`,
  nullsFirst: false,
  countsChanges: false,
};

/** The root of a negative number, which no select has otherwise, is how a statement fails that finds too many rows. */
const tooMany = 'sqrt(-count(*))';

function object(pairs: Parameters<Dialect['object']>[0], groups: readonly MemberGroup[] = []): string {
  const members = pairs.map(([name, value], index) => `${quoteText(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)} || ${value}`);
  const seen = groups.map(({ when, members: its }) => {
    const texts = its.map(([name, value]) => `${quoteText(`,${JSON.stringify(name)}:`)} || ${value}`);
    return `CASE WHEN ${when} THEN ${texts.join(' || ')} ELSE '' END`;
  });
  if (members.length === 0) return `('{' || ltrim(${seen.join(' || ')}, ',') || '}')`;
  return `(${[...members, ...seen].join(' || ')} || '}')`;
}

/**
 * Ends a statement as soon as the texts of the rows that one includes are more than a request may hold: it would go through all of them, for
 * longer than it has. How long a text is, the server knows without reading it.
 */
export function includingWithin(memory: number): Pick<Dialect, 'within'> {
  return {
    within: (object, texts, order) => {
      if (texts.length === 0) return object;
      const bytes = `sum(${texts.map((each) => `coalesce(octet_length(${each}), 0)`).join(' + ')})`;
      const sofar = `${bytes} OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`;
      return `CASE WHEN ${sofar} > ${memory} THEN sqrt(-(${sofar})::double precision)::text ELSE ${object} END`;
    },
  };
}

/**
 * Where a type of the server would lose something of what was sent, the text is kept: a date-time keeps nine digits of a second, and whether it
 * has a zone; a time keeps its digits; `json` keeps the order of keys and every digit, as `jsonb` does not. Texts sort and compare by code point.
 */
export const columnTypes: Readonly<Record<ColumnKind, string>> = {
  text: 'text COLLATE "C"',
  uuid: 'uuid',
  datetime: 'text COLLATE "C"',
  date: 'date',
  time: 'text COLLATE "C"',
  decimal: 'numeric',
  json: 'json',
  scalar: 'text COLLATE "C"',
  integer: 'bigint',
  boolean: 'boolean',
  real: 'double precision',
};

/** A further column of a row as this process gets it → the value that every store gives. */
export function readFurther(kind: ColumnKind, text: string | null): Value {
  if (text === null) return null;
  switch (kind) {
    case 'integer': {
      const number = Number(text);
      return Number.isSafeInteger(number) ? number : BigInt(text);
    }
    case 'real':
      return Number(text);
    case 'boolean':
      return text === 't' ? 1 : 0;
    case 'scalar':
      return readScalar(text);
    default:
      return text;
  }
}

const numeric: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['integer', 'real', 'decimal']);
const inBytes = (expression: string): string => `(${expression}) COLLATE "C"`;
const asText = (expression: string): string => inBytes(`${expression}::text`);
const encoders: Partial<Record<ColumnKind, (value: Value) => unknown>> = {
  json: (value) => (value === null ? null : writeJson(value)),
  scalar: encodeScalar,
};

function textArray(path: readonly string[]): string {
  return `ARRAY[${path.map(quoteText).join(', ')}]::text[]`;
}

/** A text that is none is not read as one: the server may look at rows of other types on its way, and would end the statement. */
const keyForms: Partial<Record<KeyKind, (column: string) => string>> = {
  integer: (column) => `CASE WHEN ${column} ~ '^-?[0-9]{1,19}$' THEN ${column}::bigint END`,
  uuid: (column) => `CASE WHEN ${column} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN ${column}::uuid END`,
};

/** A text that is none of its kind is not taken for one: the server would end the statement. */
function inner(as: ColumnKind, text: string): Inner {
  const when = (form: string, type: string): string => `(CASE WHEN ${text} ~ '${form}' THEN ${text}::${type} END)`;
  switch (as) {
    case 'integer':
      return { kind: as, quoted: when('^-?[0-9]{1,19}$', 'numeric') };
    case 'real':
      return { kind: as, quoted: when('^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$', 'double precision') };
    case 'decimal':
      return { kind: as, quoted: when('^-?[0-9]+([.][0-9]+)?$', 'numeric') };
    case 'boolean':
      return { kind: as, quoted: `(CASE ${text} WHEN 'true' THEN true WHEN 'false' THEN false END)` };
    default:
      return { kind: isMomentKind(as) ? as : 'text', quoted: inBytes(text) };
  }
}

/** Numbers compare as numbers, whatever their types, and a truth value beside something else as 1 or 0; all else as texts. */
function alike([one, first]: readonly [ColumnKind, string], [other, second]: readonly [ColumnKind, string]): readonly [string, string] {
  if (one === other) return [first, second];
  const [left, right] = [one === 'boolean' ? `${first}::int` : first, other === 'boolean' ? `${second}::int` : second];
  const areNumbers = [one, other].every((kind) => kind === 'boolean' || numeric.has(kind));
  return areNumbers ? [left, right] : [asText(left), asText(right)];
}

function orderingOf(kind: ColumnKind, column: string): string {
  switch (kind) {
    case 'datetime':
    case 'time':
      return momentOf(column);
    case 'json':
      return asText(column);
    default:
      return column;
  }
}

function further(kind: ColumnKind, column: string): string {
  switch (kind) {
    case 'uuid':
    case 'json':
      return asText(column);
    case 'date':
      return inBytes(`to_char(${column}, 'YYYY-MM-DD')`);
    default:
      return column;
  }
}

/** A column as the text of a JSON value; null where it has none. */
function jsonOrNull(kind: ColumnKind, column: string): string {
  switch (kind) {
    case 'integer':
    case 'boolean':
    case 'json':
    case 'scalar':
      return `${column}::text`;
    case 'real':
      return doubleText(column);
    case 'uuid':
    case 'decimal':
      return `'"' || ${column} || '"'`;
    default:
      return `to_json(${column})::text`;
  }
}

/** As JavaScript writes a double: without an exponent from 1e-6 up to 1e21, and with no zero in front of a smaller one. */
function doubleText(value: string): string {
  const plain = `${value} = 0 OR abs(${value}) >= 1e-4 AND abs(${value}) < 1e15`;
  const written = `abs(${value}) >= 1e-6 AND abs(${value}) < 1e21`;
  return `CASE WHEN ${plain} THEN ${value}::text WHEN ${written} THEN ${value}::text::numeric::text ELSE replace(${value}::text, 'e-0', 'e-') END`;
}

function aggregate(name: string, { kind }: Column, column: string, sorts: boolean): string {
  const adds = name === 'sum' || name === 'avg';
  if (name === 'count') return `count(${column})`;
  if (sorts) return name === 'avg' ? averageOf(kind, column) : aggregated(name, kind, column);
  if (kind === 'decimal' || (kind === 'real' && adds)) return `'[' || coalesce(string_agg('"' || ${column} || '"', ','), '') || ']'`;
  if (kind === 'integer' && adds) return `'[0,' || coalesce(sum(${column})::text, 'null') || ',' || count(${column}) || ']'`;
  if (isMomentKind(kind)) {
    // By moment, and then as they are written: what sorts so goes in front of each, and is cut off again.
    const both = `${name}(${momentOf(column)} || ' ' || ${column})`;
    return `coalesce(to_json(substr(${both}, strpos(${both}, ' ') + 1))::text, 'null')`;
  }
  const value = aggregated(name, kind, column);
  return `coalesce(${kind === 'json' ? value : jsonOrNull(['uuid', 'date'].includes(kind) ? 'text' : kind, value)}, 'null')`;
}

function aggregated(name: string, kind: ColumnKind, column: string): string {
  if (kind === 'boolean') return name === 'min' ? `bool_and(${column})` : `bool_or(${column})`;
  // Doubles are added up as what they are written, so that no sum is too large on the way.
  if (kind === 'real' && (name === 'sum' || name === 'avg')) return `${name}(${column}::text::numeric)`;
  return `${name}(${further(kind, orderingOf(kind, column))})`;
}

/** The server's own average has about 16 digits, fewer than what is shown; a quotient has as many behind the point as what is divided. */
function averageOf(kind: ColumnKind, column: string): string {
  return `${aggregated('sum', kind, column)} * 1.${'0'.repeat(60)} / nullif(count(${column}), 0)`;
}

/** Decimals by value, and then as they are written. */
function least(column: Column, quoted: string): string {
  if (column.kind !== 'decimal') return aggregate('min', column, quoted, false);
  return `coalesce('"' || (array_agg(${quoted} ORDER BY ${quoted}, ${asText(quoted)}))[1] || '"', 'null')`;
}

/**
 * The server ends what takes too long by itself. Of rows on both sides that have no partner it keeps track only while it joins by an
 * equality: where there is none, one that always holds, of expressions which it cannot know to be the same.
 */
function joining(on: string, { side, keys, isEqual }: JoinParts): string {
  if (side !== 'full' || isEqual) return on;
  const [one, other] = keys.map((key) => `coalesce(0 * length(${key}::text), 0)`);
  return `${one} = ${other} AND ${on}`;
}

/** The server sorts different rows only by what they show, so that those are put together by what they show, and come where the first does. */
function reportRows({ object, from, order, distinct }: JoinSqlParts): string {
  const terms = (of: (index: number, expression: string) => string): string[] =>
    order.map(({ expression, descending, isPresent }, index) => directed(of(index, expression), descending, isPresent));
  const sorts = (all: readonly string[]): string => (all.length === 0 ? '' : ` ORDER BY ${all.join(', ')}`);
  if (distinct === undefined) return `SELECT ${object} AS j ${from}${sorts(terms((_index, expression) => expression))}`;
  if (order.length === 0 && distinct === 'shown') return `SELECT DISTINCT ${inBytes(object)} AS j ${from}${sorts(['j'])}`;
  const keys = distinct === 'shown' ? [] : distinct.map((expression, index) => `, ${expression} AS k${index}`);
  const inner = `SELECT ${inBytes(object)} AS s${keys.join('')}${order.map(({ expression }, index) => `, ${expression} AS o${index}`).join('')} ${from}`;
  const first = (index: number): string =>
    `(array_agg(o${index} ORDER BY ${directed(`o${index}`, order[index]?.descending === true, false)}))[1]`;
  const group = distinct === 'shown' ? 's' : distinct.map((_, index) => `k${index}`).join(', ');
  return `SELECT min(s) AS j FROM (${inner}) AS d GROUP BY ${group}${sorts([...terms(first), 'j'])}`;
}

const numberForm = /^-?\d+(\.\d+)?([eE][+-]?\d{1,4})?$/;
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The text of a value as the server takes it, which ends a statement over a day or a double that there is not. */
const taken: Partial<Record<ColumnKind, (text: string) => string | null>> = {
  uuid: (text) => (uuidForm.test(text) ? text : null),
  date: (text) => (isDate(text) ? text : null),
  decimal: (text) => (numberForm.test(text) ? text : null),
  real: (text) => (numberForm.test(text) && Number.isFinite(Number(text)) ? String(Number(text)) : null),
};

/** What a type of the server would not take is equal to nothing, as it is on every store; null is equal to nothing. */
function compared(kind: ColumnKind, operator: Comparison | undefined): Parameter['encode'] {
  switch (kind) {
    case 'integer':
      return (value) => wholeNumber(value, operator);
    case 'boolean':
      return (value) => (value === true || value === 1 ? true : value === false || value === 0 ? false : null);
    case 'datetime':
    case 'time':
      return (value) => storable(encodeMoment(value));
    case 'json':
      return (value) => storable(value === null ? null : writeJson(value));
    case 'scalar':
      return encodeScalar;
    case 'text':
      return storable;
    default: {
      const read = taken[kind];
      return (value) => (value === null || read === undefined ? null : read(String(value)));
    }
  }
}

/** No text of the server holds a NUL, so that none is equal to one that does. */
function storable(value: Value | unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? null : value;
}

const [smallest, largest] = [-(2n ** 63n), 2n ** 63n - 1n];

/** A fraction lies between whole numbers: the next one on the side that the operator looks to takes its place. */
function wholeNumber(value: Value, operator: Comparison | undefined): unknown {
  if (typeof value === 'number' && !Number.isInteger(value)) {
    if (operator === 'lt' || operator === 'gte') return clamped(Math.ceil(value));
    return operator === 'lte' || operator === 'gt' ? clamped(Math.floor(value)) : null;
  }
  if (typeof value === 'number' || typeof value === 'bigint') return clamped(value);
  return typeof value === 'string' && /^-?\d{1,18}$/.test(value) ? value : null;
}

function clamped(value: number | bigint): unknown {
  if (Number.isSafeInteger(value)) return value;
  if (value > largest) return largest;
  return value < smallest ? smallest : BigInt(value);
}

/** A backslash at the end stands for itself. */
function completed(pattern: string): string {
  const tail = /\\+$/.exec(pattern)?.[0].length ?? 0;
  return tail % 2 === 0 ? pattern : `${pattern}\\`;
}
