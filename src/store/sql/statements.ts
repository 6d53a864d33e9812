// Shape → SQL text, once per shape; pure. What databases spell differently is in `dialect.ts`.

import { unreachable } from '../../errors.ts';
import { encodeScalar } from '../../model/types/scalar.ts';
import { type Condition, joinsByEquality, type OrderTerm } from '../../plan/query/condition.ts';
import {
  type Delete,
  type Field,
  type Insert,
  isEmptyOutput,
  type JoinQuery,
  type LinkField,
  type Output,
  type Related,
  type Select,
  type Shape,
  type SortedOutput,
  type TableMask,
  type Update,
} from '../../plan/query/shape.ts';
import type { Table } from '../../plan/rows/table.ts';
import { versionColumn } from '../../plan/rows/tables.ts';
import { aliasedScope, conditionSql, joinScope, lookedUp, type Scope, scopeOf, sortingIn, spellingIn } from './conditions.ts';
import type { Dialect, JoinSqlParts, MemberGroup, Statement } from './dialect.ts';
import { withinIndexes } from './index-limits.ts';
import { isSortedLast, reportGroups, reportIdentity, reportObject, reportOrder } from './join-terms.ts';
import { isJsonText, rightsJson } from './json-fields.ts';
import { lookupJson } from './lookups.ts';
import { flagName, maskedRows, maskOf, ofStored, onceRows, onceTable, storedName, storedRows } from './masks.ts';
import { columnOf, directed, quote, quoteText, wordColumn } from './names.ts';
import { furtherColumn, furtherKind, orderBy, type Sorting } from './order.ts';
import { isSimplePage, shownPlace } from './page-place.ts';
import { type Assembly, givenAt, nextAlias, nextGiven, statementKey } from './parameters.ts';
import { deepRows } from './related-rows.ts';
import { encodeWords } from './search-words.ts';
import { isNumbered, overlaidRows, suppliedRows } from './supplied-rows.ts';

export function compileShape(shape: Shape, dialect: Dialect): Statement {
  switch (shape.kind) {
    case 'select':
      return new Builder(dialect, shape.table, [], shape).select(shape);
    case 'insert':
      return new Builder(dialect, shape.table).insert(shape);
    case 'update':
      return new Builder(dialect, shape.table).update(shape);
    case 'delete':
      return new Builder(dialect, shape.table).delete(shape);
    case 'report':
      return new Builder(
        dialect,
        shape.table,
        shape.joins.map((each) => each.table),
        shape,
      ).report(shape);
    default:
      return unreachable(shape);
  }
}

/** The rows of a select as one JSON text, their number, and the further columns of the last. */
export function compilePage(shape: Select, dialect: Dialect): Statement {
  return new Builder(dialect, shape.table, [], rowsOf(shape)).page(shape);
}

export function compileCount(shape: Select, dialect: Dialect): Statement {
  return new Builder(dialect, shape.table, [], rowsOf(shape)).count(shape);
}

/** What the names of tables mean in a statement, where that is not the rows that the store has. */
type StatementRows = Pick<Select, 'supplied' | 'masks' | 'isOverlaid'>;

function rowsOf({ supplied = [], masks = [] }: Select): StatementRows {
  return { supplied, masks };
}

class Builder {
  readonly #dialect: Dialect;
  readonly #table: Table;
  readonly #assembly: Assembly;
  readonly #scope: Scope;
  readonly #isOverlaid: boolean;
  #isMoved = false;

  constructor(dialect: Dialect, table: Table, joined: readonly Table[] = [], rows: StatementRows = {}) {
    const { supplied = [], masks = [], isOverlaid = false } = rows;
    this.#dialect = dialect;
    this.#isOverlaid = isOverlaid;
    this.#table = table;
    this.#assembly = { dialect, parameters: [], given: 0, aliases: 0, supplied, masks, isStored: false, once: new Map(), isHiding: false };
    this.#scope = joined.length === 0 ? scopeOf(table) : joinScope([table, ...joined]);
  }

