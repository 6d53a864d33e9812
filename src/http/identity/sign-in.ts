// The two addresses that browsers come to for a third-party sign-in: where it begins, and where the other service sends them back to.

import { error, type Fault } from '../../errors.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';

/** What the paths need of whoever does the sign-in. */
export interface SignIn {
  begin(asked: Readonly<Record<'provider' | 'redirect' | 'challenge', string | undefined>>): Promise<{
    readonly location: string;
    readonly binding: string;
    /** Seconds that the binding is worth something. */
    readonly lifetime: number;
  }>;
  finish(query: string, binding: string | undefined): Promise<string>;
  /** Whether browsers reach the service encrypted. */
  isEncrypted(): boolean;
}

const beginPath = '/auth';
const callbackPath = '/auth/callback';
const parameters = ['provider', 'redirect', 'challenge'] as const;

export function signInEndpoint(signIn: SignIn): Endpoint {
  return {
    open: true,
    matches: ({ path }) => path === beginPath || path === callbackPath,
    respond(request) {
      const allow = ['GET', 'OPTIONS'];
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow: allow.join(', ') }, body: undefined };
      if (request.method !== 'GET') throw error('method-not-allowed', { allow });
      return request.path === beginPath ? began(request, signIn) : cameBack(request, signIn);
    },
  };
}

async function began({ query }: HttpRequest, signIn: SignIn): Promise<HttpResponse> {
  const given = new URLSearchParams(query);
  const faults = [...new Set(given.keys())].flatMap((name): readonly Fault[] => {
    if (!parameters.some((each) => each === name)) return [{ attribute: name, code: 'unknown', message: 'is not a parameter' }];
    return given.getAll(name).length > 1 ? [{ attribute: name, code: 'value', message: 'is given twice' }] : [];
  });
  if (faults.length > 0) throw error('query-invalid', { errors: faults });
  const [provider, redirect, challenge] = parameters.map((name) => given.get(name) ?? undefined);
  const { location, binding, lifetime } = await signIn.begin({ provider, redirect, challenge });
  return sentTo(location, cookie(binding, lifetime, signIn));
}

async function cameBack({ query, headers }: HttpRequest, signIn: SignIn): Promise<HttpResponse> {
  const location = await signIn.finish(query, cookieOf(headers['cookie'], cookieName(signIn)));
  return sentTo(location, cookie('', 0, signIn));
}

function sentTo(location: string, setCookie: string): HttpResponse {
  const headers = { location, 'set-cookie': setCookie, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  return { status: 302, headers, body: undefined };
}

/** A browser takes a `__Host-` cookie only from an encrypted address, and then for this host alone. Unencrypted there is only this machine. */
function cookieName(signIn: SignIn): string {
  return signIn.isEncrypted() ? '__Host-sign-in' : 'sign-in';
}

/** `Lax`: the browser comes back from another site, by a link. */
function cookie(value: string, age: number, signIn: SignIn): string {
  const secure = signIn.isEncrypted() ? '; Secure' : '';
  return `${cookieName(signIn)}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
}

/** Where there are two of one name, somebody else has set one of them: then there is none. */
function cookieOf(header: string | readonly string[] | undefined, name: string): string | undefined {
  const pairs = (typeof header === 'string' ? header : (header ?? []).join(';')).split(';').map((each) => each.trim());
  const values = pairs.filter((each) => each.startsWith(`${name}=`)).map((each) => each.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}
