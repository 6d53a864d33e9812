// Runs the JavaScript of a `#js` text. Configuration is trusted code; it runs once, at start, and its value is never printed.

import { createContext, Script } from 'node:vm';
import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import type { Span } from '../source.ts';
import type { ConfigEntry, ConfigValue } from './setting.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `unset` where the result is undefined: most likely a variable of the environment that is not there. */
export type Evaluated = { readonly value: ConfigValue } | { readonly diagnostic: Diagnostic; readonly unset?: boolean };

const marker = /^\s*#js\s/;
const timeoutMs = 1000;
const deepest = 32;

export function isExpression(text: string): boolean {
  return marker.test(text);
}

export function evaluateExpression(text: string, span: Span, environment: Environment): Evaluated {
  const expression = text.replace(marker, '');
  const script = compiled(expression);
  // Nothing has run yet: the message can hold nothing but parts of the text.
  if (script instanceof SyntaxError) return fault(span, `the expression cannot be read: ${script.message}`);
  try {
    const result: unknown = script.runInContext(contextOf(environment), { timeout: timeoutMs });
    const value = toConfigValue(result, span, 0);
    if (value !== undefined) return { value };
    const given = fault(span, 'the expression does not give a text, number, truth value, list or map', fallbackHint(result));
    return { ...given, unset: result === undefined };
  } catch (thrown) {
    return fault(span, `the expression fails: ${nameOf(thrown)}${messageOf(thrown, expression)}`);
  }
}

function compiled(expression: string): Script | SyntaxError {
  try {
    return new Script(`(${expression}\n)`);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return thrown;
    throw thrown;
  }
}

function contextOf(environment: Environment): ReturnType<typeof createContext> {
  return createContext({ process: { env: { ...environment } }, URL, Buffer, console: undefined });
}

/** Results come from another realm: only their shape is looked at, never their prototype. */
function toConfigValue(result: unknown, span: Span, depth: number): ConfigValue | undefined {
  if (depth > deepest) return undefined;
  switch (typeof result) {
    case 'string':
    case 'boolean':
      return { kind: 'scalar', value: result, span };
    case 'number':
      return Number.isFinite(result) ? { kind: 'scalar', value: result, span } : undefined;
    case 'object':
      return Array.isArray(result) ? listFrom(result, span, depth) : mapFrom(result, span, depth);
    default:
      return undefined;
  }
}

function listFrom(result: readonly unknown[], span: Span, depth: number): ConfigValue | undefined {
  const items = result.flatMap((item) => toConfigValue(item, span, depth + 1) ?? []);
  return items.length === result.length ? { kind: 'list', items, span } : undefined;
}

function mapFrom(result: object | null, span: Span, depth: number): ConfigValue | undefined {
  if (result === null) return undefined;
  const entries: ConfigEntry[] = [];
  for (const [key, each] of Object.entries(result)) {
    const value = toConfigValue(each, span, depth + 1);
    if (value === undefined) return undefined;
    entries.push({ key, keySpan: span, value });
  }
  return { kind: 'map', entries, span };
}

function fallbackHint(result: unknown): string | undefined {
  return result === undefined ? 'is an environment variable unset? Give a fallback: process.env.NAME ?? "value"' : undefined;
}

const ownMessage =
  /^(.+) is not (?:defined|a function|a constructor|iterable)$|^Cannot read properties of (?:undefined|null) \(reading '(.+)'\)$/;

/** Messages of the language itself, and only where they speak of what stands in the text: any other may hold the value of a secret. */
function messageOf(thrown: unknown, expression: string): string {
  const message = typeof thrown === 'object' && thrown !== null && 'message' in thrown ? String(thrown.message) : '';
  const found = ownMessage.exec(message);
  const subject = found?.[1] ?? found?.[2];
  return subject !== undefined && expression.includes(subject) ? `: ${message}` : '';
}

function nameOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('name' in thrown)) return 'it throws';
  if ('code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'it runs longer than a second';
  return typeof thrown.name === 'string' && /^\w{1,40}$/.test(thrown.name) ? thrown.name : 'it throws';
}

function fault(span: Span, message: string, suggestion?: string): { readonly diagnostic: Diagnostic } {
  return { diagnostic: diagnostic('config-expression', span, message, suggestion) };
}
