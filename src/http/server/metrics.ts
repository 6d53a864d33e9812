// What the service counts of itself, in the text form that Prometheus reads.

import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { BudgetFigures } from '../../memory-budget.ts';

export interface Metrics {
  /** A request has begun. */
  begin(): void;
  /** It has ended, after `milliseconds`, with `status`; 0 when the caller went away before there was one. */
  end(method: string, status: number, milliseconds: number): void;
  connected(): void;
  disconnected(): void;
  text(): string;
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
  const durations = createDurations();
  let inFlight = 0;
  let connections = 0;
  return {
    begin: () => {
      inFlight += 1;
    },
    end: (method, status, milliseconds) => {
      inFlight -= 1;
      if (status > 0) observe(durations, method, status, milliseconds / 1000);
    },
    connected: () => {
      connections += 1;
    },
    disconnected: () => {
      connections -= 1;
    },
    text: () => {
      const lines: string[] = [];
      writeDurations(durations, lines);
      gauge(lines, 'http_requests_in_flight', 'Requests that are being answered.', inFlight);
      gauge(lines, 'http_connections_open', 'Open connections.', connections);
      writeMemory(counted.memory(), lines);
      counter(lines, 'log_lines_dropped_total', 'Lines of the log that nobody took in time.', counted.droppedLines());
      writeResolvers(counted.resolvers(), lines);
      writeAgents(counted.agents(), lines);
      writeProcess(lines);
      writeEventLoop(delay, lines);
      return `${lines.join('\n')}\n`;
    },
    close: () => {
      delay.disable();
    },
  };
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'] as const;
const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/** One count per bound, one for what is slower than all of them. */
const width = bounds.length + 1;

/** Flat and allocated once: a request only adds to numbers. */
interface Durations {
  readonly counts: Float64Array;
  readonly sums: Float64Array;
}

function createDurations(): Durations {
  const series = methods.length * classes.length;
  return { counts: new Float64Array(series * width), sums: new Float64Array(series) };
}

function observe(durations: Durations, method: string, status: number, seconds: number): void {
  const series = methodIndex(method) * classes.length + Math.min(classes.length, Math.max(1, Math.trunc(status / 100))) - 1;
  let bucket = 0;
  while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket += 1;
  const cell = series * width + bucket;
  durations.counts[cell] = (durations.counts[cell] ?? 0) + 1;
  durations.sums[series] = (durations.sums[series] ?? 0) + seconds;
}

function methodIndex(method: string): number {
  for (let index = 0; index < methods.length; index += 1) if (methods[index] === method) return index;
  return methods.length - 1;
}

function writeDurations(durations: Durations, lines: string[]): void {
  const name = 'http_request_duration_seconds';
  describe(lines, name, 'Time from the headers of a request to the end of its answer.', 'histogram');
  for (const [methodAt, method] of methods.entries()) {
    for (const [classAt, statusClass] of classes.entries()) {
      const series = methodAt * classes.length + classAt;
      const counts = durations.counts.subarray(series * width, (series + 1) * width);
      const labels = `method="${method}",status="${statusClass}"`;
      const total = counts.reduce((sum, count) => sum + count, 0);
      if (total === 0) continue;
      let below = 0;
      for (const [at, bound] of bounds.entries()) {
        below += counts[at] ?? 0;
        lines.push(`${name}_bucket{${labels},le="${bound}"} ${below}`);
      }
      lines.push(`${name}_bucket{${labels},le="+Inf"} ${total}`);
      lines.push(`${name}_sum{${labels}} ${durations.sums[series]}`, `${name}_count{${labels}} ${total}`);
    }
  }
}

function writeMemory({ limit, reserved, waiting, refused }: BudgetFigures, lines: string[]): void {
  gauge(
    lines,
    'request_memory_reserved_bytes',
    'Bytes that requests hold: bodies, what is read for answers, and answers not sent yet.',
    reserved,
  );
  gauge(lines, 'request_memory_limit_bytes', 'Bytes that they may hold together.', limit);
  gauge(lines, 'request_memory_waiting_requests', 'Requests that wait until there is room.', waiting);
  counter(lines, 'request_memory_refused_total', 'Requests that were refused because there was no room.', refused);
}

function writeProcess(lines: string[]): void {
  gauge(lines, 'process_pid', 'The process these figures are of: of several workers each tells its own.', process.pid);
  const { user, system } = process.cpuUsage();
  counter(lines, 'process_cpu_user_seconds_total', 'User CPU time.', user / 1e6);
  counter(lines, 'process_cpu_system_seconds_total', 'System CPU time.', system / 1e6);
  counter(lines, 'process_cpu_seconds_total', 'User and system CPU time.', (user + system) / 1e6);
  gauge(lines, 'process_start_time_seconds', 'When the process began, since 1970.', Math.round(performance.timeOrigin / 1000));
  const { rss, heapUsed } = process.memoryUsage();
  gauge(lines, 'process_resident_memory_bytes', 'Resident memory.', rss);
  gauge(lines, 'nodejs_heap_size_used_bytes', 'Used memory of the JavaScript heap.', heapUsed);
}

function writeEventLoop(delay: IntervalHistogram, lines: string[]): void {
  const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
  gauge(lines, 'nodejs_eventloop_lag_mean_seconds', 'Mean delay of the event loop since the last reading.', seconds(delay.mean));
  gauge(lines, 'nodejs_eventloop_lag_p50_seconds', 'Median of that delay.', seconds(delay.percentile(50)));
  gauge(lines, 'nodejs_eventloop_lag_p99_seconds', '99th percentile of that delay.', seconds(delay.percentile(99)));
  gauge(lines, 'nodejs_eventloop_lag_max_seconds', 'Longest such delay.', seconds(delay.max));
  delay.reset();
}

function counter(lines: string[], name: string, help: string, value: number): void {
  describe(lines, name, help, 'counter');
  lines.push(`${name} ${value}`);
}

function gauge(lines: string[], name: string, help: string, value: number): void {
  describe(lines, name, help, 'gauge');
  lines.push(`${name} ${value}`);
}

function describe(lines: string[], name: string, help: string, type: 'counter' | 'gauge' | 'histogram'): void {
  lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
}

/** Names come from the model, and hold neither quotes nor backslashes. */
function writeResolvers(resolvers: readonly ResolverFigures[], lines: string[]): void {
  if (resolvers.length === 0) return;
  describe(lines, 'resolver_calls_total', 'Calls of resolvers, by what came of them.', 'counter');
  for (const { name, answered, failed } of resolvers) {
    lines.push(`resolver_calls_total{resolver="${name}",outcome="answered"} ${answered}`);
    lines.push(`resolver_calls_total{resolver="${name}",outcome="failed"} ${failed}`);
  }
  describe(lines, 'resolver_unavailable', 'Whether a resolver has failed so often that it is not asked for a while.', 'gauge');
  for (const { name, isOpen } of resolvers) lines.push(`resolver_unavailable{resolver="${name}"} ${isOpen ? 1 : 0}`);
  const subscribed = resolvers.flatMap(({ name, subscription }) => (subscription === undefined ? [] : [{ name, ...subscription }]));
  if (subscribed.length === 0) return;
  describe(lines, 'resolver_messages_total', 'Messages of subscriptions, by what came of them.', 'counter');
  for (const { name, committed, rejected } of subscribed) {
    lines.push(`resolver_messages_total{resolver="${name}",outcome="committed"} ${committed}`);
    lines.push(`resolver_messages_total{resolver="${name}",outcome="rejected"} ${rejected}`);
  }
  describe(lines, 'resolver_subscribed', 'Whether this process has the subscription of a resolver, and its handler runs.', 'gauge');
  for (const { name, isActive } of subscribed) lines.push(`resolver_subscribed{resolver="${name}"} ${isActive ? 1 : 0}`);
}

function writeAgents(figures: AgentFigures | undefined, lines: string[]): void {
  if (figures === undefined) return;
  const { runs, models, refused } = figures;
  describe(lines, 'agent_runs_total', 'Runs of agents that have ended, by what came of them.', 'counter');
  for (const { agent, status, count } of runs) lines.push(`agent_runs_total{agent="${agent}",status="${status}"} ${count}`);
  describe(lines, 'agent_tool_refusals_total', 'Calls of tools that were refused.', 'counter');
  for (const { tool, count } of refused) lines.push(`agent_tool_refusals_total{tool="${tool}"} ${count}`);
  describe(lines, 'llm_calls_total', 'Attempts at language models, by what came of them.', 'counter');
  for (const { model, answered, failed } of models.map(quoted)) {
    lines.push(`llm_calls_total{model=${model},outcome="answered"} ${answered}`);
    lines.push(`llm_calls_total{model=${model},outcome="failed"} ${failed}`);
  }
  describe(lines, 'llm_tokens_total', 'Tokens that language models read and wrote.', 'counter');
  for (const { model, inputTokens, outputTokens } of models.map(quoted)) {
    lines.push(`llm_tokens_total{model=${model},direction="input"} ${inputTokens}`);
    lines.push(`llm_tokens_total{model=${model},direction="output"} ${outputTokens}`);
  }
  describe(lines, 'llm_cost_total', 'What they cost, by the prices of the settings.', 'counter');
  for (const { model, cost } of models.map(quoted)) lines.push(`llm_cost_total{model=${model}} ${cost}`);
}

/** Names of models come from the settings. */
function quoted<T extends { readonly model: string }>(figures: T): T {
  return { ...figures, model: JSON.stringify(figures.model) };
}
