// Tokens of another service, which it signs with an elliptic curve: taken where they are its own, and from nobody who has changed them on the way.

import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../support/app.ts';
import { oidcPeer, signedInBy } from './peers/oidc.ts';

const url = 'https://shop.example.com';
const model = 'module m\nentity Post { id Int @id }\n';

/** A sign-in by a service whose tokens are changed like this before they are sent. */
async function signedInWith(changed?: (token: string) => string) {
  const peer = await oidcPeer([`${url}/auth/callback`], { algorithm: 'ES256', ...(changed === undefined ? {} : { changed }) });
  onTestFinished(() => peer.close());
  const { issuer, clientId, clientSecret } = peer;
  const providers = [{ name: 'acme', issuer, clientId, clientSecret, scopes: ['openid', 'email'] }];
  const served = await serve(model, { auth: { url, providers, redirects: [`${url}/home`] } });
  return { peer, served };
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const read = (text = '') => Object(JSON.parse(Buffer.from(text, 'base64url').toString()));
const [own, other] = [generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('rsa', { modulusLength: 2048 })];
const ownJwk = own.publicKey.export({ format: 'jwk' });

function es256(header: object, claims: object): string {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key: own.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

function withSignature(token: string, signature: Buffer): string {
  return `${token.slice(0, token.lastIndexOf('.'))}.${signature.toString('base64url')}`;
}

test('a service that signs with ES256 signs users in', async () => {
  const { peer, served } = await signedInWith((token) => {
    expect(read(token.split('.')[0])).toMatchObject({ alg: 'ES256', kid: 'elliptic' });
    return token;
  });
  const answer = await signedInBy(peer, served, 'ann@example.com', `${url}/home`);
  expect([answer.status, answer.text.includes('id-token')]).toEqual([200, true]);
  const bearer = { authorization: `Bearer ${Object(answer.body)['id-token']}` };
  expect((await served.get('/platform.auth/me', bearer)).body).toMatchObject({ email: 'ann@example.com' });
});

/** The order of the curve P-256: a signature of it and of multiples of it is as little one as that of zeros. */
const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');

const forged: readonly (readonly [title: string, changed: (token: string) => string])[] = [
  ['r = s = 0', (token) => withSignature(token, Buffer.alloc(64))],
  ['r and s are the order of the curve', (token) => withSignature(token, Buffer.concat([order, order]))],
  ['a signature in another form', (token) => withSignature(token, Buffer.from('3006020100020100', 'hex'))],
  ['no signature', (token) => withSignature(token, Buffer.alloc(0))],
  ['none', (token) => `${part({ alg: 'none' })}.${token.split('.')[1]}.`],
  [
    'HS256 with the secret of the client',
    (token) => {
      const text = `${part({ alg: 'HS256' })}.${token.split('.')[1]}`;
      return `${text}.${createHmac('sha256', 'a secret of the client').update(text).digest('base64url')}`;
    },
  ],
  [
    'HS256 with a public key',
    (token) => {
      const text = `${part({ alg: 'HS256', kid: 'elliptic' })}.${token.split('.')[1]}`;
      const key = createPublicKey({ key: ownJwk, format: 'jwk' }).export({ format: 'pem', type: 'spki' });
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
    },
  ],
  ['another key under the same name', (token) => es256({ alg: 'ES256', kid: 'elliptic' }, read(token.split('.')[1]))],
  ['another key in the header', (token) => es256({ alg: 'ES256', jwk: ownJwk }, read(token.split('.')[1]))],
  [
    'RS256 with a key that the service does not have',
    (token) => {
      const text = `${part({ alg: 'RS256', kid: 'elliptic' })}.${token.split('.')[1]}`;
      return `${text}.${sign('sha256', Buffer.from(text), other.privateKey).toString('base64url')}`;
    },
  ],
  [
    'other claims',
    (token) => {
      const [header, claims, signature] = token.split('.');
      return `${header}.${part({ ...read(claims), email: 'root@example.com', email_verified: true })}.${signature}`;
    },
  ],
];

test.each(forged)('a token is refused: %s', async (_, changed) => {
  const { peer, served } = await signedInWith(changed);
  const answer = await signedInBy(peer, served, 'ann@example.com', `${url}/home`);
  expect([answer.status, Object(answer.body).code]).toEqual([401, 'credentials-invalid']);
  expect(await served.kept.rows('SELECT * FROM "__platform_subjects"')).toEqual([]);
});
