// What a resolver keeps among stored types: relationships, access rules, triggers, workflows, and what waits for whom.

import { expect, test } from 'vitest';
import { type Person, world } from '../access/people.ts';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';
import { elsewhere, people, stored } from './team.ts';

const project = { 'core.al': elsewhere, 'people.js': people };
const p = { id: 'p', name: 'P', age: null };
const q = { id: 'q', name: 'Q', age: 3 };
const note = { id: 'n', text: 'hello', __path__: 'path://hr$Person/p/hr$PersonNote/hr$Note/n' };
const task = { id: 'a', title: 'A', __path__: 'path://hr$Team/t/hr$TeamTask/hr$Task/a' };

const begin: readonly Step[] = [
  { ask: 'POST /hr/Team', body: { id: 't', name: 'T' }, status: 201 },
  { ask: 'POST /hr/Person', body: p, status: 201 },
  { ask: 'POST /hr/Person', body: q, status: 201 },
];

const tables: readonly (readonly [title: string, steps: readonly Step[]])[] = [
  [
    'links to what is kept elsewhere are stored, and go with it',
    [
      { ask: 'POST /hr/Member', body: { Team: 't', Person: 'p' }, status: 201 },
      { ask: 'POST /hr/Member', body: { Team: 't', Person: 'nobody' }, status: 422, faults: ['Person reference'] },
      { ask: 'POST /hr/Team/t/Member/Person', body: { id: 'q' }, status: 201, is: q },
      { ask: 'GET /hr/Team/t/Member/Person?age[null]=false', status: 200, is: [q] },
      { ask: 'GET /hr/Person/p/Member/Team', status: 200, is: [{ id: 't', name: 'T' }] },
      { ask: 'GET /hr/Person/nobody/Member/Team', status: 404 },
      { ask: 'GET /hr/Team?@include=Member', status: 200, is: [{ id: 't', name: 'T', Member: [p, q] }] },
      { ask: 'DELETE /hr/Person/p', status: 200, is: p },
      { ask: 'GET /hr/Member', status: 200, has: [{ Team: 't', Person: 'q' }] },
      { ask: 'DELETE /hr/Team/t', status: 200 },
      { ask: 'GET /hr/Member', status: 200, is: [] },
      { ask: 'GET /hr/Person', status: 200, is: [q] },
    ],
  ],
  [
    'stored instances stand below what is kept elsewhere, and go with it',
    [
      { ask: 'POST /hr/Person/p/PersonNote/Note', body: { id: 'n', text: 'hello' }, status: 201, is: note },
      { ask: 'POST /hr/Person/nobody/PersonNote/Note', body: { id: 'n', text: 'hello' }, status: 404, code: 'instance-not-found' },
      { ask: 'GET /hr/Person/p?@tree=true', status: 200, is: { ...p, PersonNote: [note] } },
      { ask: 'GET /hr/Person?PersonNote.Note.text=hello', status: 200, is: [p] },
      { ask: 'DELETE /hr/Person/p', status: 200 },
      { ask: 'GET /hr/Note', status: 200, is: [] },
    ],
  ],
  [
    'a contained instance that is kept elsewhere carries its path, and its resolver is told of its parent',
    [
      { ask: 'POST /hr/Team/t/TeamTask/Task', body: { id: 'a', title: 'A' }, status: 201, is: task },
      { ask: 'POST /hr/Team/nobody/TeamTask/Task', body: { id: 'a', title: 'A' }, status: 404 },
      { ask: 'POST /hr/questions', body: {}, status: 200 },
      { ask: 'GET /hr/Team/t/TeamTask/Task', status: 200, is: [task] },
      { ask: 'GET /hr/Team/t/TeamTask/Task/a', status: 200, is: task },
      {
        ask: 'POST /hr/questions',
        body: {},
        status: 200,
        is: ['["=","__parent__","path://hr$Team/t"]', '["and",["=","id","a"],["=","__parent__","path://hr$Team/t"]]'],
      },
      { ask: 'PUT /hr/Task/a', body: { title: 'B' }, status: 200, is: { ...task, title: 'B' } },
      { ask: 'DELETE /hr/Team/t', status: 200 },
      { ask: 'GET /hr/Task', status: 200, is: [] },
    ],
  ],
];

for (const [title, steps] of tables) test(title, async () => check(await serve(project), [...begin, ...steps]));

