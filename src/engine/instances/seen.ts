// Attributes that a caller may not see: statements for the caller get along what hides them, and names that are hidden in all rows are none.

import type { AttributeAccess, AttributeOperation, AttributeRights } from '../../plan/access/right.ts';
import { isEverAllowed } from '../../plan/access/right.ts';
import type { EntityPlan, LinkPlan, RowPlan } from '../../plan/plan.ts';
import type { JoinQuery, RowRight, Select, TableMask } from '../../plan/query/shape.ts';
import { imageName } from '../../store/changes/images.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import { tablesIn } from '../../store/supplied-store.ts';
import { parseStored, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { rolesOf } from '../caller.ts';
import { mapAwaitable } from '../context.ts';
import type { Rights, Transaction } from '../operation.ts';
import { openGuard } from '../seams.ts';

/** Nothing where the caller sees all there is. */
export function attributesFor({ guard, caller }: Rights): AttributeAccess | undefined {
  return guard === openGuard ? undefined : guard.attributes?.(caller);
}

/** The rules of the attributes of a type, as they are for the caller; nothing where they have none. */
export function attributeRules(plan: RowPlan, rights: Rights): AttributeRights | undefined {
  return attributesFor(rights)?.rights.get(plan.type);
}

/** A statement in which what its caller may not see is absent, wherever it is named. */
export function seenBy<S extends Select | JoinQuery>(shape: S, rights: Rights): S {
  const access = attributesFor(rights);
  return access === undefined ? shape : seenShape(shape, access);
}

const seenShapes = new WeakMap<Select | JoinQuery, WeakMap<AttributeAccess, Select | JoinQuery>>();

/** A statement is compiled once for each form of it. */
function seenShape<S extends Select | JoinQuery>(shape: S, access: AttributeAccess): S {
  const known = seenShapes.get(shape) ?? new WeakMap<AttributeAccess, Select | JoinQuery>();
  seenShapes.set(shape, known);
  const found = known.get(access);
  if (found !== undefined && isSameKind(shape, found)) return found;
  const masks = tablesIn(shape).flatMap((table): readonly TableMask[] => {
    const mask = access.masks.get(table.name) ?? access.masks.get(imageName(table.name) ?? '');
    return mask === undefined ? [] : [{ ...mask, table: table.name, of: table }];
  });
  const seen = masks.length === 0 ? shape : { ...shape, masks };
  known.set(access, seen);
  return seen;
}

function isSameKind<S extends Select | JoinQuery>(shape: S, other: Select | JoinQuery): other is S {
  return shape.kind === other.kind;
}

/** Whether there may be a row of which the caller may read the attribute, by the roles that they have. */
export function mayEverRead(plan: RowPlan, name: string, rights: Rights): boolean {
  const rule = attributeRules(plan, rights)?.get(name);
  return rule === undefined || isEverAllowed(rule.read, rolesOf(rights.caller));
}

/** Which of these may be done with attributes of a stored row: `read salary`. */
export function allowedWith(
  plan: EntityPlan | LinkPlan,
  key: Value,
  asked: readonly { readonly operation: AttributeOperation; readonly name: string }[],
  context: Rights & Transaction,
): Awaitable<ReadonlySet<string>> {
  const rules = attributeRules(plan, context);
  const rights = asked.flatMap(({ operation, name }): readonly RowRight[] => {
    const condition = rules?.get(name)?.[operation].condition;
    return condition === undefined ? [] : [{ operation: `${operation} ${name}`, condition }];
  });
  if (rights.length === 0) return new Set();
  // The first of them stands without a comma, and so is one that always holds.
  const select: Select = {
    ...plan.shapes.exists,
    output: { fields: [{ kind: 'rights', name: 'may', rights: [{ operation: '', condition: { kind: 'all' } }, ...rights] }], columns: [] },
  };
  return mapAwaitable(context.tx.one(select, [key]), (row) => new Set(namesIn(row)));
}

function namesIn(row: Row | undefined): readonly string[] {
  const names = row === undefined ? [] : parseStored(row.json)['may'];
  return Array.isArray(names) ? names.map(String) : [];
}

/** The row as its caller may see it; as it was given where nothing of it can be hidden. */
export function seenRow(plan: EntityPlan | LinkPlan, key: Value, row: Row, context: Rights & Transaction): Awaitable<Row> {
  if (attributeRules(plan, context) === undefined) return row;
  return mapAwaitable(context.tx.one(seenBy(plan.shapes.byKey, context), [key]), (seen) => seen ?? withoutRuled(plan, row, context));
}

/** Of what cannot be read nobody can say what its caller may see. */
export function withoutRuled(plan: EntityPlan | LinkPlan, row: Row, context: Rights): Row {
  const rules = attributeRules(plan, context);
  const fields = Object.entries(parseStored(row.json)).filter(([name]) => rules?.has(name) !== true);
  return { ...row, json: writeJson(Object.fromEntries(fields)) };
}
