// The places where rooms, and the logic of the model, plug into the engine.

import type { Denial } from '../errors.ts';
import type { TypeName } from '../model/model.ts';
import type { Afterwards, AttributeAccess } from '../plan/access/right.ts';
import type { AttributePlan, EntityPlan, LinkPlan, RowPlan } from '../plan/plan.ts';
import { type Condition, everything } from '../plan/query/condition.ts';
import type { Awaitable, DecisionBasis, Reader, ReadOptions, Row, Writer } from '../store/store.ts';
import type { RowSupplier } from '../store/supplied-store.ts';
import type { Value, Values } from '../values/value.ts';
import type { Held } from './budget.ts';
import type { Caller } from './caller.ts';
import type { AskingFlow } from './flow/parts/checkpoint.ts';
import type { Context, Operation, Result, WriteContext } from './operation.ts';
import type { Changes, Draft, Located } from './row.ts';

/** Checks the whole input before any transaction, and returns what is then to be done in one. */
export type Prepare<Op extends Operation = Operation> = (operation: Op, context: Context) => Awaitable<Task>;

export type Task =
  | (ReadOptions & Suspendable & { readonly transaction: 'read'; run(reader: Reader): Awaitable<Result> })
  | WriteTask
  /** Opens its transactions itself, short ones, and holds none while it waits for something outside. */
  | {
      readonly transaction: 'own';
      /** Where it is a workflow that asks agents: what is done, for who does it as a part of something else. */
      readonly asking?: AskingFlow | undefined;
      /** Where it is an event that a resolver does, and may suspend. */
      readonly suspending?: AskingFlow | undefined;
      run(beside?: Beside): Awaitable<Result>;
    };

/** Keeps what the request is answered beside what it did, in the same transaction. */
export type Beside = (result: Result, tx: Writer) => Awaitable<void>;

interface Suspendable {
  /** Where it is a workflow that a resolver may suspend: what is done, for who does it as a part of something else. */
  readonly suspending?: AskingFlow | undefined;
  /** What is to be kept of a reading that was suspended, after it. */
  finish?(result: Result, beside?: Beside): Awaitable<Result>;
}

export interface WriteTask extends Pick<Suspendable, 'suspending'> {
  readonly transaction: 'write';
  /** It waits for something outside the store while it holds the transaction. */
  readonly waits: boolean;
  /** It is one statement. */
  readonly single?: boolean;
  /** It inserts rows, and sets nothing off: they stay as they are inserted. */
  readonly isPlain?: boolean;
  /** Nothing of what it writes is stored here: then no transaction is held while it waits. */
  readonly isElsewhere?: boolean;
  /** The logic of the model decides in it, by what it reads. */
  readonly decides?: DecisionBasis | undefined;
  run(writer: Writer): Awaitable<Result>;
}

/** Says whether a caller may, and which rows of the answer are theirs to see. */
export interface Guard {
  judge(operation: Operation, caller: Caller): Verdict;
  /** The same inside a flow, which runs as its caller: what may be done with which rows of a type. */
  rows(action: RowAction, plan: EntityPlan | LinkPlan, caller: Caller): Verdict;
  /** Whether an event or an agent may be run, by its name; the condition is of no row. Absent where all of them may. */
  runs?(type: TypeName, caller: Caller): Verdict;
  /** What of the attributes is hidden from a caller, or not theirs to set; absent where no attribute has rules. */
  attributes?(caller: Caller): AttributeAccess | undefined;
  /** Why something was refused, in lines, to a caller who may be told; asked only of callers that do without some of their roles. */
  explain?(denial: Denial, context: Context): Awaitable<readonly string[] | undefined>;
}

export type RowAction = WriteKind | 'read' | 'move';

export type Verdict =
  /** The condition has no values of its own: it names those of the caller, so that it stands in any statement. */
  | {
      readonly allowed: true;
      readonly condition: Condition /** The same for a list of all rows, where those are found by what the caller has. */;
      readonly bySet?: Condition;
      /** Of a new row, where part of what allows it is known only when all of it is written. */
      readonly afterwards?: Afterwards;
    }
  | { readonly allowed: false; readonly reason: string };

/** Without access control, everybody may do everything. */
const open: Verdict = Object.freeze({ allowed: true, condition: everything });
export const openGuard: Guard = { judge: () => open, rows: () => open };

