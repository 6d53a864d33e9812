// The text of a query → a document that the schema takes, or its faults. Limits are looked at before anything else, and texts that were seen before are known.

import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql';
import { ByteCache, CacheBound } from '../../byte-cache.ts';
import type { ErrorCode } from '../../errors.ts';

export type Checked =
  | { readonly kind: 'document'; readonly document: DocumentNode; readonly fragments: ReadonlyMap<string, FragmentDefinitionNode> }
  | { readonly kind: 'refused'; readonly errors: readonly GraphQLError[] };

const mostTokens = 15_000;
const deepest = 10;
const mostAliases = 1_000;
const mostRoots = 200;
/** Of one name in one selection, and fragments in all: each is compared with each when a query is checked. */
const mostAlike = 100;
const mostFragments = 200;
/** With fragments wherever they are used: fields, and those of them below the root that have fields themselves, each of which is a part of a statement. */
const mostFields = 15_000;
const mostSelections = 100;
const cacheBytes = 8 * 1024 * 1024;
/** What is kept of a text, beside the text. */
const bytesPerCharacter = 60;

export type CheckDocument = (text: string) => Checked;

export function documentChecker(schema: GraphQLSchema): CheckDocument {
  const known = new ByteCache<string, Checked>(new CacheBound(cacheBytes));
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const checked = check(text, schema);
    if (checked.kind === 'document') known.set(text, checked, text.length * bytesPerCharacter);
    return checked;
  };
}

function check(text: string, schema: GraphQLSchema): Checked {
  if (isTooNested(text)) return { kind: 'refused', errors: [limit(`A query has at most ${mostNested} brackets in each other.`)] };
  let document: DocumentNode;
  try {
    document = parse(text, { maxTokens: mostTokens });
  } catch (thrown) {
    if (thrown instanceof GraphQLError) return { kind: 'refused', errors: [withoutValue(thrown)] };
    throw thrown;
  }
  const fragments = new Map(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])),
  );
  const over = limitFault(document, fragments);
  if (over !== undefined) return { kind: 'refused', errors: [over] };
  const errors = validate(schema, document, undefined, { maxErrors: 100 });
  return errors.length > 0 ? { kind: 'refused', errors: errors.map(withoutValue) } : { kind: 'document', document, fragments };
}

/** Whoever reads a query calls itself for each bracket. */
const mostNested = 100;

