// Which Clojure functions a model needs: where each is named, and in which file.

import type { FunctionReference, Model } from '../../model/model.ts';
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
      search(expression, found);
    }
  }
  for (const { body, condition } of model.workflows.values()) search([body, condition], found);
  for (const { runs } of model.triggers) search(runs, found);
  for (const { conditions, body } of model.reactions) search([conditions, body], found);
  search(model.startup, found);
  return found;
}

function add(reference: FunctionReference, span: Span, found: Use[]): void {
  if (reference.language === 'clojure') found.push({ reference, span });
}

/** Calls and code anywhere in a pattern, which is a tree of plain objects. */
function search(part: unknown, found: Use[]): void {
  if (typeof part !== 'object' || part === null) return;
  if (Array.isArray(part)) {
    for (const each of part) search(each, found);
    return;
  }
  if (isUsing(part)) add(part.function, part.span, found);
  for (const [key, each] of Object.entries(part)) if (key !== 'span' && key !== 'function') search(each, found);
}

interface Using {
  readonly function: FunctionReference;
  readonly span: Span;
}

function isUsing(part: object): part is Using {
  const isCode = 'kind' in part && (part.kind === 'call' || part.kind === 'code');
  return isCode && 'function' in part && typeof part.function === 'object' && part.function !== null && 'span' in part;
}
