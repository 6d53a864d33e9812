// What a stream of changes asks of rows: those of a list or one instance, with the caller's rights, as statements over rows that come along.

import { error, isError } from '../../errors.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { both, type Condition, equal, everything, type OrderTerm } from '../../plan/query/condition.ts';
import { conditionKey, keyOfCondition } from '../../plan/query/condition-key.ts';
import { noFilter } from '../../plan/query/filter.ts';
import { outputKey, outputOf, type Selection, showsNoOthers } from '../../plan/query/selection.ts';
import type { JoinQuery, Select } from '../../plan/query/shape.ts';
import { targetColumn } from '../../plan/rows/assignments.ts';
import type { Table } from '../../plan/rows/table.ts';
import { versionColumn } from '../../plan/rows/tables.ts';
import { imageTable, usersTable } from '../../store/changes/images.ts';
import type { Recorded } from '../../store/changes/tables.ts';
import { numberColumn } from '../../store/sql/supplied-rows.ts';
import { tablesIn } from '../../store/supplied-store.ts';
import type { Value } from '../../values/value.ts';
import { locateExisting } from '../address/address.ts';
import { inTransaction } from '../context.ts';
import { listedRange } from '../crud/list.ts';
import type { Range } from '../crud/range.ts';
import { judge } from '../execute.ts';
import { listedRows, rowCondition, visibleRows } from '../instances/guard.ts';
import { reachExisting } from '../instances/readable.ts';
import { attributeRules, seenBy } from '../instances/seen.ts';
import type { Address, Context, ListQuery, Operation } from '../operation.ts';
import { cacheShape } from '../shape-cache.ts';
import { forEachUser } from './each-user.ts';

export type WatchedOperation = Extract<Operation, { kind: 'list' | 'read' }>;

export interface Watch {
  readonly plan: EntityPlan | LinkPlan;
  /** What the instances were asked for under. */
  readonly parent: Address | undefined;
  /** Its own table first, then those whose rows decide which of its rows are among the watched ones. */
  readonly sources: readonly Table[];
  /** The same, with what nobody is shown of them. */
  readonly recorded: readonly Recorded[];
  readonly visibilityTables: readonly VisibilityTable[];
  /** Whether all rows of the type are watched, by somebody who may read all of them. */
  readonly isEverything: boolean;
  /** Whether an instance is told in the same words to all of whom that holds: nothing in it depends on who asks, or on what they ask with. */
  readonly isShared: boolean;
  /** Rows that come along → those that are watched: their number and key, and the instance as the surface shows it. */
  readonly changed: Select;
  readonly changedValues: readonly Value[];
  /** Rows that come along → what names each of them. */
  readonly identity: Select;
  /** The same of a stored row, by its key. */
  readonly identityByKey: Select;
  /** Keys of the watched rows that are stored, at most as many as its last value says. */
  readonly keys: Select;
  /** The watched rows themselves, behind a key, in its order. */
  readonly present: (after: Value | undefined) => Select;
  /** Rows and users who come along → which user may read which row, by their numbers; absent where that cannot be asked for many at once. */
  readonly viewers: JoinQuery | undefined;
  readonly viewersKey: string;
  /** Rows that come along, as everybody is shown them who may read them; absent where that depends on who asks, or on more than columns of the row. */
  readonly rendered: RenderedRows | undefined;
  /** Rows that come along → what each goes by for the caller, whether or not it is watched; absent where nothing of it is hidden. */
  readonly seenVersions: Select | undefined;
  readonly values: readonly Value[];
  readonly included: readonly Value[];
}

export interface RenderedRows {
  /** Their number, and the columns that are asked for. */
  readonly select: Select;
  /** What these columns must hold in a row that is watched, as texts. */
  readonly wanted: readonly string[];
}

/** A table whose rows decide. Of those that say who owns what, only rows for the caller about instances of some types do. */
export interface VisibilityTable {
  readonly table: Table;
  readonly resources: ReadonlySet<string> | undefined;
}

