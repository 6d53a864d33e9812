// Who may do what, by the model and for one user: what `GET /platform/access` tells admins.

import { call } from './request.ts';

/** One right, by the model alone: a role, owners, or those to whom an owner has granted it. */
export interface MatrixEntry {
  readonly type: string;
  readonly operation: string;
  readonly who: string;
  readonly where?: string;
}

export const accessOperations = ['create', 'read', 'update', 'delete', 'execute'] as const;

/** One way in which it could be allowed; `null` where it depends on what a new instance holds. */
export interface AccessWay {
  readonly who: string;
  readonly holds: boolean | null;
  readonly rules: readonly { readonly type: string; readonly file: string; readonly line: number; readonly text: string }[];
  readonly tests: readonly { readonly text: string; readonly holds: boolean | null }[];
  readonly owned: readonly { readonly type: string; readonly id: unknown; readonly owners: readonly string[] }[];
  readonly grants: readonly { readonly assignee: string; readonly actions: readonly string[] }[];
}

export interface AccessAnswer {
  readonly user: string;
  readonly roles: readonly string[];
  readonly operation: string;
  readonly on: string;
  readonly allowed: boolean | null;
  readonly status: number | null;
  readonly notes: readonly string[];
  readonly ways: readonly AccessWay[];
}

export async function readMatrix(signal?: AbortSignal): Promise<readonly MatrixEntry[]> {
  const { body } = await call({ path: '/platform/access', signal });
  return Array.isArray(body) ? body : [];
}

export interface AccessQuestion {
  readonly user: string;
  readonly operation: string;
  /** A path of the API. */
  readonly on: string;
}

export function questionPath(question: AccessQuestion): string {
  return `/platform/access?${new URLSearchParams({ ...question })}`;
}

export async function askAccess(question: AccessQuestion): Promise<AccessAnswer> {
  return Object((await call({ path: questionPath(question) })).body);
}
