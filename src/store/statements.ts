// Shape → SQL text, once per shape; pure. What databases spell differently is in `dialect.ts`.

import { unreachable } from '../errors.ts';
import { type ColumnOf, type Comparison, type Condition, joinsByEquality, type OrderTerm } from '../plan/condition.ts';
import type { Delete, Field, Insert, LinkField, Output, Related, Report, Select, Shape, Update } from '../plan/shape.ts';
import type { Table } from '../plan/table.ts';
import { isMomentKind } from '../plan/tables.ts';
import type { Dialect, Parameter, ReportParts, Statement } from './dialect.ts';
import { withinIndexes } from './index-limits.ts';
import { lookupJson, lookupPlace, type PlacedColumn } from './lookups.ts';
import { isSortedLast, markOf, reportGroups, reportIdentity, reportObject, reportOrder, type Spelling } from './report-terms.ts';
import { columnOf, directed, orderBy, quote, quoteText } from './sql-names.ts';

/** A statement that asks for so many values is not kept: a list of each length is another one, and each takes hundreds of bytes a value. */
const mostAsked = 1100;

export function isKept({ kind }: Shape, parameters: number): boolean {
  return (kind !== 'select' && kind !== 'report') || parameters <= mostAsked;
}

export function compileShape(shape: Shape, dialect: Dialect): Statement {
  switch (shape.kind) {
    case 'select':
      return new Builder(dialect, shape.table).select(shape);
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
      ).report(shape);
    default:
      return unreachable(shape);
  }
}

/** The rows of a select as one JSON text, their number, and the further columns of the last. */
export function compilePage(shape: Select, dialect: Dialect): Statement {
  return new Builder(dialect, shape.table).page(shape);
}

export function compileCount(shape: Select, dialect: Dialect): Statement {
  return new Builder(dialect, shape.table).count(shape);
}

/** Whether the further columns of the last row are found without looking for it: a page goes on behind a single column that is never null. */
function isSimplePage(shape: Select): boolean {
  const [name] = shape.output.columns;
  if (name === undefined || shape.order.length !== 1 || shape.output.columns.length !== 1 || name !== shape.order[0]?.column) return false;
  // The last of these is not the greatest as it is stored.
  const { kind } = columnOf(shape.table, name);
  return !isMomentKind(kind) && kind !== 'decimal';
}

const comparisons: Partial<Record<Comparison, string>> = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };

class Builder {
  readonly #dialect: Dialect;
  readonly #table: Table;
  readonly #parameters: Parameter[] = [];
  #source = 0;
  #aliases = 0;
  #isMoved = false;
  /** Those of a report, by their number. */
  readonly #tables: readonly Table[];

  constructor(dialect: Dialect, table: Table, joined: readonly Table[] = []) {
    this.#dialect = dialect;
    this.#table = table;
    this.#tables = [table, ...joined];
  }

  select(shape: Select): Statement {
    const lock = shape.lock === undefined ? '' : this.#dialect.lock(shape.lock, quote(this.#table.name));
    return this.#done(`SELECT ${this.#outputs(shape.output)} ${this.#from(shape)}${lock}`, shape.output);
  }

  page(shape: Select): Statement {
    const isSimple = isSimplePage(shape);
    const extreme = shape.order[0]?.descending === true ? 'min' : 'max';
    const keys = shape.output.columns.map((name, index) => {
      const key = this.#dialect[isSimple ? 'further' : 'place'](columnOf(this.#table, name).kind, quote(name));
      return { key: `${key} AS k${index}`, last: `${isSimple ? `${extreme}(k${index})` : this.#dialect.lastOf(`k${index}`)} AS c${index}` };
    });
    const object = `${this.#object(shape.output, this.#table, quote(this.#table.name))} AS j`;
    const inner = `SELECT ${[object, ...keys.map(({ key }) => key)].join(', ')} ${this.#from(shape)}`;
    const page = [`${this.#dialect.concatenated()} AS j`, 'count(*) AS n', ...keys.map(({ last }) => last)];
    return this.#done(`SELECT ${page.join(', ')} FROM (${inner}) AS p`, shape.output);
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
    return this.#done(`${sql} RETURNING ${this.#outputs(shape.output)}`, shape.output);
  }

