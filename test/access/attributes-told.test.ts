// What a workflow that runs as the system gives back: without the attributes that who has set it off may not read, also where their own workflow goes on with it.

import { expect, test } from 'vitest';
import { world } from './people.ts';

const open = '@rbac [(roles: [user], allow: [create])]';
const model = `module m
entity Pay { id Int @id, name String, amount Int @rbac [(roles: [boss], allow: [read, update])], @rbac [(roles: [user], allow: [read])] }
@runAs(system) workflow all ${open} { {Pay? {}, @orderBy(id)} }
@runAs(system) workflow first ${open} { {Pay {id? 1}} @as [one]; one }
@runAs(system) workflow total ${open} { {Pay? {}, @into {sum @sum(Pay.amount)}} }
@runAs(system) workflow own ${open} { {mine {}} }
@runAs(caller) workflow mine { {Pay? {}, @orderBy(id)} }
workflow passed { {all {}} }
workflow amounts { {all {}} @as found; for each in found { each.amount } }
workflow named { {first {}} @as one; {"name": one.name, "amount": one.amount} }
`;

test('what is returned has no attributes that the caller may not read, and what is computed from all rows is seen', async () => {
  const { join, admin } = await world(model);
  const [ann, ben] = [await join('ann', 'user'), await join('ben', 'user', 'boss')];
  for (const id of [1, 2]) await admin.create('/m/Pay', { id, name: `n${id}`, amount: id * 100 });
  const hidden = [1, 2].map((id) => ({ id, name: `n${id}` }));
  const whole = hidden.map((each) => ({ ...each, amount: each.id * 100 }));
  const asked = async (who: typeof ann, event: string) => (await who.create(`/m/${event}`, {})).body;
  for (const event of ['all', 'own', 'passed']) {
    expect(await asked(ann, event), event).toEqual(hidden);
    expect(await asked(ben, event), event).toEqual(whole);
  }
  expect(await asked(ann, 'first')).toEqual(hidden[0]);
  expect(JSON.stringify(await asked(ann, 'amounts'))).not.toMatch(/100|200/);
  expect(JSON.stringify(await asked(ann, 'named'))).not.toMatch(/100/);
  expect(await asked(ben, 'amounts')).toEqual([100, 200]);
  expect(await asked(ann, 'total')).toEqual([{ sum: 300 }]);
});
