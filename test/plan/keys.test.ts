// Keys of contained instances: they sort as the identifiers do, and everything below an instance is one range.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { below, placeOf, prefixOf, sortable } from '../../src/plan/rows/keys.ts';

const text = fc.string({ unit: 'binary', maxLength: 8 }).filter((each) => !each.includes('\0'));
const tricky = fc.array(fc.constantFrom('\u0001', '\u0002', '\u0003', '\u0004', 'a', 'b'), { maxLength: 5 }).map((each) => each.join(''));
const id = fc.oneof(text, tricky);
const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

test('texts keep their order by code point', () => {
  fc.assert(
    fc.property(id, id, (first, second) => Math.sign(compare(sortable(first), sortable(second))) === Math.sign(compare(first, second))),
  );
});

test('integers keep their order by value', () => {
  fc.assert(
    fc.property(integer, integer, (first, second) => {
      expect(compare(sortable(first), sortable(second))).toBe(first < second ? -1 : first > second ? 1 : 0);
    }),
  );
});

test('two places have the same key only when they are the same place', () => {
  const place = fc.array(fc.tuple(fc.constantFrom('m/R', 'm/S'), id), { minLength: 1, maxLength: 3 });
  const keyOf = (type: string, root: string, steps: readonly (readonly [string, string])[]) =>
    steps.reduce((key, [relationship, each]) => childKey(key, relationship, each), rootKey(type, root));
  const type = fc.constantFrom('m/A', 'm/B');
  fc.assert(
    fc.property(type, id, place, type, id, place, (firstType, firstRoot, first, secondType, secondRoot, second) => {
      const same = JSON.stringify([firstType, firstRoot, first]) === JSON.stringify([secondType, secondRoot, second]);
      expect(keyOf(firstType, firstRoot, first) === keyOf(secondType, secondRoot, second)).toBe(same);
    }),
  );
});

test('what is below a key, and nothing else, lies in its range', () => {
  fc.assert(
    fc.property(id, id, id, id, (root, child, grandchild, other) => {
      const top = rootKey('m/A', root);
      const { from, to } = below(top);
      const isIn = (key: string) => compare(key, from) > 0 && compare(key, to) < 0;
      const inner = childKey(top, 'm/R', child);
      expect([isIn(inner), isIn(childKey(inner, 'm/S', grandchild)), isIn(top)]).toEqual([true, true, false]);
      if (other !== root) expect(isIn(childKey(rootKey('m/A', other), 'm/R', child))).toBe(false);
      expect(isIn(childKey(rootKey('m/B', root), 'm/R', child))).toBe(false);
      expect(isIn(String(placeOf({ type: 'm/C', id: child, contained: true, form: 'plain' }, undefined, true).key))).toBe(false);
    }),
  );
});

test('paths name every step, with identifiers percent-encoded', () => {
  const parent = prefixOf({ type: 'a.b/P', id: 'x/y', contained: false, form: 'plain' }, { key: 'x/y', path: null });
  const { path } = placeOf({ type: 'c/K', id: 7, contained: true, form: 'plain' }, { parent, relationship: 'a.b/R' });
  expect(path).toBe('path://a.b$P/x%2Fy/a.b$R/c$K/7');
});

function rootKey(type: string, id: string): string {
  return String(placeOf({ type, id, contained: true, form: 'plain' }).key);
}

function childKey(key: string, relationship: string, id: string): string {
  return String(placeOf({ type: 'm/C', id, contained: true, form: 'plain' }, { parent: { key, path: '' }, relationship }).key);
}

function compare(first: string, second: string): number {
  return Buffer.compare(Buffer.from(first), Buffer.from(second));
}
