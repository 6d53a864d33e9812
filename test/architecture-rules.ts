// The rules of the house as a pure function over { file → text }: who may import whom, and what may not appear where.

import { furtherDoors } from './architecture-doors.ts';

export type Tree = ReadonlyMap<string, string>;

interface Import {
  readonly target: string;
  readonly isType: boolean;
  readonly isLazy: boolean;
}

/** Everything that breaks a rule, one line each. Files are named from the root: `src/plan/plan.ts`. */
export function violations(tree: Tree, doors = furtherDoors): readonly string[] {
  const imports = new Map([...tree].map(([file, text]) => [file, importsOf(file, text)]));
  return [
    ...[...imports].flatMap(([file, found]) => found.flatMap((each) => wrongWay(file, each))),
    ...cycles(imports),
    ...tooFull(tree),
    ...circles(imports),
    ...circlesOfFolders(imports),
    ...[...imports].flatMap(([file, found]) => found.flatMap(({ target }) => pastTheDoor(file, target, doors))),
    ...[...tree].flatMap(([file, text]) => [...wrongContent(file, text), ...wrongShape(file, text)]),
  ];
}

/** Only the door of a folder, the file of its name, is imported from outside of it, and the further ones that are listed. */
function pastTheDoor(file: string, target: string, doors: Readonly<Record<string, string>>): readonly string[] {
  const [, folder = '', name = ''] = /^src\/(.+)\/([^/]+)\.ts$/.exec(target) ?? [];
  if (folder === '' || file.startsWith(`src/${folder}/`) || folder.split('/').at(-1) === name) return [];
  const isListed = (doors[folder] ?? '').split(' ').includes(name);
  return isListed ? [] : [`${file} imports ${target}: it is private to ${folder}`];
}

/** Listed doors that nobody outside uses. */
export function unusedDoors(tree: Tree, doors = furtherDoors): readonly string[] {
  const used = new Set(
    [...tree].flatMap(([file, text]) => importsOf(file, text).flatMap(({ target }) => pastTheDoor(file, target, {}).map(() => target))),
  );
  return Object.entries(doors)
    .flatMap(([folder, names]) => names.split(' ').map((name) => `src/${folder}/${name}.ts`))
    .filter((file) => !used.has(file));
}

const base = ['base', 'values'];
const core = [...base, 'model', 'plan', 'store', 'engine'];

/** Which rooms a room may import, itself aside. `base` are the files directly in src. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  base: [],
  values: ['base'],
  model: base,
  language: [...base, 'model'],
  plan: [...base, 'model'],
  store: [...base, 'model', 'plan'],
  engine: [...base, 'model', 'plan', 'store'],
  identity: core,
  access: core,
  audit: core,
  agents: core,
  resolvers: core,
  realtime: core,
  timers: core,
  http: core,
  // Knows what the rooms tell an operator, and how requests ask for it.
  operators: [...core, 'http', 'access', 'audit', 'resolvers', 'timers'],
  // Reads the model's own code again, to evaluate it.
  functions: [...core, 'language'],
  config: [...base, 'model', 'language'],
  lsp: [...base, 'model', 'language'],
};

/** `config` knows the settings of every room, as types only. */
const mayImportTypes: Readonly<Record<string, readonly string[]>> = {
  operators: ['config'],
  config: ['store', 'engine', 'http', 'identity', 'access', 'audit', 'agents', 'resolvers', 'timers'],
};

const unlimited = new Set(['app', 'index', 'cli', 'standalone']);

function wrongWay(file: string, { target, isType }: Import): readonly string[] {
  if (!target.startsWith('src/')) return [];
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === to) return [];
  if (unlimited.has(from)) {
    const isAbove =
      (to === 'standalone' && from !== 'cli') ||
      (to === 'cli' && from !== 'standalone') ||
      (to === 'index' && from !== 'cli') ||
      (from === 'app' && (to === 'lsp' || to === 'index'));
    return isAbove ? [`${file} imports ${target}: nothing imports ${to}`] : [];
  }
  const allowed = [...(mayImport[from] ?? []), ...(isType ? (mayImportTypes[from] ?? []) : [])];
  if (mayImport[from] === undefined) return [`${file} is in a room that is not drawn: ${from}`];
  return allowed.includes(to) ? [] : [`${file} imports ${target}: ${from} may not import ${to}`];
}

function roomOf(file: string): string {
  const [, room = '', ...rest] = file.split('/');
  if (rest.length > 0) return room;
  if (room === 'app.ts') return 'app';
  return room === 'index.ts' ? 'index' : 'base';
}

