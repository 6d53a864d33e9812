// What events and agents give, as the output schemas of their tools.

import type { Agent, EventType } from '../../model/model.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';
import { resultShapes } from '../../plan/flow/result/result.ts';
import type { Plan } from '../../plan/plan.ts';
import { componentName } from '../openapi/components.ts';
import { createRecordSchemas } from '../openapi/schemas/record.ts';
import { replySchema, resultSchema } from '../openapi/schemas/result.ts';
import { fieldSchemas } from '../openapi/schemas/row.ts';
import { createSchemas, type Schemas } from '../openapi/schemas/schemas.ts';
import { definitionsIn } from './definitions.ts';

export interface Results {
  ofEvent(event: EventType): JsonSchema;
  ofAgent(agent: Agent): JsonSchema;
}

export function resultsIn(plan: Plan): Results {
  const shapeOf = resultShapes(plan);
  const definitions = definitionsIn();
  const records = createRecordSchemas(plan.model, definitions.components);
  const schemas: Schemas = {
    ...createSchemas(plan.model, definitions.components, records),
    // Related instances are described by their own tools.
    instance: (row) =>
      definitions.components.use('schemas', componentName(row.type), () => ({
        type: 'object',
        properties: fieldSchemas(row, records.anyAnswered),
      })),
  };
  const around = (result: JsonSchema): JsonSchema =>
    definitions.around({ type: 'object', properties: { result: orWaiting(result), ...waiting }, required: ['result'] });
  return {
    ofEvent: ({ name }) => around(resultSchema(shapeOf(name), schemas)),
    ofAgent: (agent) => around(replySchema(agent, plan.model, records.answered)),
  };
}

const waiting: Readonly<Record<string, JsonSchema>> = {
  runId: { type: 'string', description: 'The run, where it waits until somebody approves of a call.' },
  status: { const: 'waiting' },
};

/** Nothing where an agent that was asked on the way waits for approval. */
function orWaiting(result: JsonSchema): JsonSchema {
  return Object.keys(result).length === 0 ? result : { anyOf: [result, { type: 'null' }] };
}
