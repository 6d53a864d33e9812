// Each form of a workflow's patterns, posted over HTTP.

import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const shop = `module m

entity Post { id Int @id, title String, n Int @optional, price Decimal @optional }
entity Comment { no Int @id, text String }
entity Reply { no Int @id, text String }
entity Mark { id UUID @id @default(uuid()), text String }
entity Tag { name String @id }
entity Secret { id Int @id, word Password }
record Summary { total Int, note String @default("none") }
relationship PostComment contains(Post, Comment)
relationship CommentReply contains(Comment, Reply)
relationship PostMark contains(Post, Mark)
relationship CommentTag between(Comment, Tag)
relationship PostTag between(Post, Tag) { since String @optional }
`;

const posts = `
{Post {id 1, title "a", n 1, price "1.50"}}
{Post {id 2, title "b", n 2, price "2.25"}}
{Post {id 3, title "c", price "3"}}
{Tag {name "x"}}
{Tag {name "y"}}
`;

/** Title, the body of workflow `w`, and what posting `{}` (or what is given) to it answers. */
type Case = readonly [title: string, body: string, expected: Omit<Step, 'ask'>, then?: readonly Step[]];

const a = { id: 1, title: 'a', n: 1, price: '1.50' };
const b = { id: 2, title: 'b', n: 2, price: '2.25' };
const c = { id: 3, title: 'c', n: null, price: '3' };

const queries: readonly Case[] = [
  ['all instances', '{Post? {}}', { status: 200, is: [a, b, c] }],
  ['an attribute that is equal', '{Post {title? "b"}}', { status: 200, is: [b] }],
  ['nothing found is an empty list', '{Post {title? "z"}}', { status: 200, is: [] }],
  ['comparison', '{Post {n?>= 2}}', { status: 200, is: [b] }],
  ['several conditions must all hold', '{Post {n?> 0, title?!= "a"}}', { status: 200, is: [b] }],
  ['in a list', '{Post {id?in [1, 3]}}', { status: 200, is: [a, c] }],
  ['in an empty list', '{Post {id?in []}}', { status: 200, is: [] }],
  ['like', '{Post {title?like "_"}}', { status: 200, is: [a, b, c] }],
  ['between includes both bounds', '{Post {id?between [2, 3]}}', { status: 200, is: [b, c] }],
  ['null is absent', '{Post {n? null}}', { status: 200, is: [c] }],
  ['not null is present', '{Post {n?!= null}}', { status: 200, is: [a, b] }],
  ['an absent value is neither more nor less', '{Post {n?> null}}', { status: 200, is: [] }],
  ['one column against another', '{Post {n? Post.id}}', { status: 200, is: [a, b] }],
  ['a column in an expression', '{Post {id?< Post.n + 1}}', { status: 200, is: [a, b] }],
  ['a condition', '{Post? {}, @where(Post.id == 1 or not (Post.n > 0) and Post.title == "c")}', { status: 200, is: [a, c] }],
  ['order', '{Post? {}, @orderBy(title) @desc}', { status: 200, is: [c, b, a] }],
  ['order with absent values first', '{Post? {}, @orderBy(n)}', { status: 200, is: [c, a, b] }],
  ['limit and offset', '{Post? {}, @orderBy(id), @limit(1), @offset(w.skip)}', { status: 200, body: { skip: 1 }, is: [b] }],
  ['limit zero', '{Post? {}, @limit(0)}', { status: 200, is: [] }],
  ['decimals by value', '{Post {price?> 2}}', { status: 200, is: [b, c] }],
  ['a value of the event', '{Post {id? w.id}}', { status: 200, body: { id: 2 }, is: [b] }],
  ['a value that can never fit finds nothing', '{Post {id? w.id}}', { status: 200, body: { id: 'x' }, is: [] }],
  ['a text that reads as a number is that number', '{Post {id? w.id}}', { status: 200, body: { id: '2' }, is: [b] }],
  ['a fraction equals no whole number', '{Post {id? w.id}}', { status: 200, body: { id: 1.5 }, is: [] }],
  ['a fraction lies between whole numbers', '{Post {id?> w.id}}', { status: 200, body: { id: 1.5 }, is: [b, c] }],
];

