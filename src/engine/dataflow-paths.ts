// Paths inside a flow: the instance that one of them names.

import type { Value } from '../model/types/attribute-type.ts';
import { rootStart } from '../plan/keys.ts';
import type { EntityPlan, LinkPlan } from '../plan/plan.ts';
import type { Located } from './locate.ts';
import { followPath } from './locate-path.ts';
import type { Run } from './run.ts';

export async function locatePath(plan: EntityPlan, path: string, run: Run): Promise<Located | undefined> {
  const { tx } = run.reading;
  const end = await followPath(plan, path, tx);
  if (end.kind === 'wrong') return undefined;
  return (await tx.one(plan.shapes.exists, [end.located.key])) === undefined ? undefined : end.located;
}

/** The identifier in the path of what is contained nowhere; nothing where it is no such path. */
export function rootIdentifier({ type, identifier }: EntityPlan | LinkPlan, path: string): Value | undefined {
  const start = rootStart(type);
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
