// In charge of data in place of a value: `[:q# ...]`, a quote inside of a quoted form, and maps.

import type { Expression, MapExpression } from '../../../model/pattern.ts';
import { type Collection, type Form, isKeyword, pairsOf, unquoted } from '../read/form.ts';
import { data, expected, keyOf, type Lowering } from './lowering.ts';

/** `[:q# ...]`, `[:uq# ...]`; `value` says what an unquoted form means. */
export function lowerQuote(form: Collection, lowering: Lowering, value: (form: Form) => Expression): Expression | undefined {
  const [head, only] = form.items;
  if (only === undefined) return undefined;
  if (isKeyword(head, 'q#')) return { kind: 'quote', value: quotedData(only, lowering, value), span: form.span };
  return isKeyword(head, 'uq#') ? { kind: 'unquote', value: value(only), span: form.span } : undefined;
}

/** Data, in which only what is unquoted is looked at. */
function quotedData(form: Form, lowering: Lowering, value: (form: Form) => Expression): Expression {
  const inside = (each: Form) => quotedData(each, lowering, value);
  if (form.kind === 'map') return mapOf(form, lowering, inside);
  if (form.kind !== 'vector') return data(form, lowering);
  return isKeyword(form.items[0], 'uq#') && form.items.length > 1
    ? (lowerQuote(form, lowering, value) ?? data(form, lowering))
    : { kind: 'list', items: form.items.map(inside), span: form.span };
}

export function mapOf(map: Collection, lowering: Lowering, value: (form: Form) => Expression): MapExpression {
  const entries = pairsOf(map).flatMap((each) => {
    const key = keyOf(each.key);
    return key === undefined ? (expected(lowering, each.key, map, 'a key') ?? []) : [{ key, value: value(each.value) }];
  });
  return { kind: 'map', entries, span: map.span };
}

/** What stands behind a quote inside of a quoted form; nothing where it is not plain data. */
export function nestedData(form: Form, lowering: Lowering): Expression | undefined {
  return isPlain(form) ? { kind: 'quote', value: plain(form, lowering), span: form.span } : undefined;
}

function isPlain(form: Form): boolean {
  if (form.kind === 'quote' || form.kind === 'function' || form.kind === 'symbol' || form.kind === 'regex') return false;
  if ('items' in form) return unquoted(form) === form && form.items.every(isPlain);
  return !('form' in form) || (form.kind === 'tagged' && form.form.kind === 'text');
}

/** A list behind a quote is a list of values. */
function plain(form: Form, lowering: Lowering): Expression {
  const inside = (each: Form) => plain(each, lowering);
  if (form.kind === 'map') return mapOf(form, lowering, inside);
  return 'items' in form ? { kind: 'list', items: form.items.map(inside), span: form.span } : data(form, lowering);
}
