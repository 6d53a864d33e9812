// The application's own modules for a built file: each file that they lead to, made CommonJS, with what each of its requests means.

import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { extname, relative, sep } from 'node:path';
import { compileFunction } from 'node:vm';
import { StartRefused } from '../../store/store.ts';

/** By path from the folder of the project, with slashes. */
export type EmbeddedModules = Readonly<Record<string, EmbeddedModule>>;

export interface EmbeddedModule {
  readonly code: string;
  /** What is asked for → the path of what it means. Modules of Node itself are not among them. */
  readonly requires: Readonly<Record<string, string>>;
}

const maxFiles = 5000;
const maxBytes = 32 * 1024 * 1024;

/** `files` are absolute. Throws `StartRefused` for what cannot be put into one file. */
export async function collectModules(files: readonly string[], folder: string): Promise<EmbeddedModules> {
  const found = new Map<string, EmbeddedModule>();
  const waiting = [...files];
  let bytes = 0;
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const path = pathFrom(folder, file);
    if (found.has(path)) continue;
    const code = await commonJs(file, path);
    const targets = extname(file) === '.json' ? [] : requestsIn(code).flatMap((name) => resolved(name, file, path));
    found.set(path, { code, requires: Object.fromEntries(targets.map(([name, target]) => [name, pathFrom(folder, target)])) });
    waiting.push(...targets.map(([, target]) => target));
    bytes += code.length;
    if (found.size > maxFiles || bytes > maxBytes) throw new StartRefused(`The functions of the model lead to too much code (${path}).`);
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function pathFrom(folder: string, file: string): string {
  return relative(folder, file).replaceAll(sep, '/');
}

async function commonJs(file: string, path: string): Promise<string> {
  const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  const extension = extname(file);
  if (extension === '.json' || extension === '.cjs') return text;
  if (extension === '.node') throw new StartRefused(`${path} is a native module; a built file carries only those of the platform.`);
  const isTypeScript = ['.ts', '.mts'].includes(extension);
  const isModule = isTypeScript || extension === '.mjs' || /^\s*(?:import|export)\b/m.test(text);
  if (!isModule) return text;
  const { transform } = await import('sucrase');
  try {
    const { code } = transform(text, { transforms: isTypeScript ? ['typescript', 'imports'] : ['imports'], disableESTransforms: true });
    // What has no counterpart (`import.meta`, `await` at the top) is found here rather than at the start.
    compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname'], { filename: path });
    return code;
  } catch (thrown) {
    throw new StartRefused(`${path} cannot be put into one file: ${thrown instanceof Error ? thrown.message : String(thrown)}.`, thrown);
  }
}

function requestsIn(code: string): readonly string[] {
  const names = [...code.matchAll(/(?<![.\w])require\(\s*(['"])([^'"\n]+)\1\s*\)/g)].map(([, , name = '']) => name);
  return [...new Set(names)].filter((name) => !isBuiltin(name));
}

function resolved(name: string, file: string, path: string): readonly (readonly [string, string])[] {
  try {
    return [[name, createRequire(file).resolve(name)]];
  } catch (thrown) {
    // What is nowhere does without when it is loaded as it stands (an optional package, a comment); it does without here, too.
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'MODULE_NOT_FOUND') return [];
    throw new StartRefused(`${path} asks for ${name}, which is not for a program in one file.`, thrown);
  }
}
