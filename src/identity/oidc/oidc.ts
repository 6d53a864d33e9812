// Third-party sign-in: a browser goes to another service and comes back with a code, which is exchanged for tokens of this one. No token is ever in an address.

import { createHash, randomBytes } from 'node:crypto';
import type { Context } from '../../engine/operation.ts';
import { writeAsSystem } from '../../engine/system-work.ts';
import { error, type Fault } from '../../errors.ts';
import type { Writer } from '../../store/store.ts';
import type { Accounts } from '../accounts.ts';
import { postSignUpWaits } from '../post-sign-up.ts';
import type { Exchange, TokenSet } from '../provider.ts';
import { hashOf } from '../sessions.ts';
import { tokenSetOf } from '../tokens/tokens.ts';
import { join } from './account-link.ts';
import { type Begun, Bindings, bindingLifetime, isSame } from './binding.ts';
import { OidcClient, type ThirdPartySettings } from './client.ts';

export type { ThirdPartySettings } from './client.ts';

export interface ThirdPartyOptions {
  readonly providers: readonly ThirdPartySettings[];
  /** Where browsers may be sent in the end, besides the console. */
  readonly redirects: readonly string[];
  /** Whether a user who is not known becomes one. */
  readonly signup: boolean;
  /** The public address of the service. */
  address(): string;
}

/** What a browser is sent away with. */
export interface Departure {
  readonly location: string;
  /** To be brought back by the same browser. */
  readonly binding: string;
  /** Seconds. */
  readonly lifetime: number;
}

export interface ThirdParty {
  begin(asked: Readonly<Record<keyof Begun, string | undefined>>): Promise<Departure>;
  /** Where the browser that came back is sent; `query` is what the other service added to the address. */
  finish(query: string, binding: string | undefined, context: Context): Promise<string>;
  exchange(exchange: Exchange, context: Context): Promise<TokenSet>;
}

/** Milliseconds in which a code is exchanged. */
const codeLifetime = 60_000;
/** Where people sign in on a page of the service itself. */
const ownPages: readonly string[] = ['/console', '/graphql'];

export function openThirdParty(accounts: Accounts, options: ThirdPartyOptions): ThirdParty {
  const { clock, keys, tokens, users, sessions } = accounts;
  const { exchanges } = accounts.tables;
  const clients = new Map(options.providers.map((each) => [each.name, new OidcClient(each, clock)]));
  const bindings = new Bindings(keys, clock);
  const callback = () => `${options.address()}/auth/callback`;
  const isAllowed = (redirect: string) => ownPages.includes(redirect) || options.redirects.includes(redirect);

  const faultsOf = ({ provider, redirect, challenge }: Parameters<ThirdParty['begin']>[0]): readonly Fault[] => {
    const known = `must be one of ${[...clients.keys()].join(', ')}`;
    return [
      ...faultOf('provider', provider, (given) => clients.has(given), known),
      ...faultOf('redirect', redirect, isAllowed, 'must be one of the addresses in auth.redirects'),
      ...faultOf('challenge', challenge, (given) => /^[\w-]{43}$/.test(given), 'must be the SHA-256 of a verifier, as base64url'),
    ];
  };

  const codeFor = async (email: string, challenge: string, tx: Writer): Promise<string> => {
    const code = randomBytes(32).toString('base64url');
    const now = clock.now().getTime();
    await exchanges.insert(tx, { hash: hashOf(code), email, challenge, expires: now + codeLifetime });
    for (const { hash = null } of await exchanges.upTo(tx, 'expires', now, 20)) await exchanges.removeFree(tx, { hash });
    return code;
  };

  return {
    async begin(asked) {
      const faults = faultsOf(asked);
      if (faults.length > 0) throw error('query-invalid', { errors: faults });
      const { provider = '', redirect = '', challenge = '' } = asked;
      const { binding, proof } = bindings.make({ provider, redirect, challenge });
      const location = await clients.get(provider)?.addressFor(proof, callback());
      if (location === undefined) throw error('not-available');
      return { location, binding, lifetime: bindingLifetime };
    },

    async finish(query, binding, context) {
      const read = binding === undefined ? undefined : bindings.read(binding);
      const client = clients.get(read?.begun.provider ?? '');
      const answer = new URL(`${callback()}?${query}`);
      const state = answer.searchParams.getAll('state');
      if (read === undefined || client === undefined || state.length !== 1 || !isSame(state[0] ?? '', read.proof.state))
        throw error('code-invalid', { detail: 'This sign-in was not begun in this browser, or it was more than 10 minutes ago.' });
      const { redirect, challenge } = read.begun;
      if (!isAllowed(redirect)) throw error('access-denied');
      const target = ownPages.includes(redirect) ? `${options.address()}${redirect}` : redirect;
      if (answer.searchParams.has('error')) return withParameters(target, refusals.refused);
      const known = await client.identify(answer, read.proof);
      const waits = { waits: postSignUpWaits(context.plan), decides: 'by queries' } as const;
      const done = await writeAsSystem(
        context,
        async (writing) => {
          const joined = await join(known, accounts, options.signup, writing);
          return joined.kind === 'joined' ? { code: await codeFor(joined.email, challenge, writing.tx) } : refusals[joined.kind];
        },
        waits,
      );
      return withParameters(target, done);
    },

    async exchange({ code, verifier }, context) {
      // It is used up whatever becomes of it.
      const opened = await writeAsSystem(context, async ({ tx }) => {
        const hash = hashOf(code);
        const found = await exchanges.find(tx, { hash }, 'lock');
        if (found === undefined) return undefined;
        await exchanges.remove(tx, { hash });
        const isRight = isSame(String(found['challenge']), createHash('sha256').update(verifier).digest('base64url'));
        const user = await users.find(String(found['email']), tx);
        if (!isRight || user === undefined || (await users.isDisabled(user.email, tx)) || Number(found['expires']) <= clock.now().getTime())
          return undefined;
        return { session: await sessions.open(user, tx), name: user.name };
      });
      if (opened === undefined) throw error('code-invalid');
      return tokenSetOf(opened.session, opened.name, tokens);
    },
  };
}

type Refusal = { readonly error: 'access-denied'; readonly error_description: string };

const refusals: Readonly<Record<'refused' | 'unverified' | 'closed', Refusal>> = {
  refused: refusal('The other service has refused the sign-in.'),
  unverified: refusal('The other service has not verified the e-mail address.'),
  closed: refusal('Sign-up is closed.'),
};

function refusal(text: string): Refusal {
  return { error: 'access-denied', error_description: text };
}

function withParameters(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

function faultOf(attribute: string, given: string | undefined, fits: (given: string) => boolean, message: string): readonly Fault[] {
  if (given === undefined) return [{ attribute, code: 'required', message: 'is required' }];
  return fits(given) ? [] : [{ attribute, code: 'value', message }];
}
