// In charge of values in patterns: literals, references, quoted calls, embedded instances, quoted data.

import type { Expression } from '../../../model/pattern.ts';
import { type Collection, type Form, isKeyword, isMap, type Keyword, type MapForm, unquoted } from '../read/form.ts';
import { quotedValue, type Surroundings } from './call.ts';
import { lowerCondition } from './condition.ts';
import { code, data, reference } from './lowering.ts';
import { type DataflowNames, isColumn, isInstance, lowerReference } from './names.ts';
import { lowerQuote, mapOf } from './quote.ts';

export function lowerValue(form: Form, flow: DataflowNames): Expression {
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
      return lowerVector(form, flow);
    case 'set':
      return { kind: 'list', items: form.items.map((each) => lowerValue(each, flow)), span: form.span };
    default:
      return data(form, flow.lowering);
  }
}

/** `:Hr/Team?` where a value is expected: all of them. */
function allOf(form: Keyword, flow: DataflowNames): Expression | undefined {
  const { name, span } = form;
  if (!name.endsWith('?')) return undefined;
  const map: MapForm = { kind: 'map', items: [form, { kind: 'map', items: [], span }], span };
  const pattern = isInstance(map, flow) ? flow.pattern(map, flow) : undefined;
  return pattern === undefined ? undefined : { kind: 'pattern', pattern, span };
}

export function surroundings(flow: DataflowNames): Surroundings {
  return {
    lowering: flow.lowering,
    awaits: flow.awaits === true,
    reference: (keyword) => lowerReference(keyword, flow),
    value: (form) => lowerValue(form, flow),
    pattern: (form) => lowerInstance(form, flow),
  };
}

/** A condition in which the attributes of a type go by their names alone, whatever else has that name. */
export function lowerWhere(form: Form, flow: DataflowNames): Expression {
  const { type } = flow;
  const value = (each: Form): Expression =>
    type !== undefined && isKeyword(each) && isColumn(each, flow) && !each.name.includes('.')
      ? reference([type, each.name], each.span)
      : lowerValue(each, flow);
  const columns = { isColumn: (keyword: Keyword) => isColumn(keyword, flow), listFirst: type === undefined, asksRows: type !== undefined };
  return lowerCondition(form, { ...surroundings(flow), value, ...columns });
}

function lowerMap(form: Form, flow: DataflowNames): Expression {
  if (!isMap(form)) return data(form, flow.lowering);
  return lowerInstance(form, flow) ?? mapOf(form, flow.lowering, (value) => lowerValue(value, flow));
}

function lowerInstance(form: MapForm, flow: DataflowNames): Expression | undefined {
  const pattern = isInstance(form, flow) ? flow.pattern(form, flow) : undefined;
  return pattern === undefined ? undefined : { kind: 'pattern', pattern, span: form.span };
}

function lowerVector(form: Collection, flow: DataflowNames): Expression {
  const value = (each: Form) => lowerValue(each, flow);
  return lowerQuote(form, flow.lowering, value) ?? { kind: 'list', items: form.items.map(value), span: form.span };
}
