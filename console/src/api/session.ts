// Who is signed in: the token is kept in memory, what renews it in the storage of the tab.

import { useSyncExternalStore } from 'react';
import { settings } from './settings.ts';

const key = 'platform.refresh';
const verifierKey = 'platform.verifier';
/** What the page at `/graphql` keeps of what was written. */
export const writtenKey = 'platform.graphql';
let token: string | undefined;
let renewing: Promise<boolean> | undefined;
/** Whose page it is, also while the session has ended and nobody has signed in again. */
let email: string | undefined;
let isExpired = false;
let life = new AbortController();
const listeners = new Set<() => void>();

/** `expired`: the page stays as it is, with what was typed, until its user has signed in again. */
export type SessionState = 'in' | 'out' | 'expired';

export function bearer(): string | undefined {
  return token;
}

/** Always `in` where nobody has to sign in. */
export function useSession(): SessionState {
  return useSyncExternalStore(subscribe, () => {
    if (!settings.authentication || token !== undefined) return 'in';
    return isExpired ? 'expired' : 'out';
  });
}

/** Changes when another user signs in: nothing of what the one before saw may stay. */
export function useSessionUser(): string | undefined {
  return useSyncExternalStore(subscribe, () => email);
}

/** Aborted when its user has signed out, or another has signed in. */
export function sessionEnd(): AbortSignal {
  return life.signal;
}

function endLife(): void {
  life.abort();
  life = new AbortController();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export type AuthPath = 'login' | 'refreshToken' | 'forgotPassword' | 'confirmForgotPassword' | 'logout' | 'exchange';

const earlierForms: Readonly<Partial<Record<AuthPath, (body: Body) => { readonly path: string; readonly body: unknown }>>> = {
  login: ({ email, password }) => earlier('/login', 'UserLogin', { Username: email, Password: password }),
  refreshToken: ({ refreshToken }) => earlier('/refresh-token', 'RefreshToken', { RefreshToken: refreshToken }),
  forgotPassword: ({ email }) => earlier('/forgot-password', 'ForgotPassword', { Username: email }),
  confirmForgotPassword: ({ email, confirmationCode, newPassword }) =>
    earlier('/confirm-forgot-password', 'ConfirmForgotPassword', {
      Username: email,
      ConfirmationCode: confirmationCode,
      Password: newPassword,
    }),
  logout: () => ({ path: '/logout', body: {} }),
};

type Body = Readonly<Record<string, string>>;

function earlier(path: string, event: string, body: object) {
  return { path, body: { [`Platform.Kernel.Identity/${event}`]: body } };
}

/** The answer of an identity path, or its words where it refuses. */
export async function authenticate(name: AuthPath, body: Body, bearer = token): Promise<unknown> {
  const form = (settings.surface === 'earlier' ? earlierForms[name] : undefined)?.(body) ?? { path: `/platform.auth/${name}`, body };
  const response = await fetch(form.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(bearer ? { authorization: `Bearer ${bearer}` } : {}) },
    body: JSON.stringify(form.body),
  }).catch(() => {
    throw Object.assign(new Error('The service cannot be reached.'), { status: 0 });
  });
  const text = await response.text();
  // What stands before the service may answer with a page of its own.
  const answer: unknown = /json/.test(response.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : undefined;
  if (response.ok) return answer;
  const { detail, message } = Object(Array.isArray(answer) ? answer[0] : answer);
  throw Object.assign(new Error(String(detail ?? message ?? `The service answered ${response.status}.`)), { status: response.status });
}

export async function signIn(email: string, password: string): Promise<void> {
  accept(await authenticate('login', { email, password }));
}

/** Takes a token, or an API key, that its owner has at hand. */
export function signInWith(given: string): void {
  token = given;
  tell();
}

export function signOut(): void {
  const [last, refreshToken] = [token, sessionStorage.getItem(key)];
  endSession(last, refreshToken).catch(() => undefined);
  sessionStorage.removeItem(key);
  sessionStorage.removeItem(writtenKey);
  token = undefined;
  email = undefined;
  isExpired = false;
  endLife();
  tell();
}

