// What changes set off, in both syntaxes: before and after each operation, conditions, rules, what runs at start.

import { describe, expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const current = `module m
entity Post { id Int @id, title String, n Int @default(0) }
entity Comment { no Int @id, text String }
entity Tag { name String @id }
entity Log { id UUID @id @default(uuid()), text String }
relationship PostComment contains(Post, Comment)
relationship PostTag between(Post, Tag) { since String @optional }
`;

const earlier = `(component :M)
(entity :Post {:Id {:type :Int :guid true} :Title :String :N {:type :Int :default 0}})
(entity :Comment {:No {:type :Int :id true} :Text :String})
(entity :Tag {:Name {:type :String :guid true}})
(entity :Log {:Id :Identity :Text :String})
(relationship :PostComment {:meta {:contains [:Post :Comment]}})
(relationship :PostTag {:meta {:between [:Post :Tag]} :Since {:type :String :optional true}})
`;

/** Title, declarations, what is asked, and the texts that are logged in the end. */
type Row = readonly [title: string, also: string, steps: readonly Step[], logged: readonly string[]];

const post = (id: number, title: string, status = 201): Step => ({ ask: 'POST /m/Post', body: { id, title }, status });
const allOperations = (text: string) =>
  ['create', 'update', 'delete']
    .map((each) => `workflow @${text} ${each}:Post { {Log {text "${text} ${each} " + this.title}} }`)
    .join('\n');
const changes: readonly Step[] = [
  post(1, 'a'),
  { ask: 'PUT /m/Post/1', body: { title: 'b' }, status: 200 },
  { ask: 'DELETE /m/Post/1', status: 200 },
];

const currentRows: readonly Row[] = [
  ['before each operation of a request', allOperations('before'), changes, ['before create a', 'before update b', 'before delete b']],
  ['after each operation of a request', allOperations('after'), changes, ['after create a', 'after update b', 'after delete b']],
  [
    'before and after each operation of a workflow',
    `${allOperations('before')}\n${allOperations('after')}\nworkflow w { {Post {id 1, title "a"}} {Post {id? 1, title "b"}} delete {Post {id? 1}} }`,
    [{ ask: 'POST /m/w', body: {}, status: 200 }],
    ['before create a', 'after create a', 'before update b', 'after update b', 'before delete b', 'after delete b'],
  ],
  [
    'the instance goes by the name of its type too',
    'workflow @after create:Post { {Log {text Post.title + m/Post.id}} }',
    [post(1, 'a')],
    ['a1'],
  ],
  [
    'several run in the order of their declaration',
    'workflow @after create:Post { {Log {text "1"}} }\nworkflow @after create:Post { {Log {text "2"}} }',
    [post(1, 'a')],
    ['1', '2'],
  ],
  [
    'before an update the instance holds what it will be, and may be changed',
    'workflow @before update:Post { {this {n this.n + 1}} }\nworkflow @after update:Post { {Log {text "n" + this.n}} }',
    [
      post(1, 'a'),
      { ask: 'PUT /m/Post/1', body: { n: 5 }, status: 200, has: { n: 6 } },
      { ask: 'GET /m/Post/1', status: 200, has: { n: 6 } },
    ],
    ['n6'],
  ],
  [
    'a throw before a delete keeps what was to be deleted',
    'workflow @before delete:Post { {Log {text "tried"}} throw("not this one") }',
    [
      post(1, 'a'),
      { ask: 'DELETE /m/Post/1', status: 422, code: 'dataflow-failed', has: { detail: 'not this one' } },
      { ask: 'GET /m/Post/1', status: 200 },
    ],
    [],
  ],
  [
    'a throw after an update undoes it',
    'workflow @after update:Post { throw("never") }',
    [post(1, 'a'), { ask: 'PUT /m/Post/1', body: { title: 'b' }, status: 422 }, { ask: 'GET /m/Post/1', status: 200, has: { title: 'a' } }],
    [],
  ],
  [
    'a trigger that fails inside a workflow can be caught there',
    'workflow @before create:Post { throw("never") }\nworkflow w { {Post {id 1, title "a"}} @catch {error {Log {text Error.message}}} }',
    [
      { ask: 'POST /m/w', body: {}, status: 200 },
      { ask: 'GET /m/Post', status: 200, is: [] },
    ],
    ['never'],
  ],
  [
    'an upsert sets off what it does: create or update',
    'workflow @after create:Post { {Log {text "create"}} }\nworkflow @after update:Post { {Log {text "update"}} }\nworkflow w { {Post {id 1, title "a"}, @upsert} {Post {id 1, title "b"}, @upsert} }',
    [{ ask: 'POST /m/w', body: {}, status: 200 }],
    ['create', 'update'],
  ],
  [
    'children that are created with their parent',
    'workflow @after create:Comment { {Log {text this.text}} }',
    [
      {
        ask: 'POST /m/Post',
        body: {
          id: 1,
          title: 'a',
          PostComment: [
            { no: 1, text: 'x' },
            { no: 2, text: 'y' },
          ],
        },
        status: 201,
      },
    ],
    ['x', 'y'],
  ],
  [
    'children that are deleted with their parent',
    'workflow @after delete:Comment { {Log {text this.text}} }',
    [
      { ask: 'POST /m/Post', body: { id: 1, title: 'a', PostComment: [{ no: 1, text: 'x' }] }, status: 201 },
      { ask: 'DELETE /m/Post/1', status: 200 },
    ],
    ['x'],
  ],
  [
    'links: before and after they are made, changed and deleted',
    'workflow @before create:PostTag { {Log {text "before " + this.Tag}} }\nworkflow @after create:PostTag { {Log {text "after " + this.Post}} }\nworkflow @after update:PostTag { {Log {text "changed " + this.since}} }\nworkflow @after delete:PostTag { {Log {text "deleted " + this.Tag}} }\nworkflow w { {PostTag {Post? 1, since "may"}} delete {PostTag {Post? 1}} }',
    [
      post(1, 'a'),
      { ask: 'POST /m/Tag', body: { name: 't' }, status: 201 },
      { ask: 'POST /m/PostTag', body: { Post: 1, Tag: 't' }, status: 201 },
      { ask: 'POST /m/w', body: {}, status: 200 },
    ],
    ['before t', 'after 1', 'changed may', 'deleted t'],
  ],
  [
    'links that are unlinked, and those that go with an instance or with what it contains',
    'relationship CommentTag between(Comment, Tag)\nworkflow @before delete:PostTag { {Log {text "before " + this.Tag}} }\nworkflow @after delete:PostTag { {Log {text "after " + this.Tag}} }\nworkflow @after delete:CommentTag { {Log {text "comment " + this.Tag}} }\nworkflow @after delete:Post { {Log {text "post"}} }',
    [
      {
        ask: 'POST /m/Post',
        body: {
          id: 1,
          title: 'a',
          PostTag: [{ name: 't' }, { name: 'u' }],
          PostComment: [{ no: 1, text: 'x', CommentTag: [{ name: 'v' }] }],
        },
        status: 201,
      },
      { ask: 'DELETE /m/Post/1/PostTag/Tag/t', status: 200 },
      { ask: 'DELETE /m/Post/1', status: 200 },
    ],
    ['before t', 'after t', 'before u', 'after u', 'comment v', 'post'],
  ],
  [
    'a throw before the delete of a child keeps its parent too',
    'workflow @before delete:Comment { throw("kept") }\nworkflow w { delete {Post {id? 1}} }',
    [
      { ask: 'POST /m/Post', body: { id: 1, title: 'a', PostComment: [{ no: 1, text: 'x' }] }, status: 201 },
      { ask: 'DELETE /m/Post/1', status: 422, code: 'dataflow-failed' },
      { ask: 'POST /m/w', body: {}, status: 422, code: 'dataflow-failed' },
      { ask: 'GET /m/Post/1/PostComment/Comment/1', status: 200 },
    ],
    [],
  ],
  [
    'before a link is made, its own attributes may be changed, its ends may not',
    'workflow @before create:PostTag { {this {since "now"}}; if (this.Tag == "bad") { {this {Tag "good"}} } }',
    [
      { ask: 'POST /m/Post', body: { id: 1, title: 'a', PostTag: [{ name: 'good' }] }, status: 201 },
      { ask: 'POST /m/Tag', body: { name: 'bad' }, status: 201 },
      { ask: 'GET /m/PostTag', status: 200, has: [{ Post: 1, Tag: 'good', since: 'now' }] },
      { ask: 'POST /m/PostTag', body: { Post: 1, Tag: 'bad' }, status: 422, faults: ['Tag readonly'] },
    ],
    [],
  ],
  [
    'events of an entity: the instance stands in an attribute that is named after it',
    'entity Doc { id Int @id, title String, @before {create early, delete early}, @after {create late, update late} }\nworkflow early { {Log {text "early " + early.Doc.title}} }\nworkflow late { {Log {text "late " + late.Doc.title}} }',
    [
      { ask: 'POST /m/Doc', body: { id: 1, title: 'a' }, status: 201 },
      { ask: 'PUT /m/Doc/1', body: { title: 'b' }, status: 200 },
      { ask: 'DELETE /m/Doc/1', status: 200 },
    ],
    ['early a', 'late a', 'late b', 'early b'],
  ],
  [
    'a trigger returns without ending what set it off',
    'workflow @after create:Post { return 1 }\nworkflow w { {Post {id 1, title "a"}} {Log {text "went on"}} }',
    [{ ask: 'POST /m/w', body: {}, status: 200 }],
    ['went on'],
  ],
  [
    'a request that is refused sets off nothing',
    'workflow @before create:Post { {Log {text "x"}} }',
    [{ ask: 'POST /m/Post', body: { id: 'x' }, status: 422 }],
    [],
  ],
];

const apiPost = (id: number, title: string, status = 200): Step => ({
  ask: 'POST /api/M/Post',
  body: { 'M/Post': { Id: id, Title: title } },
  status,
});
const apiPut = (id: number, values: object, status = 200): Step => ({ ask: `PUT /api/M/Post/${id}`, body: { 'M/Post': values }, status });
const eachOperation = (when: string) =>
  ['create', 'update', 'delete']
    .map((each) => `(dataflow [:${when} :${each} :Post] {:Log {:Text '(str "${when} ${each} " :Instance.Title)}})`)
    .join('\n');
const apiChanges: readonly Step[] = [apiPost(1, 'a'), apiPut(1, { Title: 'b' }), { ask: 'DELETE /api/M/Post/1', status: 200 }];

const earlierRows: readonly Row[] = [
  ['before each operation of a request', eachOperation('before'), apiChanges, ['before create a', 'before update b', 'before delete b']],
  ['after each operation of a request', eachOperation('after'), apiChanges, ['after create a', 'after update b', 'after delete b']],
  [
    'before and after each operation of a dataflow',
    `${eachOperation('before')}${eachOperation('after')}(dataflow :W {:Post {:Id 1 :Title "a"}} {:Post {:Id? 1 :Title "b"}} [:delete :Post {:Id 1}])`,
    [{ ask: 'POST /api/M/W', body: { 'M/W': {} }, status: 200 }],
    ['before create a', 'after create a', 'before update b', 'after update b', 'before delete b', 'after delete b'],
  ],
  [
    'an instance that a dataflow before an update gives is stored instead',
    "(dataflow [:before :update :Post] {:Instance {:N '(* 10 :Instance.Id)}})",
    [
      apiPost(3, 'a'),
      { ...apiPut(3, { Title: 'b' }), has: { Title: 'b', N: 30 } },
      { ask: 'GET /api/M/Post/3', status: 200, has: { Title: 'b', N: 30 } },
    ],
    [],
  ],
  [
    'several run in the order of their declaration',
    '(dataflow [:after :create :Post] {:Log {:Text "1"}}) (dataflow [:after :create :Post] {:Log {:Text "2"}})',
    [apiPost(1, 'a')],
    ['1', '2'],
  ],
  [
    'a failing dataflow before a create keeps it from being stored',
    '(dataflow [:before :create :Post] {:Tag {:Name? "none"} :throws {:not-found {:Log {:Text "no"}}}})',
    [apiPost(1, 'a', 422), { ask: 'GET /api/M/Post', status: 200, is: [] }],
    [],
  ],
  [
    'children and links',
    '(dataflow [:after :create :Comment] {:Log {:Text :Instance.Text}}) (dataflow [:after :create :PostTag] {:Log {:Text \'(str "tag " :Instance.Tag)}})',
    [
      {
        ask: 'POST /api/M/Post',
        body: { 'M/Post': { Id: 1, Title: 'a' }, 'M/PostComment': [{ 'M/Comment': { No: 1, Text: 'x' } }] },
        status: 200,
      },
      { ask: 'POST /api/M/Tag', body: { 'M/Tag': { Name: 't' } }, status: 200 },
      { ask: 'POST /api/M/PostTag', body: { 'M/PostTag': { Post: 1, Tag: 't' } }, status: 200 },
    ],
    ['x', 'tag t'],
  ],
  [
    'an event with a condition runs whenever what is stored fulfils it',
    '(dataflow [:Big :when [:> :Post.Id 10]] {:Log {:Text \'(str "big " :Big.Post.Id)}})',
    [apiPost(5, 'a'), apiPost(11, 'b'), apiPut(11, { Title: 'c' })],
    ['big 11', 'big 11'],
  ],
  [
    'a condition of several parts',
    '(dataflow [:Big :when [:and [:> :Post.Id 10] [:= :Post.Title "x"]]] {:Log {:Text \'(str "big " :Big.Post.Id)}})',
    [apiPost(11, 'b'), apiPost(12, 'x')],
    ['big 12'],
  ],
  [
    'a condition over two entities',
    '(dataflow [:Both :when [:and [:= :Post.Title "x"] [:= :Tag.Name "x"]] :on :Tag :where [:= :Tag.Name :Post.Title]] {:Log {:Text \'(str "both " :Both.Post.Id)}})',
    [apiPost(1, 'x'), { ask: 'POST /api/M/Tag', body: { 'M/Tag': { Name: 'x' } }, status: 200 }, apiPost(2, 'x'), apiPost(3, 'y')],
    ['both 2'],
  ],
  [
    'what a conditional event does belongs to its cause',
    '(dataflow [:Big :when [:> :Post.Id 10]] {:Log {:Text "big"}} {:Tag {:Name? "none"} :throws {:not-found {:Log {:Text "no"}}}})',
    [apiPost(11, 'a', 422), { ask: 'GET /api/M/Post', status: 200, is: [] }],
    [],
  ],
];

async function logged(served: Served, target: string, name: string): Promise<unknown> {
  const { body } = await served.get(target);
  return Array.isArray(body) ? body.map((each) => Reflect.get(Object(each), name)) : body;
}

describe('workflows', () => {
  for (const [title, also, steps, texts] of currentRows) {
    test(title, async () => {
      const served = await serve(`${current}\n${also}\n`);
      await check(served, steps);
      expect(await logged(served, '/m/Log', 'text')).toEqual(texts);
    });
  }
});

describe('dataflows', () => {
  for (const [title, also, steps, texts] of earlierRows) {
    test(title, async () => {
      const served = await serve({ 'm.platform': `${earlier}\n${also}\n` }, { surfaces: ['earlier'] });
      await check(served, steps);
      expect(await logged(served, '/api/M/Log', 'Text')).toEqual(texts);
    });
  }
});

/** Rules run after the commit of what they wait for. */
const rules: readonly Row[] = [
  [
    'a rule with an operator',
    '(rule :R {:Post {:Id [:>= 500]} :as :P} :then {:Log {:Text \'(str "rule " :P.Id)}})',
    [apiPost(5, 'a'), apiPost(500, 'b')],
    ['rule 500'],
  ],
  [
    'a rule with a literal',
    '(rule :R {:Post {:Title "x"} :as :P} :then {:Log {:Text \'(str "rule " :P.Id)}})',
    [apiPost(5, 'a'), apiPost(6, 'x')],
    ['rule 6'],
  ],
  [
    'a rule on updates too',
    '(rule :R {:Post {:Title "x"} :as :P} :then {:Log {:Text \'(str "rule " :P.Id)}})',
    [apiPost(5, 'a'), apiPut(5, { Title: 'x' })],
    ['rule 5'],
  ],
  [
    'a rule on deletes',
    '(rule :R [:delete {:Post {:Title "x"} :as :P}] :then {:Log {:Text \'(str "gone " :P.Id)}})',
    [apiPost(5, 'x'), { ask: 'DELETE /api/M/Post/5', status: 200 }],
    ['gone 5'],
  ],
  [
    'a rule with several consequences',
    '(rule :R {:Post {:Title "x"}} :then {:Log {:Text "1"}} {:Log {:Text "2"}} {:meta {:priority 10}})',
    [apiPost(5, 'x')],
    ['1', '2'],
  ],
];

describe('rules', () => {
  for (const [title, also, steps, texts] of rules) {
    test(title, async () => {
      const served = await serve({ 'm.platform': `${earlier}\n${also}\n` }, { surfaces: ['earlier'] });
      await check(served, steps);
      await expect.poll(() => logged(served, '/api/M/Log', 'Text')).toEqual(texts);
    });
  }
});

test('what stands on its own runs at start, then AppInit of every component, in order', async () => {
  const served = await serve(
    {
      'm.platform': `${earlier}\n{:Log {:Text "alone"}}\n(dataflow :Platform.Kernel.Lang/AppInit {:Log {:Text "init 1"}})`,
      'n.platform': '(component :N)\n(dataflow :Platform.Kernel.Lang/AppInit {:M/Log {:Text "init 2"}})',
    },
    { surfaces: ['earlier'] },
  );
  expect(await logged(served, '/api/M/Log', 'Text')).toEqual(['alone', 'init 1', 'init 2']);
});

test('statements at the top of a file run at start, in order, as one transaction', async () => {
  const served = await serve(`${current}
{Post {id 1, title "a"}, PostComment [{Comment {no 1, text "x"}}]} @as p
for x in ["1", "2"] { {Log {text x + p.title}} }
if (p.n == 0) { {Tag {name "zero"}} }`);
  await check(served, [
    { ask: 'GET /m/Post/1/PostComment/Comment/1', status: 200 },
    { ask: 'GET /m/Tag/zero', status: 200 },
  ]);
  expect(await logged(served, '/m/Log', 'text')).toEqual(['1a', '2a']);
});

test('work that is put off runs after the commit, its failure is logged and harms nobody', async () => {
  const served = await serve(`${current}
entity Doc { id Int @id, title String, @after {create jot @async, delete jot @async} }
workflow jot { if (jot.Doc.title == "bad") { throw("late") }; {Log {text jot.Doc.title}} }
workflow fails { {Doc {id 9, title "undone"}} throw("stop") }`);
  await check(served, [
    { ask: 'POST /m/fails', body: {}, status: 422 },
    { ask: 'POST /m/Doc', body: { id: 1, title: 'good' }, status: 201 },
    { ask: 'DELETE /m/Doc/1', status: 200 },
  ]);
  await expect.poll(() => logged(served, '/m/Log', 'text')).toEqual(['good', 'good']);
  expect((await served.post('/m/Doc', { id: 2, title: 'bad' })).status).toBe(201);
  await expect.poll(() => served.failures).toMatchObject([{ what: 'm/jot' }]);
  expect((await served.get('/m/Doc/2')).status).toBe(200);
});

test('work that is put off gets the instance as it was committed: a whole tree, and what was computed last', async () => {
  const served = await serve(`${current}
entity Book { id Int @id, pages Int @expr(count(BookPage)), @after {create jot @async, update jot @async} }
entity Page { no Int @id }
relationship BookPage contains(Book, Page)
workflow jot { {Log {text "pages " + jot.Book.pages}} }
workflow bind { {Book {id 2}, BookPage [{Page {no 1}}, {Page {no 2}}, {Page {no 3}}]} }`);
  await check(served, [{ ask: 'POST /m/Book', body: { id: 1, BookPage: [{ no: 1 }, { no: 2 }] }, status: 201 }]);
  await expect.poll(() => logged(served, '/m/Log', 'text')).toEqual(['pages 2']);
  await check(served, [{ ask: 'POST /m/bind', body: {}, status: 200 }]);
  await expect.poll(() => logged(served, '/m/Log', 'text')).toEqual(['pages 2', 'pages 3']);
});
