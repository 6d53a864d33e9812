// What is decided about the instances of an entity besides the types of its attributes: who may do what, what runs along, what is unique together.

import type { Entity, Model, Trigger } from '../../../model/model.ts';
import { positionOf, type Span } from '../../../source.ts';
import type { EntityRules } from '../description.ts';

export function entityRules(entity: Entity, { triggers }: Model): EntityRules {
  return {
    file: entity.span.source.file,
    line: positionOf(entity.span).line,
    rules: (entity.rbac ?? []).map((each) => textOf(each.span)),
    triggers: triggers
      .filter((each) => each.entity === entity.name)
      .map((each) => ({ when: each.when, operation: each.operation, runs: runsOf(each), line: positionOf(each.span).line })),
    uniques: entity.uniques,
  };
}

function runsOf({ runs, span }: Trigger): string {
  if (runs.kind === 'body') return textOf(span);
  return runs.async ? `${runs.event}, after the commit` : runs.event;
}

/** In one line. */
function textOf({ source, start, end }: Span): string {
  const text = source.text.slice(start, end).replace(/\s+/g, ' ').trim();
  return text.length > 400 ? `${text.slice(0, 399)}…` : text;
}
