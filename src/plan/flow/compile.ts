// Statements → steps: every workflow, trigger and start-up statement of a model, compiled once.

import { unreachable } from '../../errors.ts';
import {
  type Agent,
  type Attribute,
  type EventType,
  localOf,
  type Model,
  type Reaction,
  type Trigger,
  type TypeName,
} from '../../model/model.ts';
import type { Expression, Handler, Pattern, Statement } from '../../model/pattern.ts';
import type { Span } from '../../source.ts';
import type { AttributePlan, Step } from '../plan.ts';
import { compileAttribute } from '../rows/attribute.ts';
import { typesGone } from '../rows/cascade.ts';
import { wordsOf } from './description.ts';
import { type Compiling, emptyEffects, type Plans, runsWorkflow, watched } from './effects.ts';
import {
  type Action,
  type Dataflows,
  type EventPlan,
  type FlowHandler,
  type FlowProgram,
  type FlowStep,
  type Handled,
  type RecordPlan,
  responseType,
  statementName,
  type TriggerPlan,
  triggerKey,
} from './flow.ts';
import { asksResolvers, compileFind, compileInstance, compileSearch, stepBetween } from './pattern.ts';
import { conditionalTriggers, reactionTriggers } from './rules.ts';
import { withUnread } from './unread.ts';

export function compileDataflows(plans: Plans): Dataflows {
  const { model } = plans;
  const embedded: Compiling['embedded'] = new Map();
  const records = new Map([...model.records.values()].map((each) => [each.name, recordPlan(each.name, each.attributes, model)]));
  records.set(responseType, { ...recordPlan(responseType, [], model), open: true });
  const start = (): Compiling => ({ ...plans, records, embedded, effects: emptyEffects() });
  const flow = (name: string, statements: readonly Statement[]): FlowProgram => {
    const compiling = start();
    return { name, steps: withUnread(compileSteps(statements, compiling), statements), effects: compiling.effects };
  };
  const flows = new Map<TypeName, FlowProgram>();
  for (const workflow of model.workflows.values()) flows.set(workflow.event, flow(workflow.event, workflow.body));
  for (const [name, body] of model.substitutions) flows.set(name, flow(name, body));
  for (const each of model.flows.values())
    for (const [node, { kind, ...rest }] of each.nodes)
      if (kind === 'statement' && 'statement' in rest)
        flows.set(statementName(each.name, node), flow(statementName(each.name, node), [rest.statement]));
  for (const { name, span, handled } of handledIn(plans)) {
    const own = handledFlow(name, span, handled, model.agents.has(name));
    if (!runsWorkflow(name, plans)) flows.set(name, own);
    else for (const each of flowsOf(name, model)) flows.set(each, followedBy(own, flows.get(each)));
  }
  const triggers = new Map<string, TriggerPlan[]>();
  for (const each of model.triggers) {
    const plan = triggerPlan(each, flows, flow, model);
    if (plan !== undefined) addTrigger(triggers, plan);
  }
  for (const workflow of model.workflows.values()) {
    const own = flows.get(workflow.event);
    for (const plan of own === undefined ? [] : conditionalTriggers(workflow, own, plans, flow)) addTrigger(triggers, plan);
  }
  for (const reaction of byPriority(model.reactions)) {
    for (const plan of reactionTriggers(reaction, plans, flow)) addTrigger(triggers, plan);
  }
  const startup = flow('start-up', [...model.startup, ...(model.workflows.get(appInit)?.body ?? [])]);
  return { flows, events: eventPlans(plans), records, triggers, startup, embedded };
}

/** Those that the model has of what parts of the service do: events, and agents, which are made as events are. */
function handledIn({ model, handled }: Plans): readonly (Pick<EventType | Agent, 'name' | 'span'> & { readonly handled: Handled })[] {
  return [...model.events.values(), ...model.agents.values()].flatMap(({ name, span }) => {
    const found = handled.get(name);
    return found === undefined ? [] : [{ name, span, handled: found }];
  });
}

/** One step, so that whatever makes the event comes to its handler, and knows what that does. */
function handledFlow(event: TypeName, span: Span, { transaction, waits, suspends = false }: Handled, asks: boolean): FlowProgram {
  const action: Action = { kind: 'handle', event, asks };
  const step: FlowStep = {
    action,
    as: undefined,
    catches: [],
    throws: [],
    empty: undefined,
    handles: false,
    words: wordsOf(action),
    // biome-ignore lint/suspicious/noThenProperty: it is the word of the language, and no step is ever awaited.
    then: undefined,
    span,
  };
  return {
    name: event,
    steps: [step],
    effects: { ...emptyEffects(), writes: transaction === 'write', waits: waits && !asks, queries: !asks, asks, suspends },
  };
}

