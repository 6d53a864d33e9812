// A search by words: what it takes, and what it gives.

import { localOf } from '../model.ts';
import type { Pattern } from '../pattern.ts';
import { searchedAttributes } from '../searched.ts';
import { typeOf } from './expressions.ts';
import type { Scope, Typing } from './typing.ts';
import { listOf, type ValueType } from './value-type.ts';

const options: ReadonlySet<unknown> = new Set(['limit', 'offset']);

/** `{Doc? "words" {"limit": 5}}` */
export function searchType(pattern: Extract<Pattern, { kind: 'full-text' }>, scope: Scope, typing: Typing): ValueType {
  const type = pattern.type.text;
  typeOf(pattern.text, scope, typing);
  for (const { key, value } of pattern.options?.entries ?? []) {
    typeOf(value, scope, typing);
    if (key.kind === 'literal' && !options.has(key.value))
      typing.tell('pattern-unavailable', key.span, `a search has no option \`${String(key.value)}\``, 'there are `limit` and `offset`');
  }
  const entity = typing.model.entities.get(type);
  if (entity !== undefined && searchedAttributes(entity.attributes).length === 0)
    typing.tell('pattern-unavailable', pattern.span, `\`${localOf(type)}\` has no attribute of type String to search`);
  return listOf({ kind: 'instance', type });
}