const writes: readonly Case[] = [
  ['create gives the instance', '{Post {id 9, title "z", n 1 + 2 * 3}}', { status: 200, is: { id: 9, title: 'z', n: 7, price: null } }],
  [
    'an attribute may build on another',
    '{Post {id 9, n Post.id + 1, title "n" + Post.n}}',
    { status: 200, is: { id: 9, title: 'n10', n: 10, price: null } },
  ],
  ['create from a map', '{Post {}, @from w.data}', { status: 200, body: { data: { id: 9, title: 'z' } }, has: { id: 9, title: 'z' } }],
  ['create from an instance', '{Post {id? 1}} @as p\n{Post {id 9}, @from {"title": p.title}}', { status: 200, has: { id: 9, title: 'a' } }],
  ['faulty attributes keep their code', '{Post {id 9, title w.x}}', { status: 422, body: { x: 5 }, faults: ['title type'] }],
  [
    'what nobody looks at is stored all the same',
    '{Post {id? 1}} @as [p]\n{Post {id 8, title p.title + "8"}}\n{p {title "changed"}}\n{Tag {name "z"}}\n{Post {id?in [1, 8]}}',
    {
      status: 200,
      is: [
        { ...a, title: 'changed' },
        { id: 8, title: 'a8', n: null, price: null },
      ],
    },
  ],
  [
    'an alias stands for what was changed last',
    '{Post {id 8, title "x"}} @as p\n{Tag {name "z"}} @as t\n{p {title "y"}}\n{Post {id 9, title t.name + p.title}}',
    { status: 200, has: { title: 'zy' } },
  ],
  ['duplicates keep their status', '{Post {id 1, title "x"}}', { status: 409, code: 'duplicate' }],
  [
    'update changes all it finds',
    '{Post {id?<= 2, title Post.title + "!"}}',
    {
      status: 200,
      is: [
        { ...a, title: 'a!' },
        { ...b, title: 'b!' },
      ],
    },
    [{ ask: 'GET /m/Post/1', status: 200, has: { title: 'a!' } }],
  ],
  ['an update that finds nothing', '{Post {id? 99, title "x"}}', { status: 200, is: [] }],
  ['upsert creates', '{Post {id 9, title "new"}, @upsert}', { status: 200, has: { id: 9, title: 'new' } }],
  ['upsert changes', '{Post {id 1, title "new"}, @upsert}', { status: 200, is: { ...a, title: 'new' } }],
  [
    'delete gives what is gone',
    'delete {Post {id? 1}}',
    { status: 200, is: [a] },
    [{ ask: 'GET /m/Post/1', status: 404, code: 'instance-not-found' }],
  ],
  ['purge is the same', 'purge {Post? {}}', { status: 200, is: [a, b, c] }, [{ ask: 'GET /m/Post', status: 200, is: [] }]],
  [
    'nested create',
    '{Post {id 9, title "z"}, PostComment [{Comment {no 1, text "x"}}, {Comment {no 2, text Post.title}}]}',
    {
      status: 200,
      has: {
        id: 9,
        PostComment: [
          { no: 1, text: 'x', __path__: 'path://m$Post/9/m$PostComment/m$Comment/1' },
          { no: 2, text: 'z' },
        ],
      },
    },
    [{ ask: 'GET /m/Post/9/PostComment/Comment', status: 200, has: [{ no: 1 }, { no: 2 }] }],
  ],
  [
    'a child under what is found',
    '{Post {id? 1}, PostComment [{Comment {no 5, text Post.title}}]}',
    { status: 200, has: [{ id: 1, PostComment: [{ no: 5, text: 'a' }] }] },
    [{ ask: 'GET /m/Post/1/PostComment/Comment/5', status: 200, has: { text: 'a' } }],
  ],
  ['a child without its parent', '{Comment {no 1, text "x"}}', { status: 422, code: 'parent-required' }],
  [
    'a link of two instances',
    '{Post {id? 1}} @as [p]\n{Tag {name? "x"}} @as [t]\n{PostTag {Post p, Tag t, since "now"}}',
    { status: 200, has: { Post: 1, Tag: 'x', since: 'now' } },
    [{ ask: 'GET /m/Post/1/PostTag/Tag', status: 200, has: [{ name: 'x', '@link': {} }] }],
  ],
  [
    'a link is found and deleted',
    '{PostTag {Post 1, Tag "x"}}\n{PostTag {Post? 1}} @as found\ndelete {PostTag {Post? 1}}\nfound',
    { status: 200, has: [{ Post: 1, Tag: 'x' }] },
    [{ ask: 'GET /m/Post/1/PostTag/Tag', status: 200, is: [] }],
  ],
  [
    'nested query',
    '{PostTag {Post 1, Tag "y"}}\n{PostTag {Post 1, Tag "x"}}\n{Post {id? 1}, PostComment [{Comment {no 1, text "c"}}]}\n{Post {id?<= 2}, PostTag {Tag? {}}, PostComment {Comment? {}}}',
    {
      status: 200,
      is: [
        {
          ...a,
          PostTag: [{ name: 'x' }, { name: 'y' }],
          PostComment: [{ no: 1, text: 'c', __path__: 'path://m$Post/1/m$PostComment/m$Comment/1' }],
        },
        { ...b, PostTag: [], PostComment: [] },
      ],
    },
  ],
  [
    'nested queries go deeper',
    '{Post {id 9, title "z"}, PostComment [{Comment {no 1, text "c"}, CommentReply [{Reply {no 1, text "r"}}]}]}\n{Post {id? 9}, PostComment {Comment? {}, CommentReply {Reply? {}}}}',
    { status: 200, has: [{ id: 9, PostComment: [{ no: 1, CommentReply: [{ no: 1, text: 'r' }] }] }] },
  ],
  [
    'upsert with links links once, and changes what is there',
    '{Post {id 1, title "zz"}, @upsert, PostTag [{Tag {name "x"}}, {Tag {name "new"}}]}\n{Post {id 1, title "zz"}, @upsert, PostTag [{Tag {name "x"}}]}\n{Post {id? 1}, PostTag {Tag? {}}}',
    { status: 200, is: [{ ...a, title: 'zz', PostTag: [{ name: 'new' }, { name: 'x' }] }] },
  ],
  [
    'upsert of a whole tree of which some is there',
    '{Post {id 7, title "t"}, @upsert, PostComment [{Comment {no 1, text "a"}, CommentReply [{Reply {no 1, text "r"}}]}]}\n{Post {id 7, title "u"}, @upsert, PostComment [{Comment {no 1, text "b"}, CommentReply [{Reply {no 1, text "s"}}, {Reply {no 2, text "q"}}]}]}\n{Post {id? 7}, PostComment {Comment? {}, CommentReply {Reply? {}}}}',
    {
      status: 200,
      has: [
        {
          title: 'u',
          PostComment: [
            {
              no: 1,
              text: 'b',
              CommentReply: [
                { no: 1, text: 's' },
                { no: 2, text: 'q' },
              ],
            },
          ],
        },
      ],
    },
  ],
  [
    'upsert of what is there with children',
    '{Post {id 1, title "zz"}, @upsert, PostComment [{Comment {no 7, text "n"}}]}\n{Post {id 1, title "zz"}, @upsert, PostComment [{Comment {no 7, text "m"}}]}',
    { status: 200, has: { id: 1, title: 'zz', PostComment: [{ no: 7, text: 'm' }] } },
  ],
  [
    'upsert of children by what several may have looks under their parent',
    '{Post {id 1, title "p"}, @upsert, PostMark [{Mark {text "m"}}]}\n{Post {id 2, title "q"}, @upsert, PostMark [{Mark {text "m"}}]}\n{Post {id 2, title "q"}, @upsert, PostMark [{Mark {text "m"}}]}\n{Post {id?< 3}, PostMark {Mark? {}}}',
    {
      status: 200,
      has: [
        { id: 1, PostMark: [{ text: 'm' }] },
        { id: 2, PostMark: [{ text: 'm' }] },
      ],
    },
  ],
  [
    'a link of what is contained, found by its path',
    '{Post {id? 1}, PostComment [{Comment {no 1, text "c"}}]}\n{Comment {no? 1}} @as [c]\n{CommentTag {Comment c, Tag "x"}}\n{CommentTag {Comment? c.__path__}}',
    { status: 200, has: [{ Comment: 'path://m$Post/1/m$PostComment/m$Comment/1', Tag: 'x' }] },
  ],
  [
    'a child that was just created is changed',
    '{Post {id 9, title "z"}, PostComment [{Comment {no 1, text "x"}}]} @as p\np.PostComment @as c\n{c {text "changed"}}',
    { status: 200, has: [{ no: 1, text: 'changed' }] },
  ],
  ['a secret is hashed and never shown', '{Secret {id 1, word "quite long"}}', { status: 200, is: { id: 1 } }],
];

