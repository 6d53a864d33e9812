// `platform runs`: what agents did, beside a service that runs.

import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import { silentLog, testTerminal } from '../docs/support.ts';
import { answerOf } from '../support/app.ts';
import { command, workspace } from './harness.ts';

const model = `module desk

entity Ticket { id Int @id, title String }
entity Refund { id Int @id, amount Int, @meta {"approve": ["create"]} }

agent classify { instruction "Say which it is." }
agent payer { instruction "Refund.", tools [desk/Refund, desk/Ticket] }
agent goodbye { instruction "Say goodbye." }
agent closing { instruction "Close." }
flow closing { goodbye --> "bye" note }
event note { message String }
workflow note { {Ticket {id 9, title note.message}} }

@public agent support { role "You run the desk." }
flow support {
  classify --> "billing" payer
  classify --> closing
}
`;

const script = [
  { agent: 'classify', contains: 'charged', reply: 'Billing.' },
  { agent: 'classify', reply: 'nothing of that' },
  {
    agent: 'payer',
    reply: [
      { tool: 'desk_Ticket_update', arguments: { id: 77, title: 'x' } },
      { tool: 'desk_Refund_create', arguments: { id: 1, amount: 5 } },
      'Paid.',
    ],
  },
  { agent: 'goodbye', reply: 'bye' },
];

const files = {
  'src/desk.al': model,
  'script.json': JSON.stringify(script),
  'config.al':
    '{"service": {"port": 8099}, "llm": {"provider": "scripted", "script": "script.json", "match": "normalized", "prices": {"scripted": {"input": 2.5, "output": 10}}}}',
};

async function served(): Promise<{ folder: string; ask(path: string, body?: object): Promise<{ status: number; run: string }> }> {
  const place = workspace(files);
  onTestFinished(() => place.remove());
  const { folder } = place;
  const { model: read, settings, project } = await load({ path: folder, config: undefined, keepsStoreId: true }, testTerminal(folder));
  if (read === undefined) throw new Error('the project has errors');
  const app = await createApp({ model: read, settings, name: project.name, version: project.version, folder, log: silentLog });
  onTestFinished(() => app.close());
  return {
    folder,
    async ask(path, body) {
      const headers = { 'content-type': 'application/json' };
      const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      const request = { method: 'POST', path, query: '', headers, body: text, id: 'test', remote: '127.0.0.1' };
      const { status, headers: given } = await answerOf(await app.respond(request));
      return { status, run: given['platform-run-id'] ?? '' };
    },
  };
}

/** Times differ from run to run. */
function steady(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<run>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\d+ ms|\d+\.\d s/g, '<ms>');
}