/** Refuses what the caller may not read at all, and an instance that does not exist for them. */
export async function watchOf(operation: WatchedOperation, context: Context): Promise<Watch> {
  judge(operation, context);
  const { plan, under } = operation.kind === 'list' ? operation.at : operation.at.in;
  const guard = rowCondition('read', plan, context);
  const range = await context.store.read((tx) => rangeOf(operation, inTransaction(context, tx)));
  const listed = guard.condition.kind === 'all' ? everything : listedRows(plan, context);
  const selects = selectsOf(range, guard.condition, listed, context);
  const hiding = (selects.changed.masks ?? []).flatMap((each) => each.conditions);
  const rules: Condition = hiding.length === 0 ? guard.condition : { kind: 'and', conditions: [guard.condition, ...hiding] };
  // What is listed is found by other tables in another way, and is the same.
  const deciding = tablesIn(both(range.where, rules));
  const asked = new Set(tablesIn(range.where));
  if ([plan.table, ...deciding].some((each) => context.external?.supplies(each, false) === true))
    throw error('query-invalid', { detail: 'What a resolver keeps cannot be watched.' });
  const sources = [
    plan.table,
    ...[...deciding, ...tablesIn(listed)].filter((each, at, all) => each !== plan.table && all.indexOf(each) === at),
  ];
  const isEverything = range.where.kind === 'all' && rules.kind === 'all';
  return {
    plan,
    parent: under?.parent,
    sources,
    recorded: sources.map((table) => ({ table, hidden: hiddenIn(table, context) })),
    visibilityTables: deciding.map((table) => ({
      table,
      resources: asked.has(table) || table === plan.table || !isAssignments(table) ? undefined : resourcesIn(rules),
    })),
    isEverything,
    isShared: isEverything && showsNoOthers(plan, range.query.selection, visibleRows(context)),
    ...selects,
    values: range.values,
    changedValues: [...range.values, ...range.included],
    included: range.included,
  };
}

/** Whether what the watched instances were asked for under may be read still; of one that was deleted, what goes with it is told. */
export async function isParentReadable(parent: Address, context: Context): Promise<boolean> {
  return context.store.read(
    async (tx) => (await exists(reachExisting(parent, tx, context))) || !(await exists(locateExisting(parent, tx))),
  );
}

async function exists(located: Promise<unknown>): Promise<boolean> {
  try {
    await located;
    return true;
  } catch (thrown) {
    if (isError(thrown, 'instance-not-found')) return false;
    throw thrown;
  }
}

/** No filter and no rule asks for these, and no answer shows them. */
function hiddenIn({ name }: Table, { plan: { entities, links } }: Context): ReadonlySet<string> {
  const own = [...entities.values(), ...links.values()].find(({ table }) => table.name === name);
  return new Set(own?.attributes.flatMap(({ hidden, column }) => (hidden ? [column] : [])));
}

function isAssignments({ columns }: Table): boolean {
  return columns.some(({ name }) => name === targetColumn);
}

/** The types whose owners and grants a condition asks for. Conditions are data: whatever compares these names them as its constants. */
function resourcesIn(part: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(part)) for (const each of part) resourcesIn(each, found);
  else if (typeof part === 'object' && part !== null && !('primaryKey' in part)) {
    const constants = 'column' in part && part.column === 'resource' && 'value' in part && part.value;
    if (typeof constants === 'object' && constants !== null && 'constants' in constants && Array.isArray(constants.constants))
      for (const each of constants.constants) found.add(String(each));
    else for (const each of Object.values(part)) resourcesIn(each, found);
  }
  return found;
}

async function rangeOf(operation: WatchedOperation, context: Parameters<typeof listedRange>[2]): Promise<Range> {
  if (operation.kind === 'list') return listedRange(operation.at, operation.query, context);
  const { at, selection } = operation;
  const { plan } = at.in;
  const located = await reachExisting(at, context.tx, context);
  const query: ListQuery = {
    filter: noFilter,
    key: '',
    order: [{ column: plan.key, descending: false }],
    selection: { ...selection, link: undefined },
    limit: undefined,
    offset: undefined,
    after: undefined,
    count: false,
  };
  const range = await listedRange({ plan, under: undefined }, query, context);
  return { ...range, key: `one ${range.key}`, where: equal(plan.key), values: [located.key] };
}

type Selects = Pick<
  Watch,
  'changed' | 'identity' | 'identityByKey' | 'keys' | 'present' | 'viewers' | 'viewersKey' | 'rendered' | 'seenVersions'
>;

