// What a process has used, as the system counts it: all its threads, to the nanosecond where the kernel tells.

import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Microseconds of CPU since the process began. */
export function cpuOf(pid: number): number {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(`/proc/${pid}/schedstat`)) return ticksOf(pid);
  let nanoseconds = 0;
  for (const thread of readdirSync(folder)) nanoseconds += Number(readOf(`${folder}/${thread}/schedstat`).split(' ')[0]);
  return nanoseconds / 1000;
}

/** Mebibytes of resident memory. */
export function memoryOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** A kernel that keeps no such statistics counts in hundredths of a second. */
function ticksOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** A thread may end between being listed and being read. */
function readOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '0';
  }
}
