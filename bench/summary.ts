// A sampled profile → the functions, files and rooms with the most time of their own.

import { placesIn } from './places.ts';
import { root } from './servers.ts';

/** As Node writes it; times in microseconds. */
export interface Profile {
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

type Times = Map<string, number>;

const shown = 40;

/** Of the samples between two times. Shares are of samples; the microseconds are those shares of `cpu`, what a request cost. */
export function summary(recorded: Profile, from: number, until: number, cpu: number): readonly string[] {
  const times = timesOf(recorded, from, until);
  return (['room', 'file', 'function'] as const).flatMap((each) => [
    '',
    `µs of CPU per request, share, by ${each}`,
    ...lines(times[each], cpu),
  ]);
}

function timesOf(recorded: Profile, from: number, until: number): Record<'room' | 'file' | 'function', Times> {
  const frames = new Map(recorded.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = { room: new Map<string, number>(), file: new Map<string, number>(), function: new Map<string, number>() };
  const place = placesIn(root);
  let time = recorded.startTime;
  for (const [index, sample] of recorded.samples.entries()) {
    time += recorded.timeDeltas[index] ?? 0;
    const frame = frames.get(sample);
    if (frame === undefined || time < from || time > until || frame.functionName === '(idle)') continue;
    // A sample stands for the time until the next one.
    const spent = recorded.timeDeltas[index + 1] ?? 0;
    const { file, line } = place(frame.url, frame.lineNumber);
    const name = frame.functionName === '' ? '(anonymous)' : frame.functionName;
    add(times.room, roomOf(file, name), spent);
    add(times.file, file, spent);
    add(times.function, `${name}  ${file}${line === undefined ? '' : `:${line}`}`, spent);
  }
  return times;
}

function roomOf(file: string, name: string): string {
  if (file === '(native)')
    return name === 'writev' || name.startsWith('write') ? 'writing to sockets' : name.startsWith('(') ? name : 'native';
  if (file.startsWith('node:')) return 'Node';
  const [top = '', room = ''] = file.split('/');
  // What SQLite does is counted where it is called.
  return `${top}/${room}`;
}

function lines(times: Times, cpu: number): readonly string[] {
  const total = [...times.values()].reduce((sum, each) => sum + each, 0);
  const most = [...times].sort((first, second) => second[1] - first[1]).slice(0, shown);
  return most.map(
    ([name, spent]) => `${((spent * cpu) / total).toFixed(2).padStart(9)} ${((spent * 100) / total).toFixed(1).padStart(5)} %  ${name}`,
  );
}

function add(times: Times, name: string, spent: number): void {
  times.set(name, (times.get(name) ?? 0) + spent);
}
