// The earlier surface in a generated client: bodies keyed by types, tagged instances, the envelope; all of it flat for whoever uses the client. Part of the generated file.

import type { Form, Sent } from './form.ts';

export interface EarlierParts {
  /** Which answers stand in the envelope: those to creates and deletes, or all of them. */
  readonly envelope: 'create' | 'all';
  /** The types of the model: what an event creates is keyed by one of them. */
  readonly types: readonly string[];
}

const identityModule = 'Platform.Kernel.Identity';

export function earlierForm({ envelope, types }: EarlierParts): Form {
  const known = new Set(types);
  const one = (value: unknown): unknown => flattened(Array.isArray(value) ? value[0] : value);
  const plain = (value: unknown): unknown => (envelope === 'all' ? unwrapped(value) : value);
  return {
    create: (type, body) => ({ [type]: body }),
    update: (body) => ({ Data: body }),
    call: (name, input) => ({ [name]: input }),
    identity,
    created: (value) => one(unwrapped(value)),
    instance: (value) => one(plain(value)),
    list: (value) => flattened(unwrapped(value)),
    change: flattened,
    result: (isSingle) => (value) => {
      const result = plain(value);
      const isWrapped = result !== value && isSingle && Array.isArray(result);
      return withoutKey(isWrapped ? result[0] : result, known);
    },
  };
}

/** The result in `[{"status": "ok", "result": …}]`; anything else is as it is. */
function unwrapped(value: unknown): unknown {
  const [only, ...others]: readonly unknown[] = Array.isArray(value) ? value : [];
  const isEnvelope = isObjectValue(only) && others.length === 0 && Object.keys(only).length === 2 && only['status'] === 'ok';
  return isEnvelope && 'result' in only ? only['result'] : value;
}

/** What was created last stands under the name of its type. */
function withoutKey(value: unknown, types: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutKey(each, types));
  const [key, ...others] = isObjectValue(value) ? Object.keys(value) : [];
  const isKeyed = isObjectValue(value) && key !== undefined && others.length === 0 && types.has(key) && isObjectValue(value[key]);
  return flattened(isKeyed ? value[key] : value);
}

/** Without tags, and with what is related under the names of the relationships. */
function flattened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(flattened);
  if (!isObjectValue(value)) return value;
  const isTagged = '-*-type-*-' in value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]): readonly (readonly [string, unknown])[] => {
      if (isTagged && (name === 'type-*-tag-*-' || name === '-*-type-*-')) return [];
      if (!isTagged || name !== '->' || !isObjectValue(each)) return [[name, flattened(each)]];
      return Object.entries(each).map(([relationship, related]) => [relationship.slice(relationship.indexOf('/') + 1), flattened(related)]);
    }),
  );
}

function isObjectValue(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const identityNames: Readonly<Record<string, readonly [path: string, event: string]>> = {
  signup: ['/signup', 'SignUp'],
  confirmSignup: ['/confirm-sign-up', 'ConfirmSignUp'],
  login: ['/login', 'UserLogin'],
  refreshToken: ['/refresh-token', 'RefreshToken'],
  forgotPassword: ['/forgot-password', 'ForgotPassword'],
  confirmForgotPassword: ['/confirm-forgot-password', 'ConfirmForgotPassword'],
  resendConfirmationCode: ['/resend-confirmation-code', 'ResendConfirmationCode'],
  changePassword: ['/change-password', 'ChangePassword'],
  exchange: ['/exchange', 'Exchange'],
  logout: ['/logout', 'Logout'],
  ApiKey: [`/api/${identityModule}/ApiKey`, 'ApiKey'],
};

function identity(name: string, body: object): Sent {
  const [path, event] = identityNames[name] ?? [`/${name}`, name];
  const attributes = Object.entries(body).map(([each, value]) => [identityAttribute(name, each), value] as const);
  const given = Object.fromEntries(attributes);
  return {
    path,
    body: { [`${identityModule}/${event}`]: name === 'signup' ? { User: given } : given },
    flat: name === 'ApiKey' ? lowerCased : undefined,
  };
}

function identityAttribute(event: string, name: string): string {
  if (name === 'email' && event !== 'signup') return 'Username';
  if (event === 'changePassword' && name === 'password') return 'CurrentPassword';
  if (event === 'confirmForgotPassword' && name === 'newPassword') return 'Password';
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** An API key with the names that it has on the other surface. */
function lowerCased(value: unknown): unknown {
  const [made]: readonly unknown[] = [flattened(unwrapped(value))].flat();
  return isObjectValue(made)
    ? Object.fromEntries(Object.entries(made).map(([name, each]) => [`${name.charAt(0).toLowerCase()}${name.slice(1)}`, each]))
    : made;
}
