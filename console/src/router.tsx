// Addresses: everything that is shown is said by the address, and going back shows it again.

import { type MouseEvent, type ReactNode, useCallback, useSyncExternalStore } from 'react';

export interface Place {
  /** Below `/console`, decoded. */
  readonly segments: readonly string[];
  readonly query: string;
}

const base = '/console';
const listeners = new Set<() => void>();
window.addEventListener('popstate', () => tell());
/** Asked before a page is left; false keeps it. */
const guards = new Set<() => boolean>();

function tell(): void {
  for (const listener of listeners) listener();
}

export function useAddress(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => location.pathname + location.search,
  );
}

export function usePlace(): Place {
  const [path = '', query = ''] = useAddress().split('?');
  const segments = path.slice(base.length).split('/').filter(Boolean).map(decodeURIComponent);
  return { segments, query };
}

/** `path` is below `/console`, encoded. */
export function navigate(path: string, how: 'push' | 'replace' = 'push'): void {
  if ([...guards].some((guard) => !guard())) return;
  const address = base + path;
  if (address === location.pathname + location.search) return;
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  tell();
}

export function guardLeaving(guard: () => boolean): () => void {
  guards.add(guard);
  return () => guards.delete(guard);
}

/** The parameters of the address, and how to change some of them. */
export function useParameters(): readonly [
  URLSearchParams,
  (changes: Readonly<Record<string, string | undefined>>, how?: 'push' | 'replace') => void,
] {
  const { query } = usePlace();
  const change = useCallback((changes: Readonly<Record<string, string | undefined>>, how: 'push' | 'replace' = 'push') => {
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) next.delete(name);
      else next.set(name, value);
    }
    navigate(`${location.pathname.slice(base.length)}${queryText(next)}`, how);
  }, []);
  return [new URLSearchParams(query), change];
}

/** Readable where it may be: brackets, `@` and `/` need no escape in a query. */
export function queryText(given: URLSearchParams): string {
  const text = given.toString().replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('%40', '@').replaceAll('%2F', '/');
  return text === '' ? '' : `?${text}`;
}

export function Link({
  to,
  children,
  ...rest
}: {
  to: string;
  children: ReactNode;
  className?: string;
  'aria-current'?: 'page' | undefined;
  onClick?: () => void;
}) {
  const go = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    rest.onClick?.();
    navigate(to);
  };
  return (
    <a {...rest} href={base + to} onClick={go}>
      {children}
    </a>
  );
}
