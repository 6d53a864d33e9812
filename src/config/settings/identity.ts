// The settings of authentication: their rows of the table, and what they and the environment say together.

import type { HostedSettings, IdentitySettings } from '../../identity/identity.ts';
import type { Environment } from '../expression.ts';
import { boolean, integer, listOf, optionalBoolean, type Setting, text } from '../setting.ts';
import { providersRow, redirectOf } from './providers.ts';

export const identityRows = {
  serviceUrl: text(
    'service.url',
    {
      default: undefined,
      description:
        'The public address of the service, `https://shop.example.com`: for links in mails, for the way back from a third-party sign-in, and as the issuer of tokens.',
    },
    'an address such as "https://shop.example.com"',
    (given) => /^https?:\/\/[^\s/?#]+(\/[^\s?#]*[^\s/?#])?$/.test(given) && URL.canParse(given),
  ),
  auth: boolean('auth.enabled', {
    earlier: 'authentication.enabled',
    default: false,
    description: 'Authentication: every path of the application needs a token.',
  }),
  confirm: optionalBoolean('auth.confirm', {
    earlier: 'authentication.confirm',
    default: undefined,
    description: 'Whether a new user confirms the address by a code in a mail. Without it, where a mail server is configured.',
  }),
  signup: boolean('auth.signup', {
    earlier: 'authentication.signup',
    default: true,
    description: 'Whether everybody may sign up; `false`: an admin makes users.',
  }),
  mailHost: text('auth.mail.host', {
    earlier: 'authentication.mail.host',
    default: undefined,
    description: 'Host of the mail server (SMTP). Without it mails are put into the folder `outbox` beside the data.',
    requires: 'auth.mail.from',
  }),
  mailPort: integer(
    'auth.mail.port',
    { min: 1, max: 65_535 },
    { earlier: 'authentication.mail.port', default: 587, description: 'Port of the mail server.', requires: 'auth.mail.host' },
  ),
  mailSecure: boolean('auth.mail.secure', {
    earlier: 'authentication.mail.secure',
    default: false,
    description: 'Whether the connection is encrypted from its start (port 465); otherwise as soon as the server offers it.',
    requires: 'auth.mail.host',
  }),
  mailUsername: text('auth.mail.username', {
    earlier: 'authentication.mail.username',
    default: undefined,
    description: 'Name to sign in with at the mail server.',
    requires: 'auth.mail.password',
  }),
  mailPassword: text('auth.mail.password', {
    earlier: 'authentication.mail.password',
    default: undefined,
    description: 'Password to sign in with at the mail server.',
    requires: 'auth.mail.username',
  }),
  mailFrom: text('auth.mail.from', {
    earlier: 'authentication.mail.from',
    default: undefined,
    description: 'Who mails are from: `Shop <shop@example.com>`.',
    requires: 'auth.mail.host',
  }),
  providers: providersRow,
  redirects: listOf('auth.redirects', 'a list of addresses such as "https://shop.example.com/signed-in"', redirectOf, {
    earlier: 'authentication.redirects',
    default: [],
    description: 'Where a browser may be sent with the code of a third-party sign-in: exactly these addresses.',
    requires: 'auth.providers',
  }),
} as const;

export function identitySettings(value: <T>(row: Setting<T>) => T, environment: Environment): IdentitySettings {
  const [host, from] = [value(identityRows.mailHost), value(identityRows.mailFrom)];
  return {
    confirm: value(identityRows.confirm),
    signup: value(identityRows.signup),
    url: value(identityRows.serviceUrl),
    mail:
      host === undefined || from === undefined
        ? undefined
        : {
            host,
            from,
            port: value(identityRows.mailPort),
            secure: value(identityRows.mailSecure),
            username: value(identityRows.mailUsername),
            password: value(identityRows.mailPassword),
          },
    superuser: superuserOf(environment),
    strict: environment['NODE_ENV'] === 'production',
    providers: value(identityRows.providers),
    redirects: value(identityRows.redirects),
    hosted: hostedSettings(environment),
  };
}

/** An empty variable is one that is not set. */
function superuserOf(environment: Environment): IdentitySettings['superuser'] {
  const { PLATFORM_SUPERUSER_EMAIL: email = '', PLATFORM_SUPERUSER_PASSWORD: password = '' } = environment;
  return email === '' ? undefined : { email, password: password === '' ? undefined : password };
}

/** A hosted user pool is said by the environment alone, under the names that either surface has for it. */
function hostedSettings(environment: Environment): HostedSettings | undefined {
  const given = (...names: readonly string[]): string | undefined =>
    names.map((name) => environment[name]).find((each) => each !== undefined && each !== '');
  const [userPoolId, clientId] = [given('IDP_USER_POOL_ID'), given('IDP_CLIENT_ID')];
  if (userPoolId === undefined && clientId === undefined) return undefined;
  const accessKeyId = given('CLOUD_ACCESS_KEY_ID', 'CLOUD_ACCESS_KEY');
  const secretAccessKey = given('CLOUD_SECRET_ACCESS_KEY', 'CLOUD_SECRET_KEY');
  return {
    userPoolId,
    clientId,
    // The identifier of a pool begins with its region.
    region: given('CLOUD_REGION') ?? userPoolId?.split('_')[0] ?? '',
    endpoint: given('IDP_ENDPOINT'),
    credentials: accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey },
  };
}
