// Agents of the earlier surface: instances at the top of a file, posted to as events are.

import { expect, test } from 'vitest';
import { earlierFrontEnd } from '../../src/language/earlier/earlier.ts';
import { serve } from '../support/app.ts';
import { modelServer } from '../support/model-server.ts';

const desk = `(component :Desk)
(entity :Ticket {:Id {:type :Int :guid true} :Title :String})
{:Platform.Core/Agent
 {:Name :clerk-one
  :Type :chat
  :UserInstruction "Work on tickets."
  :Tools [:Desk/Ticket]}}
{:Platform.Core/Agent {:Name :other :Input :Desk/Ask :UserInstruction "Answer."}}
`;

const options = { surfaces: ['earlier'] } as const;

test('an agent is told something as UserInstruction, and answers with a bare JSON string', async () => {
  const model = await modelServer();
  const app = await serve({ 'desk.platform': desk }, { ...options, llm: model.settings });
  model.says('Good day.');
  const answer = await app.post('/api/Desk/Ask', { 'Desk/Ask': { UserInstruction: 'Hello' } });
  expect([answer.status, answer.text]).toEqual([200, '"Good day."']);
  expect(answer.headers['platform-run-id']).toBeDefined();
  expect(model.asked()[0]?.messages).toEqual([
    { role: 'system', content: 'Answer.' },
    { role: 'user', content: 'Hello' },
  ]);
});

test('its tools are the entities that it lists', async () => {
  const model = await modelServer();
  const app = await serve({ 'desk.platform': desk }, { ...options, llm: model.settings });
  model.says({ tool: 'Desk_Ticket_create', arguments: { Id: 1, Title: 'Broken' } }, 'Done.');
  expect((await app.post('/api/Desk/clerk_one', { 'Desk/clerk_one': { UserInstruction: 'make one' } })).text).toBe('"Done."');
  expect(JSON.stringify((await app.get('/api/Desk/Ticket/1')).body)).toContain('Broken');
});

test('what a run contains is found below it, under the names of this surface', async () => {
  const model = await modelServer();
  const app = await serve({ 'desk.platform': desk }, { ...options, llm: model.settings });
  model.says({ tool: 'Desk_Ticket_create', arguments: { Id: 1, Title: 'Broken' } }, 'Done.');
  const { headers } = await app.post('/api/Desk/Ask', { 'Desk/Ask': { UserInstruction: 'make one' } });
  const run = `/api/Platform.Core/Run/${headers['platform-run-id']}`;
  expect((await app.get(`${run}/RunStep/Step`)).body).toMatchObject([{ No: 1, Name: 'Desk/Ask' }]);
  expect((await app.get(`${run}/RunStep/Step/1`)).body).toMatchObject({ '-*-type-*-': 'Platform.Core/Step', Model: 'test-model' });
  expect((await app.get(`${run}/RunStep/Step/1/StepToolCall/ToolCall`)).body).toMatchObject([{ Tool: 'Desk_Ticket_create' }]);
  expect((await app.get(`${run}/RunStep/Step/2`)).status).toBe(404);
  for (const name of ['Platform.Core$RunStep', 'platform.ai$RunStep']) expect((await app.get(`${run}/${name}/Step/1`)).status).toBe(200);
  const calls = [{ '-*-type-*-': 'Platform.Core/ToolCall', Tool: 'Desk_Ticket_create' }];
  const steps = [{ '-*-type-*-': 'Platform.Core/Step', No: 1, '->': { 'Platform.Core/StepToolCall': calls } }];
  expect((await app.get(`${run}/__tree`)).body).toMatchObject({ Agent: 'Desk/Ask', '->': { 'Platform.Core/RunStep': steps } });
});

test('what is no text is refused', async () => {
  const app = await serve({ 'desk.platform': desk }, { ...options, llm: { provider: 'scripted' } });
  for (const body of [{}, { UserInstruction: 7 }, { UserInstruction: 'a', Other: 1 }])
    expect((await app.post('/api/Desk/Ask', { 'Desk/Ask': body })).status).toBe(422);
});

test('a file with agents is written as it was', () => {
  const { unit } = earlierFrontEnd.read({ file: 'desk.platform', text: desk });
  const once = earlierFrontEnd.print(unit);
  expect(once).toContain(':Input :Desk/Ask');
  expect(earlierFrontEnd.print(earlierFrontEnd.read({ file: 'desk.platform', text: once }).unit)).toBe(once);
});

test('what an agent has and this service has not is told', () => {
  const { diagnostics } = earlierFrontEnd.read({
    file: 'desk.platform',
    text: '(component :Desk)\n{:Platform.Core/Agent {:Name :a :Features ["x"]}}\n{:Platform.Core/Agent {:Type :chat}}\n{:Platform.Core/LLM {:Name :b}}',
  });
  expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual(['warning form-ignored', 'error token-unexpected']);
});

