// Rights on what stands in something else: rules of its own rule it, `@inherit` gives it back to the owners above, and it is moved by its owners alone.

import { describe, expect, test } from 'vitest';
import { type Person, surfaces, world } from './people.ts';

const source = `module clinic
entity Patient { id Int @id, @rbac [(roles: [customer], allow: [create]), (roles: [vet], allow: [read])] }
entity Note { id Int @id, text String @optional, @rbac [(roles: [vet], allow: [create]), (roles: [clerk], allow: [delete]), (roles: [clerk], allow: [read])] }
entity Photo { id Int @id, text String @optional, @rbac [] }
entity Wish { id Int @id, text String @optional }
entity Line { id Int @id, text String @optional }
relationship PatientNote contains(Patient, Note) @rbac [(roles: [vet], allow: [create])]
relationship PatientPhoto contains(Patient, Photo) @inherit
relationship PatientWish contains(Patient, Wish)
relationship NoteLine contains(Note, Line)
`;

describe.each(surfaces)('on the %s surface', (surface) => {
  const made = surface === 'current' ? 201 : 200;

  async function staged() {
    const opened = await world(source, surface);
    const [ann, bob, vet] = [await opened.join('ann', 'customer'), await opened.join('bob', 'customer'), await opened.join('vet', 'vet')];
    const clerk = await opened.join('clerk', 'clerk', 'vet', 'customer');
    expect((await ann.create('/clinic/Patient', { id: 1 })).status).toBe(made);
    expect((await bob.create('/clinic/Patient', { id: 2 })).status).toBe(made);
    expect((await clerk.create('/clinic/Patient', { id: 3 })).status).toBe(made);
    return { ...opened, ann, bob, vet, clerk };
  }

  const seen = async (person: Person, ...paths: readonly string[]): Promise<readonly number[]> => {
    const statuses: number[] = [];
    for (const path of paths) statuses.push((await person.read(path)).status);
    return statuses;
  };

  test('owners of a parent own what has no rules of its own, and what inherits; what has rules is ruled by these and its own owners', async () => {
    const { ann, bob, vet, admin } = await staged();
    expect((await vet.create('/clinic/Patient/1/PatientNote/Note', { id: 1, text: 'x' })).status).toBe(made);
    expect((await vet.create('/clinic/Patient/1/PatientNote/Note/1/NoteLine/Line', { id: 1 })).status).toBe(made);
    expect((await admin.create('/clinic/Patient/1/PatientPhoto/Photo', { id: 1 })).status).toBe(made);
    expect((await ann.create('/clinic/Patient/1/PatientWish/Wish', { id: 1 })).status).toBe(made);
    const all = ['/clinic/Note/1', '/clinic/Line/1', '/clinic/Photo/1', '/clinic/Wish/1'];
    expect(await seen(vet, ...all)).toEqual([200, 200, 404, 404]);
    expect(await seen(ann, ...all)).toEqual([404, 404, 200, 200]);
    expect(await seen(bob, ...all)).toEqual([404, 404, 404, 404]);
    expect((await ann.change('/clinic/Photo/1', { text: 'y' })).status).toBe(200);
    expect((await ann.change('/clinic/Note/1', { text: 'y' })).status).toBe(404);
    // Nor is the owner above one who may hand it on.
    const about = { resource: 'clinic/Note', resourceId: 'path://clinic$Patient/1/clinic$PatientNote/clinic$Note/1', assignee: ann.email };
    expect([403, 404]).toContain((await ann.assign('OwnershipAssignment', about)).status);
    expect((await admin.assign('OwnershipAssignment', about)).status).toBe(made);
    expect(await seen(ann, ...all)).toEqual([200, 200, 200, 200]);
  });

  test('to create a child takes the right to create its type, and the parent', async () => {
    const { ann, vet, bob } = await staged();
    const note = (person: Person, patient: number, id: number) =>
      person.create(`/clinic/Patient/${patient}/PatientNote/Note`, { id }).then(({ status }) => status);
    // The owner of the parent has no rule; the vet has one, and the relationship's in place of the parent.
    expect(await note(ann, 1, 5)).toBe(403);
    expect(await note(vet, 1, 5)).toBe(made);
    expect(await note(bob, 1, 6)).toBe(404);
    // What inherits is owned, and no right to create comes with that.
    expect((await ann.create('/clinic/Patient/1/PatientPhoto/Photo', { id: 5 })).status).toBe(403);
    expect((await ann.create('/clinic/Patient/1/PatientWish/Wish', { id: 5 })).status).toBe(made);
    expect((await vet.create('/clinic/Patient/1/PatientWish/Wish', { id: 6 })).status).toBe(403);
  });

  test('who may delete a child does not move it below a parent of their own, and its owner does', async () => {
    const { ann, vet, clerk, admin } = await staged();
    await vet.create('/clinic/Patient/1/PatientNote/Note', { id: 1, text: 'x' });
    await vet.create('/clinic/Patient/1/PatientNote/Note/1/NoteLine/Line', { id: 1 });
    const to = (patient: number) => ({ '@parent': `path://clinic$Patient/${patient}` });
    expect(await seen(clerk, '/clinic/Note/1', '/clinic/Line/1')).toEqual([200, 404]);
    expect((await clerk.change('/clinic/Note/1', to(3))).status).toBe(403);
    const grant = { resource: 'clinic/Line', resourceId: '', assignee: clerk.email, actions: ['read', 'delete'] };
    expect(
      (
        await admin.assign('InstancePrivilegeAssignment', {
          ...grant,
          resource: 'clinic/Note',
          resourceId: 'path://clinic$Patient/1/clinic$PatientNote/clinic$Note/1',
          actions: ['*'],
        })
      ).status,
    ).toBe(made);
    expect((await clerk.change('/clinic/Note/1', to(3))).status).toBe(403);
    expect(await seen(clerk, '/clinic/Note/1', '/clinic/Line/1')).toEqual([200, 404]);
    expect((await ann.change('/clinic/Note/1', to(1))).status).toBe(404);
    // Its owner, and everything below it goes along.
    expect((await vet.change('/clinic/Note/1', to(3))).status).toBe(200);
    expect(await seen(vet, '/clinic/Note/1', '/clinic/Line/1')).toEqual([200, 200]);
    expect((await admin.change('/clinic/Note/1', to(2))).status).toBe(200);
  });

  test('to own it is not enough to move it where one may not create it, and with the parent the rights from above change', async () => {
    const { ann, bob, clerk, vet, admin } = await staged();
    expect((await ann.create('/clinic/Patient', { id: 4 })).status).toBe(made);
    await vet.create('/clinic/Patient/1/PatientNote/Note', { id: 1 });
    await admin.create('/clinic/Patient/1/PatientPhoto/Photo', { id: 1 });
    await ann.create('/clinic/Patient/1/PatientWish/Wish', { id: 1 });
    const to = (patient: number) => ({ '@parent': `path://clinic$Patient/${patient}` });
    const about = { resource: 'clinic/Note', resourceId: 'path://clinic$Patient/1/clinic$PatientNote/clinic$Note/1', assignee: ann.email };
    expect((await admin.assign('OwnershipAssignment', about)).status).toBe(made);
    // She owns both, and has no rule to create one.
    expect((await ann.change('/clinic/Note/1', to(4))).status).toBe(403);
    expect((await ann.change('/clinic/Photo/1', to(4))).status).toBe(403);
    // What has no rules is created by who owns the parent.
    expect((await bob.change('/clinic/Wish/1', to(2))).status).toBe(404);
    expect((await ann.change('/clinic/Wish/1', to(2))).status).toBe(422);
    expect((await ann.change('/clinic/Wish/1', to(4))).status).toBe(200);
    // She made the wish, and the photo was hers through the patient alone.
    for (const each of ['Wish', 'Photo']) expect((await admin.change(`/clinic/${each}/1`, to(3))).status).toBe(200);
    expect(await seen(ann, '/clinic/Wish/1', '/clinic/Photo/1')).toEqual([200, 404]);
    expect(await seen(clerk, '/clinic/Wish/1', '/clinic/Photo/1')).toEqual([200, 200]);
  });
});
