// `/mcp`: the Model Context Protocol over HTTP, without sessions: each request is answered by itself, as its caller.

import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Engine } from '../../engine/engine.ts';
import { error } from '../../errors.ts';
import type { Plan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { JsonLimits } from '../../values/json/reader.ts';
import type { Value } from '../../values/value.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { readMessages, refusalResponse } from './message.ts';
import { type McpParts, mcpServer } from './server.ts';
import { toolsOf } from './tools.ts';

export interface McpEndpointParts extends Pick<McpParts, 'name' | 'version'> {
  readonly plan: Plan;
  readonly engine: Engine;
  readonly surface: 'current' | 'earlier';
  readonly limits: JsonLimits;
  /** Origins whose pages may call. */
  readonly origins: readonly string[];
  /** Whether only this machine reaches the service: then a page of another host is one that was lied to about where it is. */
  readonly isLocal: boolean;
  /** What is no fault of the caller goes to the log. */
  failed(thrown: unknown, request: HttpRequest): void;
  /** Where authentication is on. */
  readonly resource?: ProtectedResource | undefined;
}

export interface ProtectedResource {
  /** Where the service is reached, never what a header says. */
  address(): string;
  /** Where tokens come from, where that is an OAuth server. */
  issuer(): string | undefined;
}

export function mcpEndpoints(parts: McpEndpointParts): readonly Endpoint[] {
  const { resource } = parts;
  return resource === undefined ? [mcpEndpoint(parts)] : [resourceEndpoint(parts.name, resource), mcpEndpoint(parts)];
}

const path = '/mcp';

function mcpEndpoint({ plan, engine, surface, limits, origins, isLocal, failed, resource, ...about }: McpEndpointParts): Endpoint {
  const tools = toolsOf(plan, surface === 'current' ? plan.names : plan.earlierNames);
  return {
    matches: (request) => request.path === path || request.path === `${path}/`,
    // Where the service does not know its own address, nobody can be led to it.
    resourceMetadata: () =>
      resource === undefined || resource.address() === '' ? undefined : `${resource.address()}${metadataPath}${path}`,
    async respond(request, caller) {
      if (isForeign(request, origins, isLocal)) throw error('access-denied', { detail: 'This origin may not call.' });
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow: 'POST, OPTIONS' }, body: undefined };
      if (request.method !== 'POST') throw error('method-not-allowed', { allow: ['POST', 'OPTIONS'] });
      const read = readMessages(request, limits);
      if ('code' in read) return refusalResponse(read);
      const { body } = read;
      const server = mcpServer({ ...about, plan, tools, failed: (thrown) => failed(thrown, request) }, { engine, caller, request });
      const enableJsonResponse = !wantsProgress(body);
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse });
      await server.connect(transport);
      const response = await transport.handleRequest(webRequest(request), { parsedBody: body });
      return responseOf(response, () => server.close());
    },
  };
}

const metadataPath = '/.well-known/oauth-protected-resource';

/** The metadata of RFC 9728: what `/mcp` is, and where tokens for it come from. */
function resourceEndpoint(name: string, { address, issuer }: ProtectedResource): Endpoint {
  return {
    open: true,
    matches: (request) => request.path === metadataPath || request.path === `${metadataPath}${path}`,
    respond({ method }) {
      if (address() === '') throw error('path-unknown');
      if (method !== 'GET' && method !== 'HEAD') throw error('method-not-allowed', { allow: ['GET', 'HEAD'] });
      const server = issuer();
      const metadata = {
        resource: `${address()}${path}`,
        resource_name: name,
        bearer_methods_supported: ['header'],
        ...(server === undefined ? {} : { authorization_servers: [server] }),
      };
      const headers = { 'content-type': 'application/json', 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' };
      return { status: 200, headers, body: JSON.stringify(metadata) };
    },
  };
}

/** Only a stream tells of something before the answer. */
function wantsProgress(body: Value): boolean {
  const messages: readonly Value[] = Array.isArray(body) ? body : [body];
  return messages.some((each) => {
    const parameters = isObject(each) && each['method'] === 'tools/call' ? (each['params'] ?? null) : null;
    const about = isObject(parameters) ? (parameters['_meta'] ?? null) : null;
    return isObject(about) && about['progressToken'] !== undefined;
  });
}

/** A page of another site must not use what a browser on this machine can reach, also where its name leads here. */
function isForeign({ headers: { origin, host } }: HttpRequest, origins: readonly string[], isLocal: boolean): boolean {
  if (typeof origin !== 'string' || origins.includes('*') || origins.includes(origin)) return false;
  const from = URL.canParse(origin) ? new URL(origin) : undefined;
  return from === undefined || from.host !== host || (isLocal && !localNames.has(from.hostname));
}

const localNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function webRequest({ method, headers, path: place }: HttpRequest): Request {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] satisfies [string, string]] : [],
  );
  return new Request(`http://localhost${place}`, { method, headers: entries, body: '{}' });
}

async function responseOf(response: Response, close: () => Promise<void>): Promise<HttpResponse> {
  const type = response.headers.get('content-type');
  const headers = { ...(type === null ? {} : { 'content-type': type }), 'cache-control': 'no-store' };
  const { status, body } = response;
  if (body !== null && type?.startsWith('text/event-stream') === true) return { status, headers, body: piecesOf(body, close) };
  try {
    const text = await response.text();
    return { status, headers, body: text === '' ? undefined : text };
  } finally {
    await close();
  }
}

/** Whoever stops reading ends the call. */
async function* piecesOf(body: ReadableStream<Uint8Array>, close: () => Promise<void>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  try {
    for await (const piece of body) yield decoder.decode(piece, { stream: true });
  } finally {
    await close();
  }
}
