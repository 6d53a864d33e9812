// Values that belong to who asks and when, not to a statement: conditions name them, and each request binds them once.

import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';

/** `caller.roles` is a list, compared with `in`; all others are single values. A caller without a name has a null one, which equals nothing. */
const ambientNames = ['caller.user', 'caller.roles', 'now'] as const;

export type AmbientName = (typeof ambientNames)[number];

/** The values by their slot, so that nothing is looked up by name while a statement is bound. */
export type Ambient = readonly Value[];

const slots: Readonly<Record<AmbientName, number>> = { 'caller.user': 0, 'caller.roles': 1, now: 2 };

export function ambientSlot(name: AmbientName): number {
  return slots[name];
}

export function isAmbientList(name: AmbientName): boolean {
  return name === 'caller.roles';
}

/** Lists are bound as JSON, which is written once for all statements of a request. */
export function ambientOf(user: string | undefined, roles: readonly string[], now: Date): Ambient {
  return [user ?? null, writeJson(roles), now.toISOString()];
}
