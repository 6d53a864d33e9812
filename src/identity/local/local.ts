// The local provider: users in the store, passwords as argon2id hashes, tokens that the service signs itself.

import type { Context, WriteContext } from '../../engine/operation.ts';
import { writeAsSystem } from '../../engine/system-work.ts';
import { error, invalid } from '../../errors.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Writer } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import type { Accounts } from '../accounts.ts';
import type { CodePurpose } from '../failed-attempts.ts';
import { type MailName, mailContent } from '../mail/mail.ts';
import type { OutboxContent } from '../outbox.ts';
import { postSignUp, postSignUpWaits } from '../post-sign-up.ts';
import type {
  Credentials,
  IdentityProvider,
  NamedPassword,
  NewUser,
  PasswordChange,
  SignUpAnswer,
  TokenSet,
  WithCode,
} from '../provider.ts';
import type { OpenSession } from '../sessions.ts';
import type { SentCode } from '../sign-ups.ts';
import { tokenSetOf } from '../tokens/tokens.ts';
import { emailOf, type User } from '../users.ts';
import { openSessionCheck } from './session-check.ts';

export interface LocalOptions {
  /** Whether a new user shows first that the address is theirs. */
  readonly confirm: boolean;
  /** Whether everybody may sign up. */
  readonly signup: boolean;
  /** A token was used that had been used before. */
  reused(email: string): void;
}

/** What a mail with a code says besides, where somebody else may have signed up with the address. */
function noteOf({ signUps, hasPassword }: SentCode, now: Date): string {
  if (signUps === 'one') return '';
  const several = '\n\nThere were several sign-ups with this address. This code';
  if (!hasPassword) return `${several} confirms the address and sets no password: ask for a new password afterwards.`;
  return `${several} belongs to that of ${now.toUTCString()}, and to its password. If that was not you, do not use it.`;
}

/** What is done after the answer, for the address that it was about. */
export type Later = (email: string, writing: WriteContext, content: OutboxContent) => Promise<void>;

export interface LocalProvider extends IdentityProvider {
  /** By what it is kept as in the outbox. Whether there is an account shows only here: an answer that waited for it would tell by the time that it takes. */
  readonly later: ReadonlyMap<string, Later>;
}

