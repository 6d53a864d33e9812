// What somebody would write by hand for one agent: the same call of the same provider library, answered as a JSON string, so many at once. Keeps nothing.

import { createServer } from 'node:http';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

const model = createOpenAICompatible({ name: 'compatible', baseURL: process.argv[2], supportsStructuredOutputs: true })('test-model');

const most = Number(process.argv[3] ?? Number.POSITIVE_INFINITY);
let running = 0;

async function answer(text) {
  if (running >= most) return [429, { error: 'too many' }];
  running += 1;
  return ask(text).finally(() => {
    running -= 1;
  });
}

async function ask(text) {
  const { message } = JSON.parse(text);
  if (typeof message !== 'string') return [422, { error: 'message' }];
  const { content } = await model.doGenerate({
    prompt: [
      { role: 'system', content: 'You are a clerk.\n\nAnswer.' },
      { role: 'user', content: [{ type: 'text', text: message }] },
    ],
    maxOutputTokens: 1024,
    temperature: 0,
    abortSignal: AbortSignal.timeout(60_000),
  });
  return [200, content.map((part) => (part.type === 'text' ? part.text : '')).join('')];
}

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const [status, value] = await answer(text);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
