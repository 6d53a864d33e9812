// Calls a function of a module as the handler of a resolver: what it gives is read as data, what it throws is left to whoever knows about resolvers.

import type { EmitValue, HandlerContext } from '../../engine/eval/functions.ts';
import type { Value } from '../../values/value.ts';
import type { CallLimit } from '../call-limit.ts';
import type { Callable } from '../clojure/interpreter.ts';
import { telling } from '../emit.ts';
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
  const about = new HandlerInfo(context);
  // What is there at once is read under the same watch.
  const result = await watch.soon(() => {
    const later: unknown = Reflect.apply(called, undefined, context.isFirst === true ? [about, given] : [given, about]);
    return isThenable(later) ? { later } : dataOrItems(later, most);
  }, what);
  const read = 'later' in result ? await readLater(await result.later, watch, what, most) : result;
  return 'items' in read ? collected(read.items, watch, what, most) : read.value;
}

/** The `subscribe` handler: it gets a function to tell with in place of an argument, and may run for as long as the service does. */
export async function subscribeJavaScript(
  called: Callable,
  name: string,
  emit: EmitValue,
  context: HandlerContext,
  watch: CallLimit,
): Promise<void> {
  const what = (): string => `The handler ${name}`;
  const tell = telling(emit, (given) => watch.one(() => fromJavaScript(given), what));
  const about = new HandlerInfo(context);
  // Where the context comes first, it also has the name by which predecessors tell.
  const given = context.isFirst === true ? [Object.assign(about, { onSubscription: (data: unknown) => tell(data) }), tell] : [tell, about];
  const result = await watch.soon(() => {
    const later: unknown = Reflect.apply(called, undefined, given);
    return { later };
  }, what);
  await result.later;
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

/**
 * What a handler is told beside its argument: copies of values, so that it cannot change ours. Most handlers never ask whether somebody is still there;
 * a class, as a literal with a getter would be of a shape of its own, which is held until the runtime collects the whole heap.
 */
class HandlerInfo {
  readonly user: HandlerContext['user'];
  readonly requestId: HandlerContext['requestId'];
  readonly type: HandlerContext['type'];
  readonly config: unknown;
  readonly log: HandlerContext['log'];
  declare readonly before?: unknown;
  declare readonly cursor?: unknown;
  readonly #context: HandlerContext;

  constructor(context: HandlerContext) {
    this.user = context.user;
    this.requestId = context.requestId;
    this.type = context.type;
    this.config = toJavaScript(context.config);
    this.log = context.log;
    if (context.before !== undefined) this.before = toJavaScript(context.before);
    if (context.cursor !== undefined) this.cursor = toJavaScript(context.cursor);
    this.#context = context;
  }

  get signal(): AbortSignal | undefined {
    return this.#context.signal;
  }

  get suspend(): HandlerContext['suspend'] {
    const context = this.#context;
    return context.suspend === undefined ? undefined : () => context.suspend?.() ?? '';
  }
}
