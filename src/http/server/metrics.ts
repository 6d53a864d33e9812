// What the service counts of itself, in the text form that Prometheus reads.

import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, type LabelValues, Registry } from 'prom-client';
import type { BudgetFigures } from '../../memory-budget.ts';

export interface Metrics {
  /** A request has begun. */
  begin(): void;
  /** It has ended, after `milliseconds`, with `status`; 0 when the caller went away before there was one. */
  end(method: string, status: number, milliseconds: number): void;
  connected(): void;
  disconnected(): void;
  text(): Promise<string>;
  close(): void;
}

/** What others count. */
export interface ServiceFigures {
  memory(): BudgetFigures;
  /** Lines of the log that were given up. */
  droppedLines(): number;
  /** Calls of resolvers; none where the model has no resolver. */
  resolvers(): readonly ResolverFigures[];
  agents(): AgentFigures | undefined;
}

/** What came of agents, where the model has any. */
export interface AgentFigures {
  readonly runs: readonly { readonly agent: string; readonly status: string; readonly count: number }[];
  readonly models: readonly {
    readonly model: string;
    readonly answered: number;
    readonly failed: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cost: string;
  }[];
  readonly refused: readonly { readonly tool: string; readonly count: number }[];
}

export interface ResolverFigures {
  readonly name: string;
  readonly answered: number;
  readonly failed: number;
  /** Whether it is not asked for a while. */
  readonly isOpen: boolean;
  /** Of one that tells of its own accord. */
  readonly subscription: { readonly isActive: boolean; readonly committed: number; readonly rejected: number } | undefined;
}

/** Keep one per service: it watches the event loop until it is closed. */
export function createMetrics(counted: ServiceFigures): Metrics {
  const delay = monitorEventLoopDelay({ resolution: 50 });
  delay.enable();
  const registry = new Registry();
  const observe = durationsIn(registry);
  let inFlight = 0;
  let connections = 0;
  return {
    begin: () => {
      inFlight += 1;
    },
    end: (method, status, milliseconds) => {
      inFlight -= 1;
      if (status > 0) observe(method, status, milliseconds / 1000);
    },
    connected: () => {
      connections += 1;
    },
    disconnected: () => {
      connections -= 1;
    },
    async text() {
      // What is counted elsewhere is read when it is asked for.
      const read = new Registry();
      const own = writerTo(read);
      own(Gauge, 'http_requests_in_flight', 'Requests that are being answered.', inFlight);
      own(Gauge, 'http_connections_open', 'Open connections.', connections);
      writeMemory(counted.memory(), own);
      own(Counter, 'log_lines_dropped_total', 'Lines of the log that nobody took in time.', counted.droppedLines());
      writeResolvers(counted.resolvers(), own);
      writeAgents(counted.agents() ?? noAgents, own);
      writeProcess(own);
      writeEventLoop(delay, own);
      return `${await registry.metrics()}\n${await read.metrics()}`;
    },
    close: () => {
      delay.disable();
    },
  };
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'];
const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'];
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Each series is looked up once: the library checks and sorts the labels of every look-up. */
function durationsIn(registry: Registry): (method: string, status: number, seconds: number) => void {
  const histogram = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer.',
    labelNames: ['method', 'status'],
    buckets,
    registers: [registry],
  });
  const series = new Map(methods.map((method) => [method, classes.map((status) => histogram.labels(method, status))]));
  return (method, status, seconds) => {
    const ofMethod = series.get(method) ?? series.get('other');
    ofMethod?.[Math.min(classes.length, Math.max(1, Math.trunc(status / 100))) - 1]?.observe(seconds);
  };
}

/** One value, or one for each set of labels; where there is none, nothing is said of it. */
type Writer = (kind: typeof Counter | typeof Gauge, name: string, help: string, samples: number | readonly Sample[]) => void;
type Sample = readonly [labels: LabelValues<string>, value: number];

function writerTo(registry: Registry): Writer {
  return (kind, name, help, samples) => {
    const all: readonly Sample[] = typeof samples === 'number' ? [[{}, samples]] : samples;
    if (all.length === 0) return;
    const metric = new kind({ name, help, labelNames: Object.keys(all[0]?.[0] ?? {}), registers: [registry] });
    for (const [labels, value] of all) metric.inc(labels, value);
  };
}

function writeMemory({ limit, reserved, waiting, refused }: BudgetFigures, write: Writer): void {
  write(
    Gauge,
    'request_memory_reserved_bytes',
    'Bytes that requests hold: bodies, what is read for answers, and answers not sent yet.',
    reserved,
  );
  write(Gauge, 'request_memory_limit_bytes', 'Bytes that they may hold together.', limit);
  write(Gauge, 'request_memory_waiting_requests', 'Requests that wait until there is room.', waiting);
  write(Counter, 'request_memory_refused_total', 'Requests that were refused because there was no room.', refused);
}

