// What events give as GraphQL types, where it is known; else it is JSON.

import { GraphQLBoolean, type GraphQLFieldConfig, GraphQLList, GraphQLObjectType, type GraphQLOutputType, GraphQLString } from 'graphql';
import { describeAttribute, describeRow } from '../../plan/description/description.ts';
import type { ResultShape, ScalarType } from '../../plan/flow/result/shape.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import { type Building, nameOf } from './inputs.ts';
import type { FieldMeaning } from './meaning.ts';
import { fieldOf } from './names.ts';
import { anything, float, long, scalars } from './scalars.ts';

type Row = EntityPlan | LinkPlan;

/** Instances that an event gives have their attributes, and nothing of what is around them. */
export function resultTypes(building: Building): (shape: ResultShape) => GraphQLOutputType {
  const made = new Map<Row, GraphQLObjectType>();
  const typeOf = (shape: ResultShape): GraphQLOutputType => {
    switch (shape.kind) {
      case 'scalar':
        return scalarTypes[shape.type];
      case 'attribute':
        // An enum is named after the type that has it, which is not known here.
        if (shape.attribute.values !== undefined) return anything;
        return building.attributes.output(describeAttribute(shape.attribute), 'Result', 'mayLack');
      case 'instance':
        return building.names.has(shape.plan) ? instanceOf(shape.plan) : anything;
      case 'list': {
        const inner = typeOf(shape.of);
        return inner === anything ? anything : new GraphQLList(inner);
      }
      case 'either': {
        const present = shape.shapes.filter(({ kind }) => kind !== 'nothing');
        const types = [...new Set(present.map(typeOf))];
        return types.length === 1 && types[0] !== undefined ? types[0] : anything;
      }
      default:
        return anything;
    }
  };
  const instanceOf = (plan: Row): GraphQLObjectType => {
    const known = made.get(plan);
    if (known !== undefined) return known;
    const name = `${nameOf(plan, building)}Result`;
    const type = new GraphQLObjectType({ name, fields: () => resultFields(plan, name, building) });
    made.set(plan, type);
    return type;
  };
  return typeOf;
}

const scalarTypes: Readonly<Record<ScalarType, GraphQLOutputType>> = {
  text: GraphQLString,
  integer: long,
  number: float,
  boolean: GraphQLBoolean,
  decimal: scalars.get('Decimal') ?? GraphQLString,
};

function resultFields(plan: Row, owner: string, building: Building): Record<string, GraphQLFieldConfig<unknown, unknown>> {
  const meanings = new Map<string, FieldMeaning>();
  const entries = describeRow(plan).readable.map((each) => {
    meanings.set(fieldOf(each.name, plan), { kind: 'attribute', name: each.name, shaped: building.attributes.isShaped(each) });
    return [fieldOf(each.name, plan), { type: building.attributes.output(each, nameOf(plan, building), 'mayLack') }] as const;
  });
  const path = plan.systemFields.includes(pathColumn) ? [['_path', { type: GraphQLString }] as const] : [];
  if (path.length > 0) meanings.set('_path', { kind: 'attribute', name: pathColumn, shaped: false });
  building.fields.set(owner, meanings);
  return Object.fromEntries([...entries, ...path]);
}
