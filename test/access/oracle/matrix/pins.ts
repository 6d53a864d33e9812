// Random rules of an attribute beside random rules of its types, and its values: canaries that only those see whom the oracle lets see them.

import fc, { type Arbitrary } from 'fast-check';
import type { AttributeRule } from '../rules.ts';
import { type RandomSetting, setting } from './random.ts';

const rule: Arbitrary<AttributeRule> = fc
  .record({
    roles: fc.subarray(['one', 'two', 'three', '*'], { minLength: 1, maxLength: 2 }),
    allow: fc.constantFrom(
      ['read'] as const,
      ['read'] as const,
      ['read', 'update'] as const,
      ['create', 'read'] as const,
      ['update'] as const,
    ),
    owners: fc.boolean(),
    isOwn: fc.boolean(),
  })
  .map(({ isOwn, ...rest }) => (isOwn ? { ...rest, where: 'boss' } : rest));

const rules = fc.array(rule, { minLength: 0, maxLength: 3 });

export const pinned: Arbitrary<RandomSetting> = fc
  .record({ setting, pins: fc.tuple(rules, rules, rules, rules) })
  .map(({ setting: { facts, callers }, pins }) => {
    const entities = facts.model.entities.map((entity, at) => ({ ...entity, pin: pins[at] ?? [] }));
    // Every fourth row has none.
    const rows = new Map(facts.rows.map((row, at) => [row, at % 4 === 3 ? row : { ...row, pin: pinOf(row.id) }]));
    const now = (row: (typeof facts.rows)[number]): typeof row => {
      const { parent, ...own } = rows.get(row) ?? row;
      const made = known.get(row) ?? (parent === undefined ? own : { ...own, parent: now(parent) });
      known.set(row, made);
      return made;
    };
    const known = new Map<(typeof facts.rows)[number], (typeof facts.rows)[number]>();
    return {
      callers,
      facts: {
        model: { ...facts.model, entities },
        rows: facts.rows.map(now),
        links: facts.links.map((link) => ({ ...link, ends: [now(link.ends[0]), now(link.ends[1])] as const })),
        owners: facts.owners.map((each) => ({ ...each, row: now(each.row) })),
        grants: facts.grants.map((each) => ({ ...each, row: now(each.row) })),
      },
    };
  });

/** Sorted otherwise than the identifiers. */
function pinOf(id: number): string {
  return `canary${((id * 7919) % 1_000_003).toString(16).padStart(6, '0')}${id.toString(16).padStart(10, 'f')}`;
}
