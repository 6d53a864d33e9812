// What of a model is recorded: types that are marked as a whole, and attributes that are marked on their own.

import { columnKind } from '../model/model.ts';
import type { ColumnKind } from '../model/types/attribute-type.ts';
import type { EntityPlan, LinkPlan, Plan } from '../plan/plan.ts';
import { pathColumn } from '../plan/rows/tables.ts';
import type { Row } from '../store/store.ts';
import { type JsonObject, objectOf, parseStored, writeJson } from '../values/json/json.ts';
import { entriesOf } from '../values/key-order.ts';
import type { Value, Values } from '../values/value.ts';
import type { Action } from './entry.ts';

export interface AuditedType {
  readonly plan: EntityPlan | LinkPlan;
  /** What became of a row, given with all of its attributes; nothing where the marked part of it is as it was. */
  action(before: Row | undefined, after: Row | undefined): Action | undefined;
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
  // Then what is recorded is the text as it is.
  const isAll = isWhole && visible.length === plan.attributes.length;
  const partOf = (row: Row | undefined): string | null => (row === undefined ? null : isAll ? row.json : partOfText(row.json, shown));
  return {
    plan,
    action(was, is) {
      if (!isWhole && was !== undefined && is !== undefined && areSame(all, was, is)) return undefined;
      const row = is ?? was;
      const operation = was === undefined ? 'create' : is === undefined ? 'delete' : 'update';
      return { operation, type: plan.type, instance: row && instanceIn(plan, row), before: partOf(was), after: partOf(is) };
    },
  };
}

function isMarked(meta: Values): boolean {
  return meta['audit'] === true;
}

function areSame(names: readonly string[], was: Row, is: Row): boolean {
  const [before, after] = [parseStored(was.json), parseStored(is.json)];
  return names.every((name) => writeJson(before[name] ?? null) === writeJson(after[name] ?? null));
}

function partOfText(text: string, names: ReadonlySet<string>): string {
  return writeJson(objectOf(entriesOf(parseStored(text)).filter(([name]) => names.has(name))));
}

/** As `instanceOf`, without a look into the text where the columns beside it say it. */
function instanceIn(plan: EntityPlan | LinkPlan, { json, columns: [, key = null, path] }: Row): string {
  if (plan.systemFields.includes(pathColumn) && typeof path === 'string') return path;
  const isKey = plan.key === plan.identifier.column && keyKinds.has(columnKind(plan.identifier.attribute));
  return isKey ? idText(key) : instanceOf(plan, parseStored(json));
}

/** Kinds of identifiers that a column holds as answers show them. */
const keyKinds: ReadonlySet<ColumnKind> = new Set(['text', 'uuid', 'integer']);

/** Its path where it stands under another one, else its identifier. */
export function instanceOf({ identifier }: EntityPlan | LinkPlan, object: JsonObject): string {
  return idText(object[pathColumn] ?? object[identifier.name] ?? null);
}

export function idText(id: Value): string {
  return typeof id === 'string' ? id : writeJson(id);
}
