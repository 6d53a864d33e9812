// Failures of the application's own functions: what their author throws is told, a bug in them goes to the log alone.

import { error, type PlatformError } from '../errors.ts';

/** What the log is told of a bug, with the name of the function. */
export type Failed = (thrown: unknown, message: string) => void;

/** `text` is what the author of the function wanted to say, and absent where it has none; `what` names the function. */
export function refusedBy(what: string, text: string | undefined, thrown: unknown): PlatformError {
  return error('dataflow-failed', { detail: text === undefined ? `${what} failed.` : text.slice(0, longestMessage) }, thrown);
}

/** It is written down here, as a workflow may catch it. */
export function bugOf(what: string, thrown: unknown, failed: Failed): PlatformError {
  const detail = `${what} failed.`;
  failed(thrown, detail);
  return error('function-failed', { detail }, thrown);
}

/** Longer messages are no messages. */
const longestMessage = 2000;

const bugs: ReadonlySet<unknown> = new Set(['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError']);

/** Whether the language itself throws such errors. Also of another realm, whose classes are not ours, and of classes made from them. */
export function isBug(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  for (let each: unknown = Object.getPrototypeOf(thrown), level = 0; isPrototype(each) && level < deepestClass; level += 1) {
    // Its own: an error that only calls itself a TypeError is one of the author's.
    if (Object.hasOwn(each, 'name') && bugs.has(Reflect.get(each, 'name'))) return true;
    each = Object.getPrototypeOf(each);
  }
  return false;
}

/** A prototype may be a proxy without an end. */
const deepestClass = 100;

function isPrototype(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
