// What an annotation says of the values of an attribute. One file in this folder holds everything about one annotation.

import type { DiagnosticCode } from '../../diagnostics.ts';
import type { Value } from '../../values/value.ts';
import type { Attribute } from '../model.ts';
import type { JsonSchema } from '../types/attribute-type.ts';

/** An annotation as it can be written: `@format("[A-Z]+")`, `:format "[A-Z]+"`. */
export interface FacetType {
  /** Of the annotation, of the property of the earlier surface, and where the model is described as facts. */
  readonly name: string;
  readonly takes: 'text' | 'integer';
  /** The attributes that it can be said of; `needs` is what others are told they lack. */
  fits(attribute: Attribute): boolean;
  readonly needs: string;
  /** What it means; what is wrong with what is given where it means nothing, behind "cannot be used:". */
  read(given: Value): Facet | string;
  /** The code of that fault, where it has one of its own. */
  readonly invalid?: DiagnosticCode;
}

/** What one attribute has: `name` and `given` are as they are written, everything else is what they mean. */
export interface Facet {
  readonly name: string;
  readonly given: Value;
  /** Asked of each value that has the type. */
  fits?(value: Value): boolean;
  /** What a value that does not fit must be, behind "must". */
  readonly demand?: string;
  /** What values are, behind the words of the type: "of the format …". */
  readonly expected?: string;
  /** What JSON Schema has for it; what the type says of the same stays. */
  readonly schema?: JsonSchema;
  /** What it adds to the documentation of the attribute. */
  readonly documentation?: string;
  /** A value that fits. */
  example?(): Value | undefined;
}
