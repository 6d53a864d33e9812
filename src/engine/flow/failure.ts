// Failures inside flows: which of them handlers see, and how a failing step names itself.

import { PlatformError } from '../../errors.ts';
import type { FlowHandler, FlowStep } from '../../plan/flow/flow.ts';
import { positionOf } from '../../source.ts';
import { JsonObject } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';

/** Which handler a failure calls. */
export function outcomeOf({ code }: PlatformError): FlowHandler['on'] {
  return code === 'instance-not-found' ? 'not_found' : 'error';
}

/** What a handler knows of the failure, as `Error`. */
export function failureValue(failure: unknown): Value {
  const fields: Record<string, Value> = new JsonObject();
  fields['message'] = failure instanceof PlatformError ? messageOf(failure) : failure instanceof Error ? failure.message : String(failure);
  fields['code'] = failure instanceof PlatformError ? failure.code : 'internal';
  return fields;
}

/** So many attributes are named. */
const mostNamed = 10;

function messageOf({ message, details: { errors = [] } }: PlatformError): string {
  if (errors.length === 0) return message;
  const named = errors.slice(0, mostNamed).map((each) => `${each.attribute} ${each.message}`.trim());
  const more = errors.length > mostNamed ? [`and ${errors.length - mostNamed} more`] : [];
  return `${message.replace(/\.$/, '')}: ${[...named, ...more].join('; ')}.`;
}

/** The failure with what the step does, which the caller is told, and its place in the model, which goes to the log alone. */
export function withStepNamed(thrown: unknown, { words, span }: FlowStep): PlatformError {
  if (!(thrown instanceof PlatformError)) throw thrown;
  // The innermost step has said it already.
  if (thrown.details.pattern !== undefined) return thrown;
  const { line, column } = positionOf(span);
  const place = new StepLocation(`${span.source.file}:${line}:${column}`, thrown.cause);
  return new PlatformError(thrown.code, { ...thrown.details, pattern: words }, place, thrown.origin);
}

/** Where in the model something failed: `src/shop.al:12:3`. */
export class StepLocation extends Error {
  constructor(message: string, cause: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Place';
    // It stands for a place in the model, not for one in the service.
    this.stack = `Place: ${message}`;
  }
}
