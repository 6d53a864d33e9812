// The application that is attacked, and what is put into it before.

import { type Ask, ask, askAll } from './client.ts';
import { type Service, size } from './service.ts';

export const model = `
module blog

entity Post { slug String @id, title String, body String @optional, rank Int @optional, price Decimal @optional, data Any @optional }
entity Comment { id Int @id, text String }
entity Tag { name String @id }
relationship PostComment contains(Post, Comment)
relationship PostTag between(Post, Tag)

entity Author { id Int @id, name String }
entity Paper { id Int @id, title String }
entity Volume { id Int @id, content String }
relationship Wrote between(Author, Paper) @one_many
relationship Published between(Author, Volume) @one_many

entity Left { id Int @id }
entity Right { id Int @id }
relationship Pair between(Left, Right)

entity Part { id Int @id, text String @optional }
relationship Inner contains(Part @as outer, Part @as inner)

// What others read meanwhile.
entity Calm { id Int @id, text String }

entity Essay { id Int @id, content String }

entity Code {
  id Int @id,
  a String @format("(\\\\w|\\\\d)*!") @optional,
  b String @format("(a|a)*b") @optional,
  c String @format("a*a*a*b") @optional
}

entity Row { id Int @id, kind Int, amount Int, note String @optional }
entity Other { id Int @id, size Int }

entity Basket { id Int @id, total Int @expr(sum(BasketItem.Item.price)) }
entity Item { id Int @id, price Int }
relationship BasketItem contains(Basket, Item)

workflow fillPosts {
  for each in fillPosts.posts { {Post {}, @from each} }
  0
}

event fillRows { ids Int[] }
workflow fillRows {
  for n in fillRows.ids { {Row {id n, kind n, amount 1}} }
  0
}

event fillOthers { ids Int[] }
workflow fillOthers {
  for n in fillOthers.ids { {Other {id n, size n}} }
  0
}

event fillFamily { ids Int[] }
workflow fillFamily {
  for n in fillFamily.ids { {Post {slug? "family"}, PostComment [{Comment {id n, text "a"}}]} }
  0
}

event allVolumes {}
workflow allVolumes { {Volume? {}} }

event find { pattern String }
workflow find { {Essay {content?like find.pattern}} }

event groups {}
workflow groups { {Row? {}, @into {kind Row.kind, n @count(Row.id), total @sum(Row.amount)}, @groupBy(Row.kind)} }

event pairs {}
workflow pairs { {Row? {}, @join Other {size?> Row.kind}, @into {a Row.id, b Other.id}} }

event again { n Int }
workflow again { {again {n again.n + 1}} }

event raise {}
workflow raise { {Row {kind?>= 0, amount Row.amount + 1}} }

event rounds { list Int[] }
workflow rounds {
  for a in rounds.list {
    for b in rounds.list { {Row {id? b}} }
  }
}

event made { list Int[] }
workflow made {
  for a in made.list {
    {Post {slug "made-" + uuid(), title "m"}, PostComment [{Comment {id 1, text "a"}}, {Comment {id 2, text "b"}}]}
  }
  0
}

event doubled { text String, list Int[] }
workflow doubled {
  doubled.text @as t
  for n in doubled.list { t + t @as t }
  t
}

event product { factor Decimal, list Int[] }
workflow product {
  product.factor @as x
  for n in product.list {
    x * product.factor @as x
    product.factor @as x
  }
  0
}
`;

export const megabyte = 'x'.repeat(1_000_000);

/** Done once for a service, before the first attack that needs it. */
export type Seed = (service: Service) => Promise<void>;

async function made(service: Service, asks: readonly Ask[]): Promise<void> {
  const said = await askAll(service.port, asks, 4);
  const wrong = said.find(({ status }) => status !== 201 && status !== 200);
  if (wrong !== undefined) throw new Error(`The seed was refused: ${wrong.status} ${wrong.text.slice(0, 500)}`);
}

function numbers(count: number, from = 1): number[] {
  return Array.from({ length: count }, (_, at) => at + from);
}

function portions<T>(items: readonly T[], most: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, at) => items.slice(at * most, (at + 1) * most));
}

