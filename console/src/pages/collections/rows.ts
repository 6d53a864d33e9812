// The rows of a list by their places: a page is read when it comes in sight, and forgotten when it has been out of it for a while.

import { type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { type Page, pathOf, type Row, readPage } from '../../api/instances.ts';
import type { EntityDescription } from '../../api/model.ts';
import { isRetryable, Problem } from '../../api/request.ts';
import { pageSize } from './list-query.ts';

/** How long a page is kept after it was in sight. */
const kept = 20_000;
/** A page is asked for once it has been wanted for so long: whoever drags the bar passes most of them. */
const patience = 60;

/** Far into a large table a page takes its time: a service that is busy and says when is asked again then, and nobody is troubled with it. */
const patiently = {
  retry: (count: number, thrown: Error): boolean => isRetryable(thrown) && count < (waitOf(thrown) === undefined ? 2 : 8),
  retryDelay: (count: number, thrown: Error): number => Math.min(30, waitOf(thrown) ?? 2 ** count) * 1000,
};

function waitOf(thrown: Error): number | undefined {
  return thrown instanceof Problem && thrown.status === 503 && thrown.retryAfter !== undefined ? Math.max(1, thrown.retryAfter) : undefined;
}

export interface Rows {
  /** How many there are, as far as it is known. */
  readonly total: number;
  readonly isTotalKnown: boolean;
  readonly isPending: boolean;
  readonly isLoading: boolean;
  readonly error: unknown;
  /** Nothing while it is being read. */
  rowAt(index: number): Row | undefined;
  /** The rows from the first to the last place are in sight. */
  see(first: number, last: number): void;
}

interface Sight {
  readonly first: number;
  readonly last: number;
}

/** `path` is that of the whole list, with filters and order. */
export function useRows(queryKey: readonly unknown[], path: string): Rows {
  const client = useQueryClient();
  const [sight, setSight] = useState<Sight>({ first: 0, last: 0 });
  const asked = useSettled(sight, path);
  const pages = useQueries({
    queries: asked.map((index) => ({
      queryKey: pageKey(queryKey, index),
      queryFn: ({ signal }: { signal: AbortSignal }) => readPage(pathOfPage(client, queryKey, path, index), signal),
      gcTime: kept,
      ...patiently,
    })),
  });
  // By itself: the first rows do not wait for it.
  const count = useQuery({
    queryKey: [...queryKey, 'count'],
    queryFn: async ({ signal }) => (await readPage(withParameters(path, { '@limit': '1', '@count': 'true' }), signal)).total ?? 0,
    ...patiently,
  });
  const found = new Map(asked.map((index, at) => [index, pages[at]?.data]));
  const pageAt = (index: number): Page | undefined => found.get(index) ?? client.getQueryData<Page>(pageKey(queryKey, index));
  const read = asked.reduce((most, index) => Math.max(most, index * pageSize + (found.get(index)?.rows.length ?? 0)), 0);
  const see = useCallback(
    (first: number, last: number) => setSight((old) => (old.first === first && old.last === last ? old : { first, last })),
    [],
  );
  return {
    total: Math.max(count.data ?? 0, read),
    isTotalKnown: count.data !== undefined,
    isPending: pages.every((page) => page.isPending),
    isLoading: pages.some((page) => page.isFetching),
    error: pages.find((page) => page.error !== null)?.error ?? count.error ?? undefined,
    rowAt: (index) => pageAt(Math.floor(index / pageSize))?.rows[index % pageSize],
    see,
  };
}

/** The pages in sight and the ones next to it, once they have stayed the same for a moment. */
function useSettled({ first, last }: Sight, path: string): readonly number[] {
  const from = Math.floor(Math.max(0, first - 40) / pageSize);
  const to = Math.floor((last + 40) / pageSize);
  const [settled, setSettled] = useState({ from: 0, to: 0, path });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ from, to, path }), patience);
    return () => clearTimeout(timer);
  }, [from, to, path]);
  const { from: begin, to: end } = settled.path === path ? settled : { from: 0, to: 0 };
  return Array.from({ length: end - begin + 1 }, (_, index) => begin + index);
}

function pageKey(queryKey: readonly unknown[], index: number): readonly unknown[] {
  return [...queryKey, 'page', index];
}

/** After the page before it where that is known, which costs the same anywhere; else by counting. */
function pathOfPage(client: QueryClient, queryKey: readonly unknown[], path: string, index: number): string {
  // What is read again may have moved, and so may the end of the page before it.
  const isFirstTime = client.getQueryData(pageKey(queryKey, index)) === undefined;
  const before = client.getQueryData<Page>(pageKey(queryKey, index - 1))?.next;
  if (isFirstTime && before !== undefined) return before;
  return withParameters(path, { '@limit': String(pageSize), ...(index === 0 ? {} : { '@offset': String(index * pageSize) }) });
}

function withParameters(path: string, parameters: Readonly<Record<string, string>>): string {
  const added = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return `${path}${path.includes('?') ? '&' : '?'}${added.join('&')}`;
}

/** Puts a row in the place of what was read of it before; says whether it was there. */
export function replaceRow(client: QueryClient, queryKey: readonly unknown[], entity: EntityDescription, row: Row): boolean {
  const path = pathOf(entity, row);
  let isFound = false;
  for (const [key, page] of client.getQueriesData<Page>({ queryKey: [...queryKey, 'page'] })) {
    const at = page?.rows.findIndex((each) => pathOf(entity, each) === path) ?? -1;
    if (page === undefined || at === -1) continue;
    isFound = true;
    // A stream does not say what the caller may do: that stays as it was.
    const rows = page.rows.map((each, index) => (index === at ? { '@rights': each['@rights'], ...row } : each));
    client.setQueryData<Page>(key, { ...page, rows });
  }
  return isFound;
}
