// Where the CPU time of one case goes: a sampled profile of the server under load, by function and by file.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cases } from './cases.ts';
import { fill } from './fill.ts';
import { Generator } from './generator.ts';
import { slice } from './measure.ts';
import type { Options } from './options.ts';
import { placesIn } from './places.ts';
import { RunningServer, root } from './servers.ts';

interface Profile {
  readonly startTime: number;
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

const shown = 45;
const warmUp = 2500;

/** Prints the functions with the most time of their own, and the same by file. Shares are of samples; microseconds are those shares of the CPU time. */
export async function profile(options: Options, folder: string, print: (line: string) => void): Promise<void> {
  const [connections = 16] = options.connections;
  const found = cases.find((each) => each.name === options.profile);
  if (found === undefined) return;
  const flags = ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${folder}`];
  const server = await RunningServer.start(options.server, { folder, logLevel: options.logLevel, flags });
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
    summarise(readProfile(folder), from, until, cpu, print);
  } finally {
    generator.close();
    await server.stop();
  }
}

/** Microseconds on the clock that profiles are stamped with. */
function now(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

function readProfile(folder: string): Profile {
  const name = readdirSync(folder).find((each) => each.endsWith('.cpuprofile'));
  if (name === undefined) throw new Error('the server left no profile');
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}

function summarise(recorded: Profile, from: number, until: number, cpu: number, print: (line: string) => void): void {
  const frames = new Map(recorded.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byFunction = new Map<string, number>();
  const byFile = new Map<string, number>();
  const place = placesIn(root);
  let time = recorded.startTime;
  for (const [index, sample] of recorded.samples.entries()) {
    // A sample stands for the time until the next one.
    time += recorded.timeDeltas[index] ?? 0;
    const frame = frames.get(sample);
    if (frame === undefined || time < from || time > until || frame.functionName === '(idle)') continue;
    const spent = recorded.timeDeltas[index + 1] ?? 0;
    const { file, line } = place(frame.url, frame.lineNumber);
    add(byFile, file, spent);
    add(
      byFunction,
      `${frame.functionName === '' ? '(anonymous)' : frame.functionName}  ${file}${line === undefined ? '' : `:${line}`}`,
      spent,
    );
  }
  const total = [...byFile.values()].reduce((sum, each) => sum + each, 0);
  for (const [title, times] of [
    ['by function', byFunction],
    ['by file', byFile],
  ] as const) {
    print(`\nµs of CPU per request, share, ${title}`);
    for (const [name, spent] of [...times].sort((first, second) => second[1] - first[1]).slice(0, shown)) {
      print(`${((spent * cpu) / total).toFixed(2).padStart(9)} ${((spent * 100) / total).toFixed(1).padStart(5)} %  ${name}`);
    }
  }
}

function add(times: Map<string, number>, name: string, spent: number): void {
  times.set(name, (times.get(name) ?? 0) + spent);
}
