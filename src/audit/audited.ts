// What of a model is recorded: types that are marked as a whole, and attributes that are marked on their own.

import type { EntityPlan, LinkPlan, Plan } from '../plan/plan.ts';
import { pathColumn } from '../plan/rows/tables.ts';
import { type JsonObject, objectOf, parseStored, writeJson } from '../values/json/json.ts';
import { entriesOf } from '../values/key-order.ts';
import type { Value, Values } from '../values/value.ts';
import type { Action } from './entry.ts';

export interface AuditedType {
  readonly plan: EntityPlan | LinkPlan;
  /** What became of a row, given with all of its attributes; nothing where the marked part of it is as it was. */
  action(before: string | undefined, after: string | undefined): Action | undefined;
}

/** By the names of their tables: a type that the service brings has one, and two names. */
export function auditedTypes(plan: Plan): ReadonlyMap<string, AuditedType> {
  const found = [...plan.entities.values(), ...plan.links.values()].flatMap((each) => {
    const audited = auditedType(each);
    return audited === undefined ? [] : [[each.table.name, audited] as const];
  });
  return new Map(found);
}

function auditedType(plan: EntityPlan | LinkPlan): AuditedType | undefined {
  const isWhole = isMarked((plan.kind === 'entity' ? plan.entity : plan.between).meta);
  const marked = plan.attributes.filter(({ attribute }) => isWhole || isMarked(attribute.meta));
  if (!isWhole && marked.length === 0) return undefined;
  const all = marked.map(({ name }) => name);
  // Never a secret, nor what is only written: that it changed is all that is told of it.
  const visible = marked.filter(({ hidden }) => !hidden).map(({ name }) => name);
  const besides = plan.output.fields.map(({ name }) => name).filter((name) => !plan.attribute.has(name));
  const shown: ReadonlySet<string> = new Set(isWhole ? [...visible, ...besides] : visible);
  return {
    plan,
    action(before, after) {
      const [was, is] = [before, after].map((json) => (json === undefined ? undefined : parseStored(json)));
      if (!isWhole && was !== undefined && is !== undefined && areSame(all, was, is)) return undefined;
      const instance = instanceOf(plan, is ?? was ?? objectOf([]));
      const operation = was === undefined ? 'create' : is === undefined ? 'delete' : 'update';
      return { operation, type: plan.type, instance, before: partOf(was, shown), after: partOf(is, shown) };
    },
  };
}

function isMarked(meta: Values): boolean {
  return meta['audit'] === true;
}

function areSame(names: readonly string[], was: JsonObject, is: JsonObject): boolean {
  return names.every((name) => writeJson(was[name] ?? null) === writeJson(is[name] ?? null));
}

function partOf(object: JsonObject | undefined, names: ReadonlySet<string>): JsonObject | null {
  return object === undefined ? null : objectOf(entriesOf(object).filter(([name]) => names.has(name)));
}

/** Its path where it stands under another one, else its identifier. */
export function instanceOf({ identifier }: EntityPlan | LinkPlan, object: JsonObject): string {
  return idText(object[pathColumn] ?? object[identifier.name] ?? null);
}

export function idText(id: Value): string {
  return typeof id === 'string' ? id : writeJson(id);
}
