// A real service that speaks the API of a hosted user pool, `cognito-local`, in a process of its own; and one that answers what it was told to.

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import {
  AdminAddUserToGroupCommand,
  AdminRemoveUserFromGroupCommand,
  AdminUpdateUserAttributesCommand,
  CognitoIdentityProviderClient,
  CreateGroupCommand,
  CreateUserPoolClientCommand,
  CreateUserPoolCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { HostedSettings } from '../../../src/identity/identity.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { listen } from '../../support/listen.ts';
import { freePort } from '../../support/ports.ts';

/** Any key: nobody looks at it. */
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

export interface CognitoPeer {
  readonly settings: HostedSettings;
  /** Of every mail. */
  readonly code: string;
  /** What the mail with the code does in the service that this one stands for. */
  verify(email: string): Promise<void>;
  join(email: string, group: string): Promise<void>;
  leave(email: string, group: string): Promise<void>;
}

export interface CognitoServer {
  /** A new one, without users. */
  pool(): Promise<CognitoPeer>;
  stop(): Promise<void>;
}

export async function cognitoServer(): Promise<CognitoServer> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const code = '123456';
  const start = createRequire(import.meta.url).resolve('cognito-local/lib/bin/start.js');
  const child = spawn(process.execPath, [start], {
    cwd: temporaryFolder(),
    env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', CODE: code },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text: Buffer) => text.includes('running on') && resolve());
    child.once('exit', () => reject(new Error('cognito-local has ended')));
  });
  const client = new CognitoIdentityProviderClient({ region: 'local', endpoint, credentials });
  return {
    pool: () => newPool(client, endpoint, code),
    async stop() {
      client.destroy();
      child.kill();
      await ended;
    },
  };
}

async function newPool(client: CognitoIdentityProviderClient, endpoint: string, code: string): Promise<CognitoPeer> {
  const pool = await client.send(
    new CreateUserPoolCommand({ PoolName: 'test', UsernameAttributes: ['email'], AutoVerifiedAttributes: ['email'] }),
  );
  const userPoolId = pool.UserPool?.Id;
  const made = await client.send(new CreateUserPoolClientCommand({ UserPoolId: userPoolId, ClientName: 'test' }));
  const user = (Username: string) => ({ UserPoolId: userPoolId, Username });
  const groups = new Set<string>();
  return {
    settings: { userPoolId, clientId: made.UserPoolClient?.ClientId, region: 'local', endpoint, credentials: undefined },
    code,
    async verify(email) {
      const UserAttributes = Object.entries({ email, email_verified: 'true' }).map(([Name, Value]) => ({ Name, Value }));
      await client.send(new AdminUpdateUserAttributesCommand({ ...user(email), UserAttributes }));
    },
    async join(email, GroupName) {
      if (!groups.has(GroupName)) await client.send(new CreateGroupCommand({ UserPoolId: userPoolId, GroupName }));
      groups.add(GroupName);
      await client.send(new AdminAddUserToGroupCommand({ ...user(email), GroupName }));
    },
    async leave(email, GroupName) {
      await client.send(new AdminRemoveUserFromGroupCommand({ ...user(email), GroupName }));
    },
  };
}

/** What one operation answers: an object as it is, a text as the error of that name, a number as that status. */
type Said = object | string | number;

export interface StubPool {
  readonly settings: HostedSettings;
  /** By operation: `SignUp`. */
  readonly says: Map<string, Said>;
  /** Operations and what was sent with them, in their order. */
  readonly asked: { readonly operation: string; readonly body: unknown }[];
  /** An id-token as the pool writes it, with these claims in place of its own. */
  token(claims: Readonly<Record<string, unknown>>, use?: 'id' | 'access'): Promise<string>;
  keysAre(there: boolean): void;
}

/** One for all pools of a file: which key it is tells nothing, and to make one takes long. */
const keyPair = generateKeyPair('RS256');

/** Answers over real HTTP as the documentation of the API says; no answer was recorded of a real pool. */
export async function stubPool(withCredentials = false): Promise<StubPool> {
  const says = new Map<string, Said>();
  const asked: StubPool['asked'][number][] = [];
  const { privateKey, publicKey } = await keyPair;
  const key = { ...(await exportJWK(publicKey)), kid: 'stub', alg: 'RS256', use: 'sig' };
  let hasKeys = true;
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(hasKeys ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [key] }));
      return;
    }
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      asked.push({ operation, body: JSON.parse(Buffer.concat(pieces).toString()) });
      const said = says.get(operation) ?? {};
      const status = typeof said === 'number' ? said : typeof said === 'string' ? 400 : 200;
      const body = typeof said === 'string' ? { __type: said.split(' ')[0], message: said.split(' ').slice(1).join(' ') } : said;
      response
        .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(typeof body === 'number' ? {} : body));
    });
  });
  const port = await listen(server);
  const endpoint = `http://127.0.0.1:${port}`;
  const [userPoolId, clientId] = ['eu-west-1_stub', 'client'];
  return {
    settings: { userPoolId, clientId, region: 'eu-west-1', endpoint, credentials: withCredentials ? credentials : undefined },
    says,
    asked,
    async token(claims, use = 'id') {
      const now = Math.floor(Date.now() / 1000);
      const own = {
        sub: 'subject-1',
        token_use: use,
        auth_time: now,
        origin_jti: 'login-1',
        jti: crypto.randomUUID(),
        iat: now,
        exp: now + 3600,
      };
      const named = use === 'id' ? { aud: clientId, email: 'ann@example.com', email_verified: true } : { client_id: clientId };
      return new SignJWT({ iss: `${endpoint}/${userPoolId}`, ...own, ...named, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'stub' })
        .sign(privateKey);
    },
    keysAre(there) {
      hasKeys = there;
    },
  };
}
