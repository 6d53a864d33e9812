// `GET /platform/model`: the served model as facts, and what the caller may do with each type.

import type { Caller } from '../../engine/caller.ts';
import type { Guard } from '../../engine/seams.ts';
import { documentationOf, isComputed, isRequired, isShown, typeNameOf } from '../../model/description.ts';
import { type Attribute, type Between, type Contains, columnKind, type Flow, type TypeName } from '../../model/model.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';
import type { EntityPlan, LinkPlan, Plan, Step } from '../../plan/plan.ts';
import type * as Described from './description.ts';
import { mayRun, operationsFor } from './permitted.ts';

export interface Describing {
  readonly plan: Plan;
  readonly surface: 'current' | 'earlier';
  readonly guard: Guard;
  readonly caller: Caller;
  result(event: TypeName): JsonSchema;
}

type Types = Omit<Described.ModelDescription, 'application' | 'surface' | 'features' | 'caller'>;

/** What the service brings is named as the surface names it. */
export function describedTypes(describing: Describing): Types {
  const { plan, surface, caller } = describing;
  const { model } = plan;
  const names = surface === 'current' ? plan.names : plan.earlierNames;
  const targets = [...names.values()].flatMap((module) => [...module.values()]);
  const entities = targets.flatMap((each) => (each.kind === 'entity' ? [each.plan] : []));
  const records = [...model.records.values()].filter(({ module }) => names.has(module));
  const events = targets.flatMap((each) => (each.kind === 'event' ? [each.event] : []));
  const agents = targets.flatMap((each) => (each.kind === 'agent' ? [each.agent] : []));
  const known = new Set(entities.map(({ type }) => type));
  const relationships = [...model.relationships.values()].filter((each) => endsOf(each).every(({ entity }) => known.has(entity)));
  return {
    modules: [...model.modules],
    entities: entities.map((each) => entityOf(each, describing)),
    relationships: relationships.map((each) => relationshipOf(each, describing)),
    records: records.map((each) => ({ ...namesOf(each), attributes: each.attributes.map(attributeOf) })),
    events: events.map((event) => ({
      ...namesOf(event),
      path: pathOf(event.name, surface),
      attributes: event.attributes.map(attributeOf),
      open: event.open,
      ...(event.schedule === undefined ? {} : { schedule: event.schedule }),
      mayRun: mayRun(event.name, plan, caller),
      result: describing.result(event.name),
    })),
    agents: agents.map((agent) => ({
      ...namesOf(agent),
      path: pathOf(agent.name, surface),
      tools: agent.tools,
      ...(agent.flow === undefined ? {} : { flow: agent.flow }),
      // Others take part in flows alone: nobody asks them from outside.
      mayRun: agent.isPublic && mayRun(agent.name, plan, caller),
    })),
    flows: [...model.flows.values()].map(flowOf),
  };
}

function namesOf({ name, module, local }: { readonly name: string; readonly module: string; readonly local: string }) {
  return { name, module, local };
}

function pathOf(name: TypeName, surface: 'current' | 'earlier'): string {
  return surface === 'current' ? `/${name}` : `/api/${name}`;
}

function entityOf(entity: EntityPlan, { plan, surface, guard, caller }: Describing): Described.EntityDescription {
  return {
    ...namesOf(entity.entity),
    path: pathOf(entity.type, surface),
    identifier: entity.identifier.name,
    system: entity.entity.system !== undefined,
    contained: entity.contained,
    rootable: entity.rootable,
    searchable: entity.search !== undefined,
    external: entity.external !== undefined,
    attributes: entity.entity.attributes.map(attributeOf),
    operations: operationsFor(entity, plan, guard, caller),
    steps: [...entity.steps].flatMap(([segment, steps]) => steps.map((step) => stepOf(segment, step))),
    parents: entity.parents.map(({ contains }) => ({ relationship: contains.name, entity: contains.parent })),
  };
}

function stepOf(segment: string, step: Step): Described.StepDescription {
  const [name = ''] = step.names;
  const { name: relationship, local } = step.kind === 'contains' ? step.contains.contains : step.link.between;
  return {
    relationship,
    local,
    kind: step.kind === 'contains' ? 'contains' : 'between',
    segment,
    name,
    target: step.target.type,
    linkAttributes: step.kind === 'contains' || !step.link.hasAttributes ? [] : ownAttributes(step.link),
  };
}

function ownAttributes({ between }: LinkPlan): readonly Described.AttributeDescription[] {
  return between.attributes.map(attributeOf);
}

function endsOf(relationship: Contains | Between): readonly { readonly entity: TypeName; readonly role: string }[] {
  if (relationship.kind === 'between') return relationship.ends.map(({ entity, attribute }) => ({ entity, role: attribute }));
  const { parent, child, parentRole = '', childRole = '' } = relationship;
  return [
    { entity: parent, role: parentRole },
    { entity: child, role: childRole },
  ];
}

function relationshipOf(relationship: Contains | Between, { plan, surface, guard, caller }: Describing): Described.RelationshipDescription {
  const link = plan.links.get(relationship.name);
  return {
    ...namesOf(relationship),
    kind: relationship.kind,
    ends: endsOf(relationship),
    cardinality: relationship.kind === 'contains' ? 'one-many' : relationship.cardinality,
    cascade: relationship.kind === 'contains' && relationship.cascade,
    attributes: relationship.kind === 'contains' ? [] : relationship.attributes.map(attributeOf),
    ...(link === undefined ? {} : { path: pathOf(link.type, surface), operations: operationsFor(link, plan, guard, caller) }),
  };
}

function attributeOf(attribute: Attribute): Described.AttributeDescription {
  const { type, default: fallback } = attribute;
  const reference = attribute.ref ?? attribute.oneOf;
  const allowed = attribute.values ?? attribute.choices;
  const documentation = documentationOf(attribute);
  return {
    name: attribute.name,
    type: allowed === undefined ? typeNameOf(attribute) : 'Enum',
    kind: type.kind === 'record' ? 'record' : columnKind({ ...attribute, list: false }),
    list: attribute.list,
    required: isRequired(attribute),
    identifier: attribute.identifier,
    unique: attribute.unique,
    ...(fallback === undefined ? {} : { default: fallback.kind }),
    ...(fallback?.kind === 'value' && isShown(attribute) ? { defaultValue: fallback.value } : {}),
    ...(allowed === undefined ? {} : { enum: allowed }),
    ...Object.fromEntries(attribute.facets.map(({ name, given }) => [name, given])),
    ...(reference === undefined
      ? {}
      : {
          reference: {
            entity: reference.entity,
            attribute: reference.attribute,
            ...(attribute.ref?.cascade === true ? { cascade: true } : {}),
          },
        }),
    ...(type.kind === 'record' ? { record: type.record } : {}),
    readOnly: attribute.readonly || isComputed(attribute),
    writeOnly: attribute.writeonly,
    secret: attribute.secret,
    computed: isComputed(attribute),
    ...(documentation === undefined ? {} : { comment: documentation }),
  };
}

/** Conditions in words are labels; what agents are told stands nowhere here. */
function flowOf(flow: Flow): Described.FlowDescription {
  return {
    ...namesOf(flow),
    first: flow.first,
    nodes: [...flow.nodes].map(([name, node]) => ({ name, kind: node.kind, ...(node.kind === 'statement' ? {} : { runs: node.name }) })),
    steps: flow.steps.map(({ from, to, condition }) => ({ from, to, ...(condition === undefined ? {} : { label: condition }) })),
  };
}
