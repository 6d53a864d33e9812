// What is told of agents besides their answers: figures for a monitor, and the description of what can be done about runs.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { modelServer } from '../support/model-server.ts';

const desk = `module desk
entity Ticket { id Int @id, title String }
@public agent clerk { instruction "Work.", tools [desk/Ticket] }
`;

test('/metrics counts runs, calls, tokens, cost and refusals', async () => {
  const model = await modelServer();
  const app = await serve(desk, { llm: { ...model.settings, prices: new Map([['test-model', { input: '1000', output: '2000' }]]) } });
  model.says({ tool: 'desk_Ticket_update', arguments: { id: 7 } }, { tool: 'made_up', arguments: {} }, 'Done.');
  await app.post('/desk/clerk', { message: 'x' });
  model.peer.nextRequestError(401, { message: 'no' });
  await app.post('/desk/clerk', { message: 'y' });
  const { text } = await app.get('/metrics');
  for (const line of [
    'agent_runs_total{agent="desk/clerk",status="succeeded"} 1',
    'agent_runs_total{agent="desk/clerk",status="failed"} 1',
    'agent_tool_refusals_total{tool="desk_Ticket_update"} 1',
    'llm_calls_total{model="test-model",outcome="answered"} 3',
    'llm_calls_total{model="test-model",outcome="failed"} 1',
    'llm_tokens_total{model="test-model",direction="input"} 33',
    'llm_tokens_total{model="test-model",direction="output"} 21',
    'llm_cost_total{model="test-model"} 0.075',
  ])
    expect(text.split('\n')).toContain(line);
  expect(text).not.toContain('made_up');
});

test('the API description has what can be done about runs, and what a message that waits is answered', async () => {
  const app = await serve(desk, { llm: { provider: 'scripted' }, surfaces: ['current', 'earlier'] });
  const { paths, components } = documentIn((await app.get('/openapi.json')).body);
  for (const action of ['approve', 'reject', 'cancel', 'resume']) {
    expect(paths[`/platform.ai/Run/{id}/${action}`]).toMatchObject({ post: { operationId: `${action}-run` } });
    expect(paths[`/api/Platform.Core/Run/{Id}/${action}`]).toMatchObject({ post: { operationId: `api-${action}-run` } });
  }
  expect(paths['/desk/clerk']).toMatchObject({
    post: { responses: { 202: { content: { 'application/json': { schema: expect.anything() } } } } },
  });
  expect(JSON.stringify(components)).toContain('"conversation"');
});

function documentIn(body: unknown): { paths: Record<string, unknown>; components: unknown } {
  if (typeof body !== 'object' || body === null || !('paths' in body) || !('components' in body)) throw new Error('no document');
  return { paths: Object.fromEntries(Object.entries(body.paths ?? {})), components: body.components };
}
