// What an `@upsert` is about: the instance that is there already, or what it was looked for by.

import type { AttributePlan, EntityPlan, LinkPlan } from '../../../plan/plan.ts';
import { type Condition, equal } from '../../../plan/query/condition.ts';
import type { Select } from '../../../plan/query/shape.ts';
import type { Row } from '../../../store/store.ts';
import type { Value } from '../../../values/value.ts';
import { childOf, findFlat, rootOf } from '../../address/address.ts';
import { findEnd } from '../../address/link-ends.ts';
import { isReadable } from '../../instances/guard.ts';
import { readable } from '../../instances/readable.ts';
import { allowedWith, attributeRules, seenRow } from '../../instances/seen.ts';
import type { ReadContext, WriteContext } from '../../operation.ts';
import type { Parent } from '../../row.ts';
import { cacheShape } from '../../shape-cache.ts';
import { writingOf } from '../run.ts';
import type { Fields, Run } from '../state.ts';

/** What `@upsert` finds, and by the values of which columns: the identifier, else what is unique, else the ends of a link, else everything that is given. */
interface Lookup {
  readonly row: Row | undefined;
  /** None where what was found is hidden from the caller: it is there, and stays in the way. */
  readonly columns: readonly string[];
}

export async function existingFor(plan: EntityPlan | LinkPlan, body: Fields, parent: Parent | undefined, run: Run): Promise<Lookup> {
  const context = writingOf(run);
  const given = plan.attributes.filter((each) => Object.hasOwn(body, each.name) && body[each.name] !== null && !each.hidden);
  const isGiven = (each: AttributePlan | undefined): boolean => each !== undefined && given.includes(each);
  if (isGiven(plan.identifier) && parent !== undefined) {
    const { key } = childOf(parent.located, parent.contains, plan.identifier.parse(body[plan.identifier.name] ?? null, '', []));
    return visible(plan, await context.tx.one(plan.shapes.byKey, [key]), [plan.key], context);
  }
  if (plan.kind === 'entity' && plan.contained && (isGiven(plan.identifier) || isGiven(plan.guid)))
    return existingFlat(plan, body, context);
  const unique = isGiven(plan.identifier) ? [plan.identifier] : given.filter((each) => each.attribute.unique).slice(0, 1);
  // No two links join the same two instances.
  const ends = plan.kind === 'link' && unique.length === 0 ? plan.ends : [];
  if (unique.length + ends.length === 0) return existingLike(plan, given, body, parent, context);
  const names = [...unique, ...ends].map((each) => each.column);
  const values = unique.map((each) => each.parse(body[each.name] ?? null, each.name, []));
  for (const end of ends) {
    const found = await findEnd(end, body[end.attribute] ?? null, readable(context.tx, context));
    // Without one of its ends there is no such link; why it cannot be made is told when it is.
    if (found === undefined) return nothingFound;
    values.push(found.key);
  }
  return visible(plan, await context.tx.one(selectBy(plan, names), [...values, 1]), names, context);
}

/** What may stand under a parent, and nobody said which: by its guid, which is unique everywhere, else the only one with this identifier. */
async function existingFlat(plan: EntityPlan, body: Fields, context: WriteContext): Promise<Lookup> {
  const parsed = (each: AttributePlan): Value => each.parse(body[each.name] ?? null, each.name, []);
  const { guid, identifier } = plan;
  if (guid !== undefined && (body[guid.name] ?? null) !== null) {
    const row = await context.tx.one(selectBy(plan, [guid.column]), [parsed(guid), 1]);
    return visible(plan, row, [guid.column], context);
  }
  const id = parsed(identifier);
  const found = await findFlat(plan, { id, guid: undefined }, readable(context.tx, context));
  const key = found?.key ?? rootOf(plan, id).key;
  return visible(plan, await context.tx.one(plan.shapes.byKey, [key]), [plan.key], context);
}

/** By attributes of which several may have the same values: the first that the caller sees, of what stands under the parent. */
async function existingLike(
  plan: EntityPlan | LinkPlan,
  given: readonly AttributePlan[],
  body: Fields,
  parent: Parent | undefined,
  context: WriteContext,
): Promise<Lookup> {
  if (given.length === 0) return nothingFound;
  const under = parent === undefined ? [] : [{ column: parent.contains.column, value: parent.located.key }];
  const asked = [...given.map((each) => ({ column: each.column, value: each.parse(body[each.name] ?? null, each.name, []) })), ...under];
  const columns = asked.map((each) => each.column);
  const row = await readable(context.tx, context).one(selectBy(plan, columns), [...asked.map((each) => each.value), 1]);
  return { row, columns };
}

const nothingFound: Lookup = Object.freeze({ row: undefined, columns: [] });

export async function visible(
  plan: EntityPlan | LinkPlan,
  row: Row | undefined,
  columns: readonly string[],
  context: ReadContext,
): Promise<Lookup> {
  if (row === undefined) return { row, columns };
  const key = row.columns[1] ?? null;
  if (!(await isReadable(plan, key, context))) return nothingFound;
  // By a value that the caller may not see of it, nobody finds it.
  const asked = plan.ruled.flatMap(({ name, column }) => (columns.includes(column) ? [{ operation: 'read', name } as const] : []));
  const may = attributeRules(plan, context) === undefined ? undefined : await allowedWith(plan, key, asked, context);
  if (may !== undefined && asked.some(({ name }) => !may.has(`read ${name}`))) return nothingFound;
  return { row: await seenRow(plan, key, row, context), columns };
}

function selectBy(plan: EntityPlan | LinkPlan, columns: readonly string[]): Select {
  const key = `upsert ${columns.join(' ')}`;
  const cached = plan.cached.get(key);
  if (cached?.kind === 'select') return cached;
  const where: Condition = { kind: 'and', conditions: columns.map(equal) };
  return cacheShape(plan, key, { ...plan.shapes.byKey, where, limit: true, order: [{ column: plan.key, descending: false }] });
}
