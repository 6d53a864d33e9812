// The resolvers of an application: what they keep, as the engine asks for it, and the events that they do.

import type { Clock } from '../clock.ts';
import { userOf } from '../engine/caller.ts';
import type { Functions } from '../engine/eval/functions.ts';
import type { EventHandler, EventHandlers } from '../engine/handlers.ts';
import type { External } from '../engine/seams.ts';
import type { Resolver as DeclaredResolver, Model, ResolverKind, ResolverMethod, TypeName } from '../model/model.ts';
import type { EntityPlan, Plan } from '../plan/plan.ts';
import { StartRefused } from '../store/store.ts';
import { objectOf } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';
import { Breaker } from './breaker.ts';
import { call } from './call.ts';
import { handlersOf as kindHandlers } from './kinds/kinds.ts';
import { type Handler, type Method, mostInstances, type Resolver } from './resolver.ts';
import { type Kept, ResolvedRows } from './rows.ts';

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
  readonly types?: readonly TypeName[];
}

export interface ResolversParts {
  readonly model: Model;
  readonly settings: readonly ResolverSettings[];
  readonly clock: Clock;
  /** Loaded after the plan is made, which the resolvers are part of. */
  functions(): Functions;
  readonly log: ResolversLog;
}

export type ResolversLog = Readonly<Record<'debug' | 'info' | 'warn' | 'error', (fields: object, line: string) => void>>;

export interface Resolvers {
  /** Events with an `eval` handler. */
  readonly handlers: EventHandlers;
  external(plan: Plan): External | undefined;
  /** Of the calls of each. */
  figures(): readonly ({ readonly name: TypeName } & Breaker['figures'])[];
}

export function createResolvers(parts: ResolversParts): Resolvers {
  refuseUnknown(parts.model);
  warnUncalled(parts.model, parts.log);
  const served: Served = { plan: undefined };
  const all = [...parts.model.resolvers.values()].map((each) => opened(each, parts, served));
  return {
    handlers: new Map(all.flatMap((each) => eventsOf(each, parts.model))),
    figures: () => all.map(({ name, breaker }) => ({ name, ...breaker.figures })),
    external(plan) {
      served.plan = plan;
      const kept = keptBy(all, plan, parts.log);
      return kept.size === 0 ? undefined : { open: (context) => new ResolvedRows(kept, context) };
    },
  };
}

/** What the resolvers are for, once it is known. */
interface Served {
  plan: Plan | undefined;
}

function entityIn({ plan }: Served, type: TypeName): EntityPlan {
  const found = plan?.entities.get(type);
  if (found === undefined) throw new Error(`${type} is not served`);
  return found;
}

/** What is accepted and does nothing would be believed to do something. */
function refuseUnknown({ resolvers, relationships }: Model): void {
  for (const { name, compose, types } of resolvers.values()) {
    if (compose) throw new StartRefused(`The resolver ${name} composes, which is not in this version; let it override.`);
    const link = types.find((each) => relationships.has(each));
    if (link !== undefined)
      throw new StartRefused(`The resolver ${name} is for ${link}: relationships are stored, and no resolver keeps them.`);
  }
}

const uncalled = ['subscribe', 'upsert', 'startTransaction', 'commitTransaction', 'rollbackTransaction'] as const;

/** Models of other runtimes have them: they load, and are told what does not happen. */
function warnUncalled({ resolvers }: Model, log: ResolversLog): void {
  for (const { name, methods } of resolvers.values())
    for (const method of uncalled)
      if (methods[method] !== undefined) log.warn({ resolver: name, method }, 'a handler of a resolver is never called in this version');
}

/** Seconds. */
const defaultTimeout = 10;

function opened(declared: DeclaredResolver, { settings, clock, functions, log }: ResolversParts, served: Served): Resolver {
  const { name, types, compose, methods, kind } = declared;
  const said = settings.find((each) => each.name === name);
  const config = said?.config ?? objectOf([]);
  const line = (level: keyof ResolversLog) => (text: string) => log[level]({ resolver: name }, text);
  return {
    name,
    types,
    compose,
    handlers: kind === undefined ? handlersOf(methods, functions) : kindHandlers(kind, config, (type) => entityIn(served, type)),
    timeout: (said?.timeout ?? defaultTimeout) * 1000,
    config,
    breaker: new Breaker(clock),
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    isContextFirst: said?.isContextFirst ?? false,
  };
}

const calledMethods: readonly Method[] = ['query', 'create', 'update', 'delete', 'eval'];

function handlersOf(methods: DeclaredResolver['methods'], functions: () => Functions): Resolver['handlers'] {
  const handlers: Partial<Record<Method, Handler>> = {};
  for (const method of calledMethods) {
    const reference = methods[method satisfies ResolverMethod];
    if (reference !== undefined) handlers[method] = (argument, context) => functions().handle(reference, argument, context, mostInstances);
  }
  return handlers;
}

function eventsOf(resolver: Resolver, { events }: Model): readonly (readonly [TypeName, EventHandler])[] {
  if (resolver.handlers.eval === undefined || resolver.compose) return [];
  return resolver.types.filter((type) => events.has(type)).map((type) => [type, evaluating(type, resolver)] as const);
}

/** Its result is the event's result. */
function evaluating(type: TypeName, resolver: Resolver): EventHandler {
  return {
    transaction: 'none',
    waits: true,
    handle(event, { caller, request, outside }) {
      outside.called = true;
      return call(resolver, 'eval', event, {
        user: userOf(caller) ?? null,
        requestId: request?.id ?? null,
        signal: request?.signal,
        type,
      });
    },
  };
}

function keptBy(resolvers: readonly Resolver[], plan: Plan, log: ResolversLog): ReadonlyMap<string, Kept> {
  const kept = new Map<string, Kept>();
  for (const resolver of resolvers) {
    if (resolver.compose) continue;
    for (const type of resolver.types) {
      const entity = plan.entities.get(type);
      if (entity !== undefined) kept.set(entity.table.name, { plan: entity, resolver, unknown: warnOnce(resolver, type, log) });
    }
  }
  return kept;
}

function warnOnce({ name }: Resolver, type: TypeName, log: ResolversLog): (attribute: string) => void {
  const told = new Set<string>();
  return (attribute) => {
    if (told.has(attribute) || told.size >= mostTold) return;
    told.add(attribute);
    log.warn({ resolver: name, type, attribute }, 'a resolver gives an attribute that the model does not have: it is left out');
  };
}

/** Names that are remembered, so that what another system makes up does not fill the memory. */
const mostTold = 100;