/** Brackets in texts and comments count only where these are not closed. */
function isTooNested(text: string): boolean {
  let depth = 0;
  for (const [part] of text.matchAll(/"""(?:\\"""|[^"]|"(?!""))*"""|"(?:\\.|[^"\\\n\r])*"|#[^\n\r]*|[{}[\]()]/g)) {
    if (part === '{' || part === '[' || part === '(') depth += 1;
    else if (part === '}' || part === ']' || part === ')') depth -= 1;
    if (depth > mostNested) return true;
  }
  return false;
}

const longestMessage = 500;

/** What somebody sent is not repeated: it may be what nobody else should read. */
function withoutValue(fault: GraphQLError): GraphQLError {
  const message = fault.message
    .replace(/(, found| value:|Unexpected (?:Name|String|Int|Float|BlockString)).*$/s, '$1')
    .replace(/(, found| value:)$/, '');
  return new GraphQLError(message.slice(0, longestMessage), {
    nodes: fault.nodes ?? null,
    source: fault.source ?? null,
    positions: fault.positions ?? null,
    extensions: refusalOf(fault),
  });
}

/** The code of a document, or of variables, that is refused: the library stops at what is too much, and says so. */
export function refusalOf({ message, extensions }: GraphQLError): { readonly code: ErrorCode; readonly status: number } {
  const isTooMuch = extensions['code'] === 'limit-exceeded' || message.endsWith('aborted.');
  return { code: isTooMuch ? 'limit-exceeded' : 'query-invalid', status: 422 };
}

/** What is no operation of the schema, whatever it holds. */
export function invalid(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'query-invalid', status: 422 } });
}

function limitFault(document: DocumentNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): GraphQLError | undefined {
  const counting: Counting = { fragments, known: new Map(), aliases: 0, spreads: fragments.size, alike: 0 };
  for (const each of fragments.values()) sizeOf(each.selectionSet, counting, new Set());
  for (const each of document.definitions) {
    if (each.kind !== Kind.OPERATION_DEFINITION) continue;
    const { depth, fields } = sizeOf(each.selectionSet, counting, new Set());
    if (depth > deepest) return limit(`A query has at most ${deepest} levels.`);
    if (fields > mostRoots) return limit(`A query has at most ${mostRoots} fields at its root.`);
  }
  if (counting.aliases > mostAliases) return limit(`A query has at most ${mostAliases} aliases.`);
  if (counting.spreads > 2 * mostFragments) return limit(`A query has and uses at most ${mostFragments} fragments.`);
  if (counting.alike > mostAlike) return limit(`A selection has a field at most ${mostAlike} times.`);
  const written: Written = { fragments, known: new Map() };
  for (const each of document.definitions) {
    if (each.kind !== Kind.OPERATION_DEFINITION) continue;
    const { fields, below } = writtenOut(each.selectionSet, written, new Set());
    if (fields > mostFields) return limit(`A query has at most ${mostFields} fields, with fragments wherever they are used.`);
    if (below > mostSelections) return limit(`A query has at most ${mostSelections} fields below its root with fields of their own.`);
  }
  return undefined;
}

export function limit(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'limit-exceeded', status: 422 } });
}

interface Counting {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly known: Map<SelectionSetNode, Size>;
  aliases: number;
  /** Fragments, and where they are used. */
  spreads: number;
  /** How often the most frequent name stands in one selection. */
  alike: number;
}

interface Size {
  readonly depth: number;
  /** At the first level. */
  readonly fields: number;
}

/** Fragments that go round in a circle are refused later, by the rules of the language. */
function sizeOf(set: SelectionSetNode, counting: Counting, around: ReadonlySet<SelectionSetNode>): Size {
  const found = counting.known.get(set);
  if (found !== undefined) return found;
  if (around.has(set)) return { depth: 0, fields: 0 };
  const inside = new Set(around).add(set);
  let depth = 0;
  let fields = 0;
  const names = new Map<string, number>();
  for (const each of set.selections) {
    if (each.kind === Kind.FIELD) {
      if (each.alias !== undefined) counting.aliases += 1;
      const name = each.alias?.value ?? each.name.value;
      const times = (names.get(name) ?? 0) + 1;
      names.set(name, times);
      counting.alike = Math.max(counting.alike, times);
      fields += 1;
      const isOfSchema = each.name.value === '__schema' || each.name.value === '__type';
      const below = each.selectionSet === undefined || isOfSchema ? 0 : sizeOf(each.selectionSet, counting, inside).depth;
      depth = Math.max(depth, 1 + below);
    } else {
      counting.spreads += 1;
      const spread = each.kind === Kind.INLINE_FRAGMENT ? each.selectionSet : counting.fragments.get(each.name.value)?.selectionSet;
      if (spread === undefined) continue;
      const size = sizeOf(spread, counting, inside);
      depth = Math.max(depth, size.depth);
      fields += size.fields;
    }
  }
  counting.known.set(set, { depth, fields });
  return { depth, fields };
}

interface Written {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly known: Map<SelectionSetNode, WrittenOut>;
}

interface WrittenOut {
  readonly fields: number;
  /** Those that have fields themselves, at the first level and below it, of the schema not counted. */
  readonly own: number;
  readonly below: number;
}

/** A fragment that stands in one selection several times is one; in several selections, it is as many. */
function writtenOut(set: SelectionSetNode, written: Written, around: ReadonlySet<SelectionSetNode>): WrittenOut {
  const known = written.known.get(set);
  if (known !== undefined) return known;
  if (around.has(set)) return { fields: 0, own: 0, below: 0 };
  const inside = new Set(around).add(set);
  const seen = new Set<string>();
  let [fields, own, below] = [0, 0, 0];
  const visit = (visited: SelectionSetNode): void => {
    for (const each of visited.selections) {
      if (each.kind === Kind.FIELD) {
        fields += 1;
        if (each.selectionSet === undefined) continue;
        const inner = writtenOut(each.selectionSet, written, inside);
        fields += inner.fields;
        if (each.name.value === '__schema' || each.name.value === '__type') continue;
        own += 1;
        below += inner.own + inner.below;
      } else if (each.kind === Kind.INLINE_FRAGMENT) {
        visit(each.selectionSet);
      } else if (!seen.has(each.name.value)) {
        seen.add(each.name.value);
        const fragment = written.fragments.get(each.name.value);
        if (fragment !== undefined) visit(fragment.selectionSet);
      }
    }
  };
  visit(set);
  const found = { fields, own, below };
  written.known.set(set, found);
  return found;
}
