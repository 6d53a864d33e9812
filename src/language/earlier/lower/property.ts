// In charge of the one table of attribute properties: what each of them becomes in a declaration.

import type { Annotation } from '../../../model/declaration.ts';
import { facetTypes } from '../../../model/facets/facets.ts';
import { localOf } from '../../../model/model.ts';
import type { Expression, MapExpression, Name } from '../../../model/pattern.ts';
import type { Form, Keyword, Pair } from '../read/form.ts';
import { isMap, unquoted } from '../read/form.ts';
import { lowerAttributeRule } from './access-rule.ts';
import { quotedValue } from './call.ts';
import {
  annotation,
  code,
  data,
  dataMap,
  didYouMean,
  expected,
  fault,
  functionOf,
  type Lowering,
  literal,
  nameOf,
  pathOf,
  reference,
  spanOver,
} from './lowering.ts';

/** An attribute while its properties are read. */
export interface Draft {
  type: Name | undefined;
  list: boolean;
  readonly annotations: Annotation[];
  readonly meta: MapExpression['entries'][number][];
}

/** Properties that are true or false, by the annotation of the same meaning. */
export const switches: ReadonlyMap<string, readonly string[]> = new Map([
  ['guid', ['guid']],
  ['id', ['id']],
  ['unique', ['unique']],
  ['immutable', ['readonly']],
  // Whoever may not set it must be able to leave it out.
  ['read-only', ['readonly', 'optional']],
  ['optional', ['optional']],
  ['indexed', ['indexed']],
  ['fulltext', ['fulltext']],
  ['write-only', ['writeonly']],
  ['secure-hash', ['secret']],
  ['autoincrement', ['autoincrement']],
]);

type Lower = (value: Form, key: Keyword, draft: Draft, lowering: Lowering) => unknown;

const properties: ReadonlyMap<string, Lower> = new Map<string, Lower>([
  ['type', lowerType],
  ['listof', lowerList],
  ['setof', lowerSet],
  ['oneof', lowerChoices],
  ['default', lowerDefault],
  ['check', lowerCheck],
  ...facetTypes.map(({ name }): [string, Lower] => [name, lowerData]),
  ['format', lowerFormat],
  ['expr', (value, key, draft, lowering) => draft.annotations.push(annotation('expr', key, [lowerComputation(value, lowering)], value))],
  ['ref', (value, key, draft, lowering) => lowerReference('ref', value, key, draft, lowering)],
  ['was', lowerData],
  ['comment', lowerData],
  [
    'cascade-on-delete',
    (value, key, draft, lowering) => draft.annotations.push(annotation('cascade', key, [data(value, lowering)], value)),
  ],
  ['extend', (value, key, draft, lowering) => lowerTarget('extend', value, key, draft, lowering)],
  ['relationship', (value, key, draft, lowering) => lowerTarget('relationship', value, key, draft, lowering)],
  ['eval', lowerIgnored('eval')],
  ['parse', lowerIgnored('parse')],
  ['writer', lowerIgnored('writer')],
  ['var', lowerIgnored('var')],
  ['type-in-store', lowerIgnored('type_in_store')],
  ['meta', lowerMeta],
  ['ui', (value, key, draft, lowering) => addMeta(key, data(value, lowering), draft)],
  ['label', (value, key, draft, lowering) => addMeta(key, labelOf(unquoted(value), lowering), draft)],
  ['rbac', lowerRights],
]);

export function lowerProperty({ key, value }: Pair, draft: Draft, lowering: Lowering): undefined {
  if (key.kind !== 'keyword') return expected(lowering, key, key, 'a property, as a keyword,');
  const switched = switches.get(key.name);
  if (switched !== undefined) return lowerSwitch(switched, value, key, draft, lowering);
  const lower = properties.get(key.name);
  if (lower !== undefined) {
    lower(value, key, draft, lowering);
    return undefined;
  }
  const known = [...switches.keys(), ...properties.keys(), 'order'];
  fault(lowering, 'annotation-unknown', key.span, `an attribute has no property \`:${key.name}\``, didYouMean(key.name, known));
}

function lowerSwitch(names: readonly string[], value: Form, key: Keyword, draft: Draft, lowering: Lowering): undefined {
  if (value.kind !== 'boolean') fault(lowering, 'annotation-argument', value.span, `\`:${key.name}\` is true or false`);
  else if (value.value) for (const name of names) if (!hasAnnotation(draft, name)) draft.annotations.push(annotation(name, key, [], value));
}

function hasAnnotation({ annotations }: Draft, name: string): boolean {
  return annotations.some((each) => each.name.text === name);
}

function lowerType(value: Form, _key: Keyword, draft: Draft, lowering: Lowering): undefined {
  if (value.kind === 'keyword') draft.type = nameOf(value);
  else expected(lowering, value, value, 'the name of a type, as a keyword,');
}

function lowerList(value: Form, key: Keyword, draft: Draft, lowering: Lowering): undefined {
  draft.list = true;
  lowerType(value, key, draft, lowering);
}

function lowerSet(value: Form, key: Keyword, draft: Draft, lowering: Lowering): undefined {
  lowerList(value, key, draft, lowering);
  draft.annotations.push(annotation('setof', key, [], value));
}

