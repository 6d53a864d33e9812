// Calls a function of the model as the handler of a resolver: names are keywords there, and refusals are thrown with `ex-info`.

import type { EmitValue, HandlerContext } from '../../engine/eval/functions.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Value } from '../../values/value.ts';
import type { CallLimit } from '../call-limit.ts';
import { telling } from '../emit.ts';
import { innermost } from './host.ts';
import { type Core, isCallable } from './interpreter.ts';
import { fromClojure, toClojure } from './values.ts';

export interface ClojureHandler {
  readonly core: Core;
  readonly watch: CallLimit;
  /** What it is called in errors. */
  readonly name: string;
}

/** A function of one parameter gets the argument alone. */
export async function handleClojure(
  found: unknown,
  argument: Value,
  context: HandlerContext,
  { core, watch, name }: ClojureHandler,
): Promise<Value> {
  const what = (): string => name;
  if (!isCallable(found)) throw new Error(`${name} is no function`);
  try {
    const result = await watch.soon(() => {
      const given = Array.isArray(argument) ? queryOf(argument, core) : toClojure(argument, core);
      const later = found.length === 1 ? found(given) : found(...inOrder(given, contextMap(context, core), context));
      return later instanceof Promise ? { later } : { value: fromClojure(later, core) };
    }, what);
    if ('value' in result) return result.value;
    const value: unknown = await result.later;
    return await watch.soon(() => fromClojure(value, core), what);
  } catch (thrown) {
    return refuse(thrown, core);
  }
}

/** The same for `subscribe`: `(emit data cursor)` gives a promise. */
export async function subscribeClojure(
  found: unknown,
  emit: EmitValue,
  context: HandlerContext,
  { core, watch, name }: ClojureHandler,
): Promise<void> {
  const what = (): string => name;
  if (!isCallable(found)) throw new Error(`${name} is no function`);
  const tell = telling(emit, (given) => watch.one(() => fromClojure(given, core), what));
  const result = await watch.soon(
    () => ({ later: found.length === 1 ? found(tell) : found(...inOrder(tell, contextMap(context, core), context)) }),
    what,
  );
  await result.later;
}

function inOrder(given: unknown, context: unknown, { isFirst }: HandlerContext): readonly unknown[] {
  return isFirst === true ? [context, given] : [given, context];
}

function contextMap(context: HandlerContext, core: Core): unknown {
  const { user, requestId, type, before, cursor, config } = context;
  const fields: readonly (readonly [string, unknown])[] = [
    ['user', user],
    ['request-id', requestId],
    ['type', core.keyword(type)],
    ['config', toClojure(config, core)],
    ...(before === undefined ? [] : [['before', toClojure(before, core)] as const]),
    ...(cursor === undefined ? [] : [['cursor', toClojure(cursor, core)] as const]),
    ...(context.suspend === undefined ? [] : [['suspend', () => context.suspend?.()] as const]),
  ];
  return core.map(fields.flatMap(([name, value]) => [core.keyword(name), value]));
}

/** `[:C/E {:where [:= :Email "a@x"]}]`: names of types, attributes and operators as keywords. */
function queryOf(argument: readonly Value[], core: Core): unknown {
  const [type = null, question = null] = argument;
  const { where, orderBy, ...rest } = isObject(question) ? question : {};
  const entries = Object.entries(rest).map(([key, value]) => [key, toClojure(value, core)] as const);
  const told: readonly (readonly [string, unknown])[] = [
    ...(where === undefined ? [] : [['where', termOf(where, core)] as const]),
    ...(Array.isArray(orderBy) ? [['order-by', core.vector(orderBy.map((each) => namesOf(each, core)))] as const] : []),
    ...entries,
  ];
  return core.vector([core.keyword(String(type)), core.map(told.flatMap(([key, value]) => [core.keyword(key), value]))]);
}

function termOf(term: Value, core: Core): unknown {
  if (!Array.isArray(term)) return toClojure(term, core);
  const [operator, ...rest] = term;
  const name = core.keyword(String(operator));
  if (operator === 'and' || operator === 'or') return core.vector([name, ...rest.map((each) => termOf(each, core))]);
  const [attribute, value = null] = rest;
  return core.vector([name, core.keyword(String(attribute)), toClojure(value, core)]);
}

function namesOf(pair: Value, core: Core): unknown {
  return core.vector((Array.isArray(pair) ? pair : []).map((each) => core.keyword(String(each))));
}

/** `(throw (ex-info "taken" {:status 409}))` refuses with that status; everything else is thrown as it is. */
function refuse(thrown: unknown, core: Core): never {
  const cause = innermost(thrown, core);
  if (cause instanceof Error) {
    const status = fromClojure(core.get(core.exData(cause), core.keyword('status')), core);
    if (typeof status === 'number' || typeof status === 'bigint')
      throw Object.assign(new Error(cause.message, { cause }), { status: Number(status) });
  }
  throw thrown;
}
