// `/mcp`: the Model Context Protocol over HTTP, without sessions: each request is answered by itself, as its caller.

import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Engine } from '../../engine/engine.ts';
import { error } from '../../errors.ts';
import type { Plan } from '../../plan/plan.ts';
import type { JsonLimits } from '../../values/json/reader.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { readBody } from '../media/media.ts';
import { type McpParts, mcpServer } from './server.ts';
import { toolsOf } from './tools.ts';

export interface McpEndpointParts extends Pick<McpParts, 'name' | 'version' | 'failed'> {
  readonly plan: Plan;
  readonly engine: Engine;
  readonly surface: 'current' | 'earlier';
  readonly limits: JsonLimits;
  /** Origins whose pages may call. */
  readonly origins: readonly string[];
}

const path = '/mcp';

export function mcpEndpoint({ plan, engine, surface, limits, origins, ...about }: McpEndpointParts): Endpoint {
  const tools = toolsOf(plan, surface === 'current' ? plan.names : plan.earlierNames);
  return {
    matches: (request) => request.path === path || request.path === `${path}/`,
    async respond(request, caller) {
      if (isForeign(request, origins)) throw error('access-denied', { detail: 'This origin may not call.' });
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow: 'POST, OPTIONS' }, body: undefined };
      if (request.method !== 'POST') throw error('method-not-allowed', { allow: ['POST', 'OPTIONS'] });
      const body = readBody(request, limits);
      const server = mcpServer({ ...about, plan, tools }, { engine, caller, request });
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport);
      try {
        return await responseOf(await transport.handleRequest(webRequest(request), { parsedBody: body ?? null }));
      } finally {
        await server.close();
      }
    },
  };
}

/** A page of another site must not use what a browser on this machine can reach. */
function isForeign({ headers: { origin, host } }: HttpRequest, origins: readonly string[]): boolean {
  if (typeof origin !== 'string' || origins.includes('*') || origins.includes(origin)) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}

function webRequest({ method, headers, path: place }: HttpRequest): Request {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] satisfies [string, string]] : [],
  );
  return new Request(`http://localhost${place}`, { method, headers: entries, body: '{}' });
}

async function responseOf(response: Response): Promise<HttpResponse> {
  const text = await response.text();
  const type = response.headers.get('content-type');
  return {
    status: response.status,
    headers: { ...(type === null ? {} : { 'content-type': type }), 'cache-control': 'no-store' },
    body: text === '' ? undefined : text,
  };
}