/** A token that has expired ends no session: then what renews it gets one that does. */
async function endSession(last: string | undefined, refreshToken: string | null): Promise<void> {
  try {
    if (last !== undefined) {
      await authenticate('logout', {}, last);
      return;
    }
  } catch (thrown) {
    if (Object(thrown).status !== 401) throw thrown;
  }
  if (refreshToken !== null) await authenticate('logout', {}, tokensIn(await authenticate('refreshToken', { refreshToken }, '')).id);
}

/** The service knows the session no more. What is shown and typed stays. */
export function expireSession(): void {
  if (token === undefined) return;
  token = undefined;
  isExpired = true;
  tell();
}

/** Gets another token for the one that has expired; once for all who ask meanwhile. */
export function renewed(): Promise<boolean> {
  const refreshToken = sessionStorage.getItem(key);
  if (refreshToken === null) return Promise.resolve(false);
  renewing ??= authenticate('refreshToken', { refreshToken })
    .then((answer) => {
      // Whoever has signed out meanwhile stays signed out.
      if (sessionStorage.getItem(key) === refreshToken) accept(answer);
    })
    .then(
      () => token !== undefined,
      (thrown: unknown) => {
        // Only a refusal ends the session: a service that starts anew, or is busy, is asked again.
        if (Object(thrown).status !== 401) throw thrown;
        sessionStorage.removeItem(key);
        return false;
      },
    )
    .finally(() => {
      renewing = undefined;
    });
  return renewing;
}

/** Sends the browser to another service, which sends it back to this page with a code. */
export async function signInAt(provider: string): Promise<void> {
  // Browsers hash on secure pages alone.
  if (crypto.subtle === undefined) throw new Error(`Signing in with ${provider} needs https.`);
  const verifier = base64(crypto.getRandomValues(new Uint8Array(32)));
  sessionStorage.setItem(verifierKey, verifier);
  const challenge = base64(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
  location.assign(`/auth?${new URLSearchParams({ provider, redirect: `/${location.pathname.split('/')[1]}`, challenge })}`);
}

/** At the start of the page: what is left of an earlier visit, or what another service has sent along. */
export async function resumeSession(): Promise<string | undefined> {
  const given = new URLSearchParams(location.search);
  const code = given.get('code');
  const verifier = sessionStorage.getItem(verifierKey);
  const failure = given.get('error');
  sessionStorage.removeItem(verifierKey);
  // Without a verifier nobody was sent to another service: then these are filters of a page.
  const isSentBack = verifier !== null && (code !== null || failure !== null);
  if (isSentBack) {
    history.replaceState(null, '', location.pathname);
    window.dispatchEvent(new PopStateEvent('popstate'));
  }
  if (code !== null && verifier !== null) {
    try {
      accept(await authenticate('exchange', { code, verifier }));
      return undefined;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
  await renewed().catch(() => false);
  return isSentBack ? (failure ?? undefined) : undefined;
}

function accept(answer: unknown): void {
  const { id, refresh } = tokensIn(answer);
  const before = email;
  token = id;
  email = emailIn(id);
  if (before !== undefined && before !== email) endLife();
  isExpired = false;
  if (refresh !== undefined) sessionStorage.setItem(key, refresh);
  tell();
}

function tokensIn(answer: unknown): { readonly id: string; readonly refresh: string | undefined } {
  const { 'id-token': id, 'refresh-token': refresh } = Object(Array.isArray(answer) ? Object(answer[0]).result : answer);
  if (typeof id !== 'string') throw new Error('The service gave no token.');
  return { id, refresh: typeof refresh === 'string' ? refresh : undefined };
}

/** As the token names its user; it is checked by the service alone. */
function emailIn(id: string): string | undefined {
  const text = atob((id.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'));
  const claims: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (each) => each.charCodeAt(0))));
  const found: unknown = Object(claims).email;
  return typeof found === 'string' ? found : undefined;
}

function tell(): void {
  for (const listener of listeners) listener();
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
