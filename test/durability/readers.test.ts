// Processes that read the embedded store: what they are told by others, and what happens to who has asked them, whatever becomes of them.

import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ensureBuilt, freePort, platform, type Running, type Workspace, workspace } from '../cli/harness.ts';
import { until } from '../support/time.ts';

const rows = 2100;

let place: Workspace;
beforeAll(() => ensureBuilt());
beforeEach(() => {
  place = workspace({
    'src/notes.al': 'module notes\n\nentity Note { id Int @id, text String }\n',
    'config.al': '{"service": {"limits": {"timeout": 2}}, "store": {"type": "sqlite", "dbname": "notes.db"}, "log": {"level": "warn"}}',
  });
});
afterEach(() => place.remove());

interface Started {
  readonly running: Running;
  readonly url: string;
  /** Asks what a process reads; gives the status and the code of a refusal. */
  ask(): Promise<string>;
  /** The process that has read first. */
  readonly reader: number;
}

async function started(): Promise<Started> {
  const port = await freePort();
  const running = platform(place.folder, 'run', '--port', String(port));
  await running.until(/ at http/);
  const url = `http://127.0.0.1:${port}`;
  const body = JSON.stringify(Array.from({ length: rows }, (_, id) => ({ id, text: `note ${id}` })));
  const made = await fetch(`${url}/notes/Note`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(made.status).toBe(201);
  const ask = async (): Promise<string> => {
    const answer = await fetch(`${url}/notes/Note?text=note%207`);
    const found: unknown = await answer.json();
    return answer.status === 200 ? JSON.stringify(found) : `${answer.status} ${String(Reflect.get(Object(found), 'code'))}`;
  };
  expect(await ask()).toBe('[{"id":7,"text":"note 7"}]');
  const [reader = 0] = readersOf(running);
  expect(readersOf(running)).toHaveLength(1);
  return { running, url, ask, reader };
}

function readersOf({ child }: Running): readonly number[] {
  return readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    .split(' ')
    .filter((each) => each !== '')
    .map(Number);
}

/** Asks a reader that is stopped; the answer stands out when this is over. */
async function asked({ url, ask, reader }: Started): Promise<{ readonly answer: Promise<string> }> {
  process.kill(reader, 'SIGSTOP');
  const answer = ask();
  await until(async () => /^http_requests_in_flight 2$/m.test(await (await fetch(`${url}/metrics`)).text()));
  return { answer };
}

async function stop({ running }: Started): Promise<void> {
  running.child.kill('SIGTERM');
  expect(await running.exit).toBe(0);
}

const onLinux = test.skipIf(process.platform !== 'linux');

onLinux('where a process that reads is killed, who asked it is told that the store failed, and the next one is answered', async () => {
  const service = await started();
  const { answer } = await asked(service);
  process.kill(service.reader, 'SIGKILL');
  expect(await answer).toBe('503 store-failed');
  expect(await Promise.all([service.ask(), service.ask(), service.ask()])).toEqual(Array(3).fill('[{"id":7,"text":"note 7"}]'));
  await stop(service);
});

onLinux('a process that does not answer in time is killed, the store is busy, and the next one is answered', async () => {
  const service = await started();
  const { answer } = await asked(service);
  expect(await answer).toBe('503 store-busy');
  await until(() => !existsSync(`/proc/${service.reader}`));
  expect(await service.ask()).toBe('[{"id":7,"text":"note 7"}]');
  await stop(service);
});

onLinux('where all processes are told to end, what is under way is answered before', async () => {
  const service = await started();
  const { answer } = await asked(service);
  process.kill(service.reader, 'SIGTERM');
  service.running.child.kill('SIGTERM');
  process.kill(service.reader, 'SIGCONT');
  expect(await answer).toBe('[{"id":7,"text":"note 7"}]');
  expect(await service.running.exit).toBe(0);
  expect(existsSync(`/proc/${service.reader}`)).toBe(false);
});

onLinux('a process that reads ends with its service, however that ended', async () => {
  const service = await started();
  const { answer } = await asked(service);
  const cut = expect(answer).rejects.toThrow();
  service.running.child.kill('SIGKILL');
  await cut;
  process.kill(service.reader, 'SIGCONT');
  await until(() => !existsSync(`/proc/${service.reader}`));
});
