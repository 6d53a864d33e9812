// Values that the service fills in: defaults of attributes that a create left out, and what is computed inside of a record.

import { localTime, timeAs } from '../../clock.ts';
import type { Attribute, FunctionReference } from '../../model/model.ts';
import type { Filling } from '../../plan/plan.ts';
import type { Value } from '../../values/value.ts';
import { computeFields } from '../computed/computed.ts';
import { atOnce, callContext } from '../eval/functions.ts';
import type { Context } from '../operation.ts';

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

/** The same inside of a record, and what is computed in it. */
export function fillingOf(context: Context): Filling {
  return {
    default: (attribute) => fillDefault(attribute, context),
    compute: (attributes, fields, path, faults) => computeFields(attributes, fields, path, faults, context),
  };
}

function made(maker: FunctionReference, context: Context): Value {
  return atOnce(context.functions.call(maker, [], context.outside, callContext(context)), 'a default cannot be asynchronous');
}

function currentTime(attribute: Attribute, now: Date): string {
  return partOf(attribute, now.toISOString());
}

function partOf(attribute: Attribute, text: string): string {
  return timeAs(attribute.type.kind === 'plain' ? attribute.type.type.column : 'datetime', text);
}
