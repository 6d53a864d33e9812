// What a run had done when it was left: a run that goes on does none of it again.

import { isMap } from '../../model/types/json.ts';
import { parseStored, writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import type { ModelReply, ToolRequest } from '../language-model.ts';
import { type Cost, costOf } from './cost.ts';

export interface Recorded {
  readonly steps: ReadonlyMap<number, RecordedStep>;
  /** Replies that asked for tools, by step, in the order of turns. */
  readonly replies: ReadonlyMap<number, readonly RecordedReply[]>;
  /** What parts of a workflow have done, by step, as JSON. */
  readonly parts: ReadonlyMap<number, string>;
  /** By step and the identifier of the call. */
  readonly calls: ReadonlyMap<string, RecordedCall>;
}

export interface RecordedStep {
  readonly isDone: boolean;
  readonly result: Value;
  readonly label: string | undefined;
  readonly method: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: Cost;
}

export interface RecordedReply extends ModelReply {
  readonly model: string;
  readonly cost: Cost;
}

export interface RecordedCall {
  readonly status: string;
  readonly result: Value;
}

export const nothingRecorded: Recorded = { steps: new Map(), replies: new Map(), parts: new Map(), calls: new Map() };

export function callKey(step: number, id: string): string {
  return `${step} ${id}`;
}

export interface RecordedRows {
  readonly steps: readonly Values[];
  readonly replies: readonly Values[];
  readonly parts: readonly Values[];
  /** With the numbers of their steps. */
  readonly calls: readonly (readonly [number, Values])[];
}

/** From the rows of its steps, replies and calls. */
export function recordedFrom({ steps, replies, parts, calls }: RecordedRows): Recorded {
  const byStep = new Map<number, RecordedReply[]>();
  for (const { step, content } of replies.toSorted((a, b) => Number(a['turn']) - Number(b['turn'])).map(plainReply))
    byStep.set(step, [...(byStep.get(step) ?? []), content]);
  return {
    steps: new Map(steps.map((row) => [Number(row['no']), stepOf(row)])),
    replies: byStep,
    parts: new Map(parts.map(({ step = null, content = null }) => [Number(step), String(content)])),
    calls: new Map(
      calls.map(([step, row]) => [callKey(step, String(row['id'])), { status: String(row['status']), result: row['result'] ?? null }]),
    ),
  };
}

/** Arguments hold numbers of any size, and the run that goes on is to find the same ones. */
export function replyText({ text, calls, inputTokens, outputTokens, model, cost }: RecordedReply): string {
  const made = calls.map(({ id, tool, arguments: given = null }) => ({ id, tool, arguments: given }));
  return writeJson({ text, calls: made, inputTokens, outputTokens, model, cost: cost ?? null });
}

function plainReply({ step = null, content = null }: Values): { readonly step: number; readonly content: RecordedReply } {
  const { text = '', calls = [], inputTokens = 0, outputTokens = 0, model = '', cost = null } = parseStored(String(content));
  const made = Array.isArray(calls) ? calls.map(plainCall) : [];
  const tokens = { inputTokens: Number(inputTokens), outputTokens: Number(outputTokens) };
  return {
    step: Number(step),
    content: { text: String(text), calls: made, ...tokens, model: String(model), cost: typeof cost === 'string' ? cost : undefined },
  };
}

function plainCall(call: Value): ToolRequest {
  const { id = '', tool = '', arguments: given = null } = isMap(call) ? call : {};
  return { id: String(id), tool: String(tool), arguments: isMap(given) ? given : undefined };
}

function stepOf(row: Values): RecordedStep {
  const text = (name: string): string | undefined => (typeof row[name] === 'string' ? row[name] : undefined);
  const tokens = { inputTokens: Number(row['inputTokens'] ?? 0), outputTokens: Number(row['outputTokens'] ?? 0) };
  return {
    isDone: row['status'] === 'succeeded',
    result: row['result'] ?? null,
    label: text('label'),
    method: text('method'),
    ...tokens,
    cost: text('cost') ?? costOf(tokens, undefined),
  };
}
