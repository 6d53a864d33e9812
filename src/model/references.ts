// The references in an expression, wherever they stand in it.

import { unreachable } from '../errors.ts';
import type { Aggregate, Expression, Reference } from './pattern.ts';

export function referencesIn(expression: Expression): readonly Reference[] {
  return expression.kind === 'reference' ? [expression] : partsOf(expression).flatMap(referencesIn);
}

/** Paths along relationships of which only the sum, the number or the like is asked for. */
export function aggregatesIn(expression: Expression): ReadonlyMap<Reference, Aggregate['function']> {
  const [only] = expression.kind === 'call' ? expression.arguments : [];
  if (expression.kind === 'call' && expression.aggregate !== undefined && only?.kind === 'reference')
    return new Map([[only, expression.aggregate]]);
  return new Map(partsOf(expression).flatMap((each) => [...aggregatesIn(each)]));
}

/** The sibling that it reads: undefined where that is another instance. */
export function siblingOf({ path, related }: Reference): string | undefined {
  if (related !== undefined) return related.by.kind === 'ref' ? related.by.attribute : undefined;
  return path[0] === 'this' ? path[1] : path[0];
}

/** Whether it means the instance with all of its attributes. */
export function isWhole({ path, related }: Reference): boolean {
  return related === undefined && path.length === 1 && path[0] === 'this';
}

/** What is evaluated inside of it: quoted data is not. */
function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'call':
      return expression.arguments;
    case 'code':
      return expression.run?.inputs ?? [];
    case 'list':
      return expression.items;
    case 'map':
      return expression.entries.map((each) => each.value);
    case 'unary':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    case 'unquote':
      return [expression.value];
    case 'reference':
    case 'literal':
    case 'quote':
    case 'pattern':
      return [];
    default:
      return unreachable(expression);
  }
}
