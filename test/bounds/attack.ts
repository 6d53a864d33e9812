// What an attack is: what is there before it, what is done, and what may be said to it.

import { labelOf, type Said } from './client.ts';
import type { Seed } from './model.ts';
import type { Service } from './service.ts';

export interface Attack {
  readonly name: string;
  readonly needs?: readonly Seed[];
  /** Everything that was said, as `200`, `422 query-invalid` or `cut`. */
  readonly run: (service: Service) => Promise<readonly string[]>;
  /** What may be said; each of `all` must have been. */
  readonly answers: readonly string[];
  readonly all?: readonly string[];
}

export function labels(said: readonly Said[]): readonly string[] {
  return said.map(labelOf);
}

/** `200 (600), 422 query-invalid (3)`. */
export function summary(said: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const each of said) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].map(([label, count]) => (count === 1 ? label : `${label} (${count})`)).join(', ');
}