  select(shape: Select): Statement {
    if (shape.proposed !== undefined) return this.#done(`SELECT ${this.#outputs(shape.output)} ${this.#proposed(shape)}`, shape.output);
    const lock = shape.lock === undefined || this.#isSupplied ? '' : this.#dialect.lock(shape.lock, quote(this.#table.name));
    const from = this.#from(shape);
    return this.#done(`SELECT ${this.#outputs(shape.output)} ${from}${lock}`, shape.output);
  }

  page(shape: Select): Statement {
    const isSimple = isSimplePage(shape);
    const extreme = shape.order[0]?.descending === true ? 'min' : 'max';
    // What is sorted by may ask for the words that the condition searches.
    const rows = this.#from(shape);
    const shown = isSimple ? shownPlace(shape, this.#dialect) : undefined;
    const keys = (shown === undefined ? shape.output.columns : []).map((column, index) => {
      const key = this.#further(column, isSimple ? 'further' : 'place');
      return { key: `${key} AS k${index}`, last: `${isSimple ? `${extreme}(k${index})` : this.#dialect.lastOf(`k${index}`)} AS c${index}` };
    });
    const from = shape.order.length > 1 && !this.#isSupplied ? this.#dialect.sorted(rows, quote(this.#table.name)) : rows;
    const object = `${this.#whole(shape.output)} AS j`;
    const inner = `SELECT ${[object, ...keys.map(({ key }) => key)].join(', ')} ${from}`;
    const page = [`${this.#dialect.concatenated()} AS j`, 'count(*) AS n', ...keys.map(({ last }) => last)];
    const statement = this.#done(`SELECT ${page.join(', ')} FROM (${inner}) AS p${this.#dialect.fitting}`, shape.output);
    return shown === undefined ? statement : { ...statement, key: `${statement.key} shown`, shown };
  }

  count(shape: Select): Statement {
    const where = shape.where.kind === 'all' ? '' : this.#scanned(shape.where);
    const sql = `SELECT count(*) AS n FROM ${quote(this.#table.name)} ${where}`;
    return this.#done(sql, { fields: [], columns: [] });
  }

  insert(shape: Insert): Statement {
    this.#isMoved = shape.moved === true;
    const rows = Array.from({ length: shape.rows ?? 1 }, () => this.#row(shape.columns));
    const values = rows.map((row) => `(${row.map(([, parameter]) => parameter).join(', ')})`);
    const names = rows[0]?.map(([physical]) => physical) ?? [];
    const sql = `INSERT INTO ${quote(this.#table.name)} (${names.join(', ')}) VALUES ${values.join(', ')}`;
    const nothing = shape.orNothing === true ? ' ON CONFLICT DO NOTHING' : '';
    return this.#done(`${sql}${nothing}${this.#returning(shape.output)}`, shape.output);
  }

  update(shape: Update): Statement {
    const sets: string[] = shape.columns.length > 0 ? [] : [`${quote(shape.version ?? '')} = ${quote(shape.version ?? '')}`];
    for (const name of shape.columns) {
      if (name === shape.version) {
        const parameter = this.#next();
        sets.push(`${quote(name)} = ${this.#dialect.greatest(parameter, `${quote(name)} + 1`)}`);
      } else {
        this.#assign(name, (physical, parameter) => {
          sets.push(`${physical} = ${parameter}`);
        });
      }
    }
    for (const name of shape.beginnings ?? []) {
      const [beginning, rest] = [this.#next(), this.#next()];
      sets.push(`${quote(name)} = CAST(${beginning} AS TEXT) || substr(${quote(name)}, CAST(${rest} AS INTEGER))`);
    }
    const sql = `UPDATE ${quote(this.#table.name)} SET ${sets.join(', ')} ${this.#lockedFirst(shape)}`;
    return this.#done(`${sql}${this.#returning(shape.output)}`, shape.output);
  }

  delete(shape: Delete): Statement {
    return this.#done(`DELETE FROM ${quote(this.#table.name)} ${this.#where(shape.where)}`, { fields: [], columns: [] });
  }

  report(shape: JoinQuery): Statement {
    const spelling = spellingIn(this.#scope, this.#assembly);
    const joins = shape.joins.map((each, index) => this.#join(each, index));
    const alias = shape.joins.length === 0 ? '' : ' AS t0';
    const where = shape.joins.length === 0 ? this.#scanned(shape.where) : this.#where(shape.where);
    const group = reportGroups(shape, spelling);
    const limit = shape.limit ? ` LIMIT ${this.#next()}` : '';
    const offset = shape.offset ? ` OFFSET ${this.#next()}` : '';
    const from = `FROM ${quote(this.#table.name)}${alias}${joins.join('')} ${where}${group === '' ? '' : ` GROUP BY ${group}`}`;
    const parts = {
      object: reportObject(shape, spelling),
      from,
      order: reportOrder(shape, spelling),
      distinct: reportIdentity(shape, spelling),
    };
    const sql = isSortedLast(shape) ? sortedLast(parts, limit, this.#dialect) : `${this.#dialect.reportRows(parts)}${limit}${offset}`;
    return this.#done(sql, { fields: [], columns: [] });
  }

  #join({ side, table, on }: JoinQuery['joins'][number], index: number): string {
    const aliases = [`t${index}`, `t${index + 1}`] as const;
    const before = this.#scope.sources[index]?.table ?? this.#table;
    const keys = [`${aliases[0]}.${quote(before.primaryKey[0] ?? '')}`, `${aliases[1]}.${quote(table.primaryKey[0] ?? '')}`] as const;
    const condition = this.#dialect.joining(conditionSql(on, this.#scope, this.#assembly), {
      side,
      aliases,
      keys,
      isEqual: joinsByEquality(on, index + 1),
    });
    return ` ${side.toUpperCase()} JOIN ${quote(table.name)} AS ${aliases[1]} ON ${condition}`;
  }

  #from(shape: Select): string {
    const where = this.#scanned(shape.where, shape.order);
    const order = shape.order.length === 0 ? '' : ` ORDER BY ${orderBy(shape.order, this.#sorting())}`;
    const limit = shape.limit ? ` LIMIT ${this.#rowCount()}` : '';
    const offset = shape.offset ? ` OFFSET ${this.#rowCount()}` : '';
    return `FROM ${quote(this.#table.name)} ${where}${order}${limit}${offset}`;
  }

