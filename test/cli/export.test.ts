// `platform export` and `platform import`: what was written out can be put back, whole, elsewhere, and after an interruption.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvLine, isOpen, parseCsv } from '../../src/cli/transfer/csv.ts';
import { systemClock } from '../../src/clock.ts';
import { openStore } from '../../src/store/open.ts';
import { counted } from '../support/form.ts';
import { until } from '../support/time.ts';
import { command, ensureBuilt, platform, root, type Workspace } from './harness.ts';
import { places } from './places.ts';

const kept = places();

const model = `module shop

record Size { width Int, height Int @optional }

entity Item {
  no Int @id
  name String @unique
  price Decimal @optional
  weight Float @optional
  sold Boolean @default(false)
  tags String[] @optional
  size Size @optional
  extra Any @optional
  since DateTime @optional
  pin String @secret @optional
  note String @writeonly @optional
  double Int @expr(no * 2)
  like Int @ref(Item.no) @optional
}

entity Part { code String @id, count Int }
entity Screw { id Int @id }
entity Person { email Email @id }

relationship ItemPart contains (Item, Part)
relationship PartScrew contains (Part, Screw)
relationship Owns between (Person, Item) { since Date @optional }

entity Pet { name String @id }
entity Toy { name String @id }
relationship Keeps contains (Person, Pet) @cascade(false)
relationship PetToy contains (Pet, Toy)
`;

const project = (name: string) => ({
  [`${name}/src/core.al`]: model,
  [`${name}/config.al`]: '{"store": {"type": "sqlite", "dbname": "data/shop.db"}}',
});

function open(files: Readonly<Record<string, string>> = {}): Workspace {
  return kept.open({ ...project('a'), ...project('b'), ...files });
}

const hash = '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b7dWRWJTmaQMCJLfXvWbLcUbWw';

const items = [
  '{"__type":"shop/Item","no":1,"name":"chair","price":"12.50","weight":0.1,"sold":true,"tags":["a","b"],"size":{"width":3,"height":null},"extra":{"a":[1,"x",null]},"since":"2026-01-31T09:00:00Z","pin":null,"note":"kept \\"quietly\\",\\nhere","double":2,"like":2,"__version":1700000000001}',
  `{"__type":"shop/Item","no":2,"name":"","price":null,"weight":null,"sold":false,"tags":null,"size":null,"extra":null,"since":null,"pin":"${hash}","note":null,"double":4,"like":null,"__version":1700000000007}`,
  '{"__type":"shop/Item","no":9007199254740993,"name":"bolt, \\u2028 and 𝄞","price":"0","weight":1e-300,"sold":false,"tags":[],"size":null,"extra":"text","since":null,"pin":null,"note":null,"double":18014398509481986,"like":9007199254740993,"__version":1}',
].map((line) => line.replace('\\u2028', '\u2028'));

const parts = [
  '{"__type":"shop/Part","code":"a/b $","count":1,"__path__":"path://shop$Item/1/shop$ItemPart/shop$Part/a%2Fb%20%24","__version":5}',
  '{"__type":"shop/Part","code":"leg","count":4,"__path__":"path://shop$Item/1/shop$ItemPart/shop$Part/leg","__version":5}',
  '{"__type":"shop/Part","code":"leg","count":3,"__path__":"path://shop$Item/2/shop$ItemPart/shop$Part/leg","__version":6}',
];

const screws = [
  '{"__type":"shop/Screw","id":7,"__path__":"path://shop$Item/1/shop$ItemPart/shop$Part/leg/shop$PartScrew/shop$Screw/7","__version":8}',
];
const people = ['{"__type":"shop/Person","email":"Ada@example.com","__version":3}'];
const links = [
  '{"__type":"shop/Owns","Person":"Ada@example.com","Item":2,"__Id__":"0190a5c4-7a4e-7cc3-9a3e-1f6f0c8d2b11","since":"2026-02-03","__version":4}',
];

const files = {
  'data/shop.Item.jsonl': text(items),
  'data/shop.Part.jsonl': text(parts),
  'data/shop.Screw.jsonl': text(screws),
  'data/shop.Person.jsonl': text(people),
  'data/shop.Owns.jsonl': text(links),
};

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

