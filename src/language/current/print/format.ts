// In charge of formatting a file of the current surface: the same text in the canonical layout, or the faults that prevent it.

import { basename } from 'node:path';
import { type Diagnostic, hasErrors } from '../../../diagnostics.ts';
import type { Source } from '../../../source.ts';
import { readUnit } from '../parse/parse.ts';
import { readScript } from '../script.ts';
import { printScript, printUnit } from './print.ts';

export type Formatted = { readonly text: string } | { readonly diagnostics: readonly Diagnostic[] };

/** `config.al` is a script, every other file a unit. A file that cannot be read is left alone. */
export function formatSource(source: Source): Formatted {
  if (basename(source.file) === 'config.al') return formatScript(source);
  const { unit, diagnostics } = readUnit(source);
  return hasErrors(diagnostics) ? { diagnostics } : { text: printUnit(unit) };
}

function formatScript(source: Source): Formatted {
  const { statements, comments, diagnostics } = readScript(source);
  return hasErrors(diagnostics) ? { diagnostics } : { text: printScript(statements, source.text, comments) };
}
