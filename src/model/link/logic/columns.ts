// Columns of the types that a pattern reads: attributes alone, or behind the name of their type.

import { localOf, type TypeName } from '../../model.ts';
import type { Aggregate, Expression, Name, PatternAttribute } from '../../pattern.ts';
import { attributesOf, checkAsked, type Environment, type Logic } from './environment.ts';

/** Handed in, because values hold patterns and patterns hold values. */
export type LinkValue = (value: Expression, environment: Environment, logic: Logic) => Expression;

/** The value of an attribute; `main` is the type whose columns may be named alone in an aggregate. */
export function linkPatternAttribute(
  attribute: PatternAttribute,
  main: TypeName | undefined,
  environment: Environment,
  logic: Logic,
  linkValue: LinkValue,
): PatternAttribute {
  const { changed, ...others } = environment;
  const around = attribute.query === undefined ? environment : { ...others, asking: true };
  return { ...attribute, value: linkColumnValue(attribute.value, main, around, logic, linkValue) };
}

export function linkColumnValue(
  value: Expression | Aggregate,
  main: TypeName | undefined,
  environment: Environment,
  logic: Logic,
  linkValue: LinkValue,
): Expression | Aggregate {
  if (value.kind !== 'aggregate') return linkValue(value, environment, logic);
  if (main === undefined || value.of.text === '*') return value;
  const of = linkColumn(value.of, main, environment, logic);
  checkSummed(value, of, main, logic);
  return { ...value, of };
}

/** Only numbers are added up, and lists and maps are neither smaller nor greater than others. */
function checkSummed({ function: name, of: written, span }: Aggregate, of: Name, main: TypeName, logic: Logic): void {
  const dot = of.text.indexOf('.', of.text.indexOf('/') + 1);
  const known = attributesOf(dot === -1 ? main : of.text.slice(0, dot), logic);
  const column = of.text.slice(dot + 1);
  if (name === 'count' || known?.has(column) !== true) return;
  const attribute = known.get(column);
  const type = attribute?.type.kind === 'plain' ? attribute.type.type : undefined;
  const kind = attribute?.list === true || (attribute !== undefined && type === undefined) ? 'json' : (type?.column ?? 'text');
  const adds = name === 'sum' || name === 'avg';
  if (adds ? ['integer', 'real', 'decimal'].includes(kind) : kind !== 'json' && kind !== 'scalar') return;
  const message = adds
    ? `\`${written.text}\` is no number: it cannot be added up`
    : `\`${written.text}\` has no order: none of its values is the ${name === 'min' ? 'least' : 'greatest'}`;
  logic.linking.report.fault('pattern-type', span, message, '`count` counts values of any type');
}

/** `year`, `Day.year` or `shop/Day.year`: a column of the main type, or of one that is joined. `others` are names that rows get besides. */
export function linkColumn(
  name: Name,
  main: TypeName,
  environment: Environment,
  logic: Logic,
  others: ReadonlySet<string> = new Set(),
): Name {
  const slash = name.text.indexOf('/');
  const dot = name.text.indexOf('.', slash + 1);
  const written = dot === -1 ? undefined : name.text.slice(0, dot);
  const column = name.text.slice(dot + 1);
  const type = written === undefined ? main : environment.columns.get(written);
  if (type === undefined) {
    logic.linking.report.unknown(
      'alias-unknown',
      name.span,
      `\`${written}\` is not part of this query`,
      written ?? '',
      environment.columns.keys(),
    );
    return name;
  }
  if (written !== undefined || !others.has(column)) {
    checkAttribute({ text: column, span: name.span }, type, logic, others);
    checkAsked(type, column, name.span, logic);
  }
  return written === undefined ? name : { ...name, text: `${type}.${column}` };
}

export function checkAttribute(name: Name, type: TypeName, logic: Logic, others: ReadonlySet<string> = new Set()): void {
  const known = attributesOf(type, logic);
  if (known === undefined || known.has(name.text)) return;
  const local = localOf(type);
  const message = `\`${local}\` has no attribute \`${name.text}\``;
  logic.linking.report.unknown('attribute-unknown', name.span, message, name.text, [...known.keys(), ...others]);
}
