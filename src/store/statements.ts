// Shape → SQL text, once per shape; pure. What the dialects do differently is in `Dialect`.

import { unreachable } from '../errors.ts';
import type { ColumnKind, Value } from '../model/types/attribute-type.ts';
import type { ColumnOf, Comparison, Condition, OrderTerm } from '../plan/condition.ts';
import type { Delete, Field, Insert, Output, Related, Report, ReportOutput, ReportTerm, Select, Shape, Update } from '../plan/shape.ts';
import type { Column, Table } from '../plan/table.ts';

/** The statement and, for each of its parameters, which value of the caller's it is and how it is written. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  /** Kinds of the further columns that come back. */
  readonly columns: readonly ColumnKind[];
}

export interface Parameter {
  readonly source: number;
  readonly encode: ((value: Value) => unknown) | undefined;
}

export interface Dialect {
  parameter(position: number): string;
  /** The physical columns of one column, with how a value is written to each. */
  physical(column: Column): readonly { readonly name: string; readonly encode: Parameter['encode'] }[];
  /** What is compared and sorted by, and how a value that is compared with it is written. */
  ordering(column: Column, quotedColumn: string): { readonly expression: string; readonly encode: Parameter['encode'] };
  /** What tells values apart: two that sort alike need not be the same. */
  equality(column: Column, quotedColumn: string): { readonly expression: string; readonly encode: Parameter['encode'] };
  /** A column as a JSON value. */
  json(kind: ColumnKind, quotedColumn: string): string;
  object(pairs: readonly (readonly [name: string, value: string])[]): string;
  /** A JSON array of the objects that a subquery gives in its column `j`. */
  array(subquery: string): string;
  /** As a JSON value, or as what is sorted by. Decimals come as the list of their values, which no store adds up exactly. */
  aggregate(name: 'count' | 'sum' | 'avg' | 'min' | 'max', column: Column, quotedColumn: string, sorts: boolean): string;
  concatenated(): string;
  like(expression: string, parameter: string): string;
  encodeLike(pattern: Value): unknown;
  distinct(expression: string, parameter: string): string;
  greatest(first: string, second: string): string;
  nullsFirst: boolean;
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

/** The rows of a select as one JSON text, their number, and the last value of its one order column. */
export function compilePage(shape: Select, dialect: Dialect): Statement {
  return new Builder(dialect, shape.table).page(shape);
}

export function compileCount(shape: Select, dialect: Dialect): Statement {
  return new Builder(dialect, shape.table).count(shape);
}

/** Whether a page can be made in one statement: the next one goes on behind a single column that is never null. */
export function isSimplePage(shape: Select): boolean {
  const [name] = shape.output.columns;
  if (name === undefined || shape.order.length !== 1 || shape.output.columns.length !== 1 || name !== shape.order[0]?.column) return false;
  // The last of these is not the greatest as it is stored.
  const { kind } = columnOf(shape.table, name);
  return kind !== 'datetime' && kind !== 'decimal';
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function columnOf(table: Table, name: string): Column {
  const found = table.columns.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${table.name} has no column ${name}`);
  return found;
}

const comparisons: Partial<Record<Comparison, string>> = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };

class Builder {
  readonly #dialect: Dialect;
  readonly #table: Table;
  readonly #parameters: Parameter[] = [];
  #source = 0;
  #aliases = 0;
  /** Those of a report, by their number. */
  readonly #tables: readonly Table[];

  constructor(dialect: Dialect, table: Table, joined: readonly Table[] = []) {
    this.#dialect = dialect;
    this.#table = table;
    this.#tables = [table, ...joined];
  }

  select(shape: Select): Statement {
    const columns = shape.output.columns.map((name, index) => `${quote(name)} AS c${index}`);
    const outputs = [`${this.#object(shape.output, this.#table, quote(this.#table.name))} AS j`, ...columns].join(', ');
    return this.#done(`SELECT ${outputs} ${this.#from(shape)}`, shape.output);
  }

  page(shape: Select): Statement {
    const [term] = shape.order;
    if (term === undefined) throw new Error('a page needs an order');
    const last = `${term.descending ? 'min' : 'max'}(k) AS c0`;
    const inner = `SELECT ${this.#object(shape.output, this.#table, quote(this.#table.name))} AS j, ${quote(term.column)} AS k ${this.#from(shape)}`;
    return this.#done(`SELECT ${this.#dialect.concatenated()} AS j, count(*) AS n, ${last} FROM (${inner}) AS p`, shape.output);
  }

  count(shape: Select): Statement {
    const sql = `SELECT count(*) AS n FROM ${quote(this.#table.name)} ${this.#where(shape.where)}`;
    return this.#done(sql, { fields: [], columns: [] });
  }

  insert(shape: Insert): Statement {
    const names: string[] = [];
    const values: string[] = [];
    for (const name of shape.columns) {
      this.#assign(name, (physical, parameter) => {
        names.push(physical);
        values.push(parameter);
      });
    }
    const sql = `INSERT INTO ${quote(this.#table.name)} (${names.join(', ')}) VALUES (${values.join(', ')})`;
    return this.#done(`${sql}${this.#returning(shape.output)}`, shape.output);
  }