export const posts: Seed = async (service) => {
  const body = 'text '.repeat(320);
  const all = numbers(2000).map((n) => ({ slug: `post-${String(n).padStart(5, '0')}`, title: `The post ${n % 97}`, body, rank: n % 13 }));
  await made(
    service,
    portions(all, 100).map((some) => ({ target: '/blog/fillPosts', body: { posts: some } })),
  );
};

/** One author with a name of a megabyte, who wrote many small papers. */
export const fame: Seed = async (service) => {
  await made(service, [{ target: '/blog/Author', body: { id: 1, name: megabyte } }]);
  const papers = numbers(size(24, 600)).map((id) => ({ target: '/blog/Author/1/Wrote/Paper', body: { id, title: 'small' } }));
  await made(service, papers);
};

/** One author who published many volumes of a megabyte. */
export const library: Seed = async (service) => {
  await made(service, [{ target: '/blog/Author', body: { id: 2, name: 'Ann' } }]);
  const volumes = numbers(size(20, 600)).map((id) => ({ target: '/blog/Author/2/Published/Volume', body: { id, content: megabyte } }));
  await made(service, volumes);
};

/** One author with as many volumes as a request may hold. */
export const shelf: Seed = async (service) => {
  await made(service, [{ target: '/blog/Author', body: { id: 3, name: 'Bob' } }]);
  const volumes = numbers(14, 100_001).map((id) => ({ target: '/blog/Author/3/Published/Volume', body: { id, content: megabyte } }));
  await made(service, volumes);
};

/** Every one of the left is linked with every one of the right. */
export const dense: Seed = async (service) => {
  const ids = numbers(size(20, 60)).map((id) => ({ id }));
  await made(
    service,
    ids.map((body) => ({ target: '/blog/Right', body })),
  );
  await made(
    service,
    ids.map(({ id }) => ({ target: '/blog/Left', body: { id, Pair: ids } })),
  );
};

export const parts: Seed = async (service) => {
  await made(service, [{ target: '/blog/Part', body: { id: 1 } }]);
  const inner = numbers(size(18, 520)).map((id) => ({ target: '/blog/Part/1/Inner/Part', body: { id, text: megabyte } }));
  await made(service, inner);
  const deep = numbers(25).reduce<object>((below, id) => ({ id, Inner: [below] }), { id: 0 });
  await made(service, [{ target: '/blog/Part', body: { ...deep, id: 2 } }]);
};

export const essays: Seed = (service) =>
  made(
    service,
    numbers(size(3, 100)).map((id) => ({ target: '/blog/Essay', body: { id, content: 'a'.repeat(1_000_000) } })),
  );

export const rows: Seed = async (service) => {
  for (const ids of portions(numbers(size(12_000, 100_000)), 1000)) await made(service, [{ target: '/blog/fillRows', body: { ids } }]);
  for (const ids of portions(numbers(size(12_000, 20_000)), 1000)) await made(service, [{ target: '/blog/fillOthers', body: { ids } }]);
};

/** A parent with very many children, and one that computes its own value from theirs. */
export const families: Seed = async (service) => {
  await made(service, [{ target: '/blog/Post', body: { slug: 'family', title: 'many' } }]);
  for (const ids of portions(numbers(size(4000, 60_000)), 500)) await made(service, [{ target: '/blog/fillFamily', body: { ids } }]);
  const BasketItem = numbers(4900).map((id) => ({ id, price: 1 }));
  await made(service, [{ target: '/blog/Basket', body: { id: 1, BasketItem } }]);
};

/** Answers of the day before, which are no longer kept for anybody. */
export const expired: Seed = async (service) => {
  await ask(service.port, { target: '/blog/Tag', body: { name: 'first' }, headers: { 'idempotency-key': 'first' } });
  const count = size(20_000, 400_000);
  await service.restart(() =>
    service.execute(
      `INSERT INTO "__platform_answers" ("scope", "digest", "answer", "time")
       WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
       SELECT 'expired-' || n, 'digest', '{"status":201,"headers":{},"body":"{}"}', n FROM numbers`,
    ),
  );
};
