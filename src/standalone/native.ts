// Loads a native part of a built application: written once to a private folder of the user, checked, and opened from there.

import { lstatSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { makeFolder } from '../folders.ts';
import { StartRefused } from '../store/store.ts';
import { digest, type PartEntry, partsOf, readPart } from './parts.ts';

export type NativeName = 'sqlite' | 'argon2';

/** What the native part exports. `file` is the built application. */
export function loadNative(file: string, name: NativeName): unknown {
  const target = targetOf();
  const entries = partsOf(file);
  const entry = entries.find((each) => each.name === nativePartName(name, target));
  if (entry === undefined) throw unsupported(file, target, entries);
  const kept = cacheFolder();
  if (kept !== undefined) return open(placed(file, entry, kept));
  // Nowhere to keep it: the system needs the file only until it is open.
  const folder = temporaryFolder();
  try {
    return open(placed(file, entry, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'platform-'));
  } catch (thrown) {
    throw new StartRefused(`There is no place for the native parts (${tmpdir()}); XDG_CACHE_HOME or TMPDIR names one.`, thrown);
  }
}

export function nativePartName(name: NativeName, target: string): string {
  return `native/${name}/${target}`;
}

/** Such as `linux-x64-glibc`, `darwin-arm64`. */
export function targetOf(): string {
  const base = `${process.platform}-${process.arch}`;
  if (process.platform !== 'linux') return base;
  // The C library that this very process runs on: both may be installed.
  return `${base}-${readFileSync('/proc/self/maps', 'latin1').includes('ld-musl') ? 'musl' : 'glibc'}`;
}

/** The file with this content, by the name of its hash; one that is there and is something else is replaced. */
function placed(file: string, entry: PartEntry, folder: string): string {
  const path = join(folder, `${entry.sha256}.node`);
  if (isIntact(path, entry.sha256)) return path;
  const content = readPart(file, entry.name);
  if (content === undefined) throw new Error(`${entry.name} is missing`);
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, content, { mode: 0o700 });
  renameSync(partial, path);
  return path;
}

function isIntact(path: string, sha256: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && digest(readFileSync(path)) === sha256;
}

function open(path: string): unknown {
  const opened = { exports: {} };
  try {
    process.dlopen(opened, path);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new StartRefused(`The native part ${path} cannot be loaded (${reason}); XDG_CACHE_HOME names another place for it.`, thrown);
  }
  return opened.exports;
}

/** A folder that nobody but this user can write to, or nothing where there is none. */
export function cacheFolder(): string | undefined {
  const given = [process.env['XDG_CACHE_HOME'], process.platform === 'win32' ? process.env['LOCALAPPDATA'] : undefined, usualCaches()];
  // One that goes from the current folder is whoever's folder that is.
  const caches = given.find((each) => each !== undefined && isAbsolute(each));
  const folder = caches === undefined ? undefined : join(caches, 'platform-runtime');
  return folder !== undefined && isPrivate(folder) ? folder : undefined;
}

function usualCaches(): string | undefined {
  try {
    return process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  } catch {
    // A user without a name, as in many containers, has no home.
    return undefined;
  }
}

function isPrivate(folder: string): boolean {
  try {
    makeFolder(dirname(folder));
    makeFolder(folder, 0o700);
    const stats = lstatSync(folder);
    const isOwn = process.getuid === undefined || stats.uid === process.getuid();
    if (!stats.isDirectory() || !isOwn || (process.platform !== 'win32' && (stats.mode & 0o022) !== 0)) return false;
    const probe = join(folder, `.${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
    return true;
  } catch {
    // Not writable, for whatever reason: a temporary place is used, and told of when that fails too.
    return false;
  }
}

function unsupported(file: string, target: string, entries: readonly PartEntry[]): StartRefused {
  const targets = entries.flatMap(({ name }) => /^native\/sqlite\/(.+)$/.exec(name)?.[1] ?? []);
  return new StartRefused(`${file} was built for ${targets.join(', ')}; for ${target} build it with --platform ${target}.`);
}
