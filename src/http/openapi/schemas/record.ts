// The schemas of records, in answers and in requests; both surfaces show them alike.

import type { Model } from '../../../model/model.ts';
import { subtypesOf, typeMember } from '../../../model/subtypes.ts';
import type { JsonSchema } from '../../../model/types/attribute-type.ts';
import { type AttributeDescription, describeType } from '../../../plan/description/description.ts';
import { type Components, componentName, type Reference } from '../components.ts';
import { answerSchema, closedObject, createSchema, type RecordSchema, requestSchema } from './attribute.ts';

export interface RecordSchemas {
  /** This record, and none that extends it. */
  readonly answered: RecordSchema;
  /** This record, or one that extends it and says so. */
  readonly anyAnswered: RecordSchema;
  readonly anySent: RecordSchema;
  /** The members of a record in an answer, not yet a component. */
  members(record: string): JsonSchema;
}

export function createRecordSchemas(model: Model, components: Components): RecordSchemas {
  const use = (type: string, suffix: string, make: () => JsonSchema): Reference =>
    components.use('schemas', `${componentName(type)}${suffix}`, make);
  const attributesOf = (type: string): readonly AttributeDescription[] => {
    const found = model.records.get(type) ?? model.entities.get(type);
    return found === undefined ? [] : describeType(found).attributes;
  };
  const members = (record: string): JsonSchema => recordAnswer(attributesOf(record), anyAnswered);
  const answered: RecordSchema = (record) => use(record, recordSuffix(record, model), () => members(record));
  const sent: RecordSchema = (record) => use(record, '-value', () => recordRequest(attributesOf(record), anySent));
  // Where a record is expected, one that extends it may stand, and says so.
  const anyOf = (record: string, suffix: string, own: RecordSchema, make: (sub: string) => JsonSchema): Reference => {
    const subtypes = subtypesOf(record, model, model.records.has(record));
    if (subtypes.length === 0) return own(record);
    const named = (sub: string) => use(sub, `-named${suffix}`, () => namingType(sub, make(sub)));
    return use(record, `-any${suffix}`, () => ({ anyOf: [own(record), ...subtypes.map(named)] }));
  };
  const anyAnswered: RecordSchema = (record) => anyOf(record, '', answered, members);
  const anySent: RecordSchema = (record) => anyOf(record, '-value', sent, (sub) => recordRequest(attributesOf(sub), anySent));
  return { answered, anyAnswered, anySent, members };
}

/** An entity's own name is taken by its instances. */
function recordSuffix(record: string, model: Model): string {
  return model.records.has(record) ? '' : '-record';
}

function recordAnswer(attributes: readonly AttributeDescription[], recordOf: RecordSchema): JsonSchema {
  const properties = attributes.map((each): [string, JsonSchema] => [each.name, answerSchema(each, recordOf)]);
  return { type: 'object', properties: Object.fromEntries(properties), required: attributes.map((each) => each.name) };
}

/** With the name of the type, where another one is expected. */
function namingType(type: string, schema: JsonSchema): JsonSchema {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = typeof schema['properties'] === 'object' ? schema['properties'] : {};
  return { ...schema, properties: { [typeMember]: { const: type }, ...properties }, required: [typeMember, ...required] };
}

/** What is computed may be sent as it was read. Nothing counts up inside of a record. */
function recordRequest(attributes: readonly AttributeDescription[], recordOf: RecordSchema): JsonSchema {
  const counts = ({ attribute: { autoincrement } }: AttributeDescription): boolean => autoincrement;
  const properties = attributes.map((each): [string, JsonSchema] => [
    each.name,
    counts(each) ? requestSchema(each, recordOf) : createSchema(each, recordOf),
  ]);
  const required = attributes.filter((each) => each.required || (counts(each) && !each.optional)).map((each) => each.name);
  return closedObject(Object.fromEntries(properties), required);
}
