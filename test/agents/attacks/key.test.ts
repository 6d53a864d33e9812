// The key of the language model, and a vendor that repeats it wherever it can: it is in no answer, stream, run, line of the log, metric or span.

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { AgentSettings } from '../../../src/agents/agents.ts';
import { createLog } from '../../../src/http/server/log.ts';
import { open } from '../../support/app.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { listen } from '../../support/listen.ts';

const desk = `module desk
entity Note { id Int @id, text String }
agent first { instruction "One." }
agent second { instruction "Two.", tools [desk/Note] }
@public agent clerk { instruction "Work.", tools [desk/Note] }
@public agent both { role "x" }
flow both { first --> "yes" second }
`;

/** Whatever a vendor may do with the key that it was shown. */
const faults: Readonly<Record<string, (key: string, answer: ServerResponse) => void>> = {
  'a message of an error': (key, answer) => json(answer, 401, { error: { message: `wrong key ${key}`, code: key, type: key, param: key } }),
  'a part of an error that nobody reads': (key, answer) => json(answer, 403, { detail: { seen: [key] }, [key]: 1 }),
  'a header': (key, answer) => json(answer, 400, { error: { message: 'no' } }, { 'x-seen': key, 'set-cookie': `k=${key}` }),
  'a failing server': (key, answer) => json(answer, 500, { error: { message: key } }),
  'too many requests': (key, answer) => json(answer, 429, { error: { message: key } }, { 'retry-after': '900' }),
  'an answer that is no JSON': (key, answer) => answer.writeHead(200, { 'content-type': 'application/json' }).end(`{"${key}`),
  'an answer of another shape': (key, answer) =>
    json(answer, 200, { choices: [{ message: { content: { key } } }], content: key, output: key }),
  'an error inside of a stream': (key, answer) =>
    answer.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: {"error":{"message":"${key}","code":"${key}"}}\n\n`),
  'a page': (key, answer) => answer.writeHead(502, { 'content-type': 'text/html' }).end(`<h1>${key}</h1>`),
  'a redirection': (key, answer) => answer.writeHead(302, { location: `http://127.0.0.1:1/${key}` }).end(),
  'a connection that breaks': (key, answer) => {
    answer
      .writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' })
      .write(`{"id": "${key}"`, () => answer.destroy());
  },
};

function json(answer: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const providers = ['openai', 'openai-responses', 'anthropic'] as const;

test.each(providers)('%s: whatever the vendor does with the key, nobody else is shown it', async (provider) => {
  const key = 'sk-canary-4f1c99';
  const vendor = await vendorOf();
  const collected: string[] = [];
  const collector = await listening((text, answer) => {
    collected.push(text);
    answer.end('{}');
  });
  const logFile = join(temporaryFolder(), 'log');
  const log = await createLog({ level: 'debug', pretty: false, destination: logFile });
  const telemetry = { endpoint: `${collector}/v1/traces`, headers: {}, service: 'desk', content: true };
  const llm: Partial<AgentSettings> = { provider, model: 'm', apiKey: key, telemetry };
  // Each in a service of its own: after five failures nobody would be asked.
  const seen = await Promise.all(
    Object.keys(faults).map(async (_, index) => {
      const app = await open(desk, { llm: { ...llm, baseUrl: `${vendor.url}/${index}/v1` }, log });
      const answers = [
        await app.post('/desk/clerk', { message: 'go' }, { 'idempotency-key': 'a' }),
        await app.post('/desk/both', { message: 'go' }, { accept: 'text/event-stream' }),
        await app.get('/metrics'),
        await app.get('/ready'),
      ];
      const runs = await app.get('/platform.ai/Run');
      for (const { id } of Array.isArray(runs.body) ? runs.body : []) answers.push(await app.get(`/platform.ai/Run/${id}/RunStep/Step`));
      expect(answers[0]?.status).toBeGreaterThanOrEqual(400);
      await app.close();
      return [answers, runs, app.failures, app.warnings, app.lines];
    }),
  );
  log.flush();
  expect(vendor.shown()).toBeGreaterThan(Object.keys(faults).length);
  expect(collected.length).toBeGreaterThan(0);
  const all = `${inspect(seen, { depth: null, showHidden: true, maxArrayLength: null, maxStringLength: null })} ${readFileSync(logFile, 'utf8')} ${collected.join()}`;
  expect(all.split('sk-canary').length - 1, all.slice(Math.max(0, all.indexOf('sk-canary') - 600), all.indexOf('sk-canary') + 100)).toBe(0);
});

test.each(providers)('%s: a redirection is not followed, so that no other server is shown the key', async (provider) => {
  const asked: string[] = [];
  const elsewhere = await listening((_, answer, { url = '', headers }) => {
    asked.push(`${url} ${JSON.stringify(headers)}`);
    answer.end('{}');
  });
  const vendor = await listening((_, answer) => answer.writeHead(307, { location: `${elsewhere}/v1` }).end());
  const app = await open(desk, { llm: { provider, model: 'm', apiKey: 'sk-canary-4f1c99', baseUrl: `${vendor}/v1` } });
  expect(await app.post('/desk/clerk', { message: 'go' })).toMatchObject({ status: 502, body: { code: 'llm-unavailable' } });
  await app.close();
  expect(asked).toEqual([]);
});

interface Vendor {
  readonly url: string;
  /** How often it was shown a key. */
  shown(): number;
}

/** The first part of the path is the number of the fault. */
async function vendorOf(): Promise<Vendor> {
  let shown = 0;
  const all = Object.values(faults);
  const url = await listening((_, answer, { headers, url: path = '' }) => {
    const key = String(headers['authorization'] ?? headers['x-api-key'] ?? '').replace('Bearer ', '');
    if (key.includes('canary')) shown += 1;
    all[Number(path.split('/')[1])]?.(key, answer);
  });
  return { url, shown: () => shown };
}

type Respond = (text: string, answer: ServerResponse, asked: IncomingMessage) => void;

async function listening(respond: Respond): Promise<string> {
  const server = createServer((asked, answer) => {
    let text = '';
    asked.on('data', (piece) => {
      text += String(piece);
    });
    asked.on('end', () => respond(text, answer, asked));
  });
  const port = await listen(server);
  return `http://127.0.0.1:${port}`;
}
