// The resolvers of an application: what they keep, as the engine asks for it, and the events that they do.

import { resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Functions } from '../engine/eval/functions.ts';
import { suspendIn } from '../engine/flow/parts/suspension.ts';
import type { EventHandler, EventHandlers } from '../engine/handlers.ts';
import type { Context, WriteContext } from '../engine/operation.ts';
import type { External } from '../engine/seams.ts';
import type { Resolver as DeclaredResolver, Model, ResolverMethod, TypeName } from '../model/model.ts';
import type { EntityPlan, Plan } from '../plan/plan.ts';
import type { Table } from '../plan/rows/table.ts';
import { StartRefused, type Store } from '../store/store.ts';
import { objectOf } from '../values/json/json.ts';
import type { Value, Values } from '../values/value.ts';
import { Breaker } from './breaker.ts';
import { evaluate } from './call.ts';
import { ComposedCalls, type ComposedEvent } from './compose/compose.ts';
import type { Composed } from './compose/composed.ts';
import type { Intentions } from './compose/intentions.ts';
import { Settler, type SettlerParts } from './compose/settler.ts';
import { handlersOf as kindHandlers } from './kinds/kinds.ts';
import { fakeHandlers, recordingHandlers } from './recorded/recorded.ts';
import { type Handler, type Method, methods as methodNames, mostInstances, type Resolver, type ResolverSettings } from './resolver.ts';
import { type ComposedRows, type Kept, ResolvedRows } from './rows.ts';
import type { SubscriptionFigures } from './subscriptions/subscription.ts';
import { subscriptionsOf } from './subscriptions/subscriptions.ts';

export interface ResolversParts {
  readonly model: Model;
  readonly settings: readonly ResolverSettings[];
  readonly clock: Clock;
  /** Loaded after the plan is made, which the resolvers are part of. */
  functions(): Functions;
  readonly log: ResolversLog;
  /** Where calls of those that compose are written down. */
  readonly intentions: (table: Table) => Promise<Intentions>;
  readonly store: Store;
  /** What files in settings are relative to. */
  readonly folder: string;
  /** Seconds that one event may take. */
  readonly flowTime: number;
}

export type ResolversLog = Readonly<Record<'debug' | 'info' | 'warn' | 'error', (fields: object, line: string) => void>>;

export interface Resolvers {
  /** Events with an `eval` handler. */
  readonly handlers: EventHandlers;
  external(plan: Plan): Promise<External | undefined>;
  /** Takes up what was left open before. */
  start(engine: Engine): Promise<void>;
  /** Begins to listen to what other systems tell, by the engine of the start. */
  subscribe(): void;
  close(): Promise<void>;
  /** For an operator: what was left open; absent where no resolver composes. */
  readonly settler: Settler | undefined;
  /** Of the calls of each. */
  figures(): readonly ResolverFigures[];
}

type Subscriptions = ReturnType<typeof subscriptionsOf>;
type ResolverFigures = { readonly name: TypeName; readonly subscription: SubscriptionFigures | undefined } & Breaker['figures'];

export function createResolvers(parts: ResolversParts): Resolvers {
  refuseUnknown(parts.model);
  warnUncalled(parts.model, parts.log);
  let settler: Settler | undefined;
  let engine: Engine | undefined;
  let subscriptions: Subscriptions = [];
  const served: Served = { plan: undefined };
  const all = [...parts.model.resolvers.values()].map((each) => opened(each, parts, served));
  return {
    handlers: new Map([...overriddenEvents(all, parts.model), ...composedEvents(all, parts.model)]),
    figures: () =>
      all.map(({ name, breaker }) => {
        const subscription = subscriptions.find((each) => each.name === name)?.figures;
        return { name, subscription, ...breaker.figures };
      }),
    async external(plan) {
      served.plan = plan;
      const kept = keptBy(all, plan, parts.log);
      const opened = await openComposed(all, kept, plan, parts);
      settler = opened?.settler;
      if (kept.size === 0 && opened === undefined) return undefined;
      return { open: (context) => new ResolvedRows(kept, context, opened?.rows(context)) };
    },
    async start(next) {
      engine = next;
      await settler?.start(next);
    },
    subscribe() {
      if (engine === undefined || subscriptions.length > 0) return;
      subscriptions = subscribed(all, engine, served, parts);
      for (const each of subscriptions) each.start();
    },
    async close() {
      try {
        await Promise.all(subscriptions.map((each) => each.close()));
        await settler?.close();
      } finally {
        await closeAll(all, parts.log);
      }
    },
    get settler() {
      return settler;
    },
  };
}

/** One that cannot be closed keeps no other open. */
async function closeAll(all: readonly Resolver[], log: ResolversLog): Promise<void> {
  const closed = await Promise.allSettled(all.map(async (each) => each.close?.()));
  for (const [index, each] of closed.entries())
    if (each.status === 'rejected') log.error({ resolver: all[index]?.name, err: each.reason }, 'a resolver could not be closed');
}