test('runs are listed, the newest first, beside the service, and by agent, status and user', async () => {
  const { folder, ask } = await served();
  await ask('/desk/support', { message: 'I was charged twice' });
  await ask('/desk/support', { message: 'Hello' });
  const { code, out, err } = await command(folder, 'runs');
  expect([code, err]).toEqual([0, '2 runs\n']);
  expect(steady(out).split('\n')).toEqual([
    expect.stringMatching(/^<run> {2}<time> {2}succeeded {2}desk\/support \(flow\) {2}<ms>, \d+ \+ \d+ tokens, cost 0\.\d+$/),
    expect.stringMatching(/^<run> {2}<time> {2}waiting {2}desk\/support \(flow\) {2}not ended$/),
    '',
  ]);
  expect((await command(folder, 'runs', '--status', 'waiting', '--json')).out).toMatch(
    /^\[\{"id":"[^"]+","agent":"desk\/support"[^[]*\}\]\n$/,
  );
  expect((await command(folder, 'runs', '--agent', 'desk/other')).err).toBe('0 runs\n');
  expect((await command(folder, 'runs', '--limit', '1')).err).toBe('1 run\n');
});

test('a run is shown as a tree: times, tokens, cost, edges with their method, calls with their arguments, refusals marked', async () => {
  const { folder, ask } = await served();
  const { run, status } = await ask('/desk/support', { message: 'I was charged twice' });
  expect(status).toBe(202);
  const shown = async (): Promise<string> =>
    steady((await command(folder, 'runs', 'show', run)).out).replace(/\d+ \+ \d+ tokens, cost [\d.]+/g, '<tokens>');
  expect(await shown()).toBe(`desk/support (flow) waiting, <time>, not ended
  asked: "I was charged twice"
  ├─ 1 desk/classify (agent) by scripted, <ms>, <tokens> → payer ("billing", M2)
  │  gave: "Billing."
  └─ 2 desk/payer (agent) running, not ended
     ✗ desk_Ticket_update {"id":77,"title":"x"} refused: {"error":"instance-not-found"}
     … desk_Refund_create {"id":1,"amount":5} waits for approval
  curl -X POST localhost:8099/platform.ai/Run/<run>/approve
  curl -X POST localhost:8099/platform.ai/Run/<run>/reject
`);
  expect(await ask(`/platform.ai/Run/${run}/approve`)).toEqual({ status: 200, run });
  expect(await shown()).toBe(`desk/support (flow) succeeded, <time>, <ms>, <tokens>
  asked: "I was charged twice"
  ├─ 1 desk/classify (agent) by scripted, <ms>, <tokens> → payer ("billing", M2)
  │  gave: "Billing."
  └─ 2 desk/payer (agent) by scripted, <ms>, <tokens> → end (none)
     ✗ desk_Ticket_update {"id":77,"title":"x"} refused: {"error":"instance-not-found"}
     ✓ desk_Refund_create {"id":1,"amount":5} → {"id":1,"amount":5}
     gave: "Paid."
  answered: "Paid."
`);
});

test('the steps of a flow inside of a flow stand below it', async () => {
  const { folder, ask } = await served();
  const { run } = await ask('/desk/support', { message: 'Hello' });
  const text = steady((await command(folder, 'runs', 'show', run)).out).replace(/, \d+ \+ \d+ tokens, cost [\d.]+/g, '');
  expect(text).toBe(`desk/support (flow) succeeded, <time>, <ms>
  asked: "Hello"
  ├─ 1 desk/classify (agent) by scripted, <ms> → closing (else)
  │  gave: "nothing of that"
  └─ 2 desk/closing (flow), <ms> → end (none)
     ├─ 3 desk/goodbye (agent) by scripted, <ms> → note ("bye", M1)
     │  gave: "bye"
     └─ 4 desk/note (workflow), <ms> → end (none)
        gave: {"id":9,"title":"Hello\\n\\nclassify: nothing of that"}
     gave: {"id":9,"title":"Hello\\n\\nclassify: nothing of that"}
  answered: {"id":9,"title":"Hello\\n\\nclassify: nothing of that"}
`);
});

test('the cost of a run is that of its steps, exactly, by the prices of the settings', async () => {
  const { folder, ask } = await served();
  const { run } = await ask('/desk/support', { message: 'Hello' });
  const { cost, steps } = JSON.parse((await command(folder, 'runs', 'show', run, '--json')).out);
  const priced = steps.filter((each: { cost: string | null }) => each.cost !== null);
  expect(priced).toHaveLength(2);
  for (const { inputTokens, outputTokens, cost: own } of priced) {
    expect(Math.round(Number(own) * 1e7)).toBe(inputTokens * 25 + outputTokens * 100);
  }
  expect(cost).toBe(
    String(priced.reduce((sum: bigint, each: { cost: string }) => sum + BigInt(Math.round(Number(each.cost) * 1e7)), 0n))
      .padStart(8, '0')
      .replace(/(\d{7})$/, '.$1')
      .replace(/0+$/, ''),
  );
});

test('what is no run of this project is said in one line', async () => {
  const { folder } = await served();
  for (const id of ['x', '0199c4c2-0000-7000-8000-000000000000'])
    expect(await command(folder, 'runs', 'show', id)).toMatchObject({
      code: 1,
      err: `platform: There is no run ${id} in the store of this project.\n`,
    });
});
