// What the other scripts share: installing and building what is missing, and running a tool.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const stamp = join(root, 'node_modules', '.install-stamp');
const entry = join(root, 'dist', 'cli.js');

/** Installs when `node_modules` is missing or is not what the lock file says. */
export function install() {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const hash = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  if (!isInstalled(JSON.parse(lock))) {
    say('Installing dependencies (npm ci) …');
    // NODE_ENV=production would leave out what builds and tests.
    const status = runNpm(['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund']);
    if (status !== 0) process.exit(1);
  }
  writeFileSync(stamp, hash);
}

/** Bundles `src` into `dist` when `dist` was made of something else. */
export function build() {
  if (isBuilt()) return;
  say('Building …');
  const status = runNode([join(root, 'scripts', 'build.js')]);
  if (status !== 0) process.exit(1);
}

/** Whether `dist` was made of what `src` is now. */
export function isBuilt() {
  if (!existsSync(entry)) return false;
  return /\n\/\/ built from (\w+)\s*$/.exec(readFileSync(entry, 'utf8'))?.[1] === sourceHash();
}

/** Of all that goes into the bundle. */
export function sourceHash() {
  const hash = createHash('sha256');
  const files = [
    ...filesBelow('src'),
    ...filesBelow('console'),
    'scripts/build.js',
    'scripts/console.js',
    'scripts/scalar.js',
    'scripts/third-party.js',
    'package.json',
    'package-lock.json',
  ];
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** Runs a program of node_modules with this Node; returns its exit code. */
export function runTool(script, args, options) {
  return runNode([join(root, 'node_modules', ...script.split('/')), ...args], options);
}

export function runNode(args, options = {}) {
  const { program = process.execPath, ...more } = options;
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit', ...more });
  if (error) say(error.message);
  return status ?? 1;
}

export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** True when a plain `npm ci`, with or without its scripts, has already put in place what the lock file names. */
function isInstalled(lock) {
  const hidden = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(hidden)) return false;
  const installed = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '' || wanted.link) return true;
    const found = installed[path];
    return found ? found.version === wanted.version : Boolean(wanted.optional || wanted.devOptional || wanted.peer);
  });
}

function filesBelow(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(root.length).replaceAll('\\', '/'))
    .sort();
}

export function runNpm(args) {
  const npm = process.env['npm_execpath'];
  if (npm && /npm-cli\.[cm]?js$/.test(npm)) return runNode([npm, ...args]);
  const { status } = spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  return status ?? 1;
}
