// Calls a function of a module as the handler of a resolver: what it gives is read as data, what it throws is left to whoever knows about resolvers.

import type { HandlerContext } from '../../engine/eval/functions.ts';
import type { Awaitable } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import type { CallLimit } from '../call-limit.ts';
import type { Callable } from '../clojure/interpreter.ts';
import { isThenable } from './javascript.ts';
import { fromJavaScript, toJavaScript } from './values.ts';

export interface HandlerCall {
  readonly argument: Value;
  readonly context: HandlerContext;
  /** Items that are read of a list that has no length, and one more. */
  readonly most: number;
}

export function handleJavaScript(
  called: Callable,
  name: string,
  { argument, context, most }: HandlerCall,
  watch: CallLimit,
): Awaitable<Value> {
  const what = (): string => `The handler ${name}`;
  const given = toJavaScript(argument);
  const about = contextObject(context);
  // Each watch costs much: what is there at once is read under the same one.
  const result = watch.one(() => {
    const later: unknown = Reflect.apply(called, undefined, context.isFirst === true ? [about, given] : [given, about]);
    return isThenable(later) || isAsyncIterable(later) ? { later } : { value: dataOf(later, most) };
  }, what);
  if ('value' in result) return result.value;
  return isThenable(result.later) ? awaited(result.later, watch, what, most) : read(result.later, watch, what, most);
}

async function awaited(result: PromiseLike<unknown>, watch: CallLimit, what: () => string, most: number): Promise<Value> {
  return read(await result, watch, what, most);
}

function read(given: unknown, watch: CallLimit, what: () => string, most: number): Awaitable<Value> {
  if (isAsyncIterable(given)) return collected(given, watch, what, most);
  return watch.one(() => dataOf(given, most), what);
}

function dataOf(given: unknown, most: number): Value {
  return fromJavaScript(isLazy(given) ? firstOf(given, most + 1) : given);
}

async function collected(given: AsyncIterable<unknown>, watch: CallLimit, what: () => string, most: number): Promise<Value> {
  const items: Value[] = [];
  for await (const each of given) {
    items.push(watch.one(() => fromJavaScript(each), what));
    if (items.length > most) break;
  }
  return items;
}

function firstOf(given: Iterable<unknown>, count: number): readonly unknown[] {
  const items: unknown[] = [];
  for (const each of given) if (items.push(each) >= count) break;
  return items;
}

/** Something that can be gone through and is no value by itself, as what a generator gives. */
function isLazy(given: unknown): given is Iterable<unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false;
  return Symbol.iterator in given && !(given instanceof Set) && !(given instanceof Map) && !(given instanceof String);
}

function isAsyncIterable(given: unknown): given is AsyncIterable<unknown> {
  return typeof given === 'object' && given !== null && Symbol.asyncIterator in given;
}

/** Copies of values, so that the function cannot change ours. */
function contextObject({ user, requestId, signal, type, before, config, log }: HandlerContext): object {
  const common = { user, requestId, signal, type, config: toJavaScript(config), log };
  return before === undefined ? common : { ...common, before: toJavaScript(before) };
}
