// `npm run test:mutations -- [--seed N] [--count 60]`: breaks drawn places of the source, one at a time in a copy, and says which of them no test notices.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { mutants } from '../access/oracle/mutations/mutants.ts';
import { Random } from '../applications/random.ts';
import { attempt, type Bounds, type Noticing, runOf, type Verdict } from './attempt.ts';
import { Copy, type Ended } from './copy.ts';
import { byRoom, drawn, quotas, roomOf } from './draw.ts';
import { isEquivalent } from './equivalent.ts';
import { noticedInLong } from './long.ts';
import { applied, type Mutation, mutationOf } from './operators.ts';
import { lastRecorded, type Recorded, reachOf, record } from './reach.ts';
import { allMutations, sources } from './sources.ts';

const { values, positionals } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    count: { type: 'string', default: '60' },
    /** Rooms, with commas between them; all of them where it is not said. */
    rooms: { type: 'string' },
    /** The list of `test/access/oracle/mutations/mutants.ts` instead of drawn ones: as many of it as are asked for. */
    written: { type: 'boolean', default: false },
    /** How many are tried at the same time. */
    jobs: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    /** How many files run first for each, and the seconds of those that run then. */
    first: { type: 'string', default: '12' },
    bound: { type: 'string', default: '60' },
    /** What is not noticed is tried with the files of the long form: not at all, or with large counts in all others too, on both stores. */
    short: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    /** Asks the tests again what they reach. Where files are named, those alone, for this run. */
    record: { type: 'boolean', default: false },
    projects: { type: 'string', default: 'sqlite,postgres' },
  },
  allowPositionals: true,
});

const texts = sources();
const textOf = (file: string) => texts.get(file) ?? '';
const random = new Random(Number(values.seed));
const bounds: Bounds = { first: Number(values.first), seconds: Number(values.bound) };
const copies = new Set<Copy>();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => void closed().then(() => process.exit(1)));

