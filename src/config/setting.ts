// One row of the table of settings, and the few types that a row can have.

import type { Scalar } from '../model/pattern.ts';
import type { Span } from '../source.ts';

/** A value of a configuration file, after its script has run; both forms of the file give this. */
export type ConfigValue =
  | { readonly kind: 'scalar'; readonly value: Scalar; readonly span: Span }
  | { readonly kind: 'list'; readonly items: readonly ConfigValue[]; readonly span: Span }
  | { readonly kind: 'map'; readonly entries: readonly ConfigEntry[]; readonly span: Span };

export interface ConfigEntry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: ConfigValue;
}

export interface Setting<T> {
  /** As in config.al: `service.rateLimit.max`. */
  readonly key: string;
  /** As in config.edn: `service.rate-limit.max`. */
  readonly earlier: string;
  /** In words: "an integer from 0 to 65535". */
  readonly type: string;
  readonly default: T;
  readonly description: string;
  /** The value to use, or nothing when it does not fit. */
  read(value: ConfigValue): { readonly value: T } | undefined;
  /** What in it does not fit, each at its place, where it is more than one value. */
  faults?(value: ConfigValue): readonly ConfigFault[];
  /** Another key that must be given beside this one. */
  readonly requires?: string;
  /** The store type that alone knows this key. */
  readonly store?: 'sqlite' | 'postgres';
}

export interface ConfigFault {
  readonly code: 'config-value' | 'config-key-unknown';
  readonly span: Span;
  readonly message: string;
  readonly suggestion?: string;
}

/** What a row says besides its key and type. */
type Row<T> = Pick<Setting<T>, 'default' | 'description'> & Partial<Pick<Setting<T>, 'requires' | 'store'>> & { readonly earlier?: string };

export function integer(key: string, range: { min: number; max: number }, row: Row<number>): Setting<number> {
  return { ...base(key, row), type: rangeInWords(range), read: (value) => readInteger(value, range) };
}

/** An integer that may also be left out for good. */
export function optionalInteger(
  key: string,
  range: { min: number; max: number },
  row: Row<number | undefined>,
): Setting<number | undefined> {
  return { ...base(key, row), type: rangeInWords(range), read: (value) => readInteger(value, range) };
}

export function boolean(key: string, row: Row<boolean>): Setting<boolean> {
  return { ...base(key, row), type: 'true or false', read: readBoolean };
}

/** One that something else decides where it is left out. */
export function optionalBoolean(key: string, row: Row<boolean | undefined>): Setting<boolean | undefined> {
  return { ...base(key, row), type: 'true or false', read: readBoolean };
}

function readBoolean(value: ConfigValue): { value: boolean } | undefined {
  return isScalar(value) && typeof value.value === 'boolean' ? { value: value.value } : undefined;
}

export function text(
  key: string,
  row: Row<string | undefined>,
  type = 'a text',
  fits = (given: string) => given !== '',
): Setting<string | undefined> {
  const read = (value: ConfigValue) =>
    isScalar(value) && typeof value.value === 'string' && fits(value.value) ? { value: value.value } : undefined;
  return { ...base(key, row), type, read };
}

export function oneOf<const V extends string>(key: string, values: readonly V[], row: Row<V>): Setting<V> {
  const read = (value: ConfigValue) => {
    const found = values.find((each) => isScalar(value) && each === value.value);
    return found === undefined ? undefined : { value: found };
  };
  return { ...base(key, row), type: `one of ${values.map((each) => `"${each}"`).join(', ')}`, read };
}

export function listOf<V>(
  key: string,
  type: string,
  readItem: (text: string) => V | undefined,
  row: Row<readonly V[]>,
): Setting<readonly V[]> {
  const read = (value: ConfigValue) => {
    if (value.kind !== 'list') return undefined;
    const items = value.items.flatMap((item) => {
      const found = isScalar(item) && typeof item.value === 'string' ? readItem(item.value) : undefined;
      return found === undefined ? [] : [found];
    });
    return items.length === value.items.length ? { value: items } : undefined;
  };
  return { ...base(key, row), type, read };
}

function base<T>(key: string, row: Row<T>): Omit<Setting<T>, 'type' | 'read'> {
  return { ...row, key, earlier: row.earlier ?? key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) };
}

function isScalar(value: ConfigValue): value is Extract<ConfigValue, { kind: 'scalar' }> {
  return value.kind === 'scalar';
}

function rangeInWords({ min, max }: { min: number; max: number }): string {
  return `an integer from ${min} to ${max}`;
}

/** `8080`, and `"8080"` as it comes from an environment variable; nothing that would have to be guessed at. */
function readInteger(value: ConfigValue, { min, max }: { min: number; max: number }): { value: number } | undefined {
  if (!isScalar(value)) return undefined;
  const given = typeof value.value === 'string' && /^-?\d{1,15}$/.test(value.value) ? Number(value.value) : value.value;
  return typeof given === 'number' && Number.isInteger(given) && given >= min && given <= max ? { value: given } : undefined;
}
