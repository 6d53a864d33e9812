// Stands in for `functions/javascript/module-file.ts` in a built application: the project's own modules are a part of the file.

import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { compileFunction } from 'node:vm';
import type { EmbeddedModule, EmbeddedModules } from '../cli/build/modules.ts';
import { type Module, Unloaded } from '../functions/javascript/module.ts';
import { readPart } from './parts.ts';

export async function loadModule(file: string): Promise<Module | Unloaded> {
  const path = pathOf(file);
  const modules = embedded();
  if (modules[path] === undefined) return new Unloaded('it is not in this file');
  try {
    const exported = new Evaluation(modules).exportsOf(path);
    return namesOf(exported);
  } catch (thrown) {
    const [line = ''] = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).split('\n');
    return new Unloaded(line);
  }
}

/** Of the module, and of every module in the file that it leads to. */
export async function moduleTexts(file: string): Promise<readonly string[]> {
  const modules = embedded();
  const met = new Set<string>();
  const visit = (path: string): void => {
    const found = modules[path];
    if (found === undefined || met.has(path)) return;
    met.add(path);
    for (const target of Object.values(found.requires)) visit(target);
  };
  visit(pathOf(file));
  return [...met].map((path) => modules[path]?.code ?? '');
}

function embedded(): EmbeddedModules {
  const part = readPart(__filename, 'modules');
  return part === undefined ? {} : JSON.parse(part.toString());
}

function pathOf(file: string): string {
  return relative(__filename, file).replaceAll(sep, '/');
}

/** What an `import` of the module would see. */
function namesOf(exported: unknown): Module {
  const own = typeof exported === 'object' && exported !== null ? Object.fromEntries(Object.entries(exported)) : {};
  return '__esModule' in own || 'default' in own ? own : { ...own, default: exported };
}

/** Each module runs once, when it is first asked for; in a circle one sees of the other what is there by then, as usual. */
class Evaluation {
  readonly #modules: EmbeddedModules;
  readonly #done = new Map<string, { exports: unknown }>();

  constructor(modules: EmbeddedModules) {
    this.#modules = modules;
  }

  exportsOf(path: string): unknown {
    const known = this.#done.get(path);
    if (known !== undefined) return known.exports;
    const found = this.#modules[path];
    if (found === undefined) throw new Error(`${path} is not in this file`);
    const module: { exports: unknown } = { exports: {} };
    this.#done.set(path, module);
    this.#run(path, found, module);
    return module.exports;
  }

  #run(path: string, { code, requires }: EmbeddedModule, module: { exports: unknown }): void {
    const filename = join(__filename, path);
    if (path.endsWith('.json')) {
      module.exports = JSON.parse(code);
      return;
    }
    const require = (name: string): unknown => {
      if (isBuiltin(name)) return createRequire(__filename)(name);
      const target = requires[name];
      if (target === undefined) throw notFound(`${path} asks for ${name}, which is not in this file`);
      return this.exportsOf(target);
    };
    const run = compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname'], { filename });
    run.call(module.exports, module.exports, require, module, filename, dirname(filename));
  }
}

/** As Node says it: packages look for the code. */
function notFound(message: string): Error {
  return Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' });
}
