// The contract of identity, run by every provider: local, with third-party sign-in on top of it, and a hosted user pool.

import { afterAll, beforeAll } from 'vitest';
import { identityContract, type ProviderUnderTest } from '../contracts/identity.ts';
import { serve } from '../support/app.ts';
import { mailServer, mailSettings, model } from './accounts.ts';
import { type CognitoServer, cognitoServer } from './peers/cognito.ts';
import { type OidcPeer, oidcPeer, signedInBy } from './peers/oidc.ts';

const url = 'https://shop.example.com';
const both = ['current', 'earlier'] as const;
let oidc: OidcPeer;
let cognito: CognitoServer;

beforeAll(async () => {
  oidc = await oidcPeer([`${url}/auth/callback`]);
  cognito = await cognitoServer();
});
afterAll(async () => {
  await oidc.close();
  await cognito.stop();
});

async function withMail(auth: object = {}): Promise<Pick<ProviderUnderTest, 'serve' | 'code'>> {
  const mails = await mailServer();
  return {
    serve: (more) => serve(model, { auth: { mail: mailSettings(mails), ...auth, ...more }, surfaces: both }),
    code: (email, number) => mails.code(email, number),
  };
}

identityContract('local', () => withMail());

identityContract('OpenID Connect on top of local, against oidc-provider', async () => {
  const { issuer, clientId, clientSecret } = oidc;
  const providers = [{ name: 'acme', issuer, clientId, clientSecret, scopes: ['openid', 'email'] }];
  const redirect = `${url}/home`;
  const local = await withMail({ url, providers, redirects: [redirect] });
  return { ...local, enter: (served, email) => signedInBy(oidc, served, email, redirect) };
});

identityContract('hosted, against cognito-local but for codes that are sent again, which it does not know', async () => {
  const pool = await cognito.pool();
  return {
    cannot: ['resend'],
    serve: (auth) => serve(model, { auth: { hosted: pool.settings, ...auth }, surfaces: both }),
    code: async () => pool.code,
    confirmed: (email) => pool.verify(email),
  };
});