const control: readonly Case[] = [
  ['the last value is the result', '1\n2 + 3', { status: 200, is: 5 }],
  ['nothing is null', 'w.absent', { status: 200, is: null }],
  ['a map', '{"a": 1, "b": [w.x, "t"]}', { status: 200, body: { x: true }, is: { a: 1, b: [true, 't'] } }],
  ['a record is checked and filled', '{Summary {total 3}}', { status: 200, is: { total: 3, note: 'none' } }],
  ['a faulty record', '{Summary {total w.x}}', { status: 422, body: { x: 'x' }, faults: ['total type'] }],
  ['if', 'if (w.x > 1) { "more" } else if (w.x == 1) { "one" } else { "less" }', { status: 200, body: { x: 1 }, is: 'one' }],
  ['for gives the last value of each round', 'for p in {Post? {}} { p.id * 10 }', { status: 200, is: [10, 20, 30] }],
  ['for over nothing', 'for p in {Post {id? 99}} { p.id }', { status: 200, is: [] }],
  ['for over a list', 'for x in w.list { x + 1 }', { status: 200, body: { list: [1, 2] }, is: [2, 3] }],
  ['return ends it', 'for p in {Post? {}} { if (p.id == 2) { return p.title } }\n"never"', { status: 200, is: 'b' }],
  ['throw', '{Post {id 9, title "z"}}\nthrow("out of stock")', { status: 422, code: 'dataflow-failed', has: { detail: 'out of stock' } }],
  ['destructuring', '{Post? {}} @as [first, _, third, __, rest]\n[first.id, third.id, rest]', { status: 200, is: [1, 3, []] }],
  ['a list is read by its first element', '{Post? {}} @as all\nall.title', { status: 200, is: 'a' }],
  ['@empty', '{Post {id? 99}} @empty "none"', { status: 200, is: 'none' }],
  ['@catch not_found', '{Post {id? 99}} @catch {not_found {Post {id? 1}}}', { status: 200, is: [a] }],
  ['@catch error', '{Post {id 1, title "x"}} @catch {error "taken"}', { status: 200, is: 'taken' }],
  ['@catch knows the failure', '{Post {id 1, title "x"}} @catch {error Error.code}', { status: 200, is: 'duplicate' }],
  [
    'what a caught statement did is undone',
    '{Post {id 9, title "z"}, PostComment [{Comment {no 1, text "a"}}, {Comment {no 1, text "b"}}]} @catch {error "undone"}',
    { status: 200, is: 'undone' },
    [{ ask: 'GET /m/Post/9', status: 404, code: 'instance-not-found' }],
  ],
  ['@then', '{Post {id? 1}} @as [p] @then { p.title }', { status: 200, is: 'a' }],
  ['decimals are exact', '{Post {id? 1}} @as [p]\np.price + 0.1', { status: 200, is: '1.60' }],
  ['decimals compare by value', '{Post {id? 1}} @as [p]\nif (p.price < 10) { "less" } else { "more" }', { status: 200, is: 'less' }],
  [
    'in, like and between mean the same in an expression',
    '[2 in [1, 2], "abc" like "a%", 3 between [1, 3], not (1 == 2)]',
    {
      status: 200,
      is: [true, true, true, true],
    },
  ],
  [
    'dates',
    '[dateFns.addDays("2024-02-28", 2), dateFns.dayName("2024-03-01"), dateFns.diffInDays("2024-03-01", "2024-02-28")]',
    {
      status: 200,
      is: ['2024-03-01', 'Friday', 2],
    },
  ],
  ['a pattern where a value is expected', '{"made": {Tag {name "new"}}}', { status: 200, is: { made: { name: 'new' } } }],
];

