// `platform store copy`: all data of one store in another, with a check that it arrived.

import { describe, expect, test } from 'vitest';
import { execute, rowsOf } from '../support/database.ts';
import { copyFiles, filled } from './copy-data.ts';
import { command, type Workspace } from './harness.ts';
import { places } from './places.ts';

const kept = places();

async function open(): Promise<Workspace> {
  const made = kept.open(copyFiles);
  await filled(made);
  return made;
}

describe('a copy from file to file', () => {
  test('holds every row of every table, and an export of it is the same byte for byte', async () => {
    const place = await open();
    const { code, out, err } = await command(place.folder, 'store', 'copy', 'a', '--to', 'config:b/config.al');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^ {7}500 {2}[0-9a-f]{12} {2}shop\/Node$/m);
    expect(out).toMatch(/^ {9}2 {2}[0-9a-f]{12} {2}shop\/Likes$/m);
    expect(out).toMatch(/^\d+ rows in \d+ tables copied to sqlite:.*shop\.db; counts and hashes agree$/m);
    for (const name of ['a', 'b']) await command(place.folder, 'export', name, '--out', `${name}-out`);
    for (const file of ['shop.Node.jsonl', 'shop.Thing.jsonl', 'shop.Inside.jsonl', 'shop.Likes.jsonl']) {
      expect(place.read(`b-out/${file}`)).toBe(place.read(`a-out/${file}`));
    }
    const found = `SELECT count(*) AS n FROM "__search|shop/Thing" WHERE "__search|shop/Thing" MATCH '"naive"'`;
    expect(rowsOf(`${place.folder}/b/data/shop.db`, found)).toEqual(rowsOf(`${place.folder}/a/data/shop.db`, found));
    expect(rowsOf(`${place.folder}/b/data/shop.db`, found)).toEqual([{ n: 1 }]);
  });

  test('into a store that holds data is refused, and changes nothing there', async () => {
    const place = await open();
    expect((await command(place.folder, 'store', 'copy', 'a', '--to', 'sqlite:c.db')).code).toBe(0);
    const again = await command(place.folder, 'store', 'copy', 'a', '--to', 'sqlite:c.db');
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringMatching(/The target already holds \d+ rows of .*; a copy needs one without data/),
    });
  });

  const refused: readonly (readonly [title: string, argv: readonly string[], code: number, said: RegExp])[] = [
    ['a copy onto itself', ['--to', 'sqlite:a/data/shop.db'], 1, /is where the data comes from/],
    ['a source that is not there', ['--from', 'sqlite:none.db', '--to', 'sqlite:c.db'], 1, /There is no database .*none\.db yet/],
    ['a store of another kind', ['--to', 'mongodb:x'], 1, /A store is named as sqlite:<file>, postgres:/],
    ['an address that cannot be read', ['--to', 'postgres://me:tell-nobody@['], 1, /cannot be read: postgres:\/\/<user>/],
    [
      'an address with a part that cannot be read',
      ['--to', 'postgres://me:tell-nobody%zz@db/shop'],
      1,
      /cannot be read: postgres:\/\/<user>/,
    ],
    [
      'a word for TLS that there is not',
      ['--to', 'postgres://me:tell-nobody@db/shop?sslmode=verfy-full'],
      1,
      /sslmode is one of disable, require/,
    ],
    ['no target', [], 2, /required option '--to <store>' not specified/],
  ];

  test.each(refused)('is refused: %s', async (_, argv, code, said) => {
    const place = await open();
    const result = await command(place.folder, 'store', 'copy', 'a', ...argv);
    expect([result.code, result.err]).toEqual([code, expect.stringMatching(said)]);
    expect(result.err).not.toContain('tell-nobody');
  });

  test('of rows that point at each other in a circle gives them all', async () => {
    const place = await open();
    execute(`${place.folder}/a/data/shop.db`, 'UPDATE "shop/Node" SET "next" = 0 WHERE "no" = 499');
    const { code, err } = await command(place.folder, 'store', 'copy', 'a', '--to', 'config:b/config.al');
    expect([code, err]).toEqual([0, '']);
    for (const name of ['a', 'b']) await command(place.folder, 'export', name, '--out', `${name}-out`);
    expect(place.read('b-out/shop.Node.jsonl')).toBe(place.read('a-out/shop.Node.jsonl'));
  });

  test('says what is retired, and so not in it', async () => {
    const place = await open();
    place.write(
      'a/src/core.al',
      place
        .read('a/src/core.al')
        .replace('  note String @writeonly @optional\n', '')
        .replace(/^relationship Likes.*$/m, ''),
    );
    expect((await command(place.folder, 'migrate', 'apply', 'a', '--yes')).code).toBe(0);
    const { code, err } = await command(place.folder, 'store', 'copy', 'a', '--to', 'sqlite:c.db');
    expect([code, err]).toEqual([0, 'platform: what is retired is not in the copy, and stays where it was: shop/Likes, shop/Thing.note\n']);
  });

  test('of rows that are not at the path of their parents is refused, and so is an export; a backup says so; migrate apply mends them', async () => {
    const place = await open();
    execute(`${place.folder}/a/data/shop.db`, `UPDATE "shop/Inside" SET "__path__" = 'x'`);
    const said =
      /rows? of shop\/Inside not at the path of (its parent|their parents): x instead of path:\/\/shop\$Thing\/.*platform migrate apply mends them/;
    const copied = await command(place.folder, 'store', 'copy', 'a', '--to', 'sqlite:c.db');
    const exported = await command(place.folder, 'export', 'a', '--out', 'a-out');
    const saved = await command(place.folder, 'backup', 'saved.db', 'a');
    for (const [result, code] of [
      [copied, 1],
      [exported, 1],
      [saved, 0],
    ] as const) {
      expect([result.code, result.err]).toEqual([code, expect.stringMatching(said)]);
    }
    const mended = await command(place.folder, 'migrate', 'apply', 'a', '--yes');
    expect([mended.code, mended.out]).toEqual([0, expect.stringMatching(/shop\/Inside not at the path of .*: mended/)]);
    const again = await command(place.folder, 'store', 'copy', 'a', '--to', 'sqlite:c.db');
    expect([again.code, again.err]).toEqual([0, '']);
  });

  test('of rows that point at nothing is refused', async () => {
    const place = await open();
    execute(`${place.folder}/a/data/shop.db`, 'PRAGMA foreign_keys = OFF; DELETE FROM "shop/Node" WHERE "no" = 250');
    const { code, err } = await command(place.folder, 'store', 'copy', 'a', '--to', 'sqlite:c.db');
    expect([code, err]).toEqual([1, expect.stringMatching(/point at rows that are not there/)]);
  });
});
