// Example values of attributes, as a request sends them: such as the service accepts, the same in every document.

import { allowedExample, isComputed, referenceOf } from '../../../model/description.ts';
import type { Attribute, Model } from '../../../model/model.ts';
import type { AttributeType } from '../../../model/types/attribute-type.ts';
import type { Value } from '../../../values/value.ts';

export type ExampleObject = Readonly<Record<string, Value>>;

export interface ValueExamples {
  /** Of an attribute of the type; nothing where none is known to be accepted. */
  of(attribute: Attribute, type: string): Value | undefined;
  /** Of these attributes, those that `isSent`; nothing where one of them is needed and has no example. */
  object(attributes: readonly Attribute[], type: string, isSent: (attribute: Attribute) => boolean): ExampleObject | undefined;
}

/** An example is read by people; and records inside of records grow without end. */
const mostValues = 200;
const deepest = 4;

export const exampleTime = '2026-01-31T09:30:00.000Z';
export const exampleUuid = '019c1345-6d40-7000-8000-000000000001';

export function createValueExamples(model: Model): ValueExamples {
  return {
    of: (attribute, type) => exampleValue(attribute, type, { model, depth: 0, budget: { left: mostValues } }),
    object: (attributes, type, isSent) => objectOf(attributes, type, isSent, { model, depth: 0, budget: { left: mostValues } }),
  };
}

interface Making {
  readonly model: Model;
  readonly depth: number;
  readonly budget: { left: number };
}

function objectOf(
  attributes: readonly Attribute[],
  type: string,
  isSent: (attribute: Attribute) => boolean,
  making: Making,
): ExampleObject | undefined {
  const values: Record<string, Value> = {};
  for (const attribute of attributes) {
    if (!isSent(attribute)) continue;
    // What is referred to, a whole instance, and what a function of the application wants, is nobody's to guess where it need not be sent.
    const isInstance = attribute.type.kind === 'record' && !making.model.records.has(attribute.type.record);
    const isOpen = isInstance || referenceOf(attribute) !== undefined || attribute.check !== undefined;
    const value = isOpen && attribute.optional ? undefined : exampleValue(attribute, type, making);
    if (value !== undefined) values[attribute.name] = value;
    else if (!attribute.optional) return undefined;
  }
  return values;
}

function exampleValue(attribute: Attribute, type: string, making: Making): Value | undefined {
  making.budget.left -= 1;
  if (making.budget.left < 0 || making.depth > deepest || attribute.check !== undefined) return undefined;
  const single = referredTo(attribute, making) ?? singleOf(attribute, type, making);
  return single !== undefined && attribute.list ? [single] : single;
}

/** As the example of what it refers to has it, so that the one fits the other. */
function referredTo(given: Attribute, making: Making): Value | undefined {
  const target = referenceOf(given);
  if (target === undefined) return undefined;
  const attribute = making.model.entities.get(target.entity)?.attributes.find((each) => each.name === target.attribute);
  return attribute === undefined ? undefined : exampleValue(attribute, target.entity, { ...making, depth: making.depth + 1 });
}

function singleOf(attribute: Attribute, type: string, making: Making): Value | undefined {
  const { values, choices } = attribute;
  if (values !== undefined) return values[0];
  if (choices !== undefined) return typeof choices[0] === 'bigint' ? undefined : choices[0];
  if (attribute.type.kind === 'record') return recordOf(attribute.type.record, making);
  return allowedExample(attribute, plainValue(attribute.type.type, attribute, type));
}

function recordOf(record: string, making: Making): Value | undefined {
  const attributes = (making.model.records.get(record) ?? making.model.entities.get(record))?.attributes ?? [];
  const isSent = (each: Attribute): boolean => !isComputed(each) && each.default === undefined;
  return objectOf(attributes, record, isSent, { ...making, depth: making.depth + 1 });
}

function plainValue({ name, example }: AttributeType, attribute: Attribute, type: string): Value | undefined {
  if (name === 'String' || (name === 'Any' && attribute.identifier)) return textOf(attribute, type);
  return name === 'Any' ? { any: ['thing'] } : example;
}

/** `post-1` of an identifier, `Title 1` of another attribute. */
function textOf({ identifier, name }: Attribute, type: string): string {
  const local = type.slice(type.indexOf('/') + 1);
  return identifier ? `${local.toLowerCase()}-1` : `${name.charAt(0).toUpperCase()}${name.slice(1)} 1`;
}
