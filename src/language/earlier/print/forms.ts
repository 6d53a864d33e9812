// In charge of the text of plain forms: `config.edn`, `model.platform`.

import type { Comment } from '../../../model/declaration.ts';
import type { Source } from '../../../source.ts';
import { type Form, pairsOf, textOf } from '../read/form.ts';
import { layOut, type Node } from './layout.ts';
import { list, map, vector } from './node.ts';

export function printForms(forms: readonly Form[], comments: readonly Comment[], source: Source): string {
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
