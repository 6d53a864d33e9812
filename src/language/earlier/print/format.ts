// In charge of formatting a file of the earlier surface: the same text in the canonical layout, or the faults that prevent it.

import { basename } from 'node:path';
import { type Diagnostic, hasErrors } from '../../../diagnostics.ts';
import type { Comment } from '../../../model/declaration.ts';
import type { Source } from '../../../source.ts';
import { readUnit } from '../lower/lower.ts';
import { type Form, pairsOf, textOf } from '../read/form.ts';
import { readForms } from '../read/read.ts';
import { layOut, type Node } from './layout.ts';
import { list, map, vector } from './node.ts';
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

function printForms(forms: readonly Form[], comments: readonly Comment[], source: Source): string {
  return layOut(
    forms.map((form) => ({ node: formNode(form, true), span: form.span })),
    source.text,
    comments,
  );
}

function formNode(form: Form, broken = false): Node {
  switch (form.kind) {
    case 'map': {
      // Namespaced maps say in front what their keys leave out.
      if (!textOf(form).startsWith('{')) return textOf(form);
      const entries = pairsOf(form).map(({ key, value }) => ({
        key: formNode(key),
        value: formNode(value),
        span: { start: key.span.start, end: value.span.end },
      }));
      return broken ? map(entries, form.span, true) : map(entries);
    }
    case 'vector':
      return vector(form.items.map((each) => formNode(each)));
    case 'list':
      return list(
        form.items.map((each) => formNode(each)),
        { head: 1 },
      );
    default:
      return textOf(form);
  }
}
