// What a user sends, in the form of either surface, and a mail server that keeps what it is given.

import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';
import type { Answer, Served } from '../support/app.ts';
import { until } from '../support/time.ts';

export const password = 'correct horse battery';
export const model = `module m
entity Post { id Int @id, title String @optional }
workflow whoami { auth.user }
`;

export interface Account {
  readonly email: string;
  readonly password?: string;
  readonly [name: string]: unknown;
}

/** The requests of a user, each as a surface writes it. */
export interface Client {
  readonly surface: 'current' | 'earlier';
  signUp(account: Account): Promise<Answer>;
  confirm(email: string, code: string): Promise<Answer>;
  login(email: string, password: string, headers?: Headers): Promise<Answer>;
  refresh(token: string): Promise<Answer>;
  forgot(email: string): Promise<Answer>;
  reset(email: string, code: string, password: string): Promise<Answer>;
  resend(email: string): Promise<Answer>;
  change(bearer: Headers, current: string, next: string): Promise<Answer>;
  logout(bearer: Headers): Promise<Answer>;
  posts(bearer: Headers): Promise<Answer>;
}

type Headers = Readonly<Record<string, string>>;

export function clientOf(served: Served, surface: 'current' | 'earlier'): Client {
  const send = (name: string, body: object, headers: Headers = {}) => served.post(`/platform.auth/${name}`, body, headers);
  const keyed = (path: string, event: string, body: object, headers: Headers = {}) =>
    served.post(path, { [`Platform.Kernel.Identity/${event}`]: body }, headers);
  if (surface === 'current')
    return {
      surface,
      signUp: (account) => send('signup', account),
      confirm: (email, confirmationCode) => send('confirmSignup', { email, confirmationCode }),
      login: (email, secret, headers) => send('login', { email, password: secret }, headers),
      refresh: (refreshToken) => send('refreshToken', { refreshToken }),
      forgot: (email) => send('forgotPassword', { email }),
      reset: (email, confirmationCode, newPassword) => send('confirmForgotPassword', { email, confirmationCode, newPassword }),
      resend: (email) => send('resendConfirmationCode', { email }),
      change: (bearer, current, newPassword) => send('changePassword', { password: current, newPassword }, bearer),
      logout: (bearer) => send('logout', {}, bearer),
      posts: (bearer) => served.get('/m/Post', bearer),
    };
  return {
    surface,
    signUp: (account) => keyed('/signup', 'SignUp', { User: { 'Platform.Kernel.Identity/User': upper(account) } }),
    confirm: (Username, ConfirmationCode) => keyed('/confirm-sign-up/', 'ConfirmSignUp', { Username, ConfirmationCode }),
    login: (Username, Password, headers) => keyed('/login/', 'UserLogin', { Username, Password }, headers),
    refresh: (RefreshToken) => keyed('/refresh-token', 'RefreshToken', { RefreshToken }),
    forgot: (Username) => keyed('/forgot-password', 'ForgotPassword', { Username }),
    reset: (Username, ConfirmationCode, Password) =>
      keyed('/confirm-forgot-password', 'ConfirmForgotPassword', { Username, ConfirmationCode, Password }),
    resend: (Username) => keyed('/resend-confirmation-code', 'ResendConfirmationCode', { Username }),
    change: ({ authorization = '' }, CurrentPassword, NewPassword) =>
      keyed('/change-password', 'ChangePassword', { AccessToken: authorization.slice('Bearer '.length), CurrentPassword, NewPassword }),
    logout: (bearer) => served.ask({ method: 'POST', target: '/logout', headers: bearer }),
    posts: (bearer) => served.get('/api/m/Post', bearer),
  };
}

function upper(values: object): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, value]));
}

export function bearerOf(answer: Answer): Headers {
  return { authorization: `Bearer ${tokenOf(answer, 'id-token')}` };
}

export function tokenOf({ body, text }: Answer, name: string): string {
  const token: unknown = Reflect.get(Object(body), name);
  if (typeof token !== 'string') throw new Error(`no ${name} in ${text}`);
  return token;
}

export interface MailServer {
  readonly port: number;
  /** To this address, in the order in which they came. */
  to(email: string): readonly string[];
  /** The code of the mail with this number, which is waited for. */
  code(email: string, number?: number): Promise<string>;
}

/** A real one; what it refuses is asked with each mail. */
export async function mailServer(refuses: () => Error | undefined = () => undefined): Promise<MailServer> {
  const mails: { readonly to: string; readonly text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ username = '' }, _, done) => done(null, { user: username }),
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const refused = refuses();
        if (refused === undefined)
          for (const { address } of envelope.rcptTo)
            mails.push({ to: address, text: Buffer.concat(pieces).toString().replaceAll('=\r\n', '') });
        done(refused);
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  const to = (email: string) => mails.filter((each) => each.to === email).map(({ text }) => text);
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    to,
    async code(email, number = 1) {
      await until(() => to(email).length >= number);
      const found = /Your code: (\d{8})/.exec(to(email)[number - 1] ?? '')?.[1];
      if (found === undefined) throw new Error(`no code in ${to(email)[number - 1]}`);
      return found;
    },
  };
}

export function mailSettings({ port }: MailServer) {
  return { host: '127.0.0.1', port, secure: false, username: undefined, password: undefined, from: 'Service <service@example.com>' };
}

/** What is done after answers is done, mails are sent. */
export async function outboxEmptied({ kept }: Served): Promise<void> {
  await until(async () => (await kept.rows('SELECT 1 FROM "__platform_outbox"')).length === 0);
}

/** As authenticator apps show it: another one. */
export function wrongCode(code: string): string {
  return String((Number(code) + 1) % 10 ** 8).padStart(8, '0');
}
