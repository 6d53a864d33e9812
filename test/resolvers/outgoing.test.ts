// Where requests to other systems may lead: the address that is connected to is the one that was checked, whatever names lead to meanwhile.

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer, type LookupFunction } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readDocument } from '../../src/config/openapi-documents.ts';
import { isOwnAddress, isOwnNetwork, Outgoing } from '../../src/outgoing.ts';
import { serverOf } from '../../src/resolvers/openapi/server.ts';
import { temporaryFolder } from '../support/folder.ts';
import { listen } from '../support/listen.ts';

async function otherSystem(): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  const port = await listen(server);
  return { port, asked };
}

/** A name server that gives one answer after the other, and the last again and again. */
function nameServer(...answers: readonly string[]): { readonly lookup: LookupFunction; readonly asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    const address = answers[Math.min(asked.length, answers.length - 1)] ?? '';
    asked.push(hostname);
    const family = address.includes(':') ? 6 : 4;
    if (all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
  return { lookup, asked };
}

function opened(base: URL, options: ConstructorParameters<typeof Outgoing>[1]): Outgoing {
  const outgoing = new Outgoing(base, options);
  onTestFinished(() => outgoing.close());
  return outgoing;
}

const own = [
  ...['127.0.0.1', '127.9.9.9', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe', '::127.0.0.1', 'fe80::1', 'fe80::1%eth0', 'fd00:ec2::254'],
  ...['fc00::1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '2002:7f00:1::', '224.0.0.1', '255.255.255.255', 'ff02::1'],
];
const foreign = ['8.8.8.8', '172.32.0.1', '100.128.0.1', '192.169.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'];

test('addresses of the own network are told from others in every form, also by what an address of the other family stands for', () => {
  expect(own.filter((each) => !isOwnAddress(each))).toEqual([]);
  expect(foreign.filter((each) => isOwnAddress(each))).toEqual([]);
});

test('a name leads to an address of the own network only where the address that is written down is one, or allows it', async () => {
  const { port, asked } = await otherSystem();
  for (const address of own) {
    const names = nameServer(address);
    const base = new URL(`http://people.example.com:${port}/`);
    await expect(opened(base, { lookup: names.lookup }).fetch(base), address).rejects.toThrow('leads to an address of the own network');
  }
  expect(asked).toEqual([]);
  for (const [host, ownNetwork] of [
    ['people.example.com', true],
    ['people', false],
    ['people.internal', false],
    ['localhost', false],
  ] as const) {
    const base = new URL(`http://${host}:${port}/`);
    expect((await opened(base, { lookup: nameServer('127.0.0.1').lookup, ownNetwork }).fetch(base)).status, host).toBe(200);
  }
});

test('a name that leads elsewhere the second time it is asked for is refused then: what was checked is what is connected to', async () => {
  const { port, asked } = await otherSystem();
  // An address of documentation, where nobody answers, then this machine.
  const names = nameServer('203.0.113.1', '127.0.0.1');
  const base = new URL(`http://people.example.com:${port}/`);
  const outgoing = opened(base, { lookup: names.lookup });
  await expect(outgoing.fetch(base, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
  expect(names.asked).toHaveLength(1);
  await expect(outgoing.fetch(base)).rejects.toThrow('leads to an address of the own network (127.0.0.1)');
  expect(names.asked).toHaveLength(2);
  expect(asked).toEqual([]);
});

test('a connection that is closed without an answer is a failure, also where the other system has switched to another protocol', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (sent) => {
      const isSwitched = String(sent).startsWith('GET /switch');
      socket.end(isSwitched ? 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n' : '');
    });
  });
  const port = await listen(server);
  const base = new URL(`http://127.0.0.1:${port}/`);
  const outgoing = opened(base, {});
  await expect(outgoing.fetch(new URL('/switch', base))).rejects.toThrow('closed without an answer');
  await expect(outgoing.fetch(new URL('/close', base))).rejects.toThrow('socket hang up');
});

/** As URLs read them: other bases of numbers, fewer parts, addresses of IPv6 with those of IPv4 inside. */
const written = [
  ...[
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    '0',
    '169.254.169.254',
    '0xa9fea9fe',
    '10.0.0.1',
    'localhost',
    'LOCALHOST.',
  ],
  ...[
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:169.254.169.254]',
    '[fe80::1]',
    '[fd12::1]',
    '[64:ff9b::7f00:1]',
    'printer.local',
    'db',
  ],
];

test('a document names no server of the own network, however that is written', () => {
  for (const host of written) {
    const { hostname } = new URL(`http://${host}/`);
    expect([host, isOwnNetwork(hostname)]).toEqual([host, true]);
    expect(() => serverOf({ servers: [{ url: `http://${host}/v1` }] }, { spec: 'pets.json' }), host).toThrow('of the own network');
  }
  expect(serverOf({ servers: [{ url: 'http://8.8.8.8/v1' }] }, { spec: 'pets.json' }).href).toBe('http://8.8.8.8/v1');
});

const hasOpenssl = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!hasOpenssl)(
  'a document that is fetched with encryption is not fetched without it, nor from another host (needs openssl)',
  async () => {
    const plain = await otherSystem();
    const folder = temporaryFolder();
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const options = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
    execFileSync('openssl', ['req', '-x509', ...options, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      const host = request.url === '/same' ? 'localhost' : '127.0.0.1';
      response.writeHead(302, { location: `http://${host}:${plain.port}/pets.json` }).end();
    });
    const port = await listen(server, 'localhost');
    // Nobody has signed the certificate of the test but itself.
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    onTestFinished(() => {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    });
    await expect(readDocument(`https://localhost:${port}/same`, folder)).rejects.toThrow('it leads to a place without encryption');
    await expect(readDocument(`https://localhost:${port}/other`, folder)).rejects.toThrow('it leads to another host');
    expect(plain.asked).toEqual([]);
  },
);
