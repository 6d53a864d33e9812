// The processor time of this process and of the children that it has waited for.

import { readFileSync } from 'node:fs';

/** In seconds. Only Linux says what children used; elsewhere they are left out. */
export function cpuSeconds(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  // The name of the program, in parentheses, may hold spaces; `utime`, `stime`, `cutime` and `cstime` are the 12th to 15th field behind it.
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  return ticks.reduce((sum, each) => sum + Number(each), 0) / 100;
}
