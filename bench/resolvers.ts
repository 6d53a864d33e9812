// `npm run bench:resolvers`: CPU of reading one instance that a resolver of the same process keeps, beside the same one stored, over HTTP in short
// slices in turn. `-- --profile` tells where the time of the resolver's reads goes.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Case } from './cases.ts';
import { Generator } from './generator.ts';
import { inTurn } from './in-turn.ts';
import type { Loaded } from './measure.ts';
import { now, profiled, readProfile } from './profile.ts';
import { RunningServer, root } from './servers.ts';
import { summary } from './summary.ts';

/** A resolver's read should cost at most so much of a stored one. */
const aim = 2;
const rounds = 10;
const sliceMs = 500;
const connections = 16;
const people = 1000;
const kinds = [
  ['a resolver that answers at once', 'AtOnce'],
  ['a resolver that answers by a promise', 'Later'],
] as const;

const { values } = parseArgs({ options: { profile: { type: 'boolean', default: false } } });
const results = join(root, 'bench', 'results');
mkdirSync(results, { recursive: true });
const folder = mkdtempSync(join(results, 'data-'));
const generator = new Generator();
const model = join(root, 'bench', 'resolver-model');
const flags = values.profile ? profiled(folder) : [];
const server = await RunningServer.start('ours', { folder, logLevel: 'warn', model, flags, arguments: ['-c', join(model, 'config.al')] });
try {
  await server.answer('/health');
  const loaded: Loaded = { server, ids: await filled() };
  print('| read one | stored, CPU µs | CPU µs | ratio | aim |\n| --- | --: | --: | --: | --: |');
  const from = now();
  for (const [title, type] of kinds) {
    const requests = [readsOf('Stored'), readsOf(type)] as const;
    const measured = { title, aim, requests, connections, rounds, slice: sliceMs, onlySecond: values.profile };
    print(await inTurn(measured, loaded, generator));
  }
  if (values.profile) {
    const until = now();
    await server.stop();
    for (const line of summary(readProfile(folder), from, until, 100)) print(line);
  }
} finally {
  generator.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function filled(): Promise<readonly string[]> {
  const emails = Array.from({ length: people }, (_, index) => `a${index}@acme.com`);
  const body = JSON.stringify(emails.map((email) => ({ email, name: 'Ann', team: 'one' })));
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${server.port}/m/Stored`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return emails;
}

function readsOf(type: string): Case['requests'] {
  const request = (id: string): string => `GET /m/${type}/${id} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n\r\n`;
  return (ids) => ids.map(request);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