function importsOf(file: string, text: string): readonly Import[] {
  const code = withoutComments(text);
  const fixed = [...code.matchAll(/^\s*(?:import|export)\s+(type\s+)?(?:[^'"();]*?\sfrom\s+)?['"]([^'"]+)['"]/gm)];
  const lazy = [...code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)];
  return [
    ...fixed.map(([, type, target = '']) => ({ target: resolvePath(file, target), isType: type !== undefined, isLazy: false })),
    ...lazy.map(([, target = '']) => ({ target: resolvePath(file, target), isType: false, isLazy: true })),
  ];
}

function resolvePath(file: string, target: string): string {
  if (!target.startsWith('.')) return target;
  const parts = file.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Each cycle once, named by its files. Types may point back, and what is imported on first use may too. */
function cycles(imports: ReadonlyMap<string, readonly Import[]>): readonly string[] {
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start !== -1) found.add(`import cycle: ${[...path.slice(start)].sort().join(' ↔ ')}`);
    if (start !== -1 || done.has(file)) return;
    for (const each of imports.get(file) ?? []) if (!each.isType && !each.isLazy) visit(each.target, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return [...found];
}

/** Files that lead to each other, types and what is imported on first use counted: whoever changes one of them may have to read all of them. */
const mostInCircle = 10;

function circles(imports: ReadonlyMap<string, readonly Import[]>): readonly string[] {
  return components(imports)
    .map((files) => files.toSorted())
    .filter((files) => files.length > mostInCircle)
    .map((files) => `${files.length} files lead to each other, and ${mostInCircle} is the most: ${files.join(' ↔ ')}`);
}

/** Rooms whose folders lie above each other, types counted. The room's own files are below them, or above. */
const layered = ['src/engine', 'src/store', 'src/cli', 'src/model/link'];

function circlesOfFolders(imports: ReadonlyMap<string, readonly Import[]>): readonly string[] {
  return layered.flatMap((room) => {
    const folderOf = (file: string): string =>
      file.startsWith(`${room}/`)
        ? (file
            .slice(room.length + 1)
            .split('/')
            .slice(0, -1)[0] ?? '')
        : '';
    const folders = new Map<string, Import[]>();
    for (const [file, found] of imports) {
      const folder = folderOf(file);
      if (folder === '') continue;
      const others = found.map((each) => ({ ...each, target: folderOf(each.target) })).filter(({ target }) => target !== '');
      folders.set(folder, [...(folders.get(folder) ?? []), ...others]);
    }
    return components(folders)
      .filter((each) => each.length > 1)
      .map((each) => `folders of ${room} lead to each other: ${each.toSorted().join(' ↔ ')}`);
  });
}

/** Tarjan's strongly connected components. */
function components(imports: ReadonlyMap<string, readonly Import[]>): readonly (readonly string[])[] {
  const found: string[][] = [];
  const places = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): number => {
    const place = places.size;
    places.set(file, place);
    open.push(file);
    let low = place;
    for (const { target } of imports.get(file) ?? []) {
      if (!imports.has(target)) continue;
      if (!places.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, lowest.get(target) ?? places.get(target) ?? place);
    }
    lowest.set(file, low);
    if (low === place) found.push(open.splice(open.indexOf(file)));
    return low;
  };
  for (const file of imports.keys()) if (!places.has(file)) visit(file);
  return found;
}

const ioFiles = [
  /^src\/store\/(sqlite|postgres)\//,
  // The server side of http: sockets and what is read from and written to them.
  /^src\/http\/server\//,
  /^src\/http\/openapi\/docs\/script\.ts$/,
  /^src\/http\/console\/files\.ts$/,
  /^src\/identity\/(hosted|oidc|mail|passwords\/hashing)(\/.*)?\.ts$/,
  /^src\/audit\/files\.ts$/,
  /^src\/agents\/providers\//,
  /^src\/resolvers\/(kinds\/sql-database|recorded\/file)\.ts$/,
  /^src\/(folders|threads|outgoing)\.ts$/,
  /^src\/functions\/(functions|call-limit|javascript\/module-file)\.ts$/,
  /^src\/config\//,
  /^src\/cli\//,
  /^src\/standalone\//,
  /^src\/lsp\/server\.ts$/,
];

const ioModules =
  /^(node:)?(fs|fs\/promises|http|https|http2|net|tls|dgram|dns|child_process|worker_threads|cluster|sqlite|vm)$|^(fastify|@fastify\/.*|@photostructure\/sqlite|pg|chokidar|nodemailer)$/;

const effects: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Date.now', /\bDate\.now\b/],
  ['new Date()', /\bnew Date\(\s*\)/],
  ['Math.random', /\bMath\.random\b/],
  ['randomUUID', /\brandomUUID\b/],
  ['process.env', /\bprocess\.env\b/],
  ['fetch', /(?<![.\w])fetch\(/],
];

function wrongContent(file: string, text: string): readonly string[] {
  if (ioFiles.some((pattern) => pattern.test(file))) return [];
  const io = importsOf(file, text).filter((each) => !each.isType && ioModules.test(each.target));
  const code = withoutTexts(withoutComments(text));
  const used = file === 'src/clock.ts' ? [] : effects.filter(([, pattern]) => pattern.test(code));
  return [
    ...io.map((each) => `${file} imports ${each.target}: IO belongs in the files named for it`),
    ...used.map(([name]) => `${file} uses ${name}: effects are parameters`),
    ...(/^src\/(identity|http\/identity|secrets)\b/.test(file) ? comparedSecrets(code) : []).map(
      (each) => `${file} compares ${each} by ===: timingSafeEqual does`,
    ),
    ...(file === door || !/(?<!\bservice)\.judge\(|\bhandlers\.prepare\(|\bconditionToRun\((?!type:)/.test(code)
      ? []
      : [`${file} judges or prepares operations: ${door} does`]),
    ...(isOneWriter(file) || !/\btx\.(?:insert|insertEach|update|updateEach|delete)\(/.test(code)
      ? []
      : [`${file} writes rows: ${writer} does`]),
  ];
}

/** A secret that is compared with something that was sent: how long it takes tells how much of it is right. With what is absent, or a constant, it may be. */
function comparedSecrets(code: string): readonly string[] {
  const names = '(?:hash|secret|code|token|verifier|signature|digest|password|challenge)';
  const one = `(?:[\\w.]*\\.)?${names}`;
  const other = `(?!undefined|null|true|false|not[A-Z])[\\w.]+`;
  const pattern = new RegExp(`\\b${one} ?[!=]== ?${other}|\\b${other} ?[!=]== ?${one}\\b(?!\\.)`, 'g');
  return [...code.matchAll(pattern)].map(([found]) => found);
}

/** A guard may ask another one, `service`, that it stands on. */
const door = 'src/engine/execute.ts';

const writer = 'src/engine/rows/rows.ts';

/** Whoever else writes would not be recorded. Answers that are kept, and sessions, are no rows of the model. */
function isOneWriter(file: string): boolean {
  if (/^src\/(identity|agents)\//.test(file)) return false;
  return !file.startsWith('src/engine/') || [writer, 'src/engine/idempotency.ts', 'src/engine/own-table.ts'].includes(file);
}

/** Nobody reads through a longer list of names. */
const mostFiles = 30;

function tooFull(tree: Tree): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of tree.keys()) {
    const folder = file.slice(0, file.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].flatMap(([folder, count]) => (count > mostFiles ? [`${folder} has ${count} files: ${mostFiles} is the wall`] : []));
}

function wrongShape(file: string, text: string): readonly string[] {
  const lines = text.split('\n').length - 1;
  const code = withoutComments(text);
  return [
    ...(lines > 800 ? [`${file} has ${lines} lines: 800 is the wall`] : []),
    ...(/^(export )?(let|var)\s/m.test(code) ? [`${file} has a top-level let or var`] : []),
    ...keptState(code).map((each) => `${file} keeps state at its top level: ${each}`),
    ...(text.startsWith('// ') ? [] : [`${file} does not say in its first line what it is in charge of`]),
  ];
}

/** What a top-level `WeakMap` may be keyed by: data that is frozen once it is made, so that what is remembered of it stays true. */
const frozenInput = new Set([
  'Source',
  'EntityPlan',
  'LinkPlan',
  'RowPlan',
  'FlowProgram',
  'Action',
  'Dataflows',
  'Expression',
  'Condition',
  'Plan',
  'Model',
  'Table',
  'Select',
  'Insert',
  'Update',
  'Delete',
  'JoinQuery',
]);

/** Collections that fill or change themselves. A table is given its content where it stands. */
function keptState(code: string): readonly string[] {
  const made = [...code.matchAll(/^(?:export )?const (\w+)[^=\n]*= new (Map|Set|WeakMap|WeakSet)\b(?:<([^(\n]*)>)?\((\))?/gm)];
  return made.flatMap(([, name = '', kind, types = '', empty]) => {
    const [key = ''] = types.split(',');
    if (kind === 'WeakMap' && key.split('|').every((each) => frozenInput.has(each.trim()))) return [];
    const changes = new RegExp(`(?<![.\\w])${name}\\.(?:set|add|delete|clear)\\(`).test(code);
    return empty !== undefined || changes || kind?.startsWith('Weak') === true ? [`${name} (${kind})`] : [];
  });
}

/** Texts are matched first, so that `//` in an address is not taken for a comment. */
export function withoutComments(text: string): string {
  return text.replace(
    /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (_, kept: string | undefined) => kept ?? '',
  );
}

export function withoutTexts(code: string): string {
  return code.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");
}
