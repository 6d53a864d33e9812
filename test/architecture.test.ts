// The house as it stands keeps its rules, and the rules do catch what breaks them.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { type Tree, unusedDoors, violations } from './architecture-rules.ts';
import { staying, tricksIn } from './architecture-tricks.ts';

test('the source keeps the rules of the house', () => {
  expect(violations(sourceTree())).toEqual([]);
});

test('every listed door of a room is used', () => {
  expect(unusedDoors(sourceTree())).toEqual([]);
});

test('nothing changes the runtime or knows its inside but what is listed with its reason', () => {
  expect(tricksIn(sourceTree())).toEqual(Object.keys(staying));
});

const tricks: readonly (readonly [code: string, expected: string])[] = [
  ["v8.setFlagsFromString('--no-opt');", 'changes flags of the runtime'],
  ['os.setPriority(threadId, 10);', 'changes a priority'],
  ["process.binding('fs');", 'asks for bindings of the runtime'],
  ['process._getActiveHandles();', 'asks for bindings of the runtime'],
  ['Atomics.wait(signals, 0, 1);', 'blocks its thread'],
  ['const value = eval(text);', 'evaluates text'],
  ["const call = new Function('a', text);", 'evaluates text'],
  ['Readable.prototype.push.call(raw, chunk);', "calls a prototype's method on another object"],
  ['const handle = socket._handle;', 'uses a private field'],
  ['const size = out.socket?._handle;', 'uses a private field'],
  ['raw.push = push;', 'replaces a method of a stream'],
  ["import { Session } from 'node:inspector';", 'imports the inspector'],
  ["const inside = Reflect.get(client, 'connectionParameters');", 'reads a field that the types do not know'],
];
test.each(tricks)('%s is found as a trick', (code, expected) => {
  expect(tricksIn(treeOf({ 'src/store/postgres/a.ts': code }))).toContain(`src/store/postgres/a.ts ${expected}`);
});

test('what only looks like a trick is none', () => {
  const code = "async eval(event) {}\nconst sql = `row._rowid_`;\nconst a = params._meta;\n// Atomics.wait\nconst b = 'new Function';";
  expect(tricksIn(treeOf({ 'src/plan/a.ts': `${code}\nrow.push(1);\nAtomics.waitAsync(a, 0, 1);\nthis.#field = 1;` }))).toEqual([]);
});

const say = '// Says what it is in charge of.\n';

