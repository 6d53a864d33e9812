// One run of a timer whose time has come: what it does and its next due time are one transaction, so that each time is done once.

import type { Caller } from '../engine/caller.ts';
import type { Engine } from '../engine/engine.ts';
import { checkRun } from '../engine/instances/guard.ts';
import type { Context, Operation } from '../engine/operation.ts';
import { callerFrom } from '../engine/saved-caller.ts';
import { perform, writeAsCaller, writeAsSystem } from '../engine/system-work.ts';
import { type ErrorCode, error, PlatformError } from '../errors.ts';
import { following, type Outcome, type Timer, TimerRows } from './rows.ts';
import { runnable } from './runnable.ts';

export interface RunParts {
  readonly engine: Engine;
  readonly zone: string;
  /** Times before this one were missed while nobody ran timers here. */
  readonly started: number;
  failed(thrown: unknown, timer: string): void;
}

/** Milliseconds: times that are longer ago were missed, and are made up together by one run. */
const patience = 10_000;

/** What is the fault of the store, or of nobody, is tried again soon and counts as no run. */
const postponing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'store-failed',
  'store-busy',
  'store-full',
  'model-outdated',
  'service-busy',
  'service-stopping',
]);

export function isPostponed(thrown: unknown): boolean {
  return thrown instanceof PlatformError && postponing.has(thrown.code);
}

/** Whether it was this one that ran it. Throws where the store does not let it. */
export async function runDue(timer: Timer, parts: RunParts): Promise<boolean> {
  try {
    return await attempt(timer, parts);
  } catch (thrown) {
    if (isPostponed(thrown)) throw thrown;
    parts.failed(thrown, timer.name);
    await asSystem(parts, (context) =>
      writeAsSystem(context, (writing) =>
        new TimerRows(context.plan).put(writing.tx, timer, outcome(timer, parts, context, reasonOf(thrown))),
      ),
    );
    return true;
  }
}

async function attempt(timer: Timer, parts: RunParts): Promise<boolean> {
  const { engine } = parts;
  const caller = await asSystem(parts, (context) =>
    Promise.resolve(context.store.read((tx) => callerFrom(timer.caller, context.plan, tx))),
  );
  if (caller === undefined) throw error('not-available', { detail: 'The user for whom it ran is gone.' });
  return engine.asCaller(caller, async (context) => {
    const operation = operationOf(timer, context);
    const task = await context.handlers.prepare(operation, context);
    if (task.transaction === 'own') return apart(timer, operation, caller, parts, context);
    const rows = new TimerRows(context.plan);
    const waits = task.transaction === 'write' && task.waits;
    return writeAsCaller(
      context,
      async (writing) => {
        if (!(await rows.take(writing.tx, timer))) return false;
        await checkRun(operation.target.name, writing, (work) => work(writing.tx));
        await perform(operation, writing);
        await rows.put(writing.tx, timer, outcome(timer, parts, context, null));
        return true;
      },
      { decides: 'by queries', waits },
    );
  });
}

/** What opens transactions of its own, as an agent does, is begun after its time is struck out: it is never begun twice. */
async function apart(timer: Timer, operation: Invoke, caller: Caller, parts: RunParts, context: Context): Promise<boolean> {
  const rows = new TimerRows(context.plan);
  const isTaken = await writeAsSystem(context, async (writing) => {
    if (!(await rows.take(writing.tx, timer))) return false;
    await rows.put(writing.tx, timer, outcome(timer, parts, context, null));
    return true;
  });
  if (isTaken) await parts.engine.execute(operation, caller);
  return isTaken;
}

type Invoke = Extract<Operation, { kind: 'invoke' }>;

function operationOf({ trigger }: Timer, { plan }: Context): Invoke {
  const target = trigger && runnable(trigger.name, plan.model);
  if (trigger === undefined || target === undefined)
    throw error('not-available', { detail: `There is no event ${trigger?.name ?? ''} in the model.` });
  return { kind: 'invoke', target, body: trigger.body };
}

/** Times that were not missed for long are all done, one after the other. */
function outcome(timer: Timer, { started, zone }: RunParts, { clock }: Context, failure: string | null): Outcome {
  const now = clock.now().getTime();
  const isMissed = timer.due < started || now - timer.due > patience;
  const next = timer.repeats ? following(timer.timing, timer.due, isMissed ? now : timer.due, zone) : undefined;
  return { next, last: now, error: failure };
}

/** What a caller would be told, and no more: others read it. */
function reasonOf(thrown: unknown): string {
  return thrown instanceof PlatformError ? `${thrown.code}: ${thrown.message}`.slice(0, 500) : 'internal';
}

function asSystem<T>({ engine }: RunParts, work: (context: Context) => Promise<T>): Promise<T> {
  return engine.asSystem(work);
}
