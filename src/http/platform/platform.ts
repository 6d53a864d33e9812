// `/platform/…`: the description of the model for whoever may call the API, and what only operators are told. Loaded with the first request for it.

import { type Caller, rolesOf, userOf } from '../../engine/caller.ts';
import type { Engine } from '../../engine/engine.ts';
import { error, type Fault } from '../../errors.ts';
import { adminRole } from '../../plan/access/right.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import type { CallerDescription, ModelDescription } from './description.ts';

export interface PlatformParts {
  readonly plan: Plan;
  readonly engine: Engine;
  readonly application: ModelDescription['application'];
  readonly surface: 'current' | 'earlier';
  readonly features: ModelDescription['features'];
  /** What only operators may ask for, by `<method> <path>`. */
  readonly operators: ReadonlyMap<string, OperatorAnswer>;
}

export type OperatorAnswer = (request: HttpRequest, caller: Caller) => HttpResponse | Promise<HttpResponse>;

const modelPath = '/platform/model';

export function platformEndpoint(parts: PlatformParts): Endpoint {
  const { operators } = parts;
  const methods = new Map<string, readonly string[]>([[modelPath, ['GET', 'HEAD', 'OPTIONS']]]);
  for (const each of operators.keys()) {
    const [method = '', path = ''] = each.split(' ');
    methods.set(path, [...(methods.get(path) ?? []), method, ...(method === 'GET' ? ['HEAD'] : []), 'OPTIONS']);
  }
  return {
    matches: ({ path }) => methods.has(withoutSlash(path)),
    async respond(request, caller) {
      const path = withoutSlash(request.path);
      const allow = methods.get(path) ?? [];
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow: allow.join(', ') }, body: undefined };
      if (!allow.includes(request.method)) throw error('method-not-allowed', { allow });
      if (path === modelPath && request.query !== '')
        throw error('query-invalid', { errors: [...new URLSearchParams(request.query).keys()].map(unknownParameter) });
      if (path === modelPath) return described(request, caller, parts);
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const answer = operators.get(`${method} ${path}`);
      if (answer === undefined) throw error('path-unknown');
      if (!isOperator(request, caller, parts.features)) throw error('access-denied', { detail: refusal(parts) });
      return answer(request, caller);
    },
  };
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function unknownParameter(attribute: string): Fault {
  return { attribute, code: 'unknown', message: 'is not a parameter' };
}

async function described(request: HttpRequest, caller: Caller, parts: PlatformParts): Promise<HttpResponse> {
  const [{ describedTypes }, { eventResults }, { writeJson }] = await Promise.all([
    import('./model.ts'),
    import('./results.ts'),
    import('../../values/json/json.ts'),
  ]);
  const { plan, application, surface, features } = parts;
  const types = await parts.engine.asCaller(caller, async ({ guard }) =>
    describedTypes({ plan, surface, guard, caller, result: eventResults(plan) }),
  );
  const description: ModelDescription = { application, surface, features, caller: callerOf(request, caller, parts), ...types };
  // Defaults and allowed values may be numbers that JavaScript has no form for.
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: writeJson(Object(description)),
  };
}

function callerOf(request: HttpRequest, caller: Caller, parts: PlatformParts): CallerDescription {
  const email = userOf(caller);
  return { ...(email === undefined ? {} : { email }), roles: rolesOf(caller), isAdmin: isOperator(request, caller, parts.features) };
}

/** Without authentication nobody is known, and only who sits at the machine itself is trusted. */
export function isOperator(request: HttpRequest, caller: Caller, { authentication }: { readonly authentication: boolean }): boolean {
  return authentication ? caller.kind === 'user' && rolesOf(caller).includes(adminRole) : isAtMachine(request);
}

/** Neither through a proxy on the machine, which anybody may be behind, nor from a page that has another name for its address, nor from one of another site. */
function isAtMachine({ remote, headers }: HttpRequest): boolean {
  const isDirect = !proxyHeaders.some((name) => headers[name] !== undefined);
  return isDirect && isLoopback(remote) && localHost.test(String(headers['host'] ?? 'localhost')) && !isOfOtherPage(headers);
}

/** Whatever origins may call the API: the browser of who sits at the machine shows pages of anybody, and sends what they say without asking. */
function isOfOtherPage({ origin, host, 'sec-fetch-site': site }: HttpRequest['headers']): boolean {
  if (site === 'cross-site') return true;
  if (origin === undefined) return false;
  const from = typeof origin === 'string' && URL.canParse(origin) ? new URL(origin) : undefined;
  return from === undefined || from.host !== host;
}

const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];
const localHost = /^(([\w-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

function refusal({ features }: PlatformParts): string {
  return features.authentication
    ? 'Only an admin may do this.'
    : 'While authentication is off, this is answered on the machine itself alone.';
}

/** As requests name their callers: an IPv4 address, or the network of an IPv6 one. */
function isLoopback(remote: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(remote) || remote === '0:0:0:0::/64';
}
