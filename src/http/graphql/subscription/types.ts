// The subscriptions of the schema: for each type its changes, and what is told of one.

import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from 'graphql';
import type { EntityPlan, LinkPlan } from '../../../plan/plan.ts';
import { type Building, whereOf } from '../inputs.ts';

type Field = GraphQLFieldConfig<unknown, unknown>;

const kind = new GraphQLEnumType({
  name: 'ChangeKind',
  values: {
    READY: { description: 'The stream has begun; there is no instance.' },
    PRESENT: { description: 'It is there already.' },
    CREATE: { description: 'It was created, or came to fulfil the conditions or to be readable.' },
    UPDATE: {},
    DELETE: {},
    GONE: { description: 'It does not fulfil the conditions any more, or is not readable any more.' },
  },
});

/** `type` is that of the instances, `identifier` that of what names them. */
export function changesField(
  plan: EntityPlan | LinkPlan,
  name: string,
  type: GraphQLObjectType,
  identifier: GraphQLOutputType,
  building: Building,
): Field {
  const change = new GraphQLObjectType({
    name: `${name}Change`,
    fields: {
      kind: { type: new GraphQLNonNull(kind) },
      cursor: { type: GraphQLString, description: 'What `after` takes, to go on behind this change.' },
      identifier: { type: identifier, description: 'The identifier of the instance.' },
      path: { type: GraphQLString, description: 'Its path, where it stands under a parent.' },
      instance: { type, description: 'As the change has left it; absent where it was deleted, or is gone.' },
    },
  });
  return {
    type: new GraphQLNonNull(change),
    args: {
      where: { type: whereOf(plan, building) },
      initial: { type: GraphQLBoolean, description: 'Whether those that are there come first.' },
      after: { type: GraphQLString, description: 'The cursor of a change, behind which it goes on.' },
    },
    description: 'As server-sent events, by the protocol of graphql-sse.',
  };
}
