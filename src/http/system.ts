// The service's own paths: what the application is, and how it is doing.

import { error } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';

export interface SystemParts {
  readonly name: string;
  readonly version: string;
  ready(): boolean | Promise<boolean>;
  /** Other systems that have failed and are not asked for a while: the service is ready without them. */
  unavailable(): readonly string[];
  /** Whether agents have a language model; absent where there are no agents. The service is ready without one. */
  readonly llm: 'configured' | 'unconfigured' | undefined;
  metrics: (() => Promise<string>) | undefined;
  /** The page of the API, which is the same for everybody. */
  readonly pages: ReadonlyMap<string, SystemAnswer>;
  /** The description of the API. */
  readonly descriptions: ReadonlyMap<string, SystemAnswer>;
}

export type SystemAnswer = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

/** What anybody may see, and what tells of the model and of its use. */
export function systemEndpoints(parts: SystemParts): readonly Endpoint[] {
  const { metrics } = parts;
  const open = new Map<string, SystemAnswer>([
    ['/', () => ok({ name: parts.name, version: parts.version })],
    ['/health', () => ok({ status: 'ok' })],
    ['/ready', () => readiness(parts)],
    ...parts.pages,
  ]);
  const measured: SystemAnswer = async () => ({
    status: 200,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    body: await metrics?.(),
  });
  const telling = new Map<string, SystemAnswer>(
    metrics === undefined ? parts.descriptions : [...parts.descriptions, ['/metrics', measured]],
  );
  return [endpointAt(open, true), ...(telling.size === 0 ? [] : [endpointAt(telling, false)])];
}

function endpointAt(answers: ReadonlyMap<string, SystemAnswer>, open: boolean): Endpoint {
  const longest = Math.max(...[...answers.keys()].map(({ length }) => length)) + 1;
  // Most paths are longer than all of these.
  const answerTo = ({ path }: HttpRequest): SystemAnswer | undefined =>
    path.length > longest ? undefined : (answers.get(path) ?? (path.endsWith('/') ? answers.get(path.slice(0, -1)) : undefined));
  return {
    open,
    matches: (request) => answerTo(request) !== undefined,
    respond(request) {
      const answer = answerTo(request);
      if (answer === undefined) throw error('path-unknown');
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow: methods.join(', ') }, body: undefined };
      if (!methods.includes(request.method)) throw error('method-not-allowed', { allow: methods });
      return answer(request);
    },
  };
}

const methods = ['GET', 'HEAD', 'OPTIONS'];

function ok(value: Readonly<Record<string, string | readonly string[]>>, status = 200): HttpResponse {
  return { status, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body: JSON.stringify(value) };
}

async function readiness(parts: SystemParts): Promise<HttpResponse> {
  const unavailable = parts.unavailable();
  const { llm } = parts;
  const told = { ...(llm === undefined ? {} : { llm }), ...(unavailable.length === 0 ? {} : { unavailable }) };
  return (await parts.ready()) ? ok({ status: 'ready', ...told }) : ok({ status: 'not-ready', ...told }, 503);
}
