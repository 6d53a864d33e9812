// Who is calling: the identity events, bearer tokens, and what the service does about users by itself.

import type { Clock } from '../clock.ts';
import type { Caller } from '../engine/caller.ts';
import type { Engine } from '../engine/engine.ts';
import type { EventHandlers } from '../engine/handlers.ts';
import type { WriteContext } from '../engine/operation.ts';
import type { Guard } from '../engine/seams.ts';
import { writeAsSystem } from '../engine/system-work.ts';
import { error } from '../errors.ts';
import type { Plan } from '../plan/plan.ts';
import { isObject } from '../plan/rows/attribute.ts';
import type { HashCost } from '../secrets.ts';
import { type Awaitable, StartRefused, type Store } from '../store/store.ts';
import { type Accounts, openAccounts } from './accounts.ts';
import { apiKeyHandlers, isApiKey } from './api-keys/api-keys.ts';
import { type ApiKeyCheck, openApiKeyCheck } from './api-keys/check.ts';
import { identityHandlers } from './events.ts';
import { adminRole, signedInGuard } from './guard.ts';
import type { HostedProvider, HostedSettings } from './hosted/hosted.ts';
import { type Later, localProvider } from './local/local.ts';
import { type MailSettings, openPost, type Post } from './mail/mail.ts';
import type { ThirdParty, ThirdPartySettings } from './oidc/oidc.ts';
import type { OutboxWork } from './outbox.ts';
import { postSignUp } from './post-sign-up.ts';
import type { Identified, IdentityProvider } from './provider.ts';
import { ensureSuperuser, type Superuser } from './superuser.ts';

export type { HostedSettings } from './hosted/hosted.ts';
export type { ThirdPartySettings } from './oidc/oidc.ts';

export interface IdentitySettings {
  /** Absent: where mails can be sent. */
  readonly confirm: boolean | undefined;
  readonly signup: boolean;
  /** The public address of the service. */
  readonly url: string | undefined;
  readonly mail: MailSettings | undefined;
  readonly superuser: Superuser | undefined;
  /** Whether what is only warned about elsewhere refuses the start. */
  readonly strict: boolean;
  /** Third-party sign-in. */
  readonly providers: readonly ThirdPartySettings[];
  readonly redirects: readonly string[];
  /** A user pool that keeps the users, in place of the service itself. */
  readonly hosted: HostedSettings | undefined;
}

export interface IdentityParts {
  readonly settings: IdentitySettings;
  readonly store: Store;
  readonly clock: Clock;
  /** Of the application. */
  readonly name: string;
  /** Where the application's own templates are. */
  readonly folder: string;
  /** Where mails are put that nobody sends. */
  readonly outboxFolder: string;
  readonly log: IdentityLog;
  /** Where the service is reached on this machine, while it is; absent where others reach it too. */
  readonly localAddress: (() => string) | undefined;
  /** Of passwords, where it is not the usual one. */
  readonly hashCost?: HashCost | undefined;
}

export interface IdentityLog {
  info(line: string): void;
  warn(line: string): void;
  failed(thrown: unknown, what: string): void;
}

/** What is done without anybody's asking. */
export type SystemWork = Pick<Engine, 'asSystem'>;

export interface Identity {
  /** Of the identity events, for the plan and the engine. */
  readonly handlers: EventHandlers;
  /** Opens what is kept of users, once the tables are there. */
  open(plan: Plan, engine: SystemWork): Promise<void>;
  /** What the superuser needs is done when the engine is there. */
  start(): Promise<void>;
  guard(plan: Plan): Guard;
  /** Who sends this bearer token; throws where it is none, or not valid. */
  authenticate(bearer: string | undefined): Awaitable<Caller>;
  /** What the user knows of themselves. */
  me(caller: Caller): Promise<Readonly<Record<string, unknown>>>;
  jwks(): Promise<unknown>;
  /** Third-party sign-in, where it is configured. */
  readonly signIn: SignIn | undefined;
  /** For those who ask where tokens come from: where the service is, and the OAuth server that issues them, where there is one. */
  readonly resource: { address(): string; issuer(): string | undefined };
  close(): Promise<void>;
}

