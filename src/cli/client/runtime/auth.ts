// Identity in a generated client. Part of the generated file.

import { type Connection, tokensOf } from './connection.ts';
import type { Auth, CallOptions } from './types.ts';

export function authOf(connection: Connection): Auth {
  const post = (name: string, given: object, { signal }: CallOptions = {}, isOpen = true): Promise<unknown> =>
    connection.read({ method: 'POST', ...connection.form.identity(name, given), signal, isOpen });
  const done = async (name: string, body: object, options?: CallOptions, isOpen = true): Promise<void> => {
    await post(name, body, options, isOpen);
  };
  const enter = async (name: string, body: object, options?: CallOptions) => {
    const tokens = tokensOf(await post(name, body, options));
    connection.keep(tokens);
    return tokens;
  };
  return {
    signup: (account, options) => post('signup', account, options),
    confirmSignup: (confirmation, options) => done('confirmSignup', confirmation, options),
    login: (credentials, options) => enter('login', credentials, options),
    exchange: (exchange, options) => enter('exchange', exchange, options),
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
    createApiKey: ({ ...key }, { signal } = {}) => connection.read({ method: 'POST', ...connection.form.identity('ApiKey', key), signal }),
    me: ({ signal } = {}) => connection.read({ method: 'GET', path: '/platform.auth/me', signal, isSafe: true }),
  };
}
