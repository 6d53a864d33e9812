// Every kind of statement, each with a condition on documents in it: which of them it then finds.

import { expect } from 'vitest';
import type { EntityPlan, LinkWay, Plan } from '../../src/plan/plan.ts';
import { both, type Condition, equal, everything } from '../../src/plan/query/condition.ts';
import { existsAlong } from '../../src/plan/query/exists.ts';
import { relatedBy } from '../../src/plan/query/related.ts';
import type { Field, JoinQuery, Related, Select } from '../../src/plan/query/shape.ts';
import { versionColumn } from '../../src/plan/rows/tables.ts';
import type { Row, Writer } from '../../src/store/store.ts';
import { all, is, type Named, tagLinks, way } from './condition-cases.ts';

interface Asked {
  readonly condition: Condition;
  readonly plan: Plan;
  readonly of: Named;
  readonly tx: Writer;
}

/** Each gives the documents for which the condition holds. Values of the statement's own stand around it, where they can. */
export const statements: Readonly<Record<string, (asked: Asked) => Promise<readonly number[]>>> = {
  'a list': async ({ condition, of, tx }) => ids(await tx.rows(selecting(of('Doc'), condition), [])),
  'a list with filters around it': async ({ condition, of, tx }) => {
    const around: Condition = { kind: 'and', conditions: [greater('size'), condition, less('size')] };
    return ids(await tx.rows(selecting(of('Doc'), around), [0, 1000]));
  },
  'a page with a limit and an offset': async ({ condition, of, tx }) => {
    const select: Select = { ...selecting(of('Doc'), both(greater('size'), condition)), limit: true, offset: true };
    const pages = [await tx.page(select, [0, 2, 0]), await tx.page(select, [0, 10, 2])];
    return pages.flatMap(({ json }) => JSON.parse(`[${json}]`).map((each: { id: number }) => each.id));
  },
  'a page behind a cursor': async ({ condition, of, tx }) => {
    const order = [
      { column: 'owner', descending: true },
      { column: of('Doc').key, descending: false },
    ];
    const select: Select = {
      ...selecting(of('Doc'), condition),
      order,
      output: { ...whole(of('Doc')), columns: ['owner', of('Doc').key] },
    };
    const first = await tx.page({ ...select, limit: true }, [3]);
    if (first.count < 3) return pageIds(first.json);
    const after: Condition = { kind: 'after', order, nulls: first.last.map((each) => each === null) };
    const rest = await tx.page({ ...select, where: both(condition, after), limit: true }, [...first.last, 10]);
    return [...pageIds(first.json), ...pageIds(rest.json)];
  },
  'a count of each': ({ condition, of, tx }) =>
    thoseOf(async (id) => (await tx.count(selecting(of('Doc'), both(equal('id'), condition)), [id])) === 1),
  'a read by the key': ({ condition, of, tx }) =>
    thoseOf(async (id) => (await tx.one({ ...selecting(of('Doc'), both(condition, equal('id'))), lock: 'change' }, [id])) !== undefined),
  'an include': async ({ condition, of, tx }) =>
    within(await tx.rows(selecting(of('Dept'), greater('id'), [included(of('Dept'), 'DeptDoc', whole(of('Doc')).fields, condition)]), [0])),
  'an include at the third level': async ({ condition, of, tx }) => {
    const docs = included(of('Dept'), 'DeptDoc', whole(of('Doc')).fields, condition);
    const departments = included(of('Org'), 'OrgDept', [docs], everything);
    return within(await tx.rows(selecting(of('Org'), greater('id'), [departments]), [0]));
  },
  'an include of what includes others by the same condition': async ({ condition, of, tx }) => {
    const docs = included(of('Dept'), 'DeptDoc', whole(of('Doc')).fields, condition);
    const parent = included(of('Doc'), 'DeptDoc', [docs], everything);
    const rows = await tx.page({ ...selecting(of('Doc'), condition, [parent]), limit: true }, [100]);
    const found: readonly { DeptDoc: { DeptDoc: readonly { id: number }[] } }[] = JSON.parse(`[${rows.json}]`);
    return [...new Set(found.flatMap((each) => each.DeptDoc.DeptDoc.map(({ id }) => id)))];
  },
  'an include through links': async ({ condition, of, tx }) => {
    const tags = ids(await tx.rows(selecting(of('Doc'), everything, [included(of('Doc'), 'DocTag', [], everything)]), []));
    const docs = included(of('Tag'), 'DocTag', whole(of('Doc')).fields, condition);
    const rows = within(await tx.rows(selecting(of('Tag'), everything, [docs]), []));
    // Those without any tag are seen by no include of a tag.
    const untagged = tags.filter((id) => !tagLinks.some(([doc]) => doc === id));
    const direct = ids(await tx.rows(selecting(of('Doc'), both(is('id', ...untagged), condition)), []));
    return [...new Set([...rows, ...direct])];
  },
  'the column that a link stands for': async ({ condition, of, plan, tx }) => {
    const { table, ends } = linkWay(plan, of).link;
    const [end] = ends;
    if (end.lookup === undefined) throw new Error('documents stand under others');
    const field: Field = {
      kind: 'lookup',
      name: 'id',
      column: end.column,
      table: of('Doc').table,
      key: of('Doc').key,
      outputs: ['id'],
      where: condition,
    };
    const rows = await tx.rows({ ...selecting(of('Doc'), everything), table, output: { fields: [field], columns: [] }, order: [] }, []);
    const linked = rows.map((row): number | null => JSON.parse(row.json).id);
    const others = all.filter((id) => !tagLinks.some(([doc]) => doc === id));
    return [
      ...new Set([
        ...linked.flatMap((id) => id ?? []),
        ...ids(await tx.rows(selecting(of('Doc'), both(is('id', ...others), condition)), [])),
      ]),
    ];
  },
  'a join, of the first table': async ({ condition, of, tx }) => joined(tx, of, { where: { kind: 'row', source: 0, condition } }),
  'a join, of the second table': async ({ condition, of, tx }) => {
    const on = both(sameRow, { kind: 'row', source: 1, condition });
    return joined(tx, of, { on, source: 1 });
  },
  'an outer join': async ({ condition, of, tx }) =>
    joined(tx, of, { on: both(sameRow, { kind: 'row', source: 1, condition }), side: 'left', source: 1 }),
  'an aggregate': async ({ condition, of, tx }) => {
    const report: JoinQuery = {
      ...reporting(of('Doc')),
      outputs: [
        { kind: 'column', name: 'id', source: 0, column: 'id' },
        { kind: 'aggregate', name: 'n', function: 'count', of: undefined },
      ],
      where: both(greater('size'), condition),
      groupBy: [{ kind: 'column', source: 0, column: 'id' }],
    };
    return ids(await tx.report(report, [0]));
  },
  'an update': async ({ condition, of, tx }) => {
    const { table, key } = of('Doc');
    const where = both(greater('size'), condition);
    const update = {
      kind: 'update',
      table,
      columns: ['status', versionColumn],
      version: versionColumn,
      where,
      output: whole(of('Doc')),
      inOrder: key,
    } as const;
    return ids(await tx.update(update, ['seen', 7, 0]));
  },
  'a delete': async ({ condition, of, tx }) => {
    // What contains others is not deleted by itself.
    const empty: Condition = { kind: 'not', condition: existsAlong(way(of('Doc'), 'DocNote'), of('Doc').key, everything) };
    const kept = ids(await tx.rows(selecting(of('Doc'), both({ kind: 'not', condition: empty }, condition)), []));
    const where: Condition = { kind: 'and', conditions: [greater('size'), condition, empty] };
    const gone = await tx.delete({ kind: 'delete', table: of('Doc').table, where }, [0]);
    const left = ids(await tx.rows(selecting(of('Doc'), everything), []));
    expect(gone).toBe(all.length - left.length);
    return all.filter((id) => !left.includes(id) || kept.includes(id));
  },
  'a question about other rows': async ({ condition, of, tx }) => {
    const parents = existsAlong(
      way(of('Dept'), 'DeptDoc'),
      of('Dept').key,
      both({ kind: 'compare', column: 'id', operator: 'eq' }, condition),
    );
    return thoseOf(async (id) => (await tx.rows(selecting(of('Dept'), parents), [id])).length === 1);
  },
};

