import { test } from 'vitest';
import { serve } from '../support/app.ts';
const model = `module m
entity Post { id Int @id, title String, words String[] @optional }
entity Comment { no Int @id, text String }
entity Reply { no Int @id, text String }
entity Tag { name String @id }
relationship PostComment contains(Post, Comment)
relationship CommentReply contains(Comment, Reply)
relationship CommentTag between(Comment, Tag)
{Post {id 1, title "a"}, PostComment [{Comment {no 1, text "c"}, CommentReply [{Reply {no 1, text "r"}}]}]}
{Tag {name "t"}}
`;
const bodies: Record<string,string> = {
 deep: '{Post? {}, PostComment {Comment? {}, CommentReply {Reply? {}}}}',
 aliasChild: '{Post {id 2, title "b"}, PostComment [{Comment {no 1, text "x"}}]} @as p\n{p.PostComment {text "changed"}}',
 linkContained: '{Comment {no? 1}} @as [c]\n{CommentTag {Comment c, Tag "t"}}',
 queryLinkContained: '{Comment {no? 1}} @as [c]\n{CommentTag {Comment c, Tag "t"}}\n{CommentTag {Comment? c}}',
 queryLinkPath: '{Comment {no? 1}} @as [c]\n{CommentTag {Comment c, Tag "t"}}\n{CommentTag {Comment? c.__path__}}',
 deleteCascade: 'delete {Post {id? 1}}\n{Comment? {}}',
 orCond: '{Post? {}, @where(Post.title like "a%" and (Post.id in [1,2] or Post.id > 100))}',
 condEvent: '{Post? {}, @where(Post.id > w.min and w.on == true)}',
 list: '{Post {id 5, title "x", words ["a", "b"]}} @as p\np.words',
 upsertNested: '{Post {id 1, title "zz"}, @upsert, PostComment [{Comment {no 7, text "n"}}]}',
 changeId: '{Post {id? 1, id 5}}',
 distinctLimit: '{Post? {}, @into {t Post.title}, @orderBy(id) @desc, @limit(1), @offset(0)}',
 offsetOnly: '{Post? {}, @into {t Post.title}, @offset(1)}',
 byPath: '{Post {__path__? "path://m$Post/1"}}',
 returnCall: 'return {Post {id? 1}} @as [x]',
 nestedLimit: '{Post? {}, PostComment {Comment? {}, @limit(0)}}',
 nestedFilter: '{Post? {}, PostComment {Comment {no? Post.id}}}',
 nestedUpdate: '{Post {id? 1}, PostComment {Comment {no? 1, text Post.title}}}',
 deleteChildren: 'delete {Comment {no? 1}}',
 minus: '-(1 + 2) * 2',
};
for (const [n, b] of Object.entries(bodies)) test(n, async () => { try { const s = await serve(`${model}\nworkflow w {\n${b}\n}`); const a = await s.post('/m/w', { min: 0, on: true }); console.log(n, a.status, a.text.slice(0, 400), JSON.stringify(s.failures).slice(0,300)); } catch (e) { console.log(n, String(e).slice(0,300)); } });
