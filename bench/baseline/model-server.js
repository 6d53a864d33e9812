// A language model that says the same after so many milliseconds, by the protocol that compatible servers speak. Prints its port.

import { createServer } from 'node:http';

const delay = Number(process.argv[2] ?? 0);
const message = { role: 'assistant', content: 'Good day! What is it about?' };
const usage = { prompt_tokens: 40, completion_tokens: 8, total_tokens: 48 };
const body = JSON.stringify({
  id: 'r1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  usage,
});

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body), delay));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