/** The workflow of an event, and what it becomes with subtypes. */
function flowsOf(event: TypeName, { substitutions }: Model): readonly string[] {
  return [event, ...[...substitutions.keys()].filter((each) => each.startsWith(`${event} with `))];
}

function followedBy(first: FlowProgram, rest: FlowProgram | undefined): FlowProgram {
  if (rest === undefined) return first;
  return { ...rest, steps: [...first.steps, ...rest.steps], effects: { ...rest.effects, waits: true, queries: true } };
}

/** The event that the service makes at start. */
const appInit = 'Platform.Kernel.Lang/AppInit';

function byPriority(reactions: readonly Reaction[]): readonly Reaction[] {
  const priority = ({ options }: Reaction): number => Number(options['priority'] ?? 0);
  return reactions.toSorted((first, second) => priority(second) - priority(first));
}

function compileSteps(statements: readonly Statement[], compiling: Compiling): readonly FlowStep[] {
  return statements.map((each) => compileStep(each, compiling));
}

function compileStep(statement: Statement, compiling: Compiling): FlowStep {
  const action = compileAction(statement.pattern, compiling);
  const [catches, throws] = [compileHandlers(statement.catches, compiling), compileHandlers(statement.throws, compiling)];
  const empty = statement.empty === undefined ? undefined : compileStep(statement.empty, compiling);
  return {
    action,
    as: statement.as,
    catches,
    throws,
    empty,
    handles: catches.length + throws.length > 0 || empty !== undefined,
    words: wordsOf(action),
    // biome-ignore lint/suspicious/noThenProperty: it is the word of the language, and no step is ever awaited.
    then: statement.then === undefined ? undefined : compileSteps(statement.then, compiling),
    span: statement.span,
  };
}

function compileHandlers(handlers: readonly Handler[] | undefined, compiling: Compiling): readonly FlowHandler[] {
  return (handlers ?? []).map(({ on, handler }) => ({ on, step: compileStep(handler, compiling) }));
}

function compileAction(pattern: Pattern, compiling: Compiling): Action {
  const steps = (statements: readonly Statement[]) => compileSteps(statements, compiling);
  const optional = (statements: readonly Statement[] | undefined) => (statements === undefined ? undefined : steps(statements));
  const value = (expression: Expression) => watchedValue(expression, compiling);
  switch (pattern.kind) {
    case 'instance':
      return compileInstance(pattern, compiling);
    case 'expression':
      return { kind: 'value', ...watched(pattern.expression, compiling, compileInstance) };
    case 'full-text':
      return compileSearch(pattern, compiling);
    case 'delete':
      return compileDelete(pattern, compiling);
    case 'for':
      return {
        kind: 'for',
        variable: pattern.variable.text,
        source: compileStep(pattern.source, compiling),
        body: steps(pattern.body),
        unread: false,
      };
    case 'if':
      return {
        kind: 'if',
        condition: value(pattern.condition),
        // biome-ignore lint/suspicious/noThenProperty: it is the word of the language, and no step is ever awaited.
        then: steps(pattern.then),
        otherwise: optional(pattern.otherwise),
      };
    case 'match':
      return {
        kind: 'match',
        subject: value(pattern.subject),
        cases: pattern.cases.map((each) => ({ value: value(each.value), body: steps(each.body) })),
        otherwise: optional(pattern.otherwise),
      };
    case 'block':
      return { kind: 'block', steps: steps(pattern.statements) };
    case 'return':
      return { kind: 'return', step: compileStep(pattern.value, compiling) };
    case 'throw':
      return { kind: 'throw', reason: value(pattern.reason) };
    case 'eval':
      compiling.effects.queries = true;
      return { kind: 'eval', value: value(pattern.value), check: pattern.check };
    case 'await':
      return compileLater(pattern, compiling);
    case 'path':
      return compilePath(pattern, compiling);
    case 'query':
      compiling.effects.queries = true;
      return { kind: 'query', query: value(pattern.query) };
    case 'rethrow':
      return { kind: 'rethrow', after: compileStep(pattern.after, compiling) };
    default:
      return unreachable(pattern);
  }
}

/** What is done later is waited for by nobody; but only what commits is followed by something. */
function compileLater({ body, done, handlers }: Extract<Pattern, { kind: 'await' }>, compiling: Compiling): Action {
  const { effects } = compiling;
  const { waits, queries } = effects;
  const later: Action = {
    kind: 'later',
    body: compileStep(body, compiling),
    done: done === undefined ? undefined : compileSteps(done, compiling),
    handlers: compileHandlers(handlers, compiling),
  };
  effects.writes = true;
  effects.waits = waits;
  effects.queries = queries;
  return later;
}

