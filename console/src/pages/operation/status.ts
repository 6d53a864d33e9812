// What the service tells of itself to an operator (`GET /platform/status`, `/platform/migrations`), and how it is asked for.

import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/request.ts';

export interface Status {
  readonly application: { readonly name: string; readonly version: string };
  readonly process: {
    readonly node: string;
    readonly platform: string;
    readonly started: string;
    readonly seconds: number;
    readonly memory: number;
  };
  readonly store: { readonly type: string; readonly ready: boolean; readonly version?: string; readonly bytes?: number };
  readonly resolvers: readonly { readonly name: string; readonly answered: number; readonly failed: number; readonly isOpen: boolean }[];
  /** Absent where the store cannot be asked. */
  readonly schema?: {
    readonly fits: boolean;
    readonly migrations: number;
    readonly last?: { readonly number: number; readonly time: string; readonly kind: string; readonly version: string };
    readonly retired: number;
  };
  readonly instances?: readonly { readonly id: string; readonly since: string; readonly address: string | null }[];
  readonly timers?: readonly Timer[];
  /** The oldest, and how many there are. */
  readonly pending?: readonly PendingCall[];
  readonly pendingCount?: number;
}

export interface Timer {
  readonly name: string;
  readonly due: string | null;
  readonly when: string;
  readonly trigger: string;
  readonly user: string | null;
  readonly last: string | null;
  readonly runs: number;
  readonly error: string | null;
}

export interface PendingCall {
  readonly id: string;
  readonly resolver: string;
  readonly operation: string;
  readonly type: string;
  readonly instance: string;
  readonly since: string;
  readonly attempts: number;
  readonly error: string | null;
}

export interface Migrations {
  readonly pending: readonly { readonly words: string; readonly by: 'start' | 'apply' | 'nobody'; readonly blocked?: string }[];
  readonly history: readonly {
    readonly number: number;
    readonly time: string;
    readonly kind: string;
    readonly version: string;
    readonly words: readonly string[];
    readonly undone: boolean;
  }[];
  readonly retired: readonly { readonly name: string; readonly type: string; readonly rows: number; readonly since: string }[];
  readonly note?: string;
}

export function useStatus() {
  return useQuery({
    queryKey: ['status'],
    refetchInterval: 10_000,
    queryFn: async ({ signal }): Promise<Status> => Object((await call({ path: '/platform/status', signal })).body),
  });
}

export function useMigrations() {
  return useQuery({
    queryKey: ['migrations'],
    queryFn: async ({ signal }): Promise<Migrations> => Object((await call({ path: '/platform/migrations', signal })).body),
  });
}
