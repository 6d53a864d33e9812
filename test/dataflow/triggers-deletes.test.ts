// Triggers on what goes with something else: what refers to it and goes with it, what that contains, its links.

import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const model = `module m
entity Log { n Int @id @autoincrement, text String }
entity Person { id Int @id, email String @unique @optional }
entity Book { id Int @id, owner Int @ref(Person.id) @cascade(true) @optional, lender String @ref(Person.email) @cascade(true) @optional }
entity Page { id Int @id, text String @unique @optional }
entity Note { id Int @id, book Int @ref(Book.id) @cascade(true) }
entity Node { id Int @id, up Int @ref(Node.id) @cascade(true) @optional }
entity Left { id Int @id, right Int @ref(Right.id) @cascade(true) @optional }
entity Right { id Int @id, left Int @ref(Left.id) @cascade(true) @optional }
entity Review { id Int @id, page String @ref(Page.text) @cascade(true) @optional }
relationship Pages contains(Book, Page)
relationship Tagged between(Book, Node)`;

const logs = (when: 'before' | 'after', ...types: readonly string[]): string =>
  types.map((type) => `workflow @${when} delete:${type} { {Log {text "${when} ${type} " + this.id}} }`).join('\n');

interface Case {
  readonly title: string;
  readonly triggers: string;
  readonly steps: readonly Step[];
  readonly log: readonly string[];
}

const made = (type: string, body: object): Step => ({ ask: `POST /m/${type}`, body, status: 201 });
const library: readonly Step[] = [
  made('Person', { id: 1, email: 'a' }),
  made('Person', { id: 2, email: 'b' }),
  made('Book', { id: 10, owner: 1 }),
  made('Book', { id: 11, owner: 2, lender: 'a' }),
  made('Book', { id: 12, owner: 2 }),
  made('Book/10/Pages/Page', { id: 100, text: 'x' }),
  made('Note', { id: 50, book: 10 }),
  made('Note', { id: 51, book: 12 }),
];
const personGoes: Step = { ask: 'DELETE /m/Person/1', status: 200 };
const left = (type: string, ...ids: readonly number[]): Step => ({
  ask: `GET /m/${type}?@select=id`,
  status: 200,
  has: ids.map((id) => ({ id })),
});

const cases: readonly Case[] = [
  {
    title: 'what refers to a deleted instance and goes with it, by whatever attribute it refers',
    triggers: logs('after', 'Book'),
    steps: [...library, personGoes, left('Book', 12)],
    log: ['after Book 10', 'after Book 11'],
  },
  {
    title: 'before and after, with the instance itself around them',
    triggers: `${logs('before', 'Person', 'Book')}\n${logs('after', 'Person', 'Book')}`,
    steps: [...library, personGoes],
    log: ['before Person 1', 'before Book 10', 'before Book 11', 'after Book 10', 'after Book 11', 'after Person 1'],
  },
  {
    title: 'what refers to what refers to it, also where nothing runs in between',
    triggers: logs('after', 'Note'),
    steps: [...library, personGoes, left('Note', 51)],
    log: ['after Note 50'],
  },
  {
    title: 'what is contained in what goes with it',
    triggers: logs('after', 'Page'),
    steps: [...library, personGoes, left('Page')],
    log: ['after Page 100'],
  },
  {
    title: 'what refers to what is contained in it',
    triggers: logs('after', 'Review'),
    steps: [...library, made('Review', { id: 7, page: 'x' }), { ask: 'DELETE /m/Book/10', status: 200 }, left('Review')],
    log: ['after Review 7'],
  },
  {
    title: 'links of what goes with it',
    triggers: 'workflow @after delete:Tagged { {Log {text "link " + this.Book + " " + this.Node}} }',
    steps: [
      ...library,
      made('Node', { id: 3 }),
      made('Tagged', { Book: 10, Node: 3 }),
      made('Tagged', { Book: 12, Node: 3 }),
      personGoes,
      left('Node', 3),
    ],
    log: ['link 10 3'],
  },
  {
    title: 'a type that refers to itself, each once',
    triggers: logs('after', 'Node'),
    steps: [
      made('Node', { id: 1 }),
      made('Node', { id: 2, up: 1 }),
      made('Node', { id: 3, up: 2 }),
      made('Node', { id: 4 }),
      { ask: 'DELETE /m/Node/1', status: 200 },
      left('Node', 4),
    ],
    log: ['after Node 2', 'after Node 3', 'after Node 1'],
  },
  {
    title: 'two that refer to each other, each once',
    triggers: logs('before', 'Left', 'Right'),
    steps: [
      made('Right', { id: 1 }),
      made('Left', { id: 1, right: 1 }),
      { ask: 'PUT /m/Right/1', body: { left: 1 }, status: 200 },
      { ask: 'DELETE /m/Left/1', status: 200 },
      left('Left'),
      left('Right'),
    ],
    log: ['before Left 1', 'before Right 1'],
  },
  {
    title: 'a delete of a workflow, each once although some of them go with others',
    triggers: `${logs('after', 'Node')}\nworkflow clear { delete {Node {id?> 0}} }`,
    steps: [
      made('Node', { id: 1 }),
      made('Node', { id: 2, up: 1 }),
      made('Node', { id: 3, up: 1 }),
      { ask: 'POST /m/clear', body: {}, status: 200 },
      left('Node'),
    ],
    log: ['after Node 2', 'after Node 3', 'after Node 1'],
  },
  {
    title: 'a throw before the delete of what goes with it keeps everything',
    triggers: 'workflow @before delete:Book { {Log {text "tried"}}; throw("kept") }',
    steps: [
      ...library,
      { ask: 'DELETE /m/Person/1', status: 422, code: 'dataflow-failed', has: { detail: 'kept' } },
      left('Book', 10, 11, 12),
    ],
    log: [],
  },
];

describe('triggers run on every row that a delete takes', () => {
  test.each(cases.map((each) => [each.title, each] as const))('%s', async (_, { triggers, steps, log }) => {
    const served = await serve(`${model}\n${triggers}`);
    await check(served, steps);
    const { body } = await served.get('/m/Log?@select=text');
    expect(Array.isArray(body) ? body.map((each: { text: string }) => each.text) : body).toEqual(log);
  });
});

test('[:after :delete :E] runs on what goes with :cascade-on-delete', async () => {
  const served = await serve(
    {
      'core.platform': `(component :M)
(entity :Log {:Text {:type :String :guid true}})
(entity :Person {:Email {:type :Email :guid true}})
(entity :Book {:Id {:type :Int :guid true} :Owner {:ref :Person.Email :cascade-on-delete true}})
(dataflow [:after :delete :Book] {:Log {:Text '(str "gone " :Instance.Id)}})`,
    },
    { surfaces: ['earlier'] },
  );
  const post = (type: string, values: object): Step => ({ ask: `POST /api/M/${type}`, body: { [`M/${type}`]: values }, status: 200 });
  await check(served, [
    post('Person', { Email: 'a@b.example' }),
    post('Book', { Id: 1, Owner: 'a@b.example' }),
    { ask: 'DELETE /api/M/Person/a@b.example', status: 200 },
    { ask: 'GET /api/M/Book', status: 200, is: [] },
    { ask: 'GET /api/M/Log', status: 200, has: [{ Text: 'gone 1' }] },
  ]);
});

test('what goes with another takes what it contains along, also where nothing runs', async () => {
  await check(await serve(model), [...library, personGoes, left('Book', 12), left('Page'), left('Note', 51)]);
});