  update(shape: Update): Statement {
    const sets: string[] = [];
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
    const sql = `UPDATE ${quote(this.#table.name)} SET ${sets.join(', ')} ${this.#where(shape.where)}`;
    return this.#done(`${sql}${this.#returning(shape.output)}`, shape.output);
  }

  delete(shape: Delete): Statement {
    return this.#done(`DELETE FROM ${quote(this.#table.name)} ${this.#where(shape.where)}`, { fields: [], columns: [] });
  }

  report(shape: Report): Statement {
    const outputs = shape.outputs.map((each) => [each.name, this.#output(each)] as const);
    const joins = shape.joins.map(({ side, table, on }, index) => {
      return ` ${side.toUpperCase()} JOIN ${quote(table.name)} AS t${index + 1} ON ${this.#condition(on)}`;
    });
    const alias = shape.joins.length === 0 ? '' : ' AS t0';
    const where = this.#where(shape.where);
    const group = shape.groupBy.map((term) => this.#term(term, shape)).join(', ');
    const order = shape.order.map((term) => `${this.#term(term, shape)}${term.descending ? ' DESC' : ''}`).join(', ');
    const limit = shape.limit ? ` LIMIT ${this.#parameter(this.#source++, undefined)}` : '';
    const offset = shape.offset ? ` OFFSET ${this.#parameter(this.#source++, undefined)}` : '';
    const select = `SELECT ${shape.distinct ? 'DISTINCT ' : ''}${this.#dialect.object(outputs)} AS j`;
    const grouped = `${group === '' ? '' : ` GROUP BY ${group}`}${order === '' ? '' : ` ORDER BY ${order}`}`;
    const sql = `${select} FROM ${quote(this.#table.name)}${alias}${joins.join('')} ${where}${grouped}${limit}${offset}`;
    return this.#done(sql, { fields: [], columns: [] });
  }

  #output(output: ReportOutput): string {
    if (output.kind === 'column') {
      const { column, quoted } = this.#place(output);
      return this.#dialect.json(column.kind, quoted);
    }
    if (output.of === undefined) return 'count(*)';
    const { column, quoted } = this.#place(output.of);
    return this.#dialect.aggregate(output.function, column, quoted, false);
  }

  #term(term: ReportTerm, shape: Report): string {
    if (term.kind === 'column') return this.#ordered(term);
    const output = shape.outputs.find((each) => each.name === term.name);
    if (output === undefined || (output.kind === 'aggregate' && output.of === undefined)) return 'count(*)';
    if (output.kind === 'column') return this.#ordered(output);
    const { column, quoted } = this.#place(output.of ?? { column: '' });
    return this.#dialect.aggregate(output.function, column, quoted, true);
  }

  #ordered(place: ColumnOf): string {
    const { column, quoted } = this.#place(place);
    return this.#dialect.ordering(column, quoted).expression;
  }

