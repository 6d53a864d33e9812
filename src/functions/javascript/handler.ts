// Calls a function of a module as the handler of a resolver: what it gives is read as data, what it throws is left to whoever knows about resolvers.

import type { HandlerContext } from '../../engine/eval/functions.ts';
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

export async function handleJavaScript(
  called: Callable,
  name: string,
  { argument, context, most }: HandlerCall,
  watch: CallLimit,
): Promise<Value> {
  const what = (): string => `The handler ${name}`;
  const given = toJavaScript(argument);
  const about = contextObject(context);
  // What is there at once is read under the same watch.
  const result = await watch.soon(() => {
    const later: unknown = Reflect.apply(called, undefined, context.isFirst === true ? [about, given] : [given, about]);
    return isThenable(later) ? { later } : dataOrItems(later, most);
  }, what);
  const read = 'later' in result ? await readLater(await result.later, watch, what, most) : result;
  return 'items' in read ? collected(read.items, watch, what, most) : read.value;
}

function readLater(given: unknown, watch: CallLimit, what: () => string, most: number): Promise<Read> {
  return watch.soon(() => dataOrItems(given, most), what);
}

type Read = { readonly value: Value } | { readonly items: AsyncIterable<unknown> };

function dataOrItems(given: unknown, most: number): Read {
  return isAsyncIterable(given) ? { items: given } : { value: dataOf(given, most) };
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
function contextObject(context: HandlerContext): object {
  const { user, requestId, type, before, config, log } = context;
  return {
    user,
    requestId,
    // Most handlers never ask whether somebody is still there.
    get signal() {
      return context.signal;
    },
    type,
    config: toJavaScript(config),
    log,
    ...(before === undefined ? {} : { before: toJavaScript(before) }),
  };
}
