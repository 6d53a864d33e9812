// Which label a reply means: exactly, then without case and decoration, then inside of JSON. Never by a part of the text: "not billing" is not "billing", and
// whoever plants a word in a text would choose the way.

import { normalizedLabel } from '../../model/label.ts';
import { parseJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { MatchLevel } from '../settings.ts';

export type Method = 'M1' | 'M2' | 'M3' | 'M4' | 'else' | 'none';

export interface Match {
  readonly label: string;
  readonly method: Method;
}

/** Characters of a reply that are looked at. */
const mostRead = 64 * 1024;

export function matchReply(reply: string, labels: readonly string[], level: MatchLevel): Match | undefined {
  if (reply.length > mostRead) return undefined;
  const exact = reply.normalize('NFC');
  const same = labels.find((each) => each.normalize('NFC') === exact);
  if (same !== undefined) return { label: same, method: 'M1' };
  if (level === 'exact') return undefined;
  const text = withoutFence(reply);
  const normal = normalized(text, labels);
  if (normal !== undefined) return { label: normal, method: 'M2' };
  const inside = textInJson(text);
  const found = inside === undefined ? undefined : normalized(inside, labels);
  return found === undefined ? undefined : { label: found, method: 'M3' };
}

/** What a workflow gives: texts as they are or normalised, numbers and booleans by how JSON writes them, nothing else. */
export function matchValue(value: Value, labels: readonly string[], level: MatchLevel): Match | undefined {
  if (typeof value === 'string') {
    const found = matchReply(value, labels, level);
    return found?.method === 'M3' ? undefined : found;
  }
  if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'boolean') return undefined;
  const label = labels.find((each) => each === String(value));
  return label === undefined ? undefined : { label, method: 'M1' };
}

function normalized(text: string, labels: readonly string[]): string | undefined {
  const wanted = normalizedLabel(text);
  return wanted === '' ? undefined : labels.find((each) => normalizedLabel(each) === wanted);
}

/** The inside of one fenced block, where the text is nothing else. */
export function withoutFence(text: string): string {
  return /^\s*```[\w-]*\s*\n?([\s\S]*?)\n?\s*```\s*$/.exec(text)?.[1] ?? text;
}

const limits = { depth: 8, keys: 100, items: 100 };

/** A JSON string, or the one text of an object that holds nothing else. */
function textInJson(text: string): string | undefined {
  const value = readJson(text);
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [only, ...others] = Object.values(value);
  return typeof only === 'string' && others.length === 0 ? only : undefined;
}

/** What a model wrote, where it is JSON. */
export function readJson(text: string, bounds = limits): Value | undefined {
  try {
    return parseJson(text.trim(), bounds);
  } catch {
    // Most replies are texts.
    return undefined;
  }
}