/** `["a" "b"]`, or the attribute whose values are allowed. */
function lowerChoices(value: Form, key: Keyword, draft: Draft, lowering: Lowering): undefined {
  const given = unquoted(value);
  if (given.kind === 'keyword') return lowerReference('oneof', given, key, draft, lowering);
  if (given.kind !== 'vector' && given.kind !== 'set' && given.kind !== 'list') return expected(lowering, value, key, 'a vector of values');
  draft.annotations.push(
    annotation(
      'enum',
      key,
      given.items.map((each) => data(each, lowering)),
      value,
    ),
  );
}

function lowerReference(name: 'ref' | 'oneof', value: Form, key: Keyword, draft: Draft, lowering: Lowering): undefined {
  if (value.kind !== 'keyword') return expected(lowering, value, key, 'an attribute, as in `:Entity.Attribute`,');
  draft.annotations.push(annotation(name, key, [reference(pathOf(value.name), value.span)], value));
}

function lowerTarget(name: 'extend' | 'relationship', value: Form, key: Keyword, draft: Draft, lowering: Lowering): undefined {
  if (value.kind !== 'keyword') return expected(lowering, value, key, 'a name, as a keyword,');
  draft.annotations.push(annotation(name, key, [reference([value.name], value.span)], value));
}

/** `:was "old"`: the annotation of the same name, with what is given. */
function lowerData(value: Form, key: Keyword, draft: Draft, lowering: Lowering): undefined {
  draft.annotations.push(annotation(key.name, key, [data(value, lowering)], value));
}

function lowerFormat(value: Form, key: Keyword, draft: Draft, lowering: Lowering): undefined {
  if (value.kind === 'text' || value.kind === 'regex') draft.annotations.push(annotation('format', key, [literalText(value)], value));
  else expected(lowering, value, key, 'a regular expression, as a text,');
}

function literalText(form: Extract<Form, { kind: 'text' | 'regex' }>): Expression {
  return { ...literal(form), raw: '' };
}

function lowerCheck(value: Form, key: Keyword, draft: Draft, lowering: Lowering): undefined {
  draft.annotations.push(annotation('check', key, [functionOf(unquoted(value), lowering)], value));
}

/** Functions without arguments that make a value, by the local part of their name. */
const generators: ReadonlyMap<string, string> = new Map([
  ['now', 'localNow'],
  ['get-uuid', 'uuid'],
  ['uuid-string', 'uuid'],
  ['random-uuid', 'uuid'],
]);

function lowerDefault(value: Form, key: Keyword, draft: Draft, lowering: Lowering): undefined {
  draft.annotations.push(annotation('default', key, [defaultOf(value, lowering)], value));
}

function defaultOf(value: Form, lowering: Lowering): Expression {
  const given = unquoted(value);
  const [only, ...more] = given.kind === 'list' ? given.items : [given];
  if (only?.kind === 'symbol' && more.length === 0) {
    const made = only.name === 'utc-now' ? 'now' : generators.get(localOf(only.name));
    const name = made ?? (['uuid', 'autoincrement'].includes(only.name) ? only.name : undefined);
    if (name !== undefined) return { kind: 'call', name: { text: name, span: only.span }, arguments: [], awaited: false, span: given.span };
    return functionOf(only, lowering);
  }
  return given.kind === 'list' || given.kind === 'function' ? code(given, lowering) : data(given, lowering);
}

/** `'(* :Qty 3)` is computed by the service itself, other calls by functions; `f` is a function of the surroundings and the instance; `:R.E.A` is a path. */
export function lowerComputation(value: Form, lowering: Lowering): Expression {
  if (unquoted(value) !== value) {
    return quotedValue(value, { lowering, reference: (keyword) => reference(pathOf(keyword.name), keyword.span) });
  }
  if (value.kind === 'keyword') return reference(pathOf(value.name), value.span);
  const found = code(value, lowering);
  if (value.kind === 'symbol' || value.kind === 'list' || value.kind === 'function') {
    return { ...found, run: { of: 'function', inputs: [{ kind: 'reference', path: ['this'], span: value.span }], span: value.span } };
  }
  fault(
    lowering,
    'annotation-argument',
    value.span,
    'what is computed is a quoted expression, a function, or a path such as `:Rel.Entity.Attr`',
  );
  return found;
}

function lowerIgnored(name: string): Lower {
  return (value, key, draft, lowering) => draft.annotations.push(annotation(name, key, [code(value, lowering)], value));
}

function lowerMeta(value: Form, _key: Keyword, draft: Draft, lowering: Lowering): undefined {
  if (!isMap(value)) return expected(lowering, value, value, 'a map');
  draft.meta.push(...dataMap(value, lowering).entries);
}

export function addMeta(key: Keyword, value: Expression, draft: Pick<Draft, 'meta'>): undefined {
  draft.meta.push({ key: literal(key), value });
}

/** A label is a symbol, but means its text. */
function labelOf(form: Form, lowering: Lowering): Expression {
  return form.kind === 'symbol' ? { kind: 'literal', value: form.name, raw: '', span: form.span } : data(form, lowering);
}

function lowerRights(value: Form, key: Keyword, draft: Draft, lowering: Lowering): undefined {
  const items = value.kind === 'vector' || value.kind === 'list' ? value.items : [value];
  const rules = items.flatMap((each) =>
    isMap(each) ? [lowerAttributeRule(each, lowering)] : (expected(lowering, each, key, 'a map of rights') ?? []),
  );
  draft.annotations.push({ kind: 'rbac', name: { text: 'rbac', span: key.span }, rules, span: spanOver(key, value) });
}
