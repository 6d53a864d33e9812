// The provider of a hosted user pool: passwords, codes and mails are the pool's, users are mirrored here when they are first seen.

import { createHash } from 'node:crypto';
import type { Engine } from '../../engine/engine.ts';
import type { Context, WriteContext } from '../../engine/operation.ts';
import { writeAsSystem } from '../../engine/system-work.ts';
import { error, invalid } from '../../errors.ts';
import { type Awaitable, StartRefused } from '../../store/store.ts';
import type { Accounts } from '../accounts.ts';
import { adminRole } from '../guard.ts';
import { join } from '../oidc/account-link.ts';
import { postSignUp, postSignUpWaits } from '../post-sign-up.ts';
import type { Identified, IdentityProvider, NamedPassword, NewUser, PasswordChange, TokenSet } from '../provider.ts';
import { emailOf } from '../users.ts';
import { Pool, PoolRefusal, type PoolSettings, type Reason } from './pool.ts';
import { PoolSessions } from './pool-sessions.ts';
import { type PoolClaims, PoolTokens } from './pool-tokens.ts';

/** As the environment says it: not all of it need be there. */
export type HostedSettings = Omit<PoolSettings, 'userPoolId' | 'clientId'> & {
  readonly userPoolId: string | undefined;
  readonly clientId: string | undefined;
};

export interface HostedOptions {
  readonly settings: HostedSettings;
  readonly signup: boolean;
  /** Admin whatever the pool says. */
  readonly superuser: string | undefined;
  asSystem: Engine['asSystem'];
  warn(line: string): void;
  failed(thrown: unknown, what: string): void;
}

export interface HostedProvider extends IdentityProvider {
  /** Who issues its tokens: an OAuth server, which describes itself. */
  readonly issuer: string;
  close(): void;
}

/** Milliseconds after which a session that was ended by another instance is noticed. */
const freshness = 1000;
const mostKnown = 10_000;

