// What a reply has to be, and what an agent is reminded of: records, events that judge, conversations.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { modelServer } from '../support/model-server.ts';

const desk = `module desk
record Answer { kind String @enum("a", "b"), amount Decimal, note String @optional }
event checkLength { data Any }
workflow checkLength { if (checkLength.data == "too long") { {Verdict {status "error", reason "shorter"}} } else { {Verdict {status "ok"}} } }
record Verdict { status String, reason String @optional }
retry twice { attempts 2, backoff { strategy constant, delay 1, magnitude milliseconds } }

@public agent sorter { instruction "Sort.", responseSchema desk/Answer }
@public agent listed { instruction "Sort.", tools [desk/Answer] }
@public agent brief { instruction "Be brief.", validate desk/checkLength, retry twice }
@public agent talker { instruction "Talk." }
@public agent other { instruction "Talk." }
@public agent forgetful { instruction "Talk.", stateless true }
`;

const fitting = '{"kind": "a", "amount": "1.50"}';

test('with responseSchema the reply is an object of the record, and the model is told its schema', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  for (const agent of ['sorter', 'listed']) {
    model.says(`\`\`\`json\n${fitting}\n\`\`\``);
    const answer = await app.post(`/desk/${agent}`, { message: 'x' });
    expect([answer.status, answer.body]).toEqual([200, { kind: 'a', amount: '1.50', note: null }]);
  }
  expect(model.asked()[0]).toMatchObject({
    response_format: { json_schema: { schema: { required: ['kind', 'amount'], properties: { kind: { enum: ['a', 'b'] } } } } },
  });
});

const wrong: readonly [title: string, text: string, told: string][] = [
  ['no JSON', 'It is a.', 'the reply must be a JSON object and nothing else'],
  ['a list', '[1]', 'the reply must be a JSON object and nothing else'],
  ['a missing attribute', '{"kind": "a"}', 'amount is required'],
  ['an unknown attribute', '{"kind": "a", "amount": 1, "more": 1}', 'more is not asked for'],
  ['a value that is not allowed', '{"kind": "c", "amount": 1}', 'kind must be'],
];
for (const [title, text, told] of wrong) {
  test(`a reply with ${title} is asked for again, with what is wrong; the third one is 502`, async () => {
    const model = await modelServer();
    const app = await serve(desk, { llm: model.settings });
    model.says(text, text, fitting);
    expect(await app.post('/desk/sorter', { message: 'x' })).toMatchObject({ status: 200, body: { kind: 'a' } });
    expect(model.asked()[1]?.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining(told) });
    model.says(text);
    expect(await app.post('/desk/sorter', { message: 'x' })).toMatchObject({ status: 502, body: { code: 'llm-invalid' } });
    expect(model.asked()).toHaveLength(6);
  });
}

test('an event that finds a reply wrong has it asked for again, as often as the retry says', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  model.says('too long', 'short');
  expect(await app.post('/desk/brief', { message: 'x' })).toMatchObject({ status: 200, body: 'short' });
  expect(model.asked()[1]?.messages.at(-1)).toMatchObject({ content: expect.stringContaining('shorter') });
  model.says('too long');
  expect(await app.post('/desk/brief', { message: 'x' })).toMatchObject({
    status: 502,
    body: { code: 'llm-invalid', detail: 'The reply of the language model does not fit: shorter' },
  });
  expect(model.asked()).toHaveLength(4);
});

test('an agent is reminded of what was said under the same conversation, and of nothing else', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  const said = async (agent: string, message: string, conversation?: string): Promise<readonly unknown[]> => {
    model.says(`re ${message}`);
    await app.post(`/desk/${agent}`, conversation === undefined ? { message } : { message, conversation });
    return (model.asked().at(-1)?.messages ?? []).map((each) => each.content);
  };
  expect(await said('talker', 'one', 'c')).toEqual(['Talk.', 'one']);
  expect(await said('talker', 'two', 'c')).toEqual(['Talk.', 'one', 're one', 'two']);
  expect(await said('talker', 'three', 'd')).toEqual(['Talk.', 'three']);
  expect(await said('talker', 'four')).toEqual(['Talk.', 'four']);
  expect(await said('other', 'five', 'c')).toEqual(['Talk.', 'five']);
  await said('forgetful', 'six', 'c');
  expect(await said('forgetful', 'seven', 'c')).toEqual(['Talk.', 'seven']);
});

test('a conversation reminds of its last 20 exchanges, and of no more than 16,000 tokens', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings });
  model.says('ok');
  for (let index = 0; index < 22; index += 1) await app.post('/desk/talker', { message: `m${index}`, conversation: 'c' });
  expect(model.asked().at(-1)?.messages).toHaveLength(1 + 2 * 20 + 1);
  // Counted by the length of what was said: four characters are a token.
  const counting = await serve(desk, { llm: { provider: 'scripted', limits: { tokens: 1_000_000 } } });
  const read: number[] = [];
  for (let index = 0; index < 4; index += 1) {
    const { headers } = await counting.post('/desk/talker', { message: 'x'.repeat(28_000), conversation: 'long' });
    const { body } = await counting.get(`/platform.ai/Run/${headers['platform-run-id']}?@select=inputTokens`);
    read.push(Math.round(Number(Object.entries(body ?? {}).find(([name]) => name === 'inputTokens')?.[1]) / 7000));
  }
  expect(read).toEqual([1, 2, 3, 3]);
});

test('a conversation belongs to its user', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: model.settings, auth: {} });
  const tokens = await Promise.all(
    ['ann@example.com', 'ben@example.com'].map(async (email) => {
      const password = 'correct horse battery';
      await app.post('/platform.auth/signup', { email, password });
      const { body } = await app.post('/platform.auth/login', { email, password });
      return tokenIn(body);
    }),
  );
  model.says('secret of ann');
  const ask = (token: string | undefined) =>
    app.post('/desk/talker', { message: 'hello', conversation: 'c' }, { authorization: `Bearer ${token}` });
  for (const token of tokens) expect((await ask(token)).status).toBe(200);
  expect(model.asked().map((each) => each.messages.length)).toEqual([2, 2]);
  await ask(tokens[0]);
  expect(model.asked().at(-1)?.messages).toHaveLength(4);
});

function tokenIn(body: unknown): string | undefined {
  const { 'id-token': token } = Object.fromEntries(Object.entries(typeof body === 'object' && body !== null ? body : {}));
  return typeof token === 'string' ? token : undefined;
}

test('a conversation that is no short text is 422', async () => {
  const app = await serve(desk, { llm: { provider: 'scripted' } });
  for (const conversation of [7, '', 'x'.repeat(201), null])
    expect(await app.post('/desk/talker', { message: 'x', conversation })).toMatchObject({
      status: 422,
      body: { code: 'agent-message-invalid' },
    });
});