function writeProcess(write: Writer): void {
  write(Gauge, 'process_pid', 'The process these figures are of: of several workers each tells its own.', process.pid);
  const { user, system } = process.cpuUsage();
  write(Counter, 'process_cpu_user_seconds_total', 'User CPU time.', user / 1e6);
  write(Counter, 'process_cpu_system_seconds_total', 'System CPU time.', system / 1e6);
  write(Counter, 'process_cpu_seconds_total', 'User and system CPU time.', (user + system) / 1e6);
  write(Gauge, 'process_start_time_seconds', 'When the process began, since 1970.', Math.round(performance.timeOrigin / 1000));
  const { rss, heapUsed } = process.memoryUsage();
  write(Gauge, 'process_resident_memory_bytes', 'Resident memory.', rss);
  write(Gauge, 'nodejs_heap_size_used_bytes', 'Used memory of the JavaScript heap.', heapUsed);
}

function writeEventLoop(delay: IntervalHistogram, write: Writer): void {
  const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
  write(Gauge, 'nodejs_eventloop_lag_mean_seconds', 'Mean delay of the event loop since the last reading.', seconds(delay.mean));
  write(Gauge, 'nodejs_eventloop_lag_p50_seconds', 'Median of that delay.', seconds(delay.percentile(50)));
  write(Gauge, 'nodejs_eventloop_lag_p99_seconds', '99th percentile of that delay.', seconds(delay.percentile(99)));
  write(Gauge, 'nodejs_eventloop_lag_max_seconds', 'Longest such delay.', seconds(delay.max));
  delay.reset();
}

function writeResolvers(resolvers: readonly ResolverFigures[], write: Writer): void {
  const calls = resolvers.flatMap(({ name: resolver, answered, failed }): Sample[] => [
    [{ resolver, outcome: 'answered' }, answered],
    [{ resolver, outcome: 'failed' }, failed],
  ]);
  const unavailable = resolvers.map(({ name: resolver, isOpen }): Sample => [{ resolver }, isOpen ? 1 : 0]);
  const subscribed = resolvers.flatMap(({ name: resolver, subscription }) =>
    subscription === undefined ? [] : [{ resolver, ...subscription }],
  );
  const messages = subscribed.flatMap(({ resolver, committed, rejected }): Sample[] => [
    [{ resolver, outcome: 'committed' }, committed],
    [{ resolver, outcome: 'rejected' }, rejected],
  ]);
  const active = subscribed.map(({ resolver, isActive }): Sample => [{ resolver }, isActive ? 1 : 0]);
  write(Counter, 'resolver_calls_total', 'Calls of resolvers, by what came of them.', calls);
  write(Gauge, 'resolver_unavailable', 'Whether a resolver has failed so often that it is not asked for a while.', unavailable);
  write(Counter, 'resolver_messages_total', 'Messages of subscriptions, by what came of them.', messages);
  write(Gauge, 'resolver_subscribed', 'Whether this process has the subscription of a resolver, and its handler runs.', active);
}

const noAgents: AgentFigures = { runs: [], models: [], refused: [] };

function writeAgents({ runs, models, refused }: AgentFigures, write: Writer): void {
  const ended = runs.map(({ agent, status, count }): Sample => [{ agent, status }, count]);
  const refusals = refused.map(({ tool, count }): Sample => [{ tool }, count]);
  const calls = models.flatMap(({ model, answered, failed }): Sample[] => [
    [{ model, outcome: 'answered' }, answered],
    [{ model, outcome: 'failed' }, failed],
  ]);
  const tokens = models.flatMap(({ model, inputTokens, outputTokens }): Sample[] => [
    [{ model, direction: 'input' }, inputTokens],
    [{ model, direction: 'output' }, outputTokens],
  ]);
  const costs = models.map(({ model, cost }): Sample => [{ model }, Number(cost)]);
  write(Counter, 'agent_runs_total', 'Runs of agents that have ended, by what came of them.', ended);
  write(Counter, 'agent_tool_refusals_total', 'Calls of tools that were refused.', refusals);
  write(Counter, 'llm_calls_total', 'Attempts at language models, by what came of them.', calls);
  write(Counter, 'llm_tokens_total', 'Tokens that language models read and wrote.', tokens);
  write(Counter, 'llm_cost_total', 'What they cost, by the prices of the settings.', costs);
}
