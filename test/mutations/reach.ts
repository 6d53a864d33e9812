// Which test files reach which regions of the source: recorded by a run of the short form with counters in all of them, and kept in `out`.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { type Copy, type Ended, root } from './copy.ts';
import { type Mutation, parsed, type Span } from './operators.ts';
import { regionAround, regionsOf, withCounters } from './regions.ts';
import { digestOf, type Sources } from './sources.ts';

/** A test file on one of the stores. */
export interface Unit {
  readonly project: string;
  readonly file: string;
  readonly seconds: number;
  readonly passed: boolean;
  /** A bit for each region, in base64. */
  readonly entered: string;
}

interface RecordedSource {
  readonly digest: string;
  readonly first: number;
  readonly regions: readonly Span[];
  readonly imports: readonly string[];
}

export interface Recorded {
  readonly at: string;
  readonly sources: Readonly<Record<string, RecordedSource>>;
  /** The regions that are also entered while modules are loaded, which happens once in a process. */
  readonly loaded: string;
  readonly units: readonly Unit[];
}

/** Sources that run as texts where no counter is heard: in clients that are made of them. The tests of a folder reach them by rule. */
const byRule: readonly (readonly [sources: string, tests: string])[] = [['src/cli/client/runtime/', 'test/client/']];

const kept = join(root, 'out/mutations/reach.json');
const milliseconds = { test: 300_000, run: 3 * 3_600_000 };

export function lastRecorded(): Recorded | undefined {
  return existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : undefined;
}

export interface Asked {
  readonly projects: readonly string[];
  /** All of them where none is named: only that is kept. */
  readonly files: readonly string[];
  readonly workers: number;
}

/** Runs the tests on the copy, with counters in its sources. */
export async function record(copy: Copy, texts: Sources, asked: Asked): Promise<Recorded> {
  const described = describe(texts, (file, text) => copy.write(file, text));
  const notes = join(copy.folder, 'out/entered');
  mkdirSync(notes, { recursive: true });
  const environment = {
    PLATFORM_MUTATIONS_RECORD: notes,
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=file://${join(copy.folder, 'test/mutations/counters.js')}`,
  };
  const { ended } = await copy.run({ ...asked, milliseconds, environment });
  for (const [file, text] of texts) copy.write(file, text);
  const again = await endedWithout(copy, asked, ended);
  const entered = (name: string) => (existsSync(join(notes, name)) ? bits(readFileSync(join(notes, name), 'utf8')) : '');
  const units = ended.map(({ project, file, seconds, state }): Unit => {
    const last = again.find((each) => each.project === project && each.file === file)?.state ?? state;
    return { project, file, seconds, passed: last === 'passed', entered: entered(encodeURIComponent(`${project} ${file}`)) };
  });
  const recorded: Recorded = { at: new Date().toISOString(), sources: described, loaded: entered('loaded'), units };
  if (asked.files.length === 0) {
    mkdirSync(dirname(kept), { recursive: true });
    writeFileSync(kept, JSON.stringify(recorded));
  }
  return recorded;
}

/** Some do not bear counters in what they read or measure: whether they pass is asked without. */
async function endedWithout(copy: Copy, { projects, workers }: Asked, ended: readonly Ended[]): Promise<readonly Ended[]> {
  const files = [...new Set(ended.filter(({ state }) => state === 'failed').map(({ file }) => file))];
  return files.length === 0 ? [] : (await copy.run({ projects, files, milliseconds, workers })).ended;
}

function describe(texts: Sources, write: (file: string, text: string) => void): Recorded['sources'] {
  const described: Record<string, RecordedSource> = {};
  let first = 0;
  for (const [file, text] of texts) {
    const regions = byRule.some(([folder]) => file.startsWith(folder)) ? [] : regionsOf(file, text);
    write(file, withCounters(text, regions, first));
    const imports = parsed(file, text)
      .imports.filter((name) => name.startsWith('.'))
      .map((name) => posix.join(posix.dirname(file), name));
    described[file] = { digest: digestOf(text), first, regions: regions.map(({ start, end }) => ({ start, end })), imports };
    first += regions.length;
  }
  return described;
}

export function bits(lines: string): string {
  const ids = lines.split('\n').flatMap((line) => (line === '' ? [] : [Number(line)]));
  const bytes = new Uint8Array(ids.reduce((most, id) => Math.max(most, id), 0) / 8 + 1);
  for (const id of ids) bytes[id >> 3] = (bytes[id >> 3] ?? 0) | (1 << (id & 7));
  return Buffer.from(bytes).toString('base64');
}

export function reachOf(recorded: Recorded) {
  const units = recorded.units.map((unit) => ({ unit, has: among(unit.entered) }));
  const isLoaded = among(recorded.loaded);
  const enters = (ids: readonly number[]) => units.filter(({ has }) => ids.some(has)).map(({ unit }) => unit);

  /** What is done when a module is loaded shows in what its functions do, and in those of the modules that import it. */
  function users(file: string, seen = new Set<string>()): readonly number[] {
    if (seen.has(file)) return [];
    seen.add(file);
    const importers = Object.entries(recorded.sources).filter(([, { imports }]) => imports.includes(file));
    const passedOn = importers.flatMap(([name, { regions }]) => (regions.length === 0 ? users(name, seen) : idsOf(name)));
    return [...idsOf(file), ...passedOn];
  }

  function idsOf(file: string): readonly number[] {
    const { first = 0, regions = [] } = recorded.sources[file] ?? {};
    return regions.map((_, at) => first + at).filter((id) => !isLoaded(id));
  }

  /** The units that reach the place of a change. Of a source that is not what it was when that was recorded, those that reach the source. */
  return (mutation: Mutation, text: string): readonly Unit[] => {
    const source = recorded.sources[mutation.file];
    const [, tests] = byRule.find(([folder]) => mutation.file.startsWith(folder)) ?? [];
    if (tests !== undefined) return recorded.units.filter(({ file }) => file.startsWith(tests));
    if (source === undefined) return [];
    const ids = source.regions.map((_, at) => source.first + at);
    if (source.digest !== digestOf(text)) return enters([...ids, ...users(mutation.file)]);
    const at = regionAround(source.regions, mutation);
    if (at === undefined) return enters(users(mutation.file));
    const id = source.first + at;
    return enters(isLoaded(id) ? [id, ...users(mutation.file)] : [id]);
  };
}

function among(entered: string): (id: number) => boolean {
  const bytes = Buffer.from(entered, 'base64');
  return (id) => ((bytes[id >> 3] ?? 0) & (1 << (id & 7))) !== 0;
}
