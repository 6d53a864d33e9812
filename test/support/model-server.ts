// A language model for tests, over real HTTP: it says what it is told to, and keeps what it was asked.

import { LLMock } from '@copilotkit/aimock';
import { onTestFinished } from 'vitest';
import type { AgentSettings } from '../../src/agents/agents.ts';

export interface ModelServer {
  readonly peer: LLMock;
  /** Up to and including `/v1`. */
  readonly baseUrl: string;
  /** What models are asked under `LLM_BASE_URL`. */
  readonly settings: Pick<AgentSettings, 'provider' | 'model' | 'baseUrl' | 'apiKey'>;
  /** Replies in this order, one for each request; the last one again and again. */
  says(...replies: readonly ServerReply[]): void;
  /** Replies from this one on wait until what is given back is called, or the test ends. */
  hold(from?: number): () => void;
  /** The bodies of the requests so far. */
  asked(): readonly AskedBody[];
}

export type ServerReply = string | { readonly tool: string; readonly arguments: unknown };

export interface AskedBody {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly unknown[];
}

export async function modelServer(): Promise<ModelServer> {
  const peer = await LLMock.create({ port: 0, logLevel: 'silent' });
  onTestFinished(() => peer.stop());
  let replies: readonly ServerReply[] = [];
  let count = 0;
  let held: { readonly from: number; readonly released: Promise<void> } | undefined;
  peer.on({ predicate: () => true }, async () => {
    const reply = replies[Math.min(count, replies.length - 1)] ?? '';
    count += 1;
    const number = count;
    if (held !== undefined && number > held.from) await held.released;
    const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18, input_tokens: 11, output_tokens: 7 };
    if (typeof reply === 'string') return { content: reply, usage };
    const written = typeof reply.arguments === 'string' ? reply.arguments : JSON.stringify(reply.arguments);
    return { toolCalls: [{ name: reply.tool, arguments: written, id: `call_server_${number}` }], usage };
  });
  const baseUrl = `${peer.url}/v1`;
  return {
    peer,
    baseUrl,
    settings: { provider: 'openai', model: 'test-model', baseUrl, apiKey: undefined },
    says(...given) {
      replies = given;
      count = 0;
    },
    hold(from = 0) {
      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      held = { from, released };
      onTestFinished(() => release());
      return () => release();
    },
    asked: () => peer.getRequests().flatMap(({ body }) => (isBody(body) ? [body] : [])),
  };
}

function isBody(body: unknown): body is AskedBody {
  return typeof body === 'object' && body !== null && 'messages' in body && Array.isArray(body.messages);
}
