// Rules and conditional events: what is done whenever an instance is stored that fulfils a condition.

import { localOf, type Reaction, type TypeName, type Workflow } from '../../model/model.ts';
import type { Expression, InstancePattern, Statement } from '../../model/pattern.ts';
import { referencesIn } from '../../model/references.ts';
import type { Plans } from './effects.ts';
import type { FlowProgram, TriggerPlan } from './flow.ts';

type CompileFlow = (name: string, statements: readonly Statement[]) => FlowProgram;

/** `[:Evt :when [:> :E.X 10]]`: the event is made with the instance in an attribute that is named after its type. */
export function conditionalTriggers(workflow: Workflow, flow: FlowProgram, plans: Plans, compileFlow: CompileFlow): readonly TriggerPlan[] {
  const { condition } = workflow;
  if (condition === undefined) return [];
  const { on, where, when } = condition;
  const types = typesIn(when, plans).filter((each) => each !== on);
  const related =
    on === undefined || where === undefined ? undefined : { type: on, flow: compileFlow(workflow.name, [query(on, where, workflow)]) };
  return types.flatMap((entity) =>
    (['create', 'update'] as const).map(
      (operation): TriggerPlan => ({
        when: 'after',
        operation,
        entity,
        async: false,
        runAs: plans.model.events.get(workflow.event)?.runAs ?? 'system',
        flow,
        event: { name: workflow.event, attribute: localOf(entity) },
        condition: when,
        alias: undefined,
        related,
      }),
    ),
  );
}

/** `{:E2? {:where condition}}`. */
function query(type: TypeName, condition: Expression, { span }: Workflow): Statement {
  const pattern: InstancePattern = {
    kind: 'instance',
    type: { text: type, span },
    all: true,
    attributes: [],
    nested: [],
    options: { condition },
    span,
  };
  return { pattern, span };
}

/** The first condition is asked of what was stored; any other must find something. Rules run after the commit. */
export function reactionTriggers(reaction: Reaction, plans: Plans, compileFlow: CompileFlow): readonly TriggerPlan[] {
  const [first, ...others] = reaction.conditions;
  const pattern = first?.pattern;
  if (first === undefined || pattern?.kind !== 'instance' || reaction.options['passive'] === true) return [];
  const entity = pattern.type.text;
  if (!plans.entities.has(entity)) return [];
  const condition = conditionOf(pattern);
  const flow = compileFlow(reaction.name, [...others.map(orNothing), ...reaction.body]);
  const operations = reaction.onDelete ? (['delete'] as const) : (['create', 'update'] as const);
  return operations.map((operation) => ({
    when: 'after',
    operation,
    entity,
    async: true,
    runAs: reaction.options['run-as'] === 'caller' ? 'caller' : 'system',
    flow,
    event: undefined,
    condition,
    alias: first.as,
    related: undefined,
  }));
}

function orNothing(statement: Statement): Statement {
  const { span } = statement;
  const nothing: Statement = {
    pattern: { kind: 'expression', expression: { kind: 'literal', value: null, raw: 'null', span }, span },
    span,
  };
  return { ...statement, empty: { pattern: { kind: 'return', value: nothing, span }, span } };
}

/** The attributes of a pattern as a condition over the instance. */
function conditionOf({ type, attributes, options }: InstancePattern): Expression | undefined {
  const tests = attributes.flatMap(({ name, query: operator, value, span }): readonly Expression[] => {
    if (operator === undefined || value.kind === 'aggregate') return [];
    const left: Expression = { kind: 'reference', path: [type.text, name.text], span };
    return [{ kind: 'binary', operator, left, right: value, span }];
  });
  const all = options.condition === undefined ? tests : [...tests, options.condition];
  const [first, ...rest] = all;
  if (first === undefined) return undefined;
  return rest.reduce((left, right) => ({ kind: 'binary', operator: 'and', left, right, span: right.span }), first);
}

function typesIn(expression: Expression, { entities }: Plans): readonly TypeName[] {
  return [...new Set(referencesIn(expression).flatMap(({ path: [type = ''] }) => (entities.has(type) ? [type] : [])))];
}
