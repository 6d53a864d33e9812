// Split and merge lose what no tool can guess: refused with what to do, and the way is walked here: add, copy by an event, retire.

import { expect, test } from 'vitest';
import { type Database, database } from './evolve.ts';

const person = 'module m\nentity Person { id Int @id, name String }\n';
const added = `
import "names.js" @as names
entity Person { id Int @id, name String, given String @optional, family String @optional }
workflow split {
  for p in {Person? {}} {
    {Person {id? p.id, given names.given(p.name), family names.family(p.name)}}
  }
}`;
const names = 'export const given = (name) => name.split(" ")[0];\nexport const family = (name) => name.split(" ").slice(1).join(" ");\n';
const splitModel = { 'core.al': `module m\n${added}`, 'names.js': names };
const split = 'module m\nentity Person { id Int @id, given String, family String }\n';

test('an attribute is split in two: refused at once, done in steps', async () => {
  const data = database();
  await data.serve(person, [
    { ask: 'POST /m/Person', body: { id: 1, name: 'Ada Lovelace' }, status: 201 },
    { ask: 'POST /m/Person', body: { id: 2, name: 'Grace Brewster Hopper' }, status: 201 },
  ]);
  const refusal = await data.refusal(split);
  expect(refusal).toMatch(/m\/Person\.name is stored but no longer in the model; it has a value in 2 instances: 1, 2\n/);
  expect(refusal).toMatch(
    /m\/Person\.given is required and has no default.*\n.*\n.*\n.*make it @optional \(:optional true\), give the instances a value, and require it then\n/,
  );
  await expect(data.apply(split)).rejects.toThrow(/nothing was changed/);
  await data.serve(splitModel, [{ ask: 'POST /m/split', body: {}, status: 200 }]);
  await data.apply(split);
  await data.serve(split, [
    {
      ask: 'GET /m/Person',
      status: 200,
      is: [
        { id: 1, given: 'Ada', family: 'Lovelace' },
        { id: 2, given: 'Grace', family: 'Brewster Hopper' },
      ],
    },
  ]);
  await data.undo();
  await data.serve(splitModel, [
    { ask: 'GET /m/Person/1', status: 200, is: { id: 1, name: 'Ada Lovelace', given: 'Ada', family: 'Lovelace' } },
  ]);
});

const two = 'module m\nentity Cat { id Int @id, name String }\nentity Dog { id Int @id, name String }\n';
const merging = `${two}entity Pet { id String @id, kind @enum("cat", "dog"), name String }
workflow merge {
  for c in {Cat? {}} { {Pet {id "c" + c.id, kind "cat", name c.name}} };
  for d in {Dog? {}} { {Pet {id "d" + d.id, kind "dog", name d.name}} }
}`;
const merged = 'module m\nentity Pet { id String @id, kind @enum("cat", "dog"), name String }\n';
const pets = [
  { id: 'c1', kind: 'cat', name: 'Tom' },
  { id: 'd1', kind: 'dog', name: 'Rex' },
];

test('two entities are merged in one: refused at once, done in steps', async () => {
  const data = database();
  await fillTwo(data);
  expect(await data.refusal(merged)).toMatch(/m\/Cat is stored but(?:.*\n)+.*m\/Dog is stored but/);
  await data.serve(merging, [{ ask: 'POST /m/merge', body: {}, status: 200 }]);
  await data.apply(merged);
  await data.serve(merged, [{ ask: 'GET /m/Pet', status: 200, is: pets }]);
  await data.serve(two.replace('entity Cat', `${merged.replace('module m\n', '')}entity Cat`), [
    { ask: 'GET /m/Cat', status: 200, is: [{ id: 1, name: 'Tom' }] },
    { ask: 'GET /m/Pet', status: 200, is: pets },
  ]);
});

function fillTwo(data: Database): Promise<void> {
  return data.serve(two, [
    { ask: 'POST /m/Cat', body: { id: 1, name: 'Tom' }, status: 201 },
    { ask: 'POST /m/Dog', body: { id: 1, name: 'Rex' }, status: 201 },
  ]);
}
