// What SQLite does its own way: column types, JSON made in SQL, order of decimals and times, case-sensitive `like`.

import type { ColumnKind } from '../../model/types/attribute-type.ts';
import { encodeScalar } from '../../model/types/scalar.ts';
import type { Column } from '../../plan/rows/table.ts';
import { isMomentKind } from '../../plan/rows/tables.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { type Dialect, type Inner, type JoinSqlParts, type MemberGroup, mostRelated } from '../sql/dialect.ts';
import { encodeMoment, momentOf } from '../sql/instant.ts';
import { directed, quoteText } from '../sql/names.ts';
import { decimalFunction, digestFunction, ilike, includedFunction, like, longText, partFunction } from './like.ts';
import { rank, search } from './search/search.ts';
import { sumFunction } from './sum-key.ts';

export const sqliteDialect: Dialect = {
  parameter: (position) => `?${position}`,
  physical: physicalColumns,
  supplied: (columns, parameter) =>
    // Numbered as the rows of a table are.
    `SELECT "key" + 1 AS "_rowid_", ${columns.map(({ quoted, type }, index) => `CAST("value" ->> ${index} AS ${type}) AS ${quoted}`).join(', ')} FROM json_each(${parameter})`,
  stored: (table) => `main.${table}`,
  rowNumber: ['"_rowid_"'],
  ordering,
  equality: ordering,
  // Values are compared as they are, whatever their columns are called.
  alike: ([, first], [, second]) => [first, second],
  text: (column) => `CAST(${column} AS TEXT)`,
  key: (kind, column) => (kind === 'integer' ? `CAST(${column} AS INTEGER)` : column),
  further: (_kind, column) => column,
  json: jsonValue,
  constant: quoteText,
  lookup: (columns, from) => {
    const isScalar = columns.some(([kind]) => kind === 'scalar');
    const values = columns.map(([kind, column]) => (isScalar && kind !== 'scalar' ? quotedJson(column) : column));
    const value = `(SELECT ${values.length === 1 ? values[0] : `coalesce(${values.join(', ')})`} ${from})`;
    return isScalar ? `json(${value})` : value;
  },
  object,
  digest: (text) => `${digestFunction}(${text})`,
  array: (subquery) =>
    `'[', (SELECT CASE WHEN count(*) > ${mostRelated} THEN ${tooLong} ELSE group_concat(CASE WHEN ${isRoomFor('j', includedFunction)} THEN j END, ',') END FROM (${subquery})), ']'`,
  // Asked of the rows themselves.
  within: (object) => object,
  few: (subquery) => `(SELECT CASE WHEN count(*) > ${mostRelated} THEN ${tooLong} END FROM (${subquery} LIMIT ${mostRelated + 1})) IS NULL`,
  single: (subquery) => `coalesce((${subquery}), 'null')`,
  aggregate,
  least,
  leastOf: (expression) => `min(${expression})`,
  reportRows,
  concatenated: () => `coalesce(group_concat(j, ','), '')`,
  // Not around the row itself, which costs more where all are small.
  fitting: ` WHERE ${isRoomFor('j', partFunction)}`,
  place: (kind, column) => (kind === 'real' ? twinOf(column) : column),
  lastOf: (column) => `json_extract(json_group_array(${column}), '$[#-1]')`,
  writesDensely: true,
  like,
  ilike,
  search,
  rank,
  field: (column, path, as) => inner(as, `json_type(${column}, ${jsonPath(path)})`, `${column} ->> ${jsonPath(path)}`),
  member: (column, path, key) => memberOf(path.length === 0 ? column : `(${column} -> ${jsonPath(path)})`, key),
  elements: (column, alias, as) => ({ from: `json_each(${column}) AS ${alias}`, element: inner(as, `${alias}.type`, `${alias}.value`) }),
  distinct: (expression, parameter) => `${expression} IS NOT ${parameter}`,
  hexadecimal: (column) =>
    `printf('%016x', CASE WHEN ${column} < 0 THEN ${column} + 9223372036854775807 + 1 ELSE ${column} - 9223372036854775807 - 1 END)`,
  plain: (text) => `${text} NOT GLOB '*[^A-Za-z0-9_.!~*''()-]*'`,
  greatest: (first, second) => `max(${first}, ${second})`,
  // As part of an expression: SQLite plans a statement anew for each value of a parameter that is a limit by itself.
  rowCount: (parameter) => `${parameter} + 0`,
  // Stopped only on a connection that is watched.
  joining: (on) => on,
  scanning: (where) => where,
  // It makes everything that is selected before it sorts; a subquery with a limit is read in its order.
  sorted: (from, table) => `FROM (SELECT ${table}._rowid_ AS r ${from}) AS s CROSS JOIN ${table} ON ${table}._rowid_ = s.r`,
  among: (expression, parameter) => `${expression} IN (SELECT value FROM json_each(${parameter}))`,
  // There is one writer, which nobody overtakes.
  lock: () => '',
  nullsFirst: true,
  countsChanges: true,
};

/**
 * Texts of JSON are put between those of the other members: as values of `json_object` they would be parsed, and copied several times.
 */
