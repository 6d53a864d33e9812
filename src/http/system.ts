// The service's own paths: what the application is, and how it is doing.

import { error } from '../errors.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';

export interface SystemPaths {
  /** `undefined` for paths of the model. */
  respond(request: HttpRequest): HttpResponse | Promise<HttpResponse> | undefined;
}

export interface SystemParts {
  readonly name: string;
  readonly version: string;
  ready(): boolean | Promise<boolean>;
  metrics: (() => string) | undefined;
  /** Further paths: the description of the API and its page. */
  readonly further: ReadonlyMap<string, Answer>;
}

export type Answer = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

export function systemPaths(parts: SystemParts): SystemPaths {
  const answers = new Map<string, Answer>([
    ['/', () => ok({ name: parts.name, version: parts.version })],
    ['/health', () => ok({ status: 'ok' })],
    ['/ready', () => readiness(parts)],
    ...parts.further,
  ]);
  const { metrics } = parts;
  if (metrics !== undefined)
    answers.set('/metrics', () => ({
      status: 200,
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      body: metrics(),
    }));
  return {
    respond(request) {
      const answer = answers.get(request.path) ?? (request.path.endsWith('/') ? answers.get(request.path.slice(0, -1)) : undefined);
      if (answer === undefined) return undefined;
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow: methods.join(', ') }, body: undefined };
      if (!methods.includes(request.method)) throw error('method-not-allowed', { allow: methods });
      return answer(request);
    },
  };
}

const methods = ['GET', 'HEAD', 'OPTIONS'];

function ok(value: Readonly<Record<string, string>>, status = 200): HttpResponse {
  return { status, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body: JSON.stringify(value) };
}

async function readiness(parts: SystemParts): Promise<HttpResponse> {
  return (await parts.ready()) ? ok({ status: 'ready' }) : ok({ status: 'not-ready' }, 503);
}
