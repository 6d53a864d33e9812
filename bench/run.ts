// `npm run bench`: this service against a hand-written program with the same entities, durability and log level.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cases, casesOnPostgres } from './cases.ts';
import { fill } from './fill.ts';
import { Generator } from './generator.ts';
import { type Loaded, type Measured, measure } from './measure.ts';
import { type Options, readOptions, usage } from './options.ts';
import { type RunningDatabase, startDatabase } from './postgres.ts';
import { profile } from './profile.ts';
import { header, measuredRow, type Outcome, rule, startRows, toJson, withTables } from './report.ts';
import { root } from './servers.ts';
import { measureStarts, startBoth } from './start-cost.ts';

try {
  await main();
} catch (thrown) {
  print(`bench: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const options = parsed();
  if (options === undefined) return;
  build();
  const results = join(root, 'bench', 'results');
  mkdirSync(results, { recursive: true });
  const folder = mkdtempSync(join(results, 'data-'));
  const database = options.store === 'postgres' ? await startDatabase() : undefined;
  try {
    if (database !== undefined) print(`PostgreSQL ${database.version}\n`);
    if (options.profile === undefined) await compare(options, folder, results, database);
    else await profile(options, folder, database?.server, print);
  } finally {
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function build(): void {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build.js')], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
}

function parsed(): Options | undefined {
  try {
    return readOptions(process.argv.slice(2));
  } catch (thrown) {
    print(`${thrown instanceof Error ? thrown.message : String(thrown)}\n${usage}`);
    process.exitCode = 2;
    return undefined;
  }
}

async function compare(options: Options, folder: string, results: string, database: RunningDatabase | undefined): Promise<void> {
  const { logLevel, seconds, store } = options;
  const started = { folder, logLevel, postgres: database?.server };
  const starts = await measureStarts(started);
  const { servers, memory } = await startBoth(started);
  const generator = new Generator();
  try {
    print(`${startRows({ starts, memory })}\n`);
    const loaded: Loaded[] = [];
    for (const server of servers) loaded.push(await fill(server, generator));
    const outcome: Outcome = { store, logLevel, seconds, starts, memory, measured: await measureAll(options, loaded, generator) };
    if (options.docs) writeDocs(outcome);
    print(`\nWritten: ${save(outcome, results)}`);
  } finally {
    generator.close();
    for (const server of servers) await server.stop();
  }
}

async function measureAll(options: Options, loaded: readonly Loaded[], generator: Generator): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  print(`${header}\n${rule}`);
  const all = options.store === 'postgres' ? casesOnPostgres : cases;
  for (const each of all.filter(({ name }) => options.only.includes(name))) {
    for (const [index, connections] of options.connections.entries()) {
      const found = await measure({ case: each, connections, seconds: options.seconds, isWarm: index > 0 }, loaded, generator);
      print(measuredRow(found));
      measured.push(found);
    }
  }
  return measured;
}

function writeDocs(outcome: Outcome): void {
  const file = join(root, 'docs', 'performance.md');
  writeFileSync(file, withTables(readFileSync(file, 'utf8'), outcome));
}

function save(outcome: Outcome, results: string): string {
  const file = join(results, `${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`);
  writeFileSync(file, toJson(outcome));
  return file.slice(root.length);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
