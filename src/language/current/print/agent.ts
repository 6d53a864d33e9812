// In charge of the text of agents and what surrounds them.

import type {
  AgentDeclaration,
  DecisionDeclaration,
  Field,
  FieldsDeclaration,
  FlowDeclaration,
  FlowStep,
  ResolverDeclaration,
  RuleDeclaration,
} from '../../../model/declaration.ts';
import type { Expression, MapExpression } from '../../../model/pattern.ts';
import { isPlainName, literalText } from '../lex/literal.ts';
import { type Doc, group, type Item, row } from './doc.ts';
import { expressionDoc, mapDoc } from './expression.ts';
import { statementDoc } from './statement.ts';
import { annotationDocs, isLeading, leadingDoc } from './type.ts';

export function agentDoc(agent: AgentDeclaration): Doc {
  return row(
    leadingDoc(agent.isPublic, agent.annotations),
    'agent ',
    agent.name.text,
    ...annotationDocs(agent.annotations.filter((each) => !isLeading(each))),
    ' ',
    fieldsGroup(agent.fields, agent),
  );
}

function fieldsGroup(fields: readonly Field[], owner: AgentDeclaration | FieldsDeclaration): Doc {
  return group('{}', fields.map(fieldItem), {
    broken: true,
    start: (('annotations' in owner ? owner.annotations.at(-1) : undefined) ?? owner.name).span.end,
    end: owner.span.end,
  });
}

function fieldItem(field: Field): Item {
  const { name, value } = field;
  return { doc: row(name.text, ' ', fieldValueDoc(value)), span: { start: name.span.start, end: value.span.end } };
}

function fieldValueDoc(value: Expression): Doc {
  if (value.kind !== 'map' || !isFieldBlock(value)) return expressionDoc(value);
  const items = value.entries.map((entry) => ({
    doc: row(String(entry.key.value), ' ', expressionDoc(entry.value)),
    span: { start: entry.key.span.start, end: entry.value.span.end },
  }));
  return group('{}', items, { padded: true, start: value.span.start, end: value.span.end });
}

/** `{ strategy linear, delay 2 }`: keys written without quotes, where that cannot be taken for a pattern. */
function isFieldBlock(map: MapExpression): boolean {
  const isBare = ({ key, value }: MapExpression['entries'][number]) =>
    key.raw === key.value && isPlainName(key.raw) && value.kind !== 'map' && value.kind !== 'pattern';
  return map.entries.length > 0 && map.entries.every(isBare);
}

export function flowDoc(flow: FlowDeclaration): Doc {
  const items = flow.steps.map((step) => ({ doc: stepDoc(step), span: step.span }));
  return row(
    'flow ',
    flow.name.text,
    ' ',
    group('{}', items, { separator: '', broken: true, start: flow.name.span.end, end: flow.span.end }),
  );
}

function stepDoc(step: FlowStep): Doc {
  const condition = step.condition === undefined ? '' : `${literalText(step.condition)} `;
  return row(step.from.text, ' --> ', condition, 'pattern' in step.to ? statementDoc(step.to) : step.to.text);
}

export function decisionDoc(decision: DecisionDeclaration): Doc {
  const items = decision.cases.map((each) => ({ doc: caseDoc(each), span: each.span }));
  const style = { separator: '', broken: true, start: decision.name.span.end, end: decision.span.end };
  return row('decision ', decision.name.text, ' ', group('{}', items, style));
}

function caseDoc({ condition, results, span }: DecisionDeclaration['cases'][number]): Doc {
  const items = results.map((name) => ({ doc: name.text, span: name.span }));
  const start = condition?.span.end ?? span.start;
  const head = condition === undefined ? 'default ' : row('case (', expressionDoc(condition), ') ');
  return row(head, group('{}', items, { padded: true, start, end: span.end }));
}

export function ruleDoc(rule: RuleDeclaration): Doc {
  const { kind, name, body, span } = rule;
  const head = `${kind} ${name.text} `;
  if (body.kind === 'map') return row(head, mapDoc(body));
  const result = { doc: statementDoc(body.result), span: body.result.span };
  const inner = group('{}', [result], { padded: true, start: body.condition.span.end, end: body.span.end });
  const doc = row('if (', expressionDoc(body.condition), ') ', inner);
  return row(head, group('{}', [{ doc, span: body.span }], { broken: true, start: name.span.end, end: span.end }));
}

export function fieldsDoc(fields: FieldsDeclaration): Doc {
  const { kind, name, body } = fields;
  return row(`${kind} ${name.text} `, 'kind' in body ? mapDoc(body) : fieldsGroup(body, fields));
}

export function resolverDoc(resolver: ResolverDeclaration): Doc {
  const { name, types, methods, compose = false, span } = resolver;
  const typeItems = types.map((type) => ({ doc: type.text, span: type.span }));
  const items = methods.map((method) => ({
    doc: `${method.name.text} ${method.function.text}`,
    span: { start: method.name.span.start, end: method.function.span.end },
  }));
  const body = group('{}', items, { broken: true, start: types.at(-1)?.span.end ?? name.span.end, end: span.end });
  return row('resolver ', name.text, ' ', group('[]', typeItems), compose ? ' @compose ' : ' ', body);
}
