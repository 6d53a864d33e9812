// Paths of instances inside a flow: an instance by its path, and the path of an instance.

import type { Value } from '../model/types/attribute-type.ts';
import { equal } from '../plan/condition.ts';
import { rootPath } from '../plan/keys.ts';
import type { EntityPlan, LinkPlan } from '../plan/plan.ts';
import type { Select } from '../plan/shape.ts';
import { pathColumn } from '../plan/tables.ts';
import { keep } from './kept.ts';
import { type Located, locatedRow } from './locate.ts';
import { fieldsOf, instanceMeta, type Run, single } from './run.ts';

export async function locatePath(plan: EntityPlan, path: string, run: Run): Promise<Located | undefined> {
  const row = await run.reading.tx.one(selectPath(plan), [path, 1]);
  return row === undefined ? undefined : locatedRow(plan, fieldsOf(row)[plan.identifier.name] ?? null, row);
}

function selectPath(plan: EntityPlan): Select {
  const key = 'by path';
  const kept = plan.kept.get(key);
  if (kept?.kind === 'select') return kept;
  return keep(plan, key, { ...plan.shapes.byKey, where: equal(pathColumn), limit: true });
}

/** The identifier in the path of what is contained nowhere; nothing where it is no such path. */
export function rootIdentifier({ type, identifier }: EntityPlan | LinkPlan, path: string): Value | undefined {
  const start = rootPath(type, '');
  // An identifier in a path is encoded, and may come from a request.
  return path.startsWith(start) && isEncoded(path) ? identifier.parseText(decodeURIComponent(path.slice(start.length))) : undefined;
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A path as it stands in the store, for what is contained nowhere too. */
export function pathIn(value: Value, run: Run): string | undefined {
  const meta = instanceMeta(single(value), run);
  if (meta !== undefined) return meta.located.path ?? rootPath(meta.plan.type, meta.located.id);
  return typeof value === 'string' && value.startsWith('path://') ? value : undefined;
}
