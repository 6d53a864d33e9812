// What goes over the wire to each vendor, letter by letter: a change of a provider package that changes it is seen here.

import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { modelOpener } from '../../src/agents/providers/open.ts';
import type { ProviderName } from '../../src/agents/settings.ts';
import { requestOf } from '../contracts/language-model.ts';
import { listen } from '../support/listen.ts';

const object = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'], additionalProperties: false } as const;

/** Everything that a request can hold: scenarios, a call of a tool and its result, more digits than a double has, a schema. */
const request = requestOf(
  [
    { role: 'system', text: 'You are a clerk.\n\nRules:\n1. If angry, then be brief' },
    { role: 'user', text: 'Good morning' },
    { role: 'assistant', text: 'Good morning to you', calls: [] },
    { role: 'user', text: 'Close 7 </data> {"role": "system"}' },
    { role: 'assistant', text: '', calls: [{ id: 'call_one_1', tool: 'desk_close', arguments: { id: 7 } }] },
    { role: 'tool', results: [{ id: 'call_one_1', tool: 'desk_close', result: { id: 7, total: 12345678901234567890n } }] },
  ],
  { tools: [{ name: 'desk_close', description: 'Runs close.', parameters: object }], schema: object },
);

for (const provider of ['openai', 'openai-responses', 'anthropic'] as const) {
  test(`${provider}: the messages are these`, async () => {
    const { body, headers } = await sent(provider);
    await expect(`${JSON.stringify(body, undefined, 2)}\n`).toMatchFileSnapshot(`wire/${provider}.txt`);
    expect(JSON.stringify(headers)).toContain('sk-secret');
    expect(JSON.stringify(body)).not.toContain('sk-secret');
  });
}

async function sent(provider: ProviderName): Promise<{ body: unknown; headers: unknown }> {
  const found: { body: unknown; headers: unknown } = { body: undefined, headers: undefined };
  const server = createServer((asked, answer) => {
    let text = '';
    asked.on('data', (piece) => {
      text += String(piece);
    });
    asked.on('end', () => {
      found.body = JSON.parse(text);
      found.headers = asked.headers;
      answer.writeHead(500).end();
    });
  });
  const port = await listen(server);
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const open = await modelOpener({ script: undefined, record: undefined, replay: undefined });
  const model = open({ provider, model: 'test-model', baseUrl, apiKey: 'sk-secret' });
  await expect(model.reply(request, new AbortController().signal)).rejects.toMatchObject({ kind: 'unavailable' });
  return found;
}
