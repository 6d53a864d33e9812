// What a database administrator has put on the tables of a server: found in its catalogue, and carried over to a column that takes the place of another.

import type { Table } from '../../plan/rows/table.ts';
import { refused } from '../migration/diff/refusal.ts';
import type { Executor, ExecutorRow } from '../sql/executor.ts';
import { type ForeignObject, type ForeignObjects, heldWays } from '../sql/foreign-objects.ts';
import { quote, quoteText } from '../sql/names.ts';
import { reasonOf, withoutValues } from './errors.ts';
import { ownNames } from './names.ts';

export const postgresForeignObjects: ForeignObjects = { list, quietly, replacing, remaking: (_, __, work) => work(), release };

/** The table that is the one parameter, and those of its columns that something depends on. */
const depending = `
FROM pg_catalog.pg_depend d
JOIN pg_catalog.pg_class t ON d.refclassid = 'pg_catalog.pg_class'::regclass AND t.oid = d.refobjid
JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace AND n.nspname = current_schema()
JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
LEFT JOIN pg_catalog.pg_rewrite r ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND r.oid = d.objid
LEFT JOIN pg_catalog.pg_constraint c ON d.classid = 'pg_catalog.pg_constraint'::regclass AND c.oid = d.objid
LEFT JOIN pg_catalog.pg_class i ON d.classid = 'pg_catalog.pg_class'::regclass AND i.oid = d.objid AND i.relkind IN ('i', 'I')
LEFT JOIN pg_catalog.pg_attrdef f ON d.classid = 'pg_catalog.pg_attrdef'::regclass AND f.oid = d.objid AND f.adnum <> a.attnum
WHERE t.relname = $1`;

/** From version 18 on, NOT NULL of a column is a constraint of the kind `n`: it goes with the column, and what it was is looked up there. */
const whatDepends = `
SELECT DISTINCT a.attname::text AS "column", coalesce(c.conname, i.relname, '')::text AS name,
  CASE WHEN r.rulename = '_RETURN' THEN pg_describe_object('pg_catalog.pg_class'::regclass, r.ev_class, 0)
    WHEN f.oid IS NOT NULL THEN pg_describe_object('pg_catalog.pg_class'::regclass, f.adrelid, f.adnum)
    ELSE pg_describe_object(d.classid, d.objid, 0) END AS what,
  CASE WHEN c.conrelid <> t.oid THEN 'points' WHEN c.oid IS NOT NULL OR i.oid IS NOT NULL THEN 'carried' ELSE 'reads' END AS hold
${depending} AND (r.oid IS NOT NULL OR c.oid IS NOT NULL OR i.oid IS NOT NULL OR f.oid IS NOT NULL
  OR d.classid IN ('pg_catalog.pg_policy'::regclass, 'pg_catalog.pg_trigger'::regclass))
  AND c.contype IS DISTINCT FROM 'n'
ORDER BY what`;

async function list(executor: Executor, tables: readonly Table[], all: readonly Table[]): Promise<readonly ForeignObject[]> {
  const ours = new Set(all.flatMap(ownNames));
  const found: ForeignObject[] = [];
  for (const { name: table } of tables) {
    for (const row of await executor.rows(whatDepends, [table])) {
      const hold = holds.find((each) => each === row['hold']);
      if (hold !== undefined && !ours.has(text(row, 'name')))
        found.push({ what: text(row, 'what'), table, column: text(row, 'column'), hold });
    }
  }
  return found;
}

const holds = ['carried', 'reads', 'points'] as const;

async function quietly(executor: Executor, { name }: Table, work: () => Promise<void>): Promise<void> {
  const sql = `SELECT g.tgname::text AS name, g.tgenabled::text AS state FROM pg_catalog.pg_trigger g WHERE g.tgrelid = to_regclass($1) AND NOT g.tgisinternal AND g.tgenabled <> 'D'`;
  const triggers = await executor.rows(sql, [quote(name)]);
  const switched = (how: string, row: ExecutorRow) => executor.run(`ALTER TABLE ${quote(name)} ${how} TRIGGER ${quote(text(row, 'name'))}`);
  for (const row of triggers) await switched('DISABLE', row);
  await work();
  for (const row of triggers) await switched(states.get(text(row, 'state')) ?? 'ENABLE', row);
}

const states: ReadonlyMap<string, string> = new Map([
  ['R', 'ENABLE REPLICA'],
  ['A', 'ENABLE ALWAYS'],
]);

interface Kept {
  readonly what: string;
  /** What takes it from the column that goes, and makes it on the one that comes. */
  readonly statements: readonly string[];
}

