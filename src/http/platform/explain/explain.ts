// What an event does, step by step, and how a list is read: the statements that are asked of the store, and how they get at their rows. Known from the plan
// alone: nothing is asked of the store.

import { updateOf } from '../../../engine/shape-cache.ts';
import type { Affected, Dependents } from '../../../plan/computed/dependents.ts';
import { conditionOf } from '../../../plan/flow/conditions.ts';
import { wholeEffects } from '../../../plan/flow/effects.ts';
import type { Action, Find, FlowProgram, FlowStep, JoinAction, NestedStep } from '../../../plan/flow/flow.ts';
import { triggerKey } from '../../../plan/flow/flow.ts';
import type { Plan, RowPlan, Step } from '../../../plan/plan.ts';
import { both, type Condition } from '../../../plan/query/condition.ts';
import type { Delete, JoinQuery, Select, Shape, Update } from '../../../plan/query/shape.ts';
import { positionOf } from '../../../source.ts';
import type { StoreSettings } from '../../../store/open.ts';
import { postgresDialect } from '../../../store/postgres/dialect.ts';
import type { Dialect } from '../../../store/sql/dialect.ts';
import { compilePage, compileShape } from '../../../store/sql/statements.ts';
import { sqliteDialect } from '../../../store/sqlite/dialect.ts';
import type { ExplainedStep, Explanation } from '../description.ts';
import { readsOf } from './reads.ts';

/** What a person asks about: the statements are those of the store that the project is configured for, which is not asked. */
interface Explained {
  readonly plan: Plan;
  readonly store: StoreSettings;
  /** Where the instances hang that a nested pattern finds. */
  readonly below?: Condition;
}

export function explanation(flow: FlowProgram, explained: Explained): Explanation {
  const { plan, store } = explained;
  const { writes, waits } = wholeEffects(flow, plan.dataflows);
  const kind = writes
    ? `one transaction that writes${waits ? ', and waits for something outside the store while it has the writer' : ''}`
    : 'only reads';
  return { summary: `${kind}; statements for ${databaseOf(store)}`, steps: explainedSteps(flow.steps, '', explained) };
}

/** The statement of a list, and how it gets at its rows. */
export function listExplanation(shape: Select, store: StoreSettings): { readonly summary: string; readonly lines: readonly string[] } {
  return {
    summary: `only reads; a statement for ${databaseOf(store)}`,
    lines: [compilePage(shape, dialects[store.type]).sql, ...readsOf(shape, true).map((line) => `- ${line}`)],
  };
}

function databaseOf(store: StoreSettings): string {
  return store.type === 'postgres' ? 'PostgreSQL' : 'SQLite';
}

function explainedSteps(steps: readonly FlowStep[], prefix: string, explained: Explained): readonly ExplainedStep[] {
  return steps.map((step, index) => {
    const { source, start, end } = step.span;
    const text = source.text.slice(start, end).replace(/\s+/g, ' ');
    const number = `${prefix}${index + 1}`;
    return {
      number,
      text: text.length > 100 ? `${text.slice(0, 99)}…` : text,
      file: source.file,
      line: positionOf(step.span).line,
      lines: actionLines(step.action, explained),
      steps: explainedSteps(innerSteps(step), `${number}.`, explained),
    };
  });
}

/** What a step holds: bodies of loops and branches, handlers. */
function innerSteps({ action, empty, then, catches, throws }: FlowStep): readonly FlowStep[] {
  const handlers = [...(empty === undefined ? [] : [empty]), ...[...catches, ...throws].map((each) => each.step), ...(then ?? [])];
  switch (action.kind) {
    case 'for':
      return [action.source, ...action.body, ...handlers];
    case 'if':
      return [...action.then, ...(action.otherwise ?? []), ...handlers];
    case 'match':
      return [...action.cases.flatMap((each) => each.body), ...(action.otherwise ?? []), ...handlers];
    case 'block':
      return [...action.steps, ...handlers];
    case 'return':
      return [action.step, ...handlers];
    case 'later':
      return [action.body, ...(action.done ?? []), ...action.handlers.map((each) => each.step), ...handlers];
    case 'rethrow':
      return [action.after, ...handlers];
    default:
      return handlers;
  }
}

function actionLines(action: Action, explained: Explained): readonly string[] {
  const { plan, store } = explained;
  switch (action.kind) {
    case 'create':
      return [
        ...(action.upsert ? ['first looks for it by its identifier, else by what is unique, and changes it where it is there'] : []),
        ...triggerLines('create', action.plan, plan),
        sql(action.plan.shapes.insert, store),
        ...computedWith(action.plan, plan, madeWith),
        ...action.nested.flatMap((each) => nestedLines(each, explained)),
      ];
    case 'find':
      return findLines(action, explained);
    case 'change':
      return [...findLines(action.find, explained), ...triggerLines('update', action.find.plan, plan), ...changeLines(action, explained)];
    case 'change-alias':
      return [`changes what ${action.target.join('.')} holds, by its key: of which type that is shows when it runs`];
    case 'remove':
      return [
        ...findLines(action.find, explained),
        ...triggerLines('delete', action.find.plan, plan),
        ...asked(action.find.plan.shapes.remove, store),
        ...computedWith(action.find.plan, plan, ({ ownerPaths }) => ownerPaths.flatMap((each) => each.rows)),
      ];
    case 'report':
      return reportLines(action, store);
    case 'path':
      return [
        ...findLines(action.start, explained),
        ...action.further.flatMap(({ step, find }) => findLines(find, { ...explained, below: belowOf(step) })),
      ];
    case 'query':
      return ['asks what its value says: the statement is made when it runs'];
    case 'call':
      return [`runs ${action.event} in the same transaction`];
    case 'handle':
      return ['is done by the service itself'];
    case 'later':
      return ['runs after the commit, in a transaction of its own'];
    case 'unavailable':
      return [`${action.what} is not in this version`];
    default:
      return [];
  }
}

