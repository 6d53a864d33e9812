// What is asked (Operation), what comes of it (Result), and what a handler has at hand (Context): the service, rights, effects, and a transaction.

import type { Clock } from '../clock.ts';
import type { Reservation } from '../memory-budget.ts';
import type { Agent, EventType, TypeName } from '../model/model.ts';
import type { EntityPlan, LinkPlan, Plan, Step } from '../plan/plan.ts';
import type { Filter } from '../plan/query/filter.ts';
import type { Selection } from '../plan/query/selection.ts';
import type { SortTerm } from '../plan/query/sort.ts';
import type { Awaitable, Page, Reader, Store, Writer } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import type { RunBudget } from './budget.ts';
import type { Caller } from './caller.ts';
import type { StaleComputed } from './context.ts';
import type { Functions, OutsideCalls } from './eval/functions.ts';
import type { Handlers } from './handlers.ts';
import type { Outcome } from './outcome.ts';
import type { ExternalRows, Guard, Recording, Triggers } from './seams.ts';

/** Where instances stand: all of a type, or those that a step leads to from one instance. */
export interface Collection {
  readonly plan: EntityPlan | LinkPlan;
  readonly under: { readonly parent: Address; readonly step: Step } | undefined;
}

/** One instance: in a collection, by its identifier. */
export interface Address {
  readonly in: Collection;
  /** Null where what was given can only be the guid. */
  readonly id: Value;
  /** What it may be meant as too, where nothing goes by the first: a text that reads as a number. */
  readonly otherwise?: Value | undefined;
  /** What was given, as the guid that the type has besides its identifier: outside of its parent an instance goes by that first. */
  readonly guid?: Value | undefined;
  /** A link by the instances that it links, in the order of its ends, each named as a body names it; there is no identifier then. */
  readonly ends?: readonly [Value, Value];
}

export type Operation =
  /** An array of bodies creates all of them. */
  | { readonly kind: 'create'; readonly at: Collection; readonly body: Value }
  | { readonly kind: 'read'; readonly at: Address; readonly selection: Selection }
  | { readonly kind: 'tree'; readonly at: Address }
  | { readonly kind: 'list'; readonly at: Collection; readonly query: ListQuery }
  | { readonly kind: 'update'; readonly at: Address; readonly body: Value; readonly versions: Versions | undefined }
  | { readonly kind: 'delete'; readonly at: Address; readonly versions: Versions | undefined }
  /** With `isGranted`, whoever asks may run it: logic of the model does, or an agent whose tools name it. */
  | { readonly kind: 'invoke'; readonly target: EventType | Agent; readonly body: Value; readonly isGranted?: boolean };

/** What of a collection is read, in which order. */
export interface ListQuery {
  readonly filter: Filter;
  /** Tells apart orders. */
  readonly key: string;
  /** Ends with the key, so that it is total. */
  readonly order: readonly SortTerm[];
  readonly selection: Selection;
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  /** The order's values of the row behind which the list begins. */
  readonly after: readonly Value[] | undefined;
  readonly count: boolean;
  /** Whether nobody asks if anything comes behind the limit. */
  readonly ends?: boolean;
  /** Whether the place of each row is wanted: then all of them come together, as many as the limit says. */
  readonly places?: boolean;
}

/** The versions that an instance may, and may not, have for the write to go on; `*` is any. */
export interface Versions {
  readonly match: readonly (number | '*')[] | undefined;
  readonly noneMatch: readonly (number | '*')[] | undefined;
}

export type Result =
  | { readonly kind: 'instance'; readonly instance: Instance; readonly created: Created | undefined }
  /** What was created together. */
  | { readonly kind: 'instances'; readonly instances: readonly Instance[] }
  | { readonly kind: 'list'; readonly list: List }
  | { readonly kind: 'value'; readonly value: Value }
  /** What a workflow gave back, and the run in which it did, where it asked agents. */
  | { readonly kind: 'outcome'; readonly outcome: Outcome; readonly run?: string | undefined }
  /** What an agent gave, and the run in which it did. */
  | { readonly kind: 'reply'; readonly value: Value; readonly run: string }
  | ({ readonly kind: 'waiting'; readonly run: string } & WaitingFor)
  /** What the first of several equal requests was answered. */
  | { readonly kind: 'replay'; readonly answer: string };

/** What makes two requests the same, and how the answer to the first is written down. */
export interface Once {
  /** Caller, method, path and key. */
  readonly scope: string;
  /** Of the body. */
  readonly digest: string;
  render(result: Result): string;
}

/** What a run waits for before it goes on. */
export type WaitingFor =
  /** Somebody who approves of the call of a tool. */
  | { readonly step: number; readonly call: string; readonly tool: string; readonly arguments: Value }
  /** Data, where a resolver has suspended it. */
  | { readonly step: number; readonly type: TypeName };

/** A row as its shape's output says, and what was created or read below it. How that is put together is the surface's affair. */
export interface Instance {
  readonly plan: EntityPlan | LinkPlan;
  readonly json: string;
  readonly version: number;
  readonly nested: readonly Nested[];
  /** The attributes of the link by which it was reached or made, as JSON, where they are not part of `json`. */
  readonly link?: string;
  /** Whether its caller may not read it, and `json` says where it stands and no more. */
  readonly isHidden?: boolean;
}