/** Everything that each of them may try, in the same order. */
const attempts: readonly (readonly [who: string, (person: Person) => Promise<{ readonly status: number; readonly body: unknown }>])[] = [
  ['hr', (person) => person.create('/hr/Person', { id: 'a', name: 'A' })],
  ['guest', (person) => person.create('/hr/Person', { id: 'b', name: 'B' })],
  ['other', (person) => person.create('/hr/Person', { id: 'c', name: 'C', age: 9 })],
  ...(['hr', 'guest', 'other', 'boss', 'admin'] as const).flatMap((who) => [
    [who, (person: Person) => person.read('/hr/Person')] as const,
    [who, (person: Person) => person.read('/hr/Person?@count=true&age[gt]=1&@sort=-name')] as const,
    [who, (person: Person) => person.read('/hr/Person/a')] as const,
    [who, (person: Person) => person.change('/hr/Person/a', { name: `by ${who}` })] as const,
    [who, (person: Person) => person.change('/hr/Person/c', { age: 10 })] as const,
  ]),
  ['guest', (person) => person.remove('/hr/Person/a')],
  ['other', (person) => person.remove('/hr/Person/a')],
  ['hr', (person) => person.remove('/hr/Person/a')],
  ['boss', (person) => person.remove('/hr/Person/c')],
  ['admin', (person) => person.read('/hr/Person')],
];

async function answersOf(model: typeof project | string): Promise<readonly unknown[]> {
  const { admin, join } = await world(model);
  const all = {
    admin,
    hr: await join('hr', 'hr'),
    other: await join('other', 'hr'),
    boss: await join('boss', 'boss'),
    guest: await join('guest'),
  };
  const answers: unknown[] = [];
  for (const [who, attempt] of attempts) {
    const person = Object.entries(all).find(([name]) => name === who)?.[1];
    if (person === undefined) throw new Error(who);
    const { status, body } = await attempt(person);
    answers.push([who, status, status < 300 ? body : Reflect.get(Object(body), 'code')]);
  }
  return answers;
}

test('rules and owners give the same answers as for the same entity stored', async () => {
  const [here, there] = [await answersOf(stored), await answersOf(project)];
  expect(there).toEqual(here);
  // Some of both, so that the comparison says something.
  expect(new Set(here.map((each) => Reflect.get(Object(each), 1))).size).toBeGreaterThan(2);
});

const logic = `module m
import "system.js" @as system
entity Thing { id String @id, n Int }
workflow @after create:Thing { {Log {line "made " + this.id}} }
workflow @after delete:Thing { {Log {line "gone " + this.id}} }
entity Log { id Int @id @autoincrement, line String }
event work { id String }
workflow work { {Thing {id work.id, n 1}}; {Thing {id? work.id, n 2}}; {Thing {n?>= 2}} @as found; found }
event undo { id String }
workflow undo { delete {Thing {id? undo.id}} }
resolver things [m/Thing] { create system.put, update system.put, delete system.drop, query system.find }
`;

const system = `
const things = new Map();
export const put = (thing) => { things.set(thing.id, thing); };
export const drop = (thing) => { things.delete(thing.id); };
export const find = () => things.values();
`;

test('workflows and triggers work on what is kept elsewhere', async () => {
  await check(await serve({ 'core.al': logic, 'system.js': system }), [
    { ask: 'POST /m/Thing', body: { id: 'a', n: 1 }, status: 201 },
    { ask: 'POST /m/work', body: { id: 'b' }, status: 200, is: [{ id: 'b', n: 2 }] },
    { ask: 'POST /m/undo', body: { id: 'b' }, status: 200 },
    { ask: 'GET /m/Thing', status: 200, is: [{ id: 'a', n: 1 }] },
    { ask: 'GET /m/Log?@select=line', status: 200, has: [{ line: 'made a' }, { line: 'made b' }, { line: 'gone b' }] },
  ]);
});

const slow = `
let open;
const gate = new Promise((resolve) => { open = resolve; });
export const put = async (thing) => { await gate; return thing; };
export const find = async () => { await gate; return []; };
export const release = () => { open(); return 1; };
`;
const waiting = `module m
import "slow.js" @as slow
entity Far { id String @id }
entity Near { id String @id }
event release { }
workflow release { slow.release() }
resolver far [m/Far] { create slow.put, query slow.find }
`;

test('an overriding write or read that waits holds up no local write', async () => {
  const served = await serve({ 'core.al': waiting, 'slow.js': slow });
  const far = Array.from({ length: 20 }, (_, index) => served.post('/m/Far', { id: String(index) }));
  const read = served.get('/m/Far');
  for (let index = 0; index < 20; index += 1) expect((await served.post('/m/Near', { id: String(index) })).status).toBe(201);
  expect(await Promise.race([Promise.any([...far, read]), Promise.resolve('none yet')])).toBe('none yet');
  expect((await served.post('/m/release', {})).status).toBe(200);
  expect((await Promise.all(far)).map((each) => each.status)).toEqual(far.map(() => 201));
  expect((await read).body).toEqual([]);
});

test('the OpenAPI document has only the methods that a resolver has handlers for', async () => {
  const { body } = await (await serve({ 'core.al': waiting, 'slow.js': slow })).get('/openapi.json');
  const methods = (path: string): string[] => Object.keys(Object(Reflect.get(Object(Reflect.get(Object(body), 'paths')), path)));
  expect(methods('/m/Far').sort()).toEqual(['get', 'post']);
  expect(methods('/m/Far/{id}').sort()).toEqual(['get', 'parameters']);
  expect(methods('/m/Near/{id}')).toContain('put');
});
