// What `npm test` says at its end: counts by store, the dearest files, what was left out and why, and how each failure is repeated.

import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { isLong, notDrawn } from './form.ts';
import { type MissingPart, missingParts } from './missing.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Seconds of the processor. */
    cpu?: number;
  }
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  notDrawn: number;
}

export interface Summary {
  readonly stores: Readonly<Record<string, Counts>>;
  readonly seed: string;
  /** All files, and the tests that are dear: first the dearest. */
  readonly files: readonly Cost[];
  readonly tests: readonly Cost[];
  readonly failures: readonly string[];
  readonly missing: readonly MissingPart[];
}

interface Cost {
  readonly name: string;
  readonly cpu: number;
}

/** Seconds from which on a test belongs to the long form, or has its reason beside it. */
const dear = 5;

export default class RunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env['PLATFORM_TEST_SUMMARY'];
    if (file !== undefined) writeFileSync(file, JSON.stringify(summaryOf(modules)));
  }
}

function summaryOf(modules: readonly TestModule[]): Summary {
  const stores: Record<string, Counts> = {};
  for (const module of modules) {
    stores[storeOf(module)] ??= { passed: 0, failed: 0, skipped: 0, notDrawn: 0 };
    const counts = stores[storeOf(module)];
    if (counts !== undefined) count(module, counts);
  }
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  return {
    stores,
    seed: process.env['PLATFORM_TEST_SEED'] ?? modules[0]?.project.config.env['PLATFORM_TEST_SEED'] ?? '',
    files: dearestFirst(modules.map((each) => ({ name: nameOf(each), cpu: each.meta().cpu ?? 0 }))),
    tests: dearestFirst(tests.map((each) => ({ name: `${nameOf(each.module)}: ${each.fullName}`, cpu: each.meta().cpu ?? 0 }))).filter(
      ({ cpu }) => cpu > dear,
    ),
    failures: modules.flatMap(failuresOf),
    missing: missingParts(),
  };
}

function count(module: TestModule, counts: Counts): void {
  // A file that cannot even be loaded, or whose hooks fail, has no test that says so.
  if (module.errors().length > 0) counts.failed += 1;
  for (const test of module.children.allTests()) {
    const { state, ...result } = test.result();
    if (state === 'passed' || state === 'failed') counts[state] += 1;
    else if ('note' in result && result.note === notDrawn) counts.notDrawn += 1;
    else counts.skipped += 1;
  }
}

function failuresOf(module: TestModule): readonly string[] {
  const tests = [...module.children.allTests()].filter((test) => test.result().state === 'failed').map(repeating);
  return [...(module.errors().length > 0 ? [`${command(module)} # ${nameOf(module)}`] : []), ...tests];
}

function repeating(test: TestCase): string {
  // The runner takes a pattern, of titles with nothing but a space between them.
  const pattern = test.fullName.replaceAll(/[.*+?^${}()|[\]\\"$`]/g, '.').replaceAll(' > ', ' (> )?');
  return `${command(test.module)} -t "${pattern}"`;
}

function command({ project, relativeModuleId }: TestModule): string {
  const form = isLong ? 'PLATFORM_TEST_LONG=1 ' : '';
  return `${form}PLATFORM_TEST_SEED=${project.config.env['PLATFORM_TEST_SEED']} npx vitest run --project ${project.name} ${relativeModuleId}`;
}

function dearestFirst(costs: readonly Cost[]): readonly Cost[] {
  return costs.toSorted((one, other) => other.cpu - one.cpu);
}

function nameOf(module: TestModule): string {
  return `${module.relativeModuleId} on ${storeOf(module)}`;
}

function storeOf({ project }: TestModule): string {
  const version = project.getProvidedContext().postgres?.version;
  return version === undefined ? 'SQLite' : `PostgreSQL ${version}`;
}
