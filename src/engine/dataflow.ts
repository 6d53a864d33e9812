// Runs compiled steps, one after the other: the value of the last is the result.

import { error, type PlatformError, unreachable } from '../errors.ts';
import { JsonObject, writeJson } from '../model/json.ts';
import type { Alias } from '../model/pattern.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { isObject } from '../plan/attribute.ts';
import type { Action, FlowHandler, FlowStep } from '../plan/dataflow.ts';
import { positionOf } from '../source.ts';
import { failureValue, named, outcomeOf } from './dataflow-failure.ts';
import { queryFind } from './dataflow-query.ts';
import { connect, findBelow, findInstances, parentFor } from './dataflow-related.ts';
import { runReport } from './dataflow-report.ts';
import { assigned, checkEvent, checkRecord, fitting, resolve, settled } from './dataflow-values.ts';
import { changeFound, createInstance, removeInstance } from './dataflow-write.ts';
import { isTrue, same } from './expression.ts';
import type { Traced } from './operation.ts';
import { responseOf } from './outcome.ts';
import {
  breathe,
  type Completed,
  type Fields,
  instanceMeta,
  isEmpty,
  limits,
  listOf,
  lookUp,
  type Own,
  type Run,
  spend,
  startShared,
} from './run.ts';
import { within } from './within.ts';

const nothing: Completed = Object.freeze({ value: null, created: false });
const noOwn: Own = Object.freeze([]);

export async function runSteps(steps: readonly FlowStep[], run: Run): Promise<Completed> {
  let last = nothing;
  for (const step of steps) {
    last = await runStep(step, run);
    if (run.returned !== undefined) return run.returned;
  }
  return last;
}

async function runStep(step: FlowStep, run: Run): Promise<Completed> {
  spend(run, 1);
  await breathe(run);
  const { trace } = run.reading;
  const done = trace === undefined ? await handled(step, run) : await traced(step, trace, run);
  if (run.returned !== undefined) return run.returned;
  if (step.as !== undefined) bind(step.as, done.value, run);
  return step.then === undefined || isEmpty(done.value) || done.handled === true ? done : runSteps(step.then, run);
}

/** Steps are told in the order in which they ended; those inside another come before it. */
async function traced(step: FlowStep, trace: Traced[], run: Run): Promise<Handled> {
  const { clock } = run.reading;
  const start = clock.now().getTime();
  try {
    return await handled(step, run);
  } finally {
    const { line } = positionOf(step.span);
    trace.push({ step: `${step.action.kind}-${line}`, milliseconds: clock.now().getTime() - start });
  }
}

/** `handled` where the value is that of a handler. */
type Handled = Completed & { readonly handled?: boolean };

/** What the handlers of a statement make of its result or failure. */
async function handled(step: FlowStep, run: Run): Promise<Handled> {
  const { catches, throws, empty } = step;
  let done: Completed;
  try {
    const { writing } = run;
    const guarded = catches.length + throws.length > 0 && writing !== undefined;
    done = guarded ? await writing.tx.attempt(() => runAction(step.action, run, noOwn)) : await runAction(step.action, run, noOwn);
  } catch (thrown) {
    const failure = named(thrown, step);
    const handler = handlerFor(catches, outcomeOf(failure));
    if (handler !== undefined) return runHandler(handler, failure, run);
    const teller = handlerFor(throws, outcomeOf(failure));
    if (teller !== undefined) throw await told(teller, failure, run);
    throw failure;
  }
  if (!isEmpty(done.value)) return done;
  if (empty !== undefined) return { ...(await runStep(empty, run)), handled: true };
  const handler = handlerFor(catches, 'not_found');
  if (handler !== undefined) return runHandler(handler, notFound(), run);
  const teller = handlerFor(throws, 'not_found');
  if (teller !== undefined) throw await told(teller, notFound(), run);
  return done;
}

function notFound(): PlatformError {
  return error('dataflow-failed', { detail: 'Nothing was found.' });
}

function handlerFor(handlers: readonly FlowHandler[], outcome: FlowHandler['on']): FlowHandler | undefined {
  return handlers.find((each) => each.on === outcome);
}

async function runHandler({ step }: FlowHandler, failure: unknown, run: Run): Promise<Handled> {
  run.names.set('Error', failureValue(failure));
  const before = run.failure;
  run.failure = failure;
  const done = await runStep(step, run);
  run.failure = before;
  return { ...done, handled: true };
}

/** The failure stays one, and tells what the handler says. */
async function told(handler: FlowHandler, failure: PlatformError, run: Run): Promise<PlatformError> {
  const { value } = await runHandler(handler, failure, run);
  const wanted = responseOf(value, (each) => run.shared.metas.get(each));
  const said = wanted === undefined ? value : wanted.body;
  const response = wanted === undefined ? {} : { response: { status: wanted.status } };
  const detail = typeof said === 'string' ? said : failure.message;
  return error('dataflow-failed', { detail, result: JSON.parse(writeJson(settled(said))), ...response }, failure.cause ?? failure);
}

