// Fields that are texts of JSON as they are, and what a caller may do with a row as such a text; pure.

import type { Condition } from '../../plan/query/condition.ts';
import type { Field, RowRight } from '../../plan/query/shape.ts';
import { quoteText } from './names.ts';

export function isJsonText({ kind }: Field): boolean {
  return kind === 'related' || kind === 'link' || kind === 'rights' || kind === 'hidden';
}

/** An operation stands in it where its condition holds; `spell` gives nothing for one that always does. */
export function rightsJson(rights: readonly RowRight[], spell: (condition: Condition) => string | undefined): string {
  const names = rights.map(({ operation, condition }, index) => {
    const name = quoteText(`${index === 0 ? '' : ','}${JSON.stringify(operation)}`);
    const asked = spell(condition);
    return asked === undefined ? name : `CASE WHEN ${asked} THEN ${name} ELSE '' END`;
  });
  return `(${["'['", ...names, "']'"].join(' || ')})`;
}
