// In charge of formatting a file of the earlier surface: the same text in the canonical layout, or the faults that prevent it.

import { basename } from 'node:path';
import { type Diagnostic, hasErrors } from '../../../diagnostics.ts';
import type { Source } from '../../../source.ts';
import { readUnit } from '../lower/lower.ts';
import { readForms } from '../read/read.ts';
import { printForms } from './forms.ts';
import { printUnit } from './print.ts';

export type Formatted = { readonly text: string } | { readonly diagnostics: readonly Diagnostic[] };

/** `model.platform` and `config.edn` are plain data, every other file is a unit. A file that cannot be read is left alone. */
export function formatSource(source: Source): Formatted {
  const name = basename(source.file);
  if (name === 'model.platform' || name === 'config.edn') return formatData(source);
  const { unit, diagnostics } = readUnit(source);
  return hasErrors(diagnostics) ? { diagnostics } : { text: printUnit(unit) };
}

function formatData(source: Source): Formatted {
  const { forms, comments, diagnostics } = readForms(source);
  return hasErrors(diagnostics) ? { diagnostics } : { text: printForms(forms, comments, source) };
}
