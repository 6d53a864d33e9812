// Lists of large instances in another order than that of their identifiers, which are sorted once for many parts.

import { beforeAll, expect, test } from 'vitest';
import { open, type Served } from '../support/app.ts';

const blog = `
module blog
entity Author { id Int @id, name String }
entity Post { id Int @id, title String, rank Int @optional, body String }
entity Comment { id Int @id, text String, rank Int }
relationship Wrote between(Author, Post) @one_many
relationship PostComment contains(Post, Comment)
`;

const count = 150;
const body = 'x'.repeat(40_000);
const ids = Array.from({ length: count }, (_, at) => at);
const rankOf = (id: number): number => (id * 37) % 11;

async function filled(): Promise<Served> {
  const served = await open(blog);
  const made = async (target: string, bodies: readonly object[]): Promise<void> => {
    for (const each of bodies) expect((await served.post(target, each)).status).toBe(201);
  };
  await made('/blog/Author', [
    { id: 1, name: 'Zoe' },
    { id: 2, name: 'Ann' },
  ]);
  for (const id of ids) {
    const rank = id % 10 === 3 ? {} : { rank: rankOf(id) };
    await made(`/blog/Author/${1 + (id % 2)}/Wrote/Post`, [{ id, title: `t${String((id * 7) % count).padStart(3, '0')}`, body, ...rank }]);
  }
  const comments = ids.map((id) => ({ id, rank: rankOf(id), text: body }));
  await made('/blog/Post/0/PostComment/Comment', comments);
  return served;
}

/** The identifiers of a list, with something done behind each of its parts. */
async function listed(served: Served, target: string, between?: (part: number) => Promise<unknown>): Promise<readonly number[]> {
  const [path = '', query = ''] = target.split('?');
  const request = { method: 'GET', path, query, headers: {}, body: undefined, id: 'test', remote: '127.0.0.1' };
  const answer = await served.app.respond(request);
  expect(answer.status).toBe(200);
  if (typeof answer.body !== 'object' || Buffer.isBuffer(answer.body)) throw new Error('a long list comes in parts');
  let [text, parts] = ['', 0];
  for await (const piece of answer.body) {
    text += piece;
    parts += 1;
    await between?.(parts);
  }
  expect(parts).toBeGreaterThan(4);
  const found: readonly { readonly id: number }[] = JSON.parse(text);
  return found.map(({ id }) => id);
}

function sorted(by: (id: number) => readonly (number | string)[], from: readonly number[] = ids): readonly number[] {
  const compared = (a: readonly (number | string)[], b: readonly (number | string)[]): number => {
    const at = a.findIndex((each, index) => each !== b[index]);
    const [one, other] = [a[at] ?? 0, b[at] ?? 0];
    return one < other ? -1 : 1;
  };
  return from.toSorted((a, b) => compared([...by(a), a], [...by(b), b]));
}

const title = (id: number): number => (id * 7) % count;
/** What is absent comes first. */
const rank = (id: number): number => (id % 10 === 3 ? -1 : rankOf(id));

const orders: readonly [query: string, expected: readonly number[]][] = [
  ['/blog/Post?@sort=title', sorted((id) => [title(id)])],
  ['/blog/Post?@sort=-title', sorted((id) => [title(id)]).toReversed()],
  ['/blog/Post?@sort=rank', sorted((id) => [rank(id)])],
  ['/blog/Post?@sort=-rank,title', sorted((id) => [-rank(id), title(id)])],
  ['/blog/Post?@sort=body', ids],
  ['/blog/Post?@sort=Wrote.Author.name,-id', sorted((id) => [id % 2 === 1 ? 0 : 1, -id])],
  ['/blog/Post?@sort=rank&@limit=99', sorted((id) => [rank(id)]).slice(0, 99)],
  [
    '/blog/Post?@sort=rank&@offset=5&rank[gt]=2',
    sorted((id) => [rank(id)])
      .filter((id) => rank(id) > 2)
      .slice(5),
  ],
  ['/blog/Post?@sort=title&@include=Wrote', sorted((id) => [title(id)])],
  ['/blog/Author/1/Wrote/Post?@sort=-title', sorted((id) => [-title(id)]).filter((id) => id % 2 === 0)],
  ['/blog/Post/0/PostComment/Comment?@sort=rank', sorted((id) => [rankOf(id)])],
];

let served: Served;
beforeAll(async () => {
  served = await filled();
  return () => served.close();
});

test.for(orders)('%s is complete and in its order', async ([target, expected]) => {
  expect(await listed(served, target)).toEqual(expected);
});

test('what is written while such a list is sent moves nothing else: what stays comes once, and in its order', async () => {
  const own = await filled();
  const touched = new Set<number>();
  const pick = (part: number, step: number): number => {
    const id = (part * step) % count;
    touched.add(id);
    return id;
  };
  const found = await listed(own, '/blog/Post?@sort=title', async (part) => {
    await own.remove(`/blog/Post/${pick(part, 17)}`);
    await own.put(`/blog/Post/${pick(part, 29)}`, { title: part % 2 === 0 ? 'zzz' : 'aaa' });
  });
  await own.close();
  const untouched = ids.filter((id) => !touched.has(id));
  expect(found.filter((id) => !touched.has(id))).toEqual(sorted((id) => [title(id)], untouched));
  expect(new Set(found).size).toBeGreaterThan(untouched.length);
});

test('a list of more large instances than are sorted at once goes on behind them, also where the last of them are written to meanwhile', async () => {
  const own = await open(blog);
  const some = ids.slice(0, 90);
  for (const id of some) await own.post('/blog/Post', { id, title: `t${id % 3}`, body: 'x'.repeat(999_000) });
  const expected = sorted((id) => [id % 3], some);
  expect(await listed(own, '/blog/Post?@sort=title')).toEqual(expected);
  const last = expected.slice(60, 70);
  const touched = new Set<number>();
  const found = await listed(own, '/blog/Post?@sort=title', async (part) => {
    const id = last[part - 2];
    if (id === undefined) return;
    touched.add(id);
    await own.put(`/blog/Post/${id}`, { title: 'zzz' });
  });
  await own.close();
  expect([...touched]).toEqual(last);
  expect(found.filter((id) => !touched.has(id))).toEqual(expected.filter((id) => !touched.has(id)));
});
