// The file of recorded calls: a line of JSON that says of which resolver they are, then a line for each call.

import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { isObject } from '../../plan/rows/attribute.ts';
import { StartRefused } from '../../store/store.ts';
import { objectOf, parseJson, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { type Method, methods } from '../resolver.ts';

export interface RecordedCall {
  readonly method: Method;
  readonly type: string;
  readonly argument: Value;
  readonly outcome: RecordedOutcome;
}

export type RecordedOutcome =
  | { readonly kind: 'result'; readonly value: Value }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  | { readonly kind: 'failed' };

export interface RecordedCalls {
  /** That the resolver had handlers for. */
  readonly methods: readonly Method[];
  readonly calls: readonly RecordedCall[];
}

const format = 'platform-resolver-calls-1';
const mostBytes = 64 * 1024 * 1024;
const limits = { depth: 200, keys: 1_000_000, items: 1_000_000 };

/** What was recorded before is never written over. */
export function startFile(file: string, resolver: string, handled: readonly Method[]): void {
  const head = objectOf([
    ['format', format],
    ['resolver', resolver],
    ['methods', handled],
  ]);
  try {
    // For its owner alone: it holds what the other system answered.
    writeFileSync(file, `${writeJson(head)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    const why = codeOf(thrown) === 'EEXIST' ? 'is there already; recorded calls are not written over' : `cannot be written`;
    throw new StartRefused(`The file ${file} ${why}.`, thrown);
  }
}

export function appendCall(file: string, { method, type, argument, outcome }: RecordedCall): void {
  const line = objectOf([['method', method], ['type', type], ['argument', argument], outcomeField(outcome)]);
  appendFileSync(file, `${writeJson(line)}\n`);
}

export function readCalls(file: string, resolver: string): RecordedCalls {
  const [head, ...lines] = textOf(file, resolver)
    .split('\n')
    .filter((each) => each.trim() !== '');
  const known = parsed(head ?? '');
  if (!isObject(known) || known['format'] !== format) throw refused(file, resolver, 'holds no recorded calls');
  if (known['resolver'] !== resolver) throw refused(file, resolver, `is of the resolver ${String(known['resolver'])}`);
  const named = Array.isArray(known['methods']) ? known['methods'] : [];
  const calls = lines.map((line, index) => {
    const call = callIn(parsed(line));
    if (call === undefined) throw refused(file, resolver, `has no call on line ${index + 2}`);
    return call;
  });
  return { methods: methods.filter((each) => named.includes(each)), calls };
}

function outcomeField(outcome: RecordedOutcome): [string, Value] {
  if (outcome.kind === 'result') return ['result', outcome.value];
  if (outcome.kind === 'failed') return ['failed', true];
  const { status, message } = outcome;
  return [
    'refused',
    objectOf([
      ['status', status],
      ['message', message],
    ]),
  ];
}

function callIn(line: Value | undefined): RecordedCall | undefined {
  if (!isObject(line)) return undefined;
  const method = methods.find((each) => each === line['method']);
  const { type, argument } = line;
  const outcome = outcomeIn(line);
  if (method === undefined || typeof type !== 'string' || argument === undefined || outcome === undefined) return undefined;
  return { method, type, argument, outcome };
}

function outcomeIn({ result, failed, refused: told }: { readonly [key: string]: Value }): RecordedOutcome | undefined {
  if (result !== undefined) return { kind: 'result', value: result };
  if (failed === true) return { kind: 'failed' };
  if (!isObject(told) || typeof told['status'] !== 'number') return undefined;
  return { kind: 'refused', status: told['status'], message: String(told['message'] ?? '') };
}

function parsed(line: string): Value | undefined {
  try {
    return parseJson(line, limits);
  } catch {
    // The line is told to be no call.
    return undefined;
  }
}

function textOf(file: string, resolver: string): string {
  try {
    if (statSync(file).size > mostBytes) throw refused(file, resolver, `has more than ${mostBytes} bytes`);
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (thrown instanceof StartRefused) throw thrown;
    throw refused(file, resolver, 'cannot be read', thrown);
  }
}

function refused(file: string, resolver: string, why: string, thrown?: unknown): StartRefused {
  return new StartRefused(`The file ${file}, which is to stand in for the resolver ${resolver}, ${why}.`, thrown);
}

function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
}
