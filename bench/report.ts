// Figures → a table for people, in the Markdown that docs/performance.md takes, and JSON for programs.

import { arch, cpus, release, type } from 'node:os';
import type { Measured } from './measure.ts';
import type { ServerName, StoreName } from './servers.ts';
import type { StartCost } from './start-cost.ts';

export interface Outcome {
  readonly store: StoreName;
  readonly logLevel: string;
  readonly seconds: number;
  readonly starts: Record<ServerName, StartCost>;
  /** Mebibytes. */
  readonly memory: Record<ServerName, number>;
  readonly measured: readonly Measured[];
}

export const header = row([
  'case',
  'connections',
  'CPU µs/request: ours',
  'baseline',
  'ratio',
  'aim',
  'requests/s: ours',
  'baseline',
  'p50 ms: ours',
  'baseline',
  'p99 ms: ours',
  'baseline',
]);

export const rule = row(['---', ...Array.from({ length: 11 }, () => '--:')]);

export function measuredRow({ case: { title, aim }, connections, figures: { ours, baseline }, ratio }: Measured): string {
  const aimed = connections === 16 && Number.isFinite(aim) ? `≤ ${aim}${ratio > aim ? ' ✗' : ''}` : '';
  const costs = [ours.cpu.toFixed(1), baseline.cpu.toFixed(1), ratio.toFixed(2), aimed];
  const rates = [ours.perSecond.toFixed(0), baseline.perSecond.toFixed(0)];
  const times = [ours.p50, baseline.p50, ours.p99, baseline.p99].map((each) => each.toFixed(2));
  return row([title, String(connections), ...costs, ...rates, ...times]);
}

export function startRows({ starts: { ours, baseline }, memory }: Pick<Outcome, 'starts' | 'memory'>): string {
  const more = ours.cpuMs - baseline.cpuMs;
  return [
    row(['start', 'ours', 'baseline', 'difference', 'aim']),
    row(['---', '--:', '--:', '--:', '--:']),
    row([
      'CPU until the first answer, ms',
      ours.cpuMs.toFixed(0),
      baseline.cpuMs.toFixed(0),
      more.toFixed(0),
      `≤ 150 more${missed(more > 150)}`,
    ]),
    row([
      'time until the first answer, ms',
      ours.wallMs.toFixed(0),
      baseline.wallMs.toFixed(0),
      (ours.wallMs - baseline.wallMs).toFixed(0),
      '',
    ]),
    row([
      'RSS 10 s later, MiB',
      memory.ours.toFixed(1),
      memory.baseline.toFixed(1),
      (memory.ours - memory.baseline).toFixed(1),
      `≤ 95${missed(memory.ours > 95)}`,
    ]),
  ].join('\n');
}

/** The page with the figures of this run between its two marks. */
export function withTables(page: string, outcome: Outcome): string {
  const rows = [header, rule, ...outcome.measured.map(measuredRow)].join('\n');
  const run = `Node ${process.version}, ${cpus().length} processors (${cpus()[0]?.model ?? 'unknown'}), log level \`${outcome.logLevel}\`.`;
  const mark = outcome.store === 'sqlite' ? 'figures' : 'figures on PostgreSQL';
  const between = new RegExp(`(<!-- ${mark} -->\\n)[\\s\\S]*(<!-- end of ${mark} -->)`);
  return page.replace(between, `$1\n${run}\n\n${rows}\n\n${startRows(outcome)}\n\n$2`);
}

export function toJson(outcome: Outcome): string {
  const { measured, ...rest } = outcome;
  const machine = { node: process.version, system: `${type()} ${release()} ${arch()}`, processors: cpus().map((each) => each.model) };
  const cases = measured.map(({ case: { name, aim }, ...figures }) => ({ case: name, aim, ...figures }));
  return `${JSON.stringify({ machine, ...rest, cases }, undefined, 2)}\n`;
}

function missed(is: boolean): string {
  return is ? ' ✗' : '';
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