  /** A row of parameters. That it is put beside the rows of the table, of which it takes none, gives its columns their types. */
  #proposed({ proposed = [], where }: Select): string {
    const row = this.#row(proposed);
    const names = row.map(([physical]) => physical).join(', ');
    const table = quote(this.#table.name);
    const values = `SELECT ${names} FROM ${table} WHERE 1 = 0 UNION ALL SELECT ${row.map(([, parameter]) => parameter).join(', ')}`;
    return `${row.length === 0 ? '' : `FROM (${values}) AS ${table} `}${this.#where(where)}`;
  }

  #row(columns: readonly string[]): readonly (readonly [physical: string, parameter: string])[] {
    const row: (readonly [string, string])[] = [];
    for (const name of columns) this.#assign(name, (physical, parameter) => row.push([physical, parameter]));
    return row;
  }

  /** One value of the caller's may fill several physical columns. */
  #assign(name: string, add: (physical: string, parameter: string) => void): void {
    const parameter = nextGiven(this.#assembly);
    const column = columnOf(this.#table, name);
    for (const physical of this.#dialect.physical(column)) {
      add(quote(physical.name), parameter(this.#isMoved ? physical.encode : withinIndexes(this.#table, column, physical.encode)));
    }
    if (this.#table.search?.includes(name) === true) add(quote(wordColumn(name)), parameter(encodeWords(this.#table, name)));
  }

  #returning(output: Output): string {
    return this.#dialect.countsChanges && isEmptyOutput(output) ? '' : ` RETURNING ${this.#outputs(output)}`;
  }

  #outputs(output: SortedOutput): string {
    const columns = output.columns.map((column, index) => `${this.#further(column, 'further')} AS c${index}`);
    return [`${this.#whole(output)} AS j`, ...columns].join(', ');
  }

  #further(column: string | OrderTerm, as: 'further' | 'place'): string {
    if (column === versionColumn && maskOf(this.#table, this.#assembly) !== undefined)
      return this.#version(this.#table, quote(this.#table.name));
    return furtherColumn(column, as, this.#sorting());
  }

  /** Of a row that the caller sees a part of, what is known of that part; otherwise its own. */
  #version(table: Table, alias: string): string {
    const own = `${alias}.${quote(versionColumn)}`;
    const mask = maskOf(table, this.#assembly);
    return mask === undefined ? own : `coalesce(${own}, ${this.#dialect.digest(this.#object(mask, table, alias))})`;
  }

  /** With what it includes, unless that is too much. */
  #whole(output: SortedOutput): string {
    const alias = quote(this.#table.name);
    const object = this.#object(output, this.#table, alias);
    const deep = deepRows(output.fields, alias, (...those) => this.#asked(...those));
    return deep.length === 0 ? object : `CASE WHEN ${deep.map((each) => this.#dialect.few(each)).join(' AND ')} THEN ${object} END`;
  }

  /** `alias` is what the row's table is called where the object stands. */
  #object({ fields }: Pick<Output, 'fields'>, table: Table, alias: string, from?: string): string {
    if (fields.length === 0) return quoteText('{}');
    const mask = maskOf(table, this.#assembly);
    const groups = mask === undefined ? [] : this.#groups(fields, mask, table, alias);
    const shown = groups.length === 0 ? fields : fields.filter((field) => conditionOf(field, mask) === undefined);
    return this.#dialect.object(
      shown.map((field) => [field.name, this.#field(field, table, alias, from), isJsonText(field)]),
      groups,
    );
  }

  /** Members that are only there where the caller may see them, together where that depends on the same. */
  #groups(fields: readonly Field[], mask: TableMask, table: Table, alias: string): readonly MemberGroup[] {
    return mask.conditions.flatMap((_, index): readonly MemberGroup[] => {
      const members = fields.flatMap((field) => {
        if (field.kind !== 'column' || conditionOf(field, mask) !== index) return [];
        const { kind } = columnOf(table, field.column);
        return [[field.name, this.#dialect.json(kind, `${alias}.${quote(storedName(field.column))}`)] as const];
      });
      return members.length === 0 ? [] : [{ when: `${alias}.${quote(flagName(index))}`, members }];
    });
  }

  /** Names of what the caller may not see, as a JSON text. */
  #hidden({ columns }: Extract<Field, { kind: 'hidden' }>, table: Table, alias: string): string {
    const mask = maskOf(table, this.#assembly);
    const names = columns.flatMap(({ name, column }) => {
      const masked = mask?.columns.find((each) => each.column === column);
      const text = quoteText(`,${JSON.stringify(name)}`);
      return masked === undefined ? [] : [`CASE WHEN ${alias}.${quote(flagName(masked.condition))} THEN '' ELSE ${text} END`];
    });
    return `(${["'[0'", ...names, "']'"].join(' || ')})`;
  }

  /** `from` is the key of the row around it, where there is one. */
  #field(field: Field, table: Table, alias: string, from: string | undefined): string {
    switch (field.kind) {
      case 'column': {
        const column = field.column === versionColumn ? this.#version(table, alias) : `${alias}.${quote(field.column)}`;
        return this.#dialect.json(columnOf(table, field.column).kind, column);
      }
      case 'hidden':
        return this.#hidden(field, table, alias);
      case 'constant':
        return this.#dialect.constant(field.value);
      case 'lookup':
        return lookupJson(lookedUp(field, this.#assembly), `${alias}.${quote(field.column)}`, this.#dialect);
      case 'related':
        return this.#dialect[field.related.single ? 'single' : 'array'](this.#related(field.related, alias));
      case 'link':
        return this.#link(field, alias, from);
      case 'rights':
        return ofStored(this.#assembly, () => rightsJson(field.rights, (where) => this.#asked(where, table, alias)[0]));
      default:
        return unreachable(field);
    }
  }

  #link({ table, fields, from, to, key, where }: LinkField, outer: string, outerKey: string | undefined): string {
    const alias = nextAlias(this.#assembly);
    const { kind } = columnOf(table, from);
    const start = outerKey ?? givenAt(0, this.#assembly)(kind === 'scalar' ? encodeScalar : undefined);
    const ends = [`${alias}.${quote(from)} = ${start}`, `${alias}.${quote(to)} = ${outer}.${quote(key)}`];
    const asked = [...ends, ...this.#asked(where, table, alias)].join(' AND ');
    return this.#dialect.single(
      `SELECT ${this.#object({ fields }, table, alias)} AS j FROM ${quote(table.name)} AS ${alias} WHERE ${asked}`,
    );
  }

  #related(related: Related, outer: string): string {
    const alias = nextAlias(this.#assembly);
    const outerKey = `${outer}.${quote(related.key)}`;
    const matches = related.through === undefined ? `= ${outerKey}` : `IN (${this.#through(related.through, outerKey)})`;
    const asked = [`${alias}.${quote(related.column)} ${matches}`, ...this.#asked(related.where, related.table, alias)];
    const order = orderBy(related.order, sortingIn({ table: related.table, alias }, this.#assembly));
    // Below each row stand as many others as the next level has.
    const hasMore = related.output.fields.some((each) => each.kind === 'related');
    const where = this.#dialect.scanning(asked.join(' AND '), alias, { each: hasMore });
    const page = related.paged === true ? ` LIMIT ${this.#rowCount()} OFFSET ${this.#rowCount()}` : '';
    const from = `FROM ${quote(related.table.name)} AS ${alias} WHERE ${where} ORDER BY ${order}${page}`;
    const object = this.#object(related.output, related.table, alias, outerKey);
    const texts = related.single ? [] : shownTexts(related).map((name) => `${alias}.${quote(name)}`);
    return `SELECT ${this.#dialect.within(object, texts, order)} AS j ${from}`;
  }

  #through({ table, from, to, where }: NonNullable<Related['through']>, outerKey: string): string {
    const alias = nextAlias(this.#assembly);
    const asked = [`${alias}.${quote(from)} = ${outerKey}`, ...this.#asked(where, table, alias)].join(' AND ');
    return `SELECT ${alias}.${quote(to)} FROM ${quote(table.name)} AS ${alias} WHERE ${asked}`;
  }

  /** What is asked of rows that stand in the answer of another row. */
  #asked(where: Condition | undefined, table: Table, alias: string): readonly string[] {
    if (where === undefined || where.kind === 'all') return [];
    return [conditionSql(where, aliasedScope(table, alias), this.#assembly)];
  }

  /** Rows of an update that are locked in an order, where a database locks rows at all. */
  #lockedFirst({ where, inOrder }: Update): string {
    const table = quote(this.#table.name);
    const lock = this.#dialect.lock('change', table);
    if (inOrder === undefined || lock === '' || isOne(where)) return this.#where(where);
    const column = quote(inOrder);
    return `WHERE ${column} IN (SELECT ${column} FROM ${table} ${this.#where(where)} ORDER BY ${column}${lock})`;
  }

  #where(condition: Condition): string {
    return condition.kind === 'all' ? '' : `WHERE ${conditionSql(condition, this.#scope, this.#assembly)}`;
  }

  /** Of rows that may be many. */
  #scanned(condition: Condition, order: readonly OrderTerm[] = []): string {
    const asked = condition.kind === 'all' ? '' : conditionSql(condition, this.#scope, this.#assembly);
    const alias = quote(this.#table.name);
    const texts = longColumns(this.#table, condition, order).map((name) => `${alias}.${quote(name)}`);
    const where = this.#dialect.scanning(asked, alias, { texts });
    return where === '' ? '' : `WHERE ${where}`;
  }

  #rowCount(): string {
    return this.#dialect.rowCount(this.#next());
  }

  /** A parameter that is the next value as it is. */
  #next(): string {
    return nextGiven(this.#assembly)(undefined);
  }

  #sorting(): Sorting {
    return sortingIn({ table: this.#table, alias: quote(this.#table.name) }, this.#assembly);
  }

  /** Whether the rows of its own table are supplied: they are in no table that has locks and row numbers. */
  get #isSupplied(): boolean {
    return this.#assembly.supplied.includes(this.#table);
  }

  /** In the statement, their names mean these rows and no table. */
  #suppliedRows(): string {
    const { supplied } = this.#assembly;
    const masked = this.#maskedTables();
    if (supplied.length + masked.length === 0) return '';
    const tables = supplied.map((table, index) => {
      const rows = this.#isOverlaid && !isNumbered(table) ? overlaidRows : suppliedRows;
      const name = maskOf(table, this.#assembly) === undefined ? table.name : storedName(table.name);
      return `${quote(name)} AS (${rows(table, index, this.#assembly)})`;
    });
    const stored = masked.flatMap(({ table }) =>
      supplied.includes(table) ? [] : [`${quote(storedName(table.name))} AS NOT MATERIALIZED (${storedRows(table, this.#dialect)})`],
    );
    const seen = masked.map(({ table, mask }) => {
      const rows = maskedRows(table, mask, this.#assembly, (where, alias) => this.#askedStored(where, table, alias));
      return `${quote(table.name)} AS NOT MATERIALIZED (${rows})`;
    });
    const once = this.#assembly.once.size === 0 ? [] : [`${quote(onceTable)} AS MATERIALIZED (SELECT ${onceRows(this.#assembly)})`];
    return `WITH ${[...tables, ...stored, ...once, ...seen].join(', ')} `;
  }

  #maskedTables(): readonly { readonly table: Table; readonly mask: TableMask }[] {
    return this.#assembly.masks.map((mask) => ({ table: mask.of, mask }));
  }

  #askedStored(where: Condition, table: Table, alias: string): string {
    const scope: Scope = { sources: [{ table, alias, isAlone: false, isStored: true }], around: undefined };
    this.#assembly.isHiding = true;
    const written = ofStored(this.#assembly, () => conditionSql(where, scope, this.#assembly));
    this.#assembly.isHiding = false;
    return written;
  }

  #done(text: string, output: SortedOutput): Statement {
    const sql = `${this.#suppliedRows()}${text.trimEnd()}`;
    const { parameters } = this.#assembly;
    const columns = output.columns.map((column) => furtherKind(column, this.#sorting()));
    // Versions are milliseconds, and stay small.
    const isExact = output.columns.some((column, index) => columns[index] === 'integer' && column !== versionColumn);
    return { sql, key: statementKey(sql, parameters), parameters, columns, isExact };
  }
}

/** Of a member that is absent where the caller may not see it: which condition says so. */
function conditionOf(field: Field, mask: TableMask | undefined): number | undefined {
  if (field.kind !== 'column' || field.isNull === true) return undefined;
  return mask?.columns.find((each) => each.column === field.column)?.condition;
}

/** Those that may be of any length. */
function shownTexts({ table, output: { fields } }: Related): readonly string[] {
  return fields.flatMap((each) => (each.kind === 'column' && columnOf(table, each.column).kind === 'text' ? [each.column] : []));
}

/** Whether it holds for one value, and so for one row where the column is a key. */
function isOne(where: Condition): boolean {
  return where.kind === 'compare' && where.operator === 'eq';
}

/** Columns of the row itself that have to be read to be compared or sorted by, and hold texts of any length. */
function longColumns(table: Table, condition: Condition, order: readonly OrderTerm[]): readonly string[] {
  const names = new Set([...comparedColumns(condition), ...order.flatMap(({ column, along }) => (along === undefined ? [column] : []))]);
  const { columns, primaryKey } = table;
  const isLong = ({ name, kind }: Table['columns'][number]): boolean =>
    names.has(name) && (kind === 'text' || kind === 'json' || kind === 'decimal') && !primaryKey.includes(name);
  return columns.filter(isLong).map(({ name }) => name);
}

function comparedColumns(condition: Condition): readonly string[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap(comparedColumns);
    case 'not':
      return comparedColumns(condition.condition);
    case 'compare':
      return condition.outer === undefined && condition.operator !== 'null' && condition.operator !== 'not-null' ? [condition.column] : [];
    case 'holds':
      return condition.outer === undefined ? [condition.column] : [];
    default:
      return [];
  }
}

function sortedLast({ object, from, order }: JoinSqlParts, limit: string, { nullsFirst }: Dialect): string {
  const terms = order.map(({ expression }, index) => `, ${expression} AS o${index}`);
  const sorts = order.map(({ descending }, index) => directed(`o${index}`, descending, nullsFirst));
  return `SELECT j FROM (SELECT ${object} AS j${terms.join('')} ${from}${limit}) AS s ORDER BY ${sorts.join(', ')}`;
}