describe('a round trip', () => {
  test('of lines of JSON gives back every identifier, path, version, hash and value', async () => {
    const place = open(files);
    expect(await command(place.folder, 'import', 'data', 'a')).toEqual({ code: 0, out: '9 instances added\n', err: '' });
    const out = await command(place.folder, 'export', 'a', '--out', 'data2');
    expect(out.code).toBe(0);
    expect(out.err).toContain('         3  shop/Item\n');
    expect(out.err).toContain('9 instances in data2\n');
    for (const [name, lines] of Object.entries(files)) expect(place.read(name.replace('data/', 'data2/'))).toBe(lines);
    expect(statSync(join(place.folder, 'data2', 'shop.Item.jsonl')).mode & 0o777).toBe(0o600);
  });

  test('of CSV gives back the same', async () => {
    const place = open(files);
    await command(place.folder, 'import', 'data', 'a');
    await command(place.folder, 'export', 'a', '--out', 'sheets', '--format', 'csv');
    expect(place.read('sheets/shop.Part.csv')).toBe(
      text([
        'code,count,__path__,__version,__detached',
        'a/b $,1,path://shop$Item/1/shop$ItemPart/shop$Part/a%2Fb%20%24,5,',
        'leg,4,path://shop$Item/1/shop$ItemPart/shop$Part/leg,5,',
        'leg,3,path://shop$Item/2/shop$ItemPart/shop$Part/leg,6,',
      ]),
    );
    expect(await command(place.folder, 'import', 'sheets', 'b')).toEqual({ code: 0, out: '9 instances added\n', err: '' });
    await command(place.folder, 'export', 'b', '--out', 'again');
    for (const [name, lines] of Object.entries(files)) expect(place.read(name.replace('data/', 'again/'))).toBe(lines);
  });

  test('of everything in one file works too', async () => {
    const place = open(files);
    await command(place.folder, 'import', 'data', 'a');
    expect((await command(place.folder, 'export', 'a', '--out', 'all.jsonl')).code).toBe(0);
    expect(await command(place.folder, 'import', 'all.jsonl', 'b')).toEqual({ code: 0, out: '9 instances added\n', err: '' });
  });

  test('of children that outlived their parent gives them back under no parent, with what they contain', async () => {
    const lines = [
      '{"__type":"shop/Person","email":"ada@example.com","__version":1}',
      '{"__type":"shop/Pet","name":"rex","__path__":"path://shop$Person/ada%40example.com/shop$Keeps/shop$Pet/rex","__version":1}',
      '{"__type":"shop/Pet","name":"rex","__path__":null,"__version":1,"__detached":true}',
      '{"__type":"shop/Toy","name":"ball","__path__":"path://shop$Pet/rex/shop$PetToy/shop$Toy/ball","__version":2}',
    ];
    const place = open({ 'in.jsonl': text(lines) });
    expect(await command(place.folder, 'import', 'in.jsonl', 'a')).toEqual({ code: 0, out: '4 instances added\n', err: '' });
    await command(place.folder, 'export', 'a', '--out', 'out.jsonl');
    expect(place.read('out.jsonl')).toBe(text(lines));
  });

  test('of what names something that was deleted since gives it back, and a line that was never stored must name something', async () => {
    const line = '{"__type":"shop/Item","no":7,"name":"x","kind":"gone","like":8,"__version":3}';
    const other = '{"__type":"shop/Item","no":8,"name":"y","kind":"gone","like":7,"__version":3}';
    const named = model.replace('like Int', 'kind @oneof(Kind.name) @optional\n  like Int').concat('entity Kind { name String @id }\n');
    const place = open({
      'a/src/core.al': named,
      'b/src/core.al': named,
      'in.jsonl': text([
        line,
        other,
        '{"__type":"shop/Part","code":"leg","count":1,"__path__":"path://shop$Item/7/shop$ItemPart/shop$Part/leg","__version":3}',
      ]),
      'new.jsonl': text(['{"no":9,"name":"z","kind":"gone"}', '{"no":10,"name":"w","like":99,"__version":3}']),
    });
    expect(await command(place.folder, 'import', 'in.jsonl', 'a')).toEqual({ code: 0, out: '3 instances added\n', err: '' });
    await command(place.folder, 'export', 'a', '--out', 'out.csv', '--entity', 'Item');
    expect(await command(place.folder, 'import', 'out.csv', 'b', '--entity', 'Item')).toMatchObject({
      code: 0,
      out: '2 instances added\n',
    });
    const refused = await command(place.folder, 'import', 'new.jsonl', 'a', '--entity', 'Item');
    expect(refused.err).toContain('kind must be the name of a shop/Kind');
    expect(refused.err).toContain('like must be the no of a shop/Item');
  });

  test('of generated rows gives back the same', async () => {
    const value = fc.record({
      name: fc.string({ unit: 'binary' }).filter((each) => !each.includes('\0')),
      price: fc.option(fc.tuple(fc.integer(), fc.nat(99)).map(([whole, part]) => `${whole}.${String(part).padStart(2, '0')}`)),
      weight: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0)),
      sold: fc.boolean(),
      tags: fc.option(fc.array(fc.string())),
      // A key that changes what an object is can be kept by no attribute, nor a whole number beyond 64 bits whose digits are not those of its double.
      extra: fc.option(fc.jsonValue({ maxDepth: 3 }).filter((each) => !/__proto__|\d{19}/.test(JSON.stringify(each)))),
    });
    const rows = fc.uniqueArray(value, { minLength: 1, maxLength: 30, selector: (each) => each.name });
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        const place = open({ 'in.jsonl': text(given.map((each, no) => JSON.stringify({ no, ...each, extra: each.extra ?? null }))) });
        expect(await command(place.folder, 'import', 'in.jsonl', 'a', '--entity', 'Item')).toMatchObject({ code: 0, err: '' });
        await command(place.folder, 'export', 'a', '--out', 'one');
        await command(place.folder, 'export', 'a', '--out', 'one.csv', '--entity', 'Item');
        expect(await command(place.folder, 'import', 'one.csv', 'b', '--entity', 'shop/Item')).toMatchObject({ code: 0, err: '' });
        await command(place.folder, 'export', 'b', '--out', 'two');
        expect(place.read('two/shop.Item.jsonl')).toBe(place.read('one/shop.Item.jsonl'));
        const kept = place
          .read('one/shop.Item.jsonl')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
        expect(kept.map(({ name, weight, tags }) => ({ name, weight, tags }))).toEqual(
          given.map(({ name, weight, tags }) => ({ name, weight, tags })),
        );
      }),
      { numRuns: counted({ long: 80, short: 4 }) },
    );
  });
});

