// Replies that are kept in a folder, one file for each request, and given again to the same request without asking anybody.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../../values/json/canonical.ts';
import { parseJson, writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { type LanguageModel, ModelFailure, type ModelReply, type ModelRequest, type ToolRequest } from '../language-model.ts';
import { isMap } from './scripted.ts';

/** Asks the model, and keeps what it replies. Failures are not kept. */
export function recordingModel(model: LanguageModel, folder: string): LanguageModel {
  return {
    name: model.name,
    async reply(request, signal) {
      const reply = await model.reply(request, signal);
      const { text, uuids } = canonicalOf(request, model.name);
      const kept = writeJson({ request: parseJson(text, limits), reply: replyAsValues(reply) });
      const file = fileOf(text, folder);
      // Whoever reads at the same moment finds all of it, or nothing.
      writeFileSync(`${file}.new`, withNumbers(kept, uuids), { mode: 0o600 });
      renameSync(`${file}.new`, file);
      return reply;
    },
  };
}

/** Gives what is kept; asks `otherwise`, where there is one, for what is not. */
export function replayedModel(name: string, folder: string, otherwise?: LanguageModel): LanguageModel {
  return {
    name,
    async reply(request, signal) {
      const { text, uuids } = canonicalOf(request, name);
      const file = fileOf(text, folder);
      if (existsSync(file)) return replyIn(withUuids(readFileSync(file, 'utf8'), uuids), file);
      if (otherwise === undefined) throw new ModelFailure('not-recorded', undefined, new Error(`there is no ${file}`));
      return otherwise.reply(request, signal);
    },
  };
}

interface Canonical {
  readonly text: string;
  /** Identifiers in the request, in the order in which they come. */
  readonly uuids: readonly string[];
}

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?/g;

/** What the service makes anew each time, identifiers and times, is the same request all the same. */
function canonicalOf({ messages, tools, temperature, maxOutputTokens, schema }: ModelRequest, model: string): Canonical {
  const text = canonicalJson(plain({ model, messages, tools, temperature, maxOutputTokens, schema }));
  const uuids = [...new Set(text.match(uuid))];
  return { text: withNumbers(text, uuids).replace(time, '<time>'), uuids };
}

function withNumbers(text: string, uuids: readonly string[]): string {
  return text.replace(uuid, (each) => (uuids.includes(each) ? `<uuid ${uuids.indexOf(each) + 1}>` : each));
}

function withUuids(text: string, uuids: readonly string[]): string {
  return text.replace(/<uuid (\d+)>/g, (each, number: string) => uuids[Number(number) - 1] ?? each);
}

function fileOf(text: string, folder: string): string {
  return join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 40)}.json`);
}

const limits = { depth: 1000, keys: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY };

/** Without members that are absent, which JSON does not have. */
function plain(value: unknown): Value {
  return parseJson(
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)),
    limits,
  );
}

function replyAsValues({ text, calls, inputTokens, outputTokens }: ModelReply): Values {
  return {
    text,
    calls: calls.map(({ id, tool, arguments: given = null }) => ({ id, tool, arguments: given })),
    inputTokens,
    outputTokens,
  };
}

/** People mend such files: what does not fit is no reply. */
function replyIn(text: string, file: string): ModelReply {
  const wrong = new ModelFailure('not-recorded', undefined, new Error(`${file} holds no reply`));
  let kept: Value;
  try {
    kept = parseJson(text, limits);
  } catch {
    throw wrong;
  }
  const reply = isMap(kept) ? kept['reply'] : undefined;
  if (!isMap(reply)) throw wrong;
  const { text: said, calls = [], inputTokens = 0, outputTokens = 0 } = reply;
  if (typeof said !== 'string' || !Array.isArray(calls)) throw wrong;
  const made = calls.map((each): ToolRequest => {
    const { id, tool, arguments: given } = isMap(each) ? each : {};
    if (typeof id !== 'string' || typeof tool !== 'string') throw wrong;
    return { id, tool, arguments: isMap(given) ? given : undefined };
  });
  return { text: said, calls: made, inputTokens: Number(inputTokens), outputTokens: Number(outputTokens) };
}
