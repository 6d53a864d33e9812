// An event that is posted: its attributes are checked, its workflow runs in one transaction, its result is the answer.

import { error } from '../../errors.ts';
import { asksAgents, maySuspend, wholeEffects } from '../../plan/flow/effects.ts';
import type { FlowProgram } from '../../plan/flow/flow.ts';
import type { Awaitable, DecisionBasis, Reader, Writer } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { type RunBudget, startBudget } from '../budget.ts';
import { runOf } from '../caller.ts';
import { inTransaction, mapAwaitable } from '../context.ts';
import { letGo } from '../memory.ts';
import type { Context, Operation, Result, WriteContext } from '../operation.ts';
import type { Outcome } from '../outcome.ts';
import { writtenApart } from '../retry.ts';
import type { Beside, Prepare, Task } from '../seams.ts';
import { runAction, runSteps } from './flow.ts';
import type { AskingFlow, PartResult } from './parts/checkpoint.ts';
import { keep } from './parts/kept.ts';
import { Parts } from './parts/parts.ts';
import { secretRefusal, suspendedPart } from './parts/suspended-part.ts';
import { refusedSuspension, Suspended } from './parts/suspension.ts';
import { writingOf } from './run.ts';
import type { Completed, Fields, KeptParts, Run } from './state.ts';
import { told } from './told.ts';
import { checkEvent } from './values.ts';

type Invoke = Extract<Operation, { kind: 'invoke' }>;

export const invoke: Prepare<Invoke> = ({ target, body, isGranted }, context) => {
  const { dataflows } = context.plan;
  const flow = dataflows.flows.get(target.name);
  const plan = dataflows.events.get(target.name);
  if (plan === undefined) throw error('not-available');
  const values = checkEvent(plan, body, context);
  const budget = startBudget(context);
  budget.origins.set(values, { kind: 'event', type: target.name, operands: plan.operands });
  // An event without a workflow is made, and that is all.
  if (flow === undefined) return { transaction: 'own', run: () => outcome({ value: values, created: true }, budget) };
  const posted = (): PostedEvent => eventIn({ target, isGranted }, values, budget, context);
  if (asksAgents(flow, dataflows)) return asking(posted(), context);
  const effects = wholeEffects(flow, dataflows);
  if (maySuspend(flow, dataflows)) return suspendable(flow, posted(), context);
  const begin = (run: Run) => whenDone(runSteps(flow.steps, withEvent(run, target.name, values)), run);
  if (!effects.writes) {
    const run = (tx: Reader) => begin(readingRun(context, tx, anew(budget, context)));
    return { transaction: 'read', consistent: true, pauses: true, repeatable: () => isRepeatable(effects, context), run };
  }
  const { waits } = effects;
  return { transaction: 'write', waits, decides: decisionOf([flow], context), run: (tx) => begin(writingRun(context, tx, budget, 0)) };
};

/** A workflow that asks agents is no transaction, but several: no model is waited for in one. */
function asking({ asked }: PostedEvent, context: Context): Task {
  const { asking: flows } = context.handlers;
  if (flows === undefined) throw error('not-available');
  return { transaction: 'own', asking: asked, run: () => flows.run(asked, context) };
}

interface PostedEvent {
  readonly asked: AskingFlow;
  readonly values: Fields;
  readonly budget: RunBudget;
}

/** What is run, and whether nobody is asked if they may. */
interface Asked {
  readonly target: Invoke['target'];
  readonly isGranted: boolean | undefined;
}

function eventIn({ target, isGranted }: Asked, values: Fields, budget: RunBudget, { caller }: Context): PostedEvent {
  const names = [[target.name, { value: keep(values, { budget }) }]] as const;
  return {
    asked: { name: target.name, names, isSecret: hasSecrets(target), isGranted, isSystem: caller.kind === 'logic' },
    values,
    budget,
  };
}

function hasSecrets(target: Invoke['target']): boolean {
  return 'attributes' in target && target.attributes.some((each) => each.secret || each.writeonly);
}

