// Tables as data: what a plan asks of a store. Names come from the model, never from a request.

import type { ColumnKind } from '../../model/types/attribute-type.ts';

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly primaryKey: readonly string[];
  readonly uniques: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  readonly foreignKeys: readonly ForeignKey[];
  /** Columns of texts that have an index of their words. */
  readonly search?: readonly string[];
  /** What it was called before (`@was`); it means something only while rows are stored under that name. */
  readonly was?: string;
  /** Belongs to a part of the service, and stays with its rows while that part is off. */
  readonly system?: true;
  /** Of an entity: what the keys and paths of its rows are made from. */
  readonly addressing?: Addressing;
}

const lowerMark = ' in lower case';

/** What an index is made of that finds the text of a column without regard to the case of Latin letters; no column is called so. */
export function inLowerCase(column: string): string {
  return `${column}${lowerMark}`;
}

/** The column of such a part of an index. */
export function loweredColumn(part: string): string | undefined {
  return part.endsWith(lowerMark) ? part.slice(0, -lowerMark.length) : undefined;
}

/** A part of an index, where columns get other names. */
export function renamedPart(part: string, named: (column: string) => string): string {
  const column = loweredColumn(part);
  return column === undefined ? named(part) : inLowerCase(named(column));
}

export interface Addressing {
  /** The qualified name, which the name of the table may have cut. */
  readonly type: string;
  readonly identifier: string;
  readonly parents: readonly ParentColumn[];
}

export interface ParentColumn {
  readonly column: string;
  /** Qualified. */
  readonly relationship: string;
  /** Whose key the column holds. */
  readonly table: string;
}

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly required: boolean;
  /** What the model calls it, in more detail than the kind: `Email`, `Int[]`, `shop/Address`. Absent on the service's own. */
  readonly type?: string;
  /** Of a record: the same for records of the same attributes, whatever they are called. */
  readonly shape?: string;
  /** The values an `@enum` allows; a value that rows still hold cannot be taken away. */
  readonly values?: readonly string[];
  /** Of `@expr`: what it is computed from, as a short text; null where it is set by whoever writes. Absent where nobody knows. */
  readonly computed?: string | null;
  /** What rows made before this column existed get; one that is `given` by an operator also goes to rows of a column that was there. */
  readonly fill?: Fill;
  /** Of dates and times: set where its indexes go by moment, as those of databases made before do not. */
  readonly byMoment?: true;
  /** What it was called before (`@was`). */
  readonly was?: string;
}

export type Fill =
  | { readonly kind: 'value'; readonly value: string | number | boolean; readonly given?: true }
  /** A list or an object, as JSON. */
  | { readonly kind: 'json'; readonly text: string; readonly given?: true }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'count' }
  | { readonly kind: 'now' | 'local-now' };

export interface ForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  readonly references: readonly string[];
  /** `no action` refuses at the end of the statement, so that one statement may remove a row and what points at it. */
  readonly onDelete: 'cascade' | 'no action';
  /** Keys of instances that move take what points at them along; a value that `@ref` points at cannot change. */
  readonly onUpdate: 'cascade' | 'no action';
}
