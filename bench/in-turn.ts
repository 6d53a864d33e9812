// Two ways to the same thing on one server, in short slices in turn: what one costs of the other.

import type { Case } from './cases.ts';
import type { Generator } from './generator.ts';
import { type Loaded, slice } from './measure.ts';
import { median } from './median.ts';

export interface InTurn {
  readonly title: string;
  /** The most that the second may cost of the first. */
  readonly aim: number;
  readonly requests: readonly [first: Case['requests'], second: Case['requests']];
  readonly connections: number;
  readonly rounds: number;
  /** Milliseconds. */
  readonly slice: number;
  /** Leaves out the first, of which nobody wants a profile. */
  readonly onlySecond?: boolean;
}

/** A line of a table: title, CPU of both in microseconds, the median of the ratios of neighbours, the aim. */
export async function inTurn(measured: InTurn, loaded: Loaded, generator: Generator): Promise<string> {
  const { title, aim, rounds, connections, slice: time, onlySecond = false } = measured;
  const [first, second] = measured.requests.map((requests): Case => ({ name: 'read', title, aim, status: 200, requests }));
  const cpuOf = async (each: Case | undefined, milliseconds: number): Promise<number> =>
    each === undefined ? Number.NaN : (await slice(loaded, { case: each, connections }, milliseconds, generator)).cpu;
  for (const each of [first, second]) await cpuOf(each, 1500);
  const found: { readonly first: number; readonly second: number }[] = [];
  for (let round = 0; round < rounds; round += 1)
    found.push({ first: await cpuOf(onlySecond ? undefined : first, time), second: await cpuOf(second, time) });
  const ratio = median(found.map((each) => each.second / each.first));
  const cells = [median(found.map((each) => each.first)).toFixed(1), median(found.map((each) => each.second)).toFixed(1), ratio.toFixed(2)];
  return `| ${title} | ${cells.join(' | ')} | ≤ ${aim} |`;
}