async function replacing(executor: Executor, table: Table, column: string, work: () => Promise<void>): Promise<void> {
  const kept = [
    ...(await indexesOn(executor, table, column)),
    ...(await constraintsOn(executor, table, column)),
    ...(await wordsAndRights(executor, table, column)),
  ];
  await work();
  for (const each of kept) await carry(executor, each);
}

async function carry(executor: Executor, { what, statements }: Kept): Promise<void> {
  try {
    for (const each of statements) await executor.run(each);
  } catch (thrown) {
    const reason = reasonOf(withoutValues(thrown));
    throw refused([{ what: `${what} is not the platform’s, and cannot be kept: ${reason}`, ways: heldWays }]);
  }
}

async function indexesOn(executor: Executor, table: Table, column: string): Promise<readonly Kept[]> {
  const ours = new Set(ownNames(table));
  const sql = `SELECT DISTINCT i.relname::text AS name, pg_get_indexdef(i.oid) AS made, obj_description(i.oid, 'pg_class') AS said ${depending} AND a.attname = $2 AND i.oid IS NOT NULL`;
  const rows = await executor.rows(sql, [table.name, column]);
  return rows
    .filter((row) => !ours.has(text(row, 'name')))
    .map((row) => {
      const name = quote(text(row, 'name'));
      const said = row['said'] === null ? [] : [`COMMENT ON INDEX ${name} IS ${quoteText(text(row, 'said'))}`];
      return { what: `index ${text(row, 'name')}`, statements: [`DROP INDEX ${name}`, text(row, 'made'), ...said] };
    });
}

async function constraintsOn(executor: Executor, table: Table, column: string): Promise<readonly Kept[]> {
  const ours = new Set(ownNames(table));
  const sql = `SELECT DISTINCT c.conname::text AS name, pg_get_constraintdef(c.oid) AS made ${depending} AND a.attname = $2 AND c.conrelid = t.oid AND c.contype <> 'n'`;
  const rows = await executor.rows(sql, [table.name, column]);
  return rows
    .filter((row) => !ours.has(text(row, 'name')))
    .map((row) => {
      const [altered, name] = [`ALTER TABLE ${quote(table.name)}`, quote(text(row, 'name'))];
      const statements = [`${altered} DROP CONSTRAINT ${name}`, `${altered} ADD CONSTRAINT ${name} ${text(row, 'made')}`];
      return { what: `constraint ${text(row, 'name')} of ${table.name}`, statements };
    });
}

/** The comment, the rights on the column alone, and that it must not be empty. */
async function wordsAndRights(executor: Executor, table: Table, column: string): Promise<readonly Kept[]> {
  const where = `FROM pg_catalog.pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attname = $2`;
  const place = [quote(table.name), column];
  const [row] = await executor.rows(`SELECT col_description(a.attrelid, a.attnum) AS said, a.attnotnull AS filled ${where}`, place);
  const rights = await executor.rows(
    `SELECT x.privilege_type AS may, x.is_grantable AS pass, CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END AS who FROM (SELECT (aclexplode(a.attacl)).* ${where}) x`,
    place,
  );
  const [owner, name] = [quote(table.name), quote(column)];
  const said = text(row ?? {}, 'said');
  return [
    {
      what: `the comment on ${table.name}.${column}`,
      statements: said === '' ? [] : [`COMMENT ON COLUMN ${owner}.${name} IS ${quoteText(said)}`],
    },
    {
      what: `the rights on ${table.name}.${column}`,
      statements: rights.map(
        (each) =>
          `GRANT ${text(each, 'may')} (${name}) ON ${owner} TO ${text(each, 'who')}${each['pass'] === true ? ' WITH GRANT OPTION' : ''}`,
      ),
    },
    {
      what: `NOT NULL of ${table.name}.${column}`,
      statements:
        row?.['filled'] === true && !table.primaryKey.includes(column) ? [`ALTER TABLE ${owner} ALTER COLUMN ${name} SET NOT NULL`] : [],
    },
  ].filter(({ statements }) => statements.length > 0);
}

async function release(executor: Executor, table: Table, column: string): Promise<void> {
  if (table.primaryKey.includes(column)) return;
  const sql = `SELECT 1 AS n FROM pg_catalog.pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attname = $2 AND a.attnotnull`;
  if ((await executor.rows(sql, [quote(table.name), column])).length === 0) return;
  await executor.run(`ALTER TABLE ${quote(table.name)} ALTER COLUMN ${quote(column)} DROP NOT NULL`);
}

function text(row: ExecutorRow, name: string): string {
  const value = row[name];
  return typeof value === 'string' ? value : '';
}
