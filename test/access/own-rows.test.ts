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
`;
/** Enough for a plan: on PostgreSQL no table is scanned that need not be, however small. */
const count = counted({ long: 2000, short: 300 });

test.each(['Note', 'Page'])('own rows of %s are listed by indexes, among those of others', async (type) => {
  const { join, admin, served } = await world(model);
  const ann = await join('ann', 'writer');
  const notes = Array.from({ length: count }, (_, id) => ({ id: id + 10, NotePage: [{ id: 1 }] }));
  for (let at = 0; at < count; at += 500) await admin.create('/m/Note', notes.slice(at, at + 500));
  await ann.create('/m/Note', { id: 1, NotePage: [{ id: 1 }] });
  expect(instances(await ann.read(`/m/${type}`))).toHaveLength(1);
  const plan = compile(modelOf(model, undefined, ['auth', 'rbac']));
  const entity = plan.entities.get(`m/${type}`);
  const own = plan.access?.rights.get(`m/${type}`)?.read.bySet;
  if (entity === undefined || own === undefined) throw new Error(`own rows of ${type} are not found by keys`);
  const isPostgres = served.kept.settings.type === 'postgres';
  const { sql, parameters } = compileShape({ ...entity.shapes.byKey, where: own }, isPostgres ? postgresDialect : sqliteDialect);
  const literals = parameters.map(({ origin, constant }) => `'${origin === 'constant' ? String(constant) : ann.email}'`);
  if (!isPostgres) {
    const details = (await served.kept.rows(`EXPLAIN QUERY PLAN ${sql}`)).map((each) => String(each['detail']));
    expect(
      details.filter((each) => new RegExp(`^SCAN "?m/${type}`).test(each)),
      details.join('\n'),
    ).toEqual([]);
    return;
  }
  await served.kept.rows('ANALYZE');
  const text = sql.replace(/\$(\d+)/g, (_, number) => literals[Number(number) - 1] ?? '');
  const lines = (await served.kept.rows(`SET enable_seqscan = off; EXPLAIN ${text}`)).map((each) => String(each['QUERY PLAN']));
  expect(
    lines.filter((each) => each.includes(`Seq Scan on "m/${type}"`)),
    lines.join('\n'),
  ).toEqual([]);
});
