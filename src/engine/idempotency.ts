// A POST that is sent again gets the answer of the first: kept in the same transaction as what the first one did.

import { error, isError } from '../errors.ts';
import { expiredAtOnce } from '../plan/rows/own/idempotency.ts';
import type { Reader, Row, Writer } from '../store/store.ts';
import { holdBytes } from './memory.ts';
import type { Context, Once, Result } from './operation.ts';

const day = 24 * 60 * 60 * 1000;
const secondsToWait = 1;

/** Runs `work` at most once for a scope; a second time gives back what the first one answered. */
export async function runIdempotent(once: Once, running: Set<string>, context: Context, work: () => Promise<Result>): Promise<Result> {
  if (running.has(once.scope)) throw error('request-in-progress', { retryAfter: secondsToWait });
  running.add(once.scope);
  try {
    return (await storedAnswer(once, context)) ?? (await work());
  } catch (thrown) {
    // Where another process did the same meanwhile, what stands in the way is what that one made.
    const replay = isError(thrown, 'duplicate') ? await storedAnswer(once, context) : undefined;
    if (replay === undefined) throw thrown;
    return replay;
  } finally {
    running.delete(once.scope);
  }
}

/** Inside the transaction of the work itself, so that both are kept or neither. */
export async function keepAnswer(once: Once, result: Result, context: Context, tx: Writer): Promise<void> {
  const { insert, expired, expire } = context.plan.idempotency;
  const time = context.clock.now().getTime();
  const scopes = (await tx.rows(expired, [time - day, expiredAtOnce])).map(({ columns }) => columns[0] ?? null);
  if (scopes.length > 0)
    await tx.delete(expire, [...scopes, ...Array.from({ length: expiredAtOnce - scopes.length }, () => scopes[0] ?? null)]);
  await tx.insert(insert, [once.scope, once.digest, once.render(result), time]);
}

async function storedAnswer(once: Once, context: Context): Promise<Result | undefined> {
  const find = (reader: Reader) => reader.one(context.plan.idempotency.find, [once.scope]);
  return replayOf(await context.store.read(find, undefined, context.request), once, context);
}

function replayOf(row: Row | undefined, once: Once, context: Context): Result | undefined {
  if (row === undefined) return undefined;
  const [digest, answer, time] = row.columns;
  if (Number(time) < context.clock.now().getTime() - day) return undefined;
  if (digest !== once.digest) throw error('key-reused');
  const text = String(answer);
  holdBytes(text.length, context);
  return { kind: 'replay', answer: text };
}
