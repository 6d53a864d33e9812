// Every provider keeps the contract of language models, over real HTTP where it speaks HTTP.

import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sdkModel } from '../../src/agents/providers/ai-sdk.ts';
import { boundedFetch } from '../../src/agents/providers/bounded-fetch.ts';
import { failureOf } from '../../src/agents/providers/failure.ts';
import { modelOpener } from '../../src/agents/providers/open.ts';
import { recordingModel, replayedModel } from '../../src/agents/providers/recorded.ts';
import { readScript, scriptedModel } from '../../src/agents/providers/scripted.ts';
import type { ProviderName } from '../../src/agents/settings.ts';
import { languageModelContract, type ModelPeer, requestOf } from '../contracts/language-model.ts';
import { folderForTest } from '../support/folder.ts';
import { listen } from '../support/listen.ts';
import { modelServer } from '../support/model-server.ts';
import { until } from '../support/time.ts';

for (const provider of ['openai', 'openai-responses', 'anthropic'] as const) languageModelContract(provider, () => overHttp(provider));

languageModelContract('scripted', async () => {
  let reply: unknown = '';
  return {
    model: { name: 'scripted', reply: (request, signal) => scriptedModel(readScript(JSON.stringify([{ reply }]))).reply(request, signal) },
    says: (given) => {
      reply = given;
    },
  };
});

languageModelContract('recorded', async () => {
  const peer = await overHttp('openai');
  return { ...peer, model: recordingModel(peer.model, folderForTest()) };
});

languageModelContract('replayed', async () => {
  const { model, says } = await overHttp('openai');
  const folder = folderForTest();
  const [recording, replayed] = [recordingModel(model, folder), replayedModel(model.name, folder)];
  return {
    model: {
      name: model.name,
      async reply(request, signal) {
        await recording.reply(request, signal);
        return replayed.reply(request, signal);
      },
    },
    says,
  };
});

async function overHttp(provider: ProviderName): Promise<ModelPeer> {
  const { peer, baseUrl, says } = await modelServer();
  const open = await modelOpener({ script: undefined, record: undefined, replay: undefined });
  return {
    model: open({ provider, model: 'test-model', baseUrl, apiKey: 'sk-secret' }),
    says: (reply) => says(reply),
    failures: {
      status: (status) => peer.nextRequestError(status, { message: 'no' }),
      malformed: () => peer.setChaos({ malformedRate: 1 }),
      disconnects: () => peer.setChaos({ disconnectRate: 1 }),
      slow: () => peer.setChaos({ latencyMs: 5000 }),
    },
  };
}

for (const [title, limits, path, kind] of [
  ['an answer that is too long is not read to its end', { bytes: 1000, idle: 60_000, connect: 60_000 }, '/long', 'unavailable'],
  ['a stream that stops is not waited for', { bytes: 1000, idle: 50, connect: 60_000 }, '/stops', 'timeout'],
] as const)
  test(title, async () => {
    const server = createServer(({ url }, answer) => {
      answer.writeHead(200, { 'content-type': url === '/stops' ? 'text/event-stream' : 'application/json' });
      const more = (): boolean => (url === '/stops' ? answer.write('data: 1\n\n') : answer.write('x'.repeat(500), () => more()));
      more();
    });
    const at = `http://127.0.0.1:${await listen(server)}${path}`;
    const text = async (): Promise<string> => (await boundedFetch(limits)(at)).text();
    const given: unknown = await text().catch((each: unknown) => each);
    expect(given instanceof Error ? failureOf(given, new AbortController().signal, '').kind : undefined).toBe(kind);
  });

test.each(['application/json', 'text/plain'])(
  'an answer of %s, which is no stream, has its time to come, longer than a stream may stop',
  async (type) => {
    const answers: ServerResponse[] = [];
    const server = createServer(({ url }, answer) => {
      answer.writeHead(200, { 'content-type': url === '/stops' ? 'text/event-stream' : type }).write('{');
      answers.push(answer);
    });
    const at = `http://127.0.0.1:${await listen(server)}`;
    const ask = boundedFetch({ bytes: 1000, idle: 1, connect: 60_000 });
    const slow = ask(`${at}/slow`).then((answer) => answer.text());
    const [answer] = await until(() => (answers.length > 0 ? answers : undefined));
    // It began later, and has been given up by now.
    await expect(ask(`${at}/stops`).then((stopped) => stopped.text())).rejects.toThrow('nothing came for 1 ms');
    answer?.end('}');
    expect(await slow).toBe('{}');
  },
);

