// What compiling a flow finds out on its way: whether it writes, waits, calls or fires, and the patterns inside its values.

import type { Model, TypeName } from '../../model/model.ts';
import type { Expression, FunctionReference, InstancePattern } from '../../model/pattern.ts';
import { isWaiting } from '../../model/references.ts';
import { partsOf } from '../../model/walk.ts';
import type { EntityPlan, LinkPlan } from '../plan.ts';
import { type Action, type Dataflows, type Effects, type FlowProgram, type Handled, type RecordPlan, triggerKey } from './flow.ts';

/** The plans of what is stored. */
export interface Plans {
  readonly model: Model;
  readonly entities: ReadonlyMap<TypeName, EntityPlan>;
  readonly links: ReadonlyMap<TypeName, LinkPlan>;
  /** Events that parts of the service do, in place of a workflow or before it. */
  readonly handled: ReadonlyMap<TypeName, Handled>;
}

/** Whether the workflow of an event runs, also where a part of the service is asked first. */
export function runsWorkflow(event: TypeName, { model, handled }: Pick<Plans, 'model' | 'handled'>): boolean {
  const found = handled.get(event);
  return model.workflows.has(event) && (found === undefined || found.composes === true);
}

export interface Compiling extends Plans {
  readonly records: ReadonlyMap<TypeName, RecordPlan>;
  readonly embedded: Map<InstancePattern, Action>;
  readonly effects: Growing;
}

interface Growing extends Effects {
  writes: boolean;
  waits: boolean;
  external: boolean;
  queries: boolean;
  suspends: boolean;
  readonly calls: Set<TypeName>;
  readonly touches: Set<string>;
}

export function emptyEffects(): Growing {
  const none = { writes: false, waits: false, external: false, queries: false, asks: false, suspends: false };
  return { ...none, calls: new Set(), touches: new Set() };
}

type CompilePattern = (pattern: InstancePattern, compiling: Compiling) => Action;

/** A value with whether it must be waited for; patterns inside are compiled by `compile`. */
export function watched(
  value: Expression,
  compiling: Compiling,
  compile: CompilePattern,
): { readonly value: Expression; readonly waits: boolean } {
  noteExpression(value, compiling, compile);
  return { value, waits: isWaiting(value) };
}

function noteExpression(expression: Expression, compiling: Compiling, compile: CompilePattern): void {
  const { embedded, effects, model } = compiling;
  if ('function' in expression && expression.function !== undefined && mayActOutside(expression.function, model)) effects.external = true;
  if (expression.kind === 'call' && expression.awaited) effects.waits = true;
  if (expression.kind === 'pattern' && !embedded.has(expression.pattern))
    embedded.set(expression.pattern, compile(expression.pattern, compiling));
  for (const each of partsOf(expression)) noteExpression(each, compiling, compile);
}

/** What Clojure in the model calls of imports is only known when it is called. */
function mayActOutside({ external, language }: FunctionReference, { functions }: Model): boolean {
  return external === true || (language === 'clojure' && functions.some((each) => each.external));
}

type WholeEffects = Pick<Effects, 'writes' | 'waits' | 'external' | 'queries'>;

const whole = new WeakMap<FlowProgram, WholeEffects>();

/** What a flow does, with everything that it sets off; found out once for each flow. */
export function wholeEffects(flow: FlowProgram, dataflows: Dataflows): WholeEffects {
  const known = whole.get(flow);
  if (known !== undefined) return known;
  const all = [...setOffBy([flow], dataflows)].map(({ effects }) => effects);
  const found = {
    writes: all.some((each) => each.writes),
    waits: all.some((each) => each.waits),
    external: all.some((each) => each.external),
    queries: all.some((each) => each.queries),
  };
  whole.set(flow, found);
  return found;
}

const asking = new WeakMap<FlowProgram, boolean>();

/**
 * Whether it asks an agent, itself or in events that it makes: then it is not one transaction, but one for each part between these questions.
 * What its writes set off is not looked at: that is begun after the commit, as a run of its own.
 */
export function asksAgents(flow: FlowProgram, dataflows: Dataflows): boolean {
  const known = asking.get(flow) ?? calledBy(flow, dataflows).some(({ effects }) => effects.asks);
  asking.set(flow, known);
  return known;
}

const suspending = new WeakMap<FlowProgram, boolean>();

/** Whether a resolver that it calls, itself or in events that it makes, may suspend it. */
export function maySuspend(flow: FlowProgram, dataflows: Dataflows): boolean {
  const known = suspending.get(flow) ?? calledBy(flow, dataflows).some(({ effects }) => effects.suspends);
  suspending.set(flow, known);
  return known;
}

/** The same for what an event sets off. */
export function isSuspendable(event: TypeName, dataflows: Dataflows): boolean {
  const flow = dataflows.flows.get(event);
  return flow !== undefined && maySuspend(flow, dataflows);
}

/** A flow, and those of the events that it makes. */
export function calledBy(flow: FlowProgram, { flows }: Dataflows): readonly FlowProgram[] {
  const found = new Set([flow]);
  for (const { effects } of found) for (const event of effects.calls) found.add(flows.get(event) ?? flow);
  return [...found];
}

/** These flows, what they call, and what their writes set off. */
function setOffBy(flows: readonly FlowProgram[], dataflows: Dataflows): ReadonlySet<FlowProgram> {
  const found = new Set(flows);
  // A set goes on with what is added to it on the way.
  for (const { effects } of found) {
    for (const event of effects.calls) {
      const called = dataflows.flows.get(event);
      if (called !== undefined) found.add(called);
    }
    for (const touched of effects.touches) for (const fired of firedBy(touched, dataflows)) found.add(fired);
  }
  return found;
}

/** The types of the rows that what a write on its own sets off may change. */
export function changedByTriggers(operation: 'create' | 'update' | 'delete', type: TypeName, dataflows: Dataflows): readonly TypeName[] {
  return dataflows.triggers.size === 0 ? [] : firedBy(`${operation} ${type}`, dataflows).flatMap((flow) => changedBy(flow, dataflows));
}

const changed = new WeakMap<FlowProgram, readonly TypeName[]>();

/** Found out once for each flow. */
function changedBy(flow: FlowProgram, dataflows: Dataflows): readonly TypeName[] {
  const known = changed.get(flow) ?? [...new Set([...setOffBy([flow], dataflows)].flatMap(({ effects }) => updatedTypes(effects)))];
  changed.set(flow, known);
  return known;
}

function updatedTypes({ touches }: Effects): readonly TypeName[] {
  const prefix = 'update ';
  return [...touches].filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
}

/** What a write on its own sets off: whether any of it waits, or reads by queries. */
export function triggersDo(
  effect: 'waits' | 'queries',
  operation: 'create' | 'update' | 'delete',
  type: TypeName,
  dataflows: Dataflows,
): boolean {
  return firedBy(`${operation} ${type}`, dataflows).some((flow) => wholeEffects(flow, dataflows)[effect]);
}

function firedBy(touched: string, dataflows: Dataflows): readonly FlowProgram[] {
  const [operation = '', entity = ''] = touched.split(' ');
  if (operation !== 'create' && operation !== 'update' && operation !== 'delete') return [];
  const plans = (['before', 'after'] as const).flatMap((when) => dataflows.triggers.get(triggerKey(when, operation, entity)) ?? []);
  return plans
    .filter((each) => !each.async && !asksAgents(each.flow, dataflows))
    .flatMap(({ flow, related }) => (related === undefined ? [flow] : [related.flow, flow]));
}
