// What does what is asked of a type, as the rooms hand it in and as the engine asks for it.

import type { TypeName } from '../model/model.ts';
import type { Handled } from '../plan/flow/flow.ts';
import type { Awaitable } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import type { AskingFlow, PartResult } from './flow/parts/checkpoint.ts';
import type { Fields, Run } from './flow/state.ts';
import type { Context, Operation, ReadContext, Result, WriteContext } from './operation.ts';
import type { Task } from './seams.ts';

/** What a part of the service does with an event: posted, or made by a workflow, a trigger or a start-up statement. */
export type EventHandler =
  | (Handled & { readonly transaction: 'read'; handle(event: Fields, context: ReadContext): Awaitable<Value> })
  | (Handled & { readonly transaction: 'write'; handle(event: Fields, context: WriteContext): Awaitable<Value> })
  /** `writing` where it is part of a transaction that writes. */
  | (Handled & { readonly transaction: 'own' | 'none'; handle(event: Fields, context: Context, writing?: WriteContext): Awaitable<Value> })
  /** An agent: its answer is more than a value, and no transaction is held while it thinks. */
  | (Handled & { readonly transaction: 'own'; reply(event: Fields, context: Context): Promise<Result> });

export type EventHandlers = ReadonlyMap<TypeName, EventHandler>;

/** Does flows that ask agents, and those that were suspended: in parts, between which no transaction is held, and what was done is kept. */
export interface AskingFlows {
  run(asked: AskingFlow, context: Context): Promise<Result>;
  /** Kept in this transaction, and begun after it. */
  queue(asked: AskingFlow, writing: WriteContext): Promise<void>;
  /** Kept in the transaction in which a resolver has suspended it, as a run of this identifier that waits for data. */
  suspend(asked: AskingFlow, part: SuspendedPart, run: string, writing: WriteContext): Promise<Result>;
}

type SuspendedPart = Extract<PartResult, { kind: 'suspended' }>;

export interface Handlers {
  /** Absent where the model has neither agents nor resolvers that may suspend. */
  readonly asking: AskingFlows | undefined;
  /** What is to be done for a request. */
  prepare(operation: Operation, context: Context): Awaitable<Task>;
  /** Whether the handler itself answers an equal request the same, and nothing is kept for it here. */
  keepsAnswers(operation: Operation): boolean;
  /** An event that a flow makes, in the transaction of the flow and as its caller. */
  call(event: TypeName, values: Fields, run: Run): Awaitable<Value>;
}
