// The inputs of the schema: conditions, orders, what is created and what is changed. Each type is made once.

import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import { type AttributeDescription, describeRow, type TypeDescription } from '../../plan/description/description.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import type { AttributeTypes } from './attributes.ts';
import type { FieldMeaning } from './meaning.ts';
import { fieldName, fieldOf } from './names.ts';
import { relatedFields } from './relationships.ts';
import { anything } from './scalars.ts';
import { whereName } from './where-names.ts';

export type Row = EntityPlan | LinkPlan;
/** A schema that is being made. */
export interface Building {
  readonly names: ReadonlyMap<Row, string>;
  readonly attributes: AttributeTypes;
  readonly fields: Map<string, ReadonlyMap<string, FieldMeaning>>;
  readonly objects: Map<Row, GraphQLObjectType>;
  readonly inputs: Map<string, GraphQLInputObjectType>;
}

const direction = new GraphQLEnumType({ name: 'Direction', values: { ASC: {}, DESC: {} } });

export function nameOf(plan: Row, { names }: Building): string {
  const name = names.get(plan);
  if (name === undefined) throw new Error(`${plan.type} has no name`);
  return name;
}

export function listArguments(plan: Row, building: Building, isRoot: boolean): GraphQLFieldConfigArgumentMap {
  return {
    where: { type: whereOf(plan, building) },
    orderBy: { type: new GraphQLList(new GraphQLNonNull(orderOf(plan, building))) },
    limit: { type: GraphQLInt },
    offset: { type: GraphQLInt },
    ...(isRoot ? { after: { type: GraphQLString } } : {}),
  };
}

export function whereOf(plan: Row, building: Building): GraphQLInputObjectType {
  return cached(`${nameOf(plan, building)}Where`, building, (name) => {
    const self = new GraphQLInputObjectType({
      name,
      fields: (): GraphQLInputFieldConfigMap => {
        const owner = nameOf(plan, building);
        const own = describeRow(plan).readable.map((each) => [
          whereName(fieldOf(each.name, plan), plan),
          { type: building.attributes.filter(each, owner) },
        ]);
        const ends =
          plan.kind === 'link'
            ? plan.ends.map(({ attribute, entity }) => [whereName(attribute, plan), { type: endFilter(entity, owner, building) }])
            : [];
        const related =
          plan.kind === 'entity'
            ? [...relatedFields(plan, (each) => building.names.has(each))].map(([each, { way }]) => [
                whereName(each, plan),
                { type: whereOf(way.target, building) },
              ])
            : [];
        const many = { type: new GraphQLList(new GraphQLNonNull(self)) };
        return { ...Object.fromEntries([...own, ...ends, ...related]), and: many, or: many, not: { type: self } };
      },
    });
    return self;
  });
}

/** What stands under a parent is named by its path, its guid or its identifier, which are of several types and in no order. */
const containedEnd = new GraphQLInputObjectType({
  name: 'EndFilter',
  fields: {
    ...{ eq: { type: anything }, ne: { type: anything } },
    ...{ in: { type: new GraphQLList(new GraphQLNonNull(anything)) }, null: { type: GraphQLBoolean } },
  },
});

function endFilter(end: EntityPlan, owner: string, building: Building): GraphQLInputType {
  return end.contained ? containedEnd : building.attributes.filter(describeRow(end).identifier, owner);
}

function orderOf(plan: Row, building: Building): GraphQLInputObjectType {
  return cached(`${nameOf(plan, building)}Order`, building, (name) => {
    const sorted = describeRow(plan).readable.filter(({ list, kind }) => !list && kind !== 'record' && kind !== 'json');
    const fields = sorted.map((each) => [fieldOf(each.name, plan), { type: direction }]);
    const along = (): readonly (readonly [string, { readonly type: GraphQLInputObjectType }])[] =>
      plan.kind === 'link'
        ? []
        : [...relatedFields(plan, (each) => building.names.has(each))].flatMap(([field, { way, isSingle }]) =>
            isSingle ? [[field, { type: orderOf(way.target, building) }] as const] : [],
          );
    return new GraphQLInputObjectType({ name, fields: () => Object.fromEntries([...fields, ...along()]) });
  });
}