function selectsOf(range: Range, guard: Condition, listed: Condition, context: Context): Selects {
  const { plan, where, query } = range;
  const rows = visibleRows(context);
  const images = imageTable(plan.table);
  const order: readonly OrderTerm[] = [{ column: numberColumn, descending: false }];
  const byKey: readonly OrderTerm[] = [{ column: plan.key, descending: false }];
  const asked = `${conditionKey(where)} <${keyOfCondition(guard)}>`;
  const shown = `${asked} ${outputKey(plan, query.selection, rows)}`;
  const { fields } = outputOf(plan, query.selection, rows);
  const names = namesOnly(query.selection);
  const own = { kind: 'select', table: plan.table, order: byKey, limit: true, offset: false } as const;
  const cached = (key: string, make: () => Select): Select => {
    const known = plan.cached.get(key);
    return known?.kind === 'select' ? known : cacheShape(plan, key, make());
  };
  const isRuled = attributeRules(plan, context) !== undefined;
  const viewersKey = `viewers ${plan.type} ${keyOfCondition(guard)}`;
  const equals =
    !isRuled && showsNoOthers(plan, query.selection, rows) && query.selection.link === undefined ? equalities(range) : undefined;
  const changed = cached(`changed ${shown}`, () => ({
    ...own,
    table: images,
    output: { fields, columns: [numberColumn, plan.key] },
    where: both(where, guard),
    order,
    limit: false,
  }));
  const versions = cached('changed versions', () => ({
    ...own,
    table: images,
    output: { fields: [], columns: [numberColumn, versionColumn] },
    where: everything,
    order,
    limit: false,
  }));
  return {
    viewersKey,
    viewers: viewersOf(plan, guard, viewersKey),
    rendered: equals && {
      select: cached(`rendered ${equals.columns.join()} ${outputKey(plan, query.selection, rows)}`, () => ({
        ...own,
        table: images,
        output: { fields, columns: [numberColumn, ...equals.columns] },
        where: everything,
        order,
        limit: false,
      })),
      wanted: equals.values,
    },
    changed: seenBy(changed, context),
    seenVersions: isRuled ? seenBy(versions, context) : undefined,
    identity: cached(`changed names ${names.key}`, () => ({
      ...own,
      table: images,
      output: { fields: outputOf(plan, names, rows).fields, columns: [numberColumn, plan.key] },
      where: everything,
      order,
      limit: false,
    })),
    identityByKey: cached(`name by key ${names.key}`, () => ({
      ...plan.shapes.byKey,
      output: { fields: outputOf(plan, names, rows).fields, columns: [plan.key] },
    })),
    keys: seenBy(
      cached(`watched keys ${asked} ${keyOfCondition(listed)}`, () => ({
        ...own,
        output: { fields: [], columns: [plan.key] },
        where: both(where, listed),
      })),
      context,
    ),
    present: (after) =>
      seenBy(
        cached(`watched ${after === undefined ? '' : 'behind '}${shown} ${keyOfCondition(listed)}`, () => ({
          ...own,
          output: { fields, columns: [plan.key] },
          where: both(both(where, listed), after === undefined ? everything : { kind: 'after', order: byKey, nulls: [false] }),
        })),
        context,
      ),
  };
}

function viewersOf(plan: EntityPlan | LinkPlan, guard: Condition, key: string): JoinQuery | undefined {
  const known = plan.cached.get(key);
  if (known?.kind === 'report') return known;
  const on = guard.kind === 'all' ? undefined : forEachUser(guard);
  if (on === undefined) return undefined;
  return cacheShape(plan, key, {
    kind: 'report',
    table: imageTable(plan.table),
    joins: [{ side: 'inner', table: usersTable, on }],
    outputs: [
      { kind: 'column', name: 'row', source: 0, column: numberColumn },
      { kind: 'column', name: 'user', source: 1, column: numberColumn },
    ],
    where: everything,
    groupBy: [],
    order: [],
    distinct: false,
    limit: false,
    offset: false,
  });
}

/** The columns that a filter asks to be equal to its values, where it asks for nothing else, and a text of the value is as good as the value. */
function equalities({
  plan,
  where,
  values,
}: Range): { readonly columns: readonly string[]; readonly values: readonly string[] } | undefined {
  const conditions = where.kind === 'and' ? where.conditions : where.kind === 'all' ? [] : [where];
  const columns = conditions.map((each) => {
    if (each.kind !== 'compare' || each.operator !== 'eq') return undefined;
    const { kind, operator, column, ...more } = each;
    const its = plan.table.columns.find(({ name }) => name === column)?.kind;
    const isPlain = Object.values(more).every((part) => part === undefined);
    return isPlain && (its === 'text' || its === 'integer') ? column : undefined;
  });
  const found = columns.filter((each) => each !== undefined);
  if (found.length < conditions.length || values.length !== found.length || values.includes(null)) return undefined;
  return { columns: found, values: values.map(String) };
}

/** The identifier, the path, and the tags of the surface. */
function namesOnly({ view: { names, ...shown } }: Selection): Selection {
  const view = names ?? shown;
  return { view, attributes: new Set(), includes: [], link: undefined, key: `${view.name} names` };
}