const broken: readonly (readonly [title: string, files: Readonly<Record<string, string>>, expected: RegExp])[] = [
  ['plan may not import store', { 'src/plan/plan.ts': "import { open } from '../store/open.ts';" }, /plan may not import store/],
  ['a type counts too', { 'src/model/model.ts': "import type { Plan } from '../plan/plan.ts';" }, /model may not import plan/],
  ['a re-export counts too', { 'src/plan/plan.ts': "export * from '../engine/engine.ts';" }, /plan may not import engine/],
  [
    'an import on first use counts too',
    { 'src/engine/engine.ts': "const x = import('../http/dispatch.ts');" },
    /engine may not import http/,
  ],
  [
    'an import over several lines counts too',
    { 'src/plan/plan.ts': "import {\n  a,\n  b,\n} from '../http/dispatch.ts';" },
    /plan may not import http/,
  ],
  [
    'http never imports language',
    { 'src/http/dispatch.ts': "import { read } from '../language/front-end.ts';" },
    /http may not import language/,
  ],
  [
    'engine never imports language',
    { 'src/engine/crud.ts': "import { read } from '../language/front-end.ts';" },
    /engine may not import language/,
  ],
  [
    'rooms never import each other',
    { 'src/access/guard.ts': "import { a } from '../identity/identity.ts';" },
    /access may not import identity/,
  ],
  ['rooms never import http', { 'src/agents/handler.ts': "import { a } from '../http/dispatch.ts';" }, /agents may not import http/],
  ['engine imports no room', { 'src/engine/engine.ts': "import { a } from '../audit/audit.ts';" }, /engine may not import audit/],
  [
    'config takes only types from rooms',
    { 'src/config/config.ts': "import { a } from '../store/open.ts';" },
    /config may not import store/,
  ],
  ['nothing imports the command', { 'src/app.ts': "import { main } from './cli/main.ts';" }, /nothing imports cli/],
  ['what is no door is private to its room', { 'src/http/a.ts': "import { a } from '../engine/retry.ts';" }, /private to engine/],
  [
    'a room inside of a room is private too',
    { 'src/engine/engine.ts': "import { a } from './flow/join/rows.ts';" },
    /private to engine\/flow\/join/,
  ],
  ['a new room is drawn first', { 'src/misc/a.ts': "import { a } from '../errors.ts';" }, /not drawn: misc/],
  [
    'imports form no cycle',
    {
      'src/plan/a.ts': "import { b } from './b.ts';",
      'src/plan/b.ts': "import { c } from './c.ts';",
      'src/plan/c.ts': "import { a } from './a.ts';",
    },
    /import cycle: src\/plan\/a\.ts ↔ src\/plan\/b\.ts ↔ src\/plan\/c\.ts/,
  ],
  [
    'types form no large circle',
    Object.fromEntries(
      Array.from({ length: 11 }, (_, each) => [`src/plan/f${each}.ts`, `import type { A } from './f${(each + 1) % 11}.ts';`] as const),
    ),
    /11 files lead to each other, and 10 is the most: src\/plan\/f0\.ts ↔ /,
  ],
  [
    'folders of the engine form no circle',
    {
      'src/engine/flow/flow.ts': "import { a } from '../crud/crud.ts';",
      'src/engine/crud/crud.ts': 'export const a = 1;',
      'src/engine/crud/b.ts': "import type { B } from '../flow/flow.ts';",
    },
    /folders of src\/engine lead to each other: crud ↔ flow/,
  ],
  ['there is no top-level let', { 'src/plan/a.ts': 'export let count = 0;' }, /top-level let/],
  ['there is no registry at the top level', { 'src/plan/a.ts': 'const seen = new Map<string, number>();' }, /keeps state .*: seen \(Map\)/],
  [
    'a table at the top level does not change',
    {
      'src/plan/a.ts':
        "export const words: Set<string> = new Set(['a']);\nexport function learn(word: string): void {\n  words.add(word);\n}",
    },
    /keeps state .*: words \(Set\)/,
  ],
  [
    'a cache at the top level is keyed by frozen input',
    { 'src/plan/a.ts': 'const kept = new WeakMap<Socket, number>();' },
    /keeps state .*: kept \(WeakMap\)/,
  ],
  ['no file is longer than 800 lines', { 'src/plan/a.ts': '\n'.repeat(801) }, /800 is the wall/],
  [
    'no folder has more than 30 files',
    Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`src/plan/a${index}.ts`, ''])),
    /plan has 31 files: 30 is the wall/,
  ],
  ['a file says what it is in charge of', { 'src/plan/a.ts': 'SILENT' }, /first line/],
  ['files are read only in IO files', { 'src/plan/a.ts': "import { readFileSync } from 'node:fs';" }, /IO belongs/],
  ['sockets are opened only in IO files', { 'src/http/dispatch.ts': "import fastify from 'fastify';" }, /IO belongs/],
  ['time comes from the clock', { 'src/engine/a.ts': 'const at = Date.now();' }, /uses Date\.now/],
  ['the date comes from the clock', { 'src/engine/a.ts': 'const at = new Date();' }, /uses new Date/],
  ['identifiers come from the clock', { 'src/engine/a.ts': 'const id = crypto.randomUUID();' }, /uses randomUUID/],
  ['chance comes as a parameter', { 'src/engine/a.ts': 'const x = Math.random();' }, /uses Math\.random/],
  ['the environment comes as a parameter', { 'src/engine/a.ts': "const x = process.env['A'];" }, /uses process\.env/],
  ['rows are written in one place', { 'src/engine/a.ts': 'await context.tx.insert(shape, values);' }, /writes rows/],
  [
    'operations go through one door',
    { 'src/agents/a.ts': 'const task = await run.context.handlers.prepare(operation, run.context);' },
    /judges or prepares operations/,
  ],
  ['the engine itself goes through it too', { 'src/engine/a.ts': 'guard.judge(operation, caller);' }, /judges or prepares operations/],
  [
    'a secret is compared in constant time',
    { 'src/identity/a.ts': 'const isRight = found.hash === hashOf(code);' },
    /compares found\.hash === hashOf by ===/,
  ],
  ['so is a secret on the right', { 'src/identity/a.ts': 'if (given !== row.token) return;' }, /compares given !== row\.token by ===/],
  ['the network comes as a parameter', { 'src/engine/a.ts': 'const x = await fetch(url);' }, /uses fetch/],
];

for (const [title, files, expected] of broken) {
  test(`the rules catch it: ${title}`, () => {
    const found = violations(treeOf(files));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });
}

const allowed: readonly (readonly [title: string, files: Readonly<Record<string, string>>])[] = [
  ['downward', { 'src/engine/a.ts': "import { a } from '../plan/plan.ts';\nimport { b } from '../errors.ts';" }],
  ['a room may use what is its own', { 'src/engine/flow/join/join.ts': "import { a } from './rows.ts';\nimport { b } from '../run.ts';" }],
  ['types may point in a circle', { 'src/plan/a.ts': "import type { B } from './b.ts';", 'src/plan/b.ts': "import { a } from './a.ts';" }],
  ['the root imports every room', { 'src/app.ts': "import { a } from './http/server/server.ts';\nimport { b } from './store/open.ts';" }],
  ['a comment is not code', { 'src/plan/a.ts': "/* Date.now() */ const a = 'https://x'; // new Date()\nconst b = 'process.env';" }],
  [
    'a table, and a cache by frozen input',
    {
      'src/plan/a.ts':
        "const words: ReadonlySet<string> = new Set(['a']);\nconst kept = new WeakMap<EntityPlan | Source, number>();\nkept.set(a, 1);",
    },
  ],
  [
    'a secret that is absent, or stands for something else',
    { 'src/identity/a.ts': "const a = token === undefined || hash !== notMailed || code === '';" },
  ],
  ['a date made from a value', { 'src/plan/a.ts': 'const at = new Date(value);' }],
  ['the store reads files', { 'src/store/sqlite/sqlite.ts': "import { mkdirSync } from 'node:fs';" }],
];

for (const [title, files] of allowed) {
  test(`the rules allow it: ${title}`, () => expect(violations(treeOf(files))).toEqual([]));
}

function treeOf(files: Readonly<Record<string, string>>): Tree {
  return new Map(Object.entries(files).map(([file, text]) => [file, text === 'SILENT' ? 'const a = 1;\n' : `${say}${text}\n`]));
}

function sourceTree(): Tree {
  const root = join(import.meta.dirname, '..');
  const entries = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile() && each.name.endsWith('.ts')).map((each) => join(each.parentPath, each.name));
  return new Map(files.map((file) => [relative(root, file).replaceAll('\\', '/'), readFileSync(file, 'utf8')]));
}
