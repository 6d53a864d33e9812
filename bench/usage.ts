// What a process and those that it has started have used, as the system counts it: all their threads, to the nanosecond where the kernel tells.

import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Microseconds of CPU since the processes began. */
export function cpuOf(pid: number): number {
  return sum(family(pid).map(cpuAlone));
}

/** Mebibytes of resident memory. */
export function memoryOf(pid: number): number {
  return sum(family(pid).map((each) => Number(/^VmRSS:\s+(\d+) kB/m.exec(readOf(`/proc/${each}/status`))?.[1] ?? 0))) / 1024;
}

function family(pid: number): readonly number[] {
  const children = readOf(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((each) => each !== '')
    .map(Number);
  return [pid, ...children.flatMap(family)];
}

function cpuAlone(pid: number): number {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(`/proc/${pid}/schedstat`)) return ticksOf(pid);
  let nanoseconds = 0;
  for (const thread of readdirSync(folder)) nanoseconds += Number(readOf(`${folder}/${thread}/schedstat`).split(' ')[0]);
  return nanoseconds / 1000;
}

/** A kernel that keeps no such statistics counts in hundredths of a second. */
function ticksOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** A thread or process may end between being listed and being read. */
function readOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