const reports: readonly Case[] = [
  ['an aggregate', '{Post {n? @count(id)}}', { status: 200, is: [{ n: 3 }] }],
  [
    'aggregates with names of their own',
    '{Post {id?> 1}, @into {k @count(*), s @sum(id), a @avg(id), lo @min(title), hi @max(title), d @sum(price)}}',
    { status: 200, is: [{ k: 2, s: 5, a: '2.5', lo: 'b', hi: 'c', d: '5.25' }] },
  ],
  [
    'a join',
    '{PostTag {Post 1, Tag "x"}}\n{PostTag {Post 2, Tag "x"}}\n{PostTag {Post 2, Tag "y"}}\n{PostTag? {}, @join Post {id? PostTag.Post}, @into {tag PostTag.Tag, total @sum(Post.price)}, @groupBy(PostTag.Tag), @orderBy(total) @desc}',
    {
      status: 200,
      is: [
        { tag: 'x', total: '3.75' },
        { tag: 'y', total: '2.25' },
      ],
    },
  ],
  [
    'a left join with a condition',
    '{PostTag {Post 1, Tag "x"}}\n{Post? {}, @left_join PostTag {Post? Post.id}, @into {title Post.title, tag PostTag.Tag}, @where {Post.id?< w.top}, @orderBy(title)}',
    {
      status: 200,
      body: { top: 3 },
      is: [
        { title: 'a', tag: 'x' },
        { title: 'b', tag: null },
      ],
    },
  ],
  [
    'a join with a condition that computes',
    '{PostTag {Post 1, Tag "x"}}\n{PostTag {Post 2, Tag "x"}}\n{PostTag {Post 2, Tag "y"}}\n{PostTag? {}, @join Post {id? PostTag.Post}, @into {id Post.id, tag PostTag.Tag}, @where(Post.price * 2 > Post.n + 2.4), @orderBy(tag)}',
    {
      status: 200,
      is: [
        { id: 2, tag: 'y' },
        { id: 2, tag: 'x' },
      ].toReversed(),
    },
  ],
  [
    'groups of rows that a computed condition leaves',
    '{Post {id 9, title "a", n 5, price "0.10"}}\n{Post? {}, @into {title Post.title, k @count(*), d @sum(Post.price), hi @max(Post.n)}, @where(Post.id + 1 < 11), @groupBy(Post.title), @orderBy(k) @desc, @limit(2)}',
    {
      status: 200,
      is: [
        { title: 'a', k: 2, d: '1.60', hi: 5 },
        { title: 'b', k: 1, d: '2.25', hi: 2 },
      ],
    },
  ],
  [
    'a column that is computed',
    '{Post? {}, @into {twice Post.price * 2, title "t-" + Post.title}, @where {n?> 0}, @orderBy(id)}',
    {
      status: 200,
      is: [
        { twice: '3.00', title: 't-a' },
        { twice: '4.50', title: 't-b' },
      ],
    },
  ],
  [
    'a left join leaves what has no match alone',
    '{PostTag {Post 1, Tag "x"}}\n{PostTag {Post 2, Tag "y"}}\n{Post? {}, @left_join PostTag {Post? Post.id}, @into {id Post.id, tag PostTag.Tag}, @orderBy(id)}',
    {
      status: 200,
      is: [
        { id: 1, tag: 'x' },
        { id: 2, tag: 'y' },
        { id: 3, tag: null },
      ],
    },
  ],
  [
    'a join without columns gives instances, which can be changed',
    '{PostTag {Post 2, Tag "x"}}\n{Post? {}, @join PostTag {Post? Post.id}} @as found\n{found {title "found"}}',
    { status: 200, is: [{ ...b, title: 'found' }] },
  ],
  [
    'distinct',
    '{Post {id 9, title "a"}}\n{Post? {}, @into {title Post.title}, @distinct, @orderBy(title)}',
    {
      status: 200,
      is: [{ title: 'a' }, { title: 'b' }, { title: 'c' }],
    },
  ],
];

