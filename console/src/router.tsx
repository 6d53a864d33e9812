// Addresses: everything that is shown is said by the address, and going back shows it again.

import { type MouseEvent, type ReactNode, useCallback, useSyncExternalStore } from 'react';
import { decoded } from './api/request.ts';

export interface Place {
  /** Below `/console`, decoded. */
  readonly segments: readonly string[];
  readonly query: string;
}

const base = '/console';
const listeners = new Set<() => void>();
/** Asked before an address is left for another one; false keeps it. */
type Guard = (next: URL) => boolean;
const guards = new Set<Guard>();
/** The address of what is shown: going back has changed that of the browser before anybody is asked. */
let shown = location.pathname + location.search;
window.addEventListener('popstate', () => {
  const next = location.pathname + location.search;
  if (next !== shown && !mayLeave(next)) history.pushState(null, '', shown);
  else {
    shown = next;
    tell();
  }
});

function tell(): void {
  for (const listener of listeners) listener();
}

export function useAddress(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}

export function usePlace(): Place {
  const [path = '', query = ''] = useAddress().split('?');
  const segments = path.slice(base.length).split('/').filter(Boolean).map(decoded);
  return { segments, query };
}

/** `path` is below `/console`, encoded. */
export function navigate(path: string, how: 'push' | 'replace' = 'push'): void {
  const address = base + path;
  if (address === shown || !mayLeave(address)) return;
  shown = address;
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  tell();
}

/** Asks whoever has changes that are not saved. */
export function mayLeave(address: string): boolean {
  const next = new URL(address, location.origin);
  return [...guards].every((guard) => guard(next));
}

export function guardLeaving(guard: Guard): () => void {
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
