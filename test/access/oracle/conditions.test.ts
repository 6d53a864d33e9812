// Conditions of rules on their rows: compared with the caller and with what stands in the model, joined by and and or.

import { describe, expect, test } from 'vitest';
import type { Project } from '../../support/app.ts';
import { instances, type Surface, surfaces, world } from '../people.ts';

/** A condition in both syntaxes, and which rows of the table it shows to ann. */
const conditions = [
  ['auth.user = this.boss', '[:= :boss :auth.user]', [1, 2]],
  ['this.boss != auth.user', '[:<> :boss :auth.user]', [3, 4, 5, 6]],
  ['this.boss == auth.user and this.kind == "a"', '[:and [:= :boss :auth.user] [:= :kind "a"]]', [1]],
  ['auth.user = this.boss and this.kind != "a"', '[:and [:= :boss :auth.user] [:<> :kind "a"]]', [2]],
  ['this.boss == auth.user or this.kind == "a"', '[:or [:= :boss :auth.user] [:= :kind "a"]]', [1, 2, 3, 5]],
  [
    'this.kind == "b" and (auth.user = this.boss or auth.user = this.second)',
    '[:and [:= :kind "b"] [:or [:= :boss :auth.user] [:= :second :auth.user]]]',
    [2, 4],
  ],
  ['this.kind == "b"', '[:= :kind "b"]', [2, 4, 6]],
] as const;

const rows = [
  { id: 1, boss: 'ann@example.com', kind: 'a', second: 'bob@example.com' },
  { id: 2, boss: 'ann@example.com', kind: 'b', second: 'bob@example.com' },
  { id: 3, boss: 'bob@example.com', kind: 'a', second: 'ann@example.com' },
  { id: 4, boss: 'bob@example.com', kind: 'b', second: 'ann@example.com' },
  { id: 5, boss: 'cid@example.com', kind: 'a', second: 'cid@example.com' },
  { id: 6, boss: 'cid@example.com', kind: 'b', second: 'cid@example.com' },
];

function project(surface: Surface): Project {
  const name = (at: number): string => `E${at}`;
  if (surface === 'current')
    return `module m\n${conditions
      .map(
        ([where], at) =>
          `entity ${name(at)} { id Int @id, boss String, kind String, second String, @rbac [(roles: [user], allow: [read, update], where: ${where})] }`,
      )
      .join('\n')}`;
  const entities = conditions.map(
    ([, where], at) =>
      `(entity :m/${name(at)} {:id {:type :Int :guid true} :boss :String :kind :String :second :String
  :rbac [{:roles ["user"] :allow [:read :update] :where ${where}}]})`,
  );
  return { 'core.platform': `(component :m)\n${entities.join('\n')}` };
}

describe.each(surfaces)('on the %s surface', (surface) => {
  test('a rule allows the rows for which its condition holds, to those in its role', async () => {
    const { admin, join } = await world(project(surface), surface);
    const [ann, eve] = [await join('ann', 'user'), await join('eve')];
    for (const [at, [where, , shown]] of conditions.entries()) {
      const made = await admin.create(`/m/E${at}`, rows);
      if (made.status >= 300) throw new Error(made.text);
      expect(
        instances(await ann.read(`/m/E${at}`)).map(({ id }) => id),
        where,
      ).toEqual(shown);
      expect(instances(await eve.read(`/m/E${at}`)), where).toEqual([]);
      for (const { id, second } of rows) {
        const isShown = shown.some((each) => each === id);
        expect((await ann.read(`/m/E${at}/${id}`)).status, `${where} ${id}`).toBe(isShown ? 200 : 404);
        expect((await ann.change(`/m/E${at}/${id}`, { second })).status, `${where} ${id}`).toBe(isShown ? 200 : 404);
        expect((await eve.read(`/m/E${at}/${id}`)).status, `${where} ${id}`).toBe(404);
      }
    }
  });
});