  #from(shape: Select): string {
    const where = this.#where(shape.where);
    const order = shape.order.length === 0 ? '' : ` ORDER BY ${orderBy(shape.order, this.#table, this.#dialect, quote(this.#table.name))}`;
    // As part of an expression: SQLite plans a statement anew for each value of a parameter that is a limit by itself.
    const limit = shape.limit ? ` LIMIT ${this.#parameter(this.#source++, undefined)} + 0` : '';
    const offset = shape.offset ? ` OFFSET ${this.#parameter(this.#source++, undefined)} + 0` : '';
    return `FROM ${quote(this.#table.name)} ${where}${order}${limit}${offset}`;
  }

  /** One value of the caller's may fill several physical columns. */
  #assign(name: string, add: (physical: string, parameter: string) => void): void {
    const source = this.#source++;
    for (const physical of this.#dialect.physical(columnOf(this.#table, name))) {
      add(quote(physical.name), this.#parameter(source, physical.encode));
    }
  }

  #returning(output: Output): string {
    const columns = output.columns.map((name, index) => `${quote(name)} AS c${index}`);
    return ` RETURNING ${[`${this.#object(output, this.#table, quote(this.#table.name))} AS j`, ...columns].join(', ')}`;
  }

  /** `alias` is what the row's table is called where the object stands. */
  #object(output: Output, table: Table, alias: string): string {
    if (output.fields.length === 0) return quoteText('{}');
    return this.#dialect.object(output.fields.map((field) => [field.name, this.#field(field, table, alias)]));
  }

  #field(field: Field, table: Table, alias: string): string {
    switch (field.kind) {
      case 'column':
        return this.#dialect.json(columnOf(table, field.column).kind, `${alias}.${quote(field.column)}`);
      case 'constant':
        return quoteText(field.value);
      case 'lookup': {
        const columns = field.outputs.map((name) => `l.${quote(name)}`);
        const value = columns.length === 1 ? columns[0] : `coalesce(${columns.join(', ')})`;
        const matches = `l.${quote(field.key)} = ${alias}.${quote(field.column)}`;
        return `(SELECT ${value} FROM ${quote(field.table.name)} AS l WHERE ${matches})`;
      }
      case 'related':
        return this.#dialect.array(this.#related(field.related, alias));
      default:
        return unreachable(field);
    }
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
    const from = `FROM ${quote(related.table.name)} AS ${alias} WHERE ${alias}.${quote(related.column)} ${matches} ORDER BY ${order}`;
    return `SELECT ${this.#object(related.output, related.table, alias)} AS j ${from}`;
  }

  #where(condition: Condition): string {
    return condition.kind === 'all' ? '' : `WHERE ${this.#condition(condition)}`;
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
        return `NOT (${this.#condition(condition.condition)})`;
      case 'after':
        return this.#after(condition.order, condition.nulls);
      case 'linked': {
        const keys = `SELECT l.${quote(condition.to)} FROM ${quote(condition.table)} AS l WHERE l.${quote(condition.from)}`;
        return `${quote(this.#table.name)}.${quote(condition.key)} IN (${keys} = ${this.#parameter(this.#source++, undefined)})`;
      }
      default:
        return unreachable(condition);
    }
  }

  #compare(place: ColumnOf, operator: Comparison, count: number): string {
    const tellsApart = operator === 'eq' || operator === 'ne' || operator === 'in';
    const { column, quoted } = this.#place(place);
    const { expression, encode } = this.#dialect[tellsApart ? 'equality' : 'ordering'](column, quoted);
    const parameter = () => this.#parameter(this.#source++, encode);
    switch (operator) {
      case 'null':
        return `${quoted} IS NULL`;
      case 'not-null':
        return `${quoted} IS NOT NULL`;
      case 'in':
        return `${expression} IN (${Array.from({ length: count }, parameter).join(', ')})`;
      case 'between':
        return `${expression} BETWEEN ${parameter()} AND ${parameter()}`;
      case 'like':
        return this.#dialect.like(
          quoted,
          this.#parameter(this.#source++, (value) => this.#dialect.encodeLike(value)),
        );
      case 'ne':
        return this.#dialect.distinct(expression, parameter());
      default:
        return `${expression} ${comparisons[operator]} ${parameter()}`;
    }
  }

  #columns(left: ColumnOf, operator: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte', right: ColumnOf): string {
    const [first, second] = [left, right].map((each) => {
      const { column, quoted } = this.#place(each);
      return this.#dialect.ordering(column, quoted).expression;
    });
    if (operator === 'ne') return this.#dialect.distinct(first ?? '', second ?? '');
    return `${first} ${comparisons[operator]} ${second}`;
  }

  /** With several tables each goes by its number. */
  #place({ column: name, source = 0 }: ColumnOf): { readonly column: Column; readonly quoted: string } {
    const column = columnOf(this.#tables[source] ?? this.#table, name);
    return { column, quoted: this.#tables.length === 1 ? quote(name) : `t${source}.${quote(name)}` };
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

  #parameter(source: number, encode: Parameter['encode']): string {
    this.#parameters.push({ source, encode });
    return this.#dialect.parameter(this.#parameters.length);
  }

  #done(sql: string, output: Output): Statement {
    return { sql: sql.trimEnd(), parameters: this.#parameters, columns: output.columns.map((name) => columnOf(this.#table, name).kind) };
  }
}

function orderBy(order: readonly OrderTerm[], table: Table, dialect: Dialect, alias: string): string {
  return order
    .map(({ column, descending }) => {
      const { expression } = dialect.ordering(columnOf(table, column), `${alias}.${quote(column)}`);
      const nulls = dialect.nullsFirst ? '' : descending ? ' NULLS LAST' : ' NULLS FIRST';
      return `${expression}${descending ? ' DESC' : ''}${nulls}`;
    })
    .join(', ');
}
