// Types all logic of a model: workflows, triggers, rules, statements at start and in flows, computed attributes.

import type { FaultReport } from '../fault-report.ts';
import type { Attribute, Model, TypeName } from '../model.ts';
import { checkAssigned } from './checks.ts';
import { typeOf } from './expressions.ts';
import { patternType } from './patterns.ts';
import { emptyScope, openTyping, type Scope, type Typing } from './scope.ts';
import { statementsType } from './statements.ts';
import { attributeType, unknown, type ValueType } from './value-type.ts';

/** Gives the values that are compared with a text as what they are declared to be. */
export function checkLogic(model: Model, report: FaultReport): Model['readAsTyped'] {
  const typing: Typing = openTyping(model, report, (pattern, scope) => patternType(pattern, scope, typing));
  const { workflows, triggers, substitutions, reactions, flows, startup } = model;
  for (const { event, body, condition } of workflows.values()) {
    const scope = emptyScope([[event, eventType(event, model)]]);
    for (const each of [condition?.when, condition?.where]) if (each !== undefined) typeOf(each, scope, typing);
    statementsType(body, scope, typing);
  }
  // The event is part of what they are called: it is looked up where it is written.
  for (const body of substitutions.values()) statementsType(body, emptyScope(), typing);
  for (const { runs, entity } of triggers)
    if (runs.kind === 'body') statementsType(runs.body, emptyScope([['this', { kind: 'instance', type: entity }]]), typing);
  for (const { body } of reactions) statementsType(body, emptyScope(), typing);
  for (const { nodes } of flows.values())
    for (const node of nodes.values()) if (node.kind === 'statement') statementsType([node.statement], emptyScope(), typing);
  checkStartup(startup, typing);
  checkComputed(model, typing);
  return typing.readAsTyped;
}

function eventType(event: TypeName, { events }: Model): ValueType {
  return events.get(event)?.open === false ? { kind: 'instance', type: event } : unknown;
}

/** Statements of one file follow each other. */
function checkStartup(startup: Model['startup'], typing: Typing): void {
  const scopes = new Map<string, Scope>();
  for (const statement of startup) {
    const { file } = statement.span.source;
    const scope = scopes.get(file) ?? emptyScope();
    scopes.set(file, scope);
    statementsType([statement], scope, typing);
  }
}

/** What an attribute is computed from are its siblings, by their names or behind `this`. */
function checkComputed({ entities, records, relationships }: Model, typing: Typing): void {
  const links = [...relationships.values()].filter((each) => each.kind === 'between');
  for (const owner of [...entities.values(), ...records.values(), ...links]) {
    const computed = owner.attributes.filter((each) => each.expression !== undefined);
    if (computed.length === 0) continue;
    const scope = emptyScope([
      ['this', { kind: 'instance', type: owner.name }],
      ...owner.attributes.map((each): [string, ValueType] => [each.name, attributeType(each)]),
    ]);
    for (const each of computed) checkExpression(each, owner.name, scope, typing);
  }
}

function checkExpression(attribute: Attribute, owner: TypeName, scope: Scope, typing: Typing): void {
  const { expression: value } = attribute;
  if (value !== undefined) checkAssigned({ value, type: typeOf(value, scope, typing), attribute, owner }, scope, typing);
}
