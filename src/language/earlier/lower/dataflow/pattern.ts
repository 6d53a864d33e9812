// In charge of patterns that are maps: create, query, update, and how the instance is related to others.

import type {
  Aggregate,
  ComparisonOperator,
  Expression,
  InstancePattern,
  LinkPattern,
  NestedPattern,
  PatternAttribute,
  PatternOptions,
} from '../../../../model/pattern.ts';
import { type Form, isKeyword, isMap, type Keyword, type MapForm, type Pair, pairsOf } from '../../read/form.ts';
import { comparisons, isCondition } from '../condition.ts';
import { expected, fault, nameOf, spanOver } from '../lowering.ts';
import type { DataflowNames } from '../names.ts';
import { lowerValue, lowerWhere } from '../value.ts';
import { aggregateOf, grouped, isAggregate, isOption, lowerAggregate, lowerOption, withCondition } from './query.ts';

/** A pattern while it is read. */
interface Draft {
  options: PatternOptions;
}

/** Keys of a pattern that belong to the statement around it. */
const statementKeys = new Set(['as', 'throws']);

export function lowerInstance(form: MapForm, flow: DataflowNames): InstancePattern | undefined {
  const main = pairsOf(form).filter(({ key }) => !isPatternKey(key));
  const [first, second] = main;
  if (first === undefined || !isKeyword(first.key)) return expected(flow.lowering, first?.key, form, 'a pattern, as in `{:Entity {...}}`,');
  if (second !== undefined) return unknownKey(second.key, flow);
  const all = first.key.name.endsWith('?');
  const type = all ? { ...nameOf(first.key), text: nameOf(first.key).text.slice(0, -1) } : nameOf(first.key);
  const draft: Draft = { options: {} };
  const inside = { ...flow, type: type.text };
  const attributes = lowerMain(first, all, draft, inside);
  for (const { key, value } of pairsOf(form)) {
    if (isKeyword(key) && isOption(key.name)) draft.options = lowerOption(key, value, draft.options, inside, lowerAttributes);
  }
  warnOfKernel(type, flow);
  const links = linksOf(form, inside);
  const pattern = { kind: 'instance', type, all, attributes, nested: nestedOf(form, inside), ...draft, span: form.span } as const;
  return links === undefined ? pattern : { ...pattern, links };
}

function isPatternKey(key: Form): boolean {
  return isKeyword(key) && (statementKeys.has(key.name) || key.name === '->' || key.name === 'with' || isOption(key.name));
}

function unknownKey(key: Form, { lowering }: DataflowNames): undefined {
  return fault(lowering, 'annotation-unknown', key.span, 'a pattern has one type; this means nothing beside it');
}

/** What the service has no behaviour for, although its name is known. */
const withoutBehaviour = new Set(['Platform.Kernel.Lang/DataSync', 'Platform.Kernel.Lang/Policy']);

function warnOfKernel(type: InstancePattern['type'], { lowering }: DataflowNames): undefined {
  if (withoutBehaviour.has(type.text))
    fault(lowering, 'form-ignored', type.span, `\`${type.text}\` is accepted, but has no behaviour here`);
}

/** The attributes; in the map of `{:E? {...}}` also what makes a query of it. */
function lowerMain({ key, value }: Pair, all: boolean, draft: Draft, flow: DataflowNames): readonly PatternAttribute[] {
  if (!isMap(value)) {
    if (all && value.kind === 'text' && !value.value.startsWith('path:'))
      expected(flow.lowering, value, key, 'a path such as `"path://C$E/1"`, or `[:search :E "words"]` in place of the whole pattern,');
    const isPath = all && value.kind !== 'vector' && value.kind !== 'set';
    return isPath ? [pathAttribute(key, value, flow)] : (expected(flow.lowering, value, key, 'a map of attributes') ?? []);
  }
  const attributes: PatternAttribute[] = [];
  for (const pair of pairsOf(value)) {
    if (!isKeyword(pair.key)) expected(flow.lowering, pair.key, value, 'the name of an attribute, as a keyword,');
    else if (all && isOption(pair.key.name)) draft.options = lowerOption(pair.key, pair.value, draft.options, flow, lowerAttributes);
    else if (all && isAggregate(pair.key.name)) draft.options = lowerAggregate(pair.key, pair.value, draft.options, flow);
    else attributes.push(...lowerAttribute(pair.key, pair.value, draft, flow));
  }
  return grouped(attributes);
}

/** `{:C? "path://..."}`: the one instance at that path. */
function pathAttribute(key: Form, value: Form, flow: DataflowNames): PatternAttribute {
  const name = { text: '__path__', span: key.span };
  return { name, query: '==', value: lowerValue(value, { ...flow, type: undefined }), span: spanOver(key, value) };
}

function lowerAttributes(map: Form, type: string, flow: DataflowNames): readonly PatternAttribute[] {
  const draft: Draft = { options: {} };
  if (!isMap(map)) return [];
  return grouped(pairsOf(map).flatMap(({ key, value }) => (isKeyword(key) ? lowerAttribute(key, value, draft, { ...flow, type }) : [])));
}

