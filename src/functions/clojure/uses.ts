// Which Clojure functions a model needs: where each is named, and in which file.

import type { FunctionReference, Model } from '../../model/model.ts';
import { eachNode, type Node } from '../../model/walk.ts';
import type { Span } from '../../source.ts';

export interface Use {
  readonly reference: FunctionReference;
  readonly span: Span;
}

export function clojureUses(model: Model): readonly Use[] {
  const found: Use[] = [];
  const links = [...model.relationships.values()].filter((each) => each.kind === 'between');
  for (const type of [...model.entities.values(), ...model.records.values(), ...model.events.values(), ...links]) {
    for (const { check, default: fallback, expression, span } of type.attributes) {
      if (check !== undefined) add(check, span, found);
      if (fallback?.kind === 'function') add(fallback.function, span, found);
      if (expression !== undefined) search([expression], found);
    }
  }
  for (const { body, condition } of model.workflows.values()) {
    search(body, found);
    for (const each of [condition?.when, condition?.where]) if (each !== undefined) search([each], found);
  }
  for (const { runs } of model.triggers) if (runs.kind === 'body') search(runs.body, found);
  for (const { conditions, body } of model.reactions) search([...conditions, ...body], found);
  search(model.startup, found);
  for (const { methods, span } of model.resolvers.values()) for (const each of Object.values(methods)) add(each, span, found);
  return found;
}

function add(reference: FunctionReference, span: Span, found: Use[]): void {
  if (reference.language === 'clojure') found.push({ reference, span });
}

/** Calls and code anywhere in it. */
function search(nodes: readonly Node[], found: Use[]): void {
  eachNode(nodes, (node) => {
    if ((node.kind === 'call' || node.kind === 'code') && node.function !== undefined) add(node.function, node.span, found);
  });
}
