// Which pages of other origins may call the service from a browser: the preflight answer and the headers of every other one.

import type { HttpRequest, HttpResponse } from '../exchange.ts';

export interface Cors {
  /** The answer to a preflight request of an allowed origin; `undefined` for every other request. */
  preflight(request: HttpRequest): HttpResponse | undefined;
  /** The response with what the browser needs to see. */
  allow(request: HttpRequest, response: HttpResponse): HttpResponse;
}

export function cors(origins: readonly string[]): Cors {
  const everyone = origins.includes('*');
  const allowed = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  const allowedOrigin = (request: HttpRequest) => {
    const origin = request.headers['origin'];
    if (typeof origin !== 'string') return undefined;
    if (everyone) return '*';
    return allowed.has(origin.toLowerCase()) ? origin : undefined;
  };
  return {
    preflight: (request) => {
      if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return undefined;
      const origin = allowedOrigin(request);
      if (origin === undefined) return undefined;
      return { status: 204, headers: { ...preflightHeaders, 'access-control-allow-origin': origin }, body: undefined };
    },
    allow: (request, response) => {
      const headers: Record<string, string> = { ...response.headers };
      // Whether or not this origin is allowed, a cache must not hand the answer to another one.
      if (!everyone) headers['vary'] = headers['vary'] === undefined ? 'Origin' : `${headers['vary']}, Origin`;
      const origin = allowedOrigin(request);
      if (origin !== undefined) {
        headers['access-control-allow-origin'] = origin;
        headers['access-control-expose-headers'] = exposed;
      }
      return { ...response, headers };
    },
  };
}

const exposed = 'Allow, ETag, Link, Location, Platform-Run-Id, Retry-After, WWW-Authenticate, X-Request-Id, X-Total-Count';

const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers':
    'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Mcp-Protocol-Version, X-Request-Id',
  'access-control-max-age': '600',
  vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
};
