// Runs compiled steps, one after the other: the value of the last is the result. Waits only where there is something to wait for.

import { error, type PlatformError, unreachable } from '../../errors.ts';
import type { RunAs } from '../../model/model.ts';
import type { Expression } from '../../model/pattern.ts';
import type { Action, FlowHandler, FlowStep } from '../../plan/flow/flow.ts';
import { positionOf } from '../../source.ts';
import type { Awaitable } from '../../store/store.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { spend, yieldIfDue } from '../budget.ts';
import { mapAwaitable } from '../context.ts';
import { same } from '../eval/comparison.ts';
import { isTrue } from '../eval/eval.ts';
import { outside } from '../eval/operands.ts';
import { holdSum } from '../memory.ts';
import type { Traced } from '../operation.ts';
import { responseOf } from '../outcome.ts';
import { runningAs } from '../run-as.ts';
import { changeAlias, changeAll, create, evaluateChecked, find, followPath, handle, joined, makeRecord, removeAll } from './actions.ts';
import { failureValue, outcomeOf, withStepNamed } from './failure.ts';
import { withoutHidden } from './hidden.ts';
import { putOff } from './later.ts';
import { NamedValue, ResultList, sizeOf } from './lazy-row.ts';
import { asksInside, isStatement } from './parts/parts.ts';
import { queryFind } from './query-object.ts';
import { bind, endOf, instanceOrigin, isEmpty, listOf, maxDepth, nothing, scopeOf, withDeclared } from './run.ts';
import type { Binding, Completed, Fields, Run, Scopes } from './state.ts';
import { assigned, checkEvent, fitting, resolve, withTypes } from './values.ts';

const noOwn: Scopes = Object.freeze([]);

export function runSteps(steps: readonly FlowStep[], run: Run): Awaitable<Completed> {
  let last = nothing;
  let count = 0;
  for (const step of steps) {
    const next = runStep(step, run);
    count += 1;
    if (next instanceof Promise) return runRest(next, steps.slice(count), run);
    const ended = endOf(run);
    if (ended !== undefined) return ended;
    last = next;
  }
  return last;
}

async function runRest(pending: Promise<Completed>, steps: readonly FlowStep[], run: Run): Promise<Completed> {
  let last = await pending;
  for (const step of steps) {
    const ended = endOf(run);
    if (ended !== undefined) return ended;
    last = await runStep(step, run);
  }
  return endOf(run) ?? last;
}

function runStep(step: FlowStep, run: Run): Awaitable<Completed> {
  const yieldedAtStep = allowed(step, run);
  if (yieldedAtStep instanceof Promise) return yieldedAtStep.then(() => begin(step, run));
  return begin(step, run);
}

/** A step that the event has no time or steps left for is the one that failed. */
function allowed(step: FlowStep, run: Run): Awaitable<void> {
  try {
    spend(run, 1);
    return yieldIfDue(run);
  } catch (thrown) {
    throw withStepNamed(thrown, step);
  }
}

function begin(step: FlowStep, run: Run): Awaitable<Completed> {
  const { trace } = run.reading;
  if (step.handles || trace !== undefined) return withHandlers(step, trace, run);
  try {
    const done = runAction(step.action, run, noOwn);
    if (!(done instanceof Promise)) return finish(step, done, run);
    return done.then(
      (later) => finish(step, later, run),
      (thrown: unknown) => {
        throw withStepNamed(thrown, step);
      },
    );
  } catch (thrown) {
    throw withStepNamed(thrown, step);
  }
}

function finish(step: FlowStep, done: Completed, run: Run): Awaitable<Completed> {
  const ended = endOf(run);
  if (ended !== undefined) return ended;
  if (step.as !== undefined) bind(step.as, withDeclared(done, step.action, run), run);
  return step.then === undefined || isEmpty(done.value) ? done : runSteps(step.then, run);
}

