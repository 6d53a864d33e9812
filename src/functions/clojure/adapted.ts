// The text of a model's code as the interpreter is given it: exact numbers, `case` over them, and methods of the other host as what they mean.

import { type Form, textOf } from '../../language/earlier/read/form.ts';
import { readForms } from '../../language/earlier/read/read.ts';
import { ExactNumber } from '../../values/exact-number.ts';

/** Functions that the text calls then, by their full names. */
export interface Adapting {
  /** Makes an exact number of its text. */
  readonly exact: string;
  /** Whether a value is one of the constants of a `case`. */
  readonly isOneOf: string;
}

interface Change {
  readonly form: Form;
  readonly to: string;
}

export function adapted(text: string, adapting: Adapting): string {
  const { forms } = readForms({ file: '', text });
  const changes = forms.flatMap((each) => [...changesIn(each, adapting)]).sort((a, b) => a.form.span.start - b.form.span.start);
  let result = '';
  let from = 0;
  for (const { form, to } of changes) {
    result += `${text.slice(from, form.span.start)}${to}`;
    from = form.span.end;
  }
  return result + text.slice(from);
}

/** Methods of texts and exceptions that JavaScript does not have, or means otherwise. */
const methods: ReadonlyMap<string, string> = new Map([
  ['.getMessage', 'ex-message'],
  ['.length', 'count'],
  ['.isEmpty', 'empty?'],
  ['.equals', '='],
  ['.contains', 'clojure.string/includes?'],
  ['.replace', 'clojure.string/replace'],
]);

/** What is quoted stays as it is: there, a call would be data. */
function* changesIn(form: Form, adapting: Adapting): Iterable<Change> {
  if (form.kind === 'quote' || form.kind === 'syntax-quote') return;
  if ('form' in form) yield* changesIn(form.form, adapting);
  if ('items' in form) yield* changesInItems(form, adapting);
  const method = form.kind === 'symbol' ? methods.get(form.name) : undefined;
  if (method !== undefined) yield { form, to: method };
  if (isExact(form)) yield { form, to: exactText(form, adapting) };
}

function* changesInItems(form: Form & { readonly items: readonly Form[] }, adapting: Adapting): Iterable<Change> {
  const [head, subject, ...clauses] = form.items;
  const isCase = form.kind === 'list' && head?.kind === 'symbol' && head.name === 'case' && subject !== undefined;
  // Behind the last pair there may be a default.
  const constants = isCase ? clauses.filter((_, index) => index % 2 === 0 && index + 1 < clauses.length) : [];
  const rewrites = constants.some((each) => isExact(each) || (each.kind === 'list' && each.items.some(isExact)));
  if (rewrites && head !== undefined) yield { form: head, to: `condp ${adapting.isOneOf}` };
  for (const each of form.items) {
    if (!constants.includes(each)) yield* changesIn(each, adapting);
    else if (rewrites) yield { form: each, to: constantsText(each, adapting) };
  }
}

/** The constants of one clause of a `case`, as a vector of their values. */
function constantsText(form: Form, adapting: Adapting): string {
  const all = form.kind === 'list' ? form.items : [form];
  return `[${all.map((each) => (isExact(each) ? exactText(each, adapting) : `(quote ${textOf(each)})`)).join(' ')}]`;
}

type NumberForm = Extract<Form, { readonly kind: 'number' }>;

/** As it is written; of a ratio, the digits of its quotient. */
function exactText({ text, value }: NumberForm, { exact }: Adapting): string {
  return `(${exact} "${value instanceof ExactNumber && text.includes('/') ? value.text : text}")`;
}

/** Whether the interpreter would read it as a double, or as another number: every fraction is a decimal here. */
function isExact(form: Form): form is NumberForm {
  if (form.kind !== 'number') return false;
  const { text, value } = form;
  const isWhole = /^[+-]?\d+N?$/.test(text) && (text.endsWith('N') || typeof value === 'bigint');
  const isFraction = typeof value === 'number' && !Number.isInteger(value) && /^[+-]?\d/.test(text) && !text.includes('/');
  return isWhole || isFraction || value instanceof ExactNumber || /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?M$/.test(text);
}
