// Runs for an operator who has the store: the newest ones, and one with all its steps and calls of tools, in the order in which they were made.

import type { Clock } from '../../clock.ts';
import type { EntityPlan, Plan } from '../../plan/plan.ts';
import { both, type Condition, equal, everything } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import type { StoreSettings } from '../../store/open.ts';
import { readSnapshot } from '../../store/snapshot.ts';
import type { Reader } from '../../store/store.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';

export interface InspectParts {
  readonly plan: Plan;
  readonly store: StoreSettings;
  readonly clock: Clock;
}

export interface RunFilter {
  /** Qualified. */
  readonly agent?: string | undefined;
  readonly status?: string | undefined;
  readonly user?: string | undefined;
  /** So many of the newest. */
  readonly limit: number;
}

/** A run as REST shows it, with what stands in it. */
export interface WholeRun {
  readonly run: Values;
  readonly steps: readonly { readonly step: Values; readonly calls: readonly Values[] }[];
}

/** The newest first. */
export function runsIn({ plan, store, clock }: InspectParts, { limit, ...by }: RunFilter): Promise<readonly Values[]> {
  const run = entityOf(plan, 'Run');
  const given = Object.entries(by).filter(([, value]) => value !== undefined);
  const where = given.map(([column]): Condition => equal(column)).reduce(both, everything);
  const select: Select = { ...selectOf(run, where), order: [{ column: 'id', descending: true }], limit: true };
  const values: readonly Value[] = [...given.map(([, value]) => value ?? null), limit];
  return readSnapshot({ settings: store, clock, tables: plan.tables }, async (reader) =>
    (await reader.rows(select, values)).map(({ json }) => parseStored(json)),
  );
}

export function wholeRun({ plan, store, clock }: InspectParts, id: string): Promise<WholeRun | undefined> {
  return readSnapshot({ settings: store, clock, tables: plan.tables }, (reader) => runWith(id, plan, reader));
}

export async function runWith(id: string, plan: Plan, reader: Reader): Promise<WholeRun | undefined> {
  const [run, step, call] = [entityOf(plan, 'Run'), entityOf(plan, 'Step'), entityOf(plan, 'ToolCall')];
  const found = await reader.one(selectOf(run, equal('id')), [id]);
  if (found === undefined) return undefined;
  const steps = await reader.rows({ ...selectOf(step, equal(parentColumn(step))), order: [{ column: 'no', descending: false }] }, [id]);
  const read = steps.map(async ({ json, columns: [key = null] }) => {
    const calls = await reader.rows(selectOf(call, equal(parentColumn(call))), [key]);
    return { step: parseStored(json), calls: calls.map((row) => parseStored(row.json)).toSorted(inOrder) };
  });
  return { run: parseStored(found.json), steps: await Promise.all(read) };
}

function inOrder({ no: first = null }: Values, { no: second = null }: Values): number {
  return Number(first) - Number(second);
}

function entityOf({ entities }: Plan, name: string): EntityPlan {
  const plan = entities.get(`platform.ai/${name}`);
  if (plan === undefined) throw new Error('the model was linked without runs of agents');
  return plan;
}

function selectOf({ table, output: { fields }, key }: EntityPlan, where: Condition): Select {
  return { kind: 'select', table, output: { fields, columns: [key] }, where, order: [], limit: false, offset: false };
}

function parentColumn({ parents: [contains], type }: EntityPlan): string {
  if (contains === undefined) throw new Error(`${type} stands under nothing`);
  return contains.column;
}
