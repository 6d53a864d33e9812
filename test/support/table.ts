// Scenarios as tables: what is asked, and what the answer must be.

import { expect } from 'vitest';
import { isEarlier } from '../../src/http/rest/surfaces.ts';
import type { Answer, Served } from './app.ts';

export interface Step {
  /** `POST /blog/Post`. */
  readonly ask: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, as JSON unless `send` says otherwise. */
  readonly text?: string;
  readonly send?: Readonly<Record<string, string>>;
  readonly status: number;
  /** The whole body of the answer. */
  readonly is?: unknown;
  /** Part of the body of the answer. */
  readonly has?: unknown;
  /** The text of the answer holds this. */
  readonly holds?: string;
  /** Headers of the answer; `null` where there must be none. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** The code of a problem. */
  readonly code?: string;
  /** `attribute code` of every fault, in any order. */
  readonly faults?: readonly string[];
}

/** Asks one after the other; every answer must fit. */
export async function check(served: Served, steps: readonly Step[]): Promise<void> {
  for (const step of steps) fits(step, await askFor(served, step));
  expect(served.failures).toEqual([]);
}

export async function askFor(served: Served, { ask, body, text, send = {} }: Step): Promise<Answer> {
  const space = ask.indexOf(' ');
  const [method, target] = [ask.slice(0, space), ask.slice(space + 1)];
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers = sent === undefined ? send : { 'content-type': 'application/json', ...send };
  return served.ask({ method, target, headers, ...(sent === undefined ? {} : { text: sent }) });
}

export function fits(step: Step, answer: Answer): void {
  const title = `${step.ask} ${step.text ?? JSON.stringify(step.body) ?? ''}`.slice(0, 300);
  expect(answer.status, `${title}: ${answer.text.slice(0, 500)}`).toBe(step.status);
  if ('is' in step) expect(answer.body, title).toEqual(step.is);
  if (step.has !== undefined) expect(answer.body, title).toMatchObject(Object(step.has));
  if (step.holds !== undefined) expect(answer.text, title).toContain(step.holds);
  for (const [name, expected] of Object.entries(step.headers ?? {})) {
    if (expected === null) expect(answer.headers[name], title).toBeUndefined();
    else if (typeof expected === 'string') expect(answer.headers[name], title).toBe(expected);
    else expect(answer.headers[name] ?? '', title).toMatch(expected);
  }
  // The earlier surface has a form of its own for errors, which its tables spell out.
  if (step.status >= 400 && !isEarlier(pathOf(step))) isProblem(answer, step, title);
}

function pathOf({ ask }: Step): string {
  return ask.slice(ask.indexOf(' ') + 1).split('?')[0] ?? '';
}

/** RFC 9457, with the codes of the service. */
function isProblem(answer: Answer, { code, faults }: Step, title: string): void {
  expect(answer.headers['content-type'], title).toBe('application/problem+json');
  expect(answer.body, title).toMatchObject({
    type: expect.any(String),
    title: expect.any(String),
    status: answer.status,
    detail: expect.any(String),
    instance: expect.any(String),
    code: expect.any(String),
  });
  if (code !== undefined) expect(answer.body, title).toMatchObject({ code });
  if (faults !== undefined) expect(faultsOf(answer).sort(), title).toEqual([...faults].sort());
}

/** `attribute code` of every fault of a problem. */
export function faultsOf(answer: Answer): string[] {
  const errors = property(answer.body, 'errors');
  if (!Array.isArray(errors)) return [];
  return errors.map((each) => `${String(property(each, 'attribute'))} ${String(property(each, 'code'))}`);
}

export function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
