// What a guard says holds inside workflows too: for every read and every write they make. And what recorders hear of failures.

import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createEngine, type Engine, noRecorder } from '../../src/engine/engine.ts';
import { noFunctions } from '../../src/engine/eval/functions.ts';
import type { Guard, Recorder, Verdict } from '../../src/engine/seams.ts';
import { PlatformError } from '../../src/errors.ts';
import { listQuery, readQuery } from '../../src/http/rest/query/query.ts';
import { compile } from '../../src/plan/compile.ts';
import { type Condition, everything } from '../../src/plan/query/condition.ts';
import { plainView } from '../../src/plan/query/selection.ts';
import { openStore } from '../../src/store/open.ts';
import { modelOf } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';

const model = `module m
entity Post { id Int @id, title String, owner String }
entity Comment { no Int @id, text String, owner String }
entity Tag { name String @id, owner String }
entity Secret { id Int @id }
entity Note { no Int @id @default(9), text String, owner String @optional }
relationship PostComment contains(Post, Comment)
relationship PostTag between(Post, Tag)
{Post {id 1, title "a", owner "ann"}, PostComment [{Comment {no 1, text "x", owner "ann"}}, {Comment {no 2, text "y", owner "bob"}}]}
{Post {id 2, title "b", owner "bob"}, PostComment [{Comment {no 3, text "z", owner "ann"}}]}
{Tag {name "t", owner "ann"}}
{Tag {name "u", owner "bob"}}
{PostTag {Post 1, Tag "t"}}
{PostTag {Post 1, Tag "u"}}
{PostTag {Post 2, Tag "t"}}
{Note {no 1, text "n", owner "bob"}}
{Note {no 2, text "n", owner "ann"}}
`;

const ownedByCaller: Condition = { kind: 'compare', column: 'owner', operator: 'eq', value: { ambient: 'caller.user' } };
const own: Verdict = { allowed: true, condition: everything };

/** Rows with an owner belong to them alone; secrets to nobody. */
const guard: Guard = {
  judge: () => own,
  rows(action, plan) {
    if (plan.type === 'm/Secret') return { allowed: false, reason: `Nobody may ${action} it.` };
    if (!plan.attribute.has('owner')) return own;
    return { allowed: true, condition: ownedByCaller };
  },
};

type Row = readonly [title: string, body: string, expected: unknown];

