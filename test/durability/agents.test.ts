// Runs of agents whose process is killed between two steps or inside of one: the next process goes on, and nothing is done twice.

import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ensureBuilt, freePort, platform, type Workspace, workspace } from '../cli/harness.ts';

const isLong = process.env['PLATFORM_TEST_LONG'] === '1';
const kills = isLong ? 100 : 5;

const shop = `module shop

entity Order { id Int @id, text String, kind String @optional, @after {create sort} }
entity Mark { id UUID @id @default(uuid()), order Int, text String }
agent classify { instruction "Say what it is about." }
workflow sort {
  {Mark {order sort.Order.id, text "before"}};
  {classify {message sort.Order.text}} @as kind;
  {Mark {order sort.Order.id, text "between"}};
  {classify {message "again"}} @as second;
  {Order {id? sort.Order.id, kind second}};
  {Mark {order sort.Order.id, text "after"}}
}
@public agent clerk { instruction "Work.", tools [shop/Mark] }
`;

let place: Workspace | undefined;
beforeAll(() => ensureBuilt());
afterEach(() => place?.remove());

test(`queued and keyed runs go on after kill -9, ${kills} times, and no step and no write is done twice`, async () => {
  const peer = await LLMock.create({ port: 0, logLevel: 'silent' });
  onTestFinished(() => peer.stop());
  peer.setChaos({ latencyMs: 60 });
  peer.on({ predicate: () => true }, ({ messages }) => {
    const last = messages?.at(-1);
    return last?.role === 'user' && String(last.content).startsWith('mark ')
      ? {
          toolCalls: [
            { name: 'shop_Mark_create', arguments: JSON.stringify({ order: 0, text: String(last.content) }), id: 'call_of_mark' },
          ],
        }
      : { content: 'books' };
  });
  const config = {
    store: { type: 'sqlite', dbname: 'shop.db' },
    log: { level: 'error' },
    llm: { baseUrl: `${peer.url}/v1`, model: 'test' },
  };
  place = workspace({ 'src/shop.al': shop, 'config.al': JSON.stringify(config) });
  const port = await freePort();
  const at = `http://localhost:${port}`;
  const post = (path: string, body: unknown, key: string) =>
    fetch(`${at}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
  for (let round = 1; round <= kills; round += 1) {
    const running = platform(place.folder, 'run', '--port', String(port));
    await running.until(/ at http/);
    expect((await post('/shop/Order', { id: round, text: 'a novel' }, `order ${round}`)).status).toBe(201);
    // Cut off with the process.
    const cut = post('/shop/clerk', { message: `mark ${round}` }, `mark ${round}`).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, (round * 37) % 260));
    running.child.kill('SIGKILL');
    await running.exit;
    await cut;
  }
  const running = platform(place.folder, 'run', '--port', String(port));
  await running.until(/ at http/);
  const read = async (path: string): Promise<readonly Record<string, unknown>[]> => JSON.parse(await (await fetch(`${at}${path}`)).text());
  const isOpen = ({ status }: Record<string, unknown>): boolean => status === 'queued' || status === 'running';
  await expect.poll(async () => (await read('/platform.ai/Run')).filter(isOpen), { interval: 200 }).toEqual([]);
  const runs = await read('/platform.ai/Run');
  expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  const marks = await read('/shop/Mark');
  for (let round = 1; round <= kills; round += 1) {
    const texts = marks.filter(({ order }) => order === round).map(({ text }) => text);
    expect([round, texts.toSorted()]).toEqual([round, ['after', 'before', 'between']]);
    expect(marks.filter(({ text }) => text === `mark ${round}`).length).toBeLessThanOrEqual(1);
  }
  expect((await read('/shop/Order')).every(({ kind }) => kind === 'books')).toBe(true);
  for (const { id, kind } of runs.filter((each) => each['kind'] === 'workflow')) {
    const steps = await read(`/platform.ai/Run/${id}/RunStep/Step`);
    expect([kind, steps.map(({ kind: each }) => each)]).toEqual([kind, ['workflow', 'agent', 'workflow', 'agent', 'workflow']]);
  }
  running.child.kill('SIGKILL');
  await running.exit;
}, 1_200_000);
