// `platform run --workers n`: several processes on one port; one that dies is replaced; a signal ends all of them well.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort, platform, workspace } from '../cli/harness.ts';
import { counted } from '../support/form.ts';
import { until } from '../support/time.ts';
import { caller, fleet } from './instances.ts';

/** Processes that start at once: each takes a second of a processor. */
const atOnce = counted({ long: 5, short: 3 });

const shared = fleet();

describe('platform run --workers', () => {
  test('serves from several processes, replaces one that dies, and ends with 0 at a signal', async () => {
    const port = await freePort();
    const running = platform(shared().folder, 'run', '--port', String(port), '--workers', '2');
    await running.until(/ at http/);
    expect(running.said().match(/ at http/g)?.length).toBe(1);
    const workers = await seen(port, 2);
    process.kill(Number(workers[0]), 'SIGKILL');
    await running.until(/another one takes its place/);
    const after = await seen(port, 2, workers[0]);
    expect(after).toContain(workers[1]);
    running.child.kill('SIGTERM');
    expect(await running.exit, running.said()).toBe(0);
  });

  test(`${atOnce} that start at once on an empty database run one migration, and all serve`, async () => {
    await shared().rows('CREATE DATABASE fresh');
    const config = { store: storeOn(shared().database.port, 'fresh'), log: { level: 'error' } };
    const place = workspace({ 'src/a.al': 'module a\nentity A { id Int @id }\n', 'config.al': JSON.stringify(config) });
    try {
      const all = Array.from({ length: atOnce }, () => platform(place.folder, 'run', '--port', '0'));
      for (const each of all) await each.until(/ at http/);
      const ports = all.map((each) => Number(/:(\d+)/.exec(each.said())?.[1]));
      const statuses = await Promise.all(ports.map((port, index) => once(port, index)));
      expect(statuses).toEqual(all.map(() => 201));
      for (const each of all) {
        each.child.kill('SIGTERM');
        expect(await each.exit, each.said()).toBe(0);
      }
    } finally {
      place.remove();
    }
  });

  test('a model that is changed meanwhile is not taken up by the one that takes the place of another', async () => {
    await shared().rows('CREATE DATABASE changed');
    const config = { store: storeOn(shared().database.port, 'changed'), log: { level: 'error' } };
    const place = workspace({ 'src/a.al': 'module a\nentity A { id Int @id, x Int @optional }\n', 'config.al': JSON.stringify(config) });
    try {
      const port = await freePort();
      const running = platform(place.folder, 'run', '--port', String(port), '--workers', '2');
      await running.until(/ at http/);
      const workers = await seen(port, 2);
      writeFileSync(join(place.folder, 'src/a.al'), 'module a\nentity A { id Int @id, y Int @optional @was("x") }\n');
      process.kill(Number(workers[0]), 'SIGKILL');
      await running.until(/the model was changed since the service was started/);
      expect(await once(port, 1)).toBe(201);
      running.child.kill('SIGTERM');
      expect(await running.exit, running.said()).toBe(0);
    } finally {
      place.remove();
    }
  });

  test('is refused on the embedded store, which belongs to one process', async () => {
    const place = workspace({ 'src/a.al': 'module a\nentity A { id Int @id }\n' });
    try {
      const running = platform(place.folder, 'run', '--port', '0', '--workers', '2');
      expect(await running.exit).toBe(1);
      expect(running.said()).toContain('--workers needs a store of type postgres');
    } finally {
      place.remove();
    }
  });
});

function storeOn(port: number, dbname: string): object {
  return { type: 'postgres', host: '127.0.0.1', port, username: 'postgres', password: 'postgres', dbname };
}

async function once(port: number, id: number): Promise<number | undefined> {
  const asking = caller(port, 1);
  try {
    return await asking.ask('POST', '/a/A', { id });
  } finally {
    asking.close();
  }
}

/** Identifiers of the processes that answer, asked on new connections until there are so many, without one that is known to be gone. */
async function seen(port: number, count: number, gone?: string): Promise<readonly string[]> {
  const found = new Set<string>();
  await until(async () => {
    const process = await processAt(port);
    if (process !== undefined && process !== gone) found.add(process);
    return found.size >= count;
  });
  return [...found];
}

/** As its own figures tell it; nothing while nobody answers. */
async function processAt(port: number): Promise<string | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } });
    return /process_pid (\d+)/.exec(await response.text())?.[1];
  } catch {
    return undefined;
  }
}
