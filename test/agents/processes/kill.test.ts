// Runs whose process is killed between any two steps, before and after each reply of the model and inside of a call of a tool: another process goes on,
// nothing is done twice, and the result is the one of a run that nobody disturbed.

import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ensureBuilt, freePort, platform, type Workspace, workspace } from '../../cli/harness.ts';
import { isLong } from '../../support/form.ts';
import { type Kept, storeIn, storeOfRun } from '../../support/store.ts';
import { pause, until } from '../../support/time.ts';

const kills = isLong ? 100 : 5;

const shop = `module shop
import "slow.js" @as slow

entity Order { id Int @id, text String, kind String @optional, @after {create sort} }
entity Mark { id UUID @id @default(uuid()), round Int, text String }

agent classify { instruction "Classify." }
workflow sort {
  {Mark {round sort.Order.id, text "before"}};
  {classify {message sort.Order.text}} @as kind;
  {Mark {round sort.Order.id, text "between"}};
  {classify {message "again"}} @as second;
  {Order {id? sort.Order.id, kind second}};
  {Mark {round sort.Order.id, text "after"}}
}

event stamp { round Int }
workflow stamp {
  {Mark {round stamp.round, text "stamp begins"}};
  await slow.pause() @as paused;
  {Mark {round stamp.round, text "stamp ends"}}
}
event file { round Int }
workflow file { {Mark {round file.round, text "filed"}} }

agent first { instruction "First.", tools [shop/Mark, shop/stamp] }
agent second { instruction "Second." }
agent inner { instruction "Inner.", tools [shop/Mark] }
agent last { instruction "Last." }
agent nested { role "x" }
flow nested { inner --> last }
@public agent work { role "x" }
flow work {
  first --> file
  file --> second
  second --> "again" second
  second --> "go on" nested
}
`;

/** What stands in the store after a run that was or was not disturbed. */
const marks = ['filed', 'inner', 'marked', 'stamp begins', 'stamp ends'];
const queuedMarks = ['after', 'before', 'between'];
const steps = ['first', 'file', 'second', 'nested', 'inner', 'last'];
/** Of the model, in a run that nobody disturbs: first three times, second once, inner twice, last once. */
const calls = 7;

interface Plan {
  readonly round: number;
  /** Which call of the model in the life of the process. */
  readonly call: number;
  readonly when: 'before the reply' | 'after the reply';
  /** Milliseconds. */
  readonly after: number;
}

let place: Workspace;
let kept: Kept;
let plan: Plan | undefined;
let kill = (): void => {};

beforeAll(async () => {
  ensureBuilt();
  place = workspace({ 'src/shop.al': shop, 'src/slow.js': 'export const pause = () => new Promise((done) => setTimeout(done, 25));' });
  kept = await storeIn(place.folder, storeOfRun());
});
afterAll(async () => {
  await kept.remove();
  place.remove();
});

