// In charge of values in patterns: literals, references, quoted calls, embedded instances, quoted data.

import type { Expression, MapExpression } from '../../model/pattern.ts';
import { type Flow, isColumn, isInstance, lowerReference } from './flow.ts';
import { type Form, isKeyword, isMap, type Keyword, type MapForm, pairsOf, unquoted } from './form.ts';
import { quotedValue, type Surroundings } from './lower-call.ts';
import { lowerCondition } from './lower-condition.ts';
import { code, data, expected, keyOf, reference } from './lowering.ts';

export function lowerValue(form: Form, flow: Flow): Expression {
  switch (form.kind) {
    case 'keyword':
      return allOf(form, flow) ?? lowerReference(form, flow);
    case 'quote':
    case 'list':
      return unquoted(form) === form ? code(form, flow.lowering) : quotedValue(form, surroundings(flow));
    case 'symbol':
      return code(form, flow.lowering);
    case 'map':
      return lowerMap(form, flow);
    case 'vector':
      return lowerVector(form.items, form, flow);
    case 'set':
      return { kind: 'list', items: form.items.map((each) => lowerValue(each, flow)), span: form.span };
    default:
      return data(form, flow.lowering);
  }
}

/** `:Hr/Team?` where a value is expected: all of them. */
function allOf(form: Keyword, flow: Flow): Expression | undefined {
  const { name, span } = form;
  if (!name.endsWith('?')) return undefined;
  const map: MapForm = { kind: 'map', items: [form, { kind: 'map', items: [], span }], span };
  const pattern = isInstance(map, flow) ? flow.pattern(map, flow) : undefined;
  return pattern === undefined ? undefined : { kind: 'pattern', pattern, span };
}

export function surroundings(flow: Flow): Surroundings {
  return {
    lowering: flow.lowering,
    awaits: flow.awaits === true,
    reference: (keyword) => lowerReference(keyword, flow),
    value: (form) => lowerValue(form, flow),
  };
}

/** A condition in which the attributes of a type go by their names alone, whatever else has that name. */
export function lowerWhere(form: Form, flow: Flow): Expression {
  const { type } = flow;
  const value = (each: Form): Expression =>
    type !== undefined && isKeyword(each) && isColumn(each, flow) && !each.name.includes('.')
      ? reference([type, each.name], each.span)
      : lowerValue(each, flow);
  const columns = { isColumn: (keyword: Keyword) => isColumn(keyword, flow), listFirst: type === undefined };
  return lowerCondition(form, { ...surroundings(flow), value, ...columns });
}

function lowerMap(form: Form, flow: Flow): Expression {
  if (!isMap(form)) return data(form, flow.lowering);
  const pattern = isInstance(form, flow) ? flow.pattern(form, flow) : undefined;
  return pattern === undefined ? plainMap(form, flow) : { kind: 'pattern', pattern, span: form.span };
}

function plainMap(map: MapForm, flow: Flow): MapExpression {
  const entries = pairsOf(map).flatMap(({ key, value }) => {
    const found = keyOf(key);
    return found === undefined ? (expected(flow.lowering, key, map, 'a key') ?? []) : [{ key: found, value: lowerValue(value, flow) }];
  });
  return { kind: 'map', entries, span: map.span };
}

function lowerVector(items: readonly Form[], form: Form, flow: Flow): Expression {
  const [head, only] = items;
  if (isKeyword(head, 'q#') && only !== undefined) return { kind: 'quote', value: quoted(only, flow), span: form.span };
  if (isKeyword(head, 'uq#') && only !== undefined) return { kind: 'unquote', value: lowerValue(only, flow), span: form.span };
  return { kind: 'list', items: items.map((each) => lowerValue(each, flow)), span: form.span };
}

/** Data, in which only what is unquoted is looked at. */
function quoted(form: Form, flow: Flow): Expression {
  if (form.kind === 'vector') {
    const [head, only] = form.items;
    if (isKeyword(head, 'uq#') && only !== undefined) return { kind: 'unquote', value: lowerValue(only, flow), span: form.span };
    return { kind: 'list', items: form.items.map((each) => quoted(each, flow)), span: form.span };
  }
  if (form.kind !== 'map') return data(form, flow.lowering);
  const entries = pairsOf(form).flatMap(({ key, value }) => {
    const found = keyOf(key);
    return found === undefined ? (expected(flow.lowering, key, form, 'a key') ?? []) : [{ key: found, value: quoted(value, flow) }];
  });
  return { kind: 'map', entries, span: form.span };
}
