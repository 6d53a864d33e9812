// `npm run bench:surfaces`: the same operations on both surfaces of one running service, in short slices in turn.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, type CaseName, cases } from './cases.ts';
import { earlierCases } from './earlier-cases.ts';
import { fill } from './fill.ts';
import { Generator } from './generator.ts';
import { type Loaded, slice } from './measure.ts';
import { median } from './median.ts';
import { RunningServer, root } from './servers.ts';

/** The earlier surface should cost at most so much of the current one. */
const aim = 1.25;
const rounds = 10;
const sliceMs = 500;
const connections = 16;
const names: readonly CaseName[] = ['read', 'list100', 'list1000', 'filter', 'create', 'nested'];

const results = join(root, 'bench', 'results');
mkdirSync(results, { recursive: true });
const folder = mkdtempSync(join(results, 'data-'));
const generator = new Generator();
const server = await RunningServer.start('ours', { folder, logLevel: 'warn', arguments: ['-c', join(root, 'bench', 'model', 'both.al')] });
try {
  const loaded = await fill(server, generator);
  print('| operation | current, CPU µs | earlier, CPU µs | ratio | aim |\n| --- | --: | --: | --: | --: |');
  for (const name of names) print(await row(name, loaded));
} finally {
  generator.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function row(name: CaseName, loaded: Loaded): Promise<string> {
  const [current, earlier] = [caseOf(cases, name), caseOf(earlierCases, name)];
  for (const each of [current, earlier]) await slice(loaded, { case: each, connections }, sliceMs * 3, generator);
  const found: { current: number[]; earlier: number[] } = { current: [], earlier: [] };
  for (let round = 0; round < rounds; round += 1) {
    found.current.push((await slice(loaded, { case: current, connections }, sliceMs, generator)).cpu);
    found.earlier.push((await slice(loaded, { case: earlier, connections }, sliceMs, generator)).cpu);
  }
  const ratio = median(found.earlier.map((cpu, round) => cpu / (found.current[round] ?? Number.NaN)));
  return `| ${current.title} | ${median(found.current).toFixed(1)} | ${median(found.earlier).toFixed(1)} | ${ratio.toFixed(2)} | ≤ ${aim} |`;
}

function caseOf(all: readonly Case[], name: CaseName): Case {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
