// An event that is posted: its attributes are checked, its workflow runs in one transaction, its result is the answer.

import { error } from '../../errors.ts';
import { asksAgents, wholeEffects } from '../../plan/flow/effects.ts';
import type { FlowProgram } from '../../plan/flow/flow.ts';
import type { Awaitable, DecisionBasis, Reader, Writer } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { inTransaction, mapAwaitable } from '../context.ts';
import type { Context, Operation, Result } from '../operation.ts';
import type { Prepare, Task } from '../seams.ts';
import { runAction, runSteps } from './flow.ts';
import type { Outcome } from './outcome.ts';
import { keep } from './parts/kept.ts';
import { type Completed, type Fields, type Run, type RunBudget, startBudget } from './run.ts';
import { checkEvent } from './values.ts';

type Invoke = Extract<Operation, { kind: 'invoke' }>;

export const invoke: Prepare<Invoke> = ({ target, body }, context) => {
  const { dataflows } = context.plan;
  const flow = dataflows.flows.get(target.name);
  const plan = dataflows.events.get(target.name);
  if (plan === undefined) throw error('not-available');
  const values = checkEvent(plan, body, context);
  const budget = startBudget(context);
  budget.origins.set(values, { kind: 'event', type: target.name, operands: plan.operands });
  // An event without a workflow is made, and that is all.
  if (flow === undefined) return { transaction: 'own', run: () => outcome({ value: values, created: true }, budget) };
  if (asksAgents(flow, dataflows)) return asking(target, values, budget, context);
  const { writes, waits } = wholeEffects(flow, dataflows);
  const begin = (run: Run) => whenDone(runSteps(flow.steps, withEvent(run, target.name, values)), budget);
  if (!writes) {
    const run = (tx: Reader) => begin(readingRun(context, tx, anew(budget, context)));
    return { transaction: 'read', consistent: true, pauses: true, repeatable: !waits, run };
  }
  return { transaction: 'write', waits, decides: decisionOf([flow], context), run: (tx) => begin(writingRun(context, tx, budget, 0)) };
};

/** A workflow that asks agents is no transaction, but several: no model is waited for in one. */
function asking(target: Invoke['target'], values: Fields, budget: RunBudget, context: Context): Task {
  const { asking: flows } = context.handlers;
  if (flows === undefined) throw error('not-available');
  const isSecret = 'attributes' in target && target.attributes.some((each) => each.secret || each.writeonly);
  const names = [[target.name, { value: keep(values, { budget }) }]] as const;
  const asked = { name: target.name, names, isSecret };
  return { transaction: 'own', asking: asked, run: () => flows.run(asked, context) };
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
    const budget = startBudget(context);
    return whenDone(runSteps(startup.steps, writingRun(context, tx, budget, 0)), budget);
  };
  return { transaction: 'write', waits, decides: decisionOf([startup], context), run };
}

export function writingRun(context: Context, tx: Writer, budget: RunBudget, depth: number): Run {
  const writing = inTransaction(context, tx, { budget, depth });
  return { reading: writing, writing, names: new Map(), budget, depth, runAction, returned: undefined, failure: undefined };
}

function readingRun(context: Context, tx: Reader, budget: RunBudget): Run {
  return {
    reading: inTransaction(context, tx),
    writing: undefined,
    names: new Map(),
    budget,
    depth: 0,
    runAction,
    returned: undefined,
    failure: undefined,
  };
}

function withEvent(run: Run, name: string, value: Fields): Run {
  run.names.set(name, { value });
  return run;
}

function whenDone(pending: Awaitable<Completed>, budget: RunBudget): Awaitable<Result> {
  return mapAwaitable(pending, (done) => outcome(done, budget));
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
