// Model → plan: every table, shape and name that a request can need, decided once.

import { ByteCache, CacheBound } from '../byte-cache.ts';
import { recordModules } from '../model/ai-module.ts';
import { auditEntry, pendingCall } from '../model/builtin.ts';
import { type Contains, columnKind, type Entity, type Model, type TypeName } from '../model/model.ts';
import { searchedTypes } from '../model/searched.ts';
import { timerType } from '../model/timers/timers.ts';
import { compileAccess } from './access/access.ts';
import { relatedComputedOf } from './computed/related-computed.ts';
import { type ExternalHandlers, type ExternalTypes, externalTypes } from './external.ts';
import { compileDataflows } from './flow/compile.ts';
import type { Handled } from './flow/flow.ts';
import { isOtherName, namesOf } from './names.ts';
import type { AttributePlan, ContainsPlan, EntityPlan, LinkPlan, LinkWay, Plan, Step } from './plan.ts';
import type { Field } from './query/shape.ts';
import { assignmentAttribute, compileAttribute } from './rows/attribute.ts';
import { identifierForm } from './rows/keys.ts';
import { linkPlan } from './rows/link.ts';
import { agentTables } from './rows/own/agents.ts';
import { auditTables } from './rows/own/audit.ts';
import { idempotencyPlan } from './rows/own/idempotency.ts';
import { identityTables } from './rows/own/identity.ts';
import { intentionTable } from './rows/own/intentions.ts';
import { subscriptionTable } from './rows/own/subscriptions.ts';
import { rowPlan, visibleFields } from './rows/rows.ts';
import { linkNamesOf, stepsOf } from './rows/steps.ts';
import type { Table } from './rows/table.ts';
import { entityTable, keyOf, type Layout, parentColumn, pathColumn } from './rows/tables.ts';

/** What the parts of the service that are on mean for a plan. */
export interface CompileOptions {
  /** The events that they do themselves. */
  readonly handled?: ReadonlyMap<TypeName, Handled>;
  /** Whether it is known who asks: only then can what the service keeps be written over HTTP. */
  readonly identified?: boolean;
}

export function compile(model: Model, { handled = new Map(), identified = false }: CompileOptions = {}): Plan {
  const external = externalTypes(model);
  const layout = layoutOf(model, external);
  const parentsOf = groupByChild(model);
  const building = new Map<TypeName, Building>();
  const entityTables = new Map<TypeName, Table>();
  const stored = [...model.entities.values()].filter((each) => !isOtherName(each));
  for (const entity of stored) entityTables.set(entity.name, entityTable(entity, layout, parentsOf.get(entity.name) ?? []));
  const tableOf = (name: TypeName): Table => required(entityTables, name);
  for (const entity of stored) {
    const isKept = recordModules.has(entity.module) || entity.name === auditEntry || entity.system?.stored === pendingCall;
    const readOnly = entity.system !== undefined && (!identified || isKept);
    building.set(entity.name, startEntity(entity, layout, tableOf, parentsOf.get(entity.name) ?? [], readOnly));
  }
  for (const entity of model.entities.values())
    if (isOtherName(entity)) building.set(entity.name, underOtherName(entity, required(building, entity.system.stored), layout));
  connectContains(model, building);
  const links = new Map<TypeName, LinkPlan>();
  for (const each of model.relationships.values()) {
    if (each.kind === 'between')
      links.set(
        each.name,
        linkPlan(each, layout, tableOf, (name) => required(building, name)),
      );
  }
  connectSteps(building, links);
  const idempotency = idempotencyPlan();
  const [users, apiKeys] = [entityTables.get('platform.auth/User'), entityTables.get('platform.auth/ApiKey')];
  const identity = users === undefined || apiKeys === undefined ? undefined : identityTables(users, apiKeys);
  const runs = entityTables.get('platform.ai/Run');
  const agents = runs === undefined ? undefined : agentTables(runs);
  const audit = auditTables(entityTables.get(auditEntry));
  const intentions = external.composed.size + external.composedEvents.size === 0 ? undefined : intentionTable();
  const subscriptions = [...model.resolvers.values()].some((each) => each.methods.subscribe !== undefined)
    ? subscriptionTable()
    : undefined;
  const ofService = [
    idempotency.table,
    ...[intentions, subscriptions].filter((each) => each !== undefined),
    ...[identity, agents, audit].flatMap((each) => Object.values(each ?? {})),
  ];
  const kept = [...entityTables].flatMap(([type, table]) => (external.entities.has(type) ? [] : [table]));
  const tables: readonly Table[] = [...kept, ...[...links.values()].map((each) => each.table), ...ofService];
  const dataflows = compileDataflows({ model, entities: building, links, handled });
  const relatedComputed = relatedComputedOf(building, links);
  return Object.freeze({
    model,
    tables,
    entities: building,
    links,
    names: namesOf(model, building, links, 'current'),
    earlierNames: namesOf(model, building, links, 'earlier'),
    idempotency,
    identity,
    agents,
    audit,
    access: compileAccess({ model, entities: building, links, unproven: identity?.unconfirmed }),
    dataflows,
    external,
    intentions,
    subscriptions,
    relatedComputed,
  });
}

/** Bytes of the shapes that requests make up (filters, orders), of all types together. */
const mostKept = 16 * 1024 * 1024;

/** An entity's plan while its neighbours are still being made. */
export interface Building extends EntityPlan {
  readonly children: ContainsPlan[];
  readonly parents: ContainsPlan[];
  readonly steps: Map<string, readonly Step[]>;
  readonly linkNames: Map<string, LinkWay>;
}

