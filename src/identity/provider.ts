// The seam of identity: who keeps the accounts. One method for each identity event, and one that says whose a bearer token is.

import type { Context } from '../engine/operation.ts';
import type { Awaitable } from '../store/store.ts';
import type { Value } from '../values/value.ts';

export interface IdentityProvider {
  signUp(user: NewUser, context: Context): Promise<SignUpAnswer>;
  confirmSignUp(account: WithCode, context: Context): Promise<void>;
  login(credentials: Credentials, context: Context): Promise<TokenSet>;
  refresh(token: string, context: Context): Promise<TokenSet>;
  forgotPassword(email: string, context: Context): Promise<void>;
  confirmForgotPassword(account: WithCode & { readonly password: NamedPassword }, context: Context): Promise<void>;
  resendCode(email: string, context: Context): Promise<void>;
  changePassword(change: PasswordChange, context: Context): Promise<void>;
  logout(session: string, context: Context): Promise<void>;
  /** The tokens of a sign-in by another service. */
  exchange(exchange: Exchange, context: Context): Promise<TokenSet>;
  /** Whose the token is, where it is valid; `undefined` where it is not. */
  verify(token: string): Awaitable<Identified | undefined>;
}

export interface NewUser {
  readonly email: string;
  readonly password: NamedPassword;
  /** What else is known of the user, as the current surface names it. */
  readonly details: Readonly<Record<string, Value>>;
}

/** A new password, and the attribute that it came in: for whoever has to be told that it is too weak. */
export interface NamedPassword {
  readonly value: string;
  readonly attribute: string;
}

export interface WithCode {
  readonly email: string;
  readonly code: string;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface PasswordChange {
  /** The session of the bearer token, or a token of the session. */
  readonly session: string | undefined;
  readonly token: string | undefined;
  readonly current: string;
  readonly next: NamedPassword;
}

export interface Exchange {
  readonly code: string;
  /** What the challenge that the sign-in was begun with was made of. */
  readonly verifier: string;
}

export interface SignUpAnswer {
  readonly email: string;
  readonly confirmed: boolean;
  /** What the application's own logic made of it, where it ran at once. */
  readonly result?: Value;
}

export interface TokenSet {
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Seconds. */
  readonly expiresIn: number;
}

export interface Identified {
  readonly email: string;
  /** As conditions know it: `auth.id`. */
  readonly id: string;
  readonly roles: readonly string[];
  /** What ends with a logout. */
  readonly session: string;
}
