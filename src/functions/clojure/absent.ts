// Libraries that a model's functions need and that are not there: stand-ins that fail when they are called, and say what is missing.

import type { Callable } from './interpreter.ts';
import type { ClojureSource, Required } from './source.ts';

/** What of a library the files of a component name, by its alias, its own name, or as a name that they refer to. */
export function absentFunctions({ name, options }: Required, files: readonly ClojureSource[]): ReadonlyMap<string, Callable> {
  const alias = /:as\s+([^\s\])]+)/.exec(options)?.[1];
  const spaces = [name, ...(alias === undefined ? [] : [alias])].map((each) => each.replaceAll(/[^\w]/g, '\\$&'));
  const use = new RegExp(`(?<![\\w.:/-])(?:${spaces.join('|')})/([^\\s()\\[\\]{}"';,]+)`, 'g');
  const used = files.flatMap(({ source }) => [...source.text.matchAll(use)].map(([, each = '']) => each));
  const referred = (/:refer\s+[[(]([^\])]*)/.exec(options)?.[1] ?? '').split(/[\s,]+/);
  // A namespace has at least one name.
  const names = new Set(['nothing', ...used, ...referred].filter((each) => each !== ''));
  return new Map([...names].map((each) => [each, failing(`${name}/${each}`, `the library ${name}`)]));
}

/** Functions of the predecessor's host that no other has. */
export const absentHostFunctions: ReadonlySet<string> = new Set(['slurp', 'spit']);

export function failing(what: string, library = 'the JVM'): Callable {
  return () => {
    throw new Error(`${what} ${missingText}: it is of ${library}`);
  };
}

const missingText = 'is not there';

/** Whether something failed because a stand-in was called. */
export function isOfAbsent(message: string): boolean {
  return message.includes(`${missingText}: it is of `);
}
