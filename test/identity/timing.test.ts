// Before an answer the same is done for an account that there is and for one that there is not: the same hashing, the same work on what is
// kept. How long it takes is measured in the long form.

import { expect, onTestFinished, test, vi } from 'vitest';
import { OwnTable } from '../../src/engine/own-table.ts';
import { Outbox } from '../../src/identity/outbox.ts';
import { HashingThread } from '../../src/identity/passwords/hashing/hashing.ts';
import { Users } from '../../src/identity/users.ts';
import { serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { clientOf, mailServer, mailSettings, model, outboxEmptied } from './accounts.ts';
import { betweenRounds, cases } from './timing-pairs.ts';

const done = vi.hoisted((): string[] => []);

vi.mock(import('@node-rs/argon2'), async (original) => {
  const real = await original();
  return {
    ...real,
    hash: (secret, cost, signal) => {
      done.push(`hash ${JSON.stringify(cost)}`);
      return real.hash(secret, cost, signal);
    },
    verify: (hashed, secret, options, signal) => {
      done.push(`compare ${costIn(String(hashed))}`);
      return real.verify(hashed, secret, options, signal);
    },
  };
});

/** The part of a hash that says how it was made: `$argon2id$v=19$m=8,t=1,p=1`. */
function costIn(hashed: string): string {
  return hashed.split('$').slice(0, 4).join('$');
}

/** Notes what is called, and by what rows are looked for. */
function watch(prototype: object): void {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const method: unknown = Reflect.get(prototype, name);
    if (name === 'constructor' || typeof method !== 'function') continue;
    Object.defineProperty(prototype, name, {
      value(...given: unknown[]) {
        done.push(
          `${name} ${given.flatMap((each) => (Object.getPrototypeOf(Object(each)) === Object.prototype ? Object.keys(Object(each)) : [])).join()}`,
        );
        return Reflect.apply(method, this, given);
      },
      configurable: true,
      writable: true,
    });
    onTestFinished(() => void Object.defineProperty(prototype, name, { value: method, configurable: true, writable: true }));
  }
}

const rounds = 4;

test.each(cases)('%s is the same work for an account that there is not', async (title, hashing, pairOf) => {
  const [clock, mail] = [testClock(), await mailServer()];
  const served = await serve(model, { auth: { mail: mailSettings(mail) }, parts: { clock } });
  const pair = await pairOf({ user: clientOf(served, 'current'), mail, rounds });
  await outboxEmptied(served);
  // What is done after an answer is not waited for by who asks.
  const later = vi.spyOn(Outbox.prototype, 'wake').mockReturnValue();
  onTestFinished(() => later.mockRestore());
  for (const { prototype } of [OwnTable, Users, HashingThread]) watch(prototype);
  for (let round = 0; round < rounds; round += 1) {
    const work: (readonly string[])[] = [];
    for (const ask of pair) {
      done.length = 0;
      expect([200, 400, 401]).toContain((await ask(round)).status);
      work.push([...done]);
      clock.advance(betweenRounds(title));
    }
    const [known = [], unknown = []] = work;
    // The first of all makes rows and the hash to compare with that the others find.
    if (round === 0) continue;
    expect(unknown).toEqual(known);
    expect(known.length).toBeGreaterThan(0);
    expect(known.filter((each) => /^(hash|compare) /.test(each))).toEqual(
      hashing === 'none' ? [] : [expect.stringMatching(`^${hashing} `)],
    );
  }
});