export const greater = (column: string): Condition => ({ kind: 'compare', column, operator: 'gt' });
const less = (column: string): Condition => ({ kind: 'compare', column, operator: 'lt' });

function linkWay(plan: Plan, of: Named): LinkWay {
  const found = way(of('Doc'), 'DocTag');
  if (found.kind !== 'link' || !plan.links.has('m/DocTag')) throw new Error('DocTag is a link');
  return found;
}

export function whole({ output }: EntityPlan): { readonly fields: readonly Field[]; readonly columns: readonly string[] } {
  return { fields: output.fields, columns: [] };
}

export function selecting(plan: EntityPlan, where: Condition, more: readonly Field[] = []): Select {
  const output = { fields: [...plan.output.fields, ...more], columns: [plan.key] };
  return {
    kind: 'select',
    table: plan.table,
    output,
    where,
    order: [{ column: plan.key, descending: false }],
    limit: false,
    offset: false,
  };
}

export function included(plan: EntityPlan, name: string, fields: readonly Field[], where: Condition): Field {
  const related: Related = { ...relatedBy(way(plan, name), plan.key, fields), where };
  return { kind: 'related', name, related };
}

const sameRow: Condition = { kind: 'columns', left: { column: 'id', source: 0 }, operator: 'eq', right: { column: 'id', source: 1 } };

