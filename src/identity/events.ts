// Identity events, as each surface names them and their attributes, and what the provider does for each.

import type { Caller } from '../engine/caller.ts';
import type { EventHandler, EventHandlers } from '../engine/handlers.ts';
import type { Context } from '../engine/operation.ts';
import { error } from '../errors.ts';
import { isObject } from '../plan/rows/attribute.ts';
import { objectOf } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';
import type { IdentityProvider, NewUser, SignUpAnswer, TokenSet } from './provider.ts';

export type Given = { readonly [name: string]: Value };

/** How a surface spells what it answers. */
export interface Spelling {
  readonly module: string;
  named(name: string): string;
}

const current: Spelling = { module: 'platform.auth', named: (name) => name };
const earlier: Spelling = { module: 'Platform.Kernel.Identity', named: (name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}` };

export const spellings = { current, earlier } as const;

/** The provider is there when the first event is. */
export function identityHandlers(provider: () => IdentityProvider): EventHandlers {
  const handlers = new Map<string, EventHandler>();
  const add = (spelling: Spelling, name: string, work: (given: Given, context: Context) => Promise<Value>): void => {
    handlers.set(`${spelling.module}/${name}`, { transaction: 'own', waits: true, handle: work });
  };
  const both = (
    names: readonly [string, string],
    attributes: readonly [current: readonly string[], earlier: readonly string[]],
    work: (values: readonly string[], spelling: Spelling, context: Context) => Promise<Value>,
  ): void => {
    for (const [index, spelling] of [current, earlier].entries())
      add(spelling, names[index] ?? '', (given, context) =>
        work(
          (attributes[index] ?? []).map((each) => textOf(given[each])),
          spelling,
          context,
        ),
      );
  };

  add(current, 'signup', async (given, context) => signedUp(await provider().signUp(newUser(given, current, ''), context), given, current));
  add(earlier, 'SignUp', async ({ User: user = null }, context) => {
    const given = isObject(user) ? user : {};
    return signedUp(await provider().signUp(newUser(given, earlier, 'User.'), context), given, earlier);
  });
  const withCode = [
    ['email', 'confirmationCode'],
    ['Username', 'ConfirmationCode'],
  ] as const;
  both(['confirmSignup', 'ConfirmSignUp'], withCode, async ([email = '', code = ''], spelling, context) => {
    await provider().confirmSignUp({ email, code }, context);
    return answer({ email, confirmed: true }, spelling);
  });
  both(
    ['login', 'UserLogin'],
    [
      ['email', 'password'],
      ['Username', 'Password'],
    ],
    async ([email = '', password = ''], _, context) => tokenMap(await provider().login({ email, password }, context)),
  );
  both(['refreshToken', 'RefreshToken'], [['refreshToken'], ['RefreshToken']], async ([token = ''], _, context) =>
    tokenMap(await provider().refresh(token, context)),
  );
  both(['forgotPassword', 'ForgotPassword'], [['email'], ['Username']], async ([email = ''], spelling, context) => {
    await provider().forgotPassword(email, context);
    return answer({ email }, spelling);
  });
  both(
    ['confirmForgotPassword', 'ConfirmForgotPassword'],
    [
      ['email', 'confirmationCode', 'newPassword'],
      ['Username', 'ConfirmationCode', 'Password'],
    ],
    async ([email = '', code = '', value = ''], spelling, context) => {
      const attribute = spelling === current ? 'newPassword' : 'Password';
      await provider().confirmForgotPassword({ email, code, password: { value, attribute } }, context);
      return answer({ email, changed: true }, spelling);
    },
  );
  both(['resendConfirmationCode', 'ResendConfirmationCode'], [['email'], ['Username']], async ([email = ''], spelling, context) => {
    await provider().resendCode(email, context);
    return answer({ email }, spelling);
  });
  both(
    ['changePassword', 'ChangePassword'],
    [
      ['password', 'newPassword', ''],
      ['CurrentPassword', 'NewPassword', 'AccessToken'],
    ],
    async ([currentPassword = '', value = '', token = ''], spelling, context) => {
      const next = { value, attribute: spelling.named('newPassword') };
      refuseApiKey(context);
      const session = sessionOf(context.caller);
      await provider().changePassword({ session, token: token === '' ? undefined : token, current: currentPassword, next }, context);
      return answer({ changed: true }, spelling);
    },
  );
  both(
    ['exchange', 'Exchange'],
    [
      ['code', 'verifier'],
      ['Code', 'Verifier'],
    ],
    async ([code = '', verifier = ''], _, context) => tokenMap(await provider().exchange({ code, verifier }, context)),
  );
  both(['logout', 'Logout'], [[], []], async (_, spelling, context) => {
    refuseApiKey(context);
    const session = sessionOf(context.caller);
    if (session === undefined) throw error('unauthenticated');
    await provider().logout(session, context);
    return answer({ ended: true }, spelling);
  });
  return handlers;
}

/** Some things only a user does who has signed in. */
export function refuseApiKey({ caller }: Context): void {
  if (caller.kind === 'user' && caller.token === undefined) throw error('access-denied', { detail: 'An API key may not do this.' });
}

function newUser(given: Given, { named }: Spelling, prefix: string): NewUser {
  const details = Object.fromEntries(
    ['name', 'firstName', 'lastName', 'userData'].flatMap((name) => {
      const value = given[named(name)];
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
  const password = { value: textOf(given[named('password')]), attribute: `${prefix}${named('password')}` };
  return { email: textOf(given[named('email')]), password, details };
}

/** What the application's own logic gave, else what is known of the user: never the password. */
function signedUp({ email, confirmed, result }: SignUpAnswer, given: Given, spelling: Spelling): Value {
  if (!confirmed) return answer({ email, confirmed }, spelling);
  if (result !== undefined && result !== null) return result;
  const shown = Object.entries(given).filter(([name, value]) => name !== spelling.named('password') && value !== null);
  return objectOf([...shown.map(([name, value]): [string, Value] => [name, name === spelling.named('email') ? email : value])]);
}

export function answer(values: Given, { named }: Spelling): Value {
  return objectOf(Object.entries(values).map(([name, value]) => [named(name), value]));
}

function tokenMap({ idToken, accessToken, refreshToken, expiresIn }: TokenSet): Value {
  return objectOf([
    ['id-token', idToken],
    ['access-token', accessToken],
    ['refresh-token', refreshToken],
    ['expires-in', expiresIn],
  ]);
}

export function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : '';
}

function sessionOf(caller: Caller): string | undefined {
  return caller.kind === 'user' ? caller.token : undefined;
}
