// `platform explain`: the steps of an event, the statements of the store that the project is configured for, how rows are found, what is kept.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { systemClock } from '../../src/clock.ts';
import { compile } from '../../src/plan/compile.ts';
import { openStore } from '../../src/store/open.ts';
import { testTerminal } from '../docs/support.ts';
import { modelOf } from '../support/app.ts';
import { rowsOf } from '../support/database.ts';
import { folderForTest } from '../support/folder.ts';

const model = `module m
entity Author { email Email @id, name String, born Date @optional @indexed, seen DateTime @optional, posts Int @expr(count(Wrote)), written Int @expr(sum(Wrote.words)) }
entity Post { id Int @id, author Email @ref(Author.email), title String @unique, words Int @optional, at DateTime @optional @indexed, on DateTime @optional @unique }
workflow byKey { {Post {id? byKey.id}} }
entity Remark { no Int @id }
relationship Remarks contains (Post, Remark)
workflow byPath { {Remark {__path__? byPath.path}} }
workflow byUnique { {Post {title? byUnique.title, words?> 3}} }
workflow byIndex { {Post {author? byIndex.author}} }
workflow byRange { {Author {born?between ["2000-01-01", "2001-01-01"]}} }
workflow byNothing { {Post {words?> 3}} }
workflow byEither { {Post? {}, @where(Post.id == 1 or Post.author == "a@b.c")} }
workflow byOneSide { {Post? {}, @where(Post.id == 1 or Post.words == 2)} }
workflow byLike { {Post {title?like "a%"}} }
workflow byTime { {Post {at?< "2024-01-01T00:00:00Z"}} }
workflow bySameTime { {Post {at? "2024-01-01T00:00:00Z"}} }
workflow byUniqueTime { {Post {on? "2024-01-01T00:00:00Z"}} }
workflow all { {Post? {}} }
workflow first { {Post? {}, @limit(3)} }
workflow computed { {Post? {}, @where(Post.words * 2 > 3), @limit(3)} }
workflow joined { {Post {words?> 3}, @join Author {email? Post.author}, @into {name Author.name}} }
workflow matched { {Author? {}, @left_join Post {words?> 1, title? Author.name, id?> 2}, @into {name Author.name}} }
workflow equal { {Author? {}, @left_join Post {words? Author.posts, at? Author.seen}, @into {name Author.name}} }
workflow compared { {Author? {}, @full_join Post {title?< Author.name}, @into {name Author.name}} }
workflow decided { {Author? {}, @join Post {title? Author.name + "!"}, @into {name Author.name}} }
workflow sorted { {Post? {}, @into {double Post.words * 2}, @orderBy(double)} }
workflow writes { {Post {id? 1, words 2}}
delete {Post {words? 2}} }
workflow aliases { {Post {id? 1}} @as [p]
{p {words 3}} }
workflow puts { {Post {id 1, author "a@b.c", title "t"}, @upsert} }
relationship Wrote between(Author, Post)
workflow links { {Wrote {Author "a@b.c", Post 1}} }
entity Note { id Int @id, text String }
relationship PostNote contains(Post, Note)
workflow nested { {Post {id? 1}, PostNote {Note {text?like "a%"}}} }
workflow byWords { {Note? byWords.words {"limit": 3}} }
workflow linked { {Author {email? "a@b.c"}, Wrote {Post? {}}} }`;

const rows: readonly [event: string, says: readonly string[]][] = [
  ['byKey', ['- uses the key id of m/Post']],
  ['byPath', ['- uses the key __key of m/Remark']],
  ['byUnique', ['- uses the unique index title of m/Post']],
  ['byIndex', ['- uses index author, id of m/Post']],
  ['byRange', ['- uses index born of m/Author']],
  ['byWords', ['- uses the index of the words of text of m/Note']],
  ['byNothing', ['- reads every row of m/Post: no index begins with words']],
  ['byEither', ['- uses the key id of m/Post, uses index author, id of m/Post']],
  ['byOneSide', ['- reads every row of m/Post: no index begins with id or words']],
  ['byLike', ['- reads every row of m/Post: no index serves how title is asked for']],
  ['byTime', ['- uses index at of m/Post']],
  ['bySameTime', ['- uses index at of m/Post']],
  ['byUniqueTime', ['- uses the unique index on of m/Post']],
  ['all', ['- reads every row of m/Post']],
  ['first', ['- reads the first rows of m/Post, in the order of its key']],
  ['computed', ['- reads every row of m/Post', 'then decides on the rows that were read: a condition is computed']],
  ['joined', ['- reads every row of m/Post: no index begins with words', '- uses the key email of m/Author, once for each row before it']],
  ['matched', ['- reads every row of m/Author', '- uses the unique index title of m/Post, once for each row before it']],
  ['compared', ['- reads every row of m/Author', '- reads every row of m/Post, and compares it with each row before it']],
  ['decided', ['then decides, groups and sorts the rows that were read: something is computed']],
  ['sorted', ['- reads every row of m/Post', 'then decides, groups and sorts the rows that were read: something is computed']],
  ['writes', ['UPDATE "m/Post" SET "words" = ?1, "__version" = ', 'DELETE FROM "m/Post" WHERE "id" =', '- uses the key id of m/Post']],
  ['writes', ['then computes m/Author.written anew', 'then computes m/Author.posts, m/Author.written anew']],
  ['aliases', ['changes what p holds, by its key']],
  ['puts', ['first looks for it by its identifier, else by what is unique', 'INSERT INTO "m/Post"']],
  ['nested', ['with PostNote: one statement', '- uses index __parent_m$PostNote of m/Note']],
  ['linked', ['with Wrote: two statements', '- uses the key id of m/Post']],
  ['links', ['INSERT INTO "m/Wrote"', 'then computes m/Author.posts, m/Author.written anew, and what builds on it']],
];

