// Measures a case on both servers in short slices, one after the other in turn, so that noise of the machine hits both.

import type { Case } from './cases.ts';
import type { Generator } from './generator.ts';
import { median } from './median.ts';
import type { RunningServer, ServerName } from './servers.ts';
import { cpuOf } from './usage.ts';

export interface Figures {
  /** Microseconds of the server's CPU per request. */
  readonly cpu: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface Measured {
  readonly case: Case;
  readonly connections: number;
  readonly figures: Record<ServerName, Figures>;
  /** Ours to the baseline's CPU per request: the median over pairs of slices. */
  readonly ratio: number;
  readonly slices: Record<ServerName, readonly Figures[]>;
}

export interface Measurement {
  readonly case: Case;
  readonly connections: number;
  /** Of each server, in all slices together. */
  readonly seconds: number;
  /** Whether the servers have served this case before. */
  readonly isWarm: boolean;
}

export interface Loaded {
  readonly server: RunningServer;
  /** Of stored notes. */
  readonly ids: readonly string[];
}

const slices = 10;
/** Code is compiled while it runs: figures of the first seconds are those of a start. */
const warmUp = 2500;
const warmUpAgain = 500;

export async function measure(measurement: Measurement, servers: readonly Loaded[], generator: Generator): Promise<Measured> {
  const { case: measured, connections, seconds, isWarm } = measurement;
  const found: Record<ServerName, Figures[]> = { ours: [], baseline: [] };
  for (const each of servers) await slice(each, measurement, isWarm ? warmUpAgain : warmUp, generator);
  for (let round = 0; round < slices; round += 1) {
    const turn = round % 2 === 0 ? servers : [...servers].reverse();
    for (const each of turn) found[each.server.name].push(await slice(each, measurement, (seconds * 1000) / slices, generator));
  }
  const ratio = median(found.ours.map((own, round) => own.cpu / (found.baseline[round]?.cpu ?? Number.NaN)));
  const figures = { ours: medianFigures(found.ours), baseline: medianFigures(found.baseline) };
  return { case: measured, connections, figures, ratio, slices: found };
}

export async function slice(
  { server, ids }: Loaded,
  measurement: Pick<Measurement, 'case' | 'connections'>,
  milliseconds: number,
  generator: Generator,
): Promise<Figures> {
  const { requests, status } = measurement.case;
  const cpu = { before: 0, after: 0 };
  const task = { port: server.port, connections: measurement.connections, requests: requests(ids), status, milliseconds };
  const result = await generator.run(
    task,
    () => {
      cpu.before = cpuOf(server.pid);
    },
    () => {
      cpu.after = cpuOf(server.pid);
    },
  );
  return {
    cpu: (cpu.after - cpu.before) / result.count,
    perSecond: (result.count * 1000) / result.milliseconds,
    p50: result.p50,
    p99: result.p99,
  };
}

function medianFigures(all: readonly Figures[]): Figures {
  return {
    cpu: median(all.map((each) => each.cpu)),
    perSecond: median(all.map((each) => each.perSecond)),
    p50: median(all.map((each) => each.p50)),
    p99: median(all.map((each) => each.p99)),
  };
}
