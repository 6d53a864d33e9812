// What a process of the model before can still serve when the tables are those of the next one.

import { expect, test } from 'vitest';
import { misfits } from '../../src/store/migration/diff/fit.ts';
import { tablesOf } from './evolve.ts';

const before = `module m
entity P { id Int @id, name String, size Int @optional, kind String @enum("a", "b") }
entity K { no Int @id, code String }
entity T { id Int @id, mail Email }
relationship R contains(P, K)
relationship L between(P, T)`;

/** What is changed in the text, and the tables that cannot be served any more. */
const cases: readonly (readonly [title: string, from: string, to: string, misfits: readonly string[]])[] = [
  ['nothing', 'name', 'name', []],
  ['a new entity', 'module m', 'module m\nentity N { id Int @id }', []],
  ['a new optional attribute', 'name String', 'name String, more Int @optional', []],
  ['a new attribute with a default', 'name String', 'name String, more Int @default(1)', []],
  ['a new attribute that is required and has no default', 'name String', 'name String, more Int', ['m/P']],
  ['a new attribute with a default that only a process can fill in', 'name String', 'name String, more Int @autoincrement', ['m/P']],
  ['a new computed attribute', 'name String', 'name String, more Int @expr(id * 2)', ['m/P']],
  ['an attribute that is computed from now on', 'size Int @optional', 'size Int @expr(id * 2)', ['m/P']],
  ['a second parent', 'relationship L', 'relationship S contains(T, K)\nrelationship L', []],
  ['a wider type', 'mail Email', 'mail String', []],
  ['a narrower type', 'name String', 'name Email', ['m/P']],
  ['another type', 'size Int', 'size String', ['m/P']],
  ['no longer required', 'name String', 'name String @optional', []],
  ['required', 'size Int @optional', 'size Int', ['m/P']],
  ['more values of an enum', '"b")', '"b", "c")', []],
  ['fewer values of an enum', '"a", "b")', '"a")', ['m/P']],
  ['unique', 'name String', 'name String @unique', []],
  ['an index of words', 'name String', 'name String @fulltext', ['m/P']],
  ['a renamed attribute', 'name String', 'title String @was("name")', ['m/P']],
  ['a dropped attribute', ', size Int @optional', '', ['m/P']],
  ['another identifier of a contained entity', 'no Int @id, code String', 'no Int, code String @id', ['m/K']],
  ['another type of the identifier of a contained entity', 'no Int @id', 'no String @id', ['m/K']],
  ['a link that is dropped', '\nrelationship L between(P, T)', '', ['m/L']],
  ['a parent that is dropped', '\nrelationship R contains(P, K)', '', ['m/K']],
];
for (const [title, from, to, expected] of cases) {
  test(`${title}: ${expected.length === 0 ? 'a process of the model before serves on' : `${expected.join(', ')} cannot be served`}`, () => {
    expect(before).toContain(from);
    expect(misfits(tablesOf(before), tablesOf(before.replace(from, to)))).toEqual(expected);
  });
}