export function openHosted(accounts: Accounts, options: HostedOptions): HostedProvider {
  const { users, failures, outbox, clock, store } = accounts;
  const settings = poolSettings(options.settings);
  const pool = new Pool(settings);
  const tokens = new PoolTokens(settings, clock);
  const sessions = new PoolSessions(accounts.tables.sessions, accounts.tables.refreshTokens, clock);
  const superuser = options.superuser === undefined ? undefined : emailOf(options.superuser);
  const alive = new Map<string, { readonly identified: Identified | undefined; readonly at: number }>();

  const checked = async ({ value, attribute }: NamedPassword, email: string): Promise<void> => {
    const faults = await accounts.passwords.faultsOf(value, email, attribute);
    if (faults.length > 0) throw invalid(faults);
  };

  /** The mirrored user of a token whose session is alive. */
  const admitted = async (claims: PoolClaims, isNew: boolean, writing: WriteContext): Promise<string | undefined> => {
    const known = { issuer: tokens.issuer, subject: claims.subject, email: claims.email, details: claims.details };
    const joined = await join(known, accounts, true, writing);
    if (joined.kind !== 'joined') {
      options.warn('the user pool has not verified the e-mail of a user, who is not known here before that');
      return undefined;
    }
    const { email } = joined;
    if (await users.isDisabled(email, writing.tx)) return undefined;
    if (!(await sessions.admit(claims, email, isNew, writing.tx))) return undefined;
    const isAdmin = claims.groups.includes(adminRole) || email === superuser;
    await users.keepRole(email, adminRole, assignmentId(tokens.issuer, claims.subject), isAdmin, writing);
    return email;
  };

  const admit = <T>(context: Context, work: (writing: WriteContext) => Promise<T>): Promise<T> =>
    writeAsSystem(context, work, { waits: postSignUpWaits(context.plan), decides: 'by queries' });

  /** Tokens that the pool has just given out go to whoever asked, where they would be taken here. */
  const opened = async (given: TokenSet, isNew: boolean, context: Context): Promise<TokenSet> => {
    const claims = await tokens.verify(given.idToken, 'id');
    if (claims === undefined) throw error('identity-unavailable', {}, new Error('the user pool gave a token that is not for this service'));
    const email = await admit(context, async (writing) => {
      const found = await admitted(claims, isNew, writing);
      if (found !== undefined) await sessions.remember(given.refreshToken, claims, writing.tx);
      return found;
    });
    if (email === undefined) throw error('credentials-invalid');
    return given;
  };

  /** A try that counts as a failure until it is known to be none. */
  const loggedIn = async (email: string, password: string, context: Context): Promise<TokenSet> => {
    const remote = context.request?.remote;
    await writeAsSystem(context, ({ tx }) => failures.begin(email, remote, tx));
    const given = await pool.login(email, password).catch((thrown: unknown) => {
      if (thrown instanceof PoolRefusal && thrown.message.startsWith('the user pool asks for')) options.warn(thrown.message);
      throw refusedAs(thrown, { credentials: 'credentials-invalid', unknown: 'credentials-invalid', password: 'credentials-invalid' });
    });
    await writeAsSystem(context, ({ tx }) => failures.forgive(email, remote, tx));
    return given;
  };

  const endAll = async (email: string, context: Context): Promise<void> => {
    await writeAsSystem(context, async ({ tx }) => {
      if ((await users.find(email, tx)) !== undefined) await sessions.endAll(email, tx);
    });
    alive.clear();
    // The password is another one already: what the pool says now changes nothing about that.
    await pool.signOutEverywhere(email).catch((thrown: unknown) => options.failed(thrown, 'ending the sessions in the user pool'));
  };

  const look = async (claims: PoolClaims): Promise<Identified | undefined> => {
    const state = await store.read((tx) => sessions.stateOf(claims.session, tx));
    const isOpen = state?.isOpen === true;
    const email =
      state === undefined
        ? await options.asSystem((context) => admit(context, (writing) => admitted(claims, false, writing)))
        : state.email;
    if (email === undefined || (state !== undefined && !isOpen)) return undefined;
    return store.read(async (tx) => {
      const user = await users.find(email, tx);
      if (user === undefined || (await users.isDisabled(email, tx))) return undefined;
      return { email, id: user.id, roles: await users.rolesOf(email, tx), session: claims.session };
    });
  };

  const identified = (claims: PoolClaims): Awaitable<Identified | undefined> => {
    const found = alive.get(claims.session);
    const now = clock.now().getTime();
    if (found !== undefined && now - found.at < freshness) return found.identified;
    return look(claims).then((known) => {
      if (alive.size >= mostKnown) alive.clear();
      alive.set(claims.session, { identified: known, at: now });
      return known;
    });
  };

  /** What may not be told is done in vain, and answered as if it were done. */
  const silently = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      if (!(thrown instanceof PoolRefusal)) throw thrown;
    }
  };

  const mayMail = (email: string, context: Context): Promise<boolean> => writeAsSystem(context, ({ tx }) => failures.maySend(email, tx));

  return {
    issuer: tokens.issuer,
    async signUp(user, context) {
      if (!options.signup) throw error('access-denied', { detail: 'Sign-up is closed.' });
      const email = emailOf(user.email);
      await checked(user.password, email);
      const isConfirmed = await signedUp(pool, email, user);
      if (isConfirmed === undefined) return { email, confirmed: false };
      const details = { ...user.details, email };
      const result = await admit(context, async (writing) => {
        const isKnown = (await users.find(email, writing.tx)) !== undefined;
        if (!isKnown) await users.create(details, false, writing);
        if (isConfirmed) return postSignUp(details, writing);
        if (!isKnown) await outbox.add('sign-up', { user: details }, writing.tx);
        return null;
      });
      outbox.wake();
      return isConfirmed ? { email, confirmed: true, result } : { email, confirmed: false };
    },

    async confirmSignUp({ email, code }) {
      await pool.confirmSignUp(emailOf(email), code).catch((thrown: unknown) => {
        throw refusedAs(thrown, codeReasons);
      });
    },

    async login({ email: given, password }, context) {
      return opened(await loggedIn(emailOf(given), password, context), true, context);
    },

    async refresh(token, context) {
      const state = await context.store.read((tx) => sessions.stateOfToken(token, tx));
      if (state?.isOpen === false) throw error('credentials-invalid');
      const given = await pool.refresh(token).catch((thrown: unknown) => {
        throw refusedAs(thrown, { credentials: 'credentials-invalid', unknown: 'credentials-invalid', parameter: 'credentials-invalid' });
      });
      return opened(given, state !== undefined, context);
    },

    async forgotPassword(given, context) {
      const email = emailOf(given);
      if (await mayMail(email, context)) await silently(() => pool.forgotPassword(email));
    },

    async confirmForgotPassword({ email: given, code, password }, context) {
      const email = emailOf(given);
      await checked(password, email);
      await pool.confirmForgotPassword(email, code, password.value).catch((thrown: unknown) => {
        throw refusedAs(thrown, codeReasons, password);
      });
      await endAll(email, context);
    },

    async resendCode(given, context) {
      const email = emailOf(given);
      if (await mayMail(email, context)) await silently(() => pool.resendCode(email));
    },

    async changePassword(change, context) {
      const email = await ownerOf(change, context);
      const { accessToken } = await loggedIn(email, change.current, context);
      await checked(change.next, email);
      if (change.next.value === change.current)
        throw invalid([{ attribute: change.next.attribute, code: 'value', message: 'must be another one than before' }]);
      await pool.changePassword(accessToken, change.current, change.next.value).catch((thrown: unknown) => {
        throw refusedAs(thrown, { credentials: 'credentials-invalid' }, change.next);
      });
      await endAll(email, context);
    },

    async logout(session, context) {
      await writeAsSystem(context, ({ tx }) => sessions.end(session, tx));
      alive.clear();
    },

    async exchange() {
      throw error('code-invalid');
    },

    verify(token) {
      const claims = tokens.known(token);
      if (claims !== undefined) return identified(claims);
      return tokens.verify(token, 'id').then((found) => (found === undefined ? undefined : identified(found)));
    },

    close: () => pool.close(),
  };

  /** By the token that was sent in the body, or else by the session of whoever asks. */
  async function ownerOf({ session, token }: PasswordChange, context: Context): Promise<string> {
    const claims = token === undefined ? undefined : ((await tokens.verify(token, 'access')) ?? (await tokens.verify(token, 'id')));
    const id = claims?.session ?? session;
    const state = id === undefined ? undefined : await context.store.read((tx) => sessions.stateOf(id, tx));
    const subject = { issuer: tokens.issuer, subject: claims?.subject ?? '' };
    // An access token need not be of a session that was seen here; its user is.
    const found = state === undefined ? await context.store.read((tx) => accounts.tables.subjects.find(tx, subject)) : undefined;
    const email = state?.isOpen === true ? state.email : found?.['email'];
    if (typeof email !== 'string') throw error('unauthenticated', { challenge: 'invalid_token' });
    return email;
  }
}

