// Replies that were written down beforehand: in a file, or as the scenarios of the agent itself. A first try needs no key, and a test no network.

import { normalizedLabel } from '../../model/label.ts';
import { parseJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import type { LanguageModel, ModelReply, ModelRequest, RequestSubject, ToolRequest } from '../language-model.ts';

interface ScriptEntry {
  readonly agent: string | undefined;
  readonly contains: string | undefined;
  /** One for each turn; the last one stands for all that follow. */
  readonly replies: readonly ScriptReply[];
}

type ScriptReply = string | { readonly tool: string; readonly arguments: Values };

export class ScriptInvalid extends Error {}

export function scriptedModel(script: readonly ScriptEntry[]): LanguageModel {
  return {
    name: 'scripted',
    async reply(request) {
      const { about } = request;
      const entry = script.find((each) => fits(each, about));
      const reply = entry?.replies[Math.min(about.turn, entry.replies.length - 1)] ?? fromScenarios(about);
      return spoken(reply, request);
    },
  };
}

function fits({ agent, contains }: ScriptEntry, about: RequestSubject): boolean {
  const isAgent = agent === undefined || agent === about.agent || about.agent.endsWith(`/${agent}`);
  return isAgent && (contains === undefined || about.message.includes(contains));
}

function fromScenarios({ scenarios, message, labels }: RequestSubject): string {
  const said = normalizedLabel(message);
  const scenario = scenarios.find(({ user }) => normalizedLabel(user) === said);
  return scenario?.ai ?? labels[0] ?? 'No scenario fits.';
}

function spoken(reply: ScriptReply, { messages, about }: ModelRequest): ModelReply {
  const calls: readonly ToolRequest[] =
    typeof reply === 'string' ? [] : [{ id: `call_${about.turn + 1}`, tool: reply.tool, arguments: reply.arguments }];
  const asked = messages.reduce((sum, each) => sum + ('text' in each ? each.text.length : writtenLength(each.results)), 0);
  const text = typeof reply === 'string' ? reply : '';
  return { text, calls, inputTokens: estimated(asked), outputTokens: estimated(writtenLength(reply)) };
}

/** Four characters are about one token. */
export function estimated(characters: number): number {
  return Math.ceil(characters / 4);
}

/** As JSON, whatever numbers are in it. */
export function writtenLength(said: unknown): number {
  return JSON.stringify(said, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)).length;
}

const limits = { depth: 64, keys: 100_000, items: 100_000 };

/** Entries `{"agent"?, "contains"?, "reply"}`; throws a `ScriptInvalid` that says which one does not fit. */
export function readScript(text: string): readonly ScriptEntry[] {
  let entries: Value;
  try {
    entries = parseJson(text, limits);
  } catch (cause) {
    throw new ScriptInvalid('the script of the language model is no JSON', { cause });
  }
  if (!Array.isArray(entries)) throw new ScriptInvalid('the script of the language model must be a list');
  return entries.map(entryOf);
}

function entryOf(entry: Value, index: number): ScriptEntry {
  const wrong = (why: string) => new ScriptInvalid(`entry ${index + 1} of the script of the language model ${why}`);
  if (!isMap(entry)) throw wrong('must be a map');
  const { agent, contains, reply, ...others } = entry;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(`has the unknown key "${unknown}"`);
  if (!isTextOrAbsent(agent) || !isTextOrAbsent(contains)) throw wrong('must have texts as "agent" and "contains"');
  const replies = (Array.isArray(reply) ? reply : [reply]).map(replyOf);
  const known = replies.filter((each) => each !== undefined);
  if (known.length !== replies.length || known.length === 0)
    throw wrong('needs a "reply": a text, {"tool", "arguments"}, or a list of those');
  return { agent, contains, replies: known };
}

function replyOf(reply: Value | undefined): ScriptReply | undefined {
  if (typeof reply === 'string') return reply;
  if (!isMap(reply)) return undefined;
  const { tool, arguments: given = {} } = reply;
  return typeof tool === 'string' && isMap(given) ? { tool, arguments: given } : undefined;
}

function isTextOrAbsent(value: Value | undefined): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

export function isMap(value: Value | undefined): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