interface OpenComposed {
  readonly settler: Settler;
  rows(context: Context): ComposedRows;
}

/** Nothing where no resolver composes. */
async function openComposed(
  all: readonly Resolver[],
  kept: ReadonlyMap<string, Kept>,
  plan: Plan,
  { log, clock, store, flowTime, intentions: open }: ResolversParts,
): Promise<OpenComposed | undefined> {
  if (plan.intentions === undefined) return undefined;
  const composed = new Map([...plan.external.composed].flatMap((type) => composedOf(type, all, plan, log)));
  const intentions = await open(plan.intentions);
  const failed = (thrown: unknown, what: string): void => log.error({ what, err: thrown }, 'work of a resolver failed');
  const left: SettlerParts['left'] = (err, { id, resolver, type, operation }) =>
    log.warn({ pending: id, resolver, type, operation, err }, 'a call of a resolver could not be undone or settled');
  const { isShared } = store;
  const rows = (context: Context): ResolvedRows => new ResolvedRows(kept, context);
  const settler = new Settler({ plan, composed, intentions, clock, isShared, flowTime, rows, failed, left });
  const asked = new Map([...composed.values()].flatMap(askedOf));
  const events = new Map([...plan.external.composedEvents].map((type) => [type, composedEvent(type, all, plan.model)]));
  return { settler, rows: (context) => ({ asked, calls: new ComposedCalls({ composed, events, intentions, settler, store }, context) }) };
}

function composedOf(type: TypeName, all: readonly Resolver[], plan: Plan, log: ResolversLog): readonly (readonly [TypeName, Composed])[] {
  const entity = plan.entities.get(type);
  const resolvers = all.filter((each) => each.compose && each.types.includes(type));
  const [first] = resolvers;
  return entity === undefined || first === undefined ? [] : [[type, { plan: entity, resolvers, unknown: warnOnce(first, type, log) }]];
}