function poolSettings({ userPoolId, clientId, ...others }: HostedSettings): PoolSettings {
  if (userPoolId === undefined || clientId === undefined)
    throw new StartRefused('a hosted user pool needs IDP_USER_POOL_ID and IDP_CLIENT_ID: set both, or neither');
  const { endpoint } = others;
  const url = endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isSafe = url !== undefined && (url.protocol === 'https:' || ['localhost', '127.0.0.1'].includes(url.hostname));
  if (endpoint !== undefined && (!isSafe || url.origin !== endpoint))
    throw new StartRefused('IDP_ENDPOINT must be an https address without a path, or http://localhost:<port>');
  return { userPoolId, clientId, ...others };
}

const codeReasons = { code: 'code-invalid', credentials: 'code-invalid', unknown: 'code-invalid', exists: 'code-invalid' } as const;

/** Whether the pool lets the user log in at once; nothing where there is such a user, which nobody is told. */
async function signedUp(pool: Pool, email: string, { password, details }: NewUser): Promise<boolean | undefined> {
  const { name, firstName, lastName } = details;
  const attributes = Object.entries({ name, given_name: firstName, family_name: lastName });
  const given = attributes.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []));
  try {
    return await pool.signUp(email, password.value, Object.fromEntries(given));
  } catch (thrown) {
    if (thrown instanceof PoolRefusal && thrown.reason === 'exists') return undefined;
    throw refusedAs(thrown, {}, password);
  }
}

type Answers = Partial<Record<Reason, 'credentials-invalid' | 'code-invalid'>>;

/** What the pool says is told in the words of this service, and no more of it than those. */
function refusedAs(thrown: unknown, answers: Answers, password?: NamedPassword): unknown {
  if (!(thrown instanceof PoolRefusal)) return thrown;
  const { reason, message } = thrown;
  const isAboutPassword = reason === 'password' || (reason === 'parameter' && /password/i.test(message));
  const code = answers[reason];
  if (code !== undefined) return error(code);
  if (password !== undefined && isAboutPassword)
    return invalid([
      {
        attribute: password.attribute,
        code: 'value',
        message: 'is too weak for the user pool; take a longer one, of more kinds of characters',
      },
    ]);
  if (reason === 'refused') return error('access-denied', { detail: 'The user pool has refused this.' });
  return error('identity-unavailable', {}, new Error(`the user pool has refused the request: ${reason} ${message}`));
}

/** The role that the pool gives has an identifier of its own, so that it is told from one that an admin has given. */
function assignmentId(issuer: string, subject: string): string {
  const hex = createHash('sha256').update(`${issuer} ${subject} ${adminRole}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