function layoutOf(model: Model, { entities, composed }: ExternalTypes): Layout {
  const contained = new Set<TypeName>();
  for (const each of model.relationships.values()) if (each.kind === 'contains') contained.add(each.child);
  return { model, contained, shapes: new CacheBound(mostKept), searched: searchedTypes(model), external: entities, composed };
}

function groupByChild(model: Model): ReadonlyMap<TypeName, readonly Contains[]> {
  const result = new Map<TypeName, Contains[]>();
  for (const each of model.relationships.values()) {
    if (each.kind !== 'contains') continue;
    const group = result.get(each.child);
    if (group === undefined) result.set(each.child, [each]);
    else group.push(each);
  }
  return result;
}

/** The same rows: attributes go by other names, and stand in the same columns. */
function underOtherName(entity: Entity, first: Building, layout: Layout): Building {
  const attributes = entity.attributes.map((attribute, index): AttributePlan => {
    const plan = first.attributes[index];
    if (plan === undefined) throw new Error(`${entity.name} has other attributes than ${first.type}`);
    return { ...plan, attribute, name: attribute.name };
  });
  const identifier = attributes[first.attributes.indexOf(first.identifier)];
  if (identifier === undefined) throw new Error(`${entity.name} has no identifier`);
  const fields = [...visibleFields(attributes), ...systemFieldsOf(first.contained)];
  const systemFields = first.contained ? [pathColumn] : [];
  const row = rowPlan(entity.name, entity.local, first.table, attributes, identifier, first.key, fields, systemFields);
  // Shapes name attributes: each name has its own; and so do the ways to what it contains.
  return {
    ...first,
    entity,
    ...row,
    isPlain: first.isPlain && row.isPlain,
    cached: new ByteCache(layout.shapes),
    children: [],
    steps: new Map(),
  };
}

function systemFieldsOf(contained: boolean): readonly Field[] {
  return contained ? [{ kind: 'column', name: pathColumn, column: pathColumn }] : [];
}

function startEntity(
  entity: Entity,
  layout: Layout,
  tableOf: (name: TypeName) => Table,
  parents: readonly Contains[],
  readOnly: boolean,
): Building {
  const table = tableOf(entity.name);
  const attributes = entity.attributes.map((each) => assignmentAttribute(entity, compileAttribute(each, layout.model, tableOf)));
  const identifier = attributes.find((each) => each.attribute === entity.identifier) ?? compileAttribute(entity.identifier, layout.model);
  const contained = parents.length > 0;
  const systemFields = contained ? [pathColumn] : [];
  const fields: readonly Field[] = [...visibleFields(attributes), ...systemFieldsOf(contained)];
  return {
    kind: 'entity',
    entity,
    contained,
    readOnly,
    form: identifierForm(columnKind(entity.identifier)),
    rootable: !contained || parents.some((each) => each.parent === entity.name),
    guid: contained ? attributes.find((each) => each !== identifier && each.name === entity.guid?.name) : undefined,
    parents: [],
    children: [],
    steps: new Map(),
    linkNames: new Map(),
    ...rowPlan(entity.name, entity.local, table, attributes, identifier, keyOf(entity.name, layout), fields, systemFields),
    ...externalPlan(layout.external.get(entity.name)),
    ...(layout.composed.has(entity.name) ? { composed: true, isPlain: false } : {}),
    // It is checked, and gets its due time, before it is written.
    ...(entity.system?.stored === timerType ? { isPlain: false } : {}),
    cached: new ByteCache(layout.shapes),
  };
}

/** Of what is written elsewhere, no row is written as it was given. */
function externalPlan(external: ExternalHandlers | undefined): Pick<EntityPlan, 'external'> & Partial<Pick<EntityPlan, 'isPlain'>> {
  return external === undefined ? {} : { external, isPlain: false };
}

function connectContains(model: Model, building: ReadonlyMap<TypeName, Building>): void {
  for (const each of model.relationships.values()) {
    if (each.kind !== 'contains') continue;
    const parent = required(building, each.parent);
    const child = required(building, each.child);
    const contains: ContainsPlan = { contains: each, name: each.name, parent, child, column: parentColumn(each) };
    parent.children.push(contains);
    child.parents.push(contains);
  }
  for (const each of building.values()) {
    if (!isOtherName(each.entity)) continue;
    for (const contains of required(building, each.entity.system.stored).children) {
      const name = `${each.entity.module}/${contains.contains.local}`;
      each.children.push({ ...contains, name, child: onSurface(contains.child, each.entity, building) });
    }
  }
}

function connectSteps(building: ReadonlyMap<TypeName, Building>, links: ReadonlyMap<TypeName, LinkPlan>): void {
  const linksOf = new Map<TypeName, Set<LinkPlan>>();
  for (const link of links.values()) {
    for (const end of link.ends) linksOf.set(end.entity.type, (linksOf.get(end.entity.type) ?? new Set()).add(link));
  }
  for (const entity of building.values()) {
    for (const [name, steps] of stepsOf(entity, linksOf.get(entity.type) ?? [])) entity.steps.set(name, steps);
    for (const [name, way] of linkNamesOf(entity)) entity.linkNames.set(name, way);
  }
}

/** What the service contains goes by the names of the same surface. */
function onSurface(child: EntityPlan, { system }: Entity, building: ReadonlyMap<TypeName, Building>): EntityPlan {
  const isSame = ({ entity }: Building) => entity.system?.surface === system?.surface && entity.system?.stored === child.type;
  return [...building.values()].find(isSame) ?? child;
}

function required<T>(made: ReadonlyMap<TypeName, T>, name: TypeName): T {
  const found = made.get(name);
  // After `link` every end of a relationship is an entity of the model.
  if (found === undefined) throw new Error(`no plan for ${name}`);
  return found;
}
