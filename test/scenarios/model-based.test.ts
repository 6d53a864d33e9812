// Random sequences of operations: the service answers each as the small application in memory does.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, open, type Served } from '../support/app.ts';
import { counted, isLarge } from '../support/form.ts';
import { type Address, type Body, model, type Operation, Oracle, pathOf, type Type } from './oracle.ts';

const ids: Readonly<Record<Type, fc.Arbitrary<string | number>>> = {
  User: fc.constantFrom('a', 'B', 'é/%'),
  Post: fc.constantFrom(1, 2, 10),
  Comment: fc.constantFrom('x', 'x/y'),
  Reply: fc.constantFrom(1, 10),
};
const texts = fc.constantFrom('', 'one', 'two', "it's", '"', '\\', '%', 'null');
const wrong = fc.constantFrom<unknown>(5.5, true, [], {}, { a: 1 });

const user: fc.Arbitrary<Address> = ids.User.map((id) => ({ type: 'User', id }));
const post: fc.Arbitrary<Address> = ids.Post.map((id) => ({ type: 'Post', id }));
const comment: fc.Arbitrary<Address> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(ids.Comment, post).map(([id, under]): Address => ({ type: 'Comment', id, under })) },
  { weight: 1, arbitrary: ids.Comment.map((id): Address => ({ type: 'Comment', id })) },
);
const reply: fc.Arbitrary<Address> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(ids.Reply, comment).map(([id, under]): Address => ({ type: 'Reply', id, under })) },
  { weight: 1, arbitrary: ids.Reply.map((id): Address => ({ type: 'Reply', id })) },
);
const linked: fc.Arbitrary<Address> = fc.oneof(
  fc.tuple(ids.User, post).map(([id, under]): Address => ({ type: 'User', id, under })),
  fc.tuple(ids.Post, user).map(([id, under]): Address => ({ type: 'Post', id, under })),
);
const address = fc.oneof(user, post, comment, reply, linked);
const place: fc.Arbitrary<{ readonly type: Type; readonly under?: Address }> = address.chain(({ type, under }) =>
  fc.constant(under === undefined ? { type } : { type, under }),
);

/** Attributes that mostly fit. */
function attributes(type: Type, whole: boolean): fc.Arbitrary<Body> {
  const or = (arbitrary: fc.Arbitrary<unknown>, odds = 12) =>
    fc.oneof({ weight: odds, arbitrary }, { weight: 1, arbitrary: fc.oneof(wrong, fc.constant(null)) });
  const required = whole ? 20 : 1;
  const some = (arbitrary: fc.Arbitrary<unknown>, weight: number) =>
    fc.oneof({ weight, arbitrary: or(arbitrary) }, { weight: 1, arbitrary: fc.constant(undefined) });
  const fields: Readonly<Record<Type, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
    User: { email: some(ids.User, required), name: some(texts, 2), level: some(fc.nat({ max: 3 }), 1) },
    Post: { id: some(ids.Post, required), title: some(texts, required), rank: some(fc.nat({ max: 3 }), 1) },
    Comment: { id: some(ids.Comment, required), text: some(texts, 1) },
    Reply: { id: some(ids.Reply, required), text: some(texts, 1) },
  };
  const unknown = fc.oneof({ weight: 30, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant(1) });
  return fc.record({ ...fields[type], ...(whole ? nestedIn(type) : {}), unknown }).map(withoutAbsent);
}

function nestedIn(type: Type): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  const many = (child: Type) => fc.option(fc.array(attributes(child, true), { maxLength: 3 }), { freq: 2, nil: undefined });
  if (type === 'Post') return { PostComment: many('Comment') };
  return type === 'Comment' ? { CommentReply: many('Reply') } : {};
}

