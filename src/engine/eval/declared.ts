// The declared type of what a path of an expression leads to, as far as the values on the way know theirs.

import { type Attribute, columnKind } from '../../model/model.ts';
import { typeMember } from '../../model/subtypes.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { AttributePlan, EntityPlan, LinkPlan, Plan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Value } from '../../values/value.ts';
import type { Origin } from '../outcome.ts';

/** What knows its attributes: an entity or a link, or the name of an event or a record. */
export type Declaring = EntityPlan | LinkPlan | string | undefined;

/** Of a list, the type of its elements. */
export function elementKind(attribute: Attribute): ColumnKind {
  return columnKind(attribute.list ? { ...attribute, list: false } : attribute);
}

/** The names behind the first part of a path, from a value on whose type is `start`. */
export function kindWithin(
  value: Value,
  start: Declaring,
  names: readonly string[],
  plan: Plan,
  metaOf: (value: Value) => Origin | undefined,
): ColumnKind | undefined {
  let [inner, declaring, kind]: [Value, Declaring, ColumnKind | undefined] = [value, start, undefined];
  for (const name of names) {
    const from: Value = Array.isArray(inner) ? (inner[0] ?? null) : inner;
    const own = isObject(from) ? from : undefined;
    const attribute = attributeOf(named(own) ?? declaredBy(metaOf(from)) ?? declaring, name, plan);
    if (typeof attribute === 'string') return attribute;
    kind = attribute === undefined ? undefined : elementKind(attribute);
    declaring = attribute?.type.kind === 'record' ? attribute.type.record : undefined;
    inner = own !== undefined && Object.hasOwn(own, name) ? (own[name] ?? null) : null;
  }
  return kind;
}

/** The same among the attributes of one row, of which only their names are known. */
export function kindAmong(attributes: ReadonlyMap<string, AttributePlan>, path: readonly string[], plan: Plan): ColumnKind | undefined {
  const [first = '', ...rest] = path[0] === 'this' ? path.slice(1) : path;
  const attribute = attributes.get(first)?.attribute;
  if (attribute === undefined) return undefined;
  if (rest.length === 0) return elementKind(attribute);
  return attribute.type.kind === 'record' ? kindWithin(null, attribute.type.record, rest, plan, () => undefined) : undefined;
}

function declaredBy(meta: Origin | undefined): Declaring {
  return meta?.kind === 'instance' ? meta.plan : meta?.type;
}

/** A value of a type that extends the declared one holds its name. */
function named(value: { readonly [key: string]: Value } | undefined): string | undefined {
  const type = value !== undefined && Object.hasOwn(value, typeMember) ? value[typeMember] : undefined;
  return typeof type === 'string' ? type : undefined;
}

function attributeOf(declaring: Declaring, name: string, plan: Plan): Attribute | ColumnKind | undefined {
  if (declaring === undefined) return undefined;
  if (typeof declaring !== 'string') return memberOf(declaring, name);
  const { records, events } = plan.dataflows;
  const fields = records.get(declaring)?.attributes ?? events.get(declaring)?.attributes;
  if (fields !== undefined) return fields.find((each) => each.name === name)?.attribute;
  const stored = plan.entities.get(declaring) ?? plan.links.get(declaring);
  return stored === undefined ? undefined : memberOf(stored, name);
}

function memberOf(plan: EntityPlan | LinkPlan, name: string): Attribute | ColumnKind | undefined {
  const attribute = name === '__Id__' ? plan.identifier : plan.attribute.get(name);
  if (attribute !== undefined) return attribute.attribute;
  const end = plan.kind === 'link' ? plan.ends.find((each) => each.attribute === name) : undefined;
  return end === undefined || end.entity.contained ? undefined : columnKind(end.entity.identifier.attribute);
}

/** The type that a name of a row of a join stands for: one that is joined to itself has a number behind it. */
export function typeOfName(name: string): string {
  const mark = name.indexOf('#');
  return mark === -1 ? name : name.slice(0, mark);
}
