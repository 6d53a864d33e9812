// Bearer tokens that nobody was given: made up, changed, signed with other keys or for something else, or too long to be looked at.

import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { listen } from '../support/listen.ts';
import { bearerOf, clientOf, model, password, tokenOf } from './accounts.ts';

const ann = 'ann@example.com';
const minute = 60_000;
const megabyte = 1024 * 1024;

interface Given {
  readonly served: Served;
  readonly clock: TestClock;
  readonly token: string;
}

async function given(): Promise<Given> {
  const clock = testClock();
  const served = await serve(model, { auth: {}, parts: { clock } });
  const user = clientOf(served, 'current');
  await user.signUp({ email: ann, password });
  return { served, clock, token: tokenOf(await user.login(ann, password), 'id-token') };
}

const part = (value: object | string) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const read = (text = '') => Object(JSON.parse(Buffer.from(text, 'base64url').toString()));

function signed(header: object, claims: object | string, key: KeyObject): string {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

/** Each is the answer to all of them, whatever is wrong. */
async function refused(served: Served, tokens: readonly (readonly [string, string])[]): Promise<void> {
  const refusals = new Set<string>();
  for (const [name, each] of tokens) {
    const answer = await served.get('/m/Post', { authorization: `Bearer ${each}` });
    expect([name, answer.status, answer.headers['www-authenticate']]).toEqual([name, 401, 'Bearer error="invalid_token"']);
    refusals.add(answer.text);
  }
  expect(refusals.size).toBe(1);
  expect(served.failures).toEqual([]);
}

test('a token that was not signed here is refused without a word about why, and nothing that it names is fetched', async () => {
  const { served, token } = await given();
  const [head = '', body = '', signature = ''] = token.split('.');
  const [header, claims] = [read(head), read(body)];
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(String(request.url));
    response.end(JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }));
  });
  const port = await listen(server);
  const at = `http://127.0.0.1:${port}`;
  const { keys } = Object((await served.get('/.well-known/jwks.json')).body);
  const mac = (key: string | Buffer, alg: string) => {
    const text = `${part({ ...header, alg })}.${body}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  const own = { ...publicKey.export({ format: 'jwk' }), kid: header.kid };
  const zeros = (alg: string, bytes: number) => `${part({ ...header, alg })}.${body}.${Buffer.alloc(bytes).toString('base64url')}`;
  const twice = `{"sub":"root@example.com","email":"root@example.com",${JSON.stringify(claims).slice(1)}`;
  expect((await served.get('/m/Post', { authorization: `Bearer ${token}` })).status).toBe(200);
  await refused(served, [
    ['none', `${part({ ...header, alg: 'none' })}.${body}.`],
    ['None', `${part({ ...header, alg: 'None' })}.${body}.${signature}`],
    ['nOnE without a signature', `${part({ ...header, alg: 'nOnE' })}.${body}.`],
    ['the algorithm in other letters', `${part({ ...header, alg: 'eddsa' })}.${body}.${signature}`],
    ['no algorithm', `${part({ typ: 'JWT', kid: header.kid })}.${body}.${signature}`],
    ['no signature', `${head}.${body}.`],
    ['no third part', `${head}.${body}`],
    ['cut signature', token.slice(0, -4)],
    ['a signature of zeros', zeros('EdDSA', 64)],
    ['ES256 with r = s = 0', zeros('ES256', 64)],
    ['ES384 with r = s = 0', zeros('ES384', 96)],
    ['ES512 with r = s = 0', zeros('ES512', 132)],
    ['RS256 with a signature of zeros', zeros('RS256', 256)],
    ['HS256 with the public key', mac(Buffer.from(String(keys[0].x), 'base64url'), 'HS256')],
    ['HS256 with the key as text', mac(JSON.stringify(keys[0]), 'HS256')],
    ['HS256 without a key', mac('', 'HS256')],
    ["a key of one's own", signed(header, claims, privateKey)],
    ['a key in the header', signed({ ...header, jwk: own }, claims, privateKey)],
    ['the address of keys', signed({ ...header, jku: `${at}/jku` }, claims, privateKey)],
    ['the address of a certificate', signed({ ...header, x5u: `${at}/x5u` }, claims, privateKey)],
    ['an address as the key', signed({ ...header, kid: `${at}/kid` }, claims, privateKey)],
    ['another issuer, who has keys', signed(header, { ...claims, iss: at }, privateKey)],
    ['a path as the key', signed({ ...header, kid: '../../../../dev/null' }, claims, privateKey)],
    ['SQL as the key', signed({ ...header, kid: `x' OR '1'='1` }, claims, privateKey)],
    ['the key by which the service derives codes', signed({ ...header, kid: 'secret' }, claims, privateKey)],
    ['no key', signed({ alg: 'EdDSA', typ: 'JWT' }, claims, privateKey)],
    ['other claims', `${head}.${part({ ...claims, email: 'root@example.com' })}.${signature}`],
    ['claims that stand there twice', `${head}.${part(twice)}.${signature}`],
    ['a huge time', `${head}.${part({ ...claims, exp: 1e300 })}.${signature}`],
    ['another header', `${part({ ...header, crit: ['x'] })}.${body}.${signature}`],
    ['an encrypted one', `${part({ alg: 'dir', enc: 'A256GCM' })}....`],
    ['long', `${head}.${'A'.repeat(8000)}.${signature}`],
    ['words', 'hello'],
    ['dots', '...'],
  ]);
  expect(asked).toEqual([]);
});

test('nor is one that the key of the service signed for something else', async () => {
  const { served, token } = await given();
  const [head, body] = token.split('.');
  const [header, claims] = [read(head), read(body)];
  const rows = await served.kept.rows('SELECT * FROM "__platform_keys"');
  const stored = rows.map((each) => Object(each)).find(({ id }) => id === header.kid);
  const key = createPrivateKey({ key: JSON.parse(stored.secret), format: 'jwk' });
  const { exp: _, ...endless } = claims;
  const { sid: __, ...withoutSession } = claims;
  expect((await served.get('/m/Post', { authorization: `Bearer ${signed(header, claims, key)}` })).status).toBe(200);
  await refused(served, [
    ['another issuer', signed(header, { ...claims, iss: 'https://other.example.com' }, key)],
    ['another audience', signed(header, { ...claims, aud: 'another application' }, key)],
    ['another type', signed({ ...header, typ: 'at+jwt' }, claims, key)],
    ['no type', signed({ alg: header.alg, kid: header.kid }, claims, key)],
    ['another use', signed(header, { ...claims, token_use: 'access' }, key)],
    ['expired', signed(header, { ...claims, exp: claims.iat - 1 }, key)],
    ['no end', signed(header, endless, key)],
    ['an end that is no number', signed(header, { ...claims, exp: 'never' }, key)],
    ['not valid yet', signed(header, { ...claims, nbf: claims.iat + 3600 }, key)],
    ['no session', signed(header, withoutSession, key)],
    ['a session that there is not', signed(header, { ...claims, sid: 'x' }, key)],
    ['claims that are no object', signed(header, '[]', key)],
    ['something that must be understood', signed({ ...header, crit: ['b64'], b64: false }, claims, key)],
  ]);
});

test('nor is one of another application, or of another issuer', async () => {
  const { served, token } = await given();
  const other = await serve(model, { auth: { url: 'https://other.example.com' } });
  expect((await other.get('/m/Post', { authorization: `Bearer ${token}` })).status).toBe(401);
  expect((await served.get('/m/Post', { authorization: `Bearer ${token}` })).status).toBe(200);
});

test('nor one that has expired', async () => {
  const { served, clock } = await given();
  const user = clientOf(served, 'current');
  const bearer = bearerOf(await user.login(ann, password));
  clock.advance(15 * minute - 1000);
  expect((await user.posts(bearer)).status).toBe(200);
  clock.advance(1000);
  expect((await user.posts(bearer)).status).toBe(401);
});

test.each(['Basic YTpi', 'Bearer', 'Bearer a b', 'bearer\tx', 'Token x', ''])('%j is no bearer token', async (authorization) => {
  const { served } = await given();
  expect((await served.get('/m/Post', { authorization })).status).toBe(401);
});

test('a token of 10 MiB is not looked at: in a header it is 431 before most of it was sent, in a body 413', async () => {
  const { served, token } = await given();
  const [address = ''] = await served.app.listen();
  const port = Number(new URL(address).port);
  const head = `GET /m/Post HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}`;
  const sent = await sendUntilAnswered(port, head, 10 * megabyte);
  expect(sent.answer).toMatch(/^HTTP\/1\.1 431 /);
  expect(sent.taken).toBeLessThan(8 * megabyte);
  const long = 'A'.repeat(10 * megabyte);
  const direct = await served.get('/m/Post', { authorization: `Bearer ${token}${long}` });
  expect([direct.status, direct.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ refreshToken: long });
  const posted = await fetch(`${address}/platform.auth/refreshToken`, { method: 'POST', headers, body });
  expect(posted.status).toBe(413);
  expect((await served.get('/m/Post', { authorization: `Bearer ${token}` })).status).toBe(200);
  expect(served.failures).toEqual([]);
});

/** Sends a head that does not end, until there is an answer; how much of it the other side took by then. */
async function sendUntilAnswered(port: number, head: string, bytes: number): Promise<{ readonly answer: string; readonly taken: number }> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket.on('data', (piece) => {
    answer += piece.toString();
  });
  const closed = new Promise<void>((resolve) => socket.on('error', () => resolve()).on('close', () => resolve()));
  socket.write(head);
  const piece = 'A'.repeat(64 * 1024);
  for (let sent = 0; sent < bytes && answer === '' && socket.writable; sent += piece.length)
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
  const taken = socket.bytesWritten;
  await closed;
  return { answer, taken };
}