export function inputOf(plan: Row, building: Building): GraphQLInputObjectType {
  const name = nameOf(plan, building);
  return cached(
    `${name}Input`,
    building,
    () =>
      new GraphQLInputObjectType({
        name: `${name}Input`,
        fields: () => ({
          ...attributeInputs(rowInputs(describeRow(plan).settable, plan), name, building, true),
          ...(plan.kind === 'link'
            ? Object.fromEntries(plan.ends.map((end) => [end.attribute, { type: new GraphQLNonNull(anything) }]))
            : nestedInputs(plan, building)),
        }),
      }),
  );
}

/** What stands in a body under the name of a relationship: children that are created, instances that are created or linked. */
function nestedInputs(plan: EntityPlan, building: Building): GraphQLInputFieldConfigMap {
  const ways = [...relatedFields(plan, (each) => building.names.has(each))].filter(([, { way }]) => way.kind !== 'parent');
  return Object.fromEntries(
    ways.map(([name, { way }]) => [
      name,
      {
        type: new GraphQLList(
          new GraphQLNonNull(way.kind === 'contains' ? inputOf(way.target, building) : linkedInput(way.target, building)),
        ),
      },
    ]),
  );
}

/** The identifier alone, or the path, names one that exists. */
function linkedInput(plan: EntityPlan, building: Building): GraphQLInputObjectType {
  const owner = nameOf(plan, building);
  return cached(
    `${owner}LinkInput`,
    building,
    (name) =>
      new GraphQLInputObjectType({
        name,
        fields: () => ({
          ...attributeInputs(rowInputs(describeRow(plan).settable, plan), owner, building, false),
          ...nestedInputs(plan, building),
          _path: { type: GraphQLString },
          _link: { type: anything },
        }),
      }),
  );
}

export function changesOf(plan: Row, building: Building): GraphQLInputObjectType {
  const owner = nameOf(plan, building);
  const changed = describeRow(plan).changeable;
  return cached(
    `${owner}Changes`,
    building,
    (name) =>
      new GraphQLInputObjectType({
        name,
        fields: () => ({
          ...attributeInputs(rowInputs(changed, plan), owner, building, false),
          ...(plan.kind === 'entity' && plan.contained
            ? { _parent: { type: GraphQLString, description: 'The path of another parent.' } }
            : {}),
          ...(changed.length === 0 ? { _nothing: { type: GraphQLString, description: 'There is nothing to change.' } } : {}),
        }),
      }),
  );
}

export function inputType(name: string, { settable }: TypeDescription, owner: string, building: Building): GraphQLInputObjectType {
  return cached(
    name,
    building,
    () =>
      new GraphQLInputObjectType({
        name,
        fields: () =>
          attributeInputs(
            settable.map((attribute) => ({ attribute, name: fieldName(attribute.name) })),
            owner,
            building,
            true,
          ),
      }),
  );
}

interface NamedAttribute {
  readonly attribute: AttributeDescription;
  readonly name: string;
}

function rowInputs(attributes: readonly AttributeDescription[], plan: Row): readonly NamedAttribute[] {
  return attributes.map((attribute) => ({ attribute, name: fieldOf(attribute.name, plan) }));
}

/** By their names in GraphQL. */
function attributeInputs(
  attributes: readonly NamedAttribute[],
  owner: string,
  building: Building,
  complete: boolean,
): GraphQLInputFieldConfigMap {
  return Object.fromEntries(
    attributes.map(({ attribute, name }) => {
      const type = building.attributes.input(attribute, owner);
      return [name, { type: complete && attribute.required ? new GraphQLNonNull(type) : type }];
    }),
  );
}

function cached(name: string, { inputs }: Building, make: (name: string) => GraphQLInputObjectType): GraphQLInputObjectType {
  const found = inputs.get(name);
  if (found !== undefined) return found;
  const made = make(name);
  inputs.set(name, made);
  return made;
}