async function withHandlers(step: FlowStep, trace: Traced[] | undefined, run: Run): Promise<Completed> {
  const done = trace === undefined ? await handled(step, run) : await traced(step, trace, run);
  const ended = endOf(run);
  if (ended !== undefined) return ended;
  if (step.as !== undefined) bind(step.as, done.handled === true ? done : withDeclared(done, step.action, run), run);
  return step.then === undefined || done.handled === true || isEmpty(done.value) ? done : runSteps(step.then, run);
}

/** Steps are told in the order in which they ended; those inside another come before it. */
async function traced(step: FlowStep, trace: Traced[], run: Run): Promise<Handled> {
  const { clock } = run.reading;
  const start = clock.now().getTime();
  try {
    return await handled(step, run);
  } finally {
    const { line } = positionOf(step.span);
    trace.push({ step: `${step.action.kind}-${line}`, start, milliseconds: clock.now().getTime() - start });
  }
}

/** `handled` where the value is that of a handler. */
type Handled = Completed & { readonly handled?: boolean };

function byHandler({ value, created }: Completed): Handled {
  return { value, created, handled: true };
}

/** What the handlers of a statement make of its result or failure. */
async function handled(step: FlowStep, run: Run): Promise<Handled> {
  const { catches, throws, empty } = step;
  const { later } = run.reading;
  const before = later.length;
  let done: Completed;
  try {
    const { writing } = run;
    const isWhole = run.parts === undefined || !asksInside(step.action, run.reading.plan.dataflows);
    const guarded = catches.length + throws.length > 0 && writing !== undefined && isWhole;
    done = guarded ? await writing.tx.attempt(() => runAction(step.action, run, noOwn)) : await runAction(step.action, run, noOwn);
  } catch (thrown) {
    const failure = withStepNamed(thrown, step);
    // It is not of the model's making, and all of it is done again; or the event has had what it may have.
    if (failure.again || failure.origin.bytes !== undefined || failure.code === 'dataflow-limit') throw failure;
    // What was undone sets nothing off after the commit.
    later.splice(before);
    const handler = handlerFor(catches, outcomeOf(failure));
    if (handler !== undefined) return runHandler(handler, failure, run);
    const teller = handlerFor(throws, outcomeOf(failure));
    if (teller !== undefined) throw await told(teller, failure, run);
    throw failure;
  }
  if (!isEmpty(done.value) || run.parts?.isSuspended === true) return done;
  if (empty !== undefined) return byHandler(await runStep(empty, run));
  const handler = handlerFor(catches, 'not_found');
  if (handler !== undefined) return runHandler(handler, withStepNamed(notFound(), step), run);
  const teller = handlerFor(throws, 'not_found');
  if (teller !== undefined) throw await told(teller, withStepNamed(notFound(), step), run);
  return done;
}

function notFound(): PlatformError {
  return error('dataflow-failed', { detail: 'Nothing was found.' });
}

function handlerFor(handlers: readonly FlowHandler[], outcome: FlowHandler['on']): FlowHandler | undefined {
  return handlers.find((each) => each.on === outcome);
}

/** `Error` is the failure inside the handler alone. */
async function runHandler({ step }: FlowHandler, failure: unknown, run: Run): Promise<Handled> {
  const { names, failure: before } = run;
  const hidden = names.get('Error');
  names.set('Error', { value: failureValue(failure) });
  run.failure = failure;
  try {
    return byHandler(await runStep(step, run));
  } finally {
    run.failure = before;
    restore('Error', hidden, names);
  }
}

/** The failure stays one, and tells what the handler says. */
async function told(handler: FlowHandler, failure: PlatformError, run: Run): Promise<PlatformError> {
  const { value } = await runHandler(handler, failure, run);
  const wanted = responseOf(value, (each) => run.budget.origins.get(each));
  const said = wanted === undefined ? value : wanted.body;
  const response = wanted === undefined ? {} : { response: { status: wanted.status } };
  const detail = typeof said === 'string' ? said : failure.message;
  const { pattern = '' } = failure.details;
  return error('dataflow-failed', { detail, pattern, result: writeJson(outside(said)), ...response }, failure.cause ?? failure);
}

