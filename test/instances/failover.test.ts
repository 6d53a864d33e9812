// The primary goes and its standby takes its place; connections are ended, cut, reset, held up: nothing acknowledged is lost.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { open, type Served } from '../support/app.ts';
import { postgresSettings, queryAt } from '../support/postgres.ts';
import { type RunningServer, startServer } from '../support/postgres-server.ts';
import { pause } from '../support/time.ts';
import { type Way, wayTo } from '../support/way.ts';
import { isLong } from './instances.ts';

const failovers = isLong ? 20 : 2;
const kills = isLong ? 200 : 15;
const faults = isLong ? 20 : 1;

const model = `module shop
entity Note { id String @id }
entity Part { no Int @id }
relationship NotePart contains(Note, Part)`;

const state: { primary?: RunningServer; way?: Way; served?: Served; readonly servers: Set<RunningServer> } = { servers: new Set() };

beforeAll(async () => {
  state.primary = await startServer({ durable: true, settings: ['wal_keep_size=512MB'] });
  state.servers.add(state.primary);
  state.way = await wayTo(state.primary.port);
  // A connection that does not answer is given up 5 seconds after the time of a statement.
  const settings = postgresSettings('postgres', { port: state.way.port, statementTimeout: 2, prepare: true });
  state.served = await open(model, { store: settings });
  await state.served.post('/shop/Note', { id: 'first' });
}, 120_000);
afterAll(async () => {
  await state.served?.close();
  await state.way?.close();
  for (const each of state.servers) await each.stop();
});

function standing(): { primary: RunningServer; way: Way; served: Served } {
  const { primary, way, served } = state;
  if (primary === undefined || way === undefined || served === undefined) throw new Error('only inside a test');
  return { primary, way, served };
}

const on = ({ port }: RunningServer, sql: string) => queryAt({ port, dbname: 'postgres' }, sql);

interface Load {
  readonly acknowledged: readonly string[];
  readonly refused: ReadonlySet<number>;
  readonly reads: readonly number[];
  /** How often each of those that read was answered. */
  answered(): readonly number[];
  stop(): Promise<void>;
}

/** Some write one note after the other, some read. */
function load(served: Served, prefix: string): Load {
  const acknowledged: string[] = [];
  const refused = new Set<number>();
  const reads: number[] = [];
  const running = { on: true };
  const write = async (writer: number): Promise<void> => {
    for (let number = 0; running.on; number += 1) {
      const id = `${prefix}-${writer}-${number}`;
      const { status } = await served.post('/shop/Note', writer % 2 === 0 ? { id } : { id, NotePart: [{ no: 1 }] });
      if (status === 201) acknowledged.push(id);
      else refused.add(status);
      if (status !== 201) await pause(10);
    }
  };
  const counts = [0, 0];
  const read = async (target: string, index: number): Promise<void> => {
    while (running.on) {
      reads.push((await served.get(target)).status);
      counts[index] = (counts[index] ?? 0) + 1;
      await pause(5);
    }
  };
  const loops = [0, 1, 2, 3].map(write).concat(['/shop/Note?@limit=5', `/shop/Note/first?@tree=true`].map(read));
  return {
    acknowledged,
    refused,
    reads,
    answered: () => [...counts],
    async stop() {
      running.on = false;
      await Promise.all(loops);
    },
  };
}

/** A number of writes more are acknowledged. */
async function more({ acknowledged }: Load): Promise<void> {
  const before = acknowledged.length;
  await expect.poll(() => acknowledged.length, { timeout: 60_000, interval: 20 }).toBeGreaterThan(before + 20);
}

async function missing(server: RunningServer, ids: readonly string[]): Promise<readonly string[]> {
  const there = new Set((await on(server, 'SELECT id FROM "shop/Note"')).map((row) => row['id']));
  return ids.filter((id) => !there.has(id));
}