function object(pairs: Pairs, groups: readonly MemberGroup[] = []): string {
  const [first, ...rest] = pairs;
  if (groups.length === 0) return plainObject(pairs);
  const members = groups.map((group) => `CASE WHEN ${group.when} THEN ${membersText(group)} ELSE '' END`);
  if (first === undefined || first[2] === true) return `concat('{', ltrim(concat(${members.join(', ')}), ','), ${endOf(pairs)})`;
  const begins = [quoteText(`{${JSON.stringify(first[0])}:`), `json_quote(${first[1]})`];
  return `concat(${[...begins, ...members, endOf(rest)].join(', ')})`;
}

type Pairs = Parameters<Dialect['object']>[0];

/** The further members, and the end. */
function endOf(pairs: Pairs): string {
  return pairs.length === 0 ? `'}'` : `',', substr(${plainObject(pairs)}, 2)`;
}

/** Each behind a comma. */
function membersText({ members }: MemberGroup): string {
  return `concat(${members.map(([name, value]) => `${quoteText(`,${JSON.stringify(name)}:`)}, json_quote(${value})`).join(', ')})`;
}

function plainObject(pairs: Pairs): string {
  const pieces: string[] = [];
  let plain: string[] = [];
  for (const [name, value, isText = false] of pairs) {
    if (!isText) {
      plain.push(`${quoteText(name)}, ${value}`);
      continue;
    }
    pieces.push(...beginning(plain, name, pieces.length === 0), value);
    plain = [];
  }
  if (pieces.length === 0) return jsonObject(plain);
  const end = plain.length === 0 ? [`'}'`] : [`','`, `substr(${jsonObject(plain)}, 2)`];
  return `concat(${[...pieces, ...end].join(', ')})`;
}

/** Members up to the value of one that is called `name`: an object with 0 for it, without its end. */
function beginning(plain: readonly string[], name: string, isFirst: boolean): readonly string[] {
  if (plain.length === 0) return [quoteText(`${isFirst ? '{' : ','}${JSON.stringify(name)}:`)];
  const text = `rtrim(${jsonObject([...plain, `${quoteText(name)}, 0`])}, '0}')`;
  return isFirst ? [text] : [`','`, `substr(${text}, 2)`];
}

function jsonObject(members: readonly string[]): string {
  return `json_object(${members.join(', ')})`;
}

/** A row, which is asked about where it is large: a statement goes through all its rows even when they have long been too much for it. */
function isRoomFor(row: string, asked: string): string {
  return `(octet_length(${row}) <= ${longText} OR ${asked}(octet_length(${row})))`;
}

/** Longer than any text may be, which is how a statement fails that finds too many rows. */
const tooLong = 'zeroblob(count(*) * 1000000)';

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
  scalar: 'TEXT',
  integer: 'INTEGER',
  boolean: 'INTEGER',
  real: 'REAL',
};

const encodeBoolean = (value: Value): unknown => (value === null ? null : value === true || value === 1 ? 1 : 0);
// The driver binds positive numbers below this one as the integer 0; as text they arrive exactly.
const smallestBound = 2 ** -52;
const encodeReal = (value: Value): unknown => (typeof value === 'number' && value > 0 && value < smallestBound ? String(value) : value);

/** Of a cursor, which has it as a text. */
const numberOf = (value: Value): Value => (typeof value === 'string' ? Number(value) : value);

const encoders: Partial<Record<ColumnKind, (value: Value) => unknown>> = {
  boolean: encodeBoolean,
  real: encodeReal,
  json: (value) => (value === null ? null : writeJson(value)),
  scalar: encodeScalar,
};

function twinOf(quotedColumn: string): string {
  return `${quotedColumn.slice(0, -1)}#"`;
}

function ordering(column: Column, quotedColumn: string): ReturnType<Dialect['ordering']> {
  switch (column.kind) {
    case 'decimal':
      return { expression: twinOf(quotedColumn), encode: decimalKey };
    case 'datetime':
    case 'time':
      return { expression: momentOf(quotedColumn), encode: encodeMoment };
    case 'boolean':
    case 'real':
    case 'scalar':
      return { expression: quotedColumn, encode: encoders[column.kind] };
    default:
      return { expression: quotedColumn, encode: undefined };
  }
}

/** Names of attributes hold no quotes. */
function jsonPath(path: readonly string[]): string {
  return quoteText(`$${path.map((name) => `."${name}"`).join('')}`);
}

