// In charge of `:match` and of path queries.

import type { Expression, InstancePattern, Name, Pattern, Statement } from '../../../../model/pattern.ts';
import { type Form, isKeyword, isMap, type Keyword, pairsOf } from '../../read/form.ts';
import { isCondition } from '../condition.ts';
import { expected, nameOf } from '../lowering.ts';
import type { DataflowNames } from '../names.ts';
import { lowerValue, lowerWhere } from '../value.ts';
import { lowerInstance } from './pattern.ts';

type LowerBody = (form: Form, flow: DataflowNames) => readonly Statement[];

/** With a value in front, the cases are compared with it; else each case is a condition of its own. */
export function lowerMatch(operands: readonly Form[], form: Form, flow: DataflowNames, lowerBody: LowerBody): Pattern | undefined {
  const [first] = operands;
  if (first === undefined) return expected(flow.lowering, first, form, 'a value or a condition');
  return isCondition(first)
    ? lowerConditions(operands, form, flow, lowerBody)
    : lowerCases(first, operands.slice(1), form, flow, lowerBody);
}

function lowerCases(subject: Form, rest: readonly Form[], form: Form, flow: DataflowNames, lowerBody: LowerBody): Pattern {
  const cases = pairsOf({ kind: 'map', items: rest, span: form.span }).map(({ key, value }) => ({
    value: lowerValue(key, flow),
    body: lowerBody(value, flow),
    span: { ...key.span, end: value.span.end },
  }));
  const otherwise = rest.length % 2 === 1 ? rest.at(-1) : undefined;
  const match = { kind: 'match', subject: lowerValue(subject, flow), cases, span: form.span } as const;
  return otherwise === undefined ? match : { ...match, otherwise: lowerBody(otherwise, flow) };
}

/** A chain of conditions is the same as in every other language. */
function lowerConditions(operands: readonly Form[], form: Form, flow: DataflowNames, lowerBody: LowerBody): Pattern | undefined {
  const last = operands.length % 2 === 1 ? operands.at(-1) : undefined;
  const pairs = pairsOf({ kind: 'map', items: operands, span: form.span });
  const chain = pairs.reduceRight<readonly Statement[] | undefined>(
    (otherwise, { key, value }) => {
      const condition: Expression = lowerWhere(key, flow);
      const span = { ...key.span, end: form.span.end };
      // biome-ignore lint/suspicious/noThenProperty: it is the word of the language, and no pattern is ever awaited.
      const choice = { kind: 'if', condition, then: lowerBody(value, flow), span } as const;
      return [{ pattern: otherwise === undefined ? choice : { ...choice, otherwise }, span }];
    },
    last === undefined ? undefined : lowerBody(last, flow),
  );
  const [only] = chain ?? [];
  return only === undefined ? undefined : { ...only.pattern, span: form.span };
}

/** `[:? {:A {:Id 1}} :R1 {:B {:Y 2}} :R2 :C]`. */
export function lowerPath(operands: readonly Form[], form: Form, flow: DataflowNames): Pattern | undefined {
  const steps: InstancePattern[] = [];
  const relationships: Name[] = [];
  for (const [index, each] of operands.entries()) {
    if (index % 2 === 1) {
      if (!isKeyword(each)) return expected(flow.lowering, each, form, 'the name of a relationship, as a keyword,');
      relationships.push(nameOf(each));
      continue;
    }
    const step = lowerStep(each, form, flow);
    if (step === undefined) return undefined;
    steps.push(step);
  }
  if (steps.length !== relationships.length + 1)
    return expected(flow.lowering, operands.at(-1), form, 'what the last relationship leads to');
  return { kind: 'path', steps, relationships, span: form.span };
}

/** A type, or a type with the attributes that an instance is known by. */
function lowerStep(form: Form, around: Form, flow: DataflowNames): InstancePattern | undefined {
  const { span } = form;
  if (isKeyword(form)) return lowerInstance({ kind: 'map', items: [queried(form), { kind: 'map', items: [], span }], span }, flow);
  const [type, map] = isMap(form) ? form.items : [];
  if (!isKeyword(type) || !isMap(map)) return expected(flow.lowering, form, around, 'a type, or a type with attributes');
  const items = map.items.map((each, index) => (index % 2 === 0 && isKeyword(each) ? queried(each) : each));
  return lowerInstance({ kind: 'map', items: [type, { ...map, items }], span }, flow);
}

function queried(keyword: Keyword): Keyword {
  return keyword.name.endsWith('?') ? keyword : { ...keyword, name: `${keyword.name}?` };
}