/** A commit is answered when the standby has it on disk: what was acknowledged is there when it takes over. */
async function followed(primary: RunningServer): Promise<RunningServer> {
  const standby = await primary.follow();
  state.servers.add(standby);
  await on(primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await on(primary, 'SELECT pg_reload_conf()');
  const states = () => on(primary, 'SELECT sync_state AS s FROM pg_stat_replication');
  await expect.poll(states, { timeout: 30_000 }).toEqual([{ s: 'sync' }]);
  return standby;
}

describe('fail-over', () => {
  test(`a standby takes over ${failovers} times, from a primary that died or from one that takes no writes any more: only 503 in the gap, nothing acknowledged is lost, nothing is written to the old one`, async () => {
    const gaps: number[] = [];
    for (let round = 0; round < failovers; round += 1) {
      const { primary, way, served } = standing();
      const standby = await followed(primary);
      const running = load(served, `round${round}`);
      await more(running);
      const dies = round % 2 === 0;
      if (dies) await primary.crash();
      else {
        await on(primary, 'ALTER SYSTEM SET default_transaction_read_only = on');
        await on(primary, 'SELECT pg_reload_conf()');
      }
      await on(standby, 'SELECT pg_promote()');
      way.lead(standby.port);
      const began = performance.now();
      await expect
        .poll(async () => (await served.post('/shop/Note', { id: `back${round}` })).status, { timeout: 60_000, interval: 20 })
        .toBe(201);
      gaps.push(performance.now() - began);
      const left = dies ? [] : await on(primary, 'SELECT id FROM "shop/Note"');
      await more(running);
      await running.stop();
      state.primary = standby;
      expect([...running.refused].filter((status) => status !== 503)).toEqual([]);
      expect(running.reads.filter((status) => status !== 503 && status !== 200)).toEqual([]);
      expect(await missing(standby, running.acknowledged)).toEqual([]);
      if (!dies) expect(await on(primary, 'SELECT id FROM "shop/Note"')).toHaveLength(left.length);
      await primary.crash();
    }
    if (isLong) process.stdout.write(`longest gap until a write was taken: ${Math.max(...gaps).toFixed(0)} ms\n`);
  }, 900_000);
});

describe('connections', () => {
  test(`the server ends a connection ${kills} times: what only reads is asked again, what writes is 503 and not done twice`, async () => {
    const { primary, served } = standing();
    const running = load(served, 'kill');
    for (let round = 0; round < kills; round += 1) {
      await on(
        primary,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'platform' ORDER BY random() LIMIT 1`,
      );
      // One that is hit twice is told so, as a write is: whoever reads now is answered before the next is ended.
      const before = running.answered();
      const least = () => Math.min(...running.answered().map((count, index) => count - (before[index] ?? 0)));
      await expect.poll(least, { interval: 5 }).toBeGreaterThan(1);
    }
    await running.stop();
    expect(running.reads.filter((status) => status !== 200)).toEqual([]);
    expect([...running.refused].filter((status) => status !== 503)).toEqual([]);
    expect(await missing(primary, running.acknowledged)).toEqual([]);
  }, 600_000);

  const cuts: readonly (readonly [title: string, cut: (way: Way) => void])[] = [
    ['cut', (way) => way.cut()],
    ['reset', (way) => way.reset()],
  ];
  for (const [title, cut] of cuts) {
    test(`the network is ${title} ${faults} times: only 503, and nothing acknowledged is lost`, async () => {
      const { primary, way, served } = standing();
      const running = load(served, title);
      for (let round = 0; round < faults; round += 1) {
        await more(running);
        cut(way);
      }
      await more(running);
      await running.stop();
      expect([...running.refused, ...running.reads].filter((status) => status !== 503 && status !== 200)).toEqual([]);
      expect(await missing(primary, running.acknowledged)).toEqual([]);
      expect((await served.get('/ready')).status).toBe(200);
    });
  }

  test(`the other end falls silent ${isLong ? 3 : 1} times: what waits for it is given up, and the service goes on when it is back`, async () => {
    const { way, served } = standing();
    for (let round = 0; round < (isLong ? 3 : 1); round += 1) {
      way.silence(true);
      const began = performance.now();
      const asked = [served.get('/shop/Note/first'), served.post('/shop/Note', { id: `silent${round}` }), served.get('/ready')];
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([503, 503, 503]);
      if (isLong) process.stdout.write(`given up after ${(performance.now() - began).toFixed(0)} ms\n`);
      way.silence(false);
      way.cut();
      expect((await served.get('/shop/Note/first')).status).toBe(200);
      expect([201, 409]).toContain((await served.post('/shop/Note', { id: `silent${round}` })).status);
    }
  }, 300_000);

  const paces: readonly (readonly [title: string, bytes: number, delay: number])[] = [
    ['comes byte by byte', 1, 0],
    ['takes 50 ms longer', 0, 50],
  ];
  for (const [title, bytes, delay] of paces) {
    test(`what the server says ${title}: everything is answered as ever`, async () => {
      const { way, served } = standing();
      way.slow(bytes, delay);
      try {
        for (let round = 0; round < faults; round += 1) {
          const id = `${bytes}-${delay}-${round}`;
          expect((await served.post('/shop/Note', { id, NotePart: [{ no: 1 }, { no: 2 }] })).status).toBe(201);
          expect((await served.get(`/shop/Note/${id}?@tree=true`)).body).toMatchObject({ id, NotePart: [{ no: 1 }, { no: 2 }] });
        }
      } finally {
        way.slow(0, 0);
      }
    });
  }
});
