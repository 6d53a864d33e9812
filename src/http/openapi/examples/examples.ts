// Examples of bodies and answers, made from the plan. They belong together: what one refers to is the example of the other, and the answer is what comes of the body.

import { timeAs } from '../../../clock.ts';
import { computeFields } from '../../../engine/computed/computed.ts';
import { type Functions, noFunctions } from '../../../engine/eval/functions.ts';
import { countOfFaults, error, type Fault, PlatformError } from '../../../errors.ts';
import { isComputed } from '../../../model/description.ts';
import type { Attribute, EventType } from '../../../model/model.ts';
import { describeRow } from '../../../plan/description/description.ts';
import type { AttributePlan, EntityPlan, Filling, LinkEnd, LinkPlan, LinkWay, Plan } from '../../../plan/plan.ts';
import { idSegment, rootStart, segment } from '../../../plan/rows/keys.ts';
import { linkMember } from '../../../plan/rows/link.ts';
import { pathColumn } from '../../../plan/rows/tables.ts';
import { writeJson } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';
import { isServiceMade, serviceMade } from './service-made.ts';
import { createValueExamples, type ExampleObject, exampleTime, exampleUuid, type ValueExamples } from './values.ts';

type RowPlan = EntityPlan | LinkPlan;

/** Each gives nothing where no value is known that the service accepts, or what it answers is not known. */
export interface Examples {
  create(plan: RowPlan): ExampleObject | undefined;
  update(plan: RowPlan): ExampleObject | undefined;
  /** What links an instance that is there already. */
  linked(way: LinkWay): ExampleObject | undefined;
  /** What a create by `create` is answered with. */
  instance(plan: RowPlan): ExampleObject | undefined;
  /** The same without the attributes of which that is not known. */
  known(plan: RowPlan): ExampleObject | undefined;
  event(event: EventType): ExampleObject | undefined;
  /** The identifier in a path. */
  identifier(plan: RowPlan): Value | undefined;
}

export function createExamples(plan: Plan): Examples {
  const values = createValueExamples(plan.model);
  const created = new WeakMap<RowPlan, Created | undefined>();
  const createOf = (row: RowPlan): Created | undefined => {
    if (!created.has(row)) created.set(row, createdBy(row, values, plan));
    return created.get(row);
  };
  return {
    create: (row) => createOf(row)?.sent,
    update: (row) => changesOf(row, createOf(row)),
    linked: (way) => linkedBy(way, createOf(way.link)?.sent, values),
    instance: (row) => {
      const { shown, isComplete = false } = createOf(row) ?? {};
      return isComplete ? shown : undefined;
    },
    known: (row) => createOf(row)?.shown,
    event: ({ open, attributes, name }) => (open ? undefined : values.object(attributes, name, isSent)),
    identifier: (row) => identifierOf(row, values),
  };
}

interface Created {
  readonly sent: ExampleObject;
  readonly shown: ExampleObject;
  readonly isComplete: boolean;
}

/** What is filled in when it is absent is left to the service, but for identifiers, which other examples name. */
function isSent(attribute: Attribute): boolean {
  if (isComputed(attribute) || attribute.autoincrement) return false;
  return attribute.identifier || attribute.default === undefined;
}

/** Owners and grants name an instance of the application, of which there is none that every service has. */
const assigned = /^(platform\.rbac|Platform\.Kernel\.Rbac)\/(Ownership|InstancePrivilege)Assignment$/;

function createdBy(row: RowPlan, values: ValueExamples, plan: Plan): Created | undefined {
  if (assigned.test(row.type)) return undefined;
  if (row.kind === 'entity' && isServiceMade(row)) return madeByService(row, values, plan);
  const attributes = row.attributes.map((each) => each.attribute);
  const own = values.object(attributes, row.type, isSent);
  const ends = row.kind === 'link' ? endsOf(row.ends, values) : {};
  if (own === undefined || ends === undefined) return undefined;
  const sent = { ...ends, ...own };
  const kept = keptBy(row.attributes, own, plan);
  if (kept === undefined) return undefined;
  return { sent, ...shownOf(row, kept, ends, values) };
}

