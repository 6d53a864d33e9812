// Tokens of a hosted user pool: verified with the keys that it publishes, once for as long as they live.

import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../clock.ts';
import { error } from '../../errors.ts';
import { boundedFetch, patience } from '../oidc/bounded-fetch.ts';
import type { PoolSettings } from './pool.ts';

export interface PoolClaims {
  readonly subject: string;
  /** What all tokens of one login have in common. */
  readonly session: string;
  /** Only where the pool has verified it. */
  readonly email: string | undefined;
  readonly details: Readonly<Record<string, string>>;
  readonly groups: readonly string[];
  /** Of the login, in seconds since 1970. */
  readonly loggedInAt: number;
  readonly expires: number;
}

/** Characters: the pool writes the groups of a user into it. */
const longest = 8192;
const mostKnown = 10_000;
/** Milliseconds. */
const keyLifetime = 10 * 60_000;
const cooldown = 30_000;

export class PoolTokens {
  readonly issuer: string;
  readonly #clientId: string;
  readonly #clock: Clock;
  readonly #keys: ReturnType<typeof createRemoteJWKSet>;
  readonly #known = new Map<string, PoolClaims>();

  constructor({ userPoolId, clientId, region, endpoint }: PoolSettings, clock: Clock) {
    [this.#clientId, this.#clock] = [clientId, clock];
    this.issuer = `${endpoint ?? `https://cognito-idp.${region}.amazonaws.com`}/${userPoolId}`;
    this.#keys = createRemoteJWKSet(new URL(`${this.issuer}/.well-known/jwks.json`), {
      timeoutDuration: patience,
      cooldownDuration: cooldown,
      cacheMaxAge: keyLifetime,
      [customFetch]: (url, { headers, method, signal }) => boundedFetch(url, { headers, method, signal }),
    });
  }

  /** An id-token that was verified before, while it lives. */
  known(token: string): PoolClaims | undefined {
    const claims = this.#known.get(token);
    return claims !== undefined && claims.expires * 1000 > this.#clock.now().getTime() ? claims : undefined;
  }

  async verify(token: string, use: 'id' | 'access'): Promise<PoolClaims | undefined> {
    if (token.length > longest) return undefined;
    const payload = await this.#verified(token, use);
    const claims = payload === undefined ? undefined : claimsOf(payload);
    if (claims !== undefined && use === 'id') this.#remember(token, claims);
    return claims;
  }

  async #verified(token: string, use: 'id' | 'access'): Promise<JWTPayload | undefined> {
    const options = { algorithms: ['RS256'], issuer: this.issuer, currentDate: this.#clock.now(), requiredClaims: ['exp', 'sub', 'iat'] };
    try {
      const { payload } = await jwtVerify(token, this.#keys, use === 'id' ? { ...options, audience: this.#clientId } : options);
      if (payload['token_use'] !== use || (use === 'access' && payload['client_id'] !== this.#clientId)) return undefined;
      return payload;
    } catch (thrown) {
      if (isAboutTheToken(thrown)) return undefined;
      const why = thrown instanceof Error ? `${thrown.name} ${thrown.message}` : '';
      throw error('identity-unavailable', { retryAfter: 5 }, new Error(`the keys of the user pool cannot be read: ${why}`));
    }
  }

  #remember(token: string, claims: PoolClaims): void {
    if (this.#known.size >= mostKnown) for (const oldest of [...this.#known.keys()].slice(0, mostKnown / 10)) this.#known.delete(oldest);
    this.#known.set(token, claims);
  }
}

/** Whatever else goes wrong, the keys could not be had. */
function isAboutTheToken(thrown: unknown): boolean {
  if (!(thrown instanceof errors.JOSEError)) return false;
  return thrown.code !== 'ERR_JOSE_GENERIC' && thrown.code !== 'ERR_JWKS_TIMEOUT' && thrown.code !== 'ERR_JWKS_INVALID';
}

function claimsOf(payload: JWTPayload): PoolClaims | undefined {
  const { sub, exp, iat, jti, email, email_verified: verified, 'cognito:groups': groups, origin_jti: origin, auth_time: at } = payload;
  const session = typeof origin === 'string' ? origin : jti;
  if (sub === undefined || exp === undefined || iat === undefined || session === undefined) return undefined;
  const isVerified = verified === true || verified === 'true';
  const details = Object.entries({ name: payload['name'], firstName: payload['given_name'], lastName: payload['family_name'] });
  return {
    subject: sub,
    session,
    email: isVerified && typeof email === 'string' && email !== '' ? email : undefined,
    details: Object.fromEntries(details.flatMap(([name, value]) => (typeof value === 'string' && value !== '' ? [[name, value]] : []))),
    groups: Array.isArray(groups) ? groups.map(String) : [],
    loggedInAt: typeof at === 'number' ? at : iat,
    expires: exp,
  };
}
