// A migration is one transaction: whichever of its statements fails, the tables, the rows and what is written about them stay as they were.

import { expect, test } from 'vitest';
import { physicalTable } from '../../src/store/migration/diff/schema.ts';
import { applyMigration } from '../../src/store/migration/migration.ts';
import { readHistory, readSchema } from '../../src/store/migration/state.ts';
import type { SchemaSession } from '../../src/store/sql/ddl.ts';
import type { Executor } from '../../src/store/sql/executor.ts';
import { sampled } from '../support/form.ts';
import { asBefore, evolutions, first, rows } from './changes.ts';
import { database, tablesOf } from './evolve.ts';

const titles = [
  'contains becomes between',
  'between becomes contains',
  'the identifier changes its type',
  'an entity with children',
  'an entity at the end',
];

for (const { title, next, answers = [] } of evolutions.filter((each) => titles.some((start) => each.title.startsWith(start)))) {
  test(`${title}: a statement that fails changes nothing`, async () => {
    const data = database();
    await data.serve(first, rows);
    const before = await data.schema(contents);
    const statements = await data.schema((session) => failAt(session, Number.POSITIVE_INFINITY, next));
    expect(statements).toBeGreaterThan(5);
    const positions = Array.from({ length: statements }, (_, index) => index);
    for (const at of sampled(positions, 3)) {
      await data.schema((session) => failAt(session, at, next));
      expect([at, await data.schema(contents)]).toEqual([at, before]);
    }
    await data.serve(first, asBefore);
    await data.apply(next);
    await data.serve(next, answers);
  });
}

/** How many statements it ran before the one that failed; the commit fails in any case, so that nothing is ever kept. */
async function failAt(session: SchemaSession, at: number, next: string): Promise<number> {
  let count = 0;
  const controls = new Set([...session.ddl.begin, ...session.ddl.commit, ...session.ddl.rollback]);
  const executor: Executor = {
    rows: (sql, parameters) => session.executor.rows(sql, parameters),
    run(sql, parameters) {
      if (sql === session.ddl.commit[0]) throw new Error('stop');
      if (controls.has(sql)) return session.executor.run(sql, parameters);
      if (count === at) throw new Error('stop');
      count += 1;
      return session.executor.run(sql, parameters);
    },
  };
  await expect(applyMigration({ ...session, executor }, tablesOf(next), {})).rejects.toThrow('stop');
  return count;
}

/** Everything that is stored, with the schema and the history. */
async function contents(session: SchemaSession): Promise<unknown> {
  const schema = await readSchema(session);
  const names = [...schema.tables.map((each) => physicalTable(each).name), ...schema.retired.map((each) => each.stored)];
  const rowsOf: unknown[] = [];
  for (const name of names)
    rowsOf.push([name, (await session.executor.rows(`SELECT * FROM "${name}"`)).map((row) => JSON.stringify(row, plain)).sort()]);
  return { schema, history: await readHistory(session), rows: rowsOf };
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
