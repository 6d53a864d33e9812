// A process that is killed while an agent works for a timer: the run goes on in the next one, and is neither lost nor begun twice.

import { LLMock } from '@copilotkit/aimock';
import { expect, onTestFinished, test } from 'vitest';
import { ensureBuilt, freePort, platform, type Running, workspace } from '../cli/harness.ts';
import { isLong, seed } from '../support/form.ts';
import { type Kept, storeIn, storeOfRun } from '../support/store.ts';
import { pause } from '../support/time.ts';

const rounds = isLong ? 30 : 3;

const model = `module shop

entity Mark {
  id UUID @id @default(uuid()),
  round Int
}

agent clerk {
  instruction "Make a mark.",
  tools [shop/Mark]
}

event begin {
  round Int
}

workflow begin {
  {platform/timer {name "round " + begin.round, duration 10, unit "millisecond", repeat false, trigger {"shop/clerk": {"message": "round " + begin.round}}}}
}
`;

test(`a timer that runs an agent is done once although its process is killed, ${rounds} times`, async () => {
  ensureBuilt();
  const place = workspace({ 'src/shop.al': model });
  const kept = await storeIn(place.folder, storeOfRun());
  const peer = await LLMock.create({ port: 0, logLevel: 'silent' });
  onTestFinished(async () => {
    await peer.stop();
    await kept.remove();
    place.remove();
  });
  const port = await freePort();
  place.write(
    'config.al',
    JSON.stringify({ store: storeOf(kept), log: { level: 'error' }, llm: { baseUrl: `${peer.url}/v1`, model: 'test' } }),
  );
  const start = async (): Promise<Running> => {
    const running = platform(place.folder, 'run', '--port', String(port));
    onTestFinished(() => void running.child.kill('SIGKILL'));
    await running.until(/ at http/);
    return running;
  };

  /** Before the first reply, after it, after the second one. */
  let plan: { readonly round: number; call: number; kill(): void } | undefined;
  peer.on({ predicate: () => true }, ({ messages }) => {
    const round = Number(/round (\d+)/.exec(messages.map(({ content }) => String(content)).join(' '))?.[1] ?? 0);
    const isAnswered = messages.some(({ role }) => role === 'tool');
    if (plan?.round === round) {
      const { kill } = plan;
      if (plan.call === 0) kill();
      else if (plan.call === (isAnswered ? 2 : 1)) void pause((seed + round * 7) % 40).then(kill);
    }
    if (isAnswered) return { content: 'Done.' };
    return { toolCalls: [{ name: 'shop_Mark_create', arguments: JSON.stringify({ round }), id: `call_${round}` }] };
  });

  for (let round = 1; round <= rounds; round += 1) {
    const running = await start();
    plan = { round, call: (round - 1) % 3, kill: () => void running.child.kill('SIGKILL') };
    const made = await fetch(`http://localhost:${port}/shop/begin`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ round }),
    });
    expect(made.status).toBe(200);
    await running.exit;
    plan = undefined;
    // Another process waits until the lease of the killed one is over: here nobody waits for that.
    await kept.execute('UPDATE __platform_runs SET lease = 0 WHERE lease < 4000000000000000');
  }
  await start();
  const read = async (path: string): Promise<readonly Record<string, unknown>[]> =>
    JSON.parse(await (await fetch(`http://localhost:${port}${path}?@limit=1000`)).text());
  await expect.poll(() => read('/platform/timer'), { timeout: 60_000, interval: 200 }).toEqual([]);
  const all = Array.from({ length: rounds }, (_, index) => index + 1);
  const sorted = (numbers: readonly number[]): readonly number[] => numbers.toSorted((a, b) => a - b);
  expect(sorted((await read('/shop/Mark')).map((each) => Number(each['round'])))).toEqual(all);
  const runs = await read('/platform.ai/Run');
  expect(sorted(runs.map((each) => Number(/\d+/.exec(String(each['message']))?.[0])))).toEqual(all);
  expect(runs.map((each) => each['status'])).toEqual(runs.map(() => 'succeeded'));
}, 900_000);

function storeOf({ settings }: Kept): object {
  if (settings.type === 'sqlite') return { type: 'sqlite', dbname: settings.file };
  const { host, port, username, password, dbname } = settings;
  return { type: 'postgres', host, port, username, password, dbname };
}