say(`seed ${values.seed}`);
try {
  const recorded = await reach();
  const reaching = reachOf(recorded);
  const chosen = values.written ? written() : await accepted();
  const started = Date.now();
  const queue = [...chosen];
  const verdicts: Verdict[] = [];
  const work = async () => {
    const copy = opened();
    for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
      const begin = Date.now();
      const verdict = await attempt(copy, mutation, textOf(mutation.file), reaching(mutation, textOf(mutation.file)), bounds);
      verdicts.push(verdict);
      say(`${verdict.result}, ${seconds(begin)}, ${verdict.ran} of ${verdict.reached} files: ${shown(mutation)}${noticing(verdict.by)}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(Number(values.jobs), chosen.length) }, work));
  const unnoticed = verdicts.filter(({ result }) => result === 'unnoticed');
  const open = unnoticed.map((verdict) => ({ verdict, reaching: reaching(verdict.mutation, textOf(verdict.mutation.file)) }));
  const late = values.short ? [] : await inCopy((copy) => noticedInLong(copy, open, textOf, values.long));
  const all = verdicts.map((verdict) => late.find(({ mutation }) => mutation === verdict.mutation) ?? verdict);
  told(all, await failing(recorded, all));
  say(`seed ${values.seed}, ${seconds(started)}`);
} finally {
  await closed();
}

async function reach(): Promise<Recorded> {
  const last = values.record || positionals.length > 0 ? undefined : lastRecorded();
  const asked = { projects: values.projects.split(','), files: positionals, workers: availableParallelism() };
  const recorded = last ?? (await inCopy((copy) => record(copy, texts, asked)));
  const failed = recorded.units.filter(({ passed }) => !passed);
  say(`${recorded.units.length} test files recorded at ${recorded.at}`);
  for (const { project, file } of failed) say(`not asked, as it does not pass without a mutation: ${file} on ${project}`);
  return recorded;
}

/** As many of each room as it is to have, of those that the compiler has nothing against: it would notice the others before any test. */
async function accepted(): Promise<readonly Mutation[]> {
  const all = allMutations(texts).filter((each) => !isEquivalent(each, textOf(each.file)));
  const rooms = byRoom(values.rooms === undefined ? all : all.filter(({ file }) => values.rooms?.split(',').includes(roomOf(file))));
  const wanted = quotas(rooms, Number(values.count), random);
  const candidates = [...wanted].map(([room, count]) => drawn(rooms.get(room) ?? [], random).slice(0, 3 * count));
  const faults = await inCopy((copy) => {
    for (const each of candidates.flat()) copy.write(each.file, applied(textOf(each.file), each));
    return copy.faults();
  });
  const chosen = [...wanted.values()].flatMap((count, at) => candidates[at]?.filter(({ file }) => !faults.has(file)).slice(0, count) ?? []);
  say(
    `${all.length} mutations possible, ${candidates.flat().length} drawn, ${faults.size} files refused by the compiler, ${chosen.length} tried`,
  );
  return chosen;
}

function written(): readonly Mutation[] {
  const found = mutants.map(({ file, piece, instead }): Mutation => {
    const start = textOf(file).indexOf(piece);
    if (start < 0) throw new Error(`${file} does not have this: ${piece}`);
    return mutationOf(file, textOf(file), { operator: 'written', start, end: start + piece.length, after: instead });
  });
  return found
    .map((mutation) => ({ mutation, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ mutation }) => mutation)
    .slice(0, Number(values.count));
}

/** The files that noticed something run once more without a mutation: what fails then has noticed nothing. */
async function failing({ units }: Recorded, verdicts: readonly Verdict[]): Promise<readonly Ended[]> {
  const found: Ended[] = [];
  for (const project of ['sqlite', 'postgres']) {
    const named = units.filter(
      (unit) => unit.project === project && verdicts.some(({ by }) => by?.project === project && by.file === unit.file),
    );
    if (named.length > 0) found.push(...(await inCopy((copy) => runOf(copy, project, named, false, false))).ended);
  }
  return found.filter(({ state }) => state === 'failed');
}

function told(verdicts: readonly Verdict[], wrong: readonly Ended[]): void {
  const of = (result: Verdict['result']) => verdicts.filter((each) => each.result === result);
  const unnoticed = of('unnoticed');
  const long = of('noticed in the long form');
  const doubtful = verdicts.filter(
    ({ by }) => by && (!by.file || wrong.some(({ project, file }) => project === by.project && file === by.file)),
  );
  say('');
  for (const { mutation, ran, reached } of unnoticed) say(`UNNOTICED by ${ran} files, reached by ${reached}: ${shown(mutation)}`);
  for (const { mutation, by } of long) say(`ONLY IN THE LONG FORM: ${shown(mutation)}${noticing(by)}`);
  for (const { mutation, by } of doubtful)
    say(`NOT CERTAIN, as it is no test that failed, or one that also fails without: ${shown(mutation)}${noticing(by)}`);
  const share = Math.round((100 * (verdicts.length - unnoticed.length)) / Math.max(1, verdicts.length));
  say(`${verdicts.length - unnoticed.length} noticed (${long.length} only in the long form), ${unnoticed.length} unnoticed: ${share} %`);
}

function shown({ file, line, operator, before, after }: Mutation): string {
  const short = (text: string) => {
    const flat = text.replace(/\s+/g, ' ').trim();
    return flat.length > 100 ? `${flat.slice(0, 97)}…` : flat;
  };
  return `${file}:${line} (${operator}) ${short(before)} → ${short(after)}`;
}

function noticing(by: Noticing | undefined): string {
  return by === undefined ? '' : `\n    by ${by.file ?? 'no test'} on ${by.project}: ${by.how}`;
}

async function inCopy<T>(work: (copy: Copy) => Promise<T>): Promise<T> {
  const copy = opened();
  try {
    return await work(copy);
  } finally {
    await copy.close();
    copies.delete(copy);
  }
}

function opened(): Copy {
  const copy = new Copy();
  copies.add(copy);
  return copy;
}

async function closed(): Promise<void> {
  await Promise.all([...copies].map((copy) => copy.close()));
}

function seconds(since: number): string {
  return `${Math.round((Date.now() - since) / 1000)} s`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
