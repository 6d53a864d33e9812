// Passwords that are hashed and compared while many come at once: each with its own result, and those that wait below the priority of the main thread.

import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { Passwords } from '../../src/identity/passwords/passwords.ts';

function opened(): Passwords {
  const passwords = new Passwords();
  onTestFinished(() => passwords.close());
  return passwords;
}

test('many at once are each compared with their own hash; more than may wait are told to come again', async () => {
  const passwords = opened();
  const [one, other] = [await passwords.hash('password one'), await passwords.hash('password two')];
  const asked = Array.from({ length: 20 }, (_, index) => passwords.isRight('password one', [one, other, undefined][index % 3]));
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 20 }, (_, index) => index % 3 === 0));
  const many = await Promise.allSettled(Array.from({ length: 80 }, () => passwords.isRight('password two', other)));
  const refused = many.filter((each) => each.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  for (const each of refused) expect(each.reason).toMatchObject({ code: 'service-busy', details: { retryAfter: 1 } });
  for (const each of many) if (each.status === 'fulfilled') expect(each.value).toBe(true);
});

test.skipIf(process.platform !== 'linux')(
  'those that wait are compared in a thread that gives way, which ends with the service',
  async () => {
    const passwords = opened();
    const hash = await passwords.hash('password one');
    expect(nicest()).toBe(getPriority());
    const asked = Array.from({ length: 6 }, () => passwords.isRight('password one', hash));
    await asked[4];
    expect(nicest()).toBe(Math.min(19, getPriority() + 10));
    await Promise.all(asked);
    await passwords.close();
    expect(nicest()).toBe(getPriority());
  },
);

/** Of all threads of this process, as the system counts it. */
function nicest(): number {
  const fields = readdirSync('/proc/self/task').map(
    (id) => readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [],
  );
  return Math.max(...fields.map((each) => Number(each[16])));
}
