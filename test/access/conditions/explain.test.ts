// `platform access explain` shows what a condition compared: the attributes of the row, and what the user's own instances hold.

import { expect, test } from 'vitest';
import { commandedAt } from '../command.ts';
import { world } from '../people.ts';

const model = `module m
entity Clinic { id Int @id }
entity Staff { id Int @id, email Email, clinic Int, @profile(email) }
entity Animal { id Int @id, clinic Int @ref(Clinic.id), keeper String @indexed }
entity Visit { id Int @id, animal Int @ref(Animal.id), day Date @optional,
  @rbac [
    (roles: [vet], allow: [read], where: not (auth.Staff.clinic != this.animal.clinic) and this.day is null),
    (roles: [vet], allow: [read], where: this.animal.keeper in [auth.id, "all"] or this.day between ["2020-01-01", today()])
  ] }
`;

test('what is compared is shown, and that there is no profile', async () => {
  const { served, admin, invite } = await world(model);
  const [ann, bob] = [await invite('ann', 'vet'), await invite('bob', 'vet')];
  await admin.create('/m/Clinic', { id: 7 });
  await admin.create('/m/Staff', { id: 1, email: ann.email, clinic: 7 });
  await admin.create('/m/Animal', { id: 1, clinic: 7, keeper: 'x' });
  await admin.create('/m/Visit', { id: 1, animal: 1 });
  const { run } = commandedAt(model, served);
  const explained = async (user: string): Promise<string> =>
    (await run('access', 'explain', '--user', user, '--op', 'read', '--on', '/m/Visit/1')).out;
  const first = 'not (auth.Staff.clinic != this.animal.clinic) and this.day is null';
  const second = 'this.animal.keeper in [auth.id, "all"] or this.day between ["2020-01-01", today()]';
  const ofRow = 'this.animal is 1, this.day is null';
  expect(await explained(ann.email)).toContain(`✓ ${first} (${ofRow}, auth.Staff.clinic is 7)`);
  expect(await explained(ann.email)).toContain(`✗ ${second} (${ofRow})`);
  expect(await explained(bob.email)).toContain(`✗ ${first} (${ofRow}, the user has no Staff)`);
});
