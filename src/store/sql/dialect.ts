// What databases spell differently: everything that a statement asks of a dialect.

import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { Comparison, KeyKind } from '../../plan/query/condition.ts';
import type { RowLock } from '../../plan/query/shape.ts';
import type { Column, Table } from '../../plan/rows/table.ts';
import type { Value } from '../../values/value.ts';

/** The statement and, for each of its parameters, which value it is and how it is written. */
export interface Statement {
  readonly sql: string;
  /** Tells it from statements of the same text whose parameters are other values. */
  readonly key: string;
  readonly parameters: readonly Parameter[];
  /** Kinds of the further columns that come back. */
  readonly columns: readonly ColumnKind[];
  /** Whether an integer among them may be larger than a double tells exactly. */
  readonly isExact: boolean;
  /** Of a page whose one further column stands in its text alone. */
  readonly shown?: ShownPlace;
}

/** How the place of the last row of a page is found in its text. */
export interface ShownPlace {
  /** What each row begins with, and nothing else holds. */
  readonly begin: string;
  /** What stands in front of the value. */
  readonly member: string;
}

export interface Parameter {
  /** A value of the statement's own, one that every statement of a request can ask for, or one that is always the same. */
  readonly origin: 'given' | 'ambient' | 'constant';
  /** Which of the given or the ambient values. */
  readonly source: number;
  readonly constant?: Value;
  readonly encode: ((value: Value) => unknown) | undefined;
  /** Whether nobody knows how long the statement takes where this is not null. */
  readonly isCostly?: boolean;
}

export interface Dialect {
  parameter(position: number): string;
  /** The physical columns of one column, with how a value is written to each. */
  physical(column: Column): readonly { readonly name: string; readonly type: string; readonly encode: Parameter['encode'] }[];
  /** A select of the rows that stand in a parameter: a JSON array of arrays, with a value for each of these physical columns. */
  supplied(columns: readonly { readonly quoted: string; readonly type: string }[], parameter: string): string;
  /** The table of a name that also means supplied rows in the same statement. */
  stored(quotedTable: string): string;
  /** What the number of a row is called, where rows of tables have one. */
  readonly rowNumber: readonly string[];
  /** What is compared and sorted by, and how a value that is compared with it by this operator is written. */
  ordering(
    column: Column,
    quotedColumn: string,
    operator?: Comparison,
  ): { readonly expression: string; readonly encode: Parameter['encode'] };
  /** What tells values apart: two that sort alike need not be the same. */
  equality(column: Column, quotedColumn: string): { readonly expression: string; readonly encode: Parameter['encode'] };
  /** Expressions of columns of two kinds, so that they can be compared. */
  alike(first: readonly [ColumnKind, string], second: readonly [ColumnKind, string]): readonly [first: string, second: string];
  /** A column as a text, which is compared by code point. */
  text(quotedColumn: string): string;
  /** A text as the key that it was written from; null where it is no such key. */
  key(kind: KeyKind, quotedColumn: string): string;
  /** A further column that comes back; it sorts as the column does. */
  further(kind: ColumnKind, quotedColumn: string): string;
  /** A column as a JSON value. */
  json(kind: ColumnKind, quotedColumn: string): string;
  /** A text that stands in the shape, as a JSON value. */
  constant(text: string): string;
  /** The first of some columns of another row that has a value, as a JSON value; `from` finds the row. */
  lookup(columns: readonly (readonly [kind: ColumnKind, quotedColumn: string])[], from: string): string;
  /** `isText` where a value is what `array` or `single` give. */
  object(pairs: readonly (readonly [name: string, value: string, isText?: boolean])[], groups?: readonly MemberGroup[]): string;
  /** A whole number that stands for a text, and is another one for nearly every other text. */
  digest(text: string): string;
  /** A JSON array of the objects that a subquery gives in its column `j`; an error where they are more than `mostRelated`. */
  array(subquery: string): string;
  /** The object of a row that others include in this order, by its texts: an error where they are too much together with those before it. */
  within(object: string, texts: readonly string[], order: string): string;
  /** Holds where a subquery gives at most `mostRelated` rows, and is an error where they are more. */
  few(subquery: string): string;
  /** The object that a subquery of at most one row gives in its column `j`, else null. */
  single(subquery: string): string;
  /**
   * As a JSON value, or as what is sorted by. What no store adds up exactly is left to whoever asks: decimals come as the list of their values,
   * and doubles that are added up; whole numbers that are added up come as billions, what is left of them, and how many there are.
   */
  aggregate(name: 'count' | 'sum' | 'avg' | 'min' | 'max', column: Column, quotedColumn: string, sorts: boolean): string;
  /** The least of the values that a column has among rows that are put together, as a JSON value. */
  least(column: Column, quotedColumn: string): string;
  /** The least of what is sorted by. */
  leastOf(expression: string, kind: ColumnKind): string;
  reportRows(parts: JoinSqlParts): string;
  concatenated(): string;
  /** The end of a select of the rows of a page, by their column `j`: ends it where they are too much together. */
  fitting: string;
  /** A further column of a page, and of what came so from all of its rows that of the last. */
  place(kind: ColumnKind, quotedColumn: string): string;
  lastOf(column: string): string;
  /** Whether objects are written without blanks, so that the place can be read from the text of a page: asking for it costs a seventh of a list. */
  writesDensely: boolean;
  /** `parameter` adds one of the statement that holds the pattern, written as it says; `row` is that of an expression of nothing else. */
  like(expression: string, parameter: (encode: Parameter['encode'], isCostly?: boolean) => string, row?: RowOfText): string;
  /** The same without regard to case. */
  ilike(expression: string, parameter: (encode: Parameter['encode'], isCostly?: boolean) => string, row?: RowOfText): string;
  /** Whether all words of a search stand in a row. */
  search(row: SearchedRow, words: (encode: Parameter['encode'], isCostly?: boolean) => string): string;
  /** A whole number that is the greater, the better the row answers the search: of nothing but the row itself, so that hidden rows decide nothing. */
  rank(row: SearchedRow, words: (encode: Parameter['encode'], isCostly?: boolean) => string): string;
  /** What stands in a record, by the names of attributes, as something of a kind: null where there is nothing, or something else. */
  field(quotedColumn: string, path: readonly string[], as: ColumnKind): Inner;
  /** What stands in a map under a key, as a text. */
  member(quotedColumn: string, path: readonly string[], key: string): string;
  /** The elements of a list, each as something of a kind: what they are selected from, and what each is. */
  elements(quotedColumn: string, alias: string, as: ColumnKind): { readonly from: string; readonly element: Inner };
  distinct(expression: string, parameter: string): string;
  greatest(first: string, second: string): string;
  /** A whole number as 16 hexadecimal digits that sort as it does. */
  hexadecimal(expression: string): string;
  /** Whether a text holds only characters that stand in a path as they are. */
  plain(expression: string): string;
  /** A parameter that is a number of rows. */
  rowCount(parameter: string): string;
  /** The condition of a join as it is asked: so that the database can join by it, and be stopped while it compares rows. */
  joining(on: string, join: JoinParts): string;
  /** The condition of a select as it is asked, empty for none: so that the database can be stopped while it looks at rows. */
  scanning(where: string, alias: string, scan?: Scan): string;
  /** The end of a select that sorts rows, from FROM on: so that what it makes of a row is not made before, and sorted along. */
  sorted(from: string, quotedTable: string): string;
  /** Whether an expression is one of the texts of a short JSON array, so that an index on it is used. */
  among(expression: string, parameter: string): string;
  /** The end of a select that keeps others from changing its rows, or from pointing at them too, until the transaction ends. */
  lock(kind: RowLock, quotedTable: string): string;
  nullsFirst: boolean;
  /** Whether a write whose rows nobody looks at gives none: how many it changed is then known all the same. */
  countsChanges: boolean;
}

