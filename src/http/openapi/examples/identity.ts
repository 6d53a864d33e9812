// Examples of the identity paths: what one user sends, from the sign-up on, and is answered.

import type { JsonSchema } from '../../../model/types/attribute-type.ts';
import { exampleTime, exampleUuid } from './values.ts';

interface Exchange {
  /** Flat, as the current surface takes it. */
  readonly sent: JsonSchema;
  readonly answered: JsonSchema;
}

const email = 'ann@example.com';
const [password, newPassword] = ['correct horse battery', 'another long password'];
const confirmationCode = '12345678';

/** Of the form that they have, and of no service. */
const tokens = {
  'id-token': 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbm5AZXhhbXBsZS5jb20ifQ.c2lnbmF0dXJl',
  'access-token': 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbm5AZXhhbXBsZS5jb20ifQ.c2lnbmF0dXJl',
  'refresh-token': 'Zm9yIHRoZSBuZXh0IHRva2Vucw',
  'expires-in': 900,
};

/** Where the address is not to be confirmed, a sign-up is answered with what was sent but for the password. */
export const signedUpAtOnce: JsonSchema = { email, name: 'Ann' };

/** By the name of the event on the current surface. */
export const identityExchanges = {
  signup: { sent: { email, password, name: 'Ann' }, answered: { email, confirmed: false } },
  confirmSignup: { sent: { email, confirmationCode }, answered: { email, confirmed: true } },
  login: { sent: { email, password }, answered: tokens },
  refreshToken: { sent: { refreshToken: tokens['refresh-token'] }, answered: tokens },
  forgotPassword: { sent: { email }, answered: { email } },
  confirmForgotPassword: { sent: { email, confirmationCode, newPassword: password }, answered: { email, changed: true } },
  resendConfirmationCode: { sent: { email }, answered: { email } },
  changePassword: { sent: { password, newPassword }, answered: { changed: true } },
  exchange: { sent: { code: 'Y29kZQ', verifier: 'dmVyaWZpZXI' }, answered: tokens },
  logout: { sent: {}, answered: { ended: true } },
} as const satisfies Readonly<Record<string, Exchange>>;

/** By their names on the current surface. */
export type IdentityEvent = keyof typeof identityExchanges;

export const meExample: JsonSchema = { id: '5d0f7b2c-4b61-4a0e-9b7e-0d2f6c1a9e34', email, name: 'Ann', roles: [] };

export const keySetExample: JsonSchema = {
  keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'eA', kid: exampleUuid, alg: 'EdDSA', use: 'sig' }],
};

export const apiKeyExchange: Exchange = {
  sent: { name: 'nightly' },
  answered: { id: exampleUuid, name: 'nightly', owner: email, roles: null, expires: null, created: exampleTime, key: 'pk_bmlnaHRseQ' },
};

/** What the earlier surface calls otherwise than with an upper-case letter. */
const earlierNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  confirmSignup: { email: 'Username' },
  login: { email: 'Username' },
  forgotPassword: { email: 'Username' },
  confirmForgotPassword: { email: 'Username', newPassword: 'Password' },
  resendConfirmationCode: { email: 'Username' },
  changePassword: { password: 'CurrentPassword' },
};

/** As the earlier surface takes the event: keyed by its name. */
export function earlierSent(event: IdentityEvent, name: string): JsonSchema {
  const { sent } = identityExchanges[event];
  const spelled = spelledEarlier(sent, earlierNames[event]);
  return { [name]: event === 'signup' ? { User: spelled } : spelled };
}

export function spelledEarlier(values: JsonSchema, names: Readonly<Record<string, string>> = {}): JsonSchema {
  const upper = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [names[name] ?? upper(name), value]));
}
