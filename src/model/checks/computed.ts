// Rules about computed attributes over the whole model: none is computed from itself, and their paths begin where they stand.

import type { Span } from '../../source.ts';
import type { FaultReport } from '../fault-report.ts';
import type { Attribute, Entity, Model, Relationship, TypeName } from '../model.ts';
import type { RelatedPath } from '../pattern.ts';
import { referencesIn, siblingOf } from '../references.ts';
import { cyclesOf } from './cycles.ts';

/** Computed attributes may use each other, also those of other instances, but not in a circle. */
export function expressionCycles({ entities, relationships, records }: Model, report: FaultReport): void {
  const betweens = [...relationships.values()].filter((each) => each.kind === 'between');
  const computed = new Map<string, Attribute>();
  const owners = new Map<string, TypeName>();
  for (const owner of [...records.values(), ...entities.values(), ...betweens])
    for (const each of owner.attributes) {
      if (each.expression === undefined) continue;
      computed.set(`${owner.name}.${each.name}`, each);
      owners.set(`${owner.name}.${each.name}`, owner.name);
    }
  const uses = (node: string): readonly string[] => usedBy(computed.get(node), owners.get(node) ?? '').filter((each) => computed.has(each));
  const seen = new Set<Span>();
  for (const node of cyclesOf(computed.keys(), uses).keys()) {
    const attribute = computed.get(node);
    // Types that copy an attribute share it.
    if (attribute === undefined || seen.has(attribute.span)) continue;
    seen.add(attribute.span);
    report.fault('expression-cycle', attribute.span, `\`${attribute.name}\` is computed from itself`);
  }
}

function usedBy(attribute: Attribute | undefined, owner: TypeName): readonly string[] {
  if (attribute?.expression === undefined) return [];
  return referencesIn(attribute.expression).flatMap((each) => {
    const { related } = each;
    const sibling = siblingOf(each);
    const own = sibling === undefined ? [] : [`${owner}.${sibling}`];
    return related?.attribute === undefined ? own : [...own, `${related.entity}.${related.attribute}`];
  });
}

/** A copied attribute (`extends`) looks along relationships that its new owner need not have. */
export function computedEnds({ entities, relationships }: Model, report: FaultReport): void {
  for (const entity of entities.values()) {
    for (const attribute of entity.attributes) {
      const references = attribute.expression === undefined ? [] : referencesIn(attribute.expression);
      for (const { related } of references) {
        const missing = related === undefined ? undefined : withoutEnd(related, entity, relationships);
        if (missing === undefined) continue;
        const message = `\`${entity.local}\` has \`${attribute.name}\`, but is no end of \`${missing.local}\`, which that looks along`;
        report.fault('end-unknown', entity.span, message);
      }
    }
  }
}

function withoutEnd({ by }: RelatedPath, { name }: Entity, relationships: Model['relationships']): Relationship | undefined {
  if (by.kind === 'ref') return undefined;
  const relationship = relationships.get(by.relationship);
  if (relationship === undefined) return undefined;
  if (relationship.kind === 'contains')
    return (by.kind === 'child' ? relationship.parent : relationship.child) === name ? undefined : relationship;
  const end = by.kind === 'end' ? by.end : '';
  return relationship.ends.some((each) => each.attribute !== end && each.entity === name) ? undefined : relationship;
}
