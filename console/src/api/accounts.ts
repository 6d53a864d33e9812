// What the service keeps of users, whichever surface names it: accounts, roles, keys.

import { type Row, readPage } from './instances.ts';
import type { EntityDescription, ModelDescription } from './model.ts';

const modules: Readonly<Record<string, string>> = {
  User: 'auth',
  ApiKey: 'auth',
  DisabledUser: 'auth',
  RoleAssignment: 'rbac',
};

const earlierModules: Readonly<Record<string, string>> = { auth: 'Platform.Kernel.Identity', rbac: 'Platform.Kernel.Rbac' };

/** Nothing where the service has no such type, or the caller may not read it. */
export function systemEntity(model: ModelDescription, local: string): EntityDescription | undefined {
  const module = modules[local] ?? '';
  const names = [`platform.${module}/${local}`, `${earlierModules[module]}/${local}`];
  return model.entities.find((each) => each.system && names.includes(each.name) && each.operations.read !== 'none');
}

/** An attribute by its name on the current surface; the earlier one begins it with an upper-case letter. */
export function systemName({ attributes }: EntityDescription, name: string): string {
  return attributes.find((each) => each.name.toLowerCase() === name.toLowerCase())?.name ?? name;
}

export function systemValue(entity: EntityDescription, row: Row, name: string): unknown {
  return row[systemName(entity, name)];
}

/** Of accounts and their roles all are read: an operator looks through them. */
export async function readAll(entity: EntityDescription, query: string, signal?: AbortSignal): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let next: string | undefined = `${entity.path}?@limit=1000${query}`;
  while (next !== undefined && rows.length < mostRead) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(next, signal);
    rows.push(...page.rows);
    next = page.next;
  }
  return rows;
}

const mostRead = 10_000;