for (const [group, cases] of Object.entries({ queries, writes, control, reports })) {
  describe(group, () => {
    for (const [title, body, expected, then = []] of cases) {
      test(title, async () => {
        const served = await serve(`${shop}${posts}\nworkflow w {\n${body}\n}\n`);
        await check(served, [{ ask: 'POST /m/w', body: {}, ...expected }, ...then]);
      });
    }
  });
}

const long = `module m
entity Post { id Int @id, title String, price Decimal }
event texts { text String, list Int[] }
workflow texts {
  texts.text @as t
  for n in texts.list { t + t @as t }
  t
}
event posts { list Int[] }
workflow posts { for n in posts.list { {Post {id n, title "ä" + n, price "1.50"}} } }
`;

test('an outcome of megabytes is answered as a short one is, also where it is kept for whoever asks again', async () => {
  const { post } = await serve(long, { surfaces: ['current', 'earlier'] });
  const ids = Array.from({ length: 3000 }, (_, index) => index);
  const made = ids.map((id) => ({ id, title: `ä${id}`, price: '1.50' }));
  const doublings = Array.from({ length: 16 }, (_, index) => index);
  const text = 'a😀"\n'.repeat(2 ** 16);
  const asked: Readonly<Record<string, string>> = { accept: 'application/json' };
  for (const headers of [asked, { ...asked, 'idempotency-key': 'k1' }, { ...asked, 'idempotency-key': 'k1' }]) {
    expect((await post('/m/texts', { text: 'a😀"\n', list: doublings }, headers)).body).toBe(text);
    expect((await post('/api/m/texts', { 'm/texts': { text: 'a😀"\n', list: doublings } }, headers)).body).toBe(text);
  }
  expect((await post('/m/posts', { list: ids })).body).toEqual(made);
});