  update(shape: Update): Statement {
    const sets: string[] = shape.columns.length > 0 ? [] : [`${quote(shape.version ?? '')} = ${quote(shape.version ?? '')}`];
    for (const name of shape.columns) {
      if (name === shape.version) {
        const parameter = this.#parameter(this.#source++, undefined);
        sets.push(`${quote(name)} = ${this.#dialect.greatest(parameter, `${quote(name)} + 1`)}`);
      } else {
        this.#assign(name, (physical, parameter) => {
          sets.push(`${physical} = ${parameter}`);
        });
      }
    }
    const sql = `UPDATE ${quote(this.#table.name)} SET ${sets.join(', ')} ${this.#lockedFirst(shape)}`;
    return this.#done(`${sql} RETURNING ${this.#outputs(shape.output)}`, shape.output);
  }

  delete(shape: Delete): Statement {
    return this.#done(`DELETE FROM ${quote(this.#table.name)} ${this.#where(shape.where)}`, { fields: [], columns: [] });
  }

  report(shape: Report): Statement {
    const spelling = this.#spelling();
    const joins = shape.joins.map((each, index) => this.#join(each, index));
    const alias = shape.joins.length === 0 ? '' : ' AS t0';
    const where = shape.joins.length === 0 ? this.#scanned(shape.where) : this.#where(shape.where);
    const group = reportGroups(shape, spelling);
    const limit = shape.limit ? ` LIMIT ${this.#parameter(this.#source++, undefined)}` : '';
    const offset = shape.offset ? ` OFFSET ${this.#parameter(this.#source++, undefined)}` : '';
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

  #spelling(): Spelling {
    return { dialect: this.#dialect, place: (column) => this.#place(column) };
  }

  #join({ side, table, on }: Report['joins'][number], index: number): string {
    const aliases = [`t${index}`, `t${index + 1}`] as const;
    const [before = this.#table, joined = table] = this.#tables.slice(index);
    const keys = [`${aliases[0]}.${quote(before.primaryKey[0] ?? '')}`, `${aliases[1]}.${quote(joined.primaryKey[0] ?? '')}`] as const;
    const condition = this.#dialect.joining(this.#condition(on), { side, aliases, keys, isEqual: joinsByEquality(on, index + 1) });
    return ` ${side.toUpperCase()} JOIN ${quote(table.name)} AS ${aliases[1]} ON ${condition}`;
  }

  #from(shape: Select): string {
    const where = this.#scanned(shape.where);
    const order = shape.order.length === 0 ? '' : ` ORDER BY ${orderBy(shape.order, this.#table, this.#dialect, quote(this.#table.name))}`;
    const limit = shape.limit ? ` LIMIT ${this.#dialect.rowCount(this.#parameter(this.#source++, undefined))}` : '';
    const offset = shape.offset ? ` OFFSET ${this.#dialect.rowCount(this.#parameter(this.#source++, undefined))}` : '';
    return `FROM ${quote(this.#table.name)} ${where}${order}${limit}${offset}`;
  }

  #row(columns: readonly string[]): readonly (readonly [physical: string, parameter: string])[] {
    const row: (readonly [string, string])[] = [];
    for (const name of columns) this.#assign(name, (physical, parameter) => row.push([physical, parameter]));
    return row;
  }

  /** One value of the caller's may fill several physical columns. */
  #assign(name: string, add: (physical: string, parameter: string) => void): void {
    const source = this.#source++;
    const column = columnOf(this.#table, name);
    for (const physical of this.#dialect.physical(column)) {
      add(
        quote(physical.name),
        this.#parameter(source, this.#isMoved ? physical.encode : withinIndexes(this.#table, column, physical.encode)),
      );
    }
  }

  #outputs(output: Output): string {
    const columns = output.columns.map((name, index) => {
      return `${this.#dialect.further(columnOf(this.#table, name).kind, quote(name))} AS c${index}`;
    });
    return [`${this.#object(output, this.#table, quote(this.#table.name))} AS j`, ...columns].join(', ');
  }

  /** `alias` is what the row's table is called where the object stands. */
  #object({ fields }: Pick<Output, 'fields'>, table: Table, alias: string, from?: string): string {
    if (fields.length === 0) return quoteText('{}');
    return this.#dialect.object(fields.map((field) => [field.name, this.#field(field, table, alias, from)]));
  }

  /** `from` is the key of the row around it, where there is one. */
  #field(field: Field, table: Table, alias: string, from: string | undefined): string {
    switch (field.kind) {
      case 'column':
        return this.#dialect.json(columnOf(table, field.column).kind, `${alias}.${quote(field.column)}`);
      case 'constant':
        return this.#dialect.constant(field.value);
      case 'lookup':
        return lookupJson(field, `${alias}.${quote(field.column)}`, this.#dialect);
      case 'related':
        return this.#dialect[field.related.single ? 'single' : 'array'](this.#related(field.related, alias));
      case 'link':
        return this.#link(field, alias, from ?? this.#parameter(0, undefined));
      default:
        return unreachable(field);
    }
  }

  #link({ table, fields, from, to, key }: LinkField, alias: string, start: string): string {
    const ends = `k.${quote(from)} = ${start} AND k.${quote(to)} = ${alias}.${quote(key)}`;
    return this.#dialect.single(`SELECT ${this.#object({ fields }, table, 'k')} AS j FROM ${quote(table.name)} AS k WHERE ${ends}`);
  }

  #related(related: Related, outer: string): string {
    this.#aliases += 1;
    const alias = `r${this.#aliases}`;
    const outerKey = `${outer}.${quote(related.key)}`;
    const { through } = related;
    const linked =
      through && `SELECT t.${quote(through.to)} FROM ${quote(through.table.name)} AS t WHERE t.${quote(through.from)} = ${outerKey}`;
    const matches = linked === undefined ? `= ${outerKey}` : `IN (${linked})`;
    const order = orderBy(related.order, related.table, this.#dialect, alias);
    // Below each row stand as many others as the next level has.
    const hasMore = related.output.fields.some((each) => each.kind === 'related');
    const where = this.#dialect.scanning(`${alias}.${quote(related.column)} ${matches}`, alias, hasMore);
    const from = `FROM ${quote(related.table.name)} AS ${alias} WHERE ${where} ORDER BY ${order}`;
    return `SELECT ${this.#object(related.output, related.table, alias, outerKey)} AS j ${from}`;
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
    return condition.kind === 'all' ? '' : `WHERE ${this.#condition(condition)}`;
  }

  /** Of rows that may be many. */
  #scanned(condition: Condition): string {
    const where = this.#dialect.scanning(condition.kind === 'all' ? '' : this.#condition(condition), quote(this.#table.name));
    return where === '' ? '' : `WHERE ${where}`;
  }

  #condition(condition: Condition): string {
    switch (condition.kind) {
      case 'all':
        return '1 = 1';
      case 'compare':
        return this.#compare(condition, condition.operator, condition.count ?? 1);
      case 'columns':
        return this.#columns(condition.left, condition.operator, condition.right);
      case 'and':
      case 'or':
        return `(${condition.conditions.map((each) => this.#condition(each)).join(condition.kind === 'and' ? ' AND ' : ' OR ')})`;
      case 'not':
        // What is absent does not hold, and so its opposite does: the same as in an expression.
        return `(${this.#condition(condition.condition)}) IS NOT TRUE`;
      case 'after':
        return this.#after(condition.order, condition.nulls);
      case 'linked': {
        const keys = `SELECT l.${quote(condition.to)} FROM ${quote(condition.table)} AS l WHERE l.${quote(condition.from)}`;
        return `${quote(this.#table.name)}.${quote(condition.key)} IN (${keys} = ${this.#parameter(this.#source++, undefined)})`;
      }
      case 'points-at':
        return this.#pointsAt(condition);
      case 'marked':
        return this.#dialect.listed(markOf(condition.keys, this.#spelling()), this.#parameter(this.#source++, undefined));
      default:
        return unreachable(condition);
    }
  }

  #compare(place: ColumnOf, operator: Comparison, count: number): string {
    const tellsApart = operator === 'eq' || operator === 'ne' || operator === 'in';
    const { column, quoted } = this.#place(place);
    const { expression, encode } = this.#dialect[tellsApart ? 'equality' : 'ordering'](column, quoted, operator);
    const parameter = () => this.#parameter(this.#source++, encode);
    switch (operator) {
      case 'null':
        return `${quoted} IS NULL`;
      case 'not-null':
        return `${quoted} IS NOT NULL`;
      case 'in':
        // A list of nothing holds for no row; not every database can be asked for it.
        if (count === 0) return '1 = 0';
        return `${expression} IN (${Array.from({ length: count }, parameter).join(', ')})`;
      case 'between': {
        // Each bound is written as what it is: the lowest value, and the highest.
        const [low, high] = (['gte', 'lte'] as const).map((side) => this.#dialect.ordering(column, quoted, side).encode);
        return `${expression} BETWEEN ${this.#parameter(this.#source++, low)} AND ${this.#parameter(this.#source++, high)}`;
      }
      case 'like':
        return this.#like(quoted, this.#source++);
      case 'ne':
        return this.#dialect.distinct(expression, parameter());
      default:
        return `${expression} ${comparisons[operator]} ${parameter()}`;
    }
  }

  #like(quoted: string, source: number): string {
    return this.#dialect.like(quoted, (encode, isCostly) => this.#parameter(source, encode, isCostly));
  }

  #columns(left: ColumnOf, operator: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte', right: ColumnOf): string {
    const places = [this.#place(left), this.#place(right)] as const;
    const tellsApart = operator === 'eq' || operator === 'ne';
    const [one, other] = places.map(({ column, quoted }) => this.#dialect[tellsApart ? 'equality' : 'ordering'](column, quoted).expression);
    const [first, second] = this.#dialect.alike([places[0].column.kind, one ?? ''], [places[1].column.kind, other ?? '']);
    if (operator === 'ne') return this.#dialect.distinct(first, second);
    // In one row two absent values are the same, as in an expression; no row is joined to another by what both lack.
    if (operator === 'eq' && left.source === right.source) return `NOT (${this.#dialect.distinct(first, second)})`;
    return `${first} ${comparisons[operator]} ${second}`;
  }

  #pointsAt(condition: Extract<Condition, { kind: 'points-at' }>): string {
    const { table, key, by } = condition;
    const matches = by.map(({ column: name, count }) => {
      const { expression, encode } = this.#dialect.equality(columnOf(table, name), `l.${quote(name)}`);
      return `${expression} IN (${Array.from({ length: count }, () => this.#parameter(this.#source++, encode)).join(', ')})`;
    });
    const keys = `SELECT l.${quote(key)} FROM ${quote(table.name)} AS l WHERE ${matches.join(' OR ')}`;
    return `${this.#place(condition).quoted} IN (${keys})`;
  }

  /** With several tables each goes by its number. */
  #place({ column: name, source = 0, lookup }: ColumnOf): PlacedColumn {
    const table = this.#tables[source] ?? this.#table;
    // Inside a look-up, the column of another table may have the same name.
    const owner = this.#tables.length > 1 ? `t${source}.` : lookup === undefined ? '' : `${quote(table.name)}.`;
    const quoted = `${owner}${quote(name)}`;
    return lookup === undefined ? { column: columnOf(table, name), quoted } : lookupPlace(lookup, quoted, this.#dialect);
  }

  /** `(a, b, c)` behind a cursor: `a > ? or (a = ? and (b > ? or ...))`, with absent values first when ascending. */
  #after(order: readonly OrderTerm[], nulls: readonly boolean[]): string {
    const terms = order.map((term, index) => {
      const { expression, encode } = this.#dialect.ordering(columnOf(this.#table, term.column), quote(term.column));
      const isNull = nulls[index] === true;
      const parameter = isNull ? '' : this.#parameter(this.#source, encode);
      this.#source += 1;
      return { expression, parameter, isNull, descending: term.descending };
    });
    return terms.reduceRight((rest, term) => {
      const { expression, parameter, isNull, descending } = term;
      const same = isNull ? `${expression} IS NULL` : `${expression} = ${parameter}`;
      const ahead = isNull
        ? descending
          ? '1 = 0'
          : `${expression} IS NOT NULL`
        : descending
          ? `(${expression} < ${parameter} OR ${expression} IS NULL)`
          : `${expression} > ${parameter}`;
      return rest === '' ? ahead : `(${ahead} OR (${same} AND ${rest}))`;
    }, '');
  }

  #parameter(source: number, encode: Parameter['encode'], isCostly = false): string {
    this.#parameters.push({ source, encode, isCostly });
    return this.#dialect.parameter(this.#parameters.length);
  }

  #done(sql: string, output: Output): Statement {
    return { sql: sql.trimEnd(), parameters: this.#parameters, columns: output.columns.map((name) => columnOf(this.#table, name).kind) };
  }
}

/** Whether it holds for one value, and so for one row where the column is a key. */
function isOne(where: Condition): boolean {
  return where.kind === 'compare' && where.operator === 'eq';
}

function sortedLast({ object, from, order }: ReportParts, limit: string, { nullsFirst }: Dialect): string {
  const terms = order.map(({ expression }, index) => `, ${expression} AS o${index}`);
  const sorts = order.map(({ descending }, index) => directed(`o${index}`, descending, nullsFirst));
  return `SELECT j FROM (SELECT ${object} AS j${terms.join('')} ${from}${limit}) AS s ORDER BY ${sorts.join(', ')}`;
}