/** The fields of an answer, as far as they are known. */
function shownOf(
  row: RowPlan,
  kept: ReadonlyMap<string, Value>,
  ends: ExampleObject,
  values: ValueExamples,
): Pick<Created, 'shown' | 'isComplete'> {
  const shown: [string, Value][] = [];
  let isComplete = true;
  for (const { name } of row.output.fields) {
    const value = name === pathColumn ? placeOf(row, values) : kept.has(name) ? kept.get(name) : ends[name];
    if (value === undefined) isComplete = false;
    else shown.push([name, value]);
  }
  return { shown: Object.fromEntries(shown), isComplete };
}

/** It tells of the first entity of the application that has an example. */
function madeByService(row: EntityPlan, values: ValueExamples, plan: Plan): Created | undefined {
  for (const each of plan.entities.values()) {
    const { shown: instance, isComplete = false } = each.entity.system === undefined ? (createdBy(each, values, plan) ?? {}) : {};
    const id = identifierOf(each, values);
    if (instance === undefined || !isComplete || id === undefined) continue;
    const made = serviceMade(row, plan, { type: each.type, id: String(id), instance });
    return made === undefined ? undefined : { sent: made.sent, ...shownOf(row, made.shown, {}, values) };
  }
  return undefined;
}

/** The values of the attributes once they were checked, filled in and computed; without those that nobody can know before. */
function keptBy(attributes: readonly AttributePlan[], sent: ExampleObject, plan: Plan): ReadonlyMap<string, Value> | undefined {
  const faults: Fault[] = [];
  const fields: Record<string, Value> = {};
  const unknown = new Set<string>();
  const filling = fillingOf(plan);
  for (const each of attributes) {
    const { attribute, name } = each;
    const value = sent[name] ?? defaultOf(attribute);
    if (isComputed(attribute)) continue;
    if (value === undefined && !attribute.optional) unknown.add(name);
    fields[name] = value === undefined || value === null ? null : each.parse(value, name, faults, filling);
  }
  if (countOfFaults(faults) > 0) return undefined;
  if (unknown.size === 0) computeInto(fields, attributes, plan);
  return new Map(
    Object.entries(fields).flatMap(([name, value]) => {
      const shown = unknown.has(name) ? undefined : jsonOf(value);
      return shown === undefined ? [] : [[name, shown] as const];
    }),
  );
}

/** What looks along relationships, and what a function of the application decides, stays out. */
function computeInto(fields: Record<string, Value>, attributes: readonly AttributePlan[], plan: Plan): void {
  const faults: Fault[] = [];
  const computed = { ...fields };
  try {
    computeFields(attributes, computed, '', faults, computing(plan));
  } catch (thrown) {
    if (thrown instanceof PlatformError) return;
    throw thrown;
  }
  if (countOfFaults(faults) > 0) return;
  const known = new Set(attributes.filter(({ attribute }) => isComputed(attribute)).map((each) => each.name));
  for (const [name, value] of Object.entries(computed)) if (known.has(name) && value !== null) fields[name] = value;
}

/** An example is no reason to run what the application has. */
const notCalled: Functions = {
  ...noFunctions,
  call() {
    throw error('not-available');
  },
};

const computing = (plan: Plan) => ({
  plan,
  clock: { now: () => new Date(exampleTime), uuid: () => exampleUuid },
  functions: notCalled,
  outside: { called: false },
});

function fillingOf(plan: Plan): Filling {
  return {
    default: (attribute) => defaultOf(attribute) ?? null,
    compute: (attributes, fields, path, faults) => computeFields(attributes, fields, path, faults, computing(plan)),
  };
}