/** For browsers: what they are sent away with, and where they are sent when they come back. */
export interface SignIn {
  begin: ThirdParty['begin'];
  finish(query: string, binding: string | undefined): Promise<string>;
  /** Whether browsers reach the service encrypted. */
  isEncrypted(): boolean;
}

export function createIdentity(parts: IdentityParts): Identity {
  const { settings, store, clock, name, log } = parts;
  const address = addressOf(parts);
  let opened: Opened | undefined;
  let engine: SystemWork | undefined;
  const now = (): Opened => {
    if (opened === undefined) throw error('not-available');
    return opened;
  };
  const asSystem: SystemWork['asSystem'] = (work) => {
    if (engine === undefined) throw error('not-available');
    return engine.asSystem(work);
  };

  async function openFirst(plan: Plan): Promise<Opened> {
    const put = (file: string) => log.info(`no mail server is configured; a mail is in ${file}`);
    const { folder, outboxFolder } = parts;
    const post = await openPost({ settings: settings.mail, folder, outboxFolder, clock, put });
    const work = new Map<string, OutboxWork>([
      ['mail', (content) => post.send(content)],
      [
        'sign-up',
        async ({ user = null }, done) => {
          if (!isObject(user)) return;
          const options = { waits: true, decides: 'by queries' } as const;
          const work = async (writing: WriteContext): Promise<void> => {
            await postSignUp(user, writing);
            await done(writing.tx);
          };
          await asSystem((context) => writeAsSystem(context, work, options));
        },
      ],
    ]);
    const issuer = settings.url ?? `urn:platform:${name}`;
    const accounts = openAccounts({
      plan,
      store,
      clock,
      names: { issuer, audience: name },
      application: name,
      url: settings.url,
      work,
      hashCost: parts.hashCost,
      failed: log.failed,
    });
    await accounts.keys.open();
    const apiKeys = openApiKeyCheck(accounts, log.failed);
    const { hosted } = settings;
    if (hosted !== undefined) {
      const provider = await openPool(hosted, accounts);
      return { accounts, provider, apiKeys, post, thirdParty: undefined, hosted: provider };
    }
    const provider = localProvider(accounts, {
      confirm: settings.confirm ?? settings.mail !== undefined,
      signup: settings.signup,
      reused: () => log.warn('a refresh token was used a second time; its session was ended'),
    });
    for (const [kind, each] of provider.later) work.set(kind, laterWork(each));
    if (settings.providers.length === 0) return { accounts, provider, apiKeys, post, thirdParty: undefined, hosted: undefined };
    const { openThirdParty } = await import('./oidc/oidc.ts');
    const thirdParty = openThirdParty(accounts, { ...settings, address });
    return { accounts, apiKeys, provider: { ...provider, exchange: thirdParty.exchange }, post, thirdParty, hosted: undefined };
  }

  /** In one transaction with striking it out. */
  const laterWork =
    (work: Later): OutboxWork =>
    async (content, done) => {
      const { email = null } = content;
      if (typeof email !== 'string') return;
      await asSystem((context) =>
        writeAsSystem(context, async (writing) => {
          await work(email, writing, content);
          await done(writing.tx);
        }),
      );
    };

  async function openPool(hosted: HostedSettings, accounts: Accounts): Promise<HostedProvider> {
    if (settings.providers.length > 0)
      throw new StartRefused('auth.providers belongs to users that this service keeps: with IDP_USER_POOL_ID, give them to the user pool');
    const { openHosted } = await import('./hosted/hosted.ts');
    const { signup, superuser } = settings;
    return openHosted(accounts, { settings: hosted, signup, superuser: superuser?.email, asSystem, warn: log.warn, failed: log.failed });
  }

  const thirdPartyNow = (): ThirdParty => {
    const { thirdParty } = now();
    if (thirdParty === undefined) throw error('not-available');
    return thirdParty;
  };

  return {
    handlers: new Map([...identityHandlers(() => now().provider), ...apiKeyHandlers(() => now().accounts)]),
    async open(plan, serving) {
      engine = serving;
      checkProfiles(plan, settings, log.warn);
      opened ??= await openFirst(plan);
    },
    async start() {
      const { accounts, hosted } = now();
      const { superuser } = settings;
      const options = { strict: settings.strict, warn: log.warn };
      // Who is admin in a user pool is seen when they log in.
      const isOwn = hosted === undefined;
      if (isOwn && superuser !== undefined) await asSystem((context) => ensureSuperuser(superuser, accounts, options, context));
      if (isOwn && !(await store.read((tx) => accounts.users.isGiven(adminRole, tx)))) log.info(noAdmin);
      accounts.outbox.start();
    },
    guard: signedInGuard,
    authenticate(bearer) {
      if (bearer === undefined) throw error('unauthenticated');
      if (isApiKey(bearer)) {
        const known = now().apiKeys.verify(bearer);
        return known instanceof Promise ? known.then(knownCaller) : knownCaller(known);
      }
      const found = now().provider.verify(bearer);
      return found instanceof Promise ? found.then(callerOf) : callerOf(found);
    },
    async me(caller) {
      if (caller.kind !== 'user') throw error('unauthenticated');
      const { accounts } = now();
      const user = await store.read((tx) => accounts.users.find(caller.email, tx));
      return { id: caller.id, email: caller.email, name: user?.name ?? null, roles: caller.roles };
    },
    jwks: () => now().accounts.keys.jwks(),
    signIn:
      settings.providers.length === 0
        ? undefined
        : {
            begin: (asked) => thirdPartyNow().begin(asked),
            finish: (query, binding) => asSystem((context) => thirdPartyNow().finish(query, binding, context)),
            isEncrypted: () => address().startsWith('https:'),
          },
    resource: { address, issuer: () => opened?.hosted?.issuer },
    async close() {
      await opened?.accounts.outbox.close();
      await opened?.apiKeys.close();
      await opened?.accounts.passwords.close();
      await opened?.post.close();
      opened?.hosted?.close();
    },
  };
}