export function localProvider(accounts: Accounts, options: LocalOptions): LocalProvider {
  const { users, sessions, codes, signUps, failures, passwords, tokens, outbox } = accounts;
  const check = openSessionCheck(accounts);

  const checked = async ({ value, attribute }: NamedPassword, email: string): Promise<void> => {
    const faults = await passwords.faultsOf(value, email, attribute);
    if (faults.length > 0) throw invalid(faults);
  };

  const tokensOf = (session: OpenSession, name: string | undefined): Promise<TokenSet> => tokenSetOf(session, name, tokens);

  /** A try that counts as a failure until it is known to be none. */
  const verified = async ({ email, password }: Credentials, context: Context): Promise<User> => {
    const remote = context.request?.remote;
    // What counts is locked: it decides by nothing that others could have changed meanwhile.
    await writeAsSystem(context, ({ tx }) => failures.begin(email, remote, tx), { decides: undefined });
    const found = await context.store.read(async (tx) => {
      // All is asked for every address, so that it takes as long where there is no user.
      const [user, isConfirmed, isDisabled] = [
        await users.find(email, tx),
        await users.isConfirmed(email, tx),
        await users.isDisabled(email, tx),
      ];
      return isConfirmed && !isDisabled ? user : undefined;
    });
    const isRight = await passwords.isRight(password, found?.password);
    if (found === undefined || !isRight) throw error('credentials-invalid');
    return found;
  };

  const mail = (name: MailName, email: string, code: string | undefined, note: string, tx: Writer): Promise<void> =>
    outbox.add('mail', mailContent(name, email, { ...accounts.mailValues(email, code, name), note }), tx);

  const mailSignUp = (email: string, sent: SentCode, signedUp: Date, tx: Writer): Promise<void> =>
    mail('confirm', email, sent.code, noteOf(sent, signedUp), tx);

  /** The user, or a mail to who has the address: only afterwards, so that the answer is the same work for every address. */
  const register = async (
    email: string,
    writing: WriteContext,
    { details = null, hash = null, at = null }: OutboxContent,
  ): Promise<void> => {
    const { tx } = writing;
    if (!isObject(details) || typeof hash !== 'string') return;
    // A code has tries of its own: it is made no more often than mails are sent, or somebody would ask for codes until a guess is right.
    const maySend = await failures.maySend(email, tx);
    const known = await users.find(email, tx);
    if (known === undefined) {
      // The password becomes valid with the code: whoever else signs up with this address does not set it.
      await users.create({ ...details, email }, false, writing);
      await outbox.add('sign-up', { user: { ...details, email } }, tx);
    }
    const isWaiting = known === undefined || !(await users.isConfirmed(email, tx));
    if (isWaiting && maySend) await mailSignUp(email, await signUps.add(email, hash, tx), new Date(String(at)), tx);
    else if (isWaiting) await signUps.addWithoutMail(email, tx);
    else if (maySend) await mail('exists', email, undefined, '', tx);
  };

  const signUpToConfirm = async (email: string, { details }: NewUser, hash: string, context: Context): Promise<SignUpAnswer> => {
    await later('register', { email, details, hash, at: context.clock.now().toISOString() }, context);
    return { email, confirmed: false };
  };

  const signUpAtOnce = (email: string, user: NewUser, hash: string, context: Context): Promise<SignUpAnswer> =>
    writeAsSystem(
      context,
      async (writing) => {
        await users.create({ ...user.details, email, password: hash }, 'not asked', writing);
        const result: Value = await postSignUp({ ...user.details, email }, writing);
        return { email, confirmed: true, result };
      },
      { waits: postSignUpWaits(context.plan), decides: 'by queries' },
    );

  return {
    async signUp(user, context) {
      if (!options.signup) throw error('access-denied', { detail: 'Sign-up is closed.' });
      const email = emailOf(user.email);
      await checked(user.password, email);
      const hash = await passwords.hash(user.password.value);
      return (options.confirm ? signUpToConfirm : signUpAtOnce)(email, user, hash, context);
    },

    async confirmSignUp(account, context) {
      await useCode('confirm', account, context, async (writing, email, tries) => {
        const used = await signUps.use(email, account.code, tries, writing.tx);
        // Whoever reads the mail of an address that is confirmed sets a password as its owner does.
        if (used === undefined || (await users.isConfirmed(email, writing.tx))) return false;
        await users.setPassword(email, used.password, writing);
        return true;
      });
    },

    async login({ email: given, password }, context) {
      const email = emailOf(given);
      const user = await verified({ email, password }, context);
      const session = await writeAsSystem(context, async ({ tx }) => {
        await failures.forgive(email, context.request?.remote, tx);
        return sessions.open(user, tx);
      });
      return tokensOf(session, user.name);
    },

    async refresh(token, context) {
      const done = await writeAsSystem(context, ({ tx }) =>
        sessions.refresh(token, async (email) => ((await users.isDisabled(email, tx)) ? undefined : users.find(email, tx)), tx),
      );
      if (done.kind === 'reused') options.reused(done.email);
      if (done.kind !== 'refreshed') throw error('credentials-invalid');
      const { session } = done;
      const user = await context.store.read((tx) => users.find(session.email, tx));
      return tokensOf(session, user?.name);
    },

    forgotPassword: (given, context) => later('reset-code', { email: emailOf(given) }, context),

    async confirmForgotPassword({ password, ...account }, context) {
      await checked(password, emailOf(account.email));
      const hash = await passwords.hash(password.value);
      await useCode('reset', account, context, async (writing, email, tries) => {
        if (!(await codes.use(email, account.code, tries, writing.tx))) return false;
        await users.setPassword(email, hash, writing);
        await sessions.endAll(email, writing.tx);
        return true;
      });
    },

    resendCode: (given, context) => later('sign-up-code', { email: emailOf(given) }, context),

    async changePassword(change, context) {
      const email = await ownerOf(change, context);
      const user = await verified({ email, password: change.current }, context);
      await checked(change.next, email);
      if (change.next.value === change.current)
        throw invalid([{ attribute: change.next.attribute, code: 'value', message: 'must be another one than before' }]);
      const hash = await passwords.hash(change.next.value);
      await writeAsSystem(context, async (writing) => {
        await failures.forgive(email, context.request?.remote, writing.tx);
        await users.changePassword(user.email, hash, writing);
        await sessions.endAll(email, writing.tx);
      });
      check.forgetAll();
    },

    async logout(session, context) {
      await writeAsSystem(context, ({ tx }) => sessions.end(session, tx));
      check.forgetAll();
    },

    async exchange() {
      // Nobody was given one.
      throw error('code-invalid');
    },

    verify: (token) => check.verify(token),

    later: new Map<string, Later>([
      ['register', register],
      [
        'reset-code',
        async (email, { tx }) => {
          if ((await failures.maySend(email, tx)) && (await users.find(email, tx)) !== undefined)
            await mail('reset', email, await codes.make(email, tx), '', tx);
        },
      ],
      [
        'sign-up-code',
        async (email, { tx, clock }) => {
          const maySend = await failures.maySend(email, tx);
          const isWaiting = (await users.find(email, tx)) !== undefined && !(await users.isConfirmed(email, tx));
          if (maySend && isWaiting) await mailSignUp(email, await signUps.renew(email, tx), clock.now(), tx);
        },
      ],
    ]),
  };

  /** One row, whether there is an account or not, and whether a mail may be sent or not. */
  async function later(kind: string, content: OutboxContent, context: Context): Promise<void> {
    await writeAsSystem(context, ({ tx }) => outbox.add(kind, content, tx));
    outbox.wake();
  }

  async function useCode(
    purpose: CodePurpose,
    { email: given }: WithCode,
    context: Context,
    work: (writing: WriteContext, email: string, tries: number) => Promise<boolean>,
  ): Promise<void> {
    const email = emailOf(given);
    // A wrong try is counted whatever becomes of it.
    const isRight = await writeAsSystem(context, async (writing) =>
      work(writing, email, await failures.tryCode(purpose, email, writing.tx)),
    );
    if (!isRight) throw error('code-invalid');
    check.forgetAll();
  }

  /** By the session of whoever asks, or by the token that was sent in its place. */
  async function ownerOf({ session, token }: PasswordChange, context: Context): Promise<string> {
    const claims = token === undefined ? undefined : ((await tokens.verify(token, 'access')) ?? (await tokens.verify(token, 'id')));
    const id = claims?.session ?? session;
    const email = id === undefined ? undefined : await check.ownerOf(id, context.store);
    if (email === undefined) throw error('unauthenticated', { challenge: 'invalid_token' });
    return email;
  }
}