/** One transaction, unless a resolver suspends it: then what came before is committed together with the run that waits. */
function suspendable(flow: FlowProgram, { asked, values, budget }: PostedEvent, context: Context): Task {
  const { dataflows } = context.plan;
  const effects = wholeEffects(flow, dataflows);
  const runId = waitingRun(asked.isSecret === true, context);
  const ran = async (run: Run, parts: Parts): Promise<Ran> => {
    const done = await runSteps(flow.steps, withEvent(run, asked.name, values));
    return (await suspendedPart(parts, run)) ?? outcome(await told(done, run), budget);
  };
  const kept = async (part: Ran, writing: WriteContext): Promise<Result> => {
    if (part.kind !== 'suspended') return part;
    const { asking: flows } = context.handlers;
    if (flows === undefined || typeof runId === 'string') throw new Error(`${asked.name} was suspended where nothing can wait`);
    return flows.suspend(asked, part, runId(), writing);
  };
  if (effects.writes) {
    const { waits } = effects;
    const run = async (tx: Writer): Promise<Result> => {
      const parts = new Parts([], runId);
      const started = writingRun(context, tx, budget, 0, parts);
      return kept(await ran(started, parts), writingOf(started));
    };
    return { transaction: 'write', waits, decides: decisionOf([flow], context), suspending: asked, run };
  }
  let last: Ran | undefined;
  const run = async (tx: Reader): Promise<Result> => {
    const parts = new Parts([], runId);
    last = await ran(readingRun(context, tx, anew(budget, context), parts), parts);
    return last.kind === 'suspended' ? { kind: 'value', value: null } : last;
  };
  // Nothing was written: that it waits is kept after the reading.
  const finish = (result: Result, beside?: Beside): Awaitable<Result> => {
    const part = last;
    return part?.kind === 'suspended' ? keptApart((writing) => kept(part, writing), beside, context) : result;
  };
  return {
    transaction: 'read',
    consistent: true,
    pauses: true,
    repeatable: () => isRepeatable(effects, context),
    suspending: asked,
    run,
    finish,
  };
}

/** The same for an event that a resolver does: nothing is held while it does it. */
export function suspendableEvent(
  { target, isGranted }: Invoke,
  values: Fields,
  context: Context,
  work: (own: Context) => Awaitable<Result>,
): Extract<Task, { transaction: 'own' }> {
  // Most are not suspended, and nothing of them is kept.
  let kept: AskingFlow | undefined;
  const asked = (): AskingFlow => {
    kept ??= eventIn({ target, isGranted }, values, startBudget(context), context).asked;
    return kept;
  };
  const runId = waitingRun(hasSecrets(target), context);
  const suspend = (): string => {
    if (typeof runId === 'string') throw refusedSuspension(runId);
    return runId();
  };
  const run = async (beside?: Beside): Promise<Result> => {
    try {
      return await work({ ...context, suspendable: { suspend } });
    } catch (thrown) {
      const { asking: flows } = context.handlers;
      if (!(thrown instanceof Suspended) || flows === undefined) throw thrown;
      const part = { kind: 'suspended', at: { type: target.name, names: [] }, entries: [], names: {} } as const;
      return keptApart((writing) => flows.suspend(asked(), part, suspend(), writing), beside, context);
    }
  };
  return {
    transaction: 'own',
    get suspending() {
      return asked();
    },
    run,
  };
}

/** An equal request is told of the same run: what makes them equal is kept together with it. */
function keptApart(work: (writing: WriteContext) => Awaitable<Result>, beside: Beside | undefined, context: Context): Promise<Result> {
  const both = async (writing: WriteContext): Promise<Result> => {
    const result = await work(writing);
    await beside?.(result, writing.tx);
    return result;
  };
  return writtenApart(both, { decides: 'by rows' }, context);
}

type Ran = Extract<PartResult, { kind: 'suspended' }> | Extract<Result, { kind: 'outcome' }>;