const office = `(component :Office)
(entity :Customer {:Email {:type :Email :guid true} :Name :String})
{:Platform.Core/LLM {:Type :openai :Name :llm01 :Config {:CompletionModel (str "small-" "model")}}}
{:Platform.Core/Agent
 {:Name :planner-agent
  :Type :planner
  :Tools [:Office/Customer {:name "Office/Forget"}]
  :UserInstruction (str "You make customers. " "Be quick.")
  :LLM :llm01}}
(event :Forget {:Email :Email})
(dataflow :Forget {:Customer {:Email? :Forget.Email}})
(event :InvokePlanner {:meta {:inherits :Platform.Core/Inference}})
{:Platform.Core/Agent
 {:Name :summary-agent
  :Chat {:Messages [{:role :system :content (str "You translate " "texts.")}]}
  :UserInstruction "Summarize."
  :Documents [{:Title "rules" :Uri "file://docs/rules.md"}]
  :Delegates {:To :planner-agent}
  :Input :InvokePlanner}}
(inference :InvokeSelfService {:agent "summary-agent"})
(inference :Other {:agent "planner-agent" :instructions "Do nothing."})
(dataflow :Ask {:InvokePlanner {:UserInstruction :Ask.Text}})
`;

const rules = { '../docs/rules.md': 'Customers named Mat are in sales.' };

test('a delegate is a tool of its name: it is asked with a message, its steps stand in the run, and it knows nothing else', async () => {
  const model = await modelServer();
  const app = await serve({ 'office.platform': office, ...rules }, { ...options, llm: model.settings });
  model.says(
    { tool: 'Office_planner_agent', arguments: { message: 'make Mat' } },
    { tool: 'Office_Customer_create', arguments: { Email: 'mat@example.com', Name: 'Mat' } },
    'Made.',
    'All done.',
  );
  const answer = await app.post('/api/Office/InvokePlanner', { 'Office/InvokePlanner': { UserInstruction: 'Add Mat' } });
  expect([answer.status, answer.text]).toEqual([200, '"All done."']);
  const [outer, inner, , last] = model.asked();
  expect(outer?.messages[0]?.content).toBe('You translate texts.\nSummarize.');
  expect(String(outer?.messages.at(-1)?.content)).toContain('<data name="rules">\nCustomers named Mat are in sales.');
  expect(inner?.messages).toEqual([
    { role: 'system', content: 'You make customers. Be quick.' },
    { role: 'user', content: 'make Mat' },
  ]);
  expect(JSON.stringify(inner?.tools)).toContain('Office_Forget');
  expect(JSON.stringify(last?.messages.at(-1))).toContain('Made.');
  expect(JSON.stringify((await app.get('/api/Office/Customer/mat@example.com')).body)).toContain('Mat');
  const steps = await app.kept.rows('SELECT "no", "name", "status" FROM "platform.ai/Step" ORDER BY "no"');
  expect(steps.map((each) => [Number(each['no']), each['name'], each['status']])).toEqual([
    [1, 'Office/InvokePlanner', 'succeeded'],
    [1001, 'Office/planner_agent', 'succeeded'],
  ]);
});

test('an inference asks its agent under a name of its own, with instructions of its own where it has some', async () => {
  const model = await modelServer();
  const app = await serve({ 'office.platform': office, ...rules }, { ...options, llm: model.settings });
  model.says('Hello.');
  for (const name of ['InvokeSelfService', 'Other'])
    expect((await app.post(`/api/Office/${name}`, { [`Office/${name}`]: { UserInstruction: 'Hi' } })).text).toBe('"Hello."');
  expect(model.asked().map(({ messages }) => messages[0]?.content)).toEqual(['You translate texts.\nSummarize.', 'Do nothing.']);
});

test('a language model that the model names is asked by the agents that choose it', async () => {
  const model = await modelServer();
  const app = await serve({ 'office.platform': office, ...rules }, { ...options, llm: model.settings });
  model.says('Hello.');
  await app.post('/api/Office/planner_agent', { 'Office/planner_agent': { UserInstruction: 'Hi' } });
  expect(model.peer.getRequests().map(({ body }) => Object(body).model)).toEqual(['small-model']);
});

test('a dataflow asks an agent with UserInstruction', async () => {
  const model = await modelServer();
  const app = await serve({ 'office.platform': office, ...rules }, { ...options, llm: model.settings });
  model.says('Hello.');
  const answer = await app.post('/api/Office/Ask', { 'Office/Ask': { Text: 'Good morning' } });
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, expect.stringContaining('Hello.')]);
  expect(String(model.asked()[0]?.messages.at(-1)?.content)).toMatch(/^Good morning/);
});

test('agents that ask each other without an end are stopped', async () => {
  const model = await modelServer();
  const text = `(component :Loop)
{:Platform.Core/Agent {:Name :a :UserInstruction "A." :Delegates [{:To :b}]}}
{:Platform.Core/Agent {:Name :b :UserInstruction "B." :Delegates [:a]}}`;
  const app = await serve({ 'loop.platform': text }, { ...options, llm: model.settings });
  const ask = (name: string) => ({ tool: `Loop_${name}`, arguments: { message: 'go' } });
  model.says(ask('b'), ask('a'), ask('b'), ask('a'), 'stopped', 'up', 'up', 'up');
  expect((await app.post('/api/Loop/a', { 'Loop/a': { UserInstruction: 'go' } })).text).toBe('"up"');
  expect(JSON.stringify(model.asked()[4]?.messages.at(-1))).toContain('flow-step-limit');
});

test('a file with language models, documents and inferences is written as it was', () => {
  const { unit } = earlierFrontEnd.read({ file: 'office.platform', text: office });
  const once = earlierFrontEnd.print(unit);
  for (const part of [
    '(str "small-" "model")',
    '(inference :InvokeSelfService {:agent "summary-agent"})',
    ':Delegates {:To :planner-agent}',
  ])
    expect(once).toContain(part);
  expect(earlierFrontEnd.print(earlierFrontEnd.read({ file: 'office.platform', text: once }).unit)).toBe(once);
});
