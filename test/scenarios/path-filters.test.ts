// What `__path__` is asked for in filters of requests and in patterns: both find the same, by paths and by identifiers.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';

const types = ['Folder', 'Area', 'Block', 'Note'] as const;

const model = `module m
entity Folder { name String @id }
relationship Inside contains (Folder @as outer, Folder @as inner)
entity Area { id Int @id }
entity Block { id Int @id }
relationship AreaBlock contains (Area, Block) @cascade(false)
entity Note { id Int @id }
relationship BlockNote contains (Block, Note)
${types
  .map(
    (type) => `workflow is${type} { {${type} {__path__? is${type}.x}} }
workflow not${type} { {${type} {__path__?!= not${type}.x}} }
workflow in${type} { {${type} {__path__?in in${type}.x}} }`,
  )
  .join('\n')}
{Folder {name "root"}, Inside [{Folder {name "a b"}, Inside [{Folder {name "root"}}]}], @upsert}
{Folder {name "path://x"}, @upsert}
{Area {id 1}, AreaBlock [{Block {id 5}, BlockNote [{Note {id 8}}]}, {Block {id 6}}], @upsert}
{Area {id 2}, AreaBlock [{Block {id 5}}, {Block {id 7}, BlockNote [{Note {id 9}}]}], @upsert}
`;

const inside = 'path://m$Folder/root/m$Inside/m$Folder/a%20b';
const deep = `${inside}/m$Inside/m$Folder/root`;
const block = (area: number, id: number) => `path://m$Area/${area}/m$AreaBlock/m$Block/${id}`;
const note = 'm$BlockNote/m$Note';

type Row = readonly [title: string, type: (typeof types)[number], value: string, found: readonly string[]];

const rows: readonly Row[] = [
  ['the root of a type that contains itself', 'Folder', 'path://m$Folder/root', ['root']],
  ['the identifier of such a root', 'Folder', 'root', ['root']],
  ['a child of the same type', 'Folder', inside, [inside]],
  ['a child with the identifier of a root', 'Folder', deep, [deep]],
  ['an identifier that is encoded otherwise', 'Folder', inside.replace('a%20b', '%61%20b'), [inside]],
  ['the identifier of a child alone', 'Folder', 'a b', []],
  ['a root that is not there', 'Folder', 'path://m$Folder/none', []],
  ['the path of another type', 'Folder', 'path://m$Area/1', []],
  ['what is encoded wrongly', 'Folder', 'path://m$Folder/%E0', []],
  ['what is contained nowhere', 'Area', 'path://m$Area/2', ['2']],
  ['the identifier of what is contained nowhere', 'Area', '2', ['2']],
  ['an identifier of the wrong type in a path', 'Area', 'path://m$Area/x', []],
  ['a child', 'Block', block(1, 5), [block(1, 5)]],
  ['a child under the wrong parent', 'Block', block(1, 7), []],
  ['a child that outlived its parent', 'Block', 'path://m$Block/7', ['7']],
  ['the identifier of a child that outlived its parent', 'Block', '7', ['7']],
  ['where it stood before', 'Block', block(2, 7), []],
  ['the identifier of a child that has its parent', 'Block', '6', []],
  ['below a child that has its parent', 'Note', `${block(1, 5)}/${note}/8`, [`${block(1, 5)}/${note}/8`]],
  ['below a child that outlived its parent', 'Note', `path://m$Block/7/${note}/9`, [`path://m$Block/7/${note}/9`]],
];

test('a filter of a request and a pattern find the same by `__path__`, whatever stands under no parent', async () => {
  const served = await serve(model);
  // The children of an area outlive it, and another one takes its identifier.
  expect((await served.remove('/m/Area/2')).status).toBe(200);
  expect((await served.post('/m/Area', { id: 2 })).status).toBe(201);
  const found = async (title: string, answer: Promise<{ readonly body: unknown }>): Promise<readonly unknown[]> => [
    title,
    ...names((await answer).body),
  ];
  for (const [title, type, value, expected] of rows) {
    const rest = names((await served.get(`/m/${type}`)).body).filter((each) => !expected.includes(each));
    const text = encodeURIComponent(value);
    const other = 'path://m$Note/0';
    expect(await found(title, served.get(`/m/${type}?__path__=${text}`))).toEqual([title, ...expected]);
    expect(await found(title, served.get(`/m/${type}?__path__[ne]=${text}`))).toEqual([title, ...rest]);
    expect(await found(title, served.get(`/m/${type}?__path__[in]=${text},${other}`))).toEqual([title, ...expected]);
    expect(await found(title, served.post(`/m/is${type}`, { x: value }))).toEqual([title, ...expected]);
    expect(await found(title, served.post(`/m/not${type}`, { x: value }))).toEqual([title, ...rest]);
    expect(await found(title, served.post(`/m/in${type}`, { x: [value, other] }))).toEqual([title, ...expected]);
  }
  const several = [deep, 'path://m$Folder/root', 'nowhere'];
  const query = several.map(encodeURIComponent).join();
  expect(names((await served.get(`/m/Folder?__path__[in]=${query}`)).body)).toEqual([deep, 'root']);
  expect(names((await served.post('/m/inFolder', { x: several })).body)).toEqual([deep, 'root']);
});

test('a filter by what can be neither a path nor an identifier is refused', async () => {
  const served = await serve(model);
  const answer = await served.get('/m/Area?__path__=x');
  expect([answer.status, answer.body]).toMatchObject([422, { errors: [{ attribute: '__path__', code: 'type' }] }]);
});

/** By its path, or by its identifier where it stands under no parent. */
function names(body: unknown): readonly string[] {
  if (!Array.isArray(body)) throw new Error(`no list: ${JSON.stringify(body)}`);
  return body.map((each) => each['__path__'] ?? String(each['name'] ?? each['id'])).toSorted();
}
