// What an event gives back, found out from its compiled steps as far as it is certain; the rest may be anything.

import { unreachable } from '../../../errors.ts';
import type { TypeName } from '../../../model/model.ts';
import type { Alias } from '../../../model/pattern.ts';
import type { EntityPlan, LinkPlan, Plan } from '../../plan.ts';
import { type Action, type CreateAction, type EventPlan, type FlowStep, type NestedStep, responseType } from '../flow.ts';
import { anything, canBeEmpty, either, elementOf, isNever, listShape, named, never, nothing, type ResultShape, scalar } from './shape.ts';
import { instanceShape, isCertain, reportShape, valueShape } from './value.ts';

/** Events by what they give; each is looked into once, when it is first asked for. */
export function resultShapes(plan: Plan): (event: TypeName) => ResultShape {
  const known = new Map<string, ResultShape>();
  const resultOf = (event: TypeName, checked: boolean): ResultShape => {
    const key = `${checked} ${event}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    // Until it is known what it gives, an event that calls itself may give anything.
    known.set(key, anything);
    const shape = eventShape(event, checked, plan, resultOf);
    known.set(key, shape);
    return shape;
  };
  return (event) => resultOf(event, true);
}

/** `checked` where the attributes are values that were checked, and no instances that a flow put there. */
type ResultOf = (event: TypeName, checked: boolean) => ResultShape;

function eventShape(event: TypeName, checked: boolean, plan: Plan, resultOf: ResultOf): ResultShape {
  const { events, flows } = plan.dataflows;
  const own = events.get(event);
  const flow = flows.get(event);
  const made = own === undefined || own.open || !checked ? anything : madeShape(own);
  if (flow === undefined) return made;
  const looking: Looking = { plan, resultOf, names: new Map([[event, made]]), returned: [], lost: false };
  return either([stepsShape(flow.steps, looking), ...looking.returned]);
}

function madeShape(event: EventPlan): ResultShape {
  return { kind: 'event', event, created: true };
}

/** One look through a flow: what its names stand for by now, and what it may have returned before. */
interface Looking {
  readonly plan: Plan;
  readonly resultOf: ResultOf;
  names: Map<string, ResultShape>;
  readonly returned: ResultShape[];
  /** Once a value may have been changed in place, no name is certain any more. */
  lost: boolean;
}

function stepsShape(steps: readonly FlowStep[], looking: Looking): ResultShape {
  let last = nothing;
  for (const step of steps) {
    last = stepShape(step, looking);
    if (isNever(last)) return never;
  }
  return last;
}

function stepShape(step: FlowStep, looking: Looking): ResultShape {
  const before = looking.names;
  if (step.handles) looking.names = new Map(before);
  const done = actionShape(step.action, looking);
  const handled = handledShapes(step, before, looking);
  const all = either([done, ...handled]);
  if (step.as !== undefined) bind(step.as, all, looking);
  if (step.then === undefined) return all;
  const further = branches([() => stepsShape(step.then ?? [], looking), () => nothing], looking);
  return either([...(canBeEmpty(done) ? [done] : []), ...handled, ...further.slice(0, 1)]);
}

/** Handlers run when an unknown part of the step has been done. */
function handledShapes(step: FlowStep, before: ReadonlyMap<string, ResultShape>, looking: Looking): readonly ResultShape[] {
  if (!step.handles) return [];
  const after = looking.names;
  const unsure = new Map([...after].map(([name, shape]) => [name, before.get(name) === shape ? shape : anything]));
  const handler = (each: FlowStep) => (): ResultShape => {
    looking.names = new Map([...unsure, ['Error', anything]]);
    return stepShape(each, looking);
  };
  const empty = step.empty === undefined ? [] : [handler(step.empty)];
  const shapes = branches([() => nothing, ...empty, ...[...step.catches, ...step.throws].map((each) => handler(each.step))], looking);
  // What a handler of a failure says is told with it, and is no result.
  return shapes.slice(1, 1 + empty.length + step.catches.length);
}

/** Only one of them is run, so that a name stands for what any of them made it. */
function branches(all: readonly (() => ResultShape)[], looking: Looking): readonly ResultShape[] {
  const before = looking.names;
  const ends = all.map((run) => {
    looking.names = new Map(before);
    const shape = run();
    return { shape, names: looking.names };
  });
  const names = new Set(ends.flatMap((each) => [...each.names.keys()]));
  looking.names = new Map([...names].map((name) => [name, either(ends.map((each) => each.names.get(name) ?? nothing))]));
  return ends.map((each) => each.shape);
}

/** `_` skips, and the rest goes to the last name. */
function bind(alias: Alias, shape: ResultShape, { names }: Looking): void {
  if (alias.kind === 'whole') {
    names.set(alias.name.text, named(shape));
    return;
  }
  const element = named(elementOf(shape));
  for (const name of alias.names) if (name !== undefined) names.set(name.text, either([element, nothing]));
  if (alias.rest !== undefined) names.set(alias.rest.text, listShape(element));
}

function actionShape(action: Action, looking: Looking): ResultShape {
  const shapeOf = (name: string): ResultShape => nameShape(name, looking);
  switch (action.kind) {
    case 'value':
      return valueShape(action.value, shapeOf);
    case 'eval':
      return action.check === undefined ? valueShape(action.value, shapeOf) : anything;
    case 'create':
      return isKnownCreate(action) ? instanceShape(action.plan, true) : anything;
    case 'record':
      return action.record.open || action.record.name === responseType
        ? anything
        : { kind: 'record', record: action.record, created: true };
    case 'call':
      return callShape(action, looking);
    case 'find':
      return foundShape(action.plan, action.nested);
    case 'change':
    case 'remove':
      return foundShape(action.find.plan, action.find.nested);
    case 'change-alias':
      return changedShape(action, looking);
    case 'report':
      return reportShape(action);
    case 'path': {
      const last = action.further.at(-1)?.find ?? action.start;
      return foundShape(last.plan, last.nested);
    }
    case 'later':
      return listShape(scalar('text'));
    case 'query':
      return listShape(anything);
    case 'handle':
      return anything;
    case 'throw':
    case 'unavailable':
      return never;
    default:
      return controlShape(action, looking);
  }
}

function controlShape(
  action: Extract<Action, { kind: 'for' | 'if' | 'match' | 'block' | 'return' | 'rethrow' }>,
  looking: Looking,
): ResultShape {
  const body = (steps: readonly FlowStep[] | undefined) => (): ResultShape =>
    steps === undefined ? { kind: 'false' } : stepsShape(steps, looking);
  switch (action.kind) {
    case 'for':
      return loopShape(action, looking);
    case 'if':
      return either(branches([body(action.then), body(action.otherwise)], looking));
    case 'match':
      return either(branches([...action.cases.map((each) => body(each.body)), body(action.otherwise)], looking));
    case 'block':
      return stepsShape(action.steps, looking);
    case 'return':
      looking.returned.push(stepShape(action.step, looking));
      return never;
    case 'rethrow':
      stepShape(action.after, looking);
      return never;
    default:
      return unreachable(action);
  }
}

/** In a round, a name may stand for what an earlier round made it. Behind the loop its variable is what it was before. */
function loopShape({ variable, source, body }: Extract<Action, { kind: 'for' }>, looking: Looking): ResultShape {
  const element = named(elementOf(stepShape(source, looking)));
  const before = looking.names;
  // An object of its own tells what the body leaves alone from what it makes anything.
  const unsure: ResultShape = { kind: 'any' };
  looking.names = new Map([...[...before.keys()].map((name) => [name, unsure] as const), [variable, element]]);
  const round = stepsShape(body, looking);
  const after = [...looking.names].map(([name, shape]) => {
    const unchanged = before.get(name) ?? nothing;
    return [name, shape === unsure || name === variable ? unchanged : either([unchanged, shape])] as const;
  });
  looking.names = new Map(after);
  return listShape(round.kind === 'list' ? named(round) : round);
}

/** The name of a type stands for its last instance, wherever that was made or found. */
function nameShape(name: string, { names, plan, lost }: Looking): ResultShape {
  if (lost) return anything;
  const found = names.get(name);
  if (found !== undefined) return found.kind === 'any' ? anything : found;
  const stored = plan.entities.get(name) ?? plan.links.get(name);
  return stored !== undefined && isCertain(stored) ? either([instanceShape(stored, false), nothing]) : anything;
}

function isKnownCreate({ plan, values, from, nested }: CreateAction): boolean {
  if (plan.kind === 'link') return true;
  const isRelated =
    nested.length > 0 || from !== undefined || values.some((each) => !plan.attribute.has(each.name) && each.name !== '__Id__');
  return !isRelated || (isCertain(plan) && plan.linkNames.size === 0 && nested.every(isKnownNested));
}

function foundShape(plan: EntityPlan | LinkPlan, nested: readonly NestedStep[]): ResultShape {
  const isKnown = nested.length === 0 || (isCertain(plan) && nested.every(isKnownNested));
  return listShape(isKnown ? instanceShape(plan, false) : anything);
}

function isKnownNested({ step, actions }: NestedStep): boolean {
  return actions.every((each) => {
    if (each.kind === 'create') return each.plan === step.target && isKnownCreate(each);
    const find = each.kind === 'find' ? each : each.find;
    return find.plan === step.target && (find.nested.length === 0 || (isCertain(find.plan) && find.nested.every(isKnownNested)));
  });
}

function callShape(action: Extract<Action, { kind: 'call' }>, looking: Looking): ResultShape {
  const isChecked = ({ value }: (typeof action.values)[number]): boolean => {
    const { kind } = valueShape(value, (name) => nameShape(name, looking));
    return kind === 'scalar' || kind === 'nothing';
  };
  if (action.flow !== action.event) return anything;
  return looking.resultOf(action.event, action.from === undefined && action.values.every(isChecked));
}

/** Stored instances are changed in the store; whatever else an alias holds is changed in place. */
function changedShape({ target }: Extract<Action, { kind: 'change-alias' }>, looking: Looking): ResultShape {
  const [name = '', ...rest] = target;
  const shape = nameShape(name, looking);
  const element = elementOf(shape);
  if (rest.length > 0 || element.kind !== 'instance') {
    looking.lost = true;
    return anything;
  }
  return listShape(instanceShape(element.plan, false));
}
