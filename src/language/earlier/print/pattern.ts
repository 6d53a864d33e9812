// In charge of the text of patterns that are maps.

import {
  type Aggregate,
  comparisonWords,
  type Expression,
  type InstancePattern,
  type LinkPattern,
  type PatternAttribute,
  type PatternOptions,
} from '../../../model/pattern.ts';
import type { Node } from './layout.ts';
import { type Entry, form, keyword, map, vector } from './node.ts';
import { comparisonWord, conditionNode, keyNode, operandNode, type Scene, valueNode } from './value.ts';

/** `{:E {...} :as :A}`; `tail` is what the statement around adds. */
export function instanceNode(pattern: InstancePattern, scene: Scene, tail: readonly Entry[] = []): Node {
  const { type, all, attributes } = pattern;
  const inside = { ...scene, type: type.text };
  const options = optionEntries(pattern, inside);
  const own = all ? options.inner : [];
  const body = map([...attributeEntries(attributes, inside), ...own]);
  const main = { key: keyword(all ? `${type.text}?` : type.text), value: body, span: { start: type.span.start, end: type.span.end } };
  const others = all ? options.outer : [...options.inner, ...options.outer];
  return map([main, ...relationEntries(pattern, scene), ...others, ...tail]);
}

/** Several tests of one attribute are joined: a map has each key once. */
export function attributeEntries(attributes: readonly PatternAttribute[], scene: Scene, mark = '?'): readonly Entry[] {
  const groups = new Map<string, PatternAttribute[]>();
  for (const each of attributes) {
    const key = `${each.name.text}${each.query === undefined ? '' : mark}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups].map(([key, group]) => ({ key: keyword(key), value: testsNode(group, scene), span: group[0]?.span }));
}

function testsNode(group: readonly PatternAttribute[], scene: Scene): Node {
  const [first, ...more] = group;
  if (first === undefined) return '[]';
  if (more.length > 0) return form([keyword('and'), ...group.map((each) => testNode(each, scene, true))]);
  return testNode(first, scene, false);
}

function testNode({ query, value }: PatternAttribute, scene: Scene, inGroup: boolean): Node {
  if (query === undefined) return columnNode(value, scene);
  // A list that begins with an operator would be taken for a test.
  if (query === '==' && !inGroup) return listNode(value, scene, testWords) ?? columnNode(value, scene);
  const operands = query === 'between' && value.kind === 'list' && value.items.length === 2 ? value.items : [value];
  return form([keyword(comparisonWord(query)), ...operands.map((each) => columnNode(each, scene))]);
}

/** A quote keeps a list apart that begins with one of these words. */
function listNode(value: Expression | Aggregate, scene: Scene, words: ReadonlySet<string>): Node | undefined {
  const node = value.kind === 'list' ? valueNode(value, scene) : undefined;
  const first = typeof node === 'object' ? node.items[0]?.node : undefined;
  return value.kind === 'list' && typeof first === 'string' && words.has(first) ? operandNode(value, scene) : undefined;
}

const testWords: ReadonlySet<string> = new Set([...comparisonWords.keys(), 'not=', 'and', 'or', 'not'].map(keyword));
const aggregateWords: ReadonlySet<string> = new Set(['count', 'sum', 'avg', 'min', 'max'].map(keyword));

function columnNode(value: Expression | Aggregate, scene: Scene): Node {
  const list = listNode(value, scene, aggregateWords);
  if (list !== undefined) return list;
  return value.kind === 'aggregate' ? form([keyword(value.function), keyword(value.of.text)]) : valueNode(value, scene);
}

function relationEntries({ links, nested }: InstancePattern, scene: Scene): readonly Entry[] {
  const outside = { ...scene, type: undefined };
  const entries: Entry[] = [];
  if (links !== undefined) entries.push({ key: keyword('->'), value: vector(links.map((each) => linkNode(each, outside))) });
  if (nested.length > 0) {
    const nodes = nested.map(({ relationship, list, patterns }) => {
      const inner = patterns.map((each) => instanceNode(each, scene));
      const [only] = inner;
      return form([keyword(relationship.text), list || only === undefined ? vector(inner) : only]);
    });
    entries.push({ key: keyword('with'), value: vector(nodes), span: nested[0]?.span });
  }
  return entries;
}

function linkNode({ relationship, query, attributes, other, id }: LinkPattern, scene: Scene): Node {
  const name = keyword(query ? `${relationship.text}?` : relationship.text);
  const inside = { ...scene, type: relationship.text };
  const head = attributes.length === 0 ? name : map([{ key: name, value: map(attributeEntries(attributes, inside)) }]);
  const identity = id?.kind === 'literal' && id.raw === ':_' ? ':_' : id === undefined ? undefined : valueNode(id, scene);
  return form([head, ...(other === undefined ? [] : [valueNode(other, scene)]), ...(identity === undefined ? [] : [identity])]);
}

const joinWords = { inner: 'join', left: 'left-join', right: 'right-join', full: 'full-join' } as const;

interface OptionEntries {
  /** Those that stand in the map of `{:E? {...}}`. */
  readonly inner: readonly Entry[];
  readonly outer: readonly Entry[];
}

function optionEntries(pattern: InstancePattern, scene: Scene): OptionEntries {
  const { options } = pattern;
  const outside = { ...scene, type: undefined };
  const inner: Entry[] = [];
  const outer: Entry[] = [];
  if (options.condition !== undefined) inner.push(entry('where', conditionNode(options.condition, scene), options.condition));
  if (options.where !== undefined) inner.push(entry('matching', map(attributeEntries(options.where, scene))));
  inner.push(...columnEntries(options, pattern.all, scene, outer));
  if (options.groupBy !== undefined) inner.push(entry('group-by', vector(options.groupBy.map((each) => orderedNode(each.text)))));
  if (options.orderBy !== undefined) inner.push(entry('order-by', orderNode(options.orderBy)));
  if (options.limit !== undefined) inner.push(entry('limit', valueNode(options.limit, outside), options.limit));
  if (options.offset !== undefined) inner.push(entry('offset', valueNode(options.offset, outside), options.offset));
  if (options.from !== undefined) outer.push(entry('from', valueNode(options.from, outside), options.from));
  if (options.upsert === true) outer.push(entry('upsert', 'true'));
  if (options.distinct === true) outer.push(entry('distinct', 'true'));
  outer.push(...joinEntries(options, scene));
  if (options.withTypes !== undefined) outer.push(entry('with-types', typesNode(options.withTypes)));
  for (const { name, value } of options.ignored ?? []) outer.push(entry(name.text, value.text, value));
  return { inner, outer };
}

function entry(key: string, value: Node, at?: Expression): Entry {
  return { key: keyword(key), value, span: at?.span };
}

function orderNode(columns: NonNullable<PatternOptions['orderBy']>): Node {
  return vector(columns.map(({ name, descending }) => (descending ? form([keyword(name.text), ':desc']) : orderedNode(name.text))));
}

/** A column that is called as a direction would be taken for that of the one before it. */
function orderedNode(name: string): Node {
  return name === 'desc' || name === 'asc' ? form([keyword(name)]) : keyword(name);
}

/** `:count :*` where the column is called as what is done; else `:with-attributes`. */
function columnEntries({ into }: PatternOptions, all: boolean, scene: Scene, outer: Entry[]): readonly Entry[] {
  if (into === undefined) return [];
  const plain = all && into.length > 0 && into.every(({ name, value }) => value.kind === 'aggregate' && value.function === name.text);
  const repeated = new Set(into.map((each) => each.name.text)).size < into.length;
  if (plain && !repeated) return into.map(({ name, value }) => entry(name.text, keyword(value.kind === 'aggregate' ? value.of.text : '')));
  outer.push(
    entry(
      'with-attributes',
      map(into.map(({ name, value }) => ({ key: keyNode(name.text), value: columnNode(value, scene), span: name.span }))),
    ),
  );
  return [];
}

function typesNode(types: NonNullable<PatternOptions['withTypes']>): Node {
  return map(types.map(({ base, subtype }) => ({ key: keyword(base.text), value: keyword(subtype.text), span: base.span })));
}

function joinEntries({ joins }: PatternOptions, scene: Scene): readonly Entry[] {
  if (joins === undefined) return [];
  const sides = [...new Set(joins.map((each) => each.side))];
  return sides.map((side) => {
    const nodes = joins
      .filter((each) => each.side === side)
      .map((each) =>
        map([{ key: keyword(each.type.text), value: map(attributeEntries(each.attributes, { ...scene, type: each.type.text })) }]),
      );
    return entry(joinWords[side], vector(nodes));
  });
}
