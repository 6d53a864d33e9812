// What events give back, as JSON Schema: the names of types stand for instances of them.

import { unreachable } from '../../errors.ts';
import type { TypeName } from '../../model/model.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';
import { resultShapes } from '../../plan/flow/result/result.ts';
import { isNever, type ResultShape } from '../../plan/flow/result/shape.ts';
import type { Plan } from '../../plan/plan.ts';

export function eventResults(plan: Plan): (event: TypeName) => JsonSchema {
  const shapeOf = resultShapes(plan);
  return (event) => schemaOf(shapeOf(event));
}

function schemaOf(shape: ResultShape): JsonSchema {
  switch (shape.kind) {
    case 'any':
      return {};
    case 'nothing':
      return { type: 'null' };
    case 'false':
      return { const: false };
    case 'scalar':
      return { type: shape.type === 'text' || shape.type === 'decimal' ? 'string' : shape.type };
    case 'attribute':
      return { title: shape.attribute.name };
    case 'instance':
      return { type: 'object', title: shape.plan.type };
    case 'record':
      return { type: 'object', title: shape.record.name };
    case 'event':
      return { type: 'object' };
    case 'list':
      return { type: 'array', items: schemaOf(shape.of) };
    case 'row':
      return { type: 'object', properties: Object.fromEntries([...shape.fields].map(([name, each]) => [name, schemaOf(each)])) };
    case 'either':
      return isNever(shape) ? {} : { anyOf: shape.shapes.map(schemaOf) };
    default:
      return unreachable(shape);
  }
}
