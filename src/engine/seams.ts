// The three places where rooms plug into the engine.

import type { Condition } from '../plan/condition.ts';
import type { Awaitable, Reader, Writer } from '../store/store.ts';
import type { Caller, Context, Operation, Result, Writing } from './operation.ts';

/** Checks the whole input before any transaction, and returns what is then to be done in one. */
export type Handler<Op extends Operation = Operation> = (operation: Op, context: Context) => Awaitable<Task>;

export type Task =
  | { readonly transaction: 'read'; run(reader: Reader): Awaitable<Result> }
  /** `waits` says that it waits for something outside the store while it holds the transaction. */
  | { readonly transaction: 'write'; readonly waits: boolean; run(writer: Writer): Awaitable<Result> }
  /** Opens its transactions itself, short ones, and holds none while it waits for something outside. */
  | { readonly transaction: 'own'; run(): Awaitable<Result> };

/** Says whether a caller may, and which rows of the answer are theirs to see. */
export interface Guard {
  judge(operation: Operation, caller: Caller): Verdict;
}

export type Verdict = { readonly allowed: true; readonly condition: Condition } | { readonly allowed: false; readonly reason: string };

/** Keeps what happened, in the transaction in which it happened. */
export interface Recorder {
  record(operation: Operation, result: Result, context: Writing): Awaitable<void>;
}
