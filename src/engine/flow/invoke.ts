// An event that is posted: its attributes are checked, its workflow runs in one transaction, its result is the answer.

import { error } from '../../errors.ts';
import { wholeEffects } from '../../plan/flow/effects.ts';
import type { Flow } from '../../plan/flow/flow.ts';
import type { Awaitable, Decides, Reader, Writer } from '../../store/store.ts';
import { after, within } from '../context.ts';
import type { Context, Operation, Result } from '../operation.ts';
import type { Prepare, Task } from '../seams.ts';
import { runSteps } from './flow.ts';
import type { Outcome } from './outcome.ts';
import { type Completed, type Fields, type Run, type Shared, startShared } from './run.ts';
import { checkEvent } from './values.ts';

type Invoke = Extract<Operation, { kind: 'invoke' }>;

export const invoke: Prepare<Invoke> = ({ target, body }, context) => {
  const { dataflows } = context.plan;
  const flow = dataflows.flows.get(target.name);
  const plan = dataflows.events.get(target.name);
  if (plan === undefined) throw error('not-available');
  const values = checkEvent(plan, body, context);
  const shared = startShared(context);
  shared.metas.set(values, { kind: 'event', type: target.name, operands: plan.operands });
  // An event without a workflow is made, and that is all.
  if (flow === undefined) return { transaction: 'own', run: () => outcome({ value: values, created: true }, shared) };
  const { writes, waits } = wholeEffects(flow, dataflows);
  const begin = (run: Run) => outcome(runSteps(flow.steps, withEvent(run, target.name, values)), shared);
  if (!writes) {
    const run = (tx: Reader) => begin(readingRun(context, tx, anew(shared, context)));
    return { transaction: 'read', consistent: true, pauses: true, repeatable: !waits, run };
  }
  return { transaction: 'write', waits, decides: decisionOf([flow], context), run: (tx) => begin(writingRun(context, tx, shared, 0)) };
};

/** A store may do it once more from its start: only what is done then counts, but for the time. */
function anew(shared: Shared, { trace }: Context): Shared {
  shared.steps = 0;
  trace?.splice(0);
  return shared;
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
    const shared = startShared(context);
    return outcome(runSteps(startup.steps, writingRun(context, tx, shared, 0)), shared);
  };
  return { transaction: 'write', waits, decides: decisionOf([startup], context), run };
}

export function writingRun(context: Context, tx: Writer, shared: Shared, depth: number): Run {
  const writing = within(context, tx, { shared, depth });
  return { reading: writing, writing, names: new Map(), shared, depth, returned: undefined, failure: undefined };
}

function readingRun(context: Context, tx: Reader, shared: Shared): Run {
  return {
    reading: within(context, tx),
    writing: undefined,
    names: new Map(),
    shared,
    depth: 0,
    returned: undefined,
    failure: undefined,
  };
}

function withEvent(run: Run, name: string, value: Fields): Run {
  run.names.set(name, { value });
  return run;
}

function outcome(pending: Awaitable<Completed>, shared: Shared): Awaitable<Result> {
  return after(pending, (done) => ({ kind: 'outcome', outcome: outcomeOf(done, shared) }));
}

function outcomeOf(done: Completed, { metas }: Shared): Outcome {
  const { created, plan, row, rows } = done;
  return {
    created,
    texts: row === undefined ? rows?.map((each) => each.json) : row.json,
    type: plan?.type,
    get value() {
      return done.value;
    },
    metaOf: (value) => metas.get(value),
  };
}

/** By what flows decide which run in one transaction. */
export function decisionOf(flows: readonly (Flow | undefined)[], { plan: { dataflows } }: Context): Decides {
  return flows.some((each) => each !== undefined && wholeEffects(each, dataflows).queries) ? 'by queries' : 'by rows';
}
