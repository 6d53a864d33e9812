// Records the calls of a resolver into a file, and stands in for it with what was recorded: an application can be tried without the other system.

import { isObject } from '../../plan/rows/attribute.ts';
import { canonicalJson } from '../../values/json/canonical.ts';
import { objectOf } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { failureOf } from '../call.ts';
import { type Handler, type Method, methods, type Resolver } from '../resolver.ts';
import { appendCall, type RecordedCall, type RecordedOutcome, readCalls, startFile } from './file.ts';

export interface RecordedParts {
  /** The whole path. */
  readonly file: string;
  readonly resolver: string;
  /** Attributes of a type that nobody is answered. */
  hidden(type: string): ReadonlySet<string>;
}

type Handlers = Resolver['handlers'];

/** The same handlers; what they are asked and answer is written down, without what is secret, also in what the configuration has said. */
export function recordingHandlers(handlers: Handlers, said: Value, { file, resolver, hidden }: RecordedParts): Handlers {
  startFile(
    file,
    resolver,
    methods.filter((each) => handlers[each] !== undefined),
  );
  const secrets = secretsIn(said);
  const recording = (method: Method, handler: Handler): Handler => {
    return async (argument, context) => {
      const { type, log } = context;
      const note = (outcome: RecordedOutcome): void => {
        try {
          appendCall(file, { method, type, argument: visible(argument, hidden(type), secrets), outcome });
        } catch {
          // The other system has done it: the call itself has not failed.
          log.error(`a call of ${method} could not be recorded`);
        }
      };
      try {
        const value = await handler(argument, context);
        note({ kind: 'result', value: visible(value, hidden(type), secrets) });
        return value;
      } catch (thrown) {
        note(outcomeOf(thrown, secrets));
        throw thrown;
      }
    };
  };
  return mapped(methods, (method) => handlers[method] && recording(method, handlers[method]));
}

/**
 * Answers as it was recorded: calls with the same argument one after the other, the last of them again. Rows are asked all conditions again, so a
 * query that is not recorded is answered by one that was asked for more. Any other call that is not recorded is refused.
 */
export function fakeHandlers({ file, resolver, hidden }: RecordedParts): Handlers {
  const recorded = readCalls(file, resolver);
  const series = new Map<string, Series>();
  for (const call of recorded.calls) {
    const key = keyOf(call.method, call.type, call.argument);
    const known = series.get(key);
    if (known === undefined) series.set(key, { calls: [call], next: 0 });
    else known.calls.push(call);
  }
  return mapped(recorded.methods, (method) => (argument, { type }) => {
    const asked = visible(argument, hidden(type), []);
    const found = series.get(keyOf(method, type, asked)) ?? (method === 'query' ? widerQuery(type, asked, series.values()) : undefined);
    const call = found?.calls[Math.min(found.next, found.calls.length - 1)];
    if (found === undefined || call === undefined) throw refusal(422, `No such call is recorded: ${method} of ${type}.`);
    found.next += 1;
    return answerOf(call.outcome);
  });
}

/** Calls with the same argument, and how many of them were answered. */
interface Series {
  readonly calls: RecordedCall[];
  next: number;
}

function keyOf(method: Method, type: string, argument: Value): string {
  return `${method} ${type} ${canonicalJson(argument)}`;
}

/** One that gave all there was, with the same conditions or none. */
function widerQuery(type: string, asked: Value, all: Iterable<Series>): Series | undefined {
  const where = whereIn(asked);
  const whole = [...all].filter(({ calls }) => calls.every((each) => each.method === 'query' && each.type === type && isWhole(each)));
  const whereOf = ({ calls: [first] }: Series): string | undefined => whereIn(first?.argument ?? null);
  return whole.find((each) => whereOf(each) === where) ?? whole.find((each) => whereOf(each) === undefined);
}

function whereIn(argument: Value): string | undefined {
  const where = questionIn(argument)['where'];
  return where === undefined ? undefined : canonicalJson(where);
}

/** Fewer instances than were asked for are all there were. */
function isWhole({ argument, outcome }: RecordedCall): boolean {
  const { limit } = questionIn(argument);
  if (outcome.kind !== 'result') return false;
  return limit === undefined || (Array.isArray(outcome.value) && outcome.value.length < Number(limit));
}

function questionIn(argument: Value): { readonly [key: string]: Value } {
  const question = Array.isArray(argument) ? argument[1] : undefined;
  return isObject(question) ? question : {};
}

function answerOf(outcome: RecordedOutcome): Value {
  if (outcome.kind === 'result') return outcome.value;
  if (outcome.kind === 'refused') throw refusal(outcome.status, outcome.message);
  throw new Error('the other system failed when this was recorded');
}

function refusal(status: number, message: string): Error {
  return Object.assign(new Error(message), { status });
}

function outcomeOf(thrown: unknown, secrets: readonly string[]): RecordedOutcome {
  const { code, details } = failureOf(thrown);
  const status = details.response?.status;
  if (code !== 'resolver-refused' || status === undefined) return { kind: 'failed' };
  return { kind: 'refused', status, message: withoutSecrets(details.detail ?? '', secrets) };
}

function mapped(all: readonly Method[], handlerOf: (method: Method) => Handler | undefined): Handlers {
  const handlers: Partial<Record<Method, Handler>> = {};
  for (const method of all) {
    const handler = handlerOf(method);
    if (handler !== undefined) handlers[method] = handler;
  }
  return handlers;
}

/** Without the attributes that nobody is answered, and without the secrets of the configuration, wherever the other system repeats them. */
export function visible(value: Value, hidden: ReadonlySet<string>, secrets: readonly string[] = []): Value {
  if (typeof value === 'string') return withoutSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((each) => visible(each, hidden, secrets));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !hidden.has(key.slice(key.search(localName))));
  return objectOf(entries.map(([key, each]) => [withoutSecrets(key, secrets), visible(each, hidden, secrets)]));
}

/** Attributes may come with the name of their type before theirs. */
const localName = /[^./]*$/;

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((all, secret) => all.replaceAll(secret, '[hidden]'), text);
}

/** Values of headers, also without the word before them, and passwords in addresses; the longest first. */
function secretsIn(said: Value): readonly string[] {
  const found = new Set<string>();
  const visit = (value: Value, isHeader: boolean): void => {
    if (typeof value === 'string') {
      if (isHeader) for (const each of [value, value.slice(value.lastIndexOf(' ') + 1)]) found.add(each);
      if (URL.canParse(value)) for (const each of passwordsIn(new URL(value))) found.add(each);
    } else if (Array.isArray(value)) for (const each of value) visit(each, isHeader);
    else if (isObject(value)) for (const [key, each] of Object.entries(value)) visit(each, isHeader || key === 'headers');
  };
  visit(said, false);
  return [...found].filter((each) => each.length >= shortestSecret).sort((one, other) => other.length - one.length);
}

/** As it stands in the address, and decoded where it is encoded: a password may hold a bare `%`. */
function passwordsIn({ password }: URL): readonly string[] {
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** What is shorter, would be found in everything. */
const shortestSecret = 4;