/** Run by ann: what it gives, or the code of its failure. */
const rows: readonly Row[] = [
  ['a query of all', '{Post? {}}', [{ id: 1, title: 'a', owner: 'ann' }]],
  ['a query by the identifier', '{Post {id? 2}}', []],
  ['a query with an order and a limit', '{Post? {}, @orderBy(title) @desc, @limit(1)}', [{ id: 1, title: 'a', owner: 'ann' }]],
  ['a query with a condition that computes', '{Post {id?< Post.id + 1}}', [{ id: 1, title: 'a', owner: 'ann' }]],
  ['nested queries down a contains relationship', '{Post? {}, PostComment {Comment? {}}}', [{ id: 1, PostComment: [{ no: 1 }] }]],
  ['nested queries through links', '{Post? {}, PostTag {Tag? {}}}', [{ id: 1, PostTag: [{ name: 't' }] }]],
  ['a sum', '{Post {n? @count(id)}}', [{ n: 1 }]],
  [
    'a join',
    '{PostTag? {}, @join Tag {name? PostTag.Tag}, @into {post PostTag.Post, tag Tag.name}, @orderBy(post)}',
    [
      { post: 1, tag: 't' },
      { post: 2, tag: 't' },
    ],
  ],
  [
    'a full join, where what is not seen is not there',
    '{Post? {}, @full_join Tag {owner? Post.owner}, @into {post Post.id, tag Tag.name}}',
    [{ post: 1, tag: 't' }],
  ],
  [
    'a right join, where nothing fits what is seen',
    '{Post? {}, @right_join Tag {name? Post.owner}, @into {post Post.id, tag Tag.name}}',
    [{ post: null, tag: 't' }],
  ],
  [
    'an outer join, where what is not seen is not there',
    '{PostTag? {}, @left_join Tag {name? PostTag.Tag}, @into {post PostTag.Post, tag Tag.name}, @orderBy(post, tag)}',
    [
      { post: 1, tag: null },
      { post: 1, tag: 't' },
      { post: 2, tag: 't' },
    ],
  ],
  ['a loop', 'for p in {Post? {}} { p.id }', [1]],
  ['a create of what is theirs', '{Post {id 3, title "c", owner "ann"}}', { id: 3 }],
  ['a create of what is not', '{Post {id 3, title "c", owner "bob"}}', 'access-denied'],
  ['a create below what they do not see', '{Comment {no 9, text "n", owner "ann"}} @as c', 'parent-required'],
  [
    'a nested create of what is not theirs',
    '{Post {id 3, title "c", owner "ann"}, PostComment [{Comment {no 1, text "n", owner "bob"}}]}',
    'access-denied',
  ],
  [
    'a nested create of what is theirs',
    '{Post {id 3, title "c", owner "ann"}, PostComment [{Comment {no 1, text "n", owner "ann"}}]}',
    { id: 3 },
  ],
  ['a link with what they do not see', '{PostTag {Post 2, Tag "u"}}', 'attributes-invalid'],
  ['a nested link with what they do not see', '{Post {id 3, title "c", owner "ann"}, PostTag [{Tag {name "u"}}]}', 'attributes-invalid'],
  ['an update of what is theirs', '{Post {id? 1, title "new"}}', [{ id: 1, title: 'new' }]],
  ['an update of what they do not see finds nothing', '{Post {id? 2, title "new"}}', []],
  ['a delete of what they do not see finds nothing', 'delete {Post {id? 2}}', []],
  ['an upsert of what they do not see is a duplicate', '{Post {id 2, title "mine", owner "ann"}, @upsert}', 'duplicate'],
  ['an upsert by what several have changes the one that they see', '{Note {text "n"}, @upsert}', { no: 2, owner: 'ann' }],
  ['a type that nobody may read', '{Secret? {}}', 'access-denied'],
  ['a type that nobody may create', '{Secret {id 1}}', 'access-denied'],
];

describe('a workflow does what its caller may do', () => {
  for (const [title, body, expected] of rows) {
    test(title, async () => {
      const { run } = await engineFor(`${model}workflow w {\n${body}\n}`, guard);
      const outcome = await run('m/w', 'ann');
      if (typeof expected === 'object' && expected !== null) expect(outcome).toMatchObject(expected);
      else expect(outcome).toEqual(expected);
      if (Array.isArray(expected)) expect(outcome).toHaveLength(expected.length);
    });
  }

  test('a row that may be read, but not written', async () => {
    const readOnly: Guard = { ...guard, rows: (action, plan, caller) => (action === 'read' ? own : guard.rows(action, plan, caller)) };
    for (const body of ['{Post {id? 2, title "new"}}', 'delete {Post {id? 2}}', '{Post {id? 2}} @as [p]\n{p {title "new"}}']) {
      const { run } = await engineFor(`${model}workflow w {\n${body}\n}`, readOnly);
      expect(await run('m/w', 'ann')).toBe('access-denied');
      expect(await run('m/w', 'bob')).not.toBe('access-denied');
    }
  });

  test('triggers run as the one who set them off', async () => {
    const { run } = await engineFor(
      `${model}workflow @after update:Post { {Post {id? 2, title "by trigger"}} }\nworkflow w {\n{Post {id? 1, title "new"}}\n}\nworkflow see { {Post? {}} }`,
      guard,
    );
    await run('m/w', 'ann');
    expect(await run('m/see', 'bob')).toEqual([{ id: 2, title: 'b', owner: 'bob' }]);
  });
});