/** `_` skips, and the rest goes to the last name (decisions 9.6). */
export function bind(alias: Alias, value: Value, run: Run): void {
  if (alias.kind === 'whole') {
    run.names.set(alias.name.text, value);
    return;
  }
  const items = listOf(value);
  for (const [index, name] of alias.names.entries()) if (name !== undefined) run.names.set(name.text, items[index] ?? null);
  if (alias.rest !== undefined) run.names.set(alias.rest.text, items.slice(alias.names.length));
}

export async function runAction(action: Action, run: Run, own: Own): Promise<Completed> {
  switch (action.kind) {
    case 'value':
      return { value: await resolve(action.value, run, own, runAction), created: false };
    case 'create':
      return create(action, run, own);
    case 'record':
      return makeRecord(action, run, own);
    case 'call':
      return call(action, run, own);
    case 'find':
      return remembered(action.plan.type, await findInstances(action, run, own, runAction), run);
    case 'change':
      return changeAll(action, run, own);
    case 'remove':
      return removeAll(action, run, own);
    case 'change-alias':
      return changeAlias(action, run, own);
    case 'report':
      return { value: await runReport(action, run, own, runAction), created: false };
    case 'for':
      return loop(action, run);
    case 'if': {
      const holds = isTrue(await resolve(action.condition, run, own, runAction));
      const branch = holds ? action.then : action.otherwise;
      return branch === undefined ? { value: false, created: false } : runSteps(branch, run);
    }
    case 'match':
      return match(action, run, own);
    case 'block':
      return runSteps(action.steps, run);
    case 'return':
      run.returned = await runStep(action.step, run);
      return run.returned;
    case 'throw':
      throw error('dataflow-failed', { detail: textOf(await resolve(action.reason, run, own, runAction)) });
    case 'eval':
      return evaluateChecked(action, run, own);
    case 'path':
      return followPath(action, run, own);
    case 'rethrow':
      await runStep(action.after, run);
      throw run.failure ?? notFound();
    case 'later':
      return putOff(action, run);
    case 'query': {
      const find = queryFind(await resolve(action.query, run, own, runAction), run);
      return remembered(find.plan.type, await findInstances(find, run, own, runAction), run);
    }
    case 'unavailable':
      throw error('not-available', { detail: `${action.what} is not in this version.` });
    default:
      return unreachable(action);
  }
}

async function changeAll(action: Extract<Action, { kind: 'change' }>, run: Run, own: Own): Promise<Completed> {
  const changed: Fields[] = [];
  for (const each of await findInstances(action.find, run, own, runAction)) {
    changed.push(await changeFound(action, each, run, own, runAction));
    await breathe(run);
  }
  return remembered(action.find.plan.type, changed, run);
}

async function removeAll(action: Extract<Action, { kind: 'remove' }>, run: Run, own: Own): Promise<Completed> {
  const found = await findInstances(action.find, run, own, runAction);
  for (const each of found) {
    await removeInstance(each, run);
    await breathe(run);
  }
  return { value: found, created: false };
}

function textOf(reason: Value): string {
  return typeof reason === 'string' ? reason : writeJson(settled(reason));
}

/** The name of a type stands for its last instance. */
function remembered(type: string, found: readonly Fields[], run: Run): Completed {
  const [first] = found;
  if (first !== undefined) run.names.set(type, first);
  return { value: found, created: false };
}

async function create(action: Extract<Action, { kind: 'create' }>, run: Run, own: Own): Promise<Completed> {
  const value = await createInstance(action, await parentFor(action, run, own, runAction), run, own, runAction);
  for (const link of action.links) if (!link.query) await connect(link, value, run, own, runAction);
  run.names.set(action.plan.type, value);
  return { value, created: true };
}

async function makeRecord(action: Extract<Action, { kind: 'record' }>, run: Run, own: Own): Promise<Completed> {
  const { record } = action;
  const fields = await assigned(action.values, action.from, record.name, run, own, runAction);
  const value = checkRecord(record, fields, run.reading);
  run.shared.metas.set(value, { kind: 'record', type: record.name, decimals: record.decimals });
  run.names.set(record.name, value);
  return { value, created: true };
}

async function call(action: Extract<Action, { kind: 'call' }>, run: Run, own: Own): Promise<Completed> {
  const fields = await assigned(action.values, action.from, action.event, run, own, runAction);
  return callEvent(action.event, fields, run);
}

/** An event made by a flow runs in the same transaction, with names of its own. */
export async function callEvent(event: string, fields: Fields, run: Run): Promise<Completed> {
  const { dataflows } = run.reading.plan;
  const plan = dataflows.events.get(event);
  const flow = dataflows.flows.get(event);
  if (plan === undefined) throw error('not-available', { detail: `${event} is not in this version.` });
  if (run.depth >= limits.depth)
    throw error('dataflow-failed', { detail: `Events call each other more than ${limits.depth} levels deep.` });
  const values = checkEvent(plan, fitting(new Map(), fields), run.reading, (value) => instanceMeta(value, run) !== undefined);
  run.shared.metas.set(values, { kind: 'event', type: event, decimals: plan.decimals });
  if (flow === undefined) return { value: values, created: true };
  const inner: Run = { ...run, names: namesFor(event, values, run), depth: run.depth + 1, returned: undefined, failure: undefined };
  return runSteps(flow.steps, inner);
}