/** `type` is what SQLite calls the type of a JSON value, `value` that value; a text that is none of its kind is not taken for one. */
function inner(as: ColumnKind, type: string, value: string): Inner {
  const when = (types: string, then: string): string => `(CASE WHEN ${type} IN (${types}) THEN ${then} END)`;
  switch (as) {
    case 'integer':
      return { kind: as, quoted: when(`'integer'`, value) };
    case 'real': {
      // As a whole of a type, so that a number that is bound as a text is taken for a number.
      const quoted = `CAST(${when(`'integer', 'real'`, value)} AS REAL)`;
      const place = `(CASE WHEN ${quoted} IS NOT NULL THEN printf('%!.17g', ${quoted}) END)`;
      return { kind: as, quoted, compared: { expression: quoted, encode: (given) => encodeReal(numberOf(given)) }, place };
    }
    case 'boolean':
      return { kind: as, quoted: `(CASE ${type} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END)` };
    case 'decimal': {
      const quoted = when(`'text', 'integer', 'real'`, value);
      return { kind: 'text', quoted, compared: { expression: `${decimalFunction}(${quoted})`, encode: decimalKey } };
    }
    // A record or a list inside of a record, which is only asked whether it is there.
    case 'json':
      return { kind: 'text', quoted: `(CASE WHEN ${type} <> 'null' THEN ${value} END)` };
    default:
      return { kind: as, quoted: when(`'text'`, value) };
  }
}

/** Numbers as they are written. */
function memberOf(map: string, key: string): string {
  const text = `CASE m.type WHEN 'text' THEN m.value WHEN 'null' THEN NULL ELSE ${map} -> m.fullkey END`;
  return `(SELECT ${text} FROM json_each(${map}) AS m WHERE m.key = ${key})`;
}

function aggregate(name: string, column: Column, quoted: string, sorts: boolean): string {
  const { kind } = column;
  const adds = name === 'sum' || name === 'avg';
  if (name === 'count') return `count(${quoted})`;
  if (sorts) return sorted(name, column, quoted);
  if (kind === 'decimal' || (kind === 'real' && adds)) return listOf(kind === 'real' ? twinOf(quoted) : quoted, quoted);
  if (kind === 'integer' && adds) return `json_array(${billionsOf(quoted)}, ${restOf(quoted)}, count(${quoted}))`;
  if (isMomentKind(kind)) return behindKey(name, momentOf(quoted), quoted);
  const value = `${name}(${quoted})`;
  // SQLite's own texts of doubles are not always the number.
  if (kind === 'real') return `json(CASE WHEN ${value} IS NOT NULL THEN printf('%!.17g', ${value}) END)`;
  return kind === 'boolean' || kind === 'json' || kind === 'scalar' ? jsonValue(kind, value) : value;
}

function listOf(values: string, quoted: string): string {
  return `json_group_array(${values}) FILTER (WHERE ${quoted} IS NOT NULL)`;
}

function sorted(name: string, column: Column, quoted: string): string {
  if (name === 'min' || name === 'max') return `${name}(${ordering(column, quoted).expression})`;
  return `${sumFunction}('${name}', ${aggregate(name, column, quoted, false)})`;
}

function least(column: Column, quoted: string): string {
  return column.kind === 'decimal' ? behindKey('min', twinOf(quoted), quoted) : aggregate('min', column, quoted, false);
}

/** By value, and then as they are written: a text that sorts by value goes in front of each, and is cut off again. */
function behindKey(name: string, key: string, quoted: string): string {
  const both = `${name}(${key} || ' ' || ${quoted})`;
  return `substr(${both}, instr(${both}, ' ') + 1)`;
}

/** Rows that show the same are one, and come where the first of them does. */
function reportRows({ object, from, order, distinct }: JoinSqlParts): string {
  const terms = (of: (index: number, expression: string) => string): string[] =>
    order.map(({ expression, descending }, index) => directed(of(index, expression), descending, true));
  const sorts = (all: readonly string[]): string => (all.length === 0 ? '' : ` ORDER BY ${all.join(', ')}`);
  if (distinct === undefined) return `SELECT ${object} AS j ${from}${sorts(terms((_index, expression) => expression))}`;
  if (order.length === 0 && distinct === 'shown') return `SELECT DISTINCT ${object} AS j ${from}${sorts(['j'])}`;
  const keys = distinct === 'shown' ? [] : distinct.map((expression, index) => `, ${expression} AS k${index}`);
  const inner = `SELECT ${object} AS s${keys.join('')}${order.map(({ expression }, index) => `, ${expression} AS o${index}`).join('')} ${from}`;
  const first = (index: number): string =>
    order[index]?.descending === true ? `max(o${index})` : `CASE WHEN count(o${index}) = count(*) THEN min(o${index}) END`;
  const group = distinct === 'shown' ? 's' : distinct.map((_, index) => `k${index}`).join(', ');
  return `SELECT min(s) AS j FROM (${inner}) GROUP BY ${group}${sorts([...terms(first), 'j'])}`;
}

/** SQLite's own sum fails beyond 64 bits, even on the way: billions and what is left of them are added up apart. */
function billionsOf(quoted: string): string {
  return `sum(${quoted} / 1000000000)`;
}

function restOf(quoted: string): string {
  return `sum(${quoted} % 1000000000)`;
}

/** The JSON text of a text, beside what is kept as such. */
function quotedJson(column: string): string {
  return `CASE WHEN ${column} IS NOT NULL THEN json_quote(${column}) END`;
}

function jsonValue(kind: ColumnKind, column: string): string {
  switch (kind) {
    case 'boolean':
      return `json(CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)`;
    case 'json':
    case 'scalar':
      return `json(${column})`;
    case 'real':
      return `json(${twinOf(column)})`;
    default:
      return column;
  }
}
