// Who is signed in: the token is kept in memory, what renews it in the storage of the tab.

import { useSyncExternalStore } from 'react';
import { settings } from './settings.ts';

const key = 'platform.refresh';
const verifierKey = 'platform.verifier';
let token: string | undefined;
let renewing: Promise<boolean> | undefined;
const listeners = new Set<() => void>();

export function bearer(): string | undefined {
  return token;
}

/** Whether somebody is signed in; always where nobody has to. */
export function useSignedIn(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => !settings.authentication || token !== undefined,
  );
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
export async function authenticate(name: AuthPath, body: Body): Promise<unknown> {
  const form = (settings.surface === 'earlier' ? earlierForms[name] : undefined)?.(body) ?? { path: `/platform.auth/${name}`, body };
  const response = await fetch(form.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(form.body),
  });
  const text = await response.text();
  const answer: unknown = text === '' ? undefined : JSON.parse(text);
  if (response.ok) return answer;
  const { detail, message } = Object(Array.isArray(answer) ? answer[0] : answer);
  throw Object.assign(new Error(String(detail ?? message ?? `The service answered ${response.status}.`)), { status: response.status });
}

export async function signIn(email: string, password: string): Promise<void> {
  accept(await authenticate('login', { email, password }));
}

export function signOut(): void {
  if (token !== undefined) authenticate('logout', {}).catch(() => undefined);
  token = undefined;
  sessionStorage.removeItem(key);
  tell();
}

/** Gets another token for the one that has expired; once for all who ask meanwhile. */
export function renewed(): Promise<boolean> {
  const refreshToken = sessionStorage.getItem(key);
  if (refreshToken === null) return Promise.resolve(false);
  renewing ??= authenticate('refreshToken', { refreshToken })
    .then(accept)
    .then(
      () => true,
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

/** Sends the browser to another service, which sends it back to the console with a code. */
export async function signInAt(provider: string): Promise<void> {
  const verifier = base64(crypto.getRandomValues(new Uint8Array(32)));
  sessionStorage.setItem(verifierKey, verifier);
  const challenge = base64(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
  location.assign(`/auth?${new URLSearchParams({ provider, redirect: '/console', challenge })}`);
}

/** At the start of the page: what is left of an earlier visit, or what another service has sent along. */
export async function resumeSession(): Promise<string | undefined> {
  const given = new URLSearchParams(location.search);
  const code = given.get('code');
  const verifier = sessionStorage.getItem(verifierKey);
  const failure = given.get('error');
  sessionStorage.removeItem(verifierKey);
  if (code !== null || failure !== null) history.replaceState(null, '', location.pathname);
  if (code !== null && verifier !== null) {
    try {
      accept(await authenticate('exchange', { code, verifier }));
      return undefined;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
  await renewed().catch(() => false);
  return failure ?? undefined;
}

function accept(answer: unknown): void {
  const tokens = Object(Array.isArray(answer) ? Object(answer[0]).result : answer);
  const { 'id-token': id, 'refresh-token': refresh } = tokens;
  if (typeof id !== 'string') throw new Error('The service gave no token.');
  token = id;
  if (typeof refresh === 'string') sessionStorage.setItem(key, refresh);
  tell();
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
