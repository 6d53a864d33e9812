// In charge of what a query says besides its attributes: conditions, order, limits, aggregates, joins, columns.

import type { Aggregate, Expression, Join, Name, PatternAttribute, PatternOptions } from '../../../../model/pattern.ts';
import { type Form, isKeyword, isMap, type Keyword, pairsOf } from '../../read/form.ts';
import { code, expected, fault, nameOf } from '../lowering.ts';
import type { DataflowNames } from '../names.ts';
import { lowerValue, lowerWhere } from '../value.ts';

/** What an option adds to those before it. */
type LowerOption = (value: Form, key: Keyword, options: PatternOptions, flow: DataflowNames, attributes: LowerAttributes) => PatternOptions;

/** Handed in, because the conditions of a join are written as the attributes of a pattern. */
export type LowerAttributes = (map: Form, type: string, flow: DataflowNames) => readonly PatternAttribute[];

const aggregates: ReadonlyMap<string, Aggregate['function']> = new Map([
  ['count', 'count'],
  ['sum', 'sum'],
  ['avg', 'avg'],
  ['min', 'min'],
  ['max', 'max'],
]);

const lowerOptions: ReadonlyMap<string, LowerOption> = new Map<string, LowerOption>([
  ['where', lowerConditions],
  // The conditions of a query as the attributes of a pattern, for what the other surface writes so.
  ['matching', lowerConditions],
  ['order-by', (value, key, _, flow) => ({ orderBy: columnsOf(value, key, flow) })],
  ['group-by', (value, key, _, flow) => ({ groupBy: columnsOf(value, key, flow).map((each) => each.name) })],
  ['limit', (value, _, __, flow) => ({ limit: lowerValue(value, { ...flow, type: undefined }) })],
  ['offset', (value, _, __, flow) => ({ offset: lowerValue(value, { ...flow, type: undefined }) })],
  ['from', (value, _, __, flow) => ({ from: lowerValue(value, { ...flow, type: undefined }) })],
  ['upsert', (value) => (isTrue(value) ? { upsert: true } : {})],
  ['distinct', (value) => (isTrue(value) ? { distinct: true } : {})],
  ['join', lowerJoins('inner')],
  ['left-join', lowerJoins('left')],
  ['right-join', lowerJoins('right')],
  ['full-join', lowerJoins('full')],
  ['with-attributes', lowerColumns],
  ['deleted', ignored('nothing that is deleted is kept')],
  ['with-types', lowerTypes],
  ['timeout-ms', ignored('limits of time are those of the service')],
]);

function isTrue(form: Form): boolean {
  return form.kind === 'boolean' && form.value;
}

/** Keys beside the type of a pattern, and in the map of `{:E? {...}}`. */
export function isOption(name: string): boolean {
  return lowerOptions.has(name);
}

/** Keys that stand for a query only in the map of `{:E? {...}}`: elsewhere they could be attributes. */
export function isAggregate(name: string): boolean {
  return aggregates.has(name);
}

export function lowerOption(
  key: Keyword,
  value: Form,
  options: PatternOptions,
  flow: DataflowNames,
  attributes: LowerAttributes,
): PatternOptions {
  return { ...options, ...lowerOptions.get(key.name)?.(value, key, options, flow, attributes) };
}

/** A condition over the columns, or a map of attributes as in a pattern. */
function lowerConditions(
  value: Form,
  _key: Keyword,
  options: PatternOptions,
  flow: DataflowNames,
  attributes: LowerAttributes,
): PatternOptions {
  if (!isMap(value)) return withCondition(lowerWhere(value, flow), options);
  return { where: grouped([...(options.where ?? []), ...attributes(value, flow.type ?? '', flow)]) };
}

