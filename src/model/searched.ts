// What of an instance is searched by its words: the attributes that are marked for it, else all of its texts.

import { isShown } from './description.ts';
import type { Attribute, Model, TypeName } from './model.ts';
import { eachNode, statementsOf } from './walk.ts';

/** What no answer shows is never searched. */
export function searchedAttributes(attributes: readonly Attribute[]): readonly Attribute[] {
  const shown = attributes.filter(isShown);
  const marked = shown.filter((each) => each.fulltext);
  return marked.length > 0 ? marked : shown.filter(isString);
}

/** Those that a workflow of the model searches. */
export function searchedTypes(model: Model): ReadonlySet<TypeName> {
  const found = new Set<TypeName>();
  eachNode(statementsOf(model), (node) => {
    if (node.kind === 'full-text') found.add(node.type.text);
  });
  return found;
}

export function isString({ type, list }: Attribute): boolean {
  return type.kind === 'plain' && type.type.name === 'String' && !list;
}
