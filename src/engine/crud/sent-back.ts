// What was read may be sent back: nested instances in the body of a change are compared with those that are stored, and never written.

import { error, type Fault, FaultList } from '../../errors.ts';
import type { EntityPlan, LinkPlan, RowPlan } from '../../plan/plan.ts';
import { isToOne, type RelatedWay, wayNamed } from '../../plan/query/related.ts';
import { type Included, outputKey, outputOf, plainView, rightsMember, type Selection, wholeSelection } from '../../plan/query/selection.ts';
import { fault, isObject } from '../../plan/rows/attribute.ts';
import { parentMember } from '../../plan/rows/keys.ts';
import { linkMember } from '../../plan/rows/link.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import { type Awaitable, type Row, TooLarge } from '../../store/store.ts';
import { canonicalJson } from '../../values/json/canonical.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { unknownName } from '../draft/draft.ts';
import { visibleRows } from '../instances/guard.ts';
import { sameValue } from '../instances/same-value.ts';
import { seenBy } from '../instances/seen.ts';
import type { Collection, ReadContext } from '../operation.ts';
import { cacheShape } from '../shape-cache.ts';
import { tooLarge } from './read.ts';

/** A body taken apart: attributes, those of the link by which the instance was reached, and related instances by relationship. */
export interface SentBody {
  readonly own: Value;
  readonly link: Value | undefined;
  /** Where it is to stand. */
  readonly parent: Value | undefined;
  readonly nested: Body;
}

type Body = { readonly [name: string]: Value };

/** Deeper than any tree that can be read. */
const deepest = 12;
const nothing: Body = Object.freeze({});

export function sentBody({ plan, under }: Collection, body: Value): SentBody {
  if (!isObject(body)) throw error('body-invalid');
  const others = Object.keys(body).filter((name) => !plan.attribute.has(name));
  if (others.length === 0) return { own: body, link: undefined, parent: undefined, nested: nothing };
  const takesLink = under?.step.kind === 'link' && under.step.field !== undefined;
  const related = others.filter((name) => wayNamed(plan, name) !== undefined);
  const link = takesLink ? body[linkMember] : undefined;
  const parent = body[parentMember];
  if (related.length === 0 && link === undefined && parent === undefined && body[rightsMember] === undefined)
    return { own: body, link, parent, nested: nothing };
  const apart = new Set([...related, parentMember, rightsMember, ...(link === undefined ? [] : [linkMember])]);
  return {
    own: Object.fromEntries(Object.entries(body).filter(([name]) => !apart.has(name))),
    link,
    parent,
    nested: Object.fromEntries(related.map((name) => [name, body[name] ?? null])),
  };
}

/** Where related instances that were sent differ from those that are stored. */
export async function nestedFaults(plan: EntityPlan, key: Value, nested: Body, context: ReadContext): Promise<readonly Fault[]> {
  const faults = new FaultList();
  const includes = includesIn(plan, [nested], '', faults, deepest);
  if (faults.length > 0) return faults;
  const selection: Selection = { ...wholeSelection(plainView), includes, key: `sent back ${textOf(includes)}` };
  const rows = visibleRows(context);
  const name = outputKey(plan, selection, rows);
  const cached = plan.cached.get(name);
  const select =
    cached?.kind === 'select' ? cached : cacheShape(plan, name, { ...plan.shapes.byKey, output: outputOf(plan, selection, rows) });
  const row = await whole(plan, selection, () => context.tx.one(seenBy(select, context), [key]));
  if (row === undefined) throw error('instance-not-found');
  compareRelated(plan, nested, parseStored(row.json), '', faults);
  return faults;
}

/** As a read of the same, which may be more than a request may hold. */
async function whole(plan: EntityPlan, selection: Selection, read: () => Awaitable<Row | undefined>): Promise<Row | undefined> {
  try {
    return await read();
  } catch (thrown) {
    throw thrown instanceof TooLarge ? tooLarge(plan, selection, thrown) : thrown;
  }
}

