// Where the CPU time of one case goes: a sampled profile of the server under load, by function and by file.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cases } from './cases.ts';
import { fill } from './fill.ts';
import { Generator } from './generator.ts';
import { slice } from './measure.ts';
import type { Options } from './options.ts';
import { type DatabaseServer, RunningServer } from './servers.ts';
import { type Profile, summary } from './summary.ts';

const warmUp = 2500;

export async function profile(
  options: Options,
  folder: string,
  postgres: DatabaseServer | undefined,
  print: (line: string) => void,
): Promise<void> {
  const [connections = 16] = options.connections;
  const found = cases.find((each) => each.name === options.profile);
  if (found === undefined) return;
  const flags = profiled(folder);
  const server = await RunningServer.start(options.server, { folder, logLevel: options.logLevel, postgres, flags });
  const generator = new Generator();
  try {
    await server.answer('/bench/Note?@limit=1');
    const loaded = await fill(server, generator);
    const measurement = { case: found, connections };
    await slice(loaded, measurement, warmUp, generator);
    const from = now();
    const { cpu } = await slice(loaded, measurement, options.seconds * 1000, generator);
    const until = now();
    await server.stop();
    print(`${options.server}: ${found.title}, ${connections} connections, ${cpu.toFixed(1)} µs CPU per request under the profiler`);
    for (const line of summary(readProfile(folder), from, until, cpu)) print(line);
  } finally {
    generator.close();
    await server.stop();
  }
}

/** Flags with which a server leaves a profile in a folder. */
export function profiled(folder: string): readonly string[] {
  return ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${folder}`];
}

/** Microseconds on the clock that profiles are stamped with. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

export function readProfile(folder: string): Profile {
  const name = readdirSync(folder).find((each) => each.endsWith('.cpuprofile'));
  if (name === undefined) throw new Error('the server left no profile');
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}