describe('an export', () => {
  test('of one entity goes to standard output', async () => {
    ensureBuilt();
    const place = open(files);
    await command(place.folder, 'import', 'data', 'a');
    const bin = join(root, 'bin', 'platform.js');
    const { stdout, stderr } = spawnSync(process.execPath, [bin, 'export', 'a', '-e', 'Part'], { cwd: place.folder, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual([text(parts), '         3  shop/Part\n3 instances\n']);
  });

  test('is one state of the data, while a service has it', async () => {
    const place = open(files);
    await command(place.folder, 'import', 'data', 'a');
    const store = openStore({ type: 'sqlite', file: join(place.folder, 'a/data/shop.db') }, systemClock());
    try {
      expect((await command(place.folder, 'export', 'a', '--out', 'out')).code).toBe(0);
      expect(await command(place.folder, 'import', 'data', 'a')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/Another process is using/),
      });
    } finally {
      await store.close();
    }
  });

  test('of data that does not have the form of the model is refused, and so is a copy: nothing is left behind', async () => {
    const place = open(files);
    await command(place.folder, 'import', 'data', 'a');
    place.write('a/src/core.al', model.replace('{ code String @id, count Int }', '{ code String @id }'));
    for (const argv of [
      ['export', 'a', '--out', 'out'],
      ['store', 'copy', 'a', '--to', 'sqlite:copy.db'],
    ]) {
      expect(await command(place.folder, ...argv)).toEqual({
        code: 1,
        out: '',
        err: 'platform: The stored data does not have the form of this model (shop/Part): see platform migrate plan, and apply it first.\n',
      });
    }
    expect([existsSync(join(place.folder, 'out')), existsSync(join(place.folder, 'copy.db'))]).toEqual([false, false]);
  });

  test('of data with an attribute that the model computes in another way by now is made, and so is a copy', async () => {
    const place = open(files);
    await command(place.folder, 'import', 'data', 'a');
    place.write('a/src/core.al', model.replace('@expr(no * 2)', '@expr(no * 3)'));
    const codes = [
      (await command(place.folder, 'export', 'a', '--out', 'out')).code,
      (await command(place.folder, 'store', 'copy', 'a', '--to', 'sqlite:copy.db')).code,
    ];
    expect(codes).toEqual([0, 0]);
  });

  test('leaves secrets out where it is told to', async () => {
    const place = open(files);
    await command(place.folder, 'import', 'data', 'a');
    await command(place.folder, 'export', 'a', '--out', 'public', '--no-secrets');
    expect(place.read('public/shop.Item.jsonl')).not.toContain('argon2id');
    expect(place.read('public/shop.Item.jsonl')).not.toContain('"pin"');
  });

  const refused: readonly (readonly [title: string, argv: readonly string[], said: RegExp])[] = [
    ['a folder that holds something', ['export', 'a', '--out', 'data'], /not an empty folder; an export overwrites nothing/],
    ['a file that is there', ['export', 'a', '--out', 'data/shop.Item.jsonl'], /is already there; an export overwrites nothing/],
    ['an entity that there is not', ['export', 'a', '--entity', 'Itm'], /no entity or link Itm; did you mean/],
    ['all entities in one CSV', ['export', 'a', '--out', 'all.csv'], /A CSV holds one entity/],
    ['a project without data', ['export', 'b', '--out', 'none'], /There is no database .* yet/],
  ];

  test.each(refused)('is refused for %s', async (_, argv, said) => {
    const place = open(files);
    await command(place.folder, 'import', 'data', 'a');
    const { code, err } = await command(place.folder, ...argv);
    expect([code, err]).toEqual([1, expect.stringMatching(said)]);
  });
});

