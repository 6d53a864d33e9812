// What linking promises for every model: it never throws, never leaves a model with errors, and gives one that nobody can change.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasErrors } from '../../src/diagnostics.ts';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { cyclesOf } from '../../src/model/checks/cycles.ts';
import { link } from '../../src/model/link/link.ts';
import { caseFiles, sourcesOf } from '../language/case-file.ts';
import { counted } from '../support/form.ts';

const sources = caseFiles().flatMap(({ cases }) => cases.flatMap(sourcesOf));
const texts = sources.map((source) => source.text).filter((text) => text.length < 3000);

function linked(...files: readonly string[]) {
  return link(files.map((text, index) => currentFrontEnd.read({ file: `${index}.al`, text }).unit));
}

/** Lines of models, put together as they come. */
const scrambled = fc
  .array(fc.constantFrom(...texts), { minLength: 1, maxLength: 3 })
  .chain((chosen) => fc.shuffledSubarray(chosen.flatMap((text) => text.split('\n'))))
  .map((lines) => ['module m', ...lines].join('\n'));

describe('link', () => {
  test('never throws, and gives a model exactly when there are no errors', () => {
    fc.assert(
      fc.property(scrambled, (text) => {
        const { model, diagnostics } = linked(text);
        expect(model === undefined).toBe(hasErrors(diagnostics));
      }),
      { numRuns: counted({ long: 2000, short: 70 }) },
    );
  });

  test('the order of files makes no difference to what is declared', () => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.constantFrom(...texts), (one, other) => {
        const [a, b] = [linked(one, other).model, linked(other, one).model];
        expect(a === undefined).toBe(b === undefined);
        if (a !== undefined && b !== undefined) expect([...a.entities.keys()].sort()).toEqual([...b.entities.keys()].sort());
      }),
    );
  });

  test('a file without a module gives no model', () => {
    expect(linked('entity E { a Int }').model).toBeUndefined();
  });

  test('no files give an empty model', () => {
    expect(link([]).model?.modules).toEqual([]);
  });

  test('chains of thousands of names are no danger', () => {
    const count = 2000;
    const extended = Array.from(
      { length: count },
      (_, index) => `entity E${index} extends E${index + 1} { a${index} @ref(E${index + 1}.a${index + 1}) }`,
    );
    expect(linked(`module m\n${extended.join('\n')}`).model).toBeUndefined();
    const chain = Array.from(
      { length: count },
      (_, index) => `entity E${index} { id Int @id }\nrelationship R${index} contains(E${index}, E${index + 1})`,
    );
    expect(linked(`module m\n${chain.join('\n')}\nentity E${count} { id Int @id }`).diagnostics).toEqual([]);
  });
});

describe('a model', () => {
  const whole = `module m
import "f.js" @as f
record Part { a Int @default(1) }
entity Post { id UUID @id @default(uuid()), part Part @optional @default({"a": 1}), tags String[] @optional, n Int @expr(1 + 2), @rbac [(roles: [user], allow: [*])], @meta {"audit": true} }
entity Tag { name String @id @check(f.good) }
relationship PostTag between(Post, Tag) { since Date @optional }
workflow w { {Post {n?> 1}, PostTag {Tag? {}}} @as found; found }
agent a { instruction "x", tools [Post] }
flow a { a --> "yes" w }`;

  test('is frozen all the way down', () => {
    const { model } = linked(whole);
    expect(unfrozen(model, 'model')).toEqual([]);
  });

  test('refuses new entities', () => {
    const { model } = linked(whole);
    const entities = model?.entities;
    expect(() => entities instanceof Map && entities.clear()).toThrow(TypeError);
    expect(() => entities instanceof Map && entities.set('m/X', 1)).toThrow(TypeError);
    expect([...(model?.entities.values() ?? [])].filter((each) => each.system === undefined)).toHaveLength(2);
  });
});

/** The paths of what could be changed; spans belong to the source. */
function unfrozen(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = value instanceof Map ? [...value] : Object.entries(value);
  const own = Object.isFrozen(value) ? [] : [path];
  return [...own, ...inside.flatMap(([key, each]) => (key === 'span' ? [] : unfrozen(each, `${path}.${key}`)))];
}

describe('cyclesOf', () => {
  const graphs = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 25 });

  test('finds the nodes from which a way leads back, and numbers each cycle', () => {
    fc.assert(
      fc.property(graphs, (edges) => {
        const next = (node: string) => edges.filter(([from]) => `${from}` === node).map(([, to]) => `${to}`);
        const nodes = Array.from({ length: 10 }, (_, index) => `${index}`);
        const cycles = cyclesOf(nodes, next);
        for (const one of nodes) {
          expect(cycles.has(one)).toBe(reach(one, next).has(one));
          for (const other of cycles.keys()) {
            const together = one === other || (reach(one, next).has(other) && reach(other, next).has(one));
            if (cycles.has(one)) expect(cycles.get(one) === cycles.get(other)).toBe(together);
          }
        }
      }),
    );
  });
});

function reach(start: string, next: (node: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set(next(start));
  for (const each of reached) for (const to of next(each)) reached.add(to);
  return reached;
}
