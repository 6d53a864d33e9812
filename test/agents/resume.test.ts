// A run whose process is killed goes on in the next one: no step twice, no write twice, and the answer is the same.

import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt, freePort, platform, type Running, type Workspace, workspace } from '../cli/harness.ts';
import { type AskedBody, modelServer, type ServerReply } from '../support/model-server.ts';
import { storeIn, storeOfRun } from '../support/store.ts';

const kills = process.env['PLATFORM_TEST_LONG'] === '1' ? 100 : 5;

const desk = `module desk
entity Ticket { id String @id, title String }
event log { title String @optional }
workflow log { {Ticket {id log.title, title "logged"}} }
agent classify { instruction "Classify." }
agent clerk { instruction "Make two tickets.", tools [desk/Ticket] }
agent answer { instruction "Answer." }
@public agent support { role "You support." }
flow support {
  classify --> "billing" clerk
  clerk --> log
  log --> answer
}
`;

beforeAll(() => ensureBuilt());

/** By what stands in the conversation alone: a question that was lost with its process is asked again. */
function replyTo(messages: AskedBody['messages']): ServerReply {
  const system = String(messages[0]?.content);
  const round = /round (\d+)/.exec(JSON.stringify(messages))?.[1] ?? '';
  if (system.startsWith('Classify')) return 'billing';
  if (system.startsWith('Answer')) return `Done with ${round}`;
  const made = messages.filter(({ role }) => role === 'tool').length;
  if (made < 2) return { tool: 'desk_Ticket_create', arguments: { id: `r${round}-${made + 1}`, title: 'made' } };
  return JSON.stringify({ title: `r${round}-log` });
}

test(`a run is killed ${kills} times at any moment, and each time the next process ends it`, async () => {
  const model = await modelServer();
  model.decides(replyTo);
  model.peer.setChaos({ latencyMs: 40 });
  const place = workspace({ 'src/core.al': desk });
  try {
    await configure(place, model.baseUrl);
    const port = await freePort();
    let running = await start(place, port);
    for (let round = 0; round < kills; round += 1) {
      const posted = post(port, round).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, (round * 97) % 700));
      running.child.kill('SIGKILL');
      await running.exit;
      await posted;
      running = await start(place, port);
      await expectDone(port, round);
    }
    running.child.kill('SIGTERM');
    await running.exit;
  } finally {
    place.remove();
  }
}, 600_000);

async function configure(place: Workspace, baseUrl: string): Promise<void> {
  const { settings } = await storeIn(place.folder, storeOfRun(), true);
  const store =
    settings.type === 'sqlite'
      ? { type: 'sqlite', dbname: 'desk.db' }
      : {
          type: 'postgres',
          host: settings.host,
          port: settings.port,
          username: settings.username,
          password: settings.password,
          dbname: settings.dbname,
        };
  place.write('config.al', JSON.stringify({ store, llm: { provider: 'openai', model: 'm', baseUrl }, log: { level: 'warn' } }));
}

async function start(place: Workspace, port: number): Promise<Running> {
  const running = platform(place.folder, 'run', '--port', String(port));
  await running.until(/ at http/);
  return running;
}

async function post(port: number, round: number): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/desk/support`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `round-${round}` },
    body: JSON.stringify({ message: `round ${round}` }),
  });
}

async function expectDone(port: number, round: number): Promise<void> {
  const get = async (path: string): Promise<Record<string, unknown>[]> =>
    listIn(await (await fetch(`http://127.0.0.1:${port}${path}`)).json());
  // On a server the lease of the killed process has to run out first.
  await expect
    .poll(async () => [(await post(port, round)).status, (await get('/platform.ai/Run?status=succeeded')).length], {
      timeout: 120_000,
      interval: 200,
    })
    .toEqual([200, round + 1]);
  expect(await (await post(port, round)).text()).toBe(JSON.stringify(`Done with ${round}`));
  const tickets = await get(`/desk/Ticket?id[like]=r${round}-%25`);
  expect(tickets.map(({ id }) => id)).toEqual([`r${round}-1`, `r${round}-2`, `r${round}-log`]);
  const [run] = await get(`/platform.ai/Run?message=round%20${round}`);
  const steps = await get(`/platform.ai/Run/${String(run?.['id'])}/RunStep/Step`);
  expect(steps.map(({ no, status, name }) => [no, status, name])).toEqual([
    [1, 'succeeded', 'desk/classify'],
    [2, 'succeeded', 'desk/clerk'],
    [3, 'succeeded', 'desk/log'],
    [4, 'succeeded', 'desk/answer'],
  ]);
  const calls = await get(`/platform.ai/Run/${String(run?.['id'])}/RunStep/Step/2/StepToolCall/ToolCall`);
  expect(calls.map(({ status }) => status)).toEqual(['done', 'done']);
}

function listIn(body: unknown): Record<string, unknown>[] {
  if (!Array.isArray(body)) throw new Error('no list');
  return body;
}
