// Parts of entries of lists in the configuration: texts, numbers, maps of texts.

import { nearest } from '../../diagnostics.ts';
import type { Span } from '../../source.ts';
import type { ConfigEntry, ConfigFault, ConfigValue } from '../setting.ts';

/** Seconds that a call of another system may be given. */
export const longestTime = 3600;

/** By the names of config.al. */
export function entriesOf(item: ConfigValue): ReadonlyMap<string, ConfigEntry> {
  const entries = item.kind === 'map' ? item.entries : [];
  return new Map(entries.map((entry) => [entry.key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()), entry]));
}

export function textOf(value: ConfigValue | undefined): string | undefined {
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
}

export function isBoolean(value: ConfigValue): boolean {
  return isTrue(value) || (value.kind === 'scalar' && value.value === false);
}

export function isTrue(value: ConfigValue | undefined): boolean {
  return value?.kind === 'scalar' && value.value === true;
}

export function numberOf(value: ConfigValue | undefined): number | undefined {
  if (value?.kind !== 'scalar') return undefined;
  const number = typeof value.value === 'string' && value.value !== '' ? Number(value.value) : value.value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function isTime(seconds: number | undefined): boolean {
  return seconds !== undefined && seconds > 0 && seconds <= longestTime;
}

export function isAddress(text: string | undefined): boolean {
  return text !== undefined && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

export function isHeaders(value: ConfigValue): boolean {
  return value.kind === 'map' && value.entries.every(isHeader);
}

function isHeader({ key, value }: ConfigEntry): boolean {
  const text = textOf(value);
  return /^[\w!#$%&'*+.^`|~-]+$/.test(key) && text !== undefined && /^[\t\x20-\x7e]*$/.test(text);
}

export function textsOf(value: ConfigValue | undefined, inLowerCase = false): Readonly<Record<string, string>> {
  const entries = value?.kind === 'map' ? value.entries : [];
  return Object.fromEntries(entries.map((each) => [inLowerCase ? each.key.toLowerCase() : each.key, textOf(each.value) ?? '']));
}

/** What a value must be, in words. */
export type Rule = readonly [expected: string, fits: (value: ConfigValue) => boolean];

/** Keys of an entry that are none, and values that do not fit theirs; `place` as it stands in the documentation, such as `openapi`. */
export function ruleFaults(
  entries: ReadonlyMap<string, ConfigEntry>,
  place: string,
  rules: Readonly<Record<string, Rule>>,
): readonly ConfigFault[] {
  return [...entries].flatMap(([name, entry]) => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) return [unknownKey(`${place}.${name}`, entry, Object.keys(rules))];
    return rule[1](entry.value) ? [] : [wrong(entry.value.span, `${place}.${name} must be ${rule[0]}`)];
  });
}

/** `name` as it stands in the documentation, such as `openapi.spec`; `known` are the last parts of those that there are. */
export function unknownKey(name: string, { keySpan }: ConfigEntry, known: readonly string[]): ConfigFault {
  const near = nearest(name.slice(name.lastIndexOf('.') + 1), known);
  const suggestion = near === undefined ? {} : { suggestion: `did you mean "${near}"?` };
  return { code: 'config-key-unknown', span: keySpan, message: `there is no setting ${name}`, ...suggestion };
}

export function wrong(span: Span, message: string): ConfigFault {
  return { code: 'config-value', span, message };
}