/** Whoever reads asks the last one that can be asked. */
function askedOf({ plan, resolvers, unknown }: Composed): readonly (readonly [string, Kept])[] {
  const resolver = resolvers.findLast((each) => each.handlers.query !== undefined);
  return resolver === undefined ? [] : [[plan.table.name, { plan, resolver, unknown }]];
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

/** Names of attributes that nobody is answered, also of the records and entities in them. */
function hiddenIn(model: Model, type: TypeName, seen = new Set<TypeName>()): ReadonlySet<string> {
  if (seen.has(type)) return new Set();
  seen.add(type);
  const { attributes = [] } = model.entities.get(type) ?? model.events.get(type) ?? model.records.get(type) ?? {};
  const own = attributes.filter((each) => each.secret || each.writeonly).map((each) => each.name);
  const inner = attributes.flatMap((each) => (each.type.kind === 'record' ? [...hiddenIn(model, each.type.record, seen)] : []));
  return new Set([...own, ...inner]);
}

/** What the configuration says of the other system, in the form that `config` has for resolvers without a document or a server. */
function saidOf(config: Value, { openapi, mcp }: Partial<ResolverSettings>): Value {
  const texts = (given: Readonly<Record<string, string>> = {}): Value => objectOf(Object.entries(given));
  return [
    config,
    objectOf([['headers', [texts(openapi?.headers), texts(mcp?.headers), texts(mcp?.env)]]]),
    openapi?.baseUrl ?? null,
    mcp?.serverUrl ?? null,
  ];
}

/** What is accepted and does nothing would be believed to do something. */
function refuseUnknown({ resolvers, relationships }: Model): void {
  for (const { name, types } of resolvers.values()) {
    const link = types.find((each) => relationships.has(each));
    if (link !== undefined)
      throw new StartRefused(`The resolver ${name} is for ${link}: relationships are stored, and no resolver keeps them.`);
  }
}

function subscribed(all: readonly Resolver[], engine: Engine, { plan }: Served, parts: ResolversParts): Subscriptions {
  const { model, store, clock, functions, log } = parts;
  const table = plan?.subscriptions;
  if (table === undefined) return [];
  return subscriptionsOf(all, engine, {
    model,
    table,
    store,
    clock,
    functions,
    failed: (err, resolver) => log.error({ resolver, err }, 'a subscription of a resolver failed'),
    unknown: (name, event) => warnOnce({ name }, event, log, 'a resolver tells a field that the event does not declare: it is left out'),
  });
}

const uncalled = ['upsert', 'startTransaction', 'commitTransaction', 'rollbackTransaction'] as const;

/** Models of other runtimes have them: they load, and are told what does not happen. */
function warnUncalled({ resolvers }: Model, log: ResolversLog): void {
  for (const { name, methods, onSubscription } of resolvers.values()) {
    const isUnheard = methods.subscribe !== undefined && onSubscription === undefined;
    if (isUnheard) log.warn({ resolver: name }, 'a resolver has subscribe, and no onSubscription: it is never called');
    for (const method of uncalled)
      if (methods[method] !== undefined) log.warn({ resolver: name, method }, 'a handler of a resolver is never called in this version');
  }
}

/** Seconds. */
const defaultTimeout = 10;

function opened(declared: DeclaredResolver, { model, settings, clock, functions, log, folder }: ResolversParts, served: Served): Resolver {
  const { name, types, compose, methods, kind } = declared;
  const said = settings.find((each) => each.name === name);
  const config = said?.config ?? objectOf([]);
  const line = (level: keyof ResolversLog) => (text: string) => log[level]({ resolver: name }, text);
  const hidden = (type: string): ReadonlySet<string> => hiddenIn(model, type);
  const handled = (): Pick<Resolver, 'handlers' | 'close' | 'check' | 'reads'> => {
    if (said?.fake !== undefined) return { handlers: fakeHandlers({ file: resolve(folder, said.fake), resolver: name, hidden }) };
    const real =
      kind === undefined
        ? { handlers: handlersOf(methods, functions) }
        : kindHandlers(kind, { config, types, openapi: said?.openapi, mcp: said?.mcp }, (type) => entityIn(served, type), folder);
    if (said?.record === undefined) return real;
    const file = resolve(folder, said.record);
    return { ...real, handlers: recordingHandlers(real.handlers, saidOf(config, said), { file, resolver: name, hidden }) };
  };
  return {
    name,
    types,
    compose,
    ...handled(),
    timeout: (said?.timeout ?? defaultTimeout) * 1000,
    config,
    breaker: new Breaker(clock),
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    isContextFirst: said?.isContextFirst ?? false,
    isFake: said?.fake !== undefined,
    isCode: kind === undefined,
  };
}

function handlersOf(methods: DeclaredResolver['methods'], functions: () => Functions): Resolver['handlers'] {
  const handlers: Partial<Record<Method, Handler>> = {};
  for (const method of methodNames) {
    const reference = methods[method satisfies ResolverMethod];
    if (reference !== undefined) handlers[method] = (argument, context) => functions().handle(reference, argument, context, mostInstances);
  }
  return handlers;
}

function composedEvent(type: TypeName, all: readonly Resolver[], model: Model): ComposedEvent {
  const resolvers = all.filter((each) => each.compose && each.handlers.eval !== undefined && each.types.includes(type));
  return { resolvers, hidden: hiddenIn(model, type) };
}

/** The result of `eval` is the event's result. */
function overriddenEvents(all: readonly Resolver[], { events }: Model): readonly (readonly [TypeName, EventHandler])[] {
  const overriding = all.filter((each) => !each.compose && each.handlers.eval !== undefined);
  return overriding.flatMap((resolver) =>
    resolver.types
      .filter((type) => events.has(type))
      .map((type) => {
        const handle = (event: Values, context: Context): Promise<Value> =>
          evaluate(resolver, type, event, context, () => suspendIn(context));
        return [type, { transaction: 'none', waits: true, suspends: resolver.isCode, handle }] as const;
      }),
  );
}

/** `eval` comes before the workflow, whose result is the event's; where there is none, that of the last `eval` is. */
function composedEvents(all: readonly Resolver[], model: Model): readonly (readonly [TypeName, EventHandler])[] {
  const composing = all.filter((each) => each.compose && each.handlers.eval !== undefined);
  const types = new Set(composing.flatMap((each) => each.types.filter((type) => model.events.has(type))));
  return [...types].map((type) => {
    const { resolvers } = composedEvent(type, all, model);
    const handle = async (event: Values, context: Context, writing?: WriteContext): Promise<Value> => {
      const calls = writing?.external?.composing;
      if (writing !== undefined && calls !== undefined) return calls.evaluate(type, event, writing);
      let given: Value = null;
      for (const each of resolvers) given = await evaluate(each, type, event, context);
      return given;
    };
    return [type, { transaction: 'none', waits: true, composes: true, handle }] as const;
  });
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

function warnOnce(
  { name }: Pick<Resolver, 'name'>,
  type: TypeName,
  log: ResolversLog,
  line = 'a resolver gives an attribute that the model does not have: it is left out',
): (attribute: string) => void {
  const told = new Set<string>();
  return (attribute) => {
    if (told.has(attribute) || told.size >= mostTold) return;
    told.add(attribute);
    log.warn({ resolver: name, type, attribute }, line);
  };
}

/** Names that are remembered, so that what another system makes up does not fill the memory. */
const mostTold = 100;
