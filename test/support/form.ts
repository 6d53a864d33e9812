// The two forms of a run, in one place: what the short one (`npm test`) leaves to the long one (`npm run test:long`), and what the seed of a run draws.

/** Large counts, every test on both stores, and the files `*.long.test.ts`. */
export const isLong = process.env['PLATFORM_TEST_LONG'] === '1';

/**
 * Large counts. They try out what the service decides, which is the same on every runtime: on Node 24 the long form has every test on the embedded
 * store, all attacks and all kills on both, and else what the short one has.
 */
export const isLarge = isLong && !process.version.startsWith('v24.');

export const isOnServer = process.env['PLATFORM_TEST_STORE'] === 'postgres';

/** Set by vitest.config.ts: it changes with the commit, and is printed at the end of a run. */
export const seed = Number(process.env['PLATFORM_TEST_SEED'] ?? 1);

/** Files that PostgreSQL is asked whole also in the short form, since what they say stands or falls with the store. Of the others it is asked a sample. */
const ofTheStore = [
  'test/postgres/',
  'test/instances/',
  'test/migrations/',
  'test/scenarios/(conditional|filters|idempotency|moments|search|sockets|sorts).test',
  'test/dataflow/(joins|unique-together).test',
  'test/access/conditions/',
  // Some of their tests are of PostgreSQL alone.
  'test/access/oracle/revocation.test',
  'test/agents/approval.test',
  // Twenty at once.
  'test/applications/clinic.test',
  'test/audit/keep.test',
  'test/identity/(api-keys|disabled|two-instances).test',
  'test/realtime/(convergence|recorded|restored|transactions).test',
].map((pattern) => new RegExp(`^${pattern}`));

/** One of so many tests of the other files. */
const drawn = 8;

/** Files whose tests are dear and like each other: on the embedded store too, the short form runs one test in so many. */
const dear: readonly (readonly [files: RegExp, nth: number])[] = [
  [/^test\/access\/oracle\/(assignments|clients|decisions|elsewhere|mcp|tools)\.test/, 2],
  [/^test\/agents\/failures\.test/, 2],
  [/^test\/bounds\/(budget|bytes|includes|sorted)\.test/, 2],
  [/^test\/cli\/(build|build-identity|copy)\.test/, 3],
  [/^test\/cli\/export\.test/, 2],
  [/^test\/console\//, 2],
  // The contract that the embedded store is held to whole, once more, with each read in a process of its own.
  [/^test\/contracts\/sqlite-processes\.test/, 3],
  // One application for each row, in each syntax.
  [/^test\/dataflow\/(forms-(current|earlier)|functions-limits)\.test/, 2],
  [/^test\/language\/forms-converted\.test/, 3],
  [/^test\/scenarios\/(creating-forms|guarded)\.test/, 2],
  [/^test\/http\/openapi\.test/, 5],
  [/^test\/http\/openapi-complete\.test/, 10],
  [/^test\/identity\/superuser\.test/, 3],
  [/^test\/migrations\/twenty-ways\.test/, 3],
  [/^test\/(mcp\/mcp|migrations\/.*)\.test/, 2],
  [/^test\/client\/service\.test/, 2],
];

const attacksAndKills = /^test\/(bounds|durability|instances)\/|kill\.test/;

/** The note of a test that another commit runs. */
export const notDrawn = 'not drawn by the seed';

/** Whether a test is part of this run; `file` is its path in the project. */
export function isDrawn(file: string, title: string): boolean {
  if (isLarge || (isLong && (!isOnServer || attacksAndKills.test(file)))) return true;
  const own = dear.find(([files]) => files.test(file))?.[1] ?? 1;
  const nth = isOnServer && !ofTheStore.some((each) => each.test(file)) ? drawn : own;
  return hash(`${seed} ${file} ${title}`) % nth === 0;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  // The last bits of it follow those of the text.
  return value >>> 8;
}

interface Counts {
  readonly long: number;
  readonly short: number;
  readonly postgres?: number;
}

/** How often a test does what is a matter of counts. PostgreSQL, where everything takes twice as long, is asked as much as shows that it says the same. */
export function counted({ long, short, postgres = short }: Counts): number {
  if (isLarge) return isOnServer ? Math.ceil(long / 3) : long;
  return isOnServer ? postgres : short;
}

/** All in the long form, else every so many-th, beginning where the seed says. */
export function sampled<T>(all: readonly T[], nth: number, begin = seed): readonly T[] {
  return isLong ? all : everyNth(all, nth, begin);
}

/** Some of them: every so many-th, beginning where it is said. */
export function everyNth<T>(all: readonly T[], nth: number, begin = 0): readonly T[] {
  return all.filter((_, at) => (at + begin) % nth === 0);
}