export function runAction(action: Action, run: Run, scopes: Scopes): Awaitable<Completed> {
  const { parts } = run;
  if (parts === undefined || !isStatement(action, run.reading.plan.dataflows)) return act(action, run, scopes);
  return parts.statement(run, () => act(action, run, scopes), action);
}

function act(action: Action, run: Run, scopes: Scopes): Awaitable<Completed> {
  switch (action.kind) {
    case 'value':
      return nameOf(action.value, run, scopes) ?? mapAwaitable(resolve(action.value, run, scopes), (value) => ({ value, created: false }));
    case 'create':
      return create(action, run, scopes);
    case 'record':
      return makeRecord(action, run, scopes);
    case 'call':
      return mapAwaitable(assigned(action.values, action.from, action.event, run, scopes), (fields) =>
        callEvent(action.event, fields, run, action.flow),
      );
    case 'find':
      return find(action, run, scopes);
    case 'change':
      return changeAll(action, run, scopes);
    case 'remove':
      return removeAll(action, run, scopes);
    case 'change-alias':
      return changeAlias(action, run, scopes);
    case 'report':
      return joined(action, run, scopes);
    case 'path':
      return followPath(action, run, scopes);
    case 'query':
      return mapAwaitable(resolve(action.query, run, scopes), (query) => find(queryFind(query, run), run, scopes));
    case 'eval':
      return evaluateChecked(action, run, scopes);
    case 'later':
      return putOff(action, run);
    case 'throw':
      return mapAwaitable(resolve(action.reason, run, scopes), (reason) => {
        throw error('dataflow-failed', { detail: textOf(reason) });
      });
    case 'handle':
      return handle(action, run);
    case 'unavailable':
      throw error('not-available', { detail: `${action.what} is not in this version.` });
    default:
      return control(action, run, scopes);
  }
}

/** What a name alone stands for, without looking into it. */
function nameOf(expression: Expression, run: Run, scopes: Scopes): Completed | undefined {
  if (expression.kind !== 'reference' || expression.path.length !== 1 || scopes.length > 0) return undefined;
  const known = run.names.get(expression.path[0] ?? '');
  if (known?.row === undefined && known?.rows === undefined) return undefined;
  return new NamedValue(known);
}

/** What decides which steps are run. */
function control(
  action: Extract<Action, { kind: 'for' | 'if' | 'match' | 'block' | 'return' | 'rethrow' }>,
  run: Run,
  scopes: Scopes,
): Awaitable<Completed> {
  switch (action.kind) {
    case 'for':
      return loop(action, run);
    case 'if':
      return mapAwaitable(
        way(() => mapAwaitable(resolve(action.condition, run, scopes), (holds) => (isTrue(holds) ? 0 : 1)), run),
        (taken) => branch(taken === 0 ? action.then : action.otherwise, run),
      );
    case 'match':
      return match(action, run, scopes);
    case 'block':
      return runSteps(action.steps, run);
    case 'return':
      return mapAwaitable(runStep(action.step, run), (done) => {
        run.returned = done;
        return done;
      });
    case 'rethrow':
      return mapAwaitable(runStep(action.after, run), (done) => {
        if (run.parts?.isSuspended === true) return done;
        throw run.failure ?? notFound();
      });
    default:
      return unreachable(action);
  }
}

/** Which way is taken; where the flow is done in parts, it stays that way. */
function way(decide: () => Awaitable<number>, { parts }: Run): Awaitable<number> {
  return parts === undefined ? decide() : parts.way(decide);
}

function branch(steps: readonly FlowStep[] | undefined, run: Run): Awaitable<Completed> {
  return steps === undefined ? { value: false, created: false } : runSteps(steps, run);
}

async function match(action: Extract<Action, { kind: 'match' }>, run: Run, scopes: Scopes): Promise<Completed> {
  const decide = async (): Promise<number> => {
    const subject = await resolve(action.subject, run, scopes);
    for (const [index, { value }] of action.cases.entries()) {
      const sides = { left: action.subject, right: value };
      if (same(subject, await resolve(value, run, scopes), sides, scopeOf(run, scopes))) return index;
    }
    return action.cases.length;
  };
  return branch(action.cases[await way(decide, run)]?.body ?? action.otherwise, run);
}

