// What Clojure functions find around them of the host they were written for: exceptions, parsing of numbers, time, the environment.

import { type Clock, localTime } from '../../clock.ts';
import { isError } from '../../errors.ts';
import { isBug } from '../failure.ts';
import type { Callable, Core } from './interpreter.ts';

export interface Host {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What went wrong inside a function, for the log alone. */
  failed(thrown: unknown, message: string): void;
}

/** `(throw (Exception. "..."))`: what the author of the model says. To catch it is to catch anything. */
export class AuthorException extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error;
  }

  constructor(message?: unknown, cause?: unknown) {
    super(message === null || message === undefined ? '' : String(message), cause === undefined ? undefined : { cause });
    this.name = 'AuthorException';
  }
}

/** What a function of JavaScript throws that Clojure code calls: what its author says stays what the author says. */
export function asAuthor(thrown: unknown): unknown {
  return thrown instanceof Error && !isBug(thrown) && !('syscall' in thrown) ? new AuthorException(thrown.message, thrown) : thrown;
}

/** Names of classes that all mean the same here. */
export const exceptionNames: readonly string[] = [
  'Exception',
  'Throwable',
  'RuntimeException',
  'IllegalArgumentException',
  'IllegalStateException',
  'UnsupportedOperationException',
  'ArithmeticException',
  'NumberFormatException',
];

/** Namespaces of the host, by the last part of their own names, with the names that they go by in models. */
export function hostNamespaces({ clock, environment }: Pick<Host, 'clock' | 'environment'>): ReadonlyMap<string, HostNamespace> {
  const getenv: Callable = (name, fallback = null) => environment[String(name)] ?? fallback;
  return new Map<string, HostNamespace>([
    ['Integer', { names: ['Integer', 'Long', 'Short', 'BigInteger', 'java.lang.Integer', 'java.lang.Long'], functions: wholeNumbers }],
    ['Double', { names: ['Double', 'Float', 'java.lang.Double'], functions: [...fractions] }],
    ['Boolean', { names: ['Boolean'], functions: [['parseBoolean', (text) => String(text).toLowerCase() === 'true']] }],
    ['String', { names: ['String'], functions: [['valueOf', (value) => String(value)]] }],
    [
      'System',
      {
        names: ['System', 'java.lang.System'],
        functions: [
          ['getenv', getenv],
          ['currentTimeMillis', () => clock.now().getTime()],
        ],
      },
    ],
    ['UUID', { names: ['UUID', 'java.util.UUID'], functions: [['randomUUID', () => clock.uuid()]] }],
    [
      'util',
      {
        names: ['platform.util'],
        functions: [
          ['getenv', getenv],
          ['throw-ex', throwAsAuthor],
          ['get-uuid', () => clock.uuid()],
          ['uuid-string', () => clock.uuid()],
        ],
      },
    ],
    ['datetime', { names: ['platform.lang.datetime'], functions: [['now', () => localTime(clock.now())]] }],
  ]);
}

export interface HostNamespace {
  readonly names: readonly string[];
  readonly functions: readonly (readonly [string, Callable])[];
}

/** Which of them the namespace of another runtime is, if any: `x.util`, `x.lang.datetime`. */
export function hostNamespaceOf(name: string): string | undefined {
  if (/\.util$/.test(name)) return 'util';
  return /\.lang\.datetime$/.test(name) ? 'datetime' : undefined;
}

const wholeNumbers: HostNamespace['functions'] = (['parseInt', 'parseLong', 'valueOf'] as const).map((name) => [
  name,
  (text) => {
    const trimmed = String(text);
    if (!/^[+-]?\d{1,19}$/.test(trimmed)) throw new AuthorException(`For input string: "${trimmed}"`);
    return BigInt(trimmed.replace(/^\+/, ''));
  },
]);

const fractions: HostNamespace['functions'] = (['parseDouble', 'parseFloat', 'valueOf'] as const).map((name) => [
  name,
  (text) => {
    const value = String(text).trim() === '' ? Number.NaN : Number(text);
    if (Number.isNaN(value)) throw new AuthorException(`For input string: "${String(text)}"`);
    return value;
  },
]);

const throwAsAuthor: Callable = (message) => {
  throw new AuthorException(message);
};

/** The text that the author of the model wanted to be told, or nothing where a function just failed. */
export function authorText(thrown: unknown, core: Core): string | undefined {
  const cause = innermost(thrown, core);
  if (!(cause instanceof Error)) return typeof cause === 'string' ? cause : undefined;
  const isOurs = Object.getPrototypeOf(cause) === AuthorException.prototype || isError(cause, 'dataflow-failed');
  const isInfo = core.exData(cause) !== null && core.exData(cause) !== undefined && !isOfInterpreter(cause, core);
  return isOurs || isInfo ? cause.message : undefined;
}

/** The interpreter wraps what is thrown, to tell where it was. */
export function innermost(thrown: unknown, core: Core): unknown {
  let each = thrown;
  for (let level = 0; level < 100 && each instanceof Error && isOfInterpreter(each, core); level += 1) {
    if (each.cause === undefined || each.cause === null) return each;
    each = each.cause;
  }
  return each;
}

export function isOfInterpreter(thrown: Error, core: Core): boolean {
  const type = core.get(core.exData(thrown), core.keyword('type'));
  return core.isKeyword(type) === true && core.namespace(type) === 'sci';
}
