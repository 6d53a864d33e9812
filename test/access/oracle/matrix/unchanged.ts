// What is checked after everything that was denied: it has changed nothing, and deleted nothing.

import { expect } from 'vitest';
import { counted, isLarge, seed } from '../../../support/form.ts';
import { shown } from './cells.ts';
import { callers, types } from './rows.ts';
import type { MatrixWorld } from './world.ts';
import { deniedRank } from './writes.ts';

export async function expectUnchanged(world: MatrixWorld): Promise<void> {
  const [admin] = callers.filter(({ name }) => name === 'admin');
  if (admin === undefined) throw new Error('there is no admin');
  for (const type of types) {
    const ask = (query: string) => world.ask(admin, { method: 'GET', target: `${world.surface.at(type)}?${query}` });
    expect((await ask(`rank=${deniedRank}`)).body).toEqual([]);
    const { text } = await ask('@limit=1000');
    for (const each of shown({ caller: admin, world }, type).shows) expect(text).toContain(each);
  }
  expect(world.failures).toEqual([]);
}

/**
 * A long run asks for everything; a short one for every second of what decides about many instances and every tenth of the others, each caller for other
 * ones; on PostgreSQL for every third of those.
 */
export function sampled<T extends { readonly decides: number }>(all: readonly T[], begin: number): readonly T[] {
  if (isLarge) return all;
  const apart = counted({ long: 1, short: 1, postgres: 3 });
  return all.filter(({ decides }, at) => (at + begin + seed) % (apart * (decides > 1 ? 2 : 10)) === 0);
}
