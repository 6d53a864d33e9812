// Attributes that a workflow may not ask for: those that its caller can read of no row. Of single rows they are absent, in what is asked too.

import { attributeDenied } from '../../errors.ts';
import type { Find, JoinAction, Test } from '../../plan/flow/flow.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Awaitable } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { allowedWith, attributeRules, attributesFor, mayEverRead } from '../instances/seen.ts';
import type { Rights, Transaction } from '../operation.ts';
import type { Completed, Fields, Run } from './state.ts';

export function refuseHiddenIn({ plan, tests, order }: Find, rights: Rights): void {
  if (plan.ruled.length === 0 || attributeRules(plan, rights) === undefined) return;
  for (const column of [...tests.flatMap(columnsIn), ...order]) refuseColumn(plan, column.column, rights);
}

/** What rows are joined, sorted, grouped and put together by; what is only shown of them is absent. */
export function refuseHiddenInJoin({ sources, joins, tests, shape, apart }: JoinAction, rights: Rights): void {
  if (sources.every((plan) => plan.ruled.length === 0)) return;
  const outputs = [...shape.outputs, ...(apart?.results ?? [])];
  const asked: readonly AskedColumn[] = [
    ...[...tests, ...joins.flatMap((each) => each.tests)].flatMap(columnsIn),
    ...outputs.flatMap((each) => (each.kind === 'aggregate' ? (each.of ?? []) : [])),
    ...[...shape.order, ...shape.groupBy, ...(apart?.groupBy ?? []), ...(apart?.order ?? [])].flatMap((each) => {
      const term = each.kind === 'output' ? outputs.find(({ name }) => name === each.name) : each;
      return term?.kind === 'column' ? term : [];
    }),
  ];
  for (const { source = 0, column } of asked) {
    const plan = sources[source];
    if (plan !== undefined) refuseColumn(plan, column, rights);
  }
}

interface AskedColumn {
  readonly source?: number;
  readonly column: string;
}

function refuseColumn(plan: EntityPlan | LinkPlan, column: string, rights: Rights): void {
  const ruled = plan.ruled.find((each) => each.column === column);
  if (ruled !== undefined && !mayEverRead(plan, ruled.name, rights)) throw attributeDenied('read', plan.type, ruled.name);
}

function columnsIn(test: Test): readonly AskedColumn[] {
  switch (test.kind) {
    case 'compare':
      return [test.column];
    case 'columns':
      return [test.left, test.right];
    case 'and':
    case 'or':
      return test.tests.flatMap(columnsIn);
    case 'not':
      return columnsIn(test.test);
    case 'search':
      return test.search.columns.map((column) => ({ source: 0, column }));
    default:
      return [];
  }
}

/**
 * What a flow gives back that saw everything, as whoever runs it may see it: of each instance in it, attributes that they may not read are absent. What it
 * has read as `viewer` is so already.
 */
export function withoutHidden(done: Completed, { reading, budget }: Run, viewer: Rights): Awaitable<Completed> {
  if (reading.guard === viewer.guard || attributesFor(viewer) === undefined) return done;
  return hiddenAway(done, { ...viewer, tx: reading.tx }, budget);
}

async function hiddenAway(done: Completed, viewer: Rights & Transaction, { origins }: Run['budget']): Promise<Completed> {
  const { value, created } = done;
  const found = new Map<EntityPlan | LinkPlan, Map<Value, Fields[]>>();
  const visit = (each: Value): void => {
    if (Array.isArray(each)) for (const item of each) visit(item);
    else if (isFields(each)) {
      const origin = origins.get(each);
      if (origin?.kind === 'instance' && attributeRules(origin.plan, viewer) !== undefined) {
        const ofPlan = found.get(origin.plan) ?? new Map<Value, Fields[]>();
        found.set(origin.plan, ofPlan.set(origin.located.key, [...(ofPlan.get(origin.located.key) ?? []), each]));
      }
      for (const inner of Object.values(each)) visit(inner);
    }
  };
  visit(value);
  for (const [plan, instances] of found)
    for (const [key, all] of instances) {
      const asked = plan.ruled.map(({ name }) => ({ operation: 'read', name }) as const);
      const may = await allowedWith(plan, key, asked, viewer);
      for (const each of all) for (const { name } of asked) if (!may.has(`read ${name}`)) delete each[name];
    }
  return { value, created };
}

function isFields(value: Value): value is Fields {
  return isObject(value);
}