function defaultOf(attribute: Attribute): Value | undefined {
  switch (attribute.default?.kind) {
    case 'value':
      return attribute.default.value;
    case 'uuid':
      return exampleUuid;
    case 'now':
      return timeAs(attribute.type.kind === 'plain' ? attribute.type.type.column : '', exampleTime);
    case 'local-now':
      return timeAs(attribute.type.kind === 'plain' ? attribute.type.type.column : '', exampleTime.slice(0, -1));
    case 'autoincrement':
      return 1;
    default:
      return undefined;
  }
}

/** As an answer shows it; nothing where JavaScript cannot write it. */
function jsonOf(value: Value): Value | undefined {
  const text = writeJson(value);
  const read: Value = JSON.parse(text);
  return JSON.stringify(read) === text ? read : undefined;
}

/** Two attributes that may change, as they are: the answer is then the same as that of the create. Where none may, the identifier as it was read. */
function changesOf(row: RowPlan, created: Created | undefined): ExampleObject | undefined {
  if (created === undefined) return undefined;
  const values = { ...created.shown, ...created.sent };
  const changes = describeRow(row).changeable.flatMap(({ name }): [string, Value][] => {
    const value = values[name] ?? null;
    return value === null ? [] : [[name, value]];
  });
  const own = row.identifier.name;
  return changes.length === 0 ? { [own]: values[own] ?? null } : Object.fromEntries(changes.slice(0, 2));
}

function linkedBy({ target, link, to }: LinkWay, sent: ExampleObject | undefined, values: ValueExamples): ExampleObject | undefined {
  const named: readonly [string, Value | undefined] =
    target.contained && !target.rootable ? [pathColumn, placeOf(target, values)] : [target.identifier.name, identifierOf(target, values)];
  const [name, value] = to.guid === undefined ? named : [to.guid.name, values.of(to.guid.attribute, target.type)];
  if (value === undefined || value === null) return undefined;
  if (!link.hasAttributes) return { [name]: value };
  const isEnd = (each: string): boolean => link.ends.some((end) => end.attribute === each);
  const attributes = Object.entries(sent ?? {}).filter(([each]) => !isEnd(each) && each !== link.identifier.name);
  return sent === undefined ? undefined : { [name]: value, [linkMember]: Object.fromEntries(attributes) };
}

function endsOf(ends: readonly LinkEnd[], values: ValueExamples): ExampleObject | undefined {
  const named: Record<string, Value> = {};
  for (const { attribute, entity, guid } of ends) {
    const value =
      guid !== undefined
        ? values.of(guid.attribute, entity.type)
        : entity.contained
          ? (placeOf(entity, values) ?? identifierOf(entity, values))
          : identifierOf(entity, values);
    if (value === undefined) return undefined;
    named[attribute] = value;
  }
  return named;
}

function identifierOf({ identifier, type }: RowPlan, values: ValueExamples): Value | undefined {
  return values.of(identifier.attribute, type);
}

/** `__path__`: absent of what may stand under no parent, which is how its example stands. */
function placeOf(row: RowPlan, values: ValueExamples): Value | undefined {
  return row.kind === 'entity' && row.contained && row.rootable ? null : pathOf(row, values);
}

/** Types that contain each other in a circle have no way to begin. */
const deepest = 10;

function pathOf(row: RowPlan, values: ValueExamples, depth = 0): string | undefined {
  const id = identifierOf(row, values);
  if (id === undefined || depth > deepest || row.kind === 'link') return undefined;
  const [first] = row.parents;
  if (first === undefined || row.rootable) return `${rootStart(row.type)}${idSegment(id, row.form)}`;
  const above = pathOf(first.parent, values, depth + 1);
  if (above === undefined) return undefined;
  // What the service keeps stands under one name, whatever the surface calls it.
  const type = row.entity.system?.stored ?? row.type;
  return `${above}/${segment(first.contains.name)}/${segment(type)}/${idSegment(id, row.form)}`;
}