function compileDelete(pattern: Extract<Pattern, { kind: 'delete' }>, compiling: Compiling): Action {
  const target = compileInstance(pattern.target, compiling);
  if (target.kind !== 'find') return { kind: 'unavailable', what: 'a delete of this' };
  compiling.effects.writes = true;
  for (const type of typesGone(target.plan, compiling)) {
    compiling.effects.touches.add(`delete ${type}`);
    const plan = compiling.entities.get(type);
    if (plan !== undefined && asksResolvers(plan)) compiling.effects.waits = true;
  }
  return { kind: 'remove', find: target };
}

function watchedValue(expression: Expression, compiling: Compiling): Expression {
  return watched(expression, compiling, compileInstance).value;
}

/** Each step leads from the one before it, down a contains relationship or along links. */
function compilePath({ steps, relationships }: Extract<Pattern, { kind: 'path' }>, compiling: Compiling): Action {
  const finds = steps.map((each) => compileFind(each, compiling));
  const [start, ...rest] = finds;
  const further = rest.map((find, index) => {
    const from = finds[index];
    const name = relationships[index]?.text;
    const step: Step | undefined = from && find && name !== undefined ? stepBetween(from.plan, name, find.plan) : undefined;
    return step === undefined || find === undefined ? undefined : { step, find };
  });
  const found = further.flatMap((each) => each ?? []);
  if (start === undefined || found.length !== rest.length) return { kind: 'unavailable', what: 'a path through these relationships' };
  return { kind: 'path', start, further: found };
}

function triggerPlan(
  trigger: Trigger,
  flows: ReadonlyMap<TypeName, FlowProgram>,
  compileFlow: (name: string, statements: readonly Statement[]) => FlowProgram,
  { events }: Model,
): TriggerPlan | undefined {
  const { when, operation, entity, runs } = trigger;
  // It is part of the rules of its entity, and sees every row.
  const runAs = (runs.kind === 'event' ? events.get(runs.event)?.runAs : trigger.runAs) ?? 'system';
  const base = { when, operation, entity, runAs, condition: undefined, alias: undefined, related: undefined };
  if (runs.kind === 'body') {
    return { ...base, async: false, flow: compileFlow(triggerKey(when, operation, entity), runs.body), event: undefined };
  }
  const flow = flows.get(runs.event);
  if (flow === undefined) return undefined;
  return { ...base, async: runs.async, flow, event: { name: runs.event, attribute: localOf(entity) } };
}

function addTrigger(triggers: Map<string, TriggerPlan[]>, plan: TriggerPlan): void {
  const key = triggerKey(plan.when, plan.operation, plan.entity);
  const known = triggers.get(key);
  if (known === undefined) triggers.set(key, [plan]);
  else known.push(plan);
}

function eventPlans(compiling: Plans): ReadonlyMap<TypeName, EventPlan> {
  const { model } = compiling;
  const given = new Map<TypeName, Set<string>>();
  for (const { runs, entity } of model.triggers) {
    if (runs.kind !== 'event') continue;
    given.set(runs.event, (given.get(runs.event) ?? new Set()).add(localOf(entity)));
  }
  const plans = new Map<TypeName, EventPlan>();
  for (const event of model.events.values()) {
    const { name, open } = event;
    plans.set(name, { ...recordPlan(name, event.attributes, model), event, open, given: given.get(name) ?? new Set() });
  }
  // The events that the service itself makes take what it gives, and agents what their handler makes of it.
  const others = [...[...model.workflows.values()].map(({ event }) => event), ...handledIn(compiling).map(({ name }) => name)];
  for (const name of others)
    if (!plans.has(name)) plans.set(name, { ...recordPlan(name, [], model), event: undefined, open: true, given: new Set() });
  return plans;
}

function recordPlan(name: TypeName, declared: readonly Attribute[], model: Model): RecordPlan {
  const attributes = declared.map((each) => compileAttribute(each, model));
  return { name, attributes, operands: operandsOf(attributes), open: false };
}

/** Those whose values expressions see in another form than answers do. */
export function operandsOf(attributes: readonly AttributePlan[]): ReadonlyMap<string, AttributePlan> {
  const converted: readonly AttributePlan['numbers'][] = ['decimal', 'real', 'record'];
  return new Map(attributes.filter((each) => converted.includes(each.numbers)).map((each) => [each.name, each]));
}
