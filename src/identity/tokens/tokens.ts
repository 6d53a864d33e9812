// Tokens: signed for a session, and verified once for as long as they live.

import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../../clock.ts';
import { algorithm, type KeyRing } from '../keys.ts';
import type { TokenSet } from '../provider.ts';
import type { OpenSession } from '../sessions.ts';

/** Seconds that an id-token lives. */
const lifetime = 15 * 60;
/** Characters: nothing that was signed here is longer. */
const longest = 4096;
/** Tokens whose signature need not be looked at again. */
const mostKnown = 10_000;

/** `id` is sent with requests, `access` only names the session. */
export type TokenUse = 'id' | 'access';

export interface Claims {
  readonly session: string;
  readonly email: string;
  /** Seconds since 1970. */
  readonly expires: number;
}

export interface TokenNames {
  readonly issuer: string;
  readonly audience: string;
}

const types: Readonly<Record<TokenUse, string>> = { id: 'JWT', access: 'at+jwt' };

export class Tokens {
  readonly #keys: KeyRing;
  readonly #names: TokenNames;
  readonly #clock: Clock;
  readonly #known = new Map<string, Claims>();

  constructor(keys: KeyRing, names: TokenNames, clock: Clock) {
    [this.#keys, this.#names, this.#clock] = [keys, names, clock];
  }

  async sign(use: TokenUse, session: string, email: string, claims: Readonly<Record<string, string>> = {}): Promise<string> {
    const key = await this.#keys.current();
    const now = Math.floor(this.#clock.now().getTime() / 1000);
    return new SignJWT({ ...claims, email, sid: session, token_use: use })
      .setProtectedHeader({ alg: algorithm, kid: key.id, typ: types[use] })
      .setIssuer(this.#names.issuer)
      .setAudience(this.#names.audience)
      .setSubject(email)
      .setIssuedAt(now)
      .setExpirationTime(now + lifetime)
      .setJti(this.#clock.uuid())
      .sign(key.private);
  }

  /** A token that was verified before, while it lives. `now` is milliseconds since 1970. */
  known(token: string, now: number): Claims | undefined {
    const claims = this.#known.get(token);
    return claims !== undefined && claims.expires * 1000 > now ? claims : undefined;
  }

  /** What it says, where it was signed here for this use, and has not expired. */
  async verify(token: string, use: TokenUse): Promise<Claims | undefined> {
    const claims = await this.#verified(token, use);
    if (claims !== undefined && use === 'id') this.#remember(token, claims);
    return claims;
  }

  async #verified(token: string, use: TokenUse): Promise<Claims | undefined> {
    if (token.length > longest) return undefined;
    try {
      const { kid, alg } = decodeProtectedHeader(token);
      // Which key it is says the token; which keys there are, never.
      const key = kid === undefined || alg !== algorithm ? undefined : await this.#keys.find(kid);
      if (key === undefined) return undefined;
      const { issuer, audience } = this.#names;
      const options = { algorithms: [algorithm], typ: types[use], issuer, audience, currentDate: this.#clock.now() };
      const { payload } = await jwtVerify(token, key.public, { ...options, requiredClaims: ['exp', 'sid', 'sub', 'email'] });
      const { sid, email, exp, token_use: given } = payload;
      if (typeof sid !== 'string' || typeof email !== 'string' || exp === undefined || given !== use) return undefined;
      return { session: sid, email, expires: exp };
    } catch {
      // Whatever is wrong with it, nobody is told more than that it is not valid.
      return undefined;
    }
  }

  #remember(token: string, claims: Claims): void {
    if (this.#known.size >= mostKnown) for (const oldest of [...this.#known.keys()].slice(0, mostKnown / 10)) this.#known.delete(oldest);
    this.#known.set(token, claims);
  }
}

/** The tokens of a session that was opened here. */
export async function tokenSetOf({ id, email, refreshToken }: OpenSession, name: string | undefined, tokens: Tokens): Promise<TokenSet> {
  return {
    idToken: await tokens.sign('id', id, email, name === undefined ? {} : { name }),
    accessToken: await tokens.sign('access', id, email),
    refreshToken,
    expiresIn: lifetime,
  };
}
