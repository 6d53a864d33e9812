// In charge of conditions that are written as vectors: `[:and [:= :Dept 7] [:>= :Pay :Q.Min]]`.

import { byDeclaredTypes } from '../../../model/equality.ts';
import { type BinaryOperator, comparisonWords, type Expression } from '../../../model/pattern.ts';
import { type Collection, type Form, isKeyword } from '../read/form.ts';
import { asCondition, folded, quotedValue, type Surroundings } from './call.ts';
import { data, didYouMean, fault } from './lowering.ts';

/** The operators of conditions and queries, by their keywords. */
export const comparisons: ReadonlyMap<string, BinaryOperator> = new Map<string, BinaryOperator>([...comparisonWords, ['not=', '!=']]);

const connectives = new Set(['and', 'or', 'not']);

/** Whether a vector is a condition, and not a list of values. */
export function isCondition(form: Form | undefined): form is Collection {
  const [head] = form?.kind === 'vector' ? form.items : [];
  return isKeyword(head) && (comparisons.has(head.name) || connectives.has(head.name));
}

export function lowerCondition(form: Form, around: Surroundings): Expression {
  const [head, ...operands] = form.kind === 'vector' ? form.items : [];
  if (form.kind !== 'vector' || !isKeyword(head) || head.name === 'q#' || head.name === 'uq#') return asked(operand(form, around), around);
  const inside = () => operands.map((each) => lowerCondition(each, around));
  const lowered = connectives.has(head.name) ? connected(head.name, inside(), form) : comparison(head.name, operands, form, around);
  if (lowered !== undefined) return lowered;
  const known = [...comparisons.keys(), ...connectives];
  fault(
    around.lowering,
    'token-unexpected',
    form.span,
    `this is no condition: \`:${head.name}\` with ${operands.length} operands`,
    known.includes(head.name) ? undefined : didYouMean(head.name, known),
  );
  return { kind: 'literal', value: true, raw: 'true', span: form.span };
}

/** A value as a condition; where rows are asked for, the store compares by declared types. */
function asked(value: Expression, { asksRows }: Surroundings): Expression {
  const condition = asCondition(value);
  return asksRows === true ? byDeclaredTypes(condition) : condition;
}

function connected(word: string, operands: readonly Expression[], { span }: Form): Expression | undefined {
  const [first, second] = operands;
  if (word !== 'not') return folded(word === 'and' ? 'and' : 'or', operands, span);
  return first === undefined || second !== undefined ? undefined : { kind: 'unary', operator: 'not', operand: first, span };
}

function comparison(word: string, operands: readonly Form[], form: Form, around: Surroundings): Expression | undefined {
  const operator = comparisons.get(word);
  const [first, second, third] = operands;
  if (operator === undefined || first === undefined || second === undefined) return undefined;
  const { span } = form;
  if (operator === 'between' && third !== undefined) return range(operands, span, around);
  if (third !== undefined) return undefined;
  const swapped = operator === 'in' && isListFirst(first, second, around);
  const [left, right] = swapped ? [second, first] : [first, second];
  return { kind: 'binary', operator, left: operand(left, around), right: operand(right, around), span };
}

/** `[:in [11 12] :T.Size]` has the value last, `[:in :Size [11 12]]` first: the list tells, and of two names in a query the one of the column. */
function isListFirst(first: Form, second: Form, around: Surroundings): boolean {
  if (first.kind === 'vector') return true;
  if (!isKeyword(first) || !isKeyword(second)) return false;
  return around.listFirst === true || (around.isColumn?.(first) !== true && around.isColumn?.(second) === true);
}

/** `[:between 3 9 :T.Size]`, where the value is the last of the three; in a query it is the first: the name of the column tells. */
function range(operands: readonly Form[], span: Form['span'], around: Surroundings): Expression | undefined {
  const [first, second, third] = operands;
  if (first === undefined || second === undefined || third === undefined || operands.length > 3) return undefined;
  const [value, low, high] = isValueFirst(first, second, third, around) ? [first, second, third] : [third, first, second];
  if (around.listFirst === true && operands.every((each) => isKeyword(each))) warnOfOrder(value, low, high, span, around);
  const items = [operand(low, around), operand(high, around)];
  const right: Expression = { kind: 'list', items, span: { ...low.span, end: high.span.end } };
  return { kind: 'binary', operator: 'between', left: operand(value, around), right, span };
}

function isValueFirst(first: Form, second: Form, third: Form, around: Surroundings): boolean {
  if (!isKeyword(first)) return false;
  if (!isKeyword(third)) return true;
  const isColumn = (each: Form): boolean => isKeyword(each) && around.isColumn?.(each) === true;
  return isColumn(first) || isColumn(second);
}

/** Where nothing is asked for, three names do not tell which of them is the value. */
function warnOfOrder(value: Form, low: Form, high: Form, span: Form['span'], { lowering }: Surroundings): void {
  const [name, from, to] = [value, low, high].map((each) => `:${isKeyword(each) ? each.name : ''}`);
  fault(
    lowering,
    'between-order',
    span,
    `this asks whether \`${name}\` lies between \`${from}\` and \`${to}\`: outside of a query the value comes last`,
    `write \`[:between ${name} '[${from} ${to}]]\`, which nobody reads in another order`,
  );
}

function operand(form: Form, around: Surroundings): Expression {
  if (isCondition(form)) return lowerCondition(form, around);
  // The quote only says that the list is no condition.
  const meant = form.kind === 'quote' && form.form.kind === 'vector' ? form.form : form;
  return around.value === undefined ? plainOperand(meant, around) : around.value(meant);
}

function plainOperand(form: Form, around: Surroundings): Expression {
  if (isKeyword(form)) return around.reference(form);
  return form.kind === 'quote' || form.kind === 'list' ? quotedValue(form, around) : data(form, around.lowering);
}
