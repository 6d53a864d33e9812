// The load generator: a process of its own, so that what it costs is not counted. Told what to do by messages.

import { Connection } from './connection.ts';
import { isTask, type LoadResult, type LoadTask } from './load-messages.ts';

process.on('message', (message) => {
  if (!isTask(message)) return;
  run(message).then(
    (result) => process.send?.(result),
    (failure: unknown) => process.send?.({ kind: 'failed', message: String(failure) }),
  );
});

async function run(task: LoadTask): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: task.connections }, () => Connection.open(task.port)));
  const go = new Promise((resolve) => process.once('message', resolve));
  process.send?.({ kind: 'ready' });
  await go;
  const state: State = { requests: task.requests.map((text) => Buffer.from(text)), next: 0, times: [] };
  const started = performance.now();
  const deadline = task.milliseconds === undefined ? Number.POSITIVE_INFINITY : started + task.milliseconds;
  try {
    await Promise.all(connections.map((connection) => drive(connection, task, state, deadline)));
  } finally {
    for (const connection of connections) connection.close();
  }
  const milliseconds = performance.now() - started;
  const sorted = Float64Array.from(state.times).sort();
  return { kind: 'result', count: sorted.length, milliseconds, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}

interface State {
  readonly requests: readonly Buffer[];
  next: number;
  readonly times: number[];
}

/** Sends one request after the other: until the deadline, or without one until each has been sent once. */
function drive(connection: Connection, task: LoadTask, state: State, deadline: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = performance.now();
    const answered = (status: number) => {
      const now = performance.now();
      state.times.push(now - sent);
      if (status !== task.status) reject(new Error(`answered with ${status} where ${task.status} was awaited`));
      else sendNext(now);
    };
    const sendNext = (now: number) => {
      const isOver = deadline === Number.POSITIVE_INFINITY ? state.next >= state.requests.length : now >= deadline;
      const request = isOver ? undefined : state.requests[state.next % state.requests.length];
      if (request === undefined) return resolve();
      state.next += 1;
      sent = now;
      connection.send(request, answered, reject);
    };
    sendNext(sent);
  });
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
