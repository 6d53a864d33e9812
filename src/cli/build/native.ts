// The native parts that a built application needs, found among the installed packages, for each platform it shall run on.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { nativePartName, targetOf } from '../../standalone/native.ts';
import type { Part } from '../../standalone/parts.ts';
import { StartRefused } from '../../store/store.ts';

/** As people name them: the one of this machine has both C libraries where there are two. */
export const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64'] as const;

export type PlatformName = (typeof platforms)[number];

export interface NativeParts {
  readonly parts: readonly Part[];
  /** Targets for which there is no argon2 here: nothing secret can be kept there. */
  readonly withoutArgon2: readonly string[];
}

export function currentPlatform(): PlatformName {
  const name = `${process.platform}-${process.arch}`;
  const found = platforms.find((each) => each === name);
  if (found === undefined) throw new StartRefused(`There are no native parts for ${name}; choose another with --platform.`);
  return found;
}

export function nativeParts(chosen: readonly PlatformName[]): NativeParts {
  const targets = [...new Set(chosen)].sort().flatMap(targetsOf);
  const sqlite = targets.map((target): Part => ({ name: nativePartName('sqlite', target), content: sqliteFor(target) }));
  const argon2 = targets.flatMap((target): readonly Part[] => {
    const content = argon2For(target);
    return content === undefined ? [] : [{ name: nativePartName('argon2', target), content }];
  });
  const names = new Set(argon2.map((each) => each.name));
  // Of the two C libraries of a machine the installed one is enough; a container may have the other.
  const lacking = targets.filter((target) => !names.has(nativePartName('argon2', target)));
  return { parts: [...sqlite, ...argon2], withoutArgon2: lacking.filter((target) => target === targetOf() || !target.endsWith('-musl')) };
}

function targetsOf(platform: PlatformName): readonly string[] {
  return platform.startsWith('linux') ? [`${platform}-glibc`, `${platform}-musl`] : [platform];
}

function sqliteFor(target: string): Uint8Array {
  const [system = '', processor = '', library = 'glibc'] = target.split('-');
  const folder = join(packageFolder('@photostructure/sqlite'), 'prebuilds', `${system}-${processor}`);
  const file = existsSync(folder) ? readdirSync(folder).find((each) => each.endsWith(`${library}.node`)) : undefined;
  if (file === undefined) throw new StartRefused(`The SQLite for ${target} is not installed.`);
  return readFileSync(join(folder, file));
}

function argon2For(target: string): Uint8Array | undefined {
  const [system = '', processor = '', library = ''] = target.split('-');
  const last = system === 'win32' ? '-msvc' : library === 'glibc' ? '-gnu' : library === 'musl' ? '-musl' : '';
  const name = `argon2-${system}-${processor}${last}`;
  const file = join(dirname(packageFolder('@node-rs/argon2')), name, `argon2.${name.slice('argon2-'.length)}.node`);
  return existsSync(file) ? readFileSync(file) : undefined;
}

export function packageFolder(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}
