// One third-party service: where it sends browsers to, and whom it says they belong to. OpenID Connect, by the package `openid-client`.

import type { ClientAuth, Configuration, IDToken } from 'openid-client';
import type { Clock } from '../../clock.ts';
import { error, PlatformError } from '../../errors.ts';
import { boundedFetch, patience } from './bounded-fetch.ts';

export interface ThirdPartySettings {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
}

/** What proves that an answer belongs to a question of ours. */
export interface Proof {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Whom another service says somebody is. */
export interface ThirdPartyUser {
  readonly issuer: string;
  readonly subject: string;
  /** Only where that service has verified it. */
  readonly email: string | undefined;
  readonly details: Readonly<Record<string, string>>;
}

type Library = typeof import('openid-client');

/** Milliseconds that what a service publishes about itself is believed, and that it is left alone after a failure. */
const freshness = 60 * 60_000;
const rest = 1000;
const longestDetail = 256;

export class OidcClient {
  readonly #settings: ThirdPartySettings;
  readonly #clock: Clock;
  #known: { readonly configuration: Promise<Configuration>; readonly until: number } | undefined;

  constructor(settings: ThirdPartySettings, clock: Clock) {
    [this.#settings, this.#clock] = [settings, clock];
  }

  /** Where a browser is sent to sign in. */
  async addressFor({ state, nonce, verifier }: Proof, callback: string): Promise<string> {
    const client = await import('openid-client');
    const configuration = await this.#configuration(client);
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: this.#settings.scopes.join(' '),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /** `answer` is the address that the browser came back to, with what the service has added to it. */
  async identify(answer: URL, { state, nonce, verifier }: Proof): Promise<ThirdPartyUser> {
    const client = await import('openid-client');
    const configuration = await this.#configuration(client);
    try {
      const tokens = await client.authorizationCodeGrant(configuration, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw error('credentials-invalid');
      const said = claims['email'] === undefined ? await this.#userInfo(client, configuration, tokens.access_token, claims) : claims;
      return userOf(claims, said);
    } catch (thrown) {
      throw this.#failure(thrown, client);
    }
  }

  /** Some services say the e-mail only there. */
  async #userInfo(
    client: Library,
    configuration: Configuration,
    token: string,
    claims: IDToken,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await client.fetchUserInfo(configuration, token, claims.sub)) };
  }

  #configuration(client: Library): Promise<Configuration> {
    const now = this.#clock.now().getTime();
    if (this.#known !== undefined && this.#known.until > now) return this.#known.configuration;
    const configuration = this.#discover(client);
    this.#known = { configuration, until: now + freshness };
    configuration.catch(() => {
      this.#known = { configuration, until: this.#clock.now().getTime() + rest };
    });
    return configuration;
  }

  async #discover(client: Library): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const isPlain = issuer.startsWith('http:');
    try {
      return await client.discovery(new URL(issuer), clientId, undefined, secretAuth(client, clientSecret), {
        [client.customFetch]: (url, { body: given, ...options }) => {
          // What is sent is a form: nothing of it is streamed.
          const body = given instanceof URLSearchParams || typeof given === 'string' ? given : null;
          return boundedFetch(url, { ...options, body });
        },
        timeout: patience / 1000,
        // The signature is looked at even though the token came straight from the service; plain http is for services on this machine.
        execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
      });
    } catch (thrown) {
      throw this.#unavailable(thrown);
    }
  }

  /** What is in errors of the library (codes, tokens) goes nowhere: only what kind they are. */
  #failure(thrown: unknown, client: Library): PlatformError {
    if (thrown instanceof PlatformError) return thrown;
    if (thrown instanceof client.AuthorizationResponseError || thrown instanceof client.ResponseBodyError)
      return error('credentials-invalid');
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
    return /^OAUTH_(JWT|INVALID|KEY|JSON)/.test(code) ? error('credentials-invalid') : this.#unavailable(thrown);
  }

  #unavailable(thrown: unknown): PlatformError {
    const { name } = this.#settings;
    const code = thrown instanceof Error && 'code' in thrown ? ` (${String(thrown.code)})` : '';
    const cause = new Error(
      `the third-party service "${name}" did not answer as expected: ${thrown instanceof Error ? thrown.message : ''}${code}`,
    );
    return error('identity-unavailable', { retryAfter: 5 }, cause);
  }
}

/** As the service wants to be shown the secret. */
function secretAuth(client: Library, secret: string): ClientAuth {
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const auth = methods.includes('client_secret_basic') ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
    auth(server, ...rest);
  };
}

function userOf({ iss, sub }: IDToken, said: Readonly<Record<string, unknown>>): ThirdPartyUser {
  const { email, email_verified: verified } = said;
  // Some services write it as a text.
  const isVerified = verified === true || verified === 'true';
  const details = Object.entries({ name: said['name'], firstName: said['given_name'], lastName: said['family_name'] });
  return {
    issuer: iss,
    subject: sub,
    email: isVerified && typeof email === 'string' && email !== '' ? email : undefined,
    details: Object.fromEntries(
      details.flatMap(([name, value]) =>
        typeof value === 'string' && value !== '' && value.length <= longestDetail ? [[name, value]] : [],
      ),
    ),
  };
}
