// Identity in a generated client. Part of the generated file.

import { type Connection, tokensOf } from './connection.ts';
import type { Auth, CallOptions } from './types.ts';

export function authOf(connection: Connection): Auth {
  const post = (name: string, body: unknown, { signal }: CallOptions = {}, isOpen = true): Promise<unknown> =>
    connection.read({ method: 'POST', path: `/platform.auth/${name}`, body, signal, isOpen });
  const done = async (name: string, body: unknown, options?: CallOptions, isOpen = true): Promise<void> => {
    await post(name, body, options, isOpen);
  };
  return {
    signup: (account, options) => post('signup', account, options),
    confirmSignup: (confirmation, options) => done('confirmSignup', confirmation, options),
    async login(credentials, options) {
      const tokens = tokensOf(await post('login', credentials, options));
      connection.keep(tokens);
      return tokens;
    },
    async logout(options) {
      try {
        await done('logout', {}, options, false);
      } finally {
        connection.keep(undefined);
      }
    },
    refresh: () => connection.refresh(),
    forgotPassword: (account, options) => done('forgotPassword', account, options),
    confirmForgotPassword: (reset, options) => done('confirmForgotPassword', reset, options),
    resendConfirmationCode: (account, options) => done('resendConfirmationCode', account, options),
    changePassword: (change, options) => done('changePassword', change, options, false),
    me: ({ signal } = {}) => connection.read({ method: 'GET', path: '/platform.auth/me', signal, isSafe: true }),
  };
}
