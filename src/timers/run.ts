// One run of a timer whose time has come: what it does and its next due time are one transaction, so that each time is done once.

import type { Caller } from '../engine/caller.ts';
import type { Engine } from '../engine/engine.ts';
import { performTogether } from '../engine/execute.ts';
import type { Context, Operation, Result } from '../engine/operation.ts';
import { callerFrom, isOfLogic } from '../engine/saved-caller.ts';
import { writeAsCaller, writeAsSystem } from '../engine/system-work.ts';
import { type ErrorCode, error, isError, PlatformError } from '../errors.ts';
import { following, type Outcome, type Timer, TimerRows, textOf } from './rows.ts';
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

/** Of what does not repeat and failed: milliseconds until it is tried again, twice as many each time, and tries in all. */
const retry = { first: 1000, longest: 3_600_000, most: 20 } as const;

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
  if (!(thrown instanceof PlatformError) || !postponing.has(thrown.code)) return false;
  // A run of an agent that has ended would say the same each time it is asked for.
  return thrown.details.runId === undefined;
}

/** Whether it was this one that ran it; `waiting`: until somebody approves, there is nothing to do. */
export type Ran = boolean | 'waiting';

/** Throws where the store does not let it. */
export async function runDue(timer: Timer, parts: RunParts): Promise<Ran> {
  try {
    return await attempt(timer, parts);
  } catch (thrown) {
    if (isPostponed(thrown)) throw thrown;
    parts.failed(thrown, timer.name);
    // Another try would be another run: whoever cancelled this one, or did not approve in time, wants none.
    const isFinal = isError(thrown, 'run-state');
    await asSystem(parts, (context) =>
      writeAsSystem(context, (writing) =>
        new TimerRows(context.plan).put(writing.tx, timer, outcome(timer, parts, context, reasonOf(thrown), isFinal)),
      ),
    );
    return true;
  }
}

async function attempt(timer: Timer, parts: RunParts): Promise<Ran> {
  const { engine } = parts;
  const caller = await asSystem(parts, (context) =>
    Promise.resolve(context.store.read((tx) => callerFrom(timer.caller, context.plan, tx))),
  );
  if (caller === undefined) throw error('not-available', { detail: 'The user for whom it runs is gone, or disabled.' });
  return engine.asCaller(caller, async (context) => {
    const operation = operationOf(timer, context);
    const rows = new TimerRows(context.plan);
    return performTogether<Ran>(operation, context, {
      // Nobody but whoever has taken it finds out that its user may not run it.
      isJudgedInside: true,
      async before({ transaction }) {
        if (transaction !== 'own') return undefined;
        const run = context.handlers.keepsAnswers(operation) ? agentRun : apart;
        return run({ timer, operation, caller, context }, parts);
      },
      open: (work, { waits = false }) =>
        writeAsCaller(
          context,
          async (writing) => {
            if (!(await rows.take(writing.tx, timer))) return false;
            await work(writing);
            await rows.put(writing.tx, timer, outcome(timer, parts, context, null));
            return true;
          },
          { decides: 'by queries', waits },
        ),
    });
  });
}

interface Due {
  readonly timer: Timer;
  readonly operation: Invoke;
  readonly caller: Caller;
  readonly context: Context;
}

/**
 * The run of an agent goes by the name and the due time of the timer: whoever asks for it again, also after a crash, is told what became of
 * it, and no second one is begun. Until it has ended, also while it waits for somebody to approve, the timer is due.
 */
async function agentRun({ timer, operation, caller, context }: Due, parts: RunParts): Promise<Ran> {
  const rows = new TimerRows(context.plan);
  if (!(await writeAsSystem(context, ({ tx }) => rows.take(tx, timer)))) return false;
  const once = { scope: `timer ${timer.name} ${textOf(timer.due)}`, digest: '', render: () => '' };
  const ask = async (): Promise<Result> => parts.engine.execute(operation, caller, undefined, once);
  try {
    // Where another worker has taken the run up, the second question finds it at work, or its end.
    const result = await ask().catch((thrown: unknown) => (isError(thrown, 'run-state') ? ask() : Promise.reject(thrown)));
    if (result.kind === 'waiting') return 'waiting';
  } catch (thrown) {
    // Whoever takes the run up, here or elsewhere, comes to its end.
    if (isError(thrown, 'request-in-progress') || isError(thrown, 'service-stopping')) return false;
    throw thrown;
  }
  await writeAsSystem(context, (writing) => rows.put(writing.tx, timer, outcome(timer, parts, context, null)));
  return true;
}

/** What another system does is in no transaction of ours: its time is struck out first, and it is never begun twice. */
async function apart({ timer, operation, caller, context }: Due, parts: RunParts): Promise<boolean> {
  const rows = new TimerRows(context.plan);
  const begun = timer.repeats ? outcome(timer, parts, context, null) : unknownEnd(context);
  const isTaken = await writeAsSystem(context, async (writing) => {
    if (!(await rows.take(writing.tx, timer))) return false;
    await rows.put(writing.tx, timer, begun);
    return true;
  });
  if (!isTaken) return false;
  let failure: string | null = null;
  let isFinal = false;
  try {
    await parts.engine.execute(operation, caller);
  } catch (thrown) {
    parts.failed(thrown, timer.name);
    failure = reasonOf(thrown);
    // The other system may have done it, or may yet do it.
    isFinal = isError(thrown, 'resolver-timeout');
  }
  const ended = timer.repeats ? { ...begun, error: failure } : outcome(timer, parts, context, failure, isFinal);
  await writeAsSystem(context, (writing) => rows.end(writing.tx, timer, begun, ended));
  return true;
}

/** What stays of one that does not repeat where the process ends before it has: it may or may not have been done. */
function unknownEnd({ clock }: Context): Outcome {
  return { next: 'never', last: clock.now().getTime(), error: 'interrupted: It was begun, and how it ended is not known.' };
}

type Invoke = Extract<Operation, { kind: 'invoke' }>;

function operationOf({ trigger, caller }: Timer, { plan }: Context): Invoke {
  const isOfModel = isOfLogic(caller);
  const target = trigger && runnable(trigger.name, plan.model, isOfModel);
  if (trigger === undefined || target === undefined)
    throw error('not-available', { detail: `There is no event ${trigger?.name ?? ''} in the model.` });
  return { kind: 'invoke', target, body: trigger.body, isGranted: isOfModel };
}

/** Times that were not missed for long are all done, one after the other. What failed for good is not tried again. */
function outcome(timer: Timer, { started, zone }: RunParts, { clock }: Context, failure: string | null, isFinal = false): Outcome {
  const now = clock.now().getTime();
  const isMissed = timer.due < started || now - timer.due > patience;
  const next = timer.repeats
    ? (following(timer.timing, timer.due, isMissed ? now : timer.due, zone) ?? 'never')
    : failure === null
      ? 'done'
      : isFinal
        ? 'never'
        : retryTime(timer.runs + 1, now);
  return { next, last: now, error: failure };
}

/** One that does not repeat is not lost where it fails: it stays with its error, also when it is not tried any more. */
function retryTime(tries: number, now: number): number | 'never' {
  return tries >= retry.most ? 'never' : now + Math.min(retry.longest, retry.first * 2 ** (tries - 1));
}

/** What a caller would be told, and no more: others read it. */
function reasonOf(thrown: unknown): string {
  return thrown instanceof PlatformError ? `${thrown.code}: ${thrown.message}`.slice(0, 500) : 'internal';
}

function asSystem<T>({ engine }: RunParts, work: (context: Context) => Promise<T>): Promise<T> {
  return engine.asSystem(work);
}
