// The list of what a user owns is found by what they own: the database looks at no other row of the type.

import { expect, test } from 'vitest';
import { compile } from '../../src/plan/compile.ts';
import { postgresDialect } from '../../src/store/postgres/dialect.ts';
import { compileShape } from '../../src/store/sql/statements.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import { modelOf } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { instances, world } from './people.ts';

const model = `module m
entity Note { id Int @id, text String @optional, @rbac [(roles: [writer], allow: [create])] }
entity Page { id Int @id }
relationship NotePage contains(Note, Page)
entity Folder { id Int @id, @rbac [(roles: [writer], allow: [create])] }
relationship Sub contains(Folder @as Outer, Folder @as Inner) @inherit
`;
/** Enough for a plan: on PostgreSQL no table is scanned that need not be, however small. */
const count = counted({ long: 2000, short: 300 });

const owners = 'platform.rbac/OwnershipAssignment';
const grants = 'platform.rbac/InstancePrivilegeAssignment';

test.each([
  ['m/Note', 1],
  ['m/Page', 1],
  ['m/Folder', 2],
  // Of the note, the page and the two folders, and of nothing that others made.
  [owners, 4],
  [grants, 1],
])('own rows of %s are listed by indexes, among those of others', async (type, own) => {
  const { join, admin, served } = await world(model);
  const ann = await join('ann', 'writer');
  const notes = Array.from({ length: count }, (_, id) => ({ id: id + 10, NotePage: [{ id: 1 }] }));
  for (let at = 0; at < count; at += 500) await admin.create('/m/Note', notes.slice(at, at + 500));
  const folders = Array.from({ length: count }, (_, id) => ({ id: id + 10 }));
  for (let at = 0; at < count; at += 500) await admin.create('/m/Folder', folders.slice(at, at + 500));
  await ann.create('/m/Note', { id: 1, NotePage: [{ id: 1 }] });
  await ann.create('/m/Folder', { id: 1, Sub: [{ id: 2 }] });
  const toRead = (resource: string, resourceId: string, assignee: string) => ({ resource, resourceId, assignee, actions: ['read'] });
  await admin.assign(
    'InstancePrivilegeAssignment',
    folders.map(({ id }) => toRead('m/Folder', String(id), admin.email)),
  );
  await ann.assign('InstancePrivilegeAssignment', toRead('m/Page', 'path://m$Note/1/m$NotePage/m$Page/1', admin.email));
  expect(instances(await ann.read(`/${type}`))).toHaveLength(own);
  const plan = compile(modelOf(model, undefined, ['auth', 'rbac']));
  const entity = plan.entities.get(type);
  const found = plan.access?.rights.get(type)?.read.bySet;
  if (entity === undefined || found === undefined) throw new Error(`own rows of ${type} are not found by keys`);
  const isPostgres = served.kept.settings.type === 'postgres';
  const { sql, parameters } = compileShape({ ...entity.shapes.byKey, where: found }, isPostgres ? postgresDialect : sqliteDialect);
  const literals = parameters.map(({ origin, constant }) => `'${origin === 'constant' ? String(constant) : ann.email}'`);
  if (!isPostgres) {
    const details = (await served.kept.rows(`EXPLAIN QUERY PLAN ${sql}`)).map((each) => String(each['detail']));
    expect(
      details.filter((each) => new RegExp(`^SCAN "?${type}`).test(each)),
      details.join('\n'),
    ).toEqual([]);
    return;
  }
  await served.kept.rows('ANALYZE');
  const text = sql.replace(/\$(\d+)/g, (_, number) => literals[Number(number) - 1] ?? '');
  const lines = (await served.kept.rows(`SET enable_seqscan = off; EXPLAIN ${text}`)).map((each) => String(each['QUERY PLAN']));
  expect(
    lines.filter((each) => each.includes(`Seq Scan on "${type}"`)),
    lines.join('\n'),
  ).toEqual([]);
});
