// Begins a write anew that another one got in the way of: until it is done, or its time is over.

import { type ErrorCode, PlatformError } from '../errors.ts';
import type { Awaitable, WriteOptions } from '../store/store.ts';
import { inTransaction } from './context.ts';
import type { Context, WriteContext } from './operation.ts';
import { recorded, recordingFor } from './rows/record.ts';

/** Milliseconds: by so much the longest pause grows with each try, and never beyond that. */
const pause = { step: 5, most: 200 } as const;
/** What has lost so often keeps all others off the tables in which it lost: row by row, those that need less time would always come first. */
const patience = 2;

/** What holds for good, unless it came about meanwhile, which is seen at once when it is begun anew: others refer to what was to change or go, or it is gone. */
const seenAtOnce: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['instance-referenced', 'instance-not-found']);
const triesOfSeen = 3;
/** So often a duplicate may be one that came about meanwhile; what is taken then was there all along, and the logic of the model is told. */
const triesOfUnseen = 2;

/** How a try is to differ from the first one. */
export type RetryOptions = Pick<WriteOptions, 'exclusive' | 'settled'>;

type Attempt<T> = (tries: number, options: RetryOptions) => Promise<T>;

/** Whether a failed try may be followed by another is asked after it. */
export function retried<T>(
  attempt: Attempt<T>,
  isRepeatable: () => boolean,
  { clock, limits }: Pick<Context, 'clock' | 'limits'>,
): Promise<T> {
  const until = clock.now().getTime() + limits.flow.time * 1000;
  // Most are done with the first try, for which nothing is prepared.
  return attempt(1, {}).catch((thrown: unknown) => tryAgain(thrown, attempt, isRepeatable, until, clock));
}

async function tryAgain<T>(
  first: unknown,
  attempt: Attempt<T>,
  isRepeatable: () => boolean,
  until: number,
  clock: Context['clock'],
): Promise<T> {
  let thrown = first;
  let tables: readonly string[] = [];
  let unseen = 0;
  for (let tries = 1; ; tries += 1) {
    if (!isConflict(thrown, tries) || !isRepeatable() || clock.now().getTime() >= until) throw thrown;
    // In the order in which it came to them, as others that do the same: in another one they would wait for each other.
    tables = [...new Set([...(thrown.origin.tables ?? []), ...tables])];
    // Each waits another while, so that those that met do not meet again.
    const share = Number.parseInt(clock.uuid().slice(-4), 16) / 0xffff;
    await new Promise((resolve) => setTimeout(resolve, share * Math.min(tries * pause.step, pause.most)));
    if (thrown.origin.unseen === true) unseen += 1;
    const exclusive = tries + 1 > patience && tables.length > 0 ? { exclusive: tables } : {};
    try {
      return await attempt(tries + 1, unseen < triesOfUnseen ? exclusive : { ...exclusive, settled: true });
    } catch (again) {
      thrown = again;
    }
  }
}

function isConflict(thrown: unknown, tries: number): thrown is PlatformError {
  return thrown instanceof PlatformError && thrown.again && (!seenAtOnce.has(thrown.code) || tries < triesOfSeen);
}

/** A write that nobody waits for, in a transaction of its own; what it puts off in turn is put off once. */
export function writtenApart<T>(work: (context: WriteContext) => Awaitable<T>, options: WriteOptions, context: Context): Promise<T> {
  const outside = { called: false };
  const recording = context.recording && recordingFor(context.recording.recorder);
  const before = context.later.length;
  // Whether its caller asks for little does not matter by now.
  const origin = context.request && { remote: context.request.remote };
  const attempt = (_: number, again: RetryOptions): Promise<T> => {
    context.later.splice(before);
    return context.store.write(
      (tx) => {
        const writing = inTransaction({ ...context, outside, recording }, tx);
        return recorded(() => work(writing), writing);
      },
      { origin, ...options, ...again },
    );
  };
  return retried(attempt, () => !outside.called, context);
}

type Hash = Context['hash'];

/** Hashing takes long: what was hashed for one try is there for the next. Each occurrence of a secret has a hash of its own. */
export function hashesOfTries(hash: Hash): () => Hash {
  const made = new Map<string, string[]>();
  return () => {
    const used = new Map<string, number>();
    return async (secret) => {
      const count = used.get(secret) ?? 0;
      used.set(secret, count + 1);
      const known = made.get(secret)?.[count];
      if (known !== undefined) return known;
      const fresh = await hash(secret);
      made.set(secret, [...(made.get(secret) ?? []), fresh]);
      return fresh;
    };
  };
}
