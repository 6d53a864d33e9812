// What a workflow gives back as JSON Schema, in the form of each surface: the counterpart of `outcome.ts`.

import { unreachable } from '../../../errors.ts';
import type { Agent, Model } from '../../../model/model.ts';
import type { JsonSchema } from '../../../model/types/attribute-type.ts';
import { describeAttribute } from '../../../plan/description/description.ts';
import { isNever, type ResultShape, type ScalarType } from '../../../plan/flow/result/shape.ts';
import { answerSchema, nullable, type RecordSchema } from './attribute.ts';
import type { EarlierSchemas } from './earlier.ts';
import type { Schemas } from './schemas.ts';

/** Flat on the current surface; with `keyed` in the form of the earlier one, where what was created last stands under the name of its type. */
export function resultSchema(shape: ResultShape, schemas: Schemas, keyed?: EarlierSchemas): JsonSchema {
  const inside = (each: ResultShape): JsonSchema => resultSchema(each, schemas, keyed);
  switch (shape.kind) {
    case 'any':
      return {};
    case 'nothing':
      return { type: 'null' };
    case 'false':
      return { const: false };
    case 'scalar':
      return scalars[shape.type];
    case 'attribute': {
      const schema = answerSchema(describeAttribute(shape.attribute), schemas.record);
      // In a row it is null for who may not see it.
      return shape.attribute.rbac === undefined ? schema : nullable(schema);
    }
    case 'instance':
    case 'record':
    case 'event':
      return keyed === undefined ? flatSchema(shape, schemas) : keyedSchema(shape, schemas, keyed);
    case 'list':
      return { type: 'array', items: keyed !== undefined && isMixed(shape.of) ? {} : inside(shape.of) };
    case 'row': {
      const properties = Object.fromEntries([...shape.fields].map(([name, each]) => [name, inside(each)]));
      return { type: 'object', properties, required: [...shape.fields.keys()] };
    }
    case 'either':
      return isNever(shape) ? {} : anyOf(shape.shapes.map(inside));
    default:
      return unreachable(shape);
  }
}

type Made = Extract<ResultShape, { kind: 'instance' | 'record' | 'event' }>;

const scalars: Readonly<Record<ScalarType, JsonSchema>> = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  decimal: { type: 'string', format: 'decimal' },
};

function flatSchema(shape: Made, schemas: Schemas): JsonSchema {
  switch (shape.kind) {
    case 'instance':
      return { ...schemas.instance(shape.plan) };
    case 'record':
      return { ...schemas.record(shape.record.name) };
    case 'event':
      return schemas.made(shape.event);
    default:
      return unreachable(shape);
  }
}

function keyedSchema(shape: Made, schemas: Schemas, keyed: EarlierSchemas): JsonSchema {
  switch (shape.kind) {
    case 'instance':
      return underName(shape.plan.type, shape.created, {
        ...(shape.created ? keyed.untagged(shape.plan) : keyed.instance(shape.plan)),
      });
    case 'record':
      return underName(
        shape.record.name,
        shape.created,
        shape.created ? { ...schemas.record(shape.record.name) } : { ...keyed.record(shape.record.name) },
      );
    case 'event':
      return underName(shape.event.name, shape.created, schemas.made(shape.event));
    default:
      return unreachable(shape);
  }
}

function underName(type: string, created: boolean, schema: JsonSchema): JsonSchema {
  return created ? { type: 'object', properties: { [type]: schema }, required: [type], additionalProperties: false } : schema;
}

/** Whether the last round of a loop decides how all of them are shown. */
function isMixed(shape: ResultShape): boolean {
  if (shape.kind !== 'either') return false;
  const made = shape.shapes.flatMap((each) => ('created' in each ? [each.created] : []));
  return made.includes(true) && shape.shapes.length > 1;
}

/** Each once; a null beside one other is a type more. */
function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const all = [...new Map(schemas.map((each) => [JSON.stringify(each), each])).values()];
  const present = all.filter((each) => each['type'] !== 'null');
  const [only, ...others] = present;
  if (only === undefined) return { type: 'null' };
  if (others.length > 0) return { anyOf: all };
  const isNullable = Array.isArray(only['type']) && only['type'].includes('null');
  return present.length < all.length && !isNullable ? nullable(only) : only;
}

/** What an agent answers: a text, or the record that it names; what comes of a flow is that of its last step. */
export function replySchema({ flow, settings: { responseSchema }, tools }: Agent, { records }: Model, record: RecordSchema): JsonSchema {
  const type = typeof responseSchema === 'string' ? responseSchema : tools.find((each) => records.has(each));
  if (flow !== undefined || (type !== undefined && !records.has(type))) return {};
  return type === undefined ? { type: 'string' } : { ...record(type) };
}