/** `:Size 3`, `:Size? 3`, `:Size? [:> 3]`. */
function lowerAttribute(key: Keyword, value: Form, draft: Draft, flow: DataflowNames): readonly PatternAttribute[] {
  const span = spanOver(key, value);
  if (!key.name.endsWith('?')) return [{ name: { text: key.name, span: key.span }, value: queriedValue(value, flow), span }];
  const name = { ...key, name: key.name.slice(0, -1) };
  return lowerTests(name, value, span, draft, flow);
}

/** Several tests of one attribute that must all hold are several attributes; any other way to combine them is a condition. */
function lowerTests(
  key: Keyword,
  value: Form,
  span: PatternAttribute['span'],
  draft: Draft,
  flow: DataflowNames,
): readonly PatternAttribute[] {
  const name = { text: key.name, span: key.span };
  if (!isCondition(value)) return [{ name, query: '==', value: queriedValue(value, flow), span }];
  const [head, ...operands] = value.items;
  const word = isKeyword(head) ? head.name : '';
  if (word === 'and') return operands.flatMap((each) => lowerTests(key, each, span, draft, flow));
  const operator = comparisonOf(word);
  if (operator === undefined) {
    draft.options = withCondition(lowerWhere(withSubject(value, key), flow), draft.options);
    return [];
  }
  const [first] = operands;
  if (first === undefined) return expected(flow.lowering, value, value, 'an operator with a value') ?? [];
  const found: Expression | Aggregate =
    operands.length === 1
      ? queriedValue(first, flow)
      : { kind: 'list', items: operands.map((each) => lowerValue(each, flow)), span: value.span };
  return [{ name, query: operator, value: found, span }];
}

function queriedValue(form: Form, flow: DataflowNames): Expression | Aggregate {
  return aggregateOf(form) ?? lowerValue(form, flow);
}

function comparisonOf(word: string): ComparisonOperator | undefined {
  const found = comparisons.get(word);
  return found === undefined || found === '+' || found === '-' || found === '*' || found === '/' || found === 'and' || found === 'or'
    ? undefined
    : found;
}

/** `[:or [:> 3] [:< 1]]` beside `:Size?` is `[:or [:> :Size 3] [:< :Size 1]]`. */
function withSubject(form: Form, key: Keyword): Form {
  if (!isCondition(form)) return { kind: 'vector', items: [{ kind: 'keyword', name: '=', span: key.span }, key, form], span: form.span };
  const [head, ...operands] = form.items;
  const word = isKeyword(head) ? head.name : '';
  if (head === undefined) return form;
  if (word === 'and' || word === 'or' || word === 'not')
    return { ...form, items: [head, ...operands.map((each) => withSubject(each, key))] };
  return { ...form, items: [head, key, ...operands] };
}

/** `:with [[:PostComment [{:Comment {...}}]]]`: what is made or found with it, along its relationships. */
function nestedOf(form: MapForm, flow: DataflowNames): readonly NestedPattern[] {
  const pair = pairsOf(form).find(({ key }) => isKeyword(key, 'with'));
  if (pair === undefined) return [];
  const specs = pair.value.kind === 'vector' ? pair.value.items : [];
  return specs.flatMap((spec): readonly NestedPattern[] => {
    const [name, body] = spec.kind === 'vector' ? spec.items : [];
    if (!isKeyword(name) || body === undefined) return expected(flow.lowering, spec, form, 'a relationship with a pattern') ?? [];
    const items = body.kind === 'vector' ? body.items : [body];
    const patterns = items.flatMap((each) =>
      isMap(each) ? (lowerInstance(each, flow) ?? []) : (expected(flow.lowering, each, spec, 'a pattern') ?? []),
    );
    return [{ relationship: nameOf(name), list: body.kind === 'vector', patterns, span: spec.span }];
  });
}

/** `:-> [[:WorksFor :Dept] [{:Knows {:Since "2020"}} :Other]]`. */
function linksOf(form: MapForm, flow: DataflowNames): readonly LinkPattern[] | undefined {
  const pair = pairsOf(form).find(({ key }) => isKeyword(key, '->'));
  if (pair === undefined) return undefined;
  const { value } = pair;
  if (value.kind !== 'vector') return expected(flow.lowering, value, form, 'a vector of relationships');
  return value.items.flatMap((each) => lowerLink(each, value, { ...flow, type: undefined }) ?? []);
}

function lowerLink(form: Form, around: Form, flow: DataflowNames): LinkPattern | undefined {
  const [relationship, other, id] = form.kind === 'vector' ? form.items : [];
  const [named, map] = isMap(relationship) ? relationship.items : [relationship];
  if (!isKeyword(named)) return expected(flow.lowering, form, around, 'a relationship with what stands at its other end');
  const query = named.name.endsWith('?');
  const name = { ...nameOf(named), text: named.name.replace(/\?$/, '') };
  return {
    relationship: name,
    query,
    attributes: isMap(map) ? lowerAttributes(map, name.text, flow) : [],
    ...(other === undefined ? {} : { other: lowerValue(other, flow) }),
    ...(id === undefined
      ? {}
      : { id: isKeyword(id, '_') ? { kind: 'literal', value: '_', raw: ':_', span: id.span } : lowerValue(id, flow) }),
    span: form.span,
  };
}
