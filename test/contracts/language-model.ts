// What every language model promises, whoever is behind it.

import { expect, test } from 'vitest';
import { type LanguageModel, type Message, ModelFailure, type ModelRequest } from '../../src/agents/language-model.ts';

/** The other side of a model, made to answer in a certain way. */
export interface ModelPeer {
  readonly model: LanguageModel;
  /** The next request is answered with this text, or with this call. */
  says(reply: string | { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }): void;
  /** Absent where nothing lies between the service and the model. */
  readonly failures?: {
    status(status: number): void;
    malformed(): void;
    disconnects(): void;
    slow(): void;
  };
}

const about = { agent: 'shop/greeter', scenarios: [], labels: [], message: 'Hello', turn: 0 };

export function requestOf(messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages, tools: [], temperature: 0, maxOutputTokens: 100, about, ...more };
}

const hello: readonly Message[] = [
  { role: 'system', text: 'You greet.' },
  { role: 'user', text: 'Hello' },
];

const tools = [
  {
    name: 'shop_Order_create',
    description: 'Creates one Order.',
    parameters: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'], additionalProperties: false },
  },
];

const never = new AbortController().signal;

export function languageModelContract(name: string, open: () => Promise<ModelPeer>): void {
  test(`${name}: a message is answered with a text, and its tokens are counted`, async () => {
    const { model, says } = await open();
    says('Good day.');
    const reply = await model.reply(requestOf(hello), never);
    expect(reply).toMatchObject({ text: 'Good day.', calls: [] });
    expect(reply.inputTokens).toBeGreaterThan(0);
    expect(reply.outputTokens).toBeGreaterThan(0);
  });

  test(`${name}: a tool is called with its arguments, and what it gave is part of what comes next`, async () => {
    const { model, says } = await open();
    says({ tool: 'shop_Order_create', arguments: { item: 'tea' } });
    const { calls, text } = await model.reply(requestOf(hello, { tools }), never);
    expect(calls).toMatchObject([{ tool: 'shop_Order_create', arguments: { item: 'tea' } }]);
    says('Ordered.');
    const results = calls.map(({ id, tool }) => ({ id, tool, result: { id: 7, item: 'tea' } }));
    const messages: readonly Message[] = [...hello, { role: 'assistant', text, calls }, { role: 'tool', results }];
    const reply = await model.reply(requestOf(messages, { tools, about: { ...about, turn: 1 } }), never);
    expect(reply).toMatchObject({ text: 'Ordered.', calls: [] });
  });

  const kinds: readonly [title: string, fail: (peer: NonNullable<ModelPeer['failures']>) => void, kind: string][] = [
    ['a key that is not accepted', (peer) => peer.status(401), 'auth'],
    ['too many requests', (peer) => peer.status(429), 'busy'],
    ['a failure of the other side', (peer) => peer.status(500), 'unavailable'],
    ['a request that is refused', (peer) => peer.status(400), 'refused'],
    ['an answer that is no JSON', (peer) => peer.malformed(), 'unreadable'],
    ['a connection that breaks', (peer) => peer.disconnects(), 'unavailable'],
  ];
  for (const [title, fail, kind] of kinds) {
    test(`${name}: ${title} is a failure of the kind ${kind}, after one attempt`, async ({ skip }) => {
      const { model, failures } = await open();
      if (failures === undefined) return skip('nothing lies between the service and this model');
      fail(failures);
      const thrown = await model.reply(requestOf(hello), never).catch((each: unknown) => each);
      expect(thrown).toBeInstanceOf(ModelFailure);
      expect(thrown).toMatchObject({ kind });
    });
  }

  test(`${name}: a call that takes too long ends with its signal`, async ({ skip }) => {
    const { model, failures, says } = await open();
    if (failures === undefined) return skip('nothing lies between the service and this model');
    says('Too late.');
    failures.slow();
    const thrown = await model.reply(requestOf(hello), AbortSignal.timeout(200)).catch((each: unknown) => each);
    expect(thrown).toMatchObject({ kind: 'timeout' });
  });
}
