// Replies that are recorded and given again: without a key, without anybody that is asked, to the same request alone.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordingModel, replayedModel } from '../../src/agents/providers/recorded.ts';
import { readScript, scriptedModel } from '../../src/agents/providers/scripted.ts';
import { requestOf } from '../contracts/language-model.ts';
import { serve } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { modelServer } from '../support/model-server.ts';

const desk = `module desk
entity Ticket { id UUID @id @default(uuid()), title String, made DateTime @default(now()) }
@public agent clerk { instruction "Work on tickets.", tools [desk/Ticket] }
`;

test('a run that was recorded is given again without a key, also where identifiers and times are others', async () => {
  const folder = join(folderForTest(), 'replies');
  const model = await modelServer();
  const recording = await serve(desk, { llm: { ...model.settings, apiKey: 'sk-secret', record: folder } });
  model.says({ tool: 'desk_Ticket_create', arguments: { title: 'Broken' } }, { tool: 'desk_Ticket_read', arguments: {} }, 'Made.');
  expect((await recording.post('/desk/clerk', { message: 'make one' })).text).toBe('"Made."');
  const files = readdirSync(folder);
  expect(files).toHaveLength(3);
  expect(files.map((each) => readFileSync(join(folder, each), 'utf8')).join('')).not.toContain('sk-secret');
  const asked = model.asked().length;

  const replaying = await serve(desk, {
    llm: { provider: 'openai', model: 'test-model', apiKey: undefined, baseUrl: undefined, replay: folder },
  });
  expect(await replaying.post('/desk/clerk', { message: 'make one' })).toMatchObject({ status: 200, text: '"Made."' });
  expect((await replaying.get('/desk/Ticket')).body).toMatchObject([{ title: 'Broken' }]);
  expect(model.asked()).toHaveLength(asked);
  expect(await replaying.post('/desk/clerk', { message: 'make two' })).toMatchObject({
    status: 502,
    body: { code: 'llm-unavailable', detail: 'There is no recorded reply to this request.' },
  });
});

test('an identifier in a reply is that of the request it is given to', async () => {
  const folder = folderForTest();
  const [one, other] = ['0199c4c2-0000-7000-8000-000000000001', '0199c4c2-0000-7000-8000-000000000002'];
  const about = (id: string) => requestOf([{ role: 'user', text: `close ${id}` }]);
  const never = new AbortController().signal;
  const script = scriptedModel(readScript(JSON.stringify([{ reply: { tool: 'close', arguments: { id: one } } }])));
  await recordingModel(script, folder).reply(about(one), never);
  const { calls } = await replayedModel('scripted', folder).reply(about(other), never);
  expect(calls).toMatchObject([{ tool: 'close', arguments: { id: other } }]);
});

test('with both folders, what is recorded is given again and what is not is asked and recorded', async () => {
  const folder = folderForTest();
  const model = await modelServer();
  const app = await serve(desk, { llm: { ...model.settings, record: folder, replay: folder } });
  model.says('First.', 'Second.');
  const replies = [];
  for (const message of ['a', 'a', 'b']) replies.push((await app.post('/desk/clerk', { message })).body);
  expect(replies).toEqual(['First.', 'First.', 'Second.']);
  expect(model.asked()).toHaveLength(2);
});

test('a file that holds no reply is none', async () => {
  const folder = folderForTest();
  const model = scriptedModel([]);
  const request = requestOf([{ role: 'user', text: 'a' }]);
  const never = new AbortController().signal;
  await recordingModel(model, folder).reply(request, never);
  const [file = ''] = readdirSync(folder);
  for (const text of ['', '[]', '{"reply": {"text": 7}}', '{"reply": {"text": "a", "calls": [{"id": 1}]}}']) {
    writeFileSync(join(folder, file), text);
    await expect(replayedModel('scripted', folder).reply(request, never)).rejects.toMatchObject({ kind: 'not-recorded' });
  }
});

test('a folder that cannot be made refuses the start', async () => {
  const place = folderForTest();
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'file'), '');
  await expect(serve(desk, { llm: { provider: 'scripted', record: join(place, 'file', 'replies') } })).rejects.toThrow(
    'LLM_RECORD names a folder that cannot be made.',
  );
});