describe('an import', () => {
  test('tells each line that does not fit with file and line, and adds the others', async () => {
    const place = open({
      'in.jsonl': text([
        '{"no":1,"name":"one"}',
        '{"no":"two","name":"two"}',
        'not json',
        '[]',
        '{"no":3,"name":"one"}',
        '{"no":4,"name":"four","like":77}',
        '{"no":5,"name":"five","nmae":"x"}',
        '{"__type":"shop/Nothing","no":6}',
        '',
        '{"no":8,"name":"eight"}',
      ]),
    });
    const { code, out, err } = await command(place.folder, 'import', 'in.jsonl', 'a', '--entity', 'Item');
    expect([code, out]).toEqual([1, '2 instances added, 7 lines refused\n']);
    expect(err.trimEnd().split('\n').sort()).toEqual([
      expect.stringMatching(/^in\.jsonl:2: no must be/),
      expect.stringMatching(/^in\.jsonl:3: /),
      'in.jsonl:4: it is not an object',
      'in.jsonl:5: There is already an instance with this name.',
      'in.jsonl:6: like must be the no of a shop/Item',
      'in.jsonl:7: nmae is not an attribute of shop/Item',
      'in.jsonl:8: the model has no entity or link shop/Nothing',
    ]);
  });

  test('that is strict ends at the first batch with a line that does not fit', async () => {
    const lines = Array.from({ length: 450 }, (_, no) => (no === 210 ? 'nonsense' : `{"no":${no},"name":"n${no}"}`));
    const place = open({ 'in.jsonl': text(lines) });
    const { code, out } = await command(place.folder, 'import', 'in.jsonl', 'a', '--entity', 'Item', '--strict');
    expect([code, out]).toEqual([1, '399 instances added, 1 line refused\n']);
  });

  test('that is done again skips what was done, and goes on with what is new', async () => {
    const place = open(files);
    await command(place.folder, 'import', 'data', 'a');
    expect((await command(place.folder, 'import', 'data', 'a')).out).toBe('0 instances added, 9 lines done before\n');
    place.write('data/shop.Person.jsonl', text([...people, '{"email":"bob@example.com"}']));
    expect((await command(place.folder, 'import', 'data', 'a')).out).toBe('1 instance added, 1 already there, 8 lines done before\n');
  });

  test('that is killed goes on where it was, and ends with everything once', async () => {
    ensureBuilt();
    const count = 20_000;
    const place = open({ 'in.jsonl': text(Array.from({ length: count }, (_, no) => `{"no":${no},"name":"n${no}"}`)) });
    const argv = ['import', 'in.jsonl', 'a', '--entity', 'Item'];
    const killed = platform(place.folder, ...argv);
    const isUnderWay = () =>
      existsSync(join(place.folder, 'in.jsonl.import.json')) && /"line":[1-9]/.test(place.read('in.jsonl.import.json'));
    await until(() => isUnderWay() || killed.child.exitCode !== null);
    killed.child.kill('SIGKILL');
    await killed.exit;
    const { code, out } = await command(place.folder, ...argv);
    const [, added = 0, there = 0, before = 0] =
      /^(\d+) instances? added(?:, (\d+) already there)?, (\d+) lines done before$/m.exec(out) ?? [];
    expect(code).toBe(0);
    expect(Number(before)).toBeGreaterThan(0);
    expect(Number(added) + Number(there ?? 0) + Number(before)).toBe(count);
    await command(place.folder, 'export', 'a', '--entity', 'Item', '--out', 'out.jsonl');
    expect(place.read('out.jsonl').trimEnd().split('\n')).toHaveLength(count);
  });

  test('that lost its checkpoint finds what is there already, and refuses what differs', async () => {
    const place = open(files);
    await command(place.folder, 'import', 'data', 'a');
    rmSync(join(place.folder, 'data', '.import.json'));
    expect(await command(place.folder, 'import', 'data', 'a')).toEqual({ code: 0, out: '0 instances added, 9 already there\n', err: '' });
    place.write('data/shop.Part.jsonl', text(parts.map((line) => line.replace('"count":4', '"count":5'))));
    expect(await command(place.folder, 'import', 'data', 'a')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^data\/shop\.Part\.jsonl:2: /),
    });
  });

  test('into another database begins anew, whatever was done in the first', async () => {
    const place = open(files);
    await command(place.folder, 'import', 'data', 'a');
    expect((await command(place.folder, 'import', 'data', 'b')).out).toBe('9 instances added\n');
  });

  test('adds what points at later lines, over files and in circles', async () => {
    const lines = Array.from({ length: 500 }, (_, no) => `{"no":${no},"name":"n${no}","like":${no === 499 ? 'null' : no + 1}}`);
    const place = open({ 'in.jsonl': text(lines) });
    expect(await command(place.folder, 'import', 'in.jsonl', 'a', '--entity', 'Item')).toEqual({
      code: 0,
      out: '500 instances added\n',
      err: '',
    });
  });

  test('adds what points at each other, in whatever order it comes', async () => {
    const count = 3000;
    const shuffled = Array.from({ length: count }, (_, no) => (no * 1117) % count);
    const line = (no: number) => `{"no":${no},"name":"n${no}","like":${(no + 1) % count}}`;
    const place = open({ 'in.jsonl': text(shuffled.map(line)) });
    expect(await command(place.folder, 'import', 'in.jsonl', 'a', '--entity', 'Item')).toEqual({
      code: 0,
      out: `${count} instances added\n`,
      err: '',
    });
    await command(place.folder, 'export', 'a', '--entity', 'Item', '--out', 'out.jsonl');
    const rows: { no: number; like: number; double: number }[] = place
      .read('out.jsonl')
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each));
    expect(rows.map(({ no, like, double }) => [no, like, double])).toEqual(
      Array.from({ length: count }, (_, no) => [no, (no + 1) % count, no * 2]),
    );
  });

  test('refuses of a circle what leads out of it to nothing, or does not fit, with everything that points at it', async () => {
    const lines = [
      '{"no":1,"name":"one","like":2}',
      '{"no":2,"name":"two","like":1}',
      '{"no":3,"name":"three","like":4}',
      '{"no":4,"name":"four","like":99}',
      '{"no":5,"name":"one","like":6}',
      '{"no":6,"name":"six","like":5}',
    ];
    const place = open({ 'in.jsonl': text(lines) });
    const { code, out, err } = await command(place.folder, 'import', 'in.jsonl', 'a', '--entity', 'Item');
    expect([code, out]).toEqual([1, '2 instances added, 4 lines refused\n']);
    expect(err.trimEnd().split('\n').sort()).toEqual([
      'in.jsonl:3: like must be the no of a shop/Item',
      'in.jsonl:4: like must be the no of a shop/Item',
      'in.jsonl:5: There is already an instance with this name.',
      'in.jsonl:6: like must be the no of a shop/Item',
    ]);
  });

  test('into a database that was made anew in the same place begins anew', async () => {
    const place = open(files);
    await command(place.folder, 'import', 'data', 'a');
    rmSync(join(place.folder, 'a', 'data'), { recursive: true });
    expect((await command(place.folder, 'import', 'data', 'a')).out).toBe('9 instances added\n');
  });

  const repeated: readonly (readonly [title: string, line: string])[] = [
    ['a link without an identifier of its own', '{"__type":"shop/Owns","Person":"Ada@example.com","Item":1}'],
    ['a child that outlived its parent', '{"__type":"shop/Pet","name":"rex","__detached":true,"__version":3}'],
  ];

  test.each(repeated)('finds %s that is there already', async (_, line) => {
    const place = open({ ...files, 'one.jsonl': `${line}\n`, 'two.jsonl': `${line}\n` });
    await command(place.folder, 'import', 'data', 'a');
    expect((await command(place.folder, 'import', 'one.jsonl', 'a')).out).toBe('1 instance added\n');
    expect(await command(place.folder, 'import', 'two.jsonl', 'a')).toEqual({
      code: 0,
      out: '0 instances added, 1 already there\n',
      err: '',
    });
  });

  const own: readonly (readonly [line: string, said: RegExp])[] = [
    ['{"no":1,"name":"x","__version":9007199254740991}', /__version must be an integer from 0/],
    ['{"no":1,"name":"x","__version":"1"}', /__version must be an integer from 0/],
    ['{"no":1,"name":"x","__path__":5}', /__path__ must be a text/],
    ['{"no":1,"name":"x","__detached":"yes"}', /__detached must be true or false/],
    ['{"no":1,"name":"x","__detached":true}', /__detached is for children/],
    ['{"no":1,"name":"x","__type":5}', /__type must be a text/],
    ['{"no":1,"name":"x","__proto__":{}}', /__proto__ is set by the service/],
  ];

  test.each(own)('refuses %s', async (line, said) => {
    const place = open({ 'in.jsonl': `${line}\n` });
    const refusal = await command(place.folder, 'import', 'in.jsonl', 'a', '--entity', 'Item');
    expect(refusal).toMatchObject({ code: 1, out: '0 instances added, 1 line refused\n', err: expect.stringMatching(said) });
  });

  test('that cannot remember how far it came adds nothing', async () => {
    const place = open(files);
    const { code, err } = await command(place.folder, 'import', 'data', 'a', '--checkpoint', 'nowhere/x.json');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/cannot be remembered in .*nowhere\/x\.json \(ENOENT\); --checkpoint names another file/),
    ]);
    expect((await command(place.folder, 'import', 'data', 'a')).out).toBe('9 instances added\n');
  });

  const differing: readonly (readonly [title: string, line: string, said: RegExp])[] = [
    ['a link that is there between others', text(links).replace('"Item":2', '"Item":1'), /There is already an instance/],
    ['a child without a parent', '{"__type":"shop/Part","code":"leg","count":1}\n', /under its parent|a parent/],
  ];

  test.each(differing)('refuses %s', async (_, line, said) => {
    const place = open({ ...files, 'in.jsonl': line });
    await command(place.folder, 'import', 'data', 'a');
    expect(await command(place.folder, 'import', 'in.jsonl', 'a')).toMatchObject({ code: 1, err: expect.stringMatching(said) });
  });

  test.each(['jsonl', 'csv'])('refuses a line that is not UTF-8, and adds the others: %s', async (format) => {
    const lines = format === 'csv' ? ['no,name', '1,caf\xe9', '2,tea'] : ['{"no":1,"name":"caf\xe9"}', '{"no":2,"name":"tea"}'];
    const place = open();
    writeFileSync(join(place.folder, `in.${format}`), Buffer.from(text(lines), 'latin1'));
    const { out, err } = await command(place.folder, 'import', `in.${format}`, 'a', '--entity', 'Item');
    expect([out, err]).toEqual(['1 instance added, 1 line refused\n', `in.${format}:${lines.length - 1}: it is not UTF-8\n`]);
  });

  test('of CSV keeps every line break inside a text', async () => {
    const place = open({ 'in.csv': 'no,name\r\n1,"a\r\nb\rc\nd"\r\n2,plain\r\n' });
    expect((await command(place.folder, 'import', 'in.csv', 'a', '--entity', 'Item')).out).toBe('2 instances added\n');
    await command(place.folder, 'export', 'a', '--entity', 'Item', '--out', 'out.jsonl');
    expect(place.read('out.jsonl')).toMatch(/"name":"a\\r\\nb\\rc\\nd".*\n.*"name":"plain"/);
  });

  test('hashes a secret that is not a hash yet', async () => {
    const place = open({ 'in.jsonl': '{"no":1,"name":"one","pin":"in the open"}\n' });
    await command(place.folder, 'import', 'in.jsonl', 'a', '--entity', 'Item');
    await command(place.folder, 'export', 'a', '--out', 'out', '--entity', 'Item');
    const [name = ''] = readdirSync(join(place.folder, 'out'));
    expect(JSON.parse(place.read(`out/${name}`)).pin).toMatch(/^\$argon2id\$/);
  });

  test('of a child without its parent says so, and adds it when the parent has come', async () => {
    const place = open({ ...files, 'in.jsonl': text(screws) });
    expect(await command(place.folder, 'import', 'in.jsonl', 'a')).toEqual({
      code: 1,
      out: '0 instances added, 1 line refused\n',
      err: 'in.jsonl:1: its parent is not there\n',
    });
    rmSync(join(place.folder, 'data', 'shop.Screw.jsonl'));
    await command(place.folder, 'import', 'data', 'a');
    expect(await command(place.folder, 'import', 'in.jsonl', 'a')).toEqual({ code: 0, out: '1 instance added\n', err: '' });
  });

  const wrongPaths: readonly (readonly [path: string, said: RegExp])[] = [
    ['path://shop$Item/1/shop$ItemPart/shop$Part/other', /__path__ is not the path of this shop\/Part/],
    ['path://shop$Person/1/shop$ItemPart/shop$Part/leg', /__path__ names no parent of shop\/Part/],
    ['path://shop$Item/x/shop$ItemPart/shop$Part/leg', /__path__ holds an identifier of the wrong type/],
    ['/shop/Item/1', /__path__ is not the path/],
    ['path://shop$Item/%zz/shop$ItemPart/shop$Part/leg', /__path__ is not percent-encoded/],
  ];

  test.each(wrongPaths)('refuses the path %s', async (path, said) => {
    const place = open({ 'in.jsonl': `${JSON.stringify({ __type: 'shop/Part', code: 'leg', count: 1, __path__: path })}\n` });
    expect(await command(place.folder, 'import', 'in.jsonl', 'a')).toMatchObject({ code: 1, err: expect.stringMatching(said) });
  });

  test('of a file that is no entity of the model is refused before anything is added', async () => {
    const place = open({ ...files, 'data/shop.Itme.jsonl': '{}\n' });
    expect(await command(place.folder, 'import', 'data', 'a')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/shop\.Itme\.jsonl is no entity or link of the model/),
    });
  });
});

describe('comma-separated values', () => {
  test('tell absent from empty, and keep every text', () => {
    const field = fc.option(fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(field, { minLength: 1 }), (fields) => {
        // One absent field alone is an empty line, which is no record.
        fc.pre(fields.length > 1 || fields[0] !== null);
        const line = csvLine(fields);
        expect(parseCsv(line)).toEqual(fields);
        expect(isOpen(line)).toBe(false);
      }),
    );
  });
});
