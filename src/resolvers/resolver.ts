// What a resolver is to the rest of this folder: handlers by name, however they are made, and how they may be called.

import type { HandlerContext, HandlerLog } from '../engine/eval/functions.ts';
import type { ResolverKind, TypeName } from '../model/model.ts';
import type { Awaitable } from '../store/store.ts';
import type { Value, Values } from '../values/value.ts';
import type { Breaker } from './breaker.ts';
import type { McpServer } from './mcp/client.ts';
import type { OpenapiModule } from './openapi/operations.ts';

export type ComposedMethod = 'create' | 'update' | 'delete';
export const methods = ['query', 'create', 'update', 'delete', 'eval'] as const;
export type Method = (typeof methods)[number];

/** Gives data; what it throws is its author's, or the other system's. */
export type Handler = (argument: Value, context: HandlerContext) => Awaitable<Value>;

/** What the configuration says of a resolver. */
export interface ResolverSettings {
  readonly name: TypeName;
  /** Seconds. */
  readonly timeout?: number;
  /** Whether handlers get their context before their argument. */
  readonly isContextFirst?: boolean;
  readonly config?: Value;
  /** Of a resolver without code, and the entities that it is for. */
  readonly kind?: ResolverKind;
  /** Whether it composes; as declared where nothing is said. */
  readonly compose?: boolean;
  readonly types?: readonly TypeName[];
  /** A file of recorded calls that stands in for it. */
  readonly fake?: string;
  /** A file that its calls are recorded into. */
  readonly record?: string;
  /** Of a document whose operations are its events. */
  readonly openapi?: OpenapiModule;
  /** Of a server whose tools are its events. */
  readonly mcp?: McpServer;
}

export interface Resolver {
  readonly name: TypeName;
  readonly compose: boolean;
  readonly types: readonly TypeName[];
  readonly handlers: Readonly<Partial<Record<Method, Handler>>>;
  /** Milliseconds that a call may take, with all its tries. */
  readonly timeout: number;
  readonly config: Value;
  readonly breaker: Breaker;
  readonly log: HandlerLog;
  readonly isContextFirst: boolean;
  /** Whether recorded calls stand in for the other system. */
  readonly isFake?: boolean;
  /** Whether its handlers are functions of the application, which may suspend. */
  readonly isCode?: boolean;
  /** Refuses an event before anybody is asked; what it throws is the caller's fault. */
  check?(type: TypeName, event: Values): void;
  /** Events that change nothing there, and may be tried again. */
  readonly reads?: ReadonlySet<TypeName>;
  /** Ends what it has open. */
  close?(): Promise<void>;
}

/** Instances of one answer. */
export const mostInstances = 10_000;
