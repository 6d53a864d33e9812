// Language models of vendors and of compatible servers, through the provider packages of the AI SDK, which are loaded with the first call.

import type {
  JSONSchema7,
  JSONValue,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3Message,
} from '@ai-sdk/provider';
import { ExactNumber } from '../../values/exact-number.ts';
import { parseJson, writeJson } from '../../values/json/json.ts';
import { doubleWritten } from '../../values/json/number.ts';
import type { Values } from '../../values/value.ts';
import { type LanguageModel, type Message, ModelFailure, type ModelReply, type ModelRequest, type ToolRequest } from '../language-model.ts';
import type { ModelSettings } from '../settings.ts';
import { boundedFetch, firstInTime } from './bounded-fetch.ts';
import { failureOf } from './failure.ts';
import { estimated, isMap, writtenLength } from './scripted.ts';

/** What is asked where the settings name no model. */
const defaultModels = { openai: 'gpt-4.1-mini', 'openai-responses': 'gpt-4.1-mini', anthropic: 'claude-sonnet-4-5' } as const;
type Vendor = keyof typeof defaultModels;

/** `first`: milliseconds until a reply that comes in pieces begins. */
export function sdkModel(vendor: Vendor, settings: ModelSettings, first?: number): LanguageModel {
  const name = settings.model ?? defaultModels[vendor];
  let loaded: Promise<LanguageModelV3> | undefined;
  return {
    name,
    async reply(request, signal) {
      loaded ??= load(vendor, name, settings);
      const model = await loaded;
      try {
        const options = callOptions(request, signal);
        const { content, usage, finishReason } = await (request.onText === undefined
          ? model.doGenerate(options)
          : inPieces(model, { ...options, abortSignal: signal }, request.onText, first));
        // A reply that the vendor's own filter cut is a reply: the text says so.
        if (finishReason.unified === 'error') throw new ModelFailure('unreadable');
        return replyOf(content, usage.inputTokens.total, usage.outputTokens.total, request);
      } catch (thrown) {
        throw thrown instanceof ModelFailure ? thrown : failureOf(thrown, signal, settings.apiKey ?? '');
      }
    },
  };
}

type Whole = Pick<Awaited<ReturnType<LanguageModelV3['doGenerate']>>, 'content' | 'usage' | 'finishReason'>;

/** The same reply, its text told as it comes. */
async function inPieces(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions & { readonly abortSignal: AbortSignal },
  onText: (delta: string) => void,
  first: number | undefined,
): Promise<Whole> {
  const { stream } = await firstInTime((abortSignal) => model.doStream({ ...options, abortSignal }), options.abortSignal, first);
  const content: LanguageModelV3Content[] = [];
  let text = '';
  let end: Pick<Whole, 'usage' | 'finishReason'> | undefined;
  for await (const part of stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'finish') end = part;
    if (part.type === 'tool-call') content.push(part);
    if (part.type !== 'text-delta') continue;
    text += part.delta;
    onText(part.delta);
  }
  if (end === undefined) throw new ModelFailure('unavailable');
  return { content: [{ type: 'text', text }, ...content], usage: end.usage, finishReason: end.finishReason };
}

async function load(vendor: Vendor, name: string, { baseUrl, apiKey = '' }: ModelSettings): Promise<LanguageModelV3> {
  const address = { fetch: boundedFetch(), ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) };
  switch (vendor) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ ...address, apiKey })(name);
    }
    case 'openai-responses': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ ...address, apiKey }).responses(name);
    }
    default: {
      if (baseUrl === undefined) {
        const { createOpenAI } = await import('@ai-sdk/openai');
        return createOpenAI({ ...address, apiKey }).chat(name);
      }
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const key = apiKey === '' ? {} : { apiKey };
      return createOpenAICompatible({ ...address, name: 'compatible', baseURL: baseUrl, ...key, supportsStructuredOutputs: true })(name);
    }
  }
}

function callOptions(request: ModelRequest, signal: AbortSignal): LanguageModelV3CallOptions {
  const { messages, tools, temperature, maxOutputTokens, schema } = request;
  return {
    prompt: messages.map(messageOf),
    maxOutputTokens,
    abortSignal: signal,
    ...(temperature === undefined ? {} : { temperature }),
    ...(schema === undefined ? {} : { responseFormat: { type: 'json', schema: schemaOf(schema), name: 'reply' } }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            name,
            description,
            inputSchema: schemaOf(parameters),
          })),
        }),
  };
}

function messageOf(message: Message): LanguageModelV3Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
          ...message.calls.map(({ id, tool, arguments: input }) => ({
            type: 'tool-call' as const,
            toolCallId: id,
            toolName: tool,
            input: plain(input ?? {}),
          })),
        ],
      };
    default:
      return {
        role: 'tool',
        content: message.results.map(({ id, tool, result }) => ({
          type: 'tool-result' as const,
          toolCallId: id,
          toolName: tool,
          // As text: what a row says stays data whatever stands in it, and numbers keep their digits.
          output: { type: 'text' as const, value: writeJson(result) },
        })),
      };
  }
}

/** The packages write with JSON.stringify: a number that it would round goes back to the model as a text, with all its digits. */
function plain(values: Values): JSONValue {
  const written = JSON.stringify(values, (_, each: unknown) =>
    typeof each === 'bigint' ? String(each) : each instanceof ExactNumber ? (doubleWritten(each) ?? each.text) : each,
  );
  return JSON.parse(written);
}

function schemaOf(schema: Values | object): JSONSchema7 {
  return JSON.parse(JSON.stringify(schema));
}

function replyOf(
  content: readonly LanguageModelV3Content[],
  inputTokens: number | undefined,
  outputTokens: number | undefined,
  { messages }: ModelRequest,
): ModelReply {
  const text = clean(content.map((part) => (part.type === 'text' ? part.text : '')).join(''));
  const calls = content.flatMap((part): readonly ToolRequest[] =>
    part.type === 'tool-call' ? [{ id: clean(part.toolCallId), tool: clean(part.toolName), arguments: argumentsOf(part.input) }] : [],
  );
  // Some servers do not count: then four characters are a token.
  return {
    text,
    calls,
    inputTokens: inputTokens || estimated(writtenLength(messages)),
    outputTokens: outputTokens || estimated(text.length + calls.reduce((sum, each) => sum + writtenLength(each), 0)),
  };
}

/** Without what no store keeps in a text. */
function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

const limits = { depth: 32, keys: 1000, items: 10_000 };

function argumentsOf(input: string): Values | undefined {
  try {
    const value = parseJson(input === '' ? '{}' : input, limits);
    return isMap(value) ? value : undefined;
  } catch {
    // The model is told that these are no arguments.
    return undefined;
  }
}
