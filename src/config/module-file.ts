// Loads one module of a project from its JavaScript or TypeScript file; in a built application `cli/standalone-modules.ts` stands in.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { type Module, Unloaded } from './project-module.ts';

/** Each load is a new module, so that a changed file is seen by a reload. */
export async function loadModule(file: string): Promise<Module | Unloaded> {
  if (!existsSync(file)) return new Unloaded('there is no such file');
  try {
    const text = await readFile(file, 'utf8');
    if (file.endsWith('.ts')) return await import(await strippedUrl(text));
    return await import(`${pathToFileURL(file).href}?${hashOf(text)}`);
  } catch (thrown) {
    const [line = ''] = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).split('\n');
    return new Unloaded(line);
  }
}

async function strippedUrl(text: string): Promise<string> {
  const { transform } = await import('sucrase');
  const { code } = transform(text, { transforms: ['typescript'], disableESTransforms: true });
  return `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
}

function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return (hash >>> 0).toString(36);
}