/** Keeps what happened, in the transaction in which it happened. */
export interface Recorder {
  /** Whether it never wants to know of anything: then nothing is read for it. */
  readonly isIdle?: boolean;
  /** Whether it wants to know what becomes of rows of this type. */
  records(plan: RowPlan): boolean;
  /** Told of the rows that a transaction has made into others, before it is committed. */
  changed(changes: readonly RowChange[], context: WriteContext): Awaitable<void>;
  /** Told of each operation, but for those that only read, that was refused to its caller, and by which row; whatever it had done is undone. */
  denied(operation: Operation, context: Context, denial?: Denial): Awaitable<void>;
  /** Told, after the answer, of each change of an instance that does not exist for its caller: who may see everything knows whether it exists. */
  hidden?(operation: Operation, context: Context): Awaitable<void>;
  /** What was put off until after the commit and failed; besides the log, which always has it. */
  failed(what: string, thrown: unknown, context: Context): Awaitable<void>;
}

/** One row: absent before it was created and after it was deleted. Its `columns` are those that `recordedColumns` names. */
export interface RowChange {
  readonly plan: RowPlan;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  /** Whether logic that runs as the system has had a part in it. */
  readonly isBySystem?: boolean | undefined;
}

/** The rows that one transaction has written, by their tables: some have two names, and so two plans. */
export interface Recording {
  readonly recorder: Recorder;
  readonly rows: Map<string, Noted>;
  /** As they were before. */
  readonly held: Held;
  /** Rows that are known already as they are when everything is written. */
  readonly known: RowChange[];
  /** Whether rows stay as they are inserted: nothing that the transaction does comes back to one, or is undone by itself. */
  isPlain: boolean;
}

/** As they were before, by the keys they have now. */
export interface Noted {
  readonly plan: RowPlan;
  readonly rows: Map<Value, NotedRow>;
}

export interface NotedRow {
  readonly before: Row | undefined;
  isBySystem: boolean;
  /** Of the row as it was noted. */
  readonly bytes: number;
}

/** The logic that a write sets off: handed in, so that writing knows nothing of workflows. */
export interface Triggers {
  fires(when: 'before' | 'after', operation: WriteKind, type: TypeName, context: Context): boolean;
  /** Whether what is set off waits for something outside the store. */
  wait(operation: WriteKind, type: TypeName, context: Context): boolean;
  /** Whether what is set off reads rows by something else than their identity. */
  query(operation: WriteKind, type: TypeName, context: Context): boolean;
  /** The types of rows that may have become others by what such a write sets off, in the same transaction. */
  changes(operation: WriteKind, type: TypeName, context: Context): readonly TypeName[];
  /** May change what is going to be stored. */
  beforeCreate(draft: Draft, located: Located, context: WriteContext): Promise<void>;
  beforeUpdate(changes: Changes, located: Located, row: Row, context: WriteContext): Promise<Changes>;
  beforeDelete(located: Located, row: Row, context: WriteContext): Promise<void>;
  after(operation: WriteKind, located: Located, row: Row, context: WriteContext): Promise<void>;
}

/** What resolvers keep: handed in, so that reading and writing know nothing of them. */
export interface External {
  /** As one request sees it, and writes it. */
  open(context: Context): ExternalRows;
}

/** Instances that are kept elsewhere, as rows of the tables that they would have. */
export interface ExternalRows extends RowSupplier {
  /** `values` are those of the columns of its table; the row that came of it, which may be another one. */
  create(plan: RowPlan, values: readonly Value[], context: WriteContext): Promise<Row>;
  /** Nothing where there is no such instance. */
  update(plan: RowPlan, key: Value, changes: ReadonlyMap<AttributePlan, Value>, context: WriteContext): Promise<Row | undefined>;
  remove(plan: RowPlan, key: Value, context: WriteContext): Promise<void>;
  /** Absent where no resolver is told of what is stored. */
  readonly composing?: Composing | undefined;
  /** From now on calls are made inside of a workflow, which has its own time to end in. */
  enterWorkflow(): void;
}

/** Resolvers that are told of each write of a stored type before it is made, and may give other values. */
export interface Composing {
  /** What a stored row would go by if it came from a resolver. */
  versionOf(plan: RowPlan, row: Row): number;
  /** `values` are those of the columns; what comes back is to be stored. */
  create(plan: RowPlan, values: readonly Value[], context: WriteContext): Promise<readonly Value[]>;
  update(
    plan: RowPlan,
    key: Value,
    changes: ReadonlyMap<AttributePlan, Value>,
    context: WriteContext,
  ): Promise<ReadonlyMap<AttributePlan, Value>>;
  /** To another parent, alone or along with one that it stands below; what comes back is to be changed in it. */
  move(plan: RowPlan, key: Value, to: NewPlace, context: WriteContext): Promise<ReadonlyMap<AttributePlan, Value>>;
  remove(plan: RowPlan, key: Value, context: WriteContext): Promise<void>;
  /** Tells of an event before its workflow runs; what the last one gave. */
  evaluate(event: TypeName, values: Values, context: WriteContext): Promise<Value>;
}

/** Where a contained instance stands from now on. */
export interface NewPlace {
  readonly key: Value;
  readonly path: Value;
}

export type WriteKind = 'create' | 'update' | 'delete';