function triggerLines(operation: 'create' | 'update' | 'delete', { type }: RowPlan, { dataflows }: Plan): readonly string[] {
  return (['before', 'after'] as const).flatMap((when) =>
    (dataflows.triggers.get(triggerKey(when, operation, type)) ?? []).map(
      (each) => `${when} it: ${each.flow.name}${each.async ? ', after the commit' : ''}`,
    ),
  );
}

function findLines(find: Find, explained: Explained): readonly string[] {
  const { plan: row, order } = find;
  const filters = find.tests.some((each) => each.kind === 'filter')
    ? ['then decides on the rows that were read: a condition is computed']
    : [];
  const shape: Select = {
    kind: 'select',
    table: row.table,
    output: row.output,
    where: explained.below === undefined ? conditionOf(find.tests) : both(explained.below, conditionOf(find.tests)),
    order,
    limit: true,
    offset: find.offset !== undefined,
  };
  const lines = asked(find.key === undefined ? shape : row.shapes.byKey, explained.store, find.limit !== undefined && filters.length === 0);
  return [...lines, ...filters, ...find.nested.flatMap((each) => nestedLines(each, explained))];
}

function nestedLines(nested: NestedStep, explained: Explained): readonly string[] {
  const reads = nested.step.kind === 'contains' ? 'one statement for all of them' : 'two statements for all of them';
  return [
    `with ${nested.relationship.local}: ${reads}`,
    ...nested.actions.flatMap((each) => actionLines(each, { ...explained, below: belowOf(nested.step) })).map((line) => `  ${line}`),
  ];
}

/** What lies below instances is found by their keys, or by those that the links name. */
function belowOf(step: Step): Condition {
  const column = step.kind === 'contains' ? step.contains.column : step.target.key;
  return { kind: 'compare', column, operator: 'in', count: 1 };
}

function reportLines(action: JoinAction, store: StoreSettings): readonly string[] {
  const joins = action.joins.map(({ side, table, tests }) => ({ side, table, on: conditionOf(tests) }));
  const shape: JoinQuery = { ...action.shape, joins, where: conditionOf(action.tests) };
  const apart = action.apart === undefined ? [] : ['then decides, groups and sorts the rows that were read: something is computed'];
  const instances = action.instances ? [`then reads the instances of ${action.shape.table.name} by their keys`] : [];
  return [...asked(shape, store, action.limit !== undefined && apart.length === 0), ...apart, ...instances];
}

function changeLines({ find, sets }: Extract<Action, { kind: 'change' }>, { plan, store }: Explained): readonly string[] {
  const changed = sets.flatMap(({ name }) => find.plan.attribute.get(name) ?? []);
  const names = [...changed, ...find.plan.computed].map(({ name }) => name);
  return [
    ...asked(updateOf(find.plan, [...new Set([...changed, ...find.plan.computed])], false), store),
    ...computedWith(find.plan, plan, ({ own, ownerPaths }) => [
      ...own.filter(({ attribute }) => names.some((name) => attribute.siblings.has(name))),
      ...ownerPaths.flatMap(({ byAttribute }) => names.flatMap((name) => byAttribute.get(name) ?? [])),
    ]),
  ];
}

function madeWith({ own, ownerPaths }: Dependents): readonly Affected[] {
  return [...own, ...ownerPaths.flatMap((each) => (each.linked ? [] : each.rows))];
}

/** Attributes that are computed from other instances, and follow from the write. */
function computedWith(
  row: RowPlan,
  { relatedComputed }: Plan,
  affected: (dependents: Dependents) => readonly Affected[],
): readonly string[] {
  const dependents = relatedComputed?.dependents.get(row.type);
  const names = new Set(
    (dependents === undefined ? [] : affected(dependents)).map(({ group, attribute }) => `${group.plan.type}.${attribute.plan.name}`),
  );
  return names.size === 0 ? [] : [`then computes ${[...names].join(', ')} anew, and what builds on it`];
}

/** The statement, and how it gets at its rows. */
function asked(shape: Select | Update | Delete | JoinQuery, store: StoreSettings, isCut = false): readonly string[] {
  return [sql(shape, store), ...readsOf(shape, isCut).map((line) => `- ${line}`)];
}

function sql(shape: Shape, store: StoreSettings): string {
  return compileShape(shape, dialects[store.type]).sql;
}

const dialects: Readonly<Record<StoreSettings['type'], Dialect>> = { sqlite: sqliteDialect, postgres: postgresDialect };
