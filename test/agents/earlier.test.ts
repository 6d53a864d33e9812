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
  expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
    'warning form-ignored',
    'error token-unexpected',
    'warning form-ignored',
  ]);
});