/** Tests of one attribute stand together, because they are written together. */
export function grouped(attributes: readonly PatternAttribute[]): readonly PatternAttribute[] {
  const groups = new Map<string, PatternAttribute[]>();
  for (const each of attributes) {
    const key = `${each.name.text}${each.query === undefined ? '' : '?'}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return groups.size === attributes.length ? attributes : [...groups.values()].flat();
}

export function withCondition(condition: Expression, options: PatternOptions): PatternOptions {
  const { condition: before } = options;
  const span = condition.span;
  return {
    ...options,
    condition: before === undefined ? condition : { kind: 'binary', operator: 'and', left: before, right: condition, span },
  };
}

/** `[:count :Id]` where a value is expected. */
export function aggregateOf(form: Form): Aggregate | undefined {
  const [word, of] = form.kind === 'vector' && form.items.length === 2 ? form.items : [];
  const found = isKeyword(word) ? aggregates.get(word.name) : undefined;
  return found === undefined || !isKeyword(of)
    ? undefined
    : { kind: 'aggregate', function: found, of: { text: of.name, span: of.span }, span: form.span };
}

/** `:count :*`, `:sum :X`: a column of the result, by the name of what is done. */
export function lowerAggregate(key: Keyword, value: Form, options: PatternOptions, flow: DataflowNames): PatternOptions {
  const found = aggregates.get(key.name);
  if (found === undefined || value.kind !== 'keyword')
    return expected(flow.lowering, value, key, 'the name of an attribute, as a keyword,') ?? options;
  const span = { ...key.span, end: value.span.end };
  const aggregate: Aggregate = { kind: 'aggregate', function: found, of: { text: value.name, span: value.span }, span };
  return { ...options, into: [...(options.into ?? []), { name: { text: key.name, span: key.span }, value: aggregate }] };
}

/** `:Name`, `[:Pay :desc]`, or a vector of these. */
function columnsOf(form: Form, around: Form, flow: DataflowNames): readonly { readonly name: Name; readonly descending: boolean }[] {
  const items = form.kind === 'vector' ? form.items : [form];
  const [first, second] = items;
  const only = items.length === 2 && isKeyword(first) && isDirection(second);
  return (only ? [form] : items).flatMap((each) => {
    const [name, direction] = each.kind === 'vector' ? each.items : [each];
    if (!isKeyword(name)) return expected(flow.lowering, each, around, 'the name of an attribute, as a keyword,') ?? [];
    return [{ name: { text: name.name, span: name.span }, descending: isKeyword(direction, 'desc') }];
  });
}

function isDirection(form: Form | undefined): boolean {
  return isKeyword(form, 'desc') || isKeyword(form, 'asc');
}

/** `[{:Sales/Cust {:Id? :Sales/Order.CustId}}]`. */
function lowerJoins(side: Join['side']): LowerOption {
  return (value, key, options, flow, attributes) => {
    const items = value.kind === 'vector' ? value.items : [value];
    const joins = items.flatMap((each): readonly Join[] => {
      const [type, map] = isMap(each) ? each.items : [];
      if (!isKeyword(type) || !isMap(map)) return expected(flow.lowering, each, key, 'a map of a type and its attributes') ?? [];
      const name = { ...nameOf(type), text: type.name.replace(/\?$/, '') };
      return [{ side, type: name, attributes: attributes(map, name.text, flow), span: each.span }];
    });
    return { joins: [...(options.joins ?? []), ...joins] };
  };
}

/** `{:Name :Sales/Cust.Name}`. */
function lowerColumns(value: Form, key: Keyword, options: PatternOptions, flow: DataflowNames): PatternOptions {
  if (!isMap(value)) return expected(flow.lowering, value, key, 'a map of columns') ?? {};
  const columns = pairsOf(value).flatMap(({ key: name, value: column }) => {
    if (!isKeyword(name)) return expected(flow.lowering, name, value, 'the name of a column, as a keyword,') ?? [];
    return [{ name: { text: name.name, span: name.span }, value: aggregateOf(column) ?? lowerValue(column, flow) }];
  });
  return { into: [...(options.into ?? []), ...columns] };
}

/** `{:Base :Sub}`. */
function lowerTypes(value: Form, key: Keyword, options: PatternOptions, { lowering }: DataflowNames): PatternOptions {
  if (!isMap(value)) return expected(lowering, value, key, 'a map of types and what stands in their place') ?? {};
  const pairs = pairsOf(value).flatMap(({ key: base, value: subtype }) => {
    if (!isKeyword(base)) return expected(lowering, base, value, 'a type, as a keyword,') ?? [];
    if (!isKeyword(subtype)) return expected(lowering, subtype, value, 'a type, as a keyword,') ?? [];
    return [{ base: nameOf(base), subtype: nameOf(subtype) }];
  });
  return { withTypes: [...(options.withTypes ?? []), ...pairs] };
}

function ignored(why: string): LowerOption {
  return (value, key, options, { lowering }) => {
    fault(lowering, 'form-ignored', key.span, `\`:${key.name}\` has no effect: ${why}`);
    const kept = { name: { text: key.name, span: key.span }, value: code(value, lowering) };
    return { ignored: [...(options.ignored ?? []), kept] };
  };
}