test(`runs go on in another process after kill -9, ${kills} times: no step and no write is done twice, and the result is the same`, async () => {
  const peer = await LLMock.create({ port: 0, logLevel: 'silent' });
  onTestFinished(() => peer.stop());
  let count = 0;
  peer.on({ predicate: () => true }, ({ messages }) => {
    const said = messages.map(({ role, content }) => ({ role, content: String(content) }));
    if (plan?.round === roundOf(said)) {
      count += 1;
      const { call, when, after } = plan;
      if (count === call && when === 'before the reply') kill();
      else if (count === call) void pause(after).then(() => kill());
    }
    return replyTo(said);
  });
  place.write(
    'config.al',
    JSON.stringify({ store: storeSettings(), log: { level: 'error' }, llm: { baseUrl: `${peer.url}/v1`, model: 'test' } }),
  );
  const port = await freePort();
  const at = `http://localhost:${port}`;
  const post = (path: string, body: unknown, key: string) =>
    fetch(`${at}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
  const start = async () => {
    const running = platform(place.folder, 'run', '--port', String(port));
    onTestFinished(() => void running.child.kill('SIGKILL'));
    await running.until(/ at http/);
    return running;
  };
  const where = new Set<string>();
  for (let round = 1; round <= kills; round += 1) {
    // Those that an earlier round has left go on meanwhile, and are cut off once more.
    plan = undefined;
    const running = await start();
    kill = () => void running.child.kill('SIGKILL');
    plan = planOf(round);
    count = 0;
    expect((await post('/shop/Order', { id: round, text: 'a novel' }, `order ${round}`)).status).toBe(201);
    // Cut off with the process; a run that was faster is killed after its end.
    await post('/shop/work', { message: `round ${round}` }, `work ${round}`).catch(() => {});
    kill();
    await running.exit;
    where.add(await leftAt());
  }
  plan = undefined;
  const running = await start();
  const read = async (path: string): Promise<readonly Record<string, unknown>[]> => JSON.parse(await (await fetch(`${at}${path}`)).text());
  const isOpen = ({ status }: Record<string, unknown>): boolean => status === 'queued' || status === 'running';
  await until(async () => !(await read('/platform.ai/Run?@limit=1000')).some(isOpen));
  const runs = await read('/platform.ai/Run?@limit=1000');
  expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  const made = await read('/shop/Mark?@limit=5000');
  const ofRound = (round: number): readonly unknown[] =>
    made
      .filter((each) => each['round'] === round)
      .map(({ text }) => text)
      .toSorted();
  const started = new Set(runs.map(({ message }) => message));
  for (let round = 1; round <= kills; round += 1) {
    // A process that is killed before the run is written down has begun none.
    const expected = started.has(`round ${round}`) ? [...marks, ...queuedMarks] : queuedMarks;
    expect([round, ofRound(round)]).toEqual([round, expected.toSorted()]);
  }
  expect(started.size).toBeGreaterThan(kills * 0.8);
  expect((await read('/shop/Order?@limit=1000')).every(({ kind }) => kind === 'books')).toBe(true);
  for (const { id, kind, result } of runs) {
    const done = await read(`/platform.ai/Run/${id}/RunStep/Step`);
    expect(done.map(({ no }) => no)).toEqual(done.map((_, index) => index + 1));
    if (kind === 'workflow') expect(done.map((each) => each['kind'])).toEqual(['workflow', 'agent', 'workflow', 'agent', 'workflow']);
    else expect([result, done.map(({ name }) => name)]).toEqual(['All done.', steps.map((each) => `shop/${each}`)]);
  }
  process.stdout.write(`killed ${kills} times, runs left in ${where.size} states: ${[...where].join('; ')}\n`);
  running.child.kill('SIGKILL');
  await running.exit;
}, 1_800_000);

/** Before and after each reply in turn, and at other moments after it: the pause of the tool is one of them. */
function planOf(round: number): Plan {
  const call = (round % calls) + 1;
  const nth = Math.floor(round / calls);
  return { round, call, when: nth % 4 === 0 ? 'before the reply' : 'after the reply', after: (round * 7) % 40 };
}

/** How far the last run of the flow had come; its lease ends, so that nobody waits for it. */
async function leftAt(): Promise<string> {
  await kept.execute('UPDATE __platform_runs SET lease = 0 WHERE lease < 4000000000000000');
  const count = async (sql: string): Promise<number> => Number((await kept.rows(sql))[0]?.['n']);
  const last = `(SELECT CAST(run AS text) FROM __platform_runs WHERE input LIKE '%round%' ORDER BY run DESC LIMIT 1)`;
  const steps = await count(`SELECT count(*) AS n FROM "platform.ai/Step" WHERE "__path__" LIKE '%' || ${last} || '%'`);
  const calls = await count(`SELECT count(*) AS n FROM "platform.ai/ToolCall" WHERE "__path__" LIKE '%' || ${last} || '%'`);
  const replies = await count(`SELECT count(*) AS n FROM __platform_replies WHERE CAST(run AS text) = ${last}`);
  const ended = await count(`SELECT count(*) AS n FROM __platform_runs WHERE CAST(run AS text) = ${last} AND lease > 0`);
  return ended > 0 ? 'ended' : `step ${steps} after ${replies} replies and ${calls} calls`;
}

function storeSettings(): object {
  const { settings } = kept;
  if (settings.type === 'sqlite') return { type: 'sqlite', dbname: settings.file };
  const { host, port, username, password, dbname } = settings;
  return { type: 'postgres', host, port, username, password, dbname };
}

interface Said {
  readonly role: string;
  readonly content: string;
}

function roundOf(messages: readonly Said[]): number {
  const asked = messages.find(({ role }) => role === 'user')?.content ?? '';
  return Number(/round (\d+)/.exec(asked)?.[1] ?? 0);
}

/** Says the same to the same messages, whichever process asks. */
function replyTo(messages: readonly Said[]) {
  const round = roundOf(messages);
  const results = messages.filter(({ role }) => role === 'tool').length;
  const call = (name: string, given: object) => ({
    toolCalls: [{ name, arguments: JSON.stringify(given), id: `call_${name}_${results}` }],
  });
  switch (messages[0]?.content.split('.')[0]) {
    case 'First':
      if (results === 0) return call('shop_Mark_create', { round, text: 'marked' });
      return results === 1 ? call('shop_stamp', { round }) : { content: JSON.stringify({ round }) };
    case 'Second':
      return { content: 'Go on!' };
    case 'Inner':
      return results === 0 ? call('shop_Mark_create', { round, text: 'inner' }) : { content: 'Inner done.' };
    case 'Last':
      return { content: 'All done.' };
    default:
      return { content: 'books' };
  }
}
