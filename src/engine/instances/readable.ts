// Rows as a caller may see them: what the guard hides is in no answer of the store, and so does not exist for whoever asks here.

import type { EntityPlan, LinkPlan, Plan } from '../../plan/plan.ts';
import type { Ambient } from '../../plan/query/ambient.ts';
import { both, type Condition, everything } from '../../plan/query/condition.ts';
import { keyOfCondition } from '../../plan/query/condition-key.ts';
import type { RowsOf } from '../../plan/query/rows-of.ts';
import type { JoinQuery, Select } from '../../plan/query/shape.ts';
import type { Awaitable, Page, Reader, Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { locate, locateExisting } from '../address/address.ts';
import type { Address, Rights, Service } from '../operation.ts';
import type { Located } from '../row.ts';
import { openGuard } from '../seams.ts';
import { visibleRows } from './guard.ts';
import { seenBy } from './seen.ts';

/** For whom rows are read. */
type Viewer = Rights & Pick<Service, 'plan'>;

/** Without access control, the transaction itself. */
export function readable(tx: Reader, context: Viewer): Reader {
  if (context.guard === openGuard) return tx;
  const rows = visibleRows(context);
  const plans = plansByTable(context.plan);
  return new SeenReader(tx, context, (select) => seenBy(visibleSelect(select, visibleIn(select.where, rows, plans), rows, plans), context));
}

/** The same rows as they are stored, whatever of them the caller may see: for who is going to change them, and shows nothing of them. */
export function readableWhole(tx: Reader, context: Viewer): Reader {
  if (context.guard === openGuard) return tx;
  const rows = visibleRows(context);
  const plans = plansByTable(context.plan);
  return new SeenReader(tx, context, (select) => visibleSelect(select, visibleIn(select.where, rows, plans), rows, plans));
}

/**
 * The same for statements that hold conditions of the guard already, wherever they ask for other rows. Those conditions stay as they are: they
 * may ask for rows that the caller does not read, as a table of owners.
 */
export function readableRows(tx: Reader, context: Viewer, rows = visibleRows(context)): Reader {
  if (context.guard === openGuard) return tx;
  const plans = plansByTable(context.plan);
  return new SeenReader(tx, context, (select) => seenBy(visibleSelect(select, select.where, rows, plans), context));
}

class SeenReader implements Reader {
  readonly #tx: Reader;
  readonly #rights: Rights;
  readonly #seen: (select: Select) => Select;

  constructor(tx: Reader, rights: Rights, seen: (select: Select) => Select) {
    this.#tx = tx;
    this.#rights = rights;
    this.#seen = seen;
  }

  one(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<Row | undefined> {
    return this.#tx.one(this.#seen(select), values, ambient);
  }

  rows(select: Select, values: readonly Value[], until?: number, most?: number, ambient?: Ambient): Awaitable<readonly Row[]> {
    return this.#tx.rows(this.#seen(select), values, until, most, ambient);
  }

  page(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<Page> {
    return this.#tx.page(this.#seen(select), values, ambient);
  }

  count(select: Select, values: readonly Value[], ambient?: Ambient): Awaitable<number> {
    return this.#tx.count(this.#seen(select), values, ambient);
  }

  report(report: JoinQuery, values: readonly Value[], until?: number, most?: number, ambient?: Ambient): Awaitable<readonly Row[]> {
    return this.#tx.report(seenBy(report, this.#rights), values, until, most, ambient);
  }
}

/** Where an address leads; of a way through something that the caller may not read, nothing is told. */
export function reach(address: Address, tx: Reader, context: Viewer): Awaitable<Located> {
  if (context.guard === openGuard) return locate(address, tx);
  return address.in.under === undefined ? locate(address, readable(tx, context)) : reachVisible(address, tx, context);
}

async function reachVisible(address: Address, tx: Reader, context: Viewer): Promise<Located> {
  const reader = readable(tx, context);
  for (let above = address.in.under?.parent; above !== undefined; above = above.in.under?.parent) await locateExisting(above, reader);
  return locate(address, reader);
}

/** As `reach`, and it exists. */
export async function reachExisting(address: Address, tx: Reader, context: Viewer): Promise<Located> {
  if (context.guard !== openGuard) await reachVisible(address, tx, context);
  return locateExisting(address, readable(tx, context));
}

/** By what they became: a statement is compiled once for each form of it. */
const visibleShapes = new WeakMap<Select, Map<string, Select>>();
/** The same by the condition on their own rows alone, which the guard has made once. */
const narrowedShapes = new WeakMap<Select, WeakMap<Condition, Select>>();

function visibleSelect(select: Select, asked: Condition, rows: RowsOf, plans: Plans): Select {
  const plan = plans.get(select.table.name);
  const own = plan === undefined ? everything : rows(plan);
  if (asked !== select.where) return visibleForm(select, both(asked, own));
  if (own.kind === 'all') return select;
  const known = narrowedShapes.get(select) ?? new WeakMap<Condition, Select>();
  const found = known.get(own) ?? visibleForm(select, both(asked, own));
  known.set(own, found);
  narrowedShapes.set(select, known);
  return found;
}

function visibleForm(select: Select, where: Condition): Select {
  const key = keyOfCondition(where);
  const known = visibleShapes.get(select) ?? new Map<string, Select>();
  visibleShapes.set(select, known);
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const visible = { ...select, where };
  known.set(key, visible);
  return visible;
}

/** Other rows that a condition asks for are those that the caller may read; one that asks for none stays the same. */
function visibleIn(condition: Condition, rows: RowsOf, plans: Plans): Condition {
  if (!asksForOthers(condition)) return condition;
  switch (condition.kind) {
    case 'and':
    case 'or':
      return { ...condition, conditions: condition.conditions.map((each) => visibleIn(each, rows, plans)) };
    case 'not':
    case 'stored':
      return { ...condition, condition: visibleIn(condition.condition, rows, plans) };
    case 'exists': {
      const other = plans.get(condition.table.name);
      return { ...condition, where: both(visibleIn(condition.where, rows, plans), other === undefined ? everything : rows(other)) };
    }
    default:
      return condition;
  }
}

function asksForOthers(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.some(asksForOthers);
    case 'not':
    case 'stored':
      return asksForOthers(condition.condition);
    default:
      return condition.kind === 'exists';
  }
}

/** By the names of their tables. */
type Plans = ReadonlyMap<string, EntityPlan | LinkPlan>;

const plansOf = new WeakMap<Plan, Plans>();

function plansByTable(plan: Plan): Plans {
  const known = plansOf.get(plan);
  if (known !== undefined) return known;
  const found = new Map([...plan.entities.values(), ...plan.links.values()].map((each) => [each.table.name, each] as const));
  plansOf.set(plan, found);
  return found;
}
