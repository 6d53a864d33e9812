// Whose turn it is where more requests are there than one round of the event loop should work on.

import { expect, test } from 'vitest';
import { Turns } from '../../src/http/server/turns.ts';

/** Who comes first, and which client it is. */
type Waiting = readonly [comesFirst: boolean, client: string, name: string];

/** The names in the order in which they began. */
async function begun(waiting: readonly Waiting[]): Promise<readonly string[]> {
  const turns = new Turns(() => 0);
  const names: string[] = [];
  await new Promise<void>((resolve) => {
    for (const [comesFirst, client, name] of waiting)
      turns.wait(comesFirst, client, () => {
        names.push(name);
        if (names.length === waiting.length) resolve();
      });
  });
  return names;
}

const cases: readonly [title: string, waiting: readonly Waiting[], expected: string][] = [
  [
    'those of one client begin in the order in which they came',
    [
      [false, 'a', 'a1'],
      [false, 'a', 'a2'],
      [false, 'a', 'a3'],
    ],
    'a1 a2 a3',
  ],
  [
    'clients have their turns one after the other, however much one of them asks for',
    [
      [false, 'a', 'a1'],
      [false, 'a', 'a2'],
      [false, 'a', 'a3'],
      [false, 'b', 'b1'],
      [false, 'c', 'c1'],
    ],
    'a1 b1 c1 a2 a3',
  ],
  [
    'who comes first begins before those who were there earlier',
    [
      [false, 'a', 'a1'],
      [false, 'a', 'a2'],
      [true, 'b', 'b1'],
      [true, 'a', 'a3'],
    ],
    'b1 a3 a1 a2',
  ],
  [
    'nobody is kept off for ever by those who come first',
    [...Array.from({ length: 9 }, (_, at): Waiting => [true, 'a', `a${at + 1}`]), [false, 'b', 'b1']],
    'a1 a2 a3 a4 a5 a6 a7 b1 a8 a9',
  ],
];

for (const [title, waiting, expected] of cases) {
  test(title, async () => {
    expect((await begun(waiting)).join(' ')).toBe(expected);
  });
}

test('when the time of a round is over, the next one begins in another round; who comes first has time of their own', async () => {
  let time = 0;
  const turns = new Turns(() => time);
  expect(turns.isOpen(false)).toBe(true);
  time += 5;
  expect([turns.isOpen(false), turns.isOpen(true)]).toEqual([false, true]);
  time += 5;
  expect(turns.isOpen(true)).toBe(false);
  await new Promise((resolve) => setImmediate(resolve));
  expect([turns.isOpen(false), turns.isOpen(true)]).toEqual([true, true]);
});

test('while somebody waits, nobody who came later gets past him', async () => {
  const turns = new Turns(() => 0);
  const done = new Promise<void>((resolve) => turns.wait(false, 'a', resolve));
  expect([turns.isOpen(false), turns.isOpen(true)]).toEqual([false, true]);
  await done;
  expect(turns.isOpen(false)).toBe(true);
});

test('while connections come, those who come first begin and the others wait, for some rounds and not for ever', async () => {
  const turns = new Turns(() => 0);
  const names: string[] = [];
  const begin = (name: string) => () => void names.push(name);
  let rounds = 0;
  turns.wait(false, 'a', begin('other'));
  turns.wait(true, 'b', begin('first'));
  while (names.length < 2) {
    turns.arrived();
    rounds += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(names).toEqual(['first', 'other']);
  expect(rounds).toBeGreaterThan(8);
});