test('what an answer includes is what its caller may read, at every level', async () => {
  const { plan, execute } = await engineFor(model, guard);
  const post = plan.entities.get('m/Post');
  if (post === undefined) throw new Error('there are posts');
  const seen = async (include: string, user: string): Promise<unknown> => {
    const { selection } = readQuery(post, `@include=${include}`, plainView);
    const at = { in: { plan: post, under: undefined }, id: 1 };
    const result = await execute({ kind: 'read', at, selection }, { kind: 'user', id: 'an-id', email: user, roles: [], token: undefined });
    return result.kind === 'instance' ? JSON.parse(result.instance.json) : undefined;
  };
  const ann = { PostComment: [{ no: 1 }], PostTag: [{ name: 't', PostTag: [{ id: 1, PostComment: [{ no: 1 }] }] }] };
  const found = await seen('PostComment,PostTag.PostTag.PostComment', 'ann');
  expect(found).toMatchObject(ann);
  expect(JSON.stringify(found)).not.toContain('bob');
  await expect(seen('PostComment', 'bob')).rejects.toMatchObject({ code: 'instance-not-found' });
});

test('a filter along a relationship sees only what its caller may read', async () => {
  const { plan, execute } = await engineFor(model, guard);
  const post = plan.entities.get('m/Post');
  if (post === undefined) throw new Error('there are posts');
  const found = async (query: string, user: string): Promise<unknown> => {
    const operation = {
      kind: 'list',
      at: { plan: post, under: undefined },
      query: listQuery(post, query, { page: undefined }, plainView),
    } as const;
    const result = await execute(operation, { kind: 'user', id: 'an-id', email: user, roles: [], token: undefined });
    return result.kind === 'list' ? JSON.parse(`[${result.list.first.json}]`).map((each: { id: number }) => each.id) : undefined;
  };
  // Post 1 is ann's, and has a comment of hers and one of bob's.
  expect(await found('PostComment.Comment.owner=ann', 'ann')).toContain(1);
  expect(await found('PostComment.Comment.owner=bob', 'ann')).not.toContain(1);
  expect(await found('PostTag.Tag.name=t', 'ann')).toContain(1);
  expect(await found('PostTag.Tag.name=u', 'ann')).toEqual([]);
});

test('a failure of what was put off is logged, and told to the recorder, and is not fatal', async () => {
  const heard: string[] = [];
  const recorder: Recorder = {
    ...noRecorder,
    failed(what, thrown) {
      heard.push(`${what}: ${thrown instanceof Error ? thrown.message : ''}`);
      throw new Error('the recorder is broken too');
    },
  };
  const { run, failures } = await engineFor(
    `module m
entity Post { id Int @id, @after {create jot @async} }
workflow jot { throw("late") }
workflow w { {Post {id 1}} }`,
    { ...guard, rows: () => own },
    recorder,
  );
  expect(await run('m/w', 'ann')).toEqual({ id: 1 });
  expect(heard).toEqual(['m/jot: late']);
  expect(failures).toEqual(['m/jot', 'recording that m/jot failed']);
});

async function engineFor(text: string, judging: Guard, recorder: Recorder = noRecorder) {
  const read = modelOf(text);
  const plan = compile(read);
  const clock = systemClock();
  const store = openStore({ type: 'sqlite', file: `${folderForTest()}/test.db` }, clock);
  onTestFinished(() => store.close());
  await store.migrate(plan.tables);
  const failures: string[] = [];
  const engine: Engine = createEngine({
    plan,
    store,
    clock,
    functions: noFunctions,
    hash: async (secret) => secret,
    limits: { memory: 16 * 1024 * 1024, tree: { instances: 1000, depth: 10, bytes: 1_000_000 }, flow: { steps: 100_000, time: 600 } },
    guard: judging,
    recorder,
    failed: (_, what) => failures.push(what),
  });
  await engine.start();
  /** The value, or the code of the failure. */
  const run = async (event: string, user: string): Promise<unknown> => {
    const target = read.events.get(event);
    if (target === undefined) throw new Error(`no event ${event}`);
    try {
      const result = await engine.execute(
        { kind: 'invoke', target, body: {} },
        { kind: 'user', id: 'an-id', email: user, roles: [], token: undefined },
      );
      await engine.settle();
      return result.kind === 'outcome' ? result.outcome.value : undefined;
    } catch (thrown) {
      if (thrown instanceof PlatformError) return thrown.code;
      throw thrown;
    }
  };
  return { run, failures, plan, execute: engine.execute };
}
