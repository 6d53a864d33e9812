// Whether the text of a module looks as if it acted on other systems: by what it imports, and whether it calls `fetch`. What its packages do is not looked at.

import { importedNames } from './imported-names.ts';

/** Those of the runtime for the network, other processes and files. */
const modules = /^(?:node:)?(?:child_process|cluster|dgram|dns|fs|http|http2|https|net|sqlite|tls|worker_threads)(?:\/|$)/;

/** A quote inside of a regular expression is taken for that of a text: it misleads up to the end of its line. */
const comments = /\/\*[\s\S]*?\*\/|\/\/.*/;
const texts = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/;
const templates = /`(?:\\[\s\S]|[^`\\])*`/;
const noCode = new RegExp([comments, texts, templates].map(({ source }) => source).join('|'), 'g');

/** They are gone when the module runs. */
const typeImports = /^[ \t]*(?:import|export)\s+type\b[^'"]*(?:'[^'\n]*'|"[^"\n]*")/gm;

/** That of the runtime is called: no method is, or made, that has its name. */
const fetching = /(?:\bglobalThis\.|(?<![.\w$#]))fetch\b(?!\s*\([^()]*\)\s*(?::\s*[\w<>[\].]+\s*)?\{)\s*\(/;
const ownFetch = /\b(?:function\s*\*?|const|let|var|class)\s+fetch\b/;

/** Whether a module of this name is for the network, other processes or files. */
export function actsOutside(name: string): boolean {
  return modules.test(name);
}

/** What it does, in words that begin a sentence; nothing where it does none of it. */
export function effectIn(text: string): string | undefined {
  // What is imported stands in texts.
  const named = text.replace(noCode, (part) => (/^['"]/.test(part) ? part : ' ')).replace(typeImports, '');
  const name = importedNames(named).find(actsOutside);
  if (name !== undefined) return `the module imports \`${name}\``;
  const code = text.replace(noCode, ' ');
  return fetching.test(code) && !ownFetch.test(code) ? 'the module calls `fetch`' : undefined;
}
