// The parameters of a statement: numbered while its text is put together, and bound for each time that it runs.

import { type Ambient, ambientSlot } from '../../plan/query/ambient.ts';
import type { Operand, Search } from '../../plan/query/condition.ts';
import type { Supplied, TableMask } from '../../plan/query/shape.ts';
import type { Value } from '../../values/value.ts';
import type { Dialect, Parameter } from './dialect.ts';

/** A statement that is being put together. */
export interface Assembly {
  readonly dialect: Dialect;
  readonly parameters: Parameter[];
  /** How many of its own values it has asked for. */
  given: number;
  /** How many names of tables it has made up. */
  aliases: number;
  /** Tables whose rows come with it. */
  readonly supplied: Supplied;
  /** What its caller may not see. */
  readonly masks: readonly TableMask[];
  /** Whether what is being written asks for rows as they are stored. */
  isStored: boolean;
  /** What is asked of no row is asked once for a statement that hides columns, by what it asks: the role of its caller. */
  readonly once: Map<string, string>;
  /** Whether what is being written says what is hidden. */
  isHiding: boolean;
  /** The search that it asks for, and which of its values the words are. */
  search?: { readonly source: number; readonly search: Search };
}

/** Adds a parameter that holds a certain value, written in one of several ways, and gives what stands for it in the text. */
export type Parameterize = (encode: Parameter['encode'], isCostly?: boolean) => string;

export function nextGiven(assembly: Assembly): Parameterize {
  const source = assembly.given;
  assembly.given += 1;
  return givenAt(source, assembly);
}

export function givenAt(source: number, assembly: Assembly): Parameterize {
  return (encode, isCostly = false) => add({ origin: 'given', source, encode, isCostly }, assembly);
}

/** Where the values of a comparison come from, one after the other. */
export function valuesOf(operand: Operand | undefined, assembly: Assembly): () => Parameterize {
  if (operand === undefined) return () => nextGiven(assembly);
  if ('ambient' in operand) {
    const source = ambientSlot(operand.ambient);
    return () =>
      (encode, isCostly = false) =>
        add({ origin: 'ambient', source, encode, isCostly }, assembly);
  }
  let next = 0;
  return () => {
    const constant = operand.constants[next] ?? null;
    next += 1;
    return (encode, isCostly = false) => add({ origin: 'constant', source: 0, constant, encode, isCostly }, assembly);
  };
}

/** One of the values that every statement of a request can ask for, by its number. */
export function ambientParameter(source: number, encode: Parameter['encode'], assembly: Assembly): string {
  return add({ origin: 'ambient', source, encode }, assembly);
}

/** No table of a model is called so. */
export function nextAlias(assembly: Assembly): string {
  assembly.aliases += 1;
  return `r${assembly.aliases}`;
}

/** The text of a statement, and where its values come from, if that is more than one after the other. */
export function statementKey(sql: string, parameters: readonly Parameter[]): string {
  if (parameters.every(({ origin }) => origin === 'given')) return sql;
  const sources = parameters.map(({ origin, source, constant }) => (origin === 'constant' ? [String(constant)] : `${origin}${source}`));
  return `${sql} ${JSON.stringify(sources)}`;
}

export function boundValue(
  { origin, source, constant, encode }: Parameter,
  values: readonly Value[],
  ambient: Ambient | undefined,
): unknown {
  const value = origin === 'given' ? (values[source] ?? null) : origin === 'ambient' ? ambientAt(source, ambient) : (constant ?? null);
  return encode === undefined ? value : encode(value);
}

/** A condition on the caller must never be asked as if there were none. */
function ambientAt(source: number, ambient: Ambient | undefined): Value {
  if (ambient === undefined) throw new Error('the statement asks about its caller, and none is known here');
  return ambient.at(source);
}

function add(parameter: Parameter, { parameters, dialect }: Assembly): string {
  parameters.push(parameter);
  return dialect.parameter(parameters.length);
}
