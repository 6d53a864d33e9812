// The order of a delete: no type before one that it contains.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deepestFirst, reachable } from '../../src/engine/address/contained.ts';
import { compile } from '../../src/plan/compile.ts';
import { modelOf } from '../support/app.ts';
import { counted } from '../support/form.ts';

/** Relationships from lower to higher numbers: never a cycle, except that some types contain themselves. */
const relationships = fc.uniqueArray(
  fc.tuple(fc.nat({ max: 11 }), fc.nat({ max: 11 })).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const),
  { maxLength: 25, selector: ([parent, child]) => `${parent} ${child}` },
);

test('every type comes after all that it contains, in every model', () => {
  fc.assert(
    fc.property(relationships, fc.array(fc.nat(), { minLength: 12, maxLength: 12 }), (pairs, shuffle) => {
      const shuffled = pairs.toSorted(([a], [b]) => (shuffle[a] ?? 0) - (shuffle[b] ?? 0));
      const lines = shuffled.map(([parent, child], at) =>
        parent === child
          ? `relationship R${at} contains(E${parent} @as up, E${child} @as down)`
          : `relationship R${at} contains(E${parent}, E${child})`,
      );
      const entities = Array.from({ length: 12 }, (_, at) => `entity E${at} { id Int @id }`);
      const { entities: plans } = compile(modelOf(`module m\n${[...entities, ...lines].join('\n')}`));
      for (const plan of plans.values()) {
        const order = deepestFirst(reachable(plan)).map((each) => each.type);
        const expected = new Set(reachable(plan).map((each) => each.child.type));
        expect(new Set(order)).toEqual(expected);
        for (const { parent, child } of reachable(plan)) {
          if (parent === child || !expected.has(parent.type)) continue;
          expect(order.indexOf(child.type)).toBeLessThan(order.indexOf(parent.type));
        }
      }
    }),
    { numRuns: counted({ long: 1000, short: 35 }) },
  );
});