test('a server that lets nobody in is not waited for, one that takes long to answer is', async () => {
  const ask = boundedFetch({ bytes: 1000, idle: 60_000, connect: 1000 });
  // What is encrypted begins with an answer, and this one never says anything.
  const silent = `https://127.0.0.1:${await listen(createTcpServer())}/`;
  const held: ServerResponse[] = [];
  const slow = `http://127.0.0.1:${await listen(createServer((_, answer) => held.push(answer)))}/`;
  // Where this process stands still for a second, there is no connection in time either: then it is asked again.
  const late = await until(async () => {
    const asking = ask(slow).then(
      (answer) => answer.text(),
      () => undefined,
    );
    await Promise.race([asking, until(() => held.length > 0)]);
    // It began later, and has been given up by now.
    const given: unknown = await ask(silent).catch((each: unknown) => each);
    expect(failureOf(given, new AbortController().signal, '').kind).toBe('unavailable');
    expect(given).toMatchObject({ message: 'there was no connection within 1000 ms' });
    for (const answer of held.splice(0)) answer.end('late');
    return asking;
  });
  expect(late).toBe('late');
});

for (const [title, path] of [
  ['a server that leads elsewhere', '/moved'],
  ['a server that breaks its answer off', '/broken'],
] as const)
  test(`${title} gives no reply, and the key goes nowhere else`, async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url, headers }, answer) => {
      asked.push(`${url} ${headers.authorization}`);
      if (url === '/moved') answer.writeHead(307, { location: '/elsewhere' }).end();
      else answer.writeHead(200, { 'content-length': '10' }).write('x', () => answer.destroy());
    });
    const at = `http://127.0.0.1:${await listen(server)}${path}`;
    const given: unknown = await boundedFetch()(at, { headers: { authorization: 'key' } }).catch((each: unknown) => each);
    expect(failureOf(given, new AbortController().signal, '').kind).toBe('unavailable');
    expect(asked).toEqual([`${path} key`]);
  });

test('an answer that is packed is read, and bounded by what it becomes', async () => {
  const server = createServer(({ url }, answer) => {
    answer.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
    answer.end(gzipSync(url === '/long' ? 'x'.repeat(100_000) : '{"a": 1}'));
  });
  const at = `http://127.0.0.1:${await listen(server)}`;
  const ask = boundedFetch({ bytes: 1000, idle: 60_000, connect: 60_000 });
  expect(await (await ask(`${at}/short`)).text()).toBe('{"a": 1}');
  await expect(ask(`${at}/long`)).rejects.toThrow('more than 1000 bytes');
});

test('only a reply that comes in pieces has to begin in time: of others a server sends nothing before it has all of it', async () => {
  const { peer, baseUrl, says } = await modelServer();
  says('whole');
  peer.setChaos({ latencyMs: 300 });
  const settings = { provider: 'openai', model: 'test-model', baseUrl, apiKey: 'sk-secret' } as const;
  const { signal } = new AbortController();
  const model = sdkModel('openai', settings, 20);
  await expect(model.reply(requestOf([]), signal)).resolves.toMatchObject({ text: 'whole' });
  await expect(model.reply(requestOf([], { onText: () => {} }), signal)).rejects.toMatchObject({ kind: 'timeout' });
});

const scripts: readonly [title: string, script: string, why: RegExp][] = [
  ['no JSON', '[', /no JSON/],
  ['no list', '{}', /must be a list/],
  ['an entry without a reply', '[{"agent": "a"}]', /entry 1 .* needs a "reply"/],
  ['an unknown key', '[{"reply": "a"}, {"reply": "a", "answer": "b"}]', /entry 2 .* unknown key "answer"/],
  ['a tool without a name', '[{"reply": [{"arguments": {}}]}]', /entry 1 .* needs a "reply"/],
];
for (const [title, script, why] of scripts)
  test(`a script is refused that has ${title}`, () => expect(() => readScript(script)).toThrow(why));

const scenarios = [{ user: 'Where is my parcel?', ai: 'shipping' }];
const replies: readonly [title: string, about: object, text: string][] = [
  ['the scenario of the same words, whatever their case and marks', { message: 'where is my PARCEL', scenarios }, 'shipping'],
  ['the first label where no scenario fits', { message: 'x', scenarios, labels: ['billing', 'shipping'] }, 'billing'],
  ['a fixed text otherwise', { message: 'x', scenarios }, 'No scenario fits.'],
];
for (const [title, about, text] of replies) {
  test(`without a script the reply is ${title}`, async () => {
    const request = requestOf([], { about: { agent: 'a/b', scenarios: [], labels: [], message: '', turn: 0, ...about } });
    await expect(scriptedModel([]).reply(request, new AbortController().signal)).resolves.toMatchObject({ text });
  });
}

test('the first entry of a script that fits wins, by the agent and by words of the message; a list has one reply for each turn', async () => {
  const model = scriptedModel(
    readScript(
      JSON.stringify([
        { agent: 'other', reply: 'not this' },
        { agent: 'greeter', contains: 'Hello', reply: [{ tool: 'look', arguments: { x: 1 } }, 'done'] },
        { reply: 'never' },
      ]),
    ),
  );
  const at = (turn: number) =>
    model.reply(
      requestOf([], { about: { agent: 'shop/greeter', scenarios: [], labels: [], message: 'Hello there', turn } }),
      new AbortController().signal,
    );
  expect([await at(0), await at(1), await at(2)]).toMatchObject([
    { calls: [{ tool: 'look', arguments: { x: 1 } }] },
    { text: 'done' },
    { text: 'done' },
  ]);
});