/** The run that waits where a workflow is suspended, made when it is asked for; or why none can. */
function waitingRun(isSecret: boolean, context: Context): (() => string) | string {
  if ('tx' in context || runOf(context.caller) !== undefined || context.handlers.asking === undefined)
    return 'It is part of something else, which cannot wait for it.';
  if (context.request === undefined) return 'Nobody asked for it who could be told that it waits: a timer or a subscription runs it.';
  if (isSecret) return secretRefusal;
  let id: string | undefined;
  return () => {
    id ??= context.clock.uuid();
    return id;
  };
}

/** Of a flow that only reads. What it has called outside by then may not be what its own text says: a check, or a default of a record. */
function isRepeatable({ waits, external }: ReturnType<typeof wholeEffects>, { outside }: Context): boolean {
  return !waits && !external && !outside.called;
}

/** A store may do it once more from its start: only what is done then counts, but for the time. */
function anew(budget: RunBudget, { trace }: Context): RunBudget {
  budget.steps = 0;
  trace?.splice(0);
  return budget;
}

/** A flow that nobody asked for: what stands at the top of the files, at start. */
export function startupTask(context: Context): Task | undefined {
  const { dataflows } = context.plan;
  const { startup } = dataflows;
  if (startup.steps.length === 0) return undefined;
  const { waits } = wholeEffects(startup, dataflows);
  const run = (tx: Writer): Awaitable<Result> => {
    // Where it is begun anew, what the try before has put off is put off again.
    context.later.splice(0);
    const run = writingRun(context, tx, startBudget(context), 0);
    return whenDone(runSteps(startup.steps, run), run);
  };
  return { transaction: 'write', waits, decides: decisionOf([startup], context), run };
}

export function writingRun(context: Context, tx: Writer, budget: RunBudget, depth: number, parts?: KeptParts): Run {
  context.external?.enterWorkflow();
  const writing = inTransaction(context, tx, { budget, depth, parts });
  return { reading: writing, writing, names: new Map(), budget, depth, runAction, parts, returned: undefined, failure: undefined };
}

export function readingRun(context: Context, tx: Reader, budget: RunBudget, parts?: KeptParts): Run {
  context.external?.enterWorkflow();
  return {
    reading: inTransaction(context, tx, parts === undefined ? context.running : { budget, depth: 0, parts }),
    writing: undefined,
    parts,
    names: new Map(),
    budget,
    depth: 0,
    runAction,
    returned: undefined,
    failure: undefined,
  };
}

function withEvent(run: Run, name: string, value: Fields): Run {
  // A try before has left nothing behind.
  letGo(run.budget.held);
  run.names.set(name, { value });
  return run;
}

function whenDone(pending: Awaitable<Completed>, run: Run): Awaitable<Result> {
  return mapAwaitable(pending, (done) => mapAwaitable(told(done, run), (shown) => outcome(shown, run.budget)));
}

export function outcome(done: Completed, budget: RunBudget): Extract<Result, { kind: 'outcome' }> {
  return { kind: 'outcome', outcome: new FlowOutcome(done, budget) };
}

/** A class, as a literal with a getter would be of a shape of its own. */
class FlowOutcome implements Outcome {
  readonly created: boolean;
  readonly texts: Outcome['texts'];
  readonly type: Outcome['type'];
  readonly metaOf: Outcome['metaOf'];
  readonly #done: Completed;

  constructor(done: Completed, { origins }: RunBudget) {
    this.created = done.created;
    this.texts = done.row === undefined ? done.rows?.map((each) => each.json) : done.row.json;
    this.type = done.plan?.type;
    this.#done = done;
    this.metaOf = (value) => origins.get(value);
  }

  get value(): Value {
    return this.#done.value;
  }
}

/** By what flows decide which run in one transaction. */
export function decisionOf(flows: readonly (FlowProgram | undefined)[], { plan: { dataflows } }: Context): DecisionBasis {
  return flows.some((each) => each !== undefined && wholeEffects(each, dataflows).queries) ? 'by queries' : 'by rows';
}