/** Whoever signs up names an address: rules that go by it want to know whose it is. */
function checkProfiles(
  { model, access }: Plan,
  { confirm, mail, signup, hosted, strict }: IdentitySettings,
  warn: (line: string) => void,
): void {
  const isProven = (confirm ?? mail !== undefined) || !signup || hosted !== undefined;
  const profiles = [...model.entities.values()].filter(({ profile }) => profile !== undefined).map(({ local }) => `auth.${local}`);
  if (isProven || access === undefined || profiles.length === 0) return;
  const line = `rules go by ${profiles.join(', ')}, while whoever signs up need not show that the address is theirs: nobody who has signed up so has a profile`;
  if (strict) throw new StartRefused(`${line}. Set auth.mail and auth.confirm, or auth.signup: false.`);
  warn(`${line}; set auth.confirm, or auth.signup: false`);
}

const noAdmin =
  'there is no admin yet: start with PLATFORM_SUPERUSER_EMAIL and PLATFORM_SUPERUSER_PASSWORD set, or run platform users add <email> --role admin';

interface Opened {
  readonly accounts: Accounts;
  readonly provider: IdentityProvider;
  readonly apiKeys: ApiKeyCheck;
  readonly post: Post;
  readonly thirdParty: ThirdParty | undefined;
  readonly hosted: HostedProvider | undefined;
}

/** Where browsers come back to: never what a header says. */
function addressOf({ settings: { url, providers }, localAddress }: IdentityParts): () => string {
  if (url !== undefined) return () => url;
  if (providers.length > 0 && localAddress === undefined)
    throw new StartRefused(
      'auth.providers needs service.url, the public address of the service, as service.host is not of this machine alone',
    );
  return localAddress ?? (() => '');
}

function callerOf(found: Identified | undefined): Caller {
  return knownCaller(found && { kind: 'user', email: found.email, id: found.id, roles: found.roles, token: found.session });
}

function knownCaller(caller: Caller | undefined): Caller {
  if (caller === undefined) throw error('unauthenticated', { challenge: 'invalid_token' });
  return caller;
}
