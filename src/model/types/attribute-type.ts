// What the rest of the service knows of an attribute type. One file in this folder holds everything about one type.

import type { Value } from '../../values/value.ts';

/** How a store keeps it; each store maps this to a column type of its own. */
export type ColumnKind = 'text' | 'integer' | 'real' | 'decimal' | 'boolean' | 'uuid' | 'datetime' | 'date' | 'time' | 'json' | 'scalar';

export interface AttributeType {
  readonly name: string;
  /** Other spellings: `Number` is `Float`, `Identifier` is `UUID`. */
  readonly aliases?: readonly string[];
  readonly column: ColumnKind;
  /** What a person is told when a value does not fit: "an e-mail address". */
  readonly expected: string;
  /** The value to keep, or `undefined` when it does not fit. Never coerces between JSON kinds. */
  parse(input: Value): Value | undefined;
  /** Why a value does not fit that is of the kind that is expected, behind "must"; nothing where it is of another one. */
  refusal?(input: Value): string | undefined;
  /** The value of the text in a query string or a path, or `undefined`. */
  parseText(text: string): Value | undefined;
  /** For OpenAPI and tool schemas: the JSON Schema of a value in an answer and, where it differs, in a request. */
  readonly schema: JsonSchema;
  readonly requestSchema?: JsonSchema;
  /** What its values are, where they have a form of their own: no text is of two such types, and GraphQL has a scalar of its name. */
  readonly form?: string;
  /** A value as a request sends it; absent where it depends on the attribute. */
  readonly example?: Value;
  /** Whether instances can be told apart by it (`@id`). */
  readonly identifies: boolean;
  /** Hashed before it is kept, and in no answer. */
  readonly secret?: boolean;
}

export type JsonSchema = Readonly<Record<string, unknown>>;