function textOf(reason: Value): string {
  return typeof reason === 'string' ? reason : writeJson(outside(reason));
}

/** An event made by a flow runs in the same transaction, with names of its own. Who may run it is asked where it is posted, and not of logic. */
function callEvent(event: string, fields: Fields, run: Run, name = event): Awaitable<Completed> {
  const { dataflows } = run.reading.plan;
  const plan = dataflows.events.get(event);
  const flow = dataflows.flows.get(name);
  if (plan === undefined) throw error('not-available', { detail: `${event} is not in this version.` });
  if (run.depth >= maxDepth) throw error('dataflow-failed', { detail: `Events call each other more than ${maxDepth} levels deep.` });
  const make = (): Completed => {
    const prepared = fitting(plan.attributes, withTypes(plan.attributes, fields, run));
    const values = checkEvent(plan, prepared, run.reading, (value) => instanceOrigin(value, run) !== undefined);
    run.budget.origins.set(values, { kind: 'event', type: event, operands: plan.operands });
    return { value: values, created: true };
  };
  const call = (made: Completed): Awaitable<Completed> => {
    const inside: Run = { ...withRights(plan.event?.runAs, run), names: new Map([[event, made]]), depth: run.depth + 1, ...unended };
    if (flow === undefined) return made;
    const given = givenBy(inside, () => runSteps(flow.steps, inside));
    return mapAwaitable(given, (done) => withoutHidden(done, inside, run.reading));
  };
  // A default may be another one every time: with parts, the event is made once.
  return mapAwaitable(run.parts === undefined ? make() : run.parts.statement(run, make), call);
}

const unended = { returned: undefined, failure: undefined } as const;

/** As the logic that makes it, unless the event says otherwise. */
function withRights(as: RunAs | undefined, run: Run): Run {
  if (as === undefined) return run;
  const writing = run.writing && runningAs(as, run.writing);
  return { ...run, writing, reading: writing ?? runningAs(as, run.reading) };
}

/** Of what a flow with names of its own has read, what it gives is held behind it, and nothing else. */
function givenBy({ budget: { held } }: Run, work: () => Awaitable<Completed>): Awaitable<Completed> {
  const before = held.bytes;
  return mapAwaitable(work(), (done) => {
    held.bytes = before + sizeOf(done);
    return done;
  });
}

/**
 * The values of the last step of each round; none of an empty source. The variable ends with the loop, also where that fails; until the
 * body makes or finds another one, the element goes by the name of its type too.
 */
async function loop({ source, variable, body, unread }: Extract<Action, { kind: 'for' }>, run: Run): Promise<Completed> {
  const list = await runStep(source, run);
  const ended = endOf(run);
  if (ended !== undefined) return ended;
  const { names } = run;
  const hidden = names.get(variable);
  const rounds = new ResultList();
  const { declared } = withDeclared(list, source.action, run);
  const { held } = run.budget;
  const before = held.bytes;
  // What names of the last round may stand for, besides what it gave.
  let left = 0;
  for (const value of list.each?.() ?? listOf(list.value)) {
    const element = { value, declared };
    const type = instanceOrigin(value, run)?.plan.type ?? variable;
    const hiddenByType = names.get(type);
    names.set(variable, element).set(type, element);
    try {
      spend(run, 1);
      const begun = held.bytes;
      const round = runSteps(body, run);
      const done = round instanceof Promise ? await round : round;
      const given = unread ? 0 : rounds.add(done);
      left = Math.max(0, held.bytes - begun - given);
      held.bytes = before + rounds.bytes + left;
      held.rows += 1;
      holdSum(held, run.reading);
      const endedInside = endOf(run);
      if (endedInside !== undefined) return endedInside;
    } finally {
      if (names.get(type) === element) restore(type, hiddenByType, names);
      restore(variable, hidden, names);
    }
  }
  return rounds;
}

/** What a name stood for before it was hidden. */
function restore(name: string, hidden: Binding | undefined, names: Run['names']): void {
  if (hidden === undefined) names.delete(name);
  else names.set(name, hidden);
}
