// Failures inside flows: which of them handlers see, and how a failing step names itself.

import { error, PlatformError } from '../errors.ts';
import { JsonObject } from '../model/json.ts';
import type { Value } from '../model/types/attribute-type.ts';
import type { FlowHandler, FlowStep } from '../plan/dataflow.ts';
import { positionOf } from '../source.ts';

/** Which handler a failure calls. */
export function outcomeOf({ code }: PlatformError): FlowHandler['on'] {
  return code === 'instance-not-found' ? 'not_found' : 'error';
}

/** What a handler knows of the failure, as `Error`. */
export function failureValue(failure: unknown): Value {
  const fields: Record<string, Value> = new JsonObject();
  fields['message'] = failure instanceof Error ? failure.message : String(failure);
  fields['code'] = failure instanceof PlatformError ? failure.code : 'internal';
  return fields;
}

/** The failure with the place in the model where it happened, which goes to the log alone. */
export function named(thrown: unknown, { span }: FlowStep): PlatformError {
  if (!(thrown instanceof PlatformError)) throw thrown;
  if (thrown.code !== 'dataflow-failed' || thrown.cause instanceof Place) return thrown;
  const { line, column } = positionOf(span);
  return error(thrown.code, thrown.details, new Place(`at ${span.source.file}:${line}:${column}`, thrown.cause));
}

/** Where in the model something failed. */
class Place extends Error {
  constructor(message: string, cause: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Place';
  }
}
