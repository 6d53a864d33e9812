// `platform test-agents`: every scenario as a test, in a table, as JSON and as JUnit XML.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { command, type Workspace, workspace } from './harness.ts';

const model = `module desk

entity Refund { id Int @id, @meta {"approve": ["create"]} }

agent classify {
  instruction "Say which it is.",
  scenarios [{"user": "I was charged twice", "ai": "billing"}, {"user": "It hums", "ai": "noise"}]
}
agent pay { instruction "Pay.", tools [desk/Refund], scenarios [{"user": "Pay me", "ai": "Paid"}] }
@public agent support {
  role "You run the desk.",
  scenarios [{"user": "I was charged twice", "ai": "paid."}]
}
flow support {
  classify --> "billing" pay
  classify --> "noise" pay
}
agent silent { instruction "Say nothing." }
`;

const script = [{ agent: 'pay', reply: [{ tool: 'desk_Refund_create', arguments: { id: 1 } }, 'Paid'] }];

function project(more: Readonly<Record<string, unknown>> = {}, llm: object = { provider: 'scripted', script: 'script.json' }): Workspace {
  const place = workspace({
    'src/desk.al': model,
    'script.json': JSON.stringify([...script, ...Object.values(more)]),
    'config.al': JSON.stringify({ llm }),
  });
  onTestFinished(() => place.remove());
  return place;
}

test('every scenario is tried on a store of its own, and for a flow the path is told', async () => {
  const { folder } = project();
  const { code, out, err } = await command(folder, 'test-agents');
  expect(out).toBe(`✓  desk/classify  "I was charged twice"                     "billing" (M1)
✓  desk/classify  "It hums"                                 "noise" (M1)
✓  desk/pay       "Pay me"                                  "Paid" (M1)
✓  desk/support   "I was charged twice"                     "paid." (M2)
   desk/classify ("billing", M1) → desk/pay (none)
`);
  expect([code, err]).toEqual([0, 'without scenarios: desk/silent\n4 scenarios, all passed\n']);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

test('what is answered otherwise fails, exits with 1, and says what was answered; as JSON too', async () => {
  const { folder } = project({ hums: { agent: 'classify', contains: 'hums', reply: 'Billing, surely' } });
  const { code, out, err } = await command(folder, 'test-agents', '--agent', 'classify', '--json', '--junit', 'agents.xml');
  expect([code, err]).toEqual([1, '2 scenarios, 1 failed\n']);
  expect(JSON.parse(out)).toEqual([
    { agent: 'desk/classify', user: 'I was charged twice', expected: 'billing', actual: 'billing', passed: true, method: 'M1' },
    { agent: 'desk/classify', user: 'It hums', expected: 'noise', actual: 'Billing, surely', passed: false, method: 'none' },
  ]);
});

test('JUnit XML holds one case for each scenario, whatever stands in it', async () => {
  const place = project({ hums: { agent: 'classify', contains: 'hums', reply: 'a < b & "c"\u0007' } });
  await command(place.folder, 'test-agents', '--junit', 'agents.xml');
  const text = place.read('agents.xml').replace(/time="[\d.]+"/g, 'time=""');
  expect(text).toContain('<testsuites tests="4" failures="1" errors="0" time="">');
  expect(text).toContain('<testcase classname="desk/classify" name="I was charged twice" time=""/>');
  expect(text).toContain('<failure message="expected noise">a &lt; b &amp; &quot;c&quot;\uFFFD</failure>');
});

test('the model is not shown the scenario that it is tried with, and is told which answers there are', async () => {
  const server = await modelServer();
  const { folder } = project({}, { provider: 'openai', model: 'test-model', baseUrl: server.baseUrl });
  server.says('billing');
  await command(folder, 'test-agents', '--agent', 'classify');
  const [first] = server.asked();
  expect(first?.messages).toEqual([
    { role: 'system', content: 'Say which it is.\n\nAnswer with exactly one of: "billing", "noise". Write nothing else.' },
    { role: 'user', content: 'It hums' },
    { role: 'assistant', content: 'noise' },
    { role: 'user', content: 'I was charged twice' },
  ]);
});

test('without a language model each scenario says so', async () => {
  const { folder } = project({}, { provider: 'openai' });
  const { code, out } = await command(folder, 'test-agents', '--agent', 'pay');
  expect(code).toBe(1);
  expect(out).toContain('llm-not-configured: Set LLM_API_KEY before the service starts.');
});

test('an agent that there is not is said in one line', async () => {
  const { folder } = project();
  expect(await command(folder, 'test-agents', '--agent', 'nobody')).toMatchObject({
    code: 1,
    err: 'platform: There is no agent nobody in this project.\n',
  });
});