/** The relationships that were sent, with those that were sent inside each of them. */
function includesIn(
  plan: EntityPlan | LinkPlan,
  bodies: readonly Body[],
  path: string,
  faults: Fault[],
  depth: number,
): readonly Included[] {
  const names = new Set(bodies.flatMap((body) => Object.keys(body)));
  return [...names].flatMap((name) => {
    const way = wayNamed(plan, name);
    if (way === undefined) return [];
    if (depth === 0) faults.push(fault(`${path}${name}`, 'limit', `stands deeper than ${deepest} levels`));
    const inside = bodies.flatMap((body) => itemsOf(body[name])).filter(isObject);
    const includes = depth === 0 ? [] : includesIn(way.target, inside, `${path}${name}.`, faults, depth - 1);
    return [{ name, way, selection: { ...wholeSelection(plainView), includes } }];
  });
}

function itemsOf(value: Value | undefined): readonly Value[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function textOf(includes: readonly Included[]): string {
  return includes.map(({ name, selection }) => (selection.includes.length === 0 ? name : `${name}(${textOf(selection.includes)})`)).join();
}

function compareRelated(plan: EntityPlan | LinkPlan, sent: Body, stored: Body, prefix: string, faults: Fault[]): void {
  for (const [name, value] of Object.entries(sent)) {
    const way = wayNamed(plan, name);
    if (way === undefined) continue;
    const path = `${prefix}${name}`;
    const there = stored[name] ?? null;
    if (isToOne(way)) compareOne(way, value, there, path, faults);
    else compareMany(way, value, Array.isArray(there) ? there : [], path, faults);
  }
}

function compareOne(way: RelatedWay, sent: Value, stored: Value, path: string, faults: Fault[]): void {
  if (isObject(sent) && isObject(stored)) compareInstance(way, sent, stored, path, faults);
  else if (sent !== null || stored !== null) faults.push(fault(path, 'readonly', 'is not what is there, and cannot be changed here'));
}

/** In whatever order they come: each is one of those that are there, and none of these is missing. */
function compareMany(way: RelatedWay, sent: Value, stored: readonly Value[], path: string, faults: Fault[]): void {
  const find = finderIn(way.target, stored.filter(isObject));
  const items = Array.isArray(sent) ? sent : undefined;
  const found = new Set<Value>();
  for (const [index, item] of items?.entries() ?? []) {
    const there = isObject(item) ? find(item) : undefined;
    if (there === undefined || !isObject(item)) continue;
    found.add(there);
    compareInstance(way, item, there, `${path}[${index}]`, faults);
  }
  if (items?.length !== stored.length || found.size !== stored.length)
    faults.push(fault(path, 'readonly', 'must hold exactly the instances that are there; they are added and removed at their own path'));
}

/** Finds the stored instance that one which was sent stands for: by its path, else by its identifier where only one has it. */
function finderIn({ identifier, systemFields }: EntityPlan, stored: readonly Body[]): (sent: Body) => Body | undefined {
  const idOf = (each: Body): string => canonicalJson(each[identifier.name] ?? null);
  const byPath = new Map(systemFields.includes(pathColumn) ? stored.map((each) => [each[pathColumn] ?? null, each]) : []);
  const byId = new Map<string, Body | undefined>();
  for (const each of stored) byId.set(idOf(each), byId.has(idOf(each)) ? undefined : each);
  return (sent) => (typeof sent[pathColumn] === 'string' ? byPath.get(sent[pathColumn]) : byId.get(idOf(sent)));
}

function compareInstance(way: RelatedWay, sent: Body, stored: Body, path: string, faults: Fault[]): void {
  const { target } = way;
  for (const [name, value] of Object.entries(sent)) {
    if (name === linkMember && way.kind === 'link' && way.field !== undefined) {
      if (isObject(value)) compareFields(way.link, value, stored[linkMember], `${path}.${linkMember}.`, faults);
      else faults.push(fault(`${path}.${linkMember}`, 'type', 'must be an object of attributes'));
    } else if (name !== rightsMember && wayNamed(target, name) === undefined)
      compareFields(target, { [name]: value }, stored, `${path}.`, faults);
  }
  compareRelated(target, sent, stored, `${path}.`, faults);
}

function compareFields(plan: RowPlan, sent: Body, stored: Value | undefined, prefix: string, faults: Fault[]): void {
  for (const [name, value] of Object.entries(sent)) {
    if (!isObject(stored) || !plan.output.fields.some((field) => field.name === name)) unknownName(plan, name, prefix, faults);
    else if (!sameValue(plan, name, value, stored[name] ?? null))
      faults.push(fault(`${prefix}${name}`, 'readonly', 'differs from what is stored; it is changed at its own path'));
  }
}
