// What changes the runtime while it runs, or knows its inside: which of it stands in the source, and the few that stay.

import { type Tree, withoutComments, withoutTexts } from './architecture-rules.ts';

const inCode: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['changes flags of the runtime', /\bsetFlagsFromString\b/],
  ['changes a priority', /\bsetPriority\b/],
  ['asks for bindings of the runtime', /\bprocess\.(?:binding|_\w+)/],
  ['blocks its thread', /\bAtomics\.wait\b/],
  ['evaluates text', /(?<![.\w]|\basync )eval\(|\bnew Function\b/],
  ["calls a prototype's method on another object", /\bprototype\.\w+\.(?:apply|bind|call)\b/],
  // Of rows of SQLite and of messages of MCP these names are public.
  ['uses a private field', /[\w)\]]\??\._(?!rowid_\b|meta\b)\w+/],
  ['replaces a method of a stream', /(?<!\bthis)\.(?:push|write|read|emit) = /],
];

const withTexts: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['imports the inspector', /['"](?:node:)?inspector(?:\/promises)?['"]/],
  ['reads a field that the types do not know', /\bReflect\.get\([^,]+, ['"]/],
];

/** One line each: the file, and what it does. */
export function tricksIn(tree: Tree): readonly string[] {
  return [...tree]
    .flatMap(([file, text]) => {
      const written = withoutComments(text);
      const code = withoutTexts(written);
      const found = [...inCode.filter(([, pattern]) => pattern.test(code)), ...withTexts.filter(([, pattern]) => pattern.test(written))];
      return found.map(([what]) => `${file} ${what}`);
    })
    .sort();
}

/** Those that stay, each with its reason. */
export const staying: Readonly<Record<string, string>> = {
  'src/functions/call-limit.ts imports the inspector': 'asks whether a debugger is attached, who has all the time at a breakpoint',
  'src/functions/failure.ts reads a field that the types do not know': 'of what an application has thrown, which may be anything',
};
