// Random models, users and rows for the oracle and the service to agree about.

import fc, { type Arbitrary } from 'fast-check';
import type { Grant, Link, Row } from '../oracle.ts';
import type { EntityRules, LinkRules, ModelRules, Rule } from '../rules.ts';
import type { Caller, MatrixFacts } from './rows.ts';

export interface RandomSetting {
  readonly facts: MatrixFacts;
  readonly callers: readonly Caller[];
}

const names = ['P', 'Q', 'R', 'S'] as const;
const users = ['uma', 'ugo', 'ute'] as const;
const emailOf = (name: string): string => `${name}@example.com`;
const roles = ['one', 'two', 'three'] as const;

/** Who may change something by role may read it: what the answer to their change would show is no question of this test. */
const allowed: Arbitrary<Rule['allow']> = fc.constantFrom(
  ['create'] as const,
  ['read'] as const,
  ['read', 'update'] as const,
  ['create', 'read', 'delete'] as const,
  ['*'] as const,
);

const rule: Arbitrary<Rule> = fc
  .record({ roles: fc.subarray([...roles, '*'], { minLength: 1, maxLength: 2 }), allow: allowed, isOwn: fc.boolean() })
  .map(({ isOwn, ...rest }) => (isOwn ? { ...rest, where: 'boss' } : rest));

/** Relationships look at the caller's roles alone. */
const relationshipRule: Arbitrary<Rule> = fc.record({
  roles: fc.subarray([...roles], { minLength: 1, maxLength: 2 }),
  allow: fc.constant(['create'] as const),
});

const entity = (at: number): Arbitrary<EntityRules> =>
  fc
    .record({
      rules: fc.option(fc.array(rule, { minLength: 1, maxLength: 3 }), { nil: undefined }),
      ownerOnly: fc.boolean(),
      parent: fc.option(fc.nat({ max: Math.max(0, at - 1) }), { nil: undefined, freq: 3 }),
      within: fc.option(fc.array(relationshipRule, { minLength: 1, maxLength: 1 }), { nil: undefined }),
      inherit: fc.boolean(),
    })
    .map(({ rules, ownerOnly, parent, within, inherit }): EntityRules => {
      const name = names[at] ?? 'P';
      const above = at === 0 || parent === undefined ? undefined : names[parent];
      return {
        name,
        ownerOnly,
        ...(rules === undefined ? {} : { rules }),
        ...(above === undefined
          ? {}
          : { within: { parent: above, relationship: `${above}${name}`, inherit, ...(within === undefined ? {} : { rules: within }) } }),
      };
    });

const link = (at: number): Arbitrary<LinkRules> =>
  fc
    .record({
      from: fc.constantFrom(...names),
      to: fc.constantFrom(...names),
      owner: fc.constantFrom(undefined, 'From', 'To'),
      assign: fc.constantFrom(undefined, { to: 'To', from: 'From' }, { to: 'From', from: 'To' }),
    })
    .map(({ from, to, owner, assign }) => ({
      name: `Link${at}`,
      ends: [
        { entity: from, role: 'From' },
        { entity: to, role: 'To' },
      ],
      ...(owner === undefined ? {} : { owner }),
      ...(assign === undefined ? {} : { assign }),
    }));

const model: Arbitrary<ModelRules> = fc.record({
  entities: fc.tuple(entity(0), entity(1), entity(2), entity(3)),
  links: fc.tuple(link(0), link(1)),
});

export const setting: Arbitrary<RandomSetting> = fc
  .record({ model, has: fc.array(fc.subarray([...roles]), { minLength: 3, maxLength: 3 }), seed: fc.infiniteStream(fc.nat()) })
  .map(({ model: rules, has, seed }) => {
    const numbers = seed[Symbol.iterator]();
    const next = (below: number): number => Number(numbers.next().value) % below;
    const callers: readonly Caller[] = [
      ...users.map((name, at) => ({ name, email: emailOf(name), roles: has[at] ?? [] })),
      { name: 'admin', email: emailOf('admin'), roles: ['admin'] },
    ];
    return { facts: factsOf(rules, next), callers };
  });

function factsOf(rules: ModelRules, next: (below: number) => number): MatrixFacts {
  const rows: Row[] = [];
  for (const { name, within } of rules.entities) {
    const parents = within === undefined ? [undefined, undefined, undefined] : rows.filter(({ type }) => type === within.parent);
    for (const parent of parents.slice(0, 6))
      for (let nth = 0; nth < 2; nth += 1) {
        const boss = next(3) === 0 ? emailOf(users[next(3)] ?? 'uma') : undefined;
        const id = 1000 + rows.length;
        const text = `canary${(id * 1_000_003 + next(1_000_000)).toString(16).padStart(16, '0')}`;
        rows.push({ type: name, id, text, ...(boss === undefined ? {} : { boss }), ...(parent === undefined ? {} : { parent }) });
      }
  }
  const pick = (type: string): Row | undefined => {
    const own = rows.filter((each) => each.type === type);
    return own[next(Math.max(1, own.length))];
  };
  const links: (Link & { readonly text: string })[] = [];
  for (const { name, ends } of rules.links)
    for (let nth = 0; nth < 3; nth += 1) {
      const [from, to] = [pick(ends[0].entity), pick(ends[1].entity)];
      if (from === undefined || to === undefined || from === to) continue;
      if (links.some((each) => each.type === name && each.ends.includes(from) && each.ends.includes(to))) continue;
      links.push({ type: name, text: `canary${(7_000_000 + links.length).toString(16).padStart(16, '0')}`, ends: [from, to] });
    }
  const owners = rows.flatMap((row) => (next(4) === 0 ? [{ row, assignee: emailOf(users[next(3)] ?? 'uma') }] : []));
  const grants: Grant[] = rows.flatMap((row) => {
    const actions = (['read', 'update', 'delete'] as const).slice(next(3)).slice(0, 1 + next(2));
    return next(5) === 0 ? [{ row, assignee: emailOf(users[next(3)] ?? 'uma'), actions }] : [];
  });
  return { model: rules, rows, links, owners, grants };
}
