// Writes the configuration of one surface in the form of the other. Values of the environment stay what they are: nothing secret is written down.

import { textNode } from '../language/earlier/print/node.ts';
import type { Scalar } from '../model/pattern.ts';
import type { Source } from '../source.ts';
import { ExactNumber } from '../values/exact-number.ts';
import { writeJson } from '../values/json/json.ts';
import { rows } from './config.ts';
import { combineCurrentConfig, splitConfig } from './current.ts';
import { combineEarlierConfig } from './earlier/earlier.ts';
import type { ConfigEntry, ConfigValue } from './setting.ts';

export interface ConvertedConfig {
  readonly text: string;
  /** What cannot be said in the other form. */
  readonly missing: readonly string[];
}

export function toCurrentConfig(source: Source): ConvertedConfig {
  const { value = emptyMap(source), instances, diagnostics } = combineEarlierConfig(source);
  const maps = instances.map(({ type, attributes, span }): [string, ConfigValue] => [
    type.text,
    { kind: 'map', entries: attributes, span },
  ]);
  const entries = value.kind === 'map' ? [...value.entries, ...byType(maps)] : [];
  const ignored = diagnostics.filter((each) => each.code === 'config-key-ignored').map((each) => each.message);
  return { text: `${currentText({ kind: 'map', entries, span: value.span })}\n`, missing: ignored };
}

export function toEarlierConfig(source: Source): ConvertedConfig {
  const missing: string[] = [];
  const { settings, instances } = splitConfig(combineCurrentConfig(source) ?? emptyMap(source));
  const tree: Tree = new Map();
  if (settings.kind === 'map') place(settings.entries, '', tree, missing);
  for (const { key, value } of byType(instances.map((each) => [each.key, each.value]))) {
    const text = earlierText(value);
    if (text === undefined) missing.push(`${key} is computed: write its values to config.edn`);
    else tree.set(key, { text });
  }
  return { text: `${treeText(tree)}\n`, missing };
}

/** Several instances of a type stand in a list. */
function byType(instances: readonly (readonly [type: string, value: ConfigValue])[]): readonly ConfigEntry[] {
  const types = new Map<string, ConfigValue[]>();
  for (const [type, value] of instances) types.set(type, [...(types.get(type) ?? []), ...(value.kind === 'list' ? value.items : [value])]);
  return [...types].flatMap(([key, items]): readonly ConfigEntry[] => {
    const [first, ...others] = items;
    if (first === undefined) return [];
    const { span } = first;
    return [{ key, keySpan: span, value: others.length === 0 ? first : { kind: 'list', items, span } }];
  });
}

function emptyMap(source: Source): ConfigValue {
  return { kind: 'map', entries: [], span: { source, start: 0, end: 0 } };
}

function currentText(value: ConfigValue): string {
  if (value.kind === 'scalar') return writeJson(plain(value.value));
  if (value.kind === 'list') return `[${value.items.map(currentText).join(', ')}]`;
  return `{${value.entries.map(({ key, value: each }) => `${JSON.stringify(key)}: ${currentText(each)}`).join(', ')}}`;
}

function plain(value: Scalar): Exclude<Scalar, bigint> {
  return typeof value === 'bigint' ? String(value) : value;
}

interface Leaf {
  readonly text: string;
}

type Tree = Map<string, Tree | Leaf>;

const earlierKeys: ReadonlyMap<string, string> = new Map(rows.map((row) => [row.key, row.earlier]));

function place(entries: readonly ConfigEntry[], prefix: string, tree: Tree, missing: string[]): void {
  for (const { key, value } of entries) {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const earlier = earlierKeys.get(path);
    const isSection = [...earlierKeys.keys()].some((each) => each.startsWith(`${path}.`));
    if (earlier !== undefined) {
      const text = earlierText(value);
      if (text === undefined) missing.push(`${path} is computed: write its value to config.edn`);
      else put(tree, earlier.split('.'), { text });
    } else if (isSection && value.kind === 'map') place(value.entries, path, tree, missing);
    else missing.push(`${path} has no meaning, and is left out`);
  }
}

function put(tree: Tree, path: readonly string[], leaf: Leaf): void {
  const [first = '', ...rest] = path;
  if (rest.length === 0) tree.set(first, leaf);
  else {
    const inner = tree.get(first);
    const below: Tree = inner instanceof Map ? inner : new Map();
    tree.set(first, below);
    put(below, rest, leaf);
  }
}

function treeText(tree: Tree): string {
  return `{${[...tree].map(([key, each]) => `:${key} ${each instanceof Map ? treeText(each) : each.text}`).join(' ')}}`;
}

/** Nothing for what only JavaScript can compute. */
function earlierText(value: ConfigValue): string | undefined {
  if (value.kind === 'scalar') return scalarText(value.value);
  const parts =
    value.kind === 'list'
      ? value.items.map(earlierText)
      : value.entries.map((each) => {
          const text = earlierText(each.value);
          return text === undefined ? undefined : `:${each.key} ${text}`;
        });
  if (parts.some((each) => each === undefined)) return undefined;
  return value.kind === 'list' ? `[${parts.join(' ')}]` : `{${parts.join(' ')}}`;
}

const variable = /^\s*#js\s+process\.env\.([A-Za-z_]\w*)(?:\s*(?:\?\?|\|\|)\s*(.+?))?\s*$/;

function scalarText(value: Scalar): string | undefined {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== 'string') return value === null ? 'nil' : String(value);
  if (!/^\s*#js\s/.test(value)) return textNode(value);
  const [, name, fallback] = variable.exec(value) ?? [];
  if (name === undefined) return undefined;
  if (fallback === undefined) return `#$ ${name}`;
  const given = literalOf(fallback);
  return given === undefined ? undefined : `#$ [${name} ${given}]`;
}

function literalOf(text: string): string | undefined {
  const quoted = /^'([^'\\]*)'$/.exec(text)?.[1];
  if (quoted !== undefined) return textNode(quoted);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string'
      ? textNode(value)
      : typeof value === 'number' || typeof value === 'boolean'
        ? String(value)
        : undefined;
  } catch {
    return undefined;
  }
}
