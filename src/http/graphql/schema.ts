// Plan → GraphQL schema, and what its fields stand for. Made once for each model.

import {
  assertValidSchema,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import type { Agent, EventType, Model } from '../../model/model.ts';
import { describeRow, describeType } from '../../plan/description/description.ts';
import { resultShapes } from '../../plan/flow/result/result.ts';
import type { EntityPlan, LinkPlan, Plan, Target } from '../../plan/plan.ts';
import { isToOne } from '../../plan/query/related.ts';
import { isUnowned } from '../../plan/rows/assignments.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import { StartRefused } from '../../store/store.ts';
import { attributeTypes } from './attributes.ts';
import { type Building, changesOf, inputOf, inputType, listArguments, nameOf, type Row, whereOf } from './inputs.ts';
import type { FieldMeaning, Meanings, RootMeaning } from './meaning.ts';
import { addressNames, endArguments, fieldName, fieldOf, isSpellable, lowered, type NamedTarget, namedTargets } from './names.ts';
import { linkFields, relatedFields, relationshipNames } from './relationships.ts';
import { resultTypes } from './results.ts';
import { anything, long } from './scalars.ts';
import { changesField } from './subscription/types.ts';

export interface Described {
  readonly schema: GraphQLSchema;
  readonly meanings: Meanings;
}

type Field = GraphQLFieldConfig<unknown, unknown>;

/** `surface` says by which names the service's own types go. */
export function schemaOf(plan: Plan, surface: 'current' | 'earlier'): Described {
  const { targets, types, clashes } = namedTargets(surface === 'current' ? plan.names : plan.earlierNames, (each) => isOwn(each));
  refuseNames(targets, clashes);
  const names = new Map(targets.flatMap(({ name, target }) => ('plan' in target ? [[target.plan, name] as const] : [])));
  const fields = new Map<string, ReadonlyMap<string, FieldMeaning>>();
  const attributes = attributeTypes({ record: (type) => recordNamed(type, plan.model, types), fields });
  const building: Building = { names, attributes, fields, objects: new Map(), inputs: new Map() };
  const roots = new Map<string, RootMeaning>();
  const queries: Record<string, Field> = {};
  const mutations: Record<string, Field> = {};
  const subscriptions: Record<string, Field> = {};
  for (const { name, target } of targets) {
    if (!('plan' in target)) continue;
    addRow(target.plan, name, building, roots, queries, mutations);
    addChanges(target.plan, name, building, roots, subscriptions);
  }
  const shapes = resultShapes(plan);
  const results = resultTypes(building);
  const result = (event: EventType): GraphQLOutputType => results(shapes(event.name));
  for (const { name, target } of targets) {
    const called = target.kind === 'event' ? target.event : target.kind === 'agent' && target.agent.isPublic ? target.agent : undefined;
    if (called !== undefined) addCall(called, name, building, roots, mutations, result);
  }
  const schema = built(
    () =>
      new GraphQLSchema({
        query: new GraphQLObjectType({ name: 'Query', fields: queries }),
        ...(Object.keys(mutations).length === 0 ? {} : { mutation: new GraphQLObjectType({ name: 'Mutation', fields: mutations }) }),
        ...(Object.keys(subscriptions).length === 0
          ? {}
          : { subscription: new GraphQLObjectType({ name: 'Subscription', fields: subscriptions }) }),
      }),
  );
  return { schema, meanings: { names, roots, fields } };
}

function isOwn(target: Target): boolean {
  switch (target.kind) {
    case 'entity':
      return target.plan.entity.system === undefined;
    case 'event':
      return target.event.system === undefined;
    default:
      return true;
  }
}

/** A name that GraphQL cannot spell would be missing from the schema without a word. */
function refuseNames(targets: readonly NamedTarget[], clashes: readonly string[]): void {
  const wrong = targets.flatMap(({ name, target }) => {
    const attributes = 'plan' in target ? describeRow(target.plan).readable.map((each) => each.name) : [];
    const related = 'plan' in target && target.plan.kind === 'entity' ? relationshipNames(target.plan) : [];
    return [name, ...attributes.map(fieldName), ...related].filter((each) => !isSpellable(each));
  });
  const rename = (each: readonly string[]): string => `${each.slice(0, 10).join(', ')}; rename these, or switch graphql.enabled off`;
  if (wrong.length > 0) throw new StartRefused(`GraphQL has no way to spell ${rename(wrong)}`);
  if (clashes.length > 0) throw new StartRefused(`GraphQL would have something else of the same name as ${rename(clashes)}`);
}

/** What has no name of its own is called after where it stands, and may still meet another. */
function built(make: () => GraphQLSchema): GraphQLSchema {
  try {
    const schema = make();
    assertValidSchema(schema);
    return schema;
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    throw new StartRefused(`GraphQL cannot name what the model has: ${thrown.message} Rename one of them, or switch graphql.enabled off`);
  }
}

function recordNamed(type: string, { records, entities, events }: Model, taken: ReadonlySet<string>) {
  const found = records.get(type) ?? entities.get(type) ?? events.get(type);
  if (found === undefined) throw new Error(`${type} is no record of the model`);
  const { local, module } = found;
  const name =
    taken.has(local) || taken.has(`${local}Input`)
      ? `${module.replaceAll('.', '_')}_${local}${found.kind === 'record' ? '' : '_record'}`
      : local;
  return { name, described: describeType(found) };
}

function addRow(
  plan: Row,
  name: string,
  building: Building,
  roots: Map<string, RootMeaning>,
  queries: Record<string, Field>,
  mutations: Record<string, Field>,
): void {
  const type = objectOf(plan, building);
  const { documentation, operations } = describeRow(plan);
  const description = documentation ?? null;
  const field = lowered(name);
  const where = { where: { type: whereOf(plan, building) } };
  const list = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
  queries[field] = { type, args: by(plan, 'one', building), description };
  queries[`${field}List`] = { type: list, args: listArguments(plan, building, true), description };
  queries[`${field}Count`] = { type: new GraphQLNonNull(long), args: where };
  roots.set(field, { kind: 'one', plan }).set(`${field}List`, { kind: 'list', plan }).set(`${field}Count`, { kind: 'count', plan });
  const version = { version: { type: long, description: 'Only where it still has this version.' } };
  const under = plan.kind === 'entity' && plan.contained ? parentArguments(plan) : {};
  const writes: Readonly<Record<'create' | 'update' | 'delete', () => GraphQLFieldConfigArgumentMap>> = {
    create: () => ({ input: { type: new GraphQLNonNull(inputOf(plan, building)) }, ...under }),
    update: () => ({ ...by(plan, 'update', building), changes: { type: new GraphQLNonNull(changesOf(plan, building)) }, ...version }),
    delete: () => ({ ...(plan.kind === 'link' ? betweenEnds(plan) : by(plan, 'delete', building)), ...version }),
  };
  for (const kind of ['create', 'update', 'delete'] as const) {
    if (!operations[kind]) continue;
    mutations[`${kind}${name}`] = { type, args: writes[kind]() };
    roots.set(`${kind}${name}`, { kind, plan });
  }
}

/** What a resolver keeps cannot be watched. */
function addChanges(
  plan: Row,
  name: string,
  building: Building,
  roots: Map<string, RootMeaning>,
  subscriptions: Record<string, Field>,
): void {
  if (plan.kind === 'entity' && plan.external !== undefined) return;
  const identifier = building.attributes.output(describeRow(plan).identifier, name, 'mayLack');
  subscriptions[`${lowered(name)}Changes`] = changesField(plan, name, objectOf(plan, building), identifier, building);
  roots.set(`${lowered(name)}Changes`, { kind: 'changes', plan });
}

/** An event, or an agent, which takes a message. */
function addCall(
  called: EventType | Agent,
  name: string,
  building: Building,
  roots: Map<string, RootMeaning>,
  mutations: Record<string, Field>,
  result: (event: EventType) => GraphQLOutputType,
): void {
  roots.set(name, { kind: 'invoke', target: called });
  if (!('attributes' in called)) {
    mutations[name] = { type: anything, args: { message: { type: new GraphQLNonNull(GraphQLString) } } };
    return;
  }
  const described = describeType(called);
  const { settable, open, documentation } = described;
  const isRequiredInput = settable.some(({ required }) => required);
  const input = open ? anything : inputType(`${name}EventInput`, described, name, building);
  const args = !open && settable.length === 0 ? {} : { input: { type: isRequiredInput ? new GraphQLNonNull(input) : input } };
  mutations[name] = { type: result(called), args, description: documentation ?? null };
}

function objectOf(plan: Row, building: Building): GraphQLObjectType {
  const found = building.objects.get(plan);
  if (found !== undefined) return found;
  const name = nameOf(plan, building);
  const made = new GraphQLObjectType({ name, fields: () => fieldsOf(plan, name, building) });
  building.objects.set(plan, made);
  return made;
}

function fieldsOf(plan: Row, owner: string, building: Building): Record<string, Field> {
  const fields: Record<string, Field> = {};
  const meanings = new Map<string, FieldMeaning>();
  const add = (name: string, type: GraphQLOutputType, meaning: FieldMeaning, more: Partial<Field> = {}): void => {
    fields[name] = { type, ...more };
    meanings.set(name, meaning);
  };
  const attribute = (name: string, shaped = false): FieldMeaning => ({ kind: 'attribute', name, shaped });
  for (const each of describeRow(plan).readable) {
    const description = each.documentation ?? null;
    const shaped = building.attributes.isShaped(each);
    // Who may not read what they made is told its identifier alone.
    const mayLack = isUnowned(plan) && each.name !== plan.identifier.name ? 'mayLack' : undefined;
    add(fieldOf(each.name, plan), building.attributes.output(each, owner, mayLack), attribute(each.name, shaped), { description });
  }
  if (plan.kind === 'link') {
    for (const end of plan.ends.filter(({ entity }) => building.names.has(entity))) {
      add(end.attribute, objectOf(end.entity, building), { kind: 'related', way: { kind: 'end', end, target: end.entity } });
    }
  }
  if (plan.systemFields.includes(pathColumn)) add('_path', GraphQLString, attribute(pathColumn));
  add('_version', long, { kind: 'version' });
  add('_cursor', GraphQLString, { kind: 'cursor' }, { description: 'What `after` takes, in a list at the root.' });
  if (plan.kind === 'entity') {
    const isServed = (each: Row): boolean => building.names.has(each);
    const related = [...relatedFields(plan, isServed)].map(([name, { way }]) => [name, way] as const);
    for (const [name, way] of [...related, ...linkFields(plan, isServed)]) {
      const type = objectOf(way.target, building);
      const list = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
      const args = isToOne(way) ? {} : listArguments(way.target, building, false);
      add(name, isToOne(way) ? type : isUnowned(plan) ? list.ofType : list, { kind: 'related', way }, { args });
    }
  }
  building.fields.set(owner, meanings);
  return fields;
}

/** By its identifier; what stands under a parent also by its path. */
function by(plan: Row, kind: 'one' | 'update' | 'delete', building: Building): GraphQLFieldConfigArgumentMap {
  const type = building.attributes.input(describeRow(plan).identifier, nameOf(plan, building));
  const { id } = addressNames(plan, kind);
  const isContained = plan.kind === 'entity' && plan.contained;
  return isContained ? { [id]: { type }, path: { type: GraphQLString } } : { [id]: { type: new GraphQLNonNull(type) } };
}

/** A link by the instances that it links, named as they are when it is made. */
function betweenEnds(plan: LinkPlan): GraphQLFieldConfigArgumentMap {
  return Object.fromEntries(endArguments(plan).map((name) => [name, { type: new GraphQLNonNull(anything) }]));
}

function parentArguments(plan: EntityPlan): GraphQLFieldConfigArgumentMap {
  const path = {
    type: plan.rootable ? GraphQLString : new GraphQLNonNull(GraphQLString),
    description: 'The path of the parent, or its identifier.',
  };
  return { parent: path, relationship: { type: GraphQLString, description: 'Where several relationships join the two.' } };
}
