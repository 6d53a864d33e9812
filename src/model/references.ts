// The references in an expression, wherever they stand in it, and what it needs to be evaluated.

import type { TypeName } from './model.ts';
import type { Aggregate, Expression, Reference } from './pattern.ts';
import { partsOf } from './walk.ts';

export function referencesIn(expression: Expression): readonly Reference[] {
  const found: Reference[] = [];
  const visit = (each: Expression): void => {
    if (each.kind === 'reference') found.push(each);
    else for (const part of evaluatedIn(each)) visit(part);
  };
  visit(expression);
  return found;
}

/** Whether the evaluation of an expression has to be waited for. */
export function isWaiting(expression: Expression): boolean {
  let known = waiting.get(expression);
  if (known === undefined) {
    known = expression.kind === 'pattern' || (expression.kind === 'call' && expression.awaited) || partsOf(expression).some(isWaiting);
    waiting.set(expression, known);
  }
  return known;
}

/** Asked for every value of a step: found out once for each expression. */
const waiting = new WeakMap<Expression, boolean>();

/** Whether a value depends on the row of one of these types that is looked at. */
export function readsRowOf(expression: Expression, types: readonly TypeName[]): boolean {
  if (expression.kind === 'reference') return types.includes(expression.path[0] ?? '');
  if (expression.kind === 'code' || expression.kind === 'quote' || expression.kind === 'unquote') return false;
  return partsOf(expression).some((each) => readsRowOf(each, types)) && !(expression.kind === 'call' && isWaiting(expression));
}

/** Paths along relationships of which only the sum, the number or the like is asked for. */
export function aggregatesIn(expression: Expression): ReadonlyMap<Reference, Aggregate['function']> {
  const [only] = expression.kind === 'call' ? expression.arguments : [];
  if (expression.kind === 'call' && expression.aggregate !== undefined && only?.kind === 'reference')
    return new Map([[only, expression.aggregate]]);
  return new Map(evaluatedIn(expression).flatMap((each) => [...aggregatesIn(each)]));
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

/** What is evaluated inside of it: of quoted data, what is unquoted. */
function evaluatedIn(expression: Expression): readonly Expression[] {
  return expression.kind === 'quote' ? unquotedIn(expression.value) : partsOf(expression);
}

function unquotedIn(quoted: Expression): readonly Expression[] {
  return quoted.kind === 'unquote' ? [quoted] : partsOf(quoted).flatMap(unquotedIn);
}
