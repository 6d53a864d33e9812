// What the runner and the load generator tell each other.

export interface LoadTask {
  readonly kind: 'task';
  readonly port: number;
  readonly connections: number;
  readonly requests: readonly string[];
  readonly status: number;
  /** Absent: every request is sent once. */
  readonly milliseconds?: number;
}

export interface LoadResult {
  readonly kind: 'result';
  readonly count: number;
  readonly milliseconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export function isTask(message: unknown): message is LoadTask {
  return kindOf(message) === 'task';
}

export function isResult(message: unknown): message is LoadResult {
  return kindOf(message) === 'result';
}

export function kindOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'kind' in message ? message.kind : undefined;
}
