// The script by which the page of the API logs in, run with as much of a browser as it asks for.

import { runInNewContext } from 'node:vm';
import type { App } from '../../src/app.ts';
import { call } from './openapi-client.ts';

export interface Shown {
  /** What the page says went wrong. */
  readonly message: string;
  /** What the reference was made with, where it was. */
  readonly configuration: unknown;
}

interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Types into the form, and submits it. */
export async function submitted(app: App, script: string, typed: Readonly<Record<string, string>>): Promise<Shown> {
  const line = { textContent: '' };
  const made: unknown[] = [];
  let submit: ((event: object) => Promise<void>) | undefined;
  const form = {
    querySelector: () => line,
    remove: () => {},
    addEventListener: (_: string, listener: (event: object) => Promise<void>) => {
      submit = listener;
    },
  };
  const fetched = async (path: string, { method = 'GET', headers = {}, body }: Init = {}): Promise<object> => {
    const answer = await call(app, method, path, { headers, ...(body === undefined ? {} : { body }) });
    const { status } = answer;
    return { ok: status < 400, status, headers: new Headers(answer.headers), json: async () => answer.body };
  };
  const FormData = function entries() {
    return Object.entries(typed);
  };
  const Scalar = { createApiReference: (_: string, configuration: unknown) => made.push(configuration) };
  runInNewContext(script, { document: { getElementById: () => form }, window: { fetch: fetched }, FormData, Scalar });
  await submit?.({ preventDefault: () => {} });
  return { message: line.textContent, configuration: made[0] };
}
