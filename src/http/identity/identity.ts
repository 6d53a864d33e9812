// The identity paths: the same events as two surfaces present them, the public keys, the page that a link in a mail leads to.

import { anonymous, type Caller } from '../../engine/caller.ts';
import { error } from '../../errors.ts';
import type { EventType } from '../../model/model.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Awaitable } from '../../store/store.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { Authenticate, Endpoint, Identifying } from '../endpoint.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { readBody } from '../media/media.ts';
import { type ApiKeyEndpointParts, apiKeyEndpoint } from './api-key.ts';
import { confirmationPage } from './page.ts';

export interface IdentityEndpointParts extends ApiKeyEndpointParts {
  readonly authenticate: Authenticate;
  me(caller: Caller): Promise<Readonly<Record<string, unknown>>>;
  jwks(): Promise<unknown>;
}

interface Path {
  readonly event: string;
  /** Whether it is for users who are signed in; `if sent` where what it needs may also stand in the body. */
  readonly signedIn?: 'always' | 'if sent';
}

const currentPaths: Readonly<Record<string, Path>> = {
  signup: { event: 'signup' },
  confirmSignup: { event: 'confirmSignup' },
  login: { event: 'login' },
  refreshToken: { event: 'refreshToken' },
  forgotPassword: { event: 'forgotPassword' },
  confirmForgotPassword: { event: 'confirmForgotPassword' },
  resendConfirmationCode: { event: 'resendConfirmationCode' },
  changePassword: { event: 'changePassword', signedIn: 'always' },
  exchange: { event: 'exchange' },
  logout: { event: 'logout', signedIn: 'always' },
};

const earlierPaths: Readonly<Record<string, Path>> = {
  signup: { event: 'SignUp' },
  'confirm-sign-up': { event: 'ConfirmSignUp' },
  login: { event: 'UserLogin' },
  'refresh-token': { event: 'RefreshToken' },
  'forgot-password': { event: 'ForgotPassword' },
  'confirm-forgot-password': { event: 'ConfirmForgotPassword' },
  'resend-confirmation-code': { event: 'ResendConfirmationCode' },
  'change-password': { event: 'ChangePassword', signedIn: 'if sent' },
  exchange: { event: 'Exchange' },
  logout: { event: 'Logout', signedIn: 'always' },
};

const modules = { current: 'platform.auth', earlier: 'Platform.Kernel.Identity' } as const;

/** Where each surface takes the identity events. */
export function identityEventPaths(surface: 'current' | 'earlier'): readonly (Path & { readonly path: string })[] {
  const paths = surface === 'current' ? currentPaths : earlierPaths;
  const prefix = surface === 'current' ? '/platform.auth/' : '/';
  return Object.entries(paths).map(([name, path]) => ({ ...path, path: `${prefix}${name}`, event: `${modules[surface]}/${path.event}` }));
}

/** Whether the path is one of the identity paths of the earlier surface, which stand at the root. */
export function isEarlierIdentityPath(path: string): boolean {
  return Object.hasOwn(earlierPaths, path.replace(/^\/|\/$/g, ''));
}

type Respond = (request: HttpRequest) => Awaitable<HttpResponse>;

export function identityEndpoints(parts: IdentityEndpointParts): readonly Endpoint[] {
  return [eventsEndpoint(parts), apiKeyEndpoint(parts)];
}

function eventsEndpoint(parts: IdentityEndpointParts): Endpoint {
  const { surfaces, me, jwks, authenticate } = parts;
  const answers = new Map<string, { readonly method: 'GET' | 'POST'; readonly respond: Respond }>();
  if (surfaces.includes('current')) {
    for (const [name, path] of Object.entries(currentPaths)) answers.set(`/platform.auth/${name}`, posted(path, 'current', parts));
  }
  answers.set('/platform.auth/me', { method: 'GET', respond: async (request) => ok(await me(await authenticate(request))) });
  answers.set('/platform.auth/confirm', { method: 'GET', respond: () => confirmationPage(surfaces) });
  answers.set('/.well-known/jwks.json', { method: 'GET', respond: async () => ok(await jwks(), 'public, max-age=300') });
  if (surfaces.includes('earlier'))
    for (const [name, path] of Object.entries(earlierPaths)) answers.set(`/${name}`, posted(path, 'earlier', parts));
  const answerTo = ({ path }: HttpRequest) => answers.get(path) ?? (path.endsWith('/') ? answers.get(path.slice(0, -1)) : undefined);
  return {
    open: true,
    matches: (request) => answerTo(request) !== undefined,
    respond(request) {
      const found = answerTo(request);
      if (found === undefined) throw error('path-unknown');
      const allow = found.method === 'GET' ? ['GET', 'HEAD', 'OPTIONS'] : ['POST', 'OPTIONS'];
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow: allow.join(', ') }, body: undefined };
      if (!allow.includes(request.method)) throw error('method-not-allowed', { allow });
      return found.respond(request);
    },
  };
}

function posted(
  { event, signedIn }: Path,
  surface: 'current' | 'earlier',
  parts: IdentityEndpointParts,
): { method: 'POST'; respond: Respond } {
  const { plan, engine, limits, authenticate } = parts;
  const target = plan.model.events.get(`${modules[surface]}/${event}`);
  if (target === undefined) throw new Error(`${event} is part of every model with users`);
  return {
    method: 'POST',
    async respond(request) {
      const isKnown = signedIn === 'always' || (signedIn === 'if sent' && request.headers['authorization'] !== undefined);
      const caller = isKnown ? await authenticate(request) : anonymous;
      const body = attributesOf(readBody(request, limits), surface, target);
      const result = await engine.execute({ kind: 'invoke', target, body }, caller, request);
      return ok(result.kind === 'value' ? result.value : null);
    },
  };
}

/** Flat on the current surface; on the earlier one keyed by the event, and the user in it by its type. */
function attributesOf(body: Value | undefined, surface: 'current' | 'earlier', target: EventType): Value {
  const isEmptyEvent = target.attributes.length === 0;
  if (surface === 'current') {
    if (body === undefined && isEmptyEvent) return {};
    if (!isObject(body ?? null)) throw error('body-invalid');
    return body ?? {};
  }
  const given = body === undefined ? undefined : isObject(body) ? body[target.name] : null;
  if (given === undefined && isEmptyEvent) return {};
  if (given === undefined || !isObject(given)) throw error('body-invalid', { detail: `The body must be an object keyed ${target.name}.` });
  const user = given['User'];
  const keyed = isObject(user ?? null) && user !== undefined && isObject(user) ? user[`${modules.earlier}/User`] : undefined;
  return keyed === undefined ? given : { ...given, User: keyed };
}

function ok(value: unknown, cache = 'no-store'): HttpResponse {
  const body = isValue(value) ? writeJson(value) : JSON.stringify(value);
  return { status: 200, headers: { 'content-type': 'application/json', 'cache-control': cache }, body };
}

function isValue(value: unknown): value is Value {
  return value === null || typeof value === 'object';
}

/** The bearer token of a request. Absent where none was sent; throws where something else was. */
export function bearerOf({ headers }: Identifying): string | undefined {
  const given = headers['authorization'];
  if (given === undefined) return undefined;
  // Nearly all are written like this. What is no token is found out where it is verified.
  if (typeof given === 'string' && given.startsWith('Bearer ') && given.charCodeAt(7) !== 0x20) return given.slice(7);
  const token = typeof given === 'string' ? /^bearer +([\w.~+/=-]+) *$/i.exec(given)?.[1] : undefined;
  if (token === undefined) throw error('unauthenticated', { challenge: 'invalid_token' });
  return token;
}