function namesFor(event: string, values: Fields, run: Run): Map<string, Value> {
  const names = new Map<string, Value>();
  for (const name of ['auth', 'EventContext']) names.set(name, run.names.get(name) ?? null);
  return names.set(event, values);
}

async function changeAlias(action: Extract<Action, { kind: 'change-alias' }>, run: Run, own: Own): Promise<Completed> {
  const target = lookUp(action.target, run, own);
  const changed: Fields[] = [];
  for (const each of listOf(target)) {
    if (!isObject(each)) throw error('dataflow-failed', { detail: `${action.target.join('.')} holds nothing that can be changed.` });
    const instance: Fields = each;
    const meta = instanceMeta(instance, run);
    const isWaiting = meta?.pending === true || meta === undefined;
    const next = isWaiting ? await changeHere(action, instance, run, own) : await changeFound(action, instance, run, own, runAction);
    for (const link of action.links) await connect(link, next, run, own, runAction);
    changed.push(next);
  }
  const [name = '', ...rest] = action.target;
  const [first] = changed;
  if (rest.length === 0 && first !== undefined) run.names.set(name, Array.isArray(target) ? changed : first);
  return { value: changed, created: false };
}

/** What is not stored yet is changed where it is. */
async function changeHere(action: Extract<Action, { kind: 'change-alias' }>, instance: Fields, run: Run, own: Own): Promise<Fields> {
  const type = instanceMeta(instance, run)?.plan.type ?? '';
  const fields = await assigned(action.sets, action.from, '', run, [{ type, values: instance }, ...own], runAction);
  return Object.assign(instance, fields);
}

/** The values of the last step of each round; none of an empty source. */
async function loop(action: Extract<Action, { kind: 'for' }>, run: Run): Promise<Completed> {
  const source = await runStep(action.source, run);
  if (run.returned !== undefined) return run.returned;
  const values: Value[] = [];
  let created = false;
  for (const each of listOf(source.value)) {
    spend(run, 1);
    run.names.set(action.variable, each);
    const type = instanceMeta(each, run)?.plan.type;
    if (type !== undefined) run.names.set(type, each);
    const done = await runSteps(action.body, run);
    if (run.returned !== undefined) return run.returned;
    values.push(done.value);
    created = done.created;
  }
  return { value: values, created };
}

async function match(action: Extract<Action, { kind: 'match' }>, run: Run, own: Own): Promise<Completed> {
  const subject = await resolve(action.subject, run, own, runAction);
  for (const { value, body } of action.cases) {
    if (same(subject, await resolve(value, run, own, runAction))) return runSteps(body, run);
  }
  return action.otherwise === undefined ? { value: false, created: false } : runSteps(action.otherwise, run);
}

/** `[:eval value :check Type]`. */
async function evaluateChecked(action: Extract<Action, { kind: 'eval' }>, run: Run, own: Own): Promise<Completed> {
  const value = await resolve(action.value, run, own, runAction);
  const { check } = action;
  if (check?.kind === 'reference') {
    const [type = ''] = check.path;
    const record = run.reading.plan.dataflows.records.get(type);
    if (instanceMeta(value, run)?.plan.type === type) return { value, created: false };
    if (record === undefined || !isObject(value)) throw error('dataflow-failed', { detail: `What was evaluated is not a ${type}.` });
    return { value: checkRecord(record, Object.assign(new JsonObject(), value), run.reading), created: false };
  }
  if (check !== undefined && !isTrue(await resolve(check, run, own, runAction)))
    throw error('dataflow-failed', { detail: 'What was evaluated did not pass its check.' });
  return { value, created: false };
}

/** `[:await body :ok h :error h]`: after the commit, in a transaction of its own. */
function putOff(action: Extract<Action, { kind: 'later' }>, run: Run): Completed {
  const { reading, names } = run;
  const { body, done, handlers } = action;
  // biome-ignore lint/suspicious/noThenProperty: it is the word of the language, and no step is ever awaited.
  const steps: readonly FlowStep[] = [{ ...body, catches: [...body.catches, ...handlers], then: done ?? body.then }];
  const work = async (): Promise<void> => {
    const shared = { ...startShared(reading), metas: run.shared.metas };
    await reading.store.write(
      async (tx) => {
        const writing = within(reading, tx, { shared, depth: 1 });
        await runSteps(steps, {
          reading: writing,
          writing,
          names: new Map(names),
          shared,
          depth: 1,
          returned: undefined,
          failure: undefined,
        });
      },
      { waits: true },
    );
  };
  reading.later.push({ what: 'await', run: work });
  return { value: ['await', 'ok'], created: false };
}

async function followPath(action: Extract<Action, { kind: 'path' }>, run: Run, own: Own): Promise<Completed> {
  let found = await findInstances(action.start, run, own, runAction);
  let { type } = action.start.plan;
  for (const { step, find } of action.further) {
    const below = await findBelow(step, find, found, run, own, runAction);
    found = [...new Set([...below.values()].flat())];
    ({ type } = find.plan);
  }
  return remembered(type, found, run);
}
