// Two instances on one database: what a profile, a row on a path or an address becomes at one of them holds for the next request at both.

import { describe, expect, onTestFinished, test } from 'vitest';
import { open } from '../../support/app.ts';
import { isOnServer } from '../../support/form.ts';
import { type Person, personOf, withAccess, world } from '../people.ts';

const model = `module m
entity Staff { id Int @id, email Email, clinic Int, @profile(email) }
entity Animal { id Int @id, keeper Email @indexed }
entity File { id Int @id, clinic Int @indexed, @rbac [(roles: [user], allow: [read], where: auth.Staff.clinic = this.clinic)] }
entity Visit { id Int @id, animal Int @ref(Animal.id), @rbac [(roles: [user], allow: [read], where: this.animal.keeper = auth.user)] }
`;

describe.skipIf(!isOnServer)('with two instances', () => {
  test('a changed profile, and a changed row on a path, hold for the next request at both', async () => {
    const { served, admin, invite } = await world(model);
    const { settings } = served.kept;
    if (settings.type !== 'postgres') throw new Error('not on the server');
    const other = await open(model, { ...withAccess('current'), store: settings });
    onTestFinished(() => other.close());
    const ann = await invite('ann', 'user');
    const both: readonly Person[] = [ann, personOf(other, 'current', ann.email, ann.headers)];
    await admin.create('/m/Staff', { id: 1, email: ann.email, clinic: 7 });
    await admin.create('/m/Animal', { id: 1, keeper: ann.email });
    await admin.create('/m/File', [
      { id: 1, clinic: 7 },
      { id: 2, clinic: 8 },
    ]);
    await admin.create('/m/Visit', { id: 1, animal: 1 });
    const seen = async (): Promise<readonly (readonly number[])[]> => {
      const all: number[][] = [];
      for (const each of both) {
        const statuses: number[] = [];
        for (const path of ['/m/File/1', '/m/File/2', '/m/Visit/1']) statuses.push((await each.read(path)).status);
        all.push(statuses);
      }
      return all;
    };
    expect(await seen()).toEqual([
      [200, 404, 200],
      [200, 404, 200],
    ]);
    await admin.change('/m/Staff/1', { clinic: 8 });
    expect(await seen()).toEqual([
      [404, 200, 200],
      [404, 200, 200],
    ]);
    await admin.change('/m/Animal/1', { keeper: 'bob@example.com' });
    expect(await seen()).toEqual([
      [404, 200, 404],
      [404, 200, 404],
    ]);
    await admin.remove('/m/Staff/1');
    expect(await seen()).toEqual([
      [404, 404, 404],
      [404, 404, 404],
    ]);
  });
});
