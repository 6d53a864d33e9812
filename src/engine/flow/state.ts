// What a flow has while it runs: names and what they stand for, and how much it may still do.

import type { TypeName } from '../../model/model.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { Action } from '../../plan/flow/flow.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import type { RunBudget } from '../budget.ts';
import type { ReadContext, Suspendable, WriteContext } from '../operation.ts';

/** What a flow that asks agents, or may be suspended, has done, kept so that none of it is done again. */
export interface KeptParts extends Suspendable {
  /** Whether a resolver has suspended it: nothing behind that is done now. */
  readonly isSuspended: boolean;
  statement(run: Run, work: () => Awaitable<Completed>, action?: Action): Awaitable<Completed>;
  way(work: () => Awaitable<number>): Promise<number>;
  /** Throws where the agent has not answered yet. */
  answer(agent: TypeName, values: Fields, run: Run): Value;
}

export type RunAction = (action: Action, run: Run, scopes: Scopes) => Awaitable<Completed>;

export interface Run {
  readonly reading: ReadContext;
  /** Absent in flows that only read. */
  readonly writing: WriteContext | undefined;
  readonly names: Map<string, Binding>;
  readonly budget: RunBudget;
  readonly depth: number;
  /** What an action does: values and patterns have actions inside of them, and `flow.ts`, which knows all, is above them. */
  readonly runAction: RunAction;
  /** Present where the flow asks agents, and so is not one transaction, or where a resolver may suspend it. */
  readonly parts?: KeptParts | undefined;
  /** Set by `return`: nothing behind it is done. */
  returned: Completed | undefined;
  /** What a handler was called for. */
  failure: unknown;
}

/** What a name stands for; of an instance that was stored, the value is made when somebody looks at it. */
export interface Binding {
  readonly value: Value;
  /** What the value was read from, where it is nothing but stored instances of one type: one, or a list of them. */
  readonly plan?: EntityPlan | LinkPlan | undefined;
  readonly row?: Row | undefined;
  readonly rows?: readonly Row[] | undefined;
  /** The declared type of a single value, or of each in a list; of rows of a report those of their columns. */
  readonly declared?: ColumnKind | ReadonlyMap<string, ColumnKind> | undefined;
}

/** The value of a step; `created` where it was made by it, not only named. */
export interface Completed extends Binding {
  readonly created: boolean;
  /** Of a list that was read: its instances, each made when its turn comes. */
  each?(): Iterable<Value>;
}

/** Instances that are being built, changed or looked at, the innermost first: their attributes go by the name of their type. */
export type Scopes = readonly { readonly type: TypeName; readonly values: { readonly [name: string]: Value } }[];

export type Fields = Record<string, Value>;
