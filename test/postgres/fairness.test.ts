// One address with two hundred connections does not take those to the server from the others.

import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { otherTransaction } from '../support/postgres.ts';

const model = `module m
entity Slow { id Int @id, name String }
entity Calm { id Int @id, name String }
event look { name String }
workflow look { {Slow {name? look.name}} }
event glance { name String }
workflow glance { {Calm {name? glance.name}} }`;

const connections = 200;
const pool = 10;

interface Call {
  readonly target: string;
  readonly body?: object;
}

const list: Call = { target: '/m/Calm?name=x' };
const slowList: Call = { target: '/m/Slow?name=x' };
const workflow: Call = { target: '/m/glance', body: { name: 'x' } };
const slowWorkflow: Call = { target: '/m/look', body: { name: 'x' } };

/** How a caller appears to the service: by the address that its connections come from, or by what a proxy says of it. */
type Appearance = (address: string) => { readonly localAddress?: string; readonly headers?: OutgoingHttpHeaders };
const bySocket: Appearance = (address) => ({ localAddress: address });
const byProxy: Appearance = (address) => ({ headers: { 'x-forwarded-for': `203.0.113.9, ${address}` } });

/** A caller with so many connections, on each of which one request at a time is under way. */
function callerAt(base: string, appearance: ReturnType<Appearance>, sockets: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  onTestFinished(() => agent.destroy());
  return ({ target, body }: Call): Promise<number> =>
    new Promise((resolve, reject) => {
      const { headers, ...from } = appearance;
      const sent = request(`${base}${target}`, {
        ...from,
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      });
      sent.once('error', reject).once('response', (response) => {
        response.once('error', reject).once('end', () => resolve(response.statusCode ?? 0));
        response.resume();
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

/** Whatever reads `Slow` takes until the test ends. */
async function lockSlow(served: Served): Promise<void> {
  const other = await otherTransaction(served);
  await other.query('LOCK TABLE "m/Slow" IN ACCESS EXCLUSIVE MODE');
}

const waitingForLock = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

async function countSlow({ kept }: Served): Promise<number> {
  const [row] = await kept.rows(`SELECT count(*)::int AS n ${waitingForLock}`);
  return Number(row?.['n']);
}

/** Each connection asks for something small, and then for what takes long, again and again. */
async function attack(ask: (call: Call) => Promise<number>, slow: Call): Promise<void> {
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  const each = async (): Promise<void> => {
    while (!isOver) await ask(slow);
  };
  await Promise.all(Array.from({ length: connections }, () => ask({ target: '/m/Calm/1' })));
  // Those that are under way when the test ends are cut.
  for (let at = 0; at < connections; at += 1) void each().catch(() => {});
}

/** The last one is kept for an address that has none, also where there has been no other one before. */
const most = pool - 1;

const rows: readonly [title: string, appearance: Appearance, slow: Call, honest: Call][] = [
  ['by addresses, lists', bySocket, slowList, list],
  ['by addresses, workflows', bySocket, slowWorkflow, workflow],
  ['by what a trusted proxy says, lists', byProxy, slowList, list],
];
for (const [title, appearance, slow, honest] of rows) {
  // Other systems give a machine one local address only.
  test.skipIf(appearance === bySocket && process.platform !== 'linux')(
    `beside ${connections} connections of one address with slow requests, another address waits for none of them to end: ${title}`,
    async () => {
      const served = await serve(model, { store: 'postgres', postgres: { pool }, trustProxy: appearance === byProxy });
      const [base = ''] = await served.app.listen();
      await served.post('/m/Calm', { id: 1, name: 'x' });
      await lockSlow(served);
      const attacker = callerAt(base, appearance('127.0.0.1'), connections);
      const other = callerAt(base, appearance('127.0.0.2'), 1);
      await attack(attacker, slow);
      await vi.waitUntil(async () => (await countSlow(served)) === most, 60_000);
      // None of the slow ones can end before the lock does.
      for (let count = 0; count < 20; count += 1) expect(await other(honest)).toBe(200);
      expect(await countSlow(served)).toBe(most);
    },
  );
}
