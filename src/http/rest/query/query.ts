// Filters, order, paging, selection and inclusion: query string → what a list or a read asks for. Shared by the surfaces.

import type { ListQuery } from '../../../engine/operation.ts';
import type { Fault } from '../../../errors.ts';
import type { EntityPlan, LinkPlan } from '../../../plan/plan.ts';
import { rankColumn, rankedOrder } from '../../../plan/query/condition.ts';
import type { Test } from '../../../plan/query/filter.ts';
import { type Selection, type View, wholeSelection } from '../../../plan/query/selection.ts';
import type { LinkField } from '../../../plan/query/shape.ts';
import type { SortTerm } from '../../../plan/query/sort.ts';
import { fault } from '../../../plan/rows/attribute.ts';
import { searchWords } from '../../../values/words.ts';
import { readCursor } from '../../query/cursor.ts';
import { sortOf, type Wanted } from '../../query/sort.ts';
import { filtersOf } from './filter.ts';
import { selectionOf } from './output.ts';
import { pairsOf, type QueryPair, queryInvalid } from './query-string.ts';

export interface QueryLimits {
  /** The most rows that `@limit` may ask for, and that a list without one has; absent: no such limit. */
  readonly page: number | undefined;
}

const known: ReadonlySet<string> = new Set([
  '@or',
  '@search',
  '@sort',
  '@limit',
  '@offset',
  '@after',
  '@select',
  '@include',
  '@count',
  '@rights',
  '@tree',
]);
const forReads: ReadonlySet<string> = new Set(['@select', '@include', '@rights', '@tree']);

/** What a list is asked for, from the text behind the `?`; all faults of it at once. */
export function listQuery(plan: EntityPlan | LinkPlan, query: string, limits: QueryLimits, view: View, link?: LinkField): ListQuery {
  const pairs = pairsOf(query);
  const faults: Fault[] = [];
  const options = optionsOf(pairs, known, faults);
  const filters = filtersOf(
    plan,
    pairs.filter((pair) => !pair.name.startsWith('@') || pair.name === '@or'),
    faults,
  );
  const search = searchFilter(plan, options.get('@search'), faults);
  const sort = options.get('@sort');
  const isRanked = search !== undefined && sort === undefined;
  const order = isRanked ? rankedBy(plan, search) : sortOf(plan, sortedIn(sort), '@sort', faults);
  const limit = countOf('@limit', options, faults);
  if (limit !== undefined && limits.page !== undefined && limit > limits.page)
    faults.push(fault('@limit', 'limit', `is at most ${limits.page}`));
  const result: ListQuery = {
    key: options.get('@sort') ?? '',
    filter: { kind: 'and', filters: search === undefined ? filters : [...filters, search] },
    order,
    selection: { ...selectionOf(plan, options, view, link, faults), asksRights: rightsAsked(options, faults) },
    limit: limit ?? limits.page,
    offset: countOf('@offset', options, faults),
    after: options.has('@after') ? readCursor(options.get('@after') ?? '', order, plan, '@after', faults) : undefined,
    count: flag('@count', options, faults),
  };
  if (flag('@tree', options, faults)) faults.push(fault('@tree', 'value', 'stands on one instance, not on a list'));
  if (faults.length > 0) throw queryInvalid(faults);
  return result;
}

export interface ReadQuery {
  readonly selection: Selection;
  readonly tree: boolean;
}

export function readQuery(plan: EntityPlan | LinkPlan, query: string, view: View, link?: LinkField): ReadQuery {
  if (query === '') return { selection: wholeSelection(view, link), tree: false };
  const faults: Fault[] = [];
  const pairs = pairsOf(query);
  const options = optionsOf(pairs, forReads, faults);
  for (const pair of pairs) {
    if (!pair.name.startsWith('@')) faults.push(fault(pair.name, 'unknown', 'one instance is not filtered'));
  }
  const tree = flag('@tree', options, faults);
  if (tree && options.size > 1) faults.push(fault('@tree', 'value', 'reads whole instances, so it stands alone'));
  const selection = selectionOf(plan, options, view, link, faults);
  const result = { selection: { ...selection, asksRights: rightsAsked(options, faults) }, tree };
  if (faults.length > 0) throw queryInvalid(faults);
  return result;
}

/** Writes take no parameters: one that is sent was meant for something else. */
export function refuseQuery(query: string): void {
  const [pair] = pairsOf(query);
  if (pair !== undefined) throw queryInvalid([fault(pair.name, 'unknown', 'this request takes no parameters')]);
}

function optionsOf(pairs: readonly QueryPair[], allowed: ReadonlySet<string>, faults: Fault[]): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const { name, value } of pairs) {
    if (!name.startsWith('@') || (name === '@or' && allowed.has(name))) continue;
    if (!allowed.has(name)) faults.push(fault(name, 'unknown', `there are ${[...allowed].join(', ')}`));
    else if (options.has(name)) faults.push(fault(name, 'value', 'stands more than once'));
    options.set(name, value);
  }
  return options;
}

/** How well a row answers is known for these words alone, and so is a place in that order. */
function rankedBy({ key }: EntityPlan | LinkPlan, { values }: Test): readonly SortTerm[] {
  return rankedOrder(key).map((term) => (term.column === rankColumn ? { ...term, name: `${term.column} ${String(values[0])}` } : term));
}

/** `@search=words`: all of them stand in the instance. */
function searchFilter({ search, local }: EntityPlan | LinkPlan, text: string | undefined, faults: Fault[]): Test | undefined {
  if (text === undefined) return undefined;
  const asked = searchWords(text);
  if ('fault' in asked) faults.push(fault('@search', asked.isLong ? 'limit' : 'value', asked.fault));
  if (search === undefined) faults.push(fault('@search', 'unknown', `${local} has no attribute of type String to search`));
  if ('fault' in asked || search === undefined) return undefined;
  return { kind: 'test', condition: { kind: 'search', ...search }, values: [asked.words.join(' ')] };
}

function sortedIn(text: string | undefined): readonly Wanted[] {
  if (text === undefined) return [];
  return text.split(',').map((part) => {
    const isDescending = part.startsWith('-');
    return { name: isDescending || part.startsWith('+') ? part.slice(1) : part.trim(), isDescending };
  });
}

function countOf(name: string, options: ReadonlyMap<string, string>, faults: Fault[]): number | undefined {
  const text = options.get(name);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  faults.push(fault(name, 'value', 'must be a whole number, 0 or more'));
  return undefined;
}

function rightsAsked(options: ReadonlyMap<string, string>, faults: Fault[]): boolean | 'related' {
  return options.get('@rights') === 'related' ? 'related' : flag('@rights', options, faults);
}

function flag(name: string, options: ReadonlyMap<string, string>, faults: Fault[]): boolean {
  const text = options.get(name);
  if (text === undefined || text === 'false') return false;
  if (text !== 'true') faults.push(fault(name, 'value', 'must be true or false'));
  return true;
}
