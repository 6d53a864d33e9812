// A real OpenID Connect service on this machine, `oidc-provider`, and a browser that signs in there.

import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import type { Answer, Served } from '../../support/app.ts';
import { closed, listenUntilClosed } from '../../support/listen.ts';

export interface OidcPeer {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What it says of the user who signs in with this name. */
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface OidcOptions {
  readonly port?: number;
  /** What it signs with. */
  readonly algorithm?: 'RS256' | 'ES256';
  /** What becomes of a token before it is sent. */
  changed?(token: string): string;
}

export async function oidcPeer(callbacks: readonly string[], options: OidcOptions = {}): Promise<OidcPeer> {
  const { port = 0, algorithm = 'RS256', changed } = options;
  const people = new Map<string, Readonly<Record<string, unknown>>>();
  const server = createServer();
  const issuer = `http://127.0.0.1:${await listenUntilClosed(server, { port })}`;
  const [clientId, clientSecret] = ['shop', 'a secret of the client'];
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [...callbacks], id_token_signed_response_alg: algorithm }],
    ...(algorithm === 'RS256' ? {} : { jwks: { keys: [ellipticKey()] } }),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
    async findAccount(_, id) {
      return { accountId: id, claims: async () => ({ sub: id, ...people.get(id) }) };
    },
    cookies: { keys: ['a key of the cookies'] },
    pkce: { required: () => true },
  });
  provider.use(async (context, next) => {
    await next();
    const { body } = context;
    if (changed !== undefined && typeof Object(body).id_token === 'string') context.body = { ...body, id_token: changed(body.id_token) };
  });
  server.on('request', provider.callback());
  const close = (): Promise<void> => closed(server);
  return { issuer, clientId, clientSecret, people, stop: close, close };
}

function ellipticKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'elliptic' };
}

/** Follows the service's own pages from `location` on, until it leads elsewhere: the address that it then asks the browser to go to. */
export async function signInAt(peer: OidcPeer, location: string, name: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const go = async (address: string, form?: Readonly<Record<string, string>>): Promise<Response> => {
    const answer = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const each of answer.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(key, value);
    }
    return answer;
  };
  let [address, answer] = [location, await go(location)];
  for (let step = 0; step < 20; step += 1) {
    const next = answer.headers.get('location');
    const page = next === null ? await answer.text() : '';
    if (next !== null) address = new URL(next, address).href;
    if (!address.startsWith(peer.issuer)) return new URL(address);
    if (next !== null) answer = await go(address);
    else {
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      if (prompt === undefined) throw new Error(`no way on from ${address}: ${answer.status} ${page.slice(0, 500)}`);
      answer = await go(address, prompt === 'login' ? { prompt, login: name, password: 'any' } : { prompt });
    }
  }
  throw new Error('the service does not come to an end');
}

/** The whole journey of a browser whose user has this verified e-mail: what the exchange of the code answers, or why there is none. */
export async function signedInBy(peer: OidcPeer, served: Served, email: string, redirect: string): Promise<Answer> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  peer.people.set(email, { email, email_verified: true });
  const away = await served.get(`/auth?${new URLSearchParams({ provider: 'acme', redirect, challenge })}`);
  const cookie = String(away.headers['set-cookie']).split(';')[0] ?? '';
  const back = await signInAt(peer, String(away.headers['location']), email);
  const end = await served.get(`${back.pathname}${back.search}`, { cookie });
  if (end.status !== 302) return end;
  const code = new URL(String(end.headers['location'])).searchParams.get('code');
  return served.post('/platform.auth/exchange', { code, verifier });
}
