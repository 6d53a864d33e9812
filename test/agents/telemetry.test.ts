// Spans by the conventions of OpenTelemetry, sent to a collector where one is configured.

import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { settingsFrom } from '../../src/config/config.ts';
import { open, serve } from '../support/app.ts';
import { listen } from '../support/listen.ts';
import { modelServer } from '../support/model-server.ts';

const desk = `module desk
entity Ticket { id Int @id, title String }
agent clerk { instruction "Work.", tools [desk/Ticket] }
agent last { instruction "End." }
@public agent support { role "You run it." }
flow support { clerk --> last }
`;

interface Sent {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly status: { readonly code?: number };
}

async function collector(): Promise<{ endpoint: string; texts: string[]; headers: unknown[]; spans(): readonly Sent[] }> {
  const texts: string[] = [];
  const headers: unknown[] = [];
  const server = createServer((asked, answer) => {
    let text = '';
    asked.on('data', (piece) => {
      text += String(piece);
    });
    asked.on('end', () => {
      texts.push(text);
      headers.push(asked.headers['x-key']);
      answer.writeHead(200).end('{}');
    });
  });
  const port = await listen(server);
  const endpoint = `http://127.0.0.1:${port}/v1/traces`;
  const spans = (): readonly Sent[] => texts.flatMap((each) => JSON.parse(each).resourceSpans[0].scopeSpans[0].spans);
  return { endpoint, texts, headers, spans };
}

for (const content of [false, true]) {
  test(`a run is one trace of its agents, calls of models and tools; what was said is ${content ? '' : 'not '}in it`, async () => {
    const model = await modelServer();
    const { endpoint, texts, headers, spans } = await collector();
    const telemetry = { endpoint, headers: { 'x-key': 'k' }, service: 'desk', content };
    const app = await open(desk, { llm: { ...model.settings, telemetry } });
    model.says({ tool: 'desk_Ticket_update', arguments: { id: 7, title: 'x' } }, 'Done.', 'End.');
    await app.post('/desk/support', { message: 'a secret thing' });
    await app.close();
    const sent = spans();
    expect(new Set(sent.map((each) => each.traceId)).size).toBe(1);
    const nameOf = new Map(sent.map((each) => [each.spanId, each.name]));
    expect(sent.map(({ name, parentSpanId = '' }) => `${nameOf.get(parentSpanId) ?? '-'} > ${name}`).sort()).toEqual([
      '- > invoke_workflow desk/support',
      'invoke_agent desk/clerk > chat',
      'invoke_agent desk/clerk > chat',
      'invoke_agent desk/clerk > execute_tool desk_Ticket_update',
      'invoke_agent desk/last > chat',
      'invoke_workflow desk/support > invoke_agent desk/clerk',
      'invoke_workflow desk/support > invoke_agent desk/last',
    ]);
    expect(sent.find((each) => each.name === 'chat')?.attributes).toContainEqual({
      key: 'gen_ai.usage.input_tokens',
      value: { intValue: '11' },
    });
    expect(headers).toEqual(['k']);
    expect(texts.join('').includes('a secret thing')).toBe(content);
  });
}

test('a run that fails ends its spans with what went wrong, and a collector that is not there harms nobody', async () => {
  const model = await modelServer();
  const { endpoint, spans } = await collector();
  const telemetry = { endpoint, headers: {}, service: 'desk', content: false };
  const app = await open(desk, { llm: { ...model.settings, telemetry } });
  model.peer.nextRequestError(401, { message: 'no' });
  expect((await app.post('/desk/support', { message: 'x' })).status).toBe(502);
  await app.close();
  expect(spans().map((each) => each.status.code)).toEqual([2, 2, 2]);
  const other = await serve(desk, { llm: { ...model.settings, telemetry: { ...telemetry, endpoint: 'http://127.0.0.1:9/v1/traces' } } });
  model.says('ok');
  expect((await other.post('/desk/support', { message: 'x' })).status).toBe(200);
});

const variables: readonly [title: string, environment: Readonly<Record<string, string>>, endpoint: string | undefined][] = [
  ['nothing', {}, undefined],
  ['an endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' }, 'http://c:4318/v1/traces'],
  ['an endpoint for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/t' }, 'http://c/t'],
  ['an endpoint, switched off', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: 'true' }, undefined],
  ['an endpoint, without traces', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_EXPORTER: 'none' }, undefined],
];
for (const [title, environment, endpoint] of variables)
  test(`with ${title} in the environment spans go to ${endpoint ?? 'nobody'}`, () => {
    const place = { projectFolder: '/p', projectName: 'p', configFile: undefined, environment, storeId: () => 'x' };
    expect(settingsFrom(new Map(), place).llm.telemetry?.endpoint).toBe(endpoint);
  });
