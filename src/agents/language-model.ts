// The seam to language models: messages and tools go in, a text or calls of tools come out. How a vendor spells that is a provider's affair.

import type { JsonSchema } from '../model/types/attribute-type.ts';
import type { Value, Values } from '../values/value.ts';

export interface LanguageModel {
  /** As the vendor names it. */
  readonly name: string;
  /** One attempt: throws a `ModelFailure` where there is no reply. */
  reply(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
}

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  /** Absent: as the provider has it. */
  readonly temperature: number | undefined;
  readonly maxOutputTokens: number;
  /** What the text of the reply is to be as JSON; absent: any text. */
  readonly schema?: JsonSchema | undefined;
  /** Given the pieces of a text as they come, where somebody waits for them. */
  readonly onText?: ((delta: string) => void) | undefined;
  /** Who asks, for replies that are written down beforehand. */
  readonly about: RequestSubject;
}

export interface RequestSubject {
  /** Qualified. */
  readonly agent: string;
  readonly scenarios: readonly { readonly user: string; readonly ai: string }[];
  readonly labels: readonly string[];
  /** What the user said, without what the service put beside it. */
  readonly message: string;
  /** How many replies came before in this step. */
  readonly turn: number;
}

export type Message =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ToolRequest[] }
  | { readonly role: 'tool'; readonly results: readonly ToolAnswer[] };

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export interface ToolRequest {
  readonly id: string;
  readonly tool: string;
  /** Absent where the model wrote something that is no JSON object. */
  readonly arguments: Values | undefined;
}

export interface ToolAnswer {
  readonly id: string;
  readonly tool: string;
  readonly result: Value;
}

export interface ModelReply {
  readonly text: string;
  readonly calls: readonly ToolRequest[];
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Why there is no reply, in kinds that decide what is done next. */
export type FailureKind =
  /** The key is not accepted. */
  | 'auth'
  /** Too many requests: it says when to come again, or not. */
  | 'busy'
  /** Not reached, or failing on the other side. */
  | 'unavailable'
  | 'timeout'
  | 'too-long'
  /** The request itself is refused: another attempt would be too. */
  | 'refused'
  /** An answer that cannot be read. */
  | 'unreadable'
  /** Replies are taken from a folder, and there is none for this request. */
  | 'not-recorded';

/** The text of a vendor goes nowhere but into the log: it may repeat what was sent. */
export class ModelFailure extends Error {
  readonly kind: FailureKind;
  /** Seconds, where the vendor says so. */
  readonly retryAfter: number | undefined;

  constructor(kind: FailureKind, retryAfter?: number, cause?: unknown) {
    super(`the language model gave no reply: ${kind}`, cause === undefined ? undefined : { cause });
    this.name = 'ModelFailure';
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}