function withoutAbsent(body: Readonly<Record<string, unknown>>): Body {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

const idAlone = place.chain(({ type, under }) =>
  ids[type].map((id): Operation => {
    const body = { [type === 'User' ? 'email' : 'id']: id };
    return under === undefined ? { kind: 'create', type, body } : { kind: 'create', type, under, body };
  }),
);
const filters: Readonly<Record<Type, fc.Arbitrary<Body>>> = {
  User: fc.record({ level: fc.nat({ max: 3 }) }),
  Post: fc.record({ title: texts }),
  Comment: fc.record({ text: texts }),
  Reply: fc.record({ text: texts }),
};
const sorts: Readonly<Record<Type, readonly string[]>> = {
  User: ['name', '-name', 'level', '-email'],
  Post: ['title', '-title', 'rank', '-id'],
  Comment: ['text', '-text', 'id'],
  Reply: ['text', '-id'],
};

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: place.chain((at) => attributes(at.type, true).map((body): Operation => ({ kind: 'create', ...at, body }))) },
  { weight: 2, arbitrary: idAlone },
  { weight: 3, arbitrary: address.map((at): Operation => ({ kind: 'read', at })) },
  { weight: 2, arbitrary: fc.oneof(post, comment, reply).map((at): Operation => ({ kind: 'tree', at })) },
  { weight: 3, arbitrary: place.map((at): Operation => ({ kind: 'list', ...at })) },
  { weight: 1, arbitrary: place.chain((at) => filters[at.type].map((filter): Operation => ({ kind: 'list', ...at, filter }))) },
  {
    weight: 1,
    arbitrary: place.chain((at) => fc.constantFrom(...sorts[at.type]).map((sort): Operation => ({ kind: 'list', ...at, sort }))),
  },
  { weight: 3, arbitrary: address.chain((at) => attributes(at.type, false).map((body): Operation => ({ kind: 'update', at, body }))) },
  { weight: 2, arbitrary: address.map((at): Operation => ({ kind: 'delete', at })) },
  { weight: 2, arbitrary: fc.record({ User: ids.User, Post: ids.Post }).map((body): Operation => ({ kind: 'link', body })) },
  { weight: 1, arbitrary: fc.record({ User: fc.oneof(ids.User, wrong) }).map((body): Operation => ({ kind: 'link', body })) },
  { weight: 1, arbitrary: fc.constant<Operation>({ kind: 'links' }) },
);

const start: readonly Operation[] = [
  { kind: 'create', type: 'User', body: { email: 'a', name: 'one' } },
  { kind: 'create', type: 'User', body: { email: 'é/%' } },
  { kind: 'create', type: 'Post', body: { id: 1, title: 'one', PostComment: [{ id: 'x', CommentReply: [{ id: 10 }, { id: 1 }] }] } },
  { kind: 'create', type: 'Post', body: { id: 10, title: 'two', PostComment: [{ id: 'x' }, { id: 'x/y', text: 'two' }] } },
  { kind: 'create', type: 'Post', under: { type: 'User', id: 'a' }, body: { id: 1 } },
];

test('every response of a random sequence is that of the specification', { timeout: 600_000 }, async () => {
  const served = await open(model);
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: isLarge ? 60 : 40, size: 'max' }), (operations) =>
        agree(served, operations),
      ),
      { numRuns: counted({ long: 2000, short: 20, postgres: 8 }) },
    );
  } finally {
    await served.close();
  }
});

async function agree(served: Served, operations: readonly Operation[]): Promise<void> {
  await empty(served);
  const oracle = new Oracle();
  for (const each of [...start, ...operations]) {
    const expected = oracle.answer(each);
    const answer = await ask(served, each);
    const title = JSON.stringify(each);
    expect(answer.status, `${title} ${answer.text}`).toBe(expected.status);
    if (expected.status < 400) expect(bodyOf(answer, each), title).toEqual(expected.body);
  }
  expect(served.failures).toEqual([]);
}

/** As at the start, for the next sequence. */
async function empty(served: Served): Promise<void> {
  for (const type of ['User', 'Post'] as const) {
    const { body } = await served.get(`/m/${type}`);
    for (const each of Array.isArray(body) ? body : [])
      await served.remove(pathOf(type, type === 'User' ? each.email : each.id, undefined));
  }
}

function ask(served: Served, each: Operation): Promise<Answer> {
  switch (each.kind) {
    case 'create':
      return served.post(pathOf(each.type, undefined, each.under), each.body);
    case 'list': {
      const filters = Object.entries(each.filter ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
      const query = each.sort === undefined ? filters : [...filters, `@sort=${each.sort}`];
      return served.get(`${pathOf(each.type, undefined, each.under)}?${query.join('&')}`);
    }
    case 'read':
      return served.get(pathOf(each.at.type, each.at.id, each.at.under));
    case 'tree':
      return served.get(`${pathOf(each.at.type, each.at.id, each.at.under)}?@tree=true`);
    case 'update':
      return served.put(pathOf(each.at.type, each.at.id, each.at.under), each.body);
    case 'delete':
      return served.remove(pathOf(each.at.type, each.at.id, each.at.under));
    case 'link':
      return served.post('/m/Wrote', each.body);
    default:
      return served.get('/m/Wrote');
  }
}

/** Generated identifiers of links are nobody's to foresee. */
function bodyOf({ body }: Answer, { kind }: Operation): unknown {
  const withoutId = (link: unknown) => {
    const { __Id__, ...rest } = Object(link);
    expect(__Id__).toMatch(/^[0-9a-f-]{36}$/);
    return rest;
  };
  if (kind === 'link') return withoutId(body);
  return kind === 'links' && Array.isArray(body) ? body.map(withoutId) : body;
}