test.each(rows)('explain %s says how its rows are found', async (event, says) => {
  const { code, text } = await explained(event, '{}');
  expect([code, ...says.filter((each) => !text.includes(each))], text).toEqual([0]);
});

test('what is said of rows of one type is what the embedded store does', async () => {
  const file = join(folderForTest(), 'test.db');
  const store = openStore({ type: 'sqlite', file }, systemClock());
  await store.migrate(compile(modelOf(model)).tables);
  await store.close();
  for (const [event] of rows) {
    const lines = (await explained(event, '{}')).text.split('\n').map((each) => each.trim());
    for (const [index, line] of lines.entries()) {
      const [says = '', next = ''] = lines.slice(index + 1);
      if (!/^(SELECT|UPDATE|DELETE) /.test(line) || !says.startsWith('- ') || next.startsWith('- ')) continue;
      // Whether it reads in the order that is asked for, and leaves the index alone for it, is the database's own guess.
      const plan = rowsOf(file, `EXPLAIN QUERY PLAN ${line.replace(/ ORDER BY .*/, '')}`).map((each) => String(each['detail']));
      const finds = plan.some((each) => each.startsWith('SEARCH') || each.startsWith('MULTI-INDEX'));
      expect([event, finds], `${line}\n${plan.join('\n')}`).toEqual([event, says.startsWith('- uses')]);
    }
  }
});

const lists: readonly [target: string, says: readonly string[]][] = [
  ['/m/Post', ['GET /m/Post: only reads; a statement for SQLite', '- reads the first rows of m/Post, in the order of its key']],
  ['/m/Post?title=a', ['- uses the unique index title of m/Post']],
  ['/m/Post?words[gt]=3', ['- reads every row of m/Post: no index begins with words']],
  [
    '/m/Post?Wrote.Author.born=2000-01-01',
    [
      '- uses the key of m/Post, found through m/Wrote',
      '- uses the unique index Author, Post of m/Wrote, found through m/Author',
      '- uses index born of m/Author',
    ],
  ],
  [
    '/m/Post?Wrote.Author.name=a',
    ['- reads every row of m/Post', '- uses index Post of m/Wrote, for each row', '- uses the key email of m/Author, for each row'],
  ],
  ['/m/Note?@sort=-PostNote.Post.title', ['- reads every row of m/Note', '- uses the key id of m/Post, for each row that is sorted']],
  ['/m/Post/1/PostNote/Note', ['- uses the key __key of m/Note']],
  [
    '/m/Author/a@b.c/Wrote/Post?@limit=2',
    ['- uses the key of m/Post, found through m/Wrote', '- uses the unique index Author, Post of m/Wrote'],
  ],
];

test.each(lists)('explain %s says how the rows of the list are found', async (target, says) => {
  const { code, text } = await explained(target, '{}');
  expect([code, ...says.filter((each) => !text.includes(each))], text).toEqual([0]);
});

const noLists: readonly [target: string, says: string][] = [
  ['/m/Nothing', 'platform: /m/Nothing: there is no list at this path'],
  ['/m/Post/1', 'platform: /m/Post/1: there is no list at this path'],
  ['/m/byKey', 'platform: /m/byKey:'],
  ['/m/Post?colour=red', 'colour is not an attribute of m/Post that can be asked for'],
];

test.each(noLists)('explain %s is refused with the reason', async (target, says) => {
  const { code, text } = await explained(target, '{}');
  expect([code, text]).toEqual([1, expect.stringContaining(says)]);
});

const stores: readonly [title: string, config: string, has: readonly string[], lacks: readonly string[]][] = [
  [
    'the embedded store where nothing is configured',
    '{}',
    [
      'm/byKey: only reads; statements for SQLite',
      'json_object(',
      '"id" = ?1',
      'Each statement is prepared when it is first asked, and kept.',
    ],
    ['$1'],
  ],
  [
    'PostgreSQL where it is configured, without asking the server',
    '{"store": {"type": "postgres", "host": "nowhere.invalid"}}',
    [
      'm/byKey: only reads; statements for PostgreSQL',
      '"id" = $1',
      'Each statement is prepared on each connection when it is first asked there, and kept.',
    ],
    ['json_object(', '?1'],
  ],
  [
    'PostgreSQL behind a proxy, where nothing is kept prepared',
    '{"store": {"type": "postgres", "host": "nowhere.invalid", "prepare": false}}',
    ['Each statement is kept as text, and prepared each time it is asked: `store.prepare` is false.'],
    ['on each connection'],
  ],
];

test.each(stores)('the statements are those of %s', async (_title, config, has, lacks) => {
  const { code, text } = await explained('byKey', config);
  expect([code, has.filter((each) => !text.includes(each)), lacks.filter((each) => text.includes(each))], text).toEqual([0, [], []]);
});

async function explained(event: string, config: string): Promise<{ readonly code: number; readonly text: string }> {
  const folder = folderForTest();
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/core.al'), model);
  writeFileSync(join(folder, 'config.al'), config);
  const said: string[] = [];
  const terminal = { ...testTerminal(folder), out: (text: string) => said.push(text), err: (text: string) => said.push(text) };
  return { code: await main(['explain', event, '.'], terminal), text: said.join('\n') };
}
