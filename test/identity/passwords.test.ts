// Passwords that are hashed and compared while many come at once: each with its own result, and those that wait in a thread.

import type { Worker } from 'node:worker_threads';
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

test('those that wait are compared in a thread, which ends with the service', async () => {
  const started: Worker[] = [];
  const note = (worker: Worker): void => void started.push(worker);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  const passwords = opened();
  const hash = await passwords.hash('password one');
  expect(started).toHaveLength(0);
  await Promise.all(Array.from({ length: 6 }, () => passwords.isRight('password one', hash)));
  expect(started.length).toBeGreaterThan(0);
  await passwords.close();
  // What has ended has no number any more.
  expect(started.map(({ threadId }) => threadId)).toEqual(started.map(() => -1));
});
