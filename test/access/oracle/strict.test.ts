// Each condition of the rules by itself: who is next to being allowed, and is not; and admins, who may where they own nothing.

import { describe, expect, test } from 'vitest';
import { accessGuard } from '../../../src/access/access.ts';
import { anonymous, type Caller } from '../../../src/engine/caller.ts';
import { openGuard } from '../../../src/engine/seams.ts';
import { allOf, anyOf } from '../../../src/plan/access/right.ts';
import { compile } from '../../../src/plan/compile.ts';
import { type Condition, everything, nothing } from '../../../src/plan/query/condition.ts';
import { modelOf } from '../../support/app.ts';
import { statuses, world } from '../people.ts';

const source = `module m
entity Post { id Int @id, @rbac [(roles: [user], allow: [create]), (roles: [reader], allow: [read])] }
entity Tag { id Int @id, @rbac [(roles: [user], allow: [create]), (roles: [reader], allow: [read])] }
entity Team { id Int @id, @rbac [(roles: [user], allow: [create])] }
entity Note { id Int @id, by String @optional, @rbac [(roles: [noter], allow: [create]), (roles: [own], allow: [create], where: auth.user = this.by)] }
entity Page { id Int @id }
relationship TeamPost between(Team, Post) @assign(Team -> Post)
relationship PostTag between(Post, Tag)
relationship PostNote contains(Post, Note) { @rbac [(roles: [poster], allow: [create])] }
relationship PostPage contains(Post, Page)
`;

describe('on the current surface', () => {
  test('an owner by a link assigns what the link gives, and nothing else', async () => {
    const { join, admin } = await world(source);
    const [ann, ben, eve] = [await join('ann', 'user', 'reader'), await join('ben', 'user'), await join('eve')];
    expect(
      await statuses(
        () => ann.create('/m/Team', { id: 1 }),
        () => ben.create('/m/Post', { id: 1, PostPage: [{ id: 1 }] }),
        () => ben.create('/m/Post', { id: 2, PostPage: [{ id: 1 }] }),
        () => ben.create('/m/Tag', { id: 1 }),
        () => admin.create('/m/TeamPost', { Team: 1, Post: 1 }),
      ),
    ).toEqual([201, 201, 201, 201, 201]);
    const grant =
      (person: typeof ann, resource: string, resourceId: string, more: object = {}) =>
      () =>
        person.assign('InstancePrivilegeAssignment', { resource, resourceId, assignee: eve.email, actions: ['read'], ...more });
    const own = (person: typeof ann, resourceId: string, assignee: string) => () =>
      person.assign('OwnershipAssignment', { resource: 'm/Post', resourceId, assignee });
    expect(
      await statuses(
        grant(ann, 'm/Post', '1'),
        grant(ann, 'm/Page', 'path://m$Post/1/m$PostPage/m$Page/1'),
        grant(ann, 'm/Post', '2'),
        grant(ann, 'm/Tag', '1'),
        own(ann, '2', ann.email),
        own(ann, '2', eve.email),
        own(ann, '1', eve.email),
        () => eve.change('/m/Post/1', {}),
        () => eve.change('/m/Post/2', {}),
      ),
    ).toEqual([201, 201, 403, 403, 403, 403, 201, 200, 404]);
  });

  test('an admin assigns, links and unlinks what others own', async () => {
    const { join, admin } = await world(source);
    const [ann, ben] = [await join('ann', 'user'), await join('ben', 'user')];
    await ann.create('/m/Post', { id: 1 });
    await ben.create('/m/Tag', { id: 1 });
    const about = { resource: 'm/Post', resourceId: '1', assignee: ben.email };
    const made = await admin.create('/m/PostTag', { Post: 1, Tag: 1 });
    const grant = await admin.assign('InstancePrivilegeAssignment', { ...about, actions: ['read'] });
    expect([made.status, grant.status]).toEqual([201, 201]);
    const [link, id] = [made, grant].map(({ body }) => String(Reflect.get(Object(body), 'id') ?? Reflect.get(Object(body), '__Id__')));
    expect(
      await statuses(
        () => ben.read('/m/Post/1'),
        () => admin.remove(admin.at('InstancePrivilegeAssignment', id)),
        () => ben.read('/m/Post/1'),
        () => admin.assign('OwnershipAssignment', about),
        () => ben.change('/m/Post/1', {}),
        () => admin.remove(`/m/PostTag/${link}`),
      ),
    ).toEqual([200, 200, 404, 201, 200, 200]);
  });

  test('a child is made by a role under a parent of others where the relationship and the child both allow it', async () => {
    const { join } = await world(source);
    const roles = { both: ['poster', 'noter'], outer: ['poster'], inner: ['noter'], own: ['poster', 'own'] } as const;
    const ann = await join('ann', 'user');
    await ann.create('/m/Post', { id: 1 });
    for (const [name, given] of Object.entries(roles)) {
      const person = await join(name, 'reader', ...given);
      const notes = '/m/Post/1/PostNote/Note';
      const isMade = name === 'both';
      expect(
        await statuses(
          () => person.create(notes, { id: given.length }),
          () => person.create(notes, { id: 10 + name.length, by: person.email }),
          () => person.create('/m/Post/1/PostPage/Page', { id: 1 }),
        ),
        name,
      ).toEqual([isMade ? 201 : 403, isMade || name === 'own' ? 201 : 403, 403]);
    }
  });
});

describe('the guard', () => {
  const plan = compile(modelOf(source, undefined, ['auth', 'rbac']));
  const [post, { access }] = [plan.entities.get('m/Post'), plan];
  if (post === undefined || access === undefined) throw new Error('the model has access control');
  const guard = accessGuard(access, openGuard);
  const user = (...roles: readonly string[]): Caller => ({ kind: 'user', id: 'an-id', email: 'a@example.com', roles, token: undefined });

  test('on the current surface, who is not signed in reads nothing and writes nothing', () => {
    expect(guard.rows('read', post, anonymous)).toMatchObject({ allowed: true, condition: { kind: 'not', condition: { kind: 'all' } } });
    for (const action of ['create', 'update', 'delete'] as const)
      expect(guard.rows(action, post, anonymous), action).toMatchObject({ allowed: false });
  });

  test('on the current surface, what one way allows with every row needs no further question, nor what can never be', () => {
    const some: Condition = { kind: 'compare', column: 'id', operator: 'eq' };
    expect([anyOf([some, everything]), anyOf([some, nothing]), allOf([some, nothing]), allOf([some, everything])]).toEqual([
      everything,
      some,
      nothing,
      some,
    ]);
  });

  test('on the current surface, lists are found by what the caller has, unless a role shows all of them', () => {
    expect(guard.rows('read', post, user())).toHaveProperty('bySet');
    expect(guard.rows('read', post, user('reader'))).not.toHaveProperty('bySet');
    expect(guard.rows('read', post, user('admin'))).not.toHaveProperty('bySet');
    expect(guard.rows('update', post, user())).not.toHaveProperty('bySet');
  });
});
