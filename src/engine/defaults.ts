// Values that the service fills in: defaults of attributes that a create left out.

import { localTime, timeAs } from '../clock.ts';
import { ExactNumber } from '../exact-number.ts';
import { JsonObject } from '../model/json.ts';
import type { Attribute, FunctionReference } from '../model/model.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { ofFunction } from './functions.ts';
import type { Context } from './operation.ts';

export function fillDefault(attribute: Attribute, context: Context): Value {
  const fallback = attribute.default;
  switch (fallback?.kind) {
    case 'uuid':
      return context.clock.uuid();
    case 'now':
      return currentTime(attribute, context.clock.now());
    case 'local-now':
      return partOf(attribute, localTime(context.clock.now()));
    case 'value':
      return fallback.value;
    case 'function':
      return made(fallback.function, context);
    default:
      // `autoincrement` is known only inside the transaction.
      return null;
  }
}

function made(maker: FunctionReference, { functions }: Context): Value {
  try {
    return toValue(functions.call(maker, []));
  } catch (thrown) {
    throw ofFunction(thrown);
  }
}

/** What a function of the application gave back, as a value; what JSON cannot hold is no value. */
export function toValue(result: unknown): Value {
  switch (typeof result) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return result;
    case 'number':
      return Number.isFinite(result) ? result : null;
    case 'object':
      if (result instanceof Promise) throw new Error('a default cannot be asynchronous');
      return result === null ? null : objectValue(result);
    default:
      return null;
  }
}

/** A copy without anything but data; what counts exactly keeps doing so. */
function objectValue(result: object): Value {
  if (result instanceof ExactNumber) return result;
  if (Array.isArray(result)) return result.map(toValue);
  if ('toJSON' in result && typeof result.toJSON === 'function') return toValue(result.toJSON());
  const fields: Record<string, Value> = new JsonObject();
  for (const [name, value] of Object.entries(result)) if (isData(value)) fields[name] = toValue(value);
  return fields;
}

function isData(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

function currentTime(attribute: Attribute, now: Date): string {
  return partOf(attribute, now.toISOString());
}

function partOf(attribute: Attribute, text: string): string {
  return timeAs(attribute.type.kind === 'plain' ? attribute.type.type.column : 'datetime', text);
}