function reporting({ table }: EntityPlan): JoinQuery {
  return {
    kind: 'report',
    table,
    joins: [],
    outputs: [],
    where: everything,
    groupBy: [],
    order: [],
    distinct: false,
    limit: false,
    offset: false,
  };
}

interface Joined {
  readonly on?: Condition;
  readonly where?: Condition;
  readonly side?: 'inner' | 'left';
  readonly source?: number;
}

/** The documents joined with themselves. */
async function joined(
  tx: Writer,
  of: Named,
  { on = sameRow, where = everything, side = 'inner', source = 0 }: Joined,
): Promise<readonly number[]> {
  const filter: Condition = { kind: 'compare', column: 'size', source: 0, operator: 'gt' };
  const report: JoinQuery = {
    ...reporting(of('Doc')),
    joins: [{ side, table: of('Doc').table, on }],
    outputs: [{ kind: 'column', name: 'id', source, column: 'id' }],
    where: both(filter, where),
  };
  return ids(await tx.report(report, [0]));
}

export function ids(rows: readonly Row[]): readonly number[] {
  return rows.flatMap((row): readonly number[] => JSON.parse(row.json).id ?? []);
}

function pageIds(json: string): readonly number[] {
  return JSON.parse(`[${json}]`).map((each: { id: number }) => each.id);
}

/** The documents anywhere in the answers. */
function within(rows: readonly Row[]): readonly number[] {
  const found: number[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    else if (typeof value === 'object' && value !== null) {
      if ('audience' in value && 'id' in value) found.push(Number(value.id));
      for (const each of Object.values(value)) visit(each);
    }
  };
  for (const row of rows) visit(JSON.parse(row.json));
  return [...new Set(found)];
}

async function thoseOf(holds: (id: number) => Promise<boolean>): Promise<readonly number[]> {
  const found: number[] = [];
  for (const id of all) if (await holds(id)) found.push(id);
  return found;
}
