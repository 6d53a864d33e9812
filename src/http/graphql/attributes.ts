// Attributes as GraphQL types: of an answer, of an input, and of a condition.

import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from 'graphql';
import type { AttributeDescription, TypeDescription } from '../../plan/description/description.ts';
import type { FieldMeaning } from './meaning.ts';
import { fieldName, isSpellable } from './names.ts';
import { anything, scalars } from './scalars.ts';

/** The types that attributes need, each made once. */
export interface AttributeTypes {
  /** `mayLack` where there may be no value of it, whatever the attribute says. */
  output(attribute: AttributeDescription, owner: string, mayLack?: 'mayLack'): GraphQLOutputType;
  input(attribute: AttributeDescription, owner: string): GraphQLInputType;
  filter(attribute: AttributeDescription, owner: string): GraphQLInputType;
  /** Whether an answer may hold more of it than was asked for. */
  isShaped(attribute: AttributeDescription): boolean;
}

interface Parts {
  record(type: string): { readonly described: TypeDescription; readonly name: string };
  /** Where the fields of record types are told. */
  readonly fields: Map<string, ReadonlyMap<string, FieldMeaning>>;
}

export function attributeTypes({ record, fields }: Parts): AttributeTypes {
  const enums = new Map<string, GraphQLEnumType>();
  const outputs = new Map<string, GraphQLObjectType>();
  const inputs = new Map<string, GraphQLInputObjectType>();
  const filters = new Map<string, GraphQLInputObjectType>();

  const plain = (
    { name, attribute: { values }, type, kind }: AttributeDescription,
    owner: string,
  ): GraphQLEnumType | (GraphQLOutputType & GraphQLInputType) => {
    if (values?.every(isSpellable) === true && values.length > 0) return enumOf(`${owner}_${fieldName(name)}`, values);
    if (values !== undefined || kind === 'record') return GraphQLString;
    if (kind === 'boolean') return GraphQLBoolean;
    if (kind === 'json' || kind === 'scalar') return anything;
    return scalars.get(type) ?? GraphQLString;
  };
  const enumOf = (name: string, values: readonly string[]): GraphQLEnumType => {
    const made = enums.get(name) ?? new GraphQLEnumType({ name, values: Object.fromEntries(values.map((each) => [each, {}])) });
    enums.set(name, made);
    return made;
  };
  const outputOf = (type: string): GraphQLObjectType => {
    const found = outputs.get(type);
    if (found !== undefined) return found;
    const { name, described } = record(type);
    const shown = described.attributes.filter(({ readable }) => readable);
    fields.set(
      name,
      new Map(shown.map((each) => [fieldName(each.name), { kind: 'attribute', name: each.name, shaped: types.isShaped(each) }])),
    );
    const made = new GraphQLObjectType({
      name,
      fields: () => Object.fromEntries(shown.map((each) => [fieldName(each.name), { type: types.output(each, name, 'mayLack') }])),
    });
    outputs.set(type, made);
    return made;
  };
  const inputOf = (type: string): GraphQLInputObjectType => {
    const found = inputs.get(type);
    if (found !== undefined) return found;
    const { name, described } = record(type);
    const made = new GraphQLInputObjectType({
      name: `${name}Input`,
      fields: () => Object.fromEntries(described.attributes.map((each) => [fieldName(each.name), { type: types.input(each, name) }])),
    });
    inputs.set(type, made);
    return made;
  };
  const filterOf = (type: GraphQLInputType, isList: boolean): GraphQLInputObjectType => {
    const name = `${String(type).replace(/\W/g, '')}${isList ? 'List' : ''}Filter`;
    const made = filters.get(name) ?? new GraphQLInputObjectType({ name, fields: isList ? listOperators(type) : operatorsOf(type) });
    filters.set(name, made);
    return made;
  };
  const types: AttributeTypes = {
    output(attribute, owner, mayLack) {
      const { record: type, list, optional, computed, ruled } = attribute;
      const single = type === undefined ? plain(attribute, owner) : outputOf(type);
      const whole = list ? new GraphQLList(single) : single;
      return optional || computed || ruled || mayLack !== undefined ? whole : new GraphQLNonNull(whole);
    },
    input(attribute, owner) {
      const { record: type, list } = attribute;
      const single: GraphQLInputType = type === undefined ? plain(attribute, owner) : inputOf(type);
      return list ? new GraphQLList(single) : single;
    },
    filter(attribute, owner) {
      if (attribute.record !== undefined) return filterOf(anything, false);
      return filterOf(plain(attribute, owner), attribute.list);
    },
    isShaped: (attribute) => attribute.record !== undefined,
  };
  return types;
}

/** As the filters of lists have them. */
function operatorsOf(type: GraphQLInputType): GraphQLInputFieldConfigMap {
  const many = { type: new GraphQLList(new GraphQLNonNull(type)) };
  const text = { type: GraphQLString };
  return {
    ...{ eq: { type }, ne: { type }, lt: { type }, lte: { type }, gt: { type }, gte: { type } },
    ...{ in: many, between: many, like: text, ilike: text, null: { type: GraphQLBoolean } },
  };
}

function listOperators(type: GraphQLInputType): GraphQLInputFieldConfigMap {
  return { has: { type }, null: { type: GraphQLBoolean } };
}
