// Whom instances belong to: the instances that a chain of ownership leads to, their owners, and what owners have granted.

import { keyText } from '../engine/address/address.ts';
import type { Located } from '../engine/row.ts';
import type { AccessPlan, OwnerStep } from '../plan/access/right.ts';
import type { EntityPlan, LinkPlan, Plan } from '../plan/plan.ts';
import { both, equal } from '../plan/query/condition.ts';
import type { Select } from '../plan/query/shape.ts';
import { targetColumn } from '../plan/rows/assignments.ts';
import type { Table } from '../plan/rows/table.ts';
import type { Reader } from '../store/store.ts';
import { parseStored } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';
import { locatedByKey } from './ways.ts';

export interface Owned {
  readonly located: Located;
  readonly owners: readonly string[];
}

export interface Grant {
  readonly assignee: string;
  readonly actions: readonly string[];
}

/** So many of each are shown. */
const most = 20;

interface Sources {
  readonly plan: Plan;
  readonly access: AccessPlan;
  readonly reader: Reader;
}

/** The instances at the end of a chain that begins at an instance, with their owners. */
export async function ownedAlong(chain: readonly OwnerStep[], start: Located, sources: Sources): Promise<readonly Owned[]> {
  let found: readonly Located[] = [start];
  for (const step of chain) {
    const next: Located[] = [];
    for (const each of found) next.push(...(await follow(step, each, sources)));
    found = next.slice(0, most);
  }
  const owned: Owned[] = [];
  for (const located of found) owned.push({ located, owners: await ownersOf(located, sources) });
  return owned;
}

async function ownersOf(located: Located, { access, reader }: Sources): Promise<readonly string[]> {
  const rows = await reader.rows(assigned(access.owners, ['assignee']), [keyText(located), most]);
  return rows.map(({ json }) => String(parseStored(json)['assignee'] ?? '')).toSorted();
}

export async function grantsTo(user: string, located: Located, { access, reader }: Omit<Sources, 'plan'>): Promise<readonly Grant[]> {
  const select = assigned(access.grants, ['assignee', 'actions']);
  const rows = await reader.rows({ ...select, where: both(select.where, equal('assignee')) }, [keyText(located), user, most]);
  return rows.map(({ json }) => {
    const { assignee, actions } = parseStored(json);
    return { assignee: String(assignee ?? ''), actions: Array.isArray(actions) ? actions.map(String) : [] };
  });
}

function assigned({ table }: EntityPlan, names: readonly string[]): Select {
  return columnsBy(table, targetColumn, names);
}

function columnsBy(table: Table, column: string, names: readonly string[]): Select {
  const fields = names.map((name) => ({ kind: 'column', name, column: name }) as const);
  return { kind: 'select', table, output: { fields, columns: names }, where: equal(column), order: [], limit: true, offset: false };
}

async function follow(step: OwnerStep, from: Located, sources: Sources): Promise<readonly Located[]> {
  switch (step.kind) {
    case 'contains':
      return (await parentsOf(from, sources)).filter(({ plan }) => plan.type === step.parent);
    case 'above':
      return (await allAbove(from, sources)).filter(({ plan }) => step.types.includes(plan.type));
    default:
      return linkedTo(sources.plan.links.get(step.relationship), step.to, from, sources);
  }
}

async function parentsOf({ plan, key }: Located, { reader }: Sources): Promise<readonly Located[]> {
  if (plan.kind === 'link' || plan.parents.length === 0) return [];
  const columns = plan.parents.map(({ column }) => column);
  const [row] = await reader.rows({ ...columnsBy(plan.table, plan.key, columns), output: { fields: [], columns } }, [key, 1]);
  const found: Located[] = [];
  for (const [index, { parent }] of plan.parents.entries()) {
    const held = row?.columns[index] ?? null;
    const located = held === null ? undefined : await locatedByKey(parent, held, reader);
    if (located !== undefined) found.push(located);
  }
  return found;
}

async function allAbove(from: Located, sources: Sources): Promise<readonly Located[]> {
  const parents = await parentsOf(from, sources);
  const above: Located[] = [];
  for (const each of parents) above.push(each, ...(await allAbove(each, sources)));
  return above;
}

async function linkedTo(link: LinkPlan | undefined, type: string, from: Located, { reader }: Sources): Promise<readonly Located[]> {
  const { assign } = link?.between ?? {};
  const [start, end] = [assign?.from, assign?.to].map((name) => link?.ends.find(({ attribute }) => attribute === name));
  if (link === undefined || start === undefined || end === undefined || end.entity.type !== type) return [];
  const select = { ...columnsBy(link.table, start.column, [end.column]), output: { fields: [], columns: [end.column] } };
  const found: Located[] = [];
  for (const { columns } of await reader.rows(select, [from.key, most])) {
    const key: Value = columns[0] ?? null;
    const located = await locatedByKey(end.entity, key, reader);
    if (located !== undefined) found.push(located);
  }
  return found;
}
