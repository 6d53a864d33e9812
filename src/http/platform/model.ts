// `GET /platform/model`: the served model as facts, and what the caller may do with each type.

import type { Caller } from '../../engine/caller.ts';
import type { Guard } from '../../engine/seams.ts';
import type { AttributeReference, Between, Contains, Flow, FlowNode, Model, TypeName } from '../../model/model.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';
import { type AttributeDescription, describeRow, describeType, type TypeDescription } from '../../plan/description/description.ts';
import type { EntityPlan, Plan, Step } from '../../plan/plan.ts';
import type * as Described from './description.ts';
import { attributeRightsFor, mayRun, operationsFor } from './permitted.ts';

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
    records: records.map((each) => ({ ...namesOf(each), attributes: attributesOf(describeType(each)) })),
    events: events.map((event) => ({
      ...namesOf(event),
      path: pathOf(event.name, surface),
      attributes: attributesOf(describeType(event)),
      open: event.open,
      ...(event.schedule === undefined ? {} : { schedule: event.schedule }),
      ...(event.runAs === undefined ? {} : { runAs: event.runAs }),
      mayRun: mayRun(event.name, plan, caller),
      result: describing.result(event.name),
    })),
    agents: agents.map((agent) => ({
      ...namesOf(agent),
      path: pathOf(agent.name, surface),
      tools: agent.tools.filter((each) => !isInternal(each, model)),
      ...(agent.flow === undefined ? {} : { flow: agent.flow }),
      // Others take part in flows alone: nobody asks them from outside.
      mayRun: agent.isPublic && mayRun(agent.name, plan, caller),
    })),
    flows: [...model.flows.values()].filter(({ name }) => !isInternal(name, model)).map((flow) => flowOf(flow, model)),
  };
}

/** What nothing leads to is described nowhere. */
function isInternal(name: TypeName, { events, agents }: Model): boolean {
  return (events.get(name) ?? agents.get(name))?.isInternal === true;
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
    attributes: describeRow(entity).attributes.flatMap((each) => ownAttribute(each, attributeRightsFor(entity, each.name, guard, caller))),
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
    linkAttributes: step.kind === 'contains' || !step.link.hasAttributes ? [] : attributesOf(describeRow(step.link)),
  };
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
    attributes: link === undefined ? [] : attributesOf(describeRow(link)),
    ...(link === undefined ? {} : { path: pathOf(link.type, surface), operations: operationsFor(link, plan, guard, caller) }),
  };
}

function attributesOf({ attributes }: TypeDescription): readonly Described.AttributeDescription[] {
  return attributes.map(attributeOf);
}

/** As the caller has it: what they may neither read nor set of any instance is none. */
function ownAttribute(
  described: AttributeDescription,
  rights: Described.AttributeDescription['rights'],
): readonly Described.AttributeDescription[] {
  const attribute = attributeOf(described);
  if (rights === undefined) return [attribute];
  const { create, read, update } = rights;
  if (create === 'none' && read === 'none' && update === 'none') return [];
  const { defaultValue: _, ...rest } = attribute;
  const shown = read === 'none' ? { ...rest, writeOnly: true } : attribute;
  return [{ ...shown, readOnly: attribute.readOnly || update === 'none', rights }];
}

function attributeOf(described: AttributeDescription): Described.AttributeDescription {
  const { values, facets, default: fallback, reference, record, readable, computed, documentation } = described;
  return {
    name: described.name,
    type: values === undefined ? described.type : 'Enum',
    kind: described.kind,
    list: described.list,
    required: described.required,
    identifier: described.identifier,
    unique: described.unique,
    ...(fallback === undefined ? {} : { default: fallback.kind }),
    ...(fallback?.kind === 'value' && readable ? { defaultValue: fallback.value } : {}),
    ...(values === undefined ? {} : { enum: values }),
    ...Object.fromEntries(facets.map(({ name, given }) => [name, given])),
    ...(reference === undefined ? {} : { reference: referenceFacts(reference) }),
    ...(record === undefined ? {} : { record }),
    readOnly: described.setOnce || computed,
    writeOnly: described.writeOnly,
    secret: described.secret,
    computed,
    ...(documentation === undefined ? {} : { comment: documentation }),
  };
}

function referenceFacts({ entity, attribute, cascade }: AttributeReference) {
  return { entity, attribute, ...(cascade === true ? ({ cascade } as const) : {}) };
}

/** Conditions in words are labels; what agents are told stands nowhere here. */
function flowOf(flow: Flow, model: Model): Described.FlowDescription {
  const runs = (node: FlowNode) => (node.kind === 'statement' || isInternal(node.name, model) ? {} : { runs: node.name });
  return {
    ...namesOf(flow),
    first: flow.first,
    nodes: [...flow.nodes].map(([name, node]) => ({ name, kind: node.kind, ...runs(node) })),
    steps: flow.steps.map(({ from, to, condition }) => ({ from, to, ...(condition === undefined ? {} : { label: condition }) })),
  };
}
