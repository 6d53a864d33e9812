// `GET /meta`: the components of a model, and what each of them holds.

import type { Attribute, Relationship } from '../../../model/model.ts';
import { describeAttribute } from '../../../plan/description/description.ts';
import { isReached } from '../../../plan/names.ts';
import type { Plan } from '../../../plan/plan.ts';

export function components({ earlierNames }: Plan): readonly string[] {
  return [...earlierNames.keys()];
}

export function describeComponent({ model, earlierNames }: Plan, name: string): object | undefined {
  if (!earlierNames.has(name)) return undefined;
  const own = <T extends { readonly module: string }>(all: Iterable<T>): readonly T[] => [...all].filter((each) => each.module === name);
  const typed = (types: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[]) =>
    types.map((type) => ({ name: type.name, attributes: type.attributes.map(factsOf) }));
  return {
    name,
    entities: typed(own(model.entities.values())),
    records: typed(own(model.records.values())),
    events: typed(own(model.events.values()).filter(isReached)),
    relationships: own(model.relationships.values()).map(describeRelationship),
  };
}

function factsOf(attribute: Attribute): object {
  const { name, type, list, identifier, optional, unique } = describeAttribute(attribute);
  return { name, type, list, identifier, optional, unique, values: attribute.values };
}

function describeRelationship(relationship: Relationship): object {
  if (relationship.kind === 'contains') {
    const { name, parent, child, cascade } = relationship;
    return { name, type: 'contains', parent, child, cascade };
  }
  const { name, ends, cardinality, attributes } = relationship;
  return { name, type: 'between', ends, cardinality, attributes: attributes.map(factsOf) };
}