/** Members of an object that are there where a condition holds: values of no `array` and no `single`. */
export interface MemberGroup {
  readonly when: string;
  readonly members: readonly (readonly [name: string, value: string])[];
}

/** What makes looking at one row take long. */
export interface Scan {
  /** Much hangs on each of them. */
  readonly each?: boolean;
  /** What is compared or sorted by and may be long. */
  readonly texts?: readonly string[];
}

/** A row of a table, by what it is called in the statement. */
export interface RowOfText {
  readonly table: Table;
  readonly alias: string;
  /** Whether it comes with the statement: it cannot be read by another one. */
  readonly isSupplied: boolean;
}

export interface SearchedRow extends RowOfText {
  /** Columns of texts that may be absent; of their words, each between spaces of its own, where there is an index. */
  readonly texts: readonly string[];
  readonly isIndexed: boolean;
}

/** A value inside of JSON, with the kind of column that it is compared as. */
export interface Inner {
  readonly quoted: string;
  readonly kind: ColumnKind;
  readonly compared?: { readonly expression: string; readonly encode: Parameter['encode'] };
  /** As a further column of a page, where that is something else. */
  readonly place?: string;
}

/** Related rows of one row that stand in an answer, in one way from it. */
export const mostRelated = 10_000;

export interface JoinParts {
  readonly side: 'inner' | 'left' | 'right' | 'full';
  /** A table of those before it, and the joined one. */
  readonly aliases: readonly [one: string, other: string];
  /** Their keys. */
  readonly keys: readonly [one: string, other: string];
  /** Whether a column must be equal to one of a table before it. */
  readonly isEqual: boolean;
}

/** What a select of a report is put together from; what limits it comes behind. */
export interface JoinSqlParts {
  readonly object: string;
  readonly from: string;
  readonly order: readonly {
    readonly expression: string;
    readonly descending: boolean;
    /** Whether it is never absent. */
    readonly isPresent: boolean;
  }[];
  /** Where rows that are the same are shown once: what tells them apart, if that is more than what they show. */
  readonly distinct: 'shown' | readonly string[] | undefined;
}