/** Related instances; a tree read gives every contains relationship of the type, an empty list where there are none. */
export interface Nested {
  readonly relationship: { readonly name: TypeName; readonly local: string };
  readonly instances: readonly Instance[];
  /** Whether there is at most one. */
  readonly single: boolean;
}

/** How a created instance is addressed. */
export interface Created {
  readonly plan: EntityPlan | LinkPlan;
  readonly id: Value;
  readonly path: string | undefined;
}

export interface FollowingPage extends Page {
  /** Whether nothing comes behind it; it may itself be empty then. */
  readonly isLast: boolean;
}

export interface List {
  readonly first: Page;
  /** The page behind these values of the order, where there is more than the first page. */
  readonly rest: ((after: readonly Value[]) => Awaitable<FollowingPage>) | undefined;
  readonly total: number | undefined;
  /** Where the list goes on when its limit cut it. */
  readonly next: readonly Value[] | undefined;
  /** The order's values of each row, where they are wanted. */
  readonly places?: readonly (readonly Value[])[];
}

/** What is known of the request behind an operation. */
export interface RequestInfo {
  /** As the log names it. */
  readonly id: string;
  /** The address of who asked; of an IPv6 one, the network. */
  readonly remote: string;
  /** Aborted when the one who asked goes away before the answer is complete. */
  readonly signal?: AbortSignal;
  /** What is to be told with the answer: `stale` where another system did not answer, and what was stored of it is shown. */
  readonly signs?: Set<'stale'>;
  /** What it holds; opened when it is first asked for, and released when the answer has been sent. */
  readonly memory?: Reservation;
  /** Told of what happens in the run of an agent, as it happens, where somebody listens. */
  progress?(progress: Progress): void;
}

export type Progress =
  | { readonly kind: 'run'; readonly run: string }
  | { readonly kind: 'step' | 'step-end'; readonly step: string }
  /** A further piece of what a model says. */
  | { readonly kind: 'text'; readonly step: string; readonly delta: string }
  | { readonly kind: 'call'; readonly step: string; readonly call: string; readonly tool: string; readonly arguments: Value }
  | { readonly kind: 'called'; readonly step: string; readonly call: string; readonly result: Value };

/** What all requests of an engine have in common. */
export interface Service {
  readonly plan: Plan;
  readonly store: Store;
  readonly clock: Clock;
  readonly functions: Functions;
  /** Turns a secret into what may be kept of it. */
  readonly hash: (secret: string) => Promise<string>;
  readonly limits: EngineLimits;
  /** Tells whoever operates the service, in a line of the log. */
  readonly warn?: ((line: string) => void) | undefined;
  readonly handlers: Handlers;
  readonly triggers: Triggers;
  /** What callers may do, also while something runs as the system. */
  readonly callerGuard: Guard;
}

/** Who asks, and what they may do. */
export interface Rights {
  readonly caller: Caller;
  readonly guard: Guard;
}

/** What is done along with a transaction, or follows from it. */
export interface Effects {
  /** Done after the commit, in transactions of their own; what fails there is only written down. */
  readonly later: DeferredWork[];
  readonly outside: OutsideCalls;
  /** What of this transaction is recorded; absent where nothing ever is. */
  readonly recording?: Recording | undefined;
  /** What of this transaction is still to be computed; absent where no attribute looks along a relationship. */
  readonly stale?: StaleComputed | undefined;
  /** How long each step of a workflow took, where somebody asked for it. */
  readonly trace?: Traced[] | undefined;
}

export interface Transaction<Tx extends Reader = Reader> {
  readonly tx: Tx;
}

/** All that one request has at hand. Whoever needs less of it says so. */
export interface Context extends Service, Rights, Effects {
  /** Absent where nobody outside asked: at start, and on a timer. */
  readonly request: RequestInfo | undefined;
  /** Absent where the model keeps nothing elsewhere. */
  readonly external: ExternalRows | undefined;
  /** What makes two requests the same, where the handler itself keeps what it answered. */
  readonly once?: Once | undefined;
  /** Absent where no workflow is running. */
  readonly running?: Running | undefined;
  /** Present where a resolver does the event that was posted, and may suspend it. */
  readonly suspendable?: Suspendable | undefined;
}

export interface Suspendable {
  /** Asked by a resolver: the run that waits then. Throws where what called it cannot be suspended. */
  suspend(): string;
}

export interface Running {
  readonly budget: RunBudget;
  readonly depth: number;
  /** Present where a resolver that is called may suspend the workflow. */
  readonly parts?: Suspendable | undefined;
}

/** Never more than the place of a step and its time: no statement, no value. */
export interface Traced {
  readonly step: string;
  /** When it began, in milliseconds of the clock. */
  readonly start: number;
  readonly milliseconds: number;
}

export interface DeferredWork {
  readonly what: string;
  run(): Promise<void>;
}

export interface EngineLimits {
  /** Bytes that one query of a workflow may read. */
  readonly memory: number;
  /** Most instances, and levels, of one tree. */
  readonly tree: { readonly instances: number; readonly depth: number; readonly bytes: number };
  /** Of what one event sets off: most steps, and seconds. */
  readonly flow: { readonly steps: number; readonly time: number };
}

/** A context inside a transaction that reads. */
export type ReadContext = Context & Transaction;

/** A context inside a transaction that writes. */
export type WriteContext = Context & Transaction<Writer>;
