// What a start costs: CPU and time until the first answer, memory ten seconds later.

import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './median.ts';
import { RunningServer, type ServerName, type ServerOptions, serverNames } from './servers.ts';
import { cpuOf, memoryOf } from './usage.ts';

export interface StartCost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

const starts = 5;
const settledAfter = 10_000;

/** The median of a few starts of each, in turn. The first ones, which make the tables, do not count. */
export async function measureStarts(options: ServerOptions): Promise<Record<ServerName, StartCost>> {
  const costs: Record<ServerName, StartCost[]> = { ours: [], baseline: [] };
  for (let round = 0; round <= starts; round += 1) {
    for (const name of serverNames) {
      const cost = await startOnce(name, options);
      if (round > 0) costs[name].push(cost);
    }
  }
  return { ours: medianCost(costs.ours), baseline: medianCost(costs.baseline) };
}

/** Starts both to be measured further; mebibytes of each when it has been idle for a while. */
export async function startBoth(
  options: ServerOptions,
): Promise<{ servers: readonly RunningServer[]; memory: Record<ServerName, number> }> {
  const ours = await RunningServer.start('ours', options);
  const baseline = await RunningServer.start('baseline', options);
  for (const server of [ours, baseline]) await server.answer(firstPath);
  await sleep(settledAfter);
  return { servers: [ours, baseline], memory: { ours: memoryOf(ours.pid), baseline: memoryOf(baseline.pid) } };
}

const firstPath = '/bench/Note?@limit=1';

async function startOnce(name: ServerName, options: ServerOptions): Promise<StartCost> {
  const began = performance.now();
  const server = await RunningServer.start(name, options);
  try {
    await server.answer(firstPath);
    return { cpuMs: cpuOf(server.pid) / 1000, wallMs: performance.now() - began };
  } finally {
    await server.stop();
  }
}

function medianCost(costs: readonly StartCost[]): StartCost {
  return { cpuMs: median(costs.map((each) => each.cpuMs)), wallMs: median(costs.map((each) => each.wallMs)) };
}
