// The composition root: settings → a running application. The only file that knows every room, and without logic of its own.

import { dirname, join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import type { Agents, Rehearsed } from './agents/agents.ts';
import type { Audit } from './audit/audit.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Settings } from './config/config.ts';
import { engineLimits, surfaceLimits } from './config/settings/limits.ts';
import { isLoopback, localAddress } from './config/settings/providers.ts';
import { createEngine, type Engine, noRecorder } from './engine/engine.ts';
import type { Functions } from './engine/eval/functions.ts';
import type { EventHandlers } from './engine/handlers.ts';
import { type Guard, openGuard, type Recorder } from './engine/seams.ts';
import { startUp } from './engine/start-up.ts';
import { loadFunctions } from './functions/functions.ts';
import { createDispatch, unidentified } from './http/dispatch.ts';
import type { Authenticate, Endpoint, Identifying } from './http/endpoint.ts';
import type { ChangeSource } from './http/event-stream.ts';
import type { HttpRequest, Respond } from './http/exchange.ts';
import { logFailure } from './http/failure-log.ts';
import { bearerOf, type IdentityEndpointParts, identityEndpoints } from './http/identity/identity.ts';
import { signInEndpoint } from './http/identity/sign-in.ts';
import { identityOf, openapiAnswers, surfacesOf } from './http/openapi/answers.ts';
import { operationEndpoints } from './http/platform/endpoints.ts';
import { isOperator } from './http/platform/platform.ts';
import { currentSurface } from './http/rest/current.ts';
import { earlierSurface } from './http/rest/earlier/earlier.ts';
import { type RestParts, restEndpoint } from './http/rest/rest.ts';
import { runEndpoint } from './http/rest/runs.ts';
import type { Surface } from './http/rest/surface.ts';
import { bySurface } from './http/rest/surfaces.ts';
import { defaultLimits, type ServerSettings } from './http/server/limits.ts';
import type { Log } from './http/server/log.ts';
import { createMetrics, type Metrics } from './http/server/metrics.ts';
import { listen, readPem, type Server } from './http/server/server.ts';
import { systemEndpoints } from './http/system.ts';
import type { Identity } from './identity/identity.ts';
import { defaultBudget, MemoryBudget } from './memory-budget.ts';
import { type Model, runType } from './model/model.ts';
import { timerType } from './model/timers/timers.ts';
import { operatorAnswers } from './operators/operators.ts';
import type { ProjectTexts } from './operators/parts.ts';
import { compile } from './plan/compile.ts';
import type { Plan } from './plan/plan.ts';
import { createStreams } from './realtime/streams.ts';
import type { ResolverRoom } from './resolvers/room.ts';
import { type HashCost, hashSecret } from './secrets.ts';
import { lockText } from './store/migration/lock-text.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/store.ts';
import type { Timers } from './timers/timers.ts';

export interface App {
  readonly model: Model;
  /** Answers a request without a socket. */
  readonly respond: Respond;
  /** Takes requests; the addresses it is reached at. */
  listen(): Promise<readonly string[]>;
  /** Swaps the model under live traffic. Where the store refuses it, the old one keeps serving and this throws. */
  reload(model: Model): Promise<void>;
  /** The text of model.lock.json, unless `known` is the digest of what is stored. */
  lock(known: string | undefined): Promise<string | undefined>;
  /** Tries what an agent of the model answers in one of its scenarios. */
  rehearse(agent: string, scenario: number): Promise<Rehearsed>;
  /** Answers what is under way, then closes everything. */
  close(): Promise<void>;
}

export interface AppOptions {
  readonly model: Model;
  readonly settings: Settings;
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly log: Log;
  /** Whether everybody, and not operators alone, is told with `Platform-Trace: 1` how long the steps of their workflow took. */
  readonly traces?: boolean;
  /** Refuses the start where an agent has no language model that can be asked. */
  readonly requiresModels?: boolean;
  readonly parts?: AppParts;
  /** The texts of the model, which operators may read. */
  readonly project?: ProjectTexts;
}

/** What can be put in the place of what the service does without: by its own parts, and by tests. */
export interface AppParts {
  readonly clock?: Clock;
  readonly guard?: Guard;
  readonly recorder?: Recorder;
  /** Events that parts of the service do themselves. */
  readonly handlers?: EventHandlers;
  /** Who asks; without it nobody is known. */
  readonly authenticate?: Authenticate;
  /** Of passwords and `@secret` attributes. Tests that are not about hashing take the least; a service has no reason to. */
  readonly hashCost?: HashCost;
  /** At paths of their own, before those of the model. */
  readonly endpoints?: (engine: Engine) => readonly Endpoint[];
}

const grace = 10_000;

export async function createApp(options: AppOptions): Promise<App> {
  const { settings, log, parts = {} } = options;
  const { clock = systemClock() } = parts;
  const started = clock.now();
  const store = openStore(settings.store, clock, (line) => log.warn({}, line));
  let server: Server | undefined;
  const identity = await openIdentity(options, store, clock, () => server?.addresses[0]);
  const audit = await openAudit(options, store, clock);
  const authenticate = parts.authenticate ?? (identity && ((request: Identifying) => identity.authenticate(bearerOf(request))));
  const budget = new MemoryBudget(settings.service.limits.memoryTotal ?? defaultBudget(getHeapStatistics().heap_size_limit));
  const figures = () => room?.figures() ?? [];
  const metrics = createMetrics({
    memory: () => budget.figures,
    droppedLines: () => log.dropped?.() ?? 0,
    resolvers: figures,
    agents: () => agents?.figures(),
  });
  const failed = (thrown: unknown, what: string): void => log.error({ what, err: thrown }, 'work in the background failed');
  const streams = createStreams({ store, clock, limits: settings.service.limits.streams, failed });
  const stopAll = async (): Promise<void> => {
    metrics.close();
    // A run of an agent that a timer waits for is left to be taken up again: nobody waits here until it has ended.
    const timersClosed = timers?.close();
    await streams.close();
    await agents?.close();
    await timersClosed;
    await room?.close();
    await identity?.close();
    await audit?.close();
    await store.close();
  };
  let room: ResolverRoom | undefined;
  const background = new Set<Promise<void>>();
  const loaded = new Map<string, string>();
  let agents: Agents | undefined;
  let timers: Timers | undefined;
  let { model } = options;
  let serve: Respond;
  try {
    serve = await serveModel(model, options, store, metrics);
  } catch (thrown) {
    await stopAll();
    throw thrown;
  }
  const respond: Respond = (request) => serve(request);
  return {
    get model() {
      return model;
    },
    respond,
    async listen() {
      server = await listen({ settings: serverSettings(settings), respond, log, metrics, budget });
      room?.subscribe();
      return server.addresses;
    },
    async reload(next) {
      serve = await serveModel(next, options, store, metrics);
      model = next;
      if (server !== undefined) room?.subscribe();
    },
    lock: (known) => store.schema((session) => lockText(session, known)),
    rehearse: (agent, scenario) => agents?.rehearse(agent, scenario) ?? Promise.reject(new Error('the model has no agents')),
    async close() {
      await streams.close();
      await server?.close(grace);
      while (background.size > 0) await Promise.all(background);
      await stopAll();
    },
  };

  function identityPaths(known: Identity, asked: Authenticate, plan: Plan, engine: Engine): IdentityEndpointParts {
    const { surfaces } = settings.service;
    return { plan, engine, surfaces, limits: surfaceLimits(settings.service).json, authenticate: asked, me: known.me, jwks: known.jwks };
  }

  async function serveModel(served: Model, { name, version }: AppOptions, kept: Store, counted: Metrics): Promise<Respond> {
    agents ??= served.entities.has(runType) ? await openAgents(options, kept, clock) : undefined;
    const llm = served.agents.size === 0 ? undefined : agents?.checkModels(served, options.requiresModels === true);
    room ??= served.resolvers.size === 0 ? undefined : await openResolvers(options, kept, clock);
    const resolvers = served.resolvers.size === 0 ? undefined : room?.open(served, () => functions);
    timers ??= served.entities.has(timerType) ? await openTimers(options, kept, clock) : undefined;
    const handled: EventHandlers = new Map([
      ...(identity?.handlers ?? []),
      ...(agents?.handlers(served) ?? []),
      ...(parts.handlers ?? []),
      ...(resolvers?.handlers ?? []),
    ]);
    const plan = compile(served, { handled, identified: authenticate !== undefined });
    const functions: Functions = await loadFunctions(served, {
      folder: options.folder,
      clock,
      limit: settings.service.limits.function,
      loaded,
      failed: (thrown, message) => log.warn({ err: thrown }, message),
      logged: (line) => log.info({}, line),
    });
    await kept.migrate(plan.tables, { version, mended: (words) => log.warn({ mended: words }, 'rows were not where their parents are') });
    const engine = createEngine({
      plan,
      store: kept,
      clock,
      functions,
      hash: (secret) => hashSecret(secret, parts.hashCost),
      limits: engineLimits(settings.service),
      guard: parts.guard ?? (await guardOf(plan, identity)),
      recorder: parts.recorder ?? (await audit?.recorder(plan)) ?? noRecorder,
      handlers: handled,
      asking: agents?.flows,
      external: await resolvers?.external(plan),
      triggers: timers?.triggers,
      background,
      warn: (line) => log.warn({}, line),
      failed: (thrown, what) => log.error({ what, err: thrown }, 'work after the answer failed'),
    });
    await identity?.open(plan, engine);
    await startUp(engine);
    await identity?.start();
    await agents?.start(engine);
    await room?.start(resolvers, engine);
    if (served.entities.has(timerType)) await timers?.start(engine);
    else await timers?.stop();
    await streams.serve(engine);
    const { expose } = settings.service;
    const surface = surfaceOf(plan, settings);
    const { graphql, mcp } = settings;
    const described = { name, version, graphql, mcp, ...identityOf(settings.auth), ...surfacesOf(settings.service) };
    const system = systemEndpoints({
      name,
      version,
      ready: () => kept.ready(),
      llm,
      unavailable: () => figures().flatMap(({ name: each, isOpen }) => (isOpen ? [each] : [])),
      metrics: expose.metrics ? () => counted.text() : undefined,
      ...openapiAnswers(plan, described, expose),
    });
    const failed = (thrown: unknown, request: HttpRequest): void => logFailure(thrown, request, log);
    const authentication = settings.auth !== undefined;
    const traces: RestParts['traces'] = (request, caller) => options.traces === true || isOperator(request, caller, { authentication });
    const rest = { surface, engine, mayBeStale: plan.external.composed.size > 0, traces, failed };
    const changes = { open: streams.open, authenticate: authenticate ?? unidentified };
    const operators = operatorAnswers({ ...options, plan, store: kept, clock, started, resolvers: figures, surfaceOf });
    return createDispatch({
      endpoints: [
        ...system,
        ...operationEndpoints({ plan, engine, name, version, settings, operators }),
        ...(identity === undefined || authenticate === undefined
          ? []
          : identityEndpoints(identityPaths(identity, authenticate, plan, engine))),
        ...(identity?.signIn === undefined ? [] : [signInEndpoint(identity.signIn)]),
        ...(agents === undefined ? [] : [runEndpoint(agents, surface, surfaceLimits(settings.service).json)]),
        ...(parts.endpoints?.(engine) ?? []),
        ...(settings.graphql ? [await graphqlAt(plan, engine, changes, options)] : []),
        ...(settings.mcp ? await mcpAt(plan, engine, options, identity) : []),
        restEndpoint({ ...rest, changes }),
      ],
      authenticate: authenticate ?? unidentified,
      toError: surface.toError,
      failed,
    });
  }
}

/** Loaded only where the model has resolvers. */
async function openResolvers({ settings, log, folder }: AppOptions, store: Store, clock: Clock): Promise<ResolverRoom> {
  const { ResolverRoom: Room } = await import('./resolvers/room.ts');
  const flowTime = settings.service.limits.flow.time;
  return new Room({ settings: settings.resolvers, store, storeSettings: settings.store, clock, folder, flowTime, log });
}

/** Access control is loaded only where it is on; without it, and with authentication, only what the service keeps is guarded. */
async function guardOf(plan: Plan, identity: Identity | undefined): Promise<Guard> {
  if (identity === undefined) return openGuard;
  const service = identity.guard(plan);
  if (plan.access === undefined) return service;
  const { accessGuard } = await import('./access/access.ts');
  return accessGuard(plan.access, service);
}

/** Loaded only where it is on. */
async function graphqlAt(plan: Plan, engine: Engine, changes: ChangeSource, { settings, log }: AppOptions): Promise<Endpoint> {
  const { graphqlEndpoint } = await import('./http/graphql/graphql.ts');
  const failed = (thrown: unknown, request: HttpRequest): void => logFailure(thrown, request, log);
  const surface = settings.service.surfaces[0] ?? 'current';
  return graphqlEndpoint({ plan, engine, surface, limits: surfaceLimits(settings.service), changes, failed });
}

/** Loaded only where it is on. */
async function mcpAt(plan: Plan, engine: Engine, options: AppOptions, identity: Identity | undefined): Promise<readonly Endpoint[]> {
  const { mcpEndpoints } = await import('./http/mcp/mcp.ts');
  const { surfaces, cors, host = 'localhost' } = options.settings.service;
  const isLocal = isLoopback(host) && identity === undefined;
  const failed = (thrown: unknown, request: HttpRequest): void => logFailure(thrown, request, options.log);
  const served = { plan, engine, surface: surfaces[0] ?? 'current', limits: surfaceLimits(options.settings.service).json };
  return mcpEndpoints({ ...options, ...served, origins: cors.origins, isLocal, failed, resource: identity?.resource });
}

/** Loaded only where authentication is on. */
async function openIdentity(
  { settings, name, folder, log, parts = {} }: AppOptions,
  store: Store,
  clock: Clock,
  listening: () => string | undefined,
): Promise<Identity | undefined> {
  const { auth } = settings;
  const { host = 'localhost', port, tls } = settings.service;
  if (auth === undefined) return undefined;
  const { createIdentity } = await import('./identity/identity.ts');
  return createIdentity({
    settings: auth,
    store,
    clock,
    name,
    folder,
    hashCost: parts.hashCost,
    outboxFolder: join(settings.store.type === 'sqlite' ? dirname(settings.store.file) : join(folder, 'data'), 'outbox'),
    localAddress: isLoopback(host)
      ? () => localAddress(listening() ?? `${tls === undefined ? 'http' : 'https'}://${host}:${port}`)
      : undefined,
    log: {
      info: (line) => log.info({}, line),
      warn: (line) => log.warn({}, line),
      failed: (thrown, what) => log.error({ what, err: thrown }, 'work after the answer failed'),
    },
  });
}

/** Loaded only where the audit trail is on. */
async function openAudit({ settings, log }: AppOptions, store: Store, clock: Clock): Promise<Audit | undefined> {
  if (settings.audit === undefined) return undefined;
  const { createAudit } = await import('./audit/audit.ts');
  return createAudit({
    settings: settings.audit,
    store,
    clock,
    log: {
      warn: (line) => log.warn({}, line),
      error: (line) => log.error({}, line),
      failed: (thrown, what) => log.error({ what, err: thrown }, 'work in the background failed'),
    },
  });
}

/** Loaded only where a model has agents, or workflows that resolvers may suspend. */
async function openAgents({ settings, log, folder }: AppOptions, { isShared }: Store, clock: Clock): Promise<Agents> {
  const { createAgents } = await import('./agents/agents.ts');
  return createAgents({
    settings: settings.llm,
    folder,
    clock,
    isShared,
    workers: settings.service.limits.runs,
    log: {
      unready: (names) => log.warn({ agents: names }, 'agents have no language model: set LLM_API_KEY before the service starts'),
      unreadable: (document, thrown) =>
        log.warn({ document, reason: thrown instanceof Error ? thrown.message : thrown }, 'a document of agents cannot be read'),
      noReply: ({ kind }, model) => log.warn({ model, kind }, 'the language model gave no reply'),
      failed: (thrown, what) => log.error({ what, err: thrown }, 'work in the background failed'),
    },
  });
}

/** Loaded only where a model has timers or schedules. */
async function openTimers({ settings, log }: AppOptions, { isShared }: Store, clock: Clock): Promise<Timers> {
  const { createTimers } = await import('./timers/timers.ts');
  return createTimers({
    settings: settings.timers,
    clock,
    isShared,
    log: {
      failed: (thrown, timer) => log.warn({ timer, err: thrown }, 'a timer failed'),
      unavailable: (thrown) => log.error({ err: thrown }, 'timers wait for the store'),
    },
  });
}

/** The surfaces that a model is served on, each at its own paths. */
export function surfaceOf(plan: Plan, settings: Settings): Surface {
  const { surfaces } = settings.service;
  const limits = surfaceLimits(settings.service);
  return bySurface({
    earlier: surfaces.includes('earlier') ? earlierSurface(plan, limits, { envelope: settings.service.envelope }) : undefined,
    current: surfaces.includes('current') ? currentSurface(plan, limits) : undefined,
    own: surfaces[0] ?? 'current',
  });
}

function serverSettings({ service }: Settings): ServerSettings {
  const { port, host, tls, trustProxy, cors, rateLimit, limits } = service;
  return {
    port,
    host,
    tls: tls === undefined ? undefined : readPem(tls),
    trustProxy,
    corsOrigins: cors.origins,
    rateLimit,
    limits: { ...defaultLimits, body: limits.body, url: limits.url, requestTimeout: limits.timeout * 1000 },
  };
}
