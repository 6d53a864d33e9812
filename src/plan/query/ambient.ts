// Values that belong to who asks and when, not to a statement: conditions name them, and each request binds them once.

import type { Clock } from '../../clock.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';

/** `caller.roles` is a list, compared with `in`; all others are single values. A caller without a name has a null one, which equals nothing. */
const ambientNames = ['caller.user', 'caller.roles', 'now', 'caller.id', 'today'] as const;

export type AmbientName = (typeof ambientNames)[number];

/** The values by their slot, so that nothing is looked up by name while a statement is bound. */
export interface Ambient {
  at(slot: number): Value;
}

const slots: Readonly<Record<AmbientName, number>> = { 'caller.user': 0, 'caller.roles': 1, now: 2, 'caller.id': 3, today: 4 };

export function ambientSlot(name: AmbientName): number {
  return slots[name];
}

/** Where the rows of supplied tables stand, in the order of those tables. */
export const firstSuppliedSlot = 5;

export function isAmbientList(name: AmbientName): boolean {
  return name === 'caller.roles';
}

/** Most statements ask for none of them. */
export function ambientOf(caller: AmbientCaller, clock: Pick<Clock, 'now'>): Ambient {
  return new CallerValues(caller, clock);
}

/** Whom conditions on the caller speak of. */
export interface AmbientCaller {
  readonly user: string | undefined;
  /** What tells the user from all others that there ever were. */
  readonly id: string | undefined;
  readonly roles: readonly string[];
}

class CallerValues implements Ambient {
  readonly #caller: AmbientCaller;
  readonly #clock: Pick<Clock, 'now'>;
  /** That of the first statement that asks for it holds for all. */
  #now: string | undefined;
  #rolesText: string | undefined;

  constructor(caller: AmbientCaller, clock: Pick<Clock, 'now'>) {
    this.#caller = caller;
    this.#clock = clock;
  }

  at(slot: number): Value {
    if (slot === slots['caller.user']) return this.#caller.user ?? null;
    if (slot === slots['caller.id']) return this.#caller.id ?? null;
    if (slot === slots.now) return this.#moment();
    if (slot === slots.today) return this.#moment().slice(0, 10);
    // Lists are bound as JSON, which is written once for all statements of a request.
    this.#rolesText ??= writeJson(this.#caller.roles);
    return this.#rolesText;
  }

  #moment(): string {
    this.#now ??= this.#clock.now().toISOString();
    return this.#now;
  }
}
