// A project with every kind of column and key, and data in it, for tests that move data.

import { command, type Workspace } from './harness.ts';

const model = `module shop

record Size { width Int, height Int @optional }

entity Thing {
  id UUID @id
  text String @optional @fulltext
  count Int @optional
  weight Float @optional
  price Decimal @optional
  yes Boolean @optional
  at DateTime @optional
  day Date @optional
  hour Time @optional
  mail Email @optional
  link URL @optional
  any Any @optional
  map Map @optional
  list Int[] @optional
  size Size @optional
  kind @enum("a", "b") @optional
  pin String @secret @optional
  note String @writeonly @optional
}

entity Node { no Int @id, next Int @ref(Node.no) @optional }
entity Inside { code String @id }
relationship ThingInside contains (Thing, Inside)
relationship Likes between (Thing, Inside)
entity Loose { key Any @id, same Any @ref(Loose.key) @optional }
entity Deep { key Any @id }
relationship LooseDeep contains (Loose, Deep)
relationship Tied between (Loose, Node)
`;

export const copyFiles = {
  'a/src/core.al': model,
  'a/config.al': '{"store": {"type": "sqlite", "dbname": "data/shop.db"}}',
  'b/src/core.al': model,
  'b/config.al': '{"store": {"type": "sqlite", "dbname": "data/shop.db"}}',
};

const [one, two] = ['0190a5c4-7a4e-7cc3-9a3e-1f6f0c8d2b11', '0190a5c4-7a4e-7cc3-9a3e-1f6f0c8d2b12'];

const things = [
  {
    id: one,
    text: 'naïve "𝄞" \u2028 \\ \t\n',
    count: '@9007199254740993',
    weight: 5e-324,
    price: '-12345678901234567890.123456789',
    yes: true,
    at: '2026-01-31T09:00:00.5Z',
    day: '0001-01-01',
    hour: '23:59:59.999',
    mail: 'Ada@Example.com',
    link: 'https://example.com/a?b=c#d',
    any: [1, 1.5, 'x', null, { b: 1, a: { z: [], é: '' } }],
    map: { b: 2, a: 1 },
    list: [3, 1, 2],
    size: { width: 1, height: null },
    kind: 'a',
    pin: 'in the open',
    note: 'quiet',
  },
  { id: two, text: '', at: '2026-01-31T09:00:00', price: '1.50', weight: 0.1, yes: false, any: 'text' },
];

const path = (thing: string, code: string) => `path://shop$Thing/${thing}/shop$ThingInside/shop$Inside/${encodeURIComponent(code)}`;
const insides = [one, two].flatMap((id) => ['x', 'ü/y'].map((code) => ({ code, __path__: path(id, code) })));
const likes = [
  { Thing: one, Inside: path(two, 'ü/y') },
  { Thing: two, Inside: path(two, 'ü/y') },
];
const nodes = Array.from({ length: 500 }, (_, no) => ({ no, next: no === 499 ? null : no + 1 }));

const looses = [1, '1', true, 'a "b"', 2.5].map((key) => ({ key, same: key }));
const deeps = [1, '1'].map((key) => ({
  key,
  __path__: `path://shop$Loose/%221%22/shop$LooseDeep/shop$Deep/${encodeURIComponent(JSON.stringify(key))}`,
}));
const tied = [1, '1', 'a "b"'].map((Loose, Node) => ({ Loose, Node }));

/** Puts the data into the project `a`. */
export async function filled(place: Workspace): Promise<void> {
  // A number that JSON.stringify would round stands as a marked text until here.
  const text = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row).replace(/"@(\d+)"/, '$1')}\n`).join('');
  place.write('in/shop.Thing.jsonl', text(things));
  place.write('in/shop.Inside.jsonl', text(insides));
  place.write('in/shop.Likes.jsonl', text(likes));
  place.write('in/shop.Node.jsonl', text(nodes));
  place.write('in/shop.Loose.jsonl', text(looses));
  place.write('in/shop.Deep.jsonl', text(deeps));
  place.write('in/shop.Tied.jsonl', text(tied));
  const { code, err } = await command(place.folder, 'import', 'in', 'a');
  if (code !== 0) throw new Error(err);
}
