// A body checked whole before the store is touched: what will be written, with everything nested in it.

import { error, type Fault, FaultList, invalid, isError, mostFaults } from '../../errors.ts';
import { isRequired } from '../../model/description.ts';
import type { AttributePlan, EntityPlan, LinkEnd, LinkPlan, LinkWay, RowPlan, Step } from '../../plan/plan.ts';
import { fault, isObject } from '../../plan/rows/attribute.ts';
import { isPath, parentMember } from '../../plan/rows/keys.ts';
import { linkMember } from '../../plan/rows/link.ts';
import { endReference } from '../../plan/rows/link-references.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Value } from '../../values/value.ts';
import type { Context } from '../operation.ts';
import type { Draft, DraftChildren, NamedTarget } from '../row.ts';
import { fillDefault, fillingOf } from './defaults.ts';

type Body = { readonly [key: string]: Value };

export function draftOf(plan: EntityPlan | LinkPlan, body: Value, context: Context): Draft {
  if (!isObject(body)) throw error('body-invalid');
  const faults = new FaultList();
  const draft = draftRow(plan, body, '', faults, context);
  if (faults.length > 0) throw invalid(faults);
  return draft;
}

/** An existing instance is linked by its identifier alone; then nothing else is asked of the body. */
export function draftLinked(way: LinkWay, body: Value, context: Context): Draft {
  if (!isObject(body)) throw error('body-invalid');
  const faults = new FaultList();
  const draft = draftTarget(way, body, '', faults, context);
  if (faults.length > 0) throw invalid(faults);
  return draft;
}

/** The same of several bodies; faults name the place of each: `[2].title`. */
export function draftEach(plan: EntityPlan | LinkPlan, bodies: readonly Value[], context: Context): readonly Draft[] {
  return eachOf(bodies, (body, prefix, faults) => draftRow(plan, body, prefix, faults, context));
}

export function draftEachLinked(way: LinkWay, bodies: readonly Value[], context: Context): readonly Draft[] {
  return eachOf(bodies, (body, prefix, faults) => draftTarget(way, body, prefix, faults, context));
}

function eachOf(bodies: readonly Value[], draft: (body: Body, prefix: string, faults: FaultList) => Draft): readonly Draft[] {
  const faults = new FaultList();
  const drafts = bodies.map((body, index) => {
    if (!isObject(body)) throw error('body-invalid', { detail: `[${index}] must be an object of attributes.` });
    return draft(body, `[${index}].`, faults);
  });
  if (faults.length > 0) throw invalid(faults);
  return drafts;
}

export function draftedValue(draft: Draft, attribute: AttributePlan): Value {
  return draft.values[draft.plan.attributes.indexOf(attribute)] ?? null;
}

function draftRow(plan: EntityPlan | LinkPlan, body: Body, prefix: string, faults: FaultList, context: Context): Draft {
  const values = plan.attributes.map((attribute) => draftValue(attribute, body[attribute.name], prefix, faults, context));
  let known = 0;
  for (const attribute of plan.attributes) if (Object.hasOwn(body, attribute.name)) known += 1;
  const names = Object.keys(body);
  // Most bodies hold attributes alone: then there is nothing else to look for.
  const others = known === names.length ? [] : names.filter((name) => !plan.attribute.has(name));
  return {
    plan,
    values,
    ...(plan.ruled.length === 0 ? {} : { given: givenIn(plan, body) }),
    children:
      plan.kind === 'entity' ? draftChildren(plan, body, others, prefix, faults, context) : unknownNames(plan, others, prefix, faults),
    prefix,
    onlyIdentifier: names.length === 1 && names[0] === plan.identifier.name && body[plan.identifier.name] !== null,
    ends: plan.kind === 'link' ? draftEnds(plan, body, prefix, faults) : undefined,
  };
}

/** Nothing is set by saying that an attribute is absent which would be absent anyway. */
function givenIn({ ruled }: RowPlan, body: Body): readonly AttributePlan[] {
  return ruled.filter(({ name, attribute }) => Object.hasOwn(body, name) && (body[name] !== null || attribute.default !== undefined));
}

/** `input` is absent where the body does not name the attribute. */
export function draftValue(plan: AttributePlan, input: Value | undefined, prefix: string, faults: Fault[], context: Context): Value {
  const { attribute, name } = plan;
  if (input !== undefined && attribute.expression !== undefined) {
    faults.push(fault(`${prefix}${name}`, 'computed', 'is computed and cannot be set'));
    return null;
  }
  if (input === undefined) {
    if (attribute.default?.kind === 'function') return functionDefault(plan, `${prefix}${name}`, faults, context);
    if (attribute.default !== undefined) return fillDefault(attribute, context);
    if (isRequired(attribute)) faults.push(fault(`${prefix}${name}`, 'required', 'is required'));
    return null;
  }
  if (input === null) {
    if (!attribute.optional) faults.push(fault(`${prefix}${name}`, 'required', 'is required and cannot be null'));
    return null;
  }
  return plan.parse(input, `${prefix}${name}`, faults, fillingOf(context));
}

/** What a function of the application gives is checked as if the caller had sent it. */
export function functionDefault(plan: AttributePlan, path: string, faults: Fault[], context: Context): Value {
  try {
    const value = fillDefault(plan.attribute, context);
    if (value !== null) return plan.parse(value, path, faults);
    if (!plan.attribute.optional) faults.push(fault(path, 'required', 'is required, and its default gives no value'));
  } catch (thrown) {
    if (!isError(thrown, 'dataflow-failed')) throw thrown;
    faults.push(fault(path, 'check', `has a default that fails: ${thrown.message}`));
  }
  return null;
}

function draftChildren(
  plan: EntityPlan,
  body: Body,
  names: readonly string[],
  prefix: string,
  faults: FaultList,
  context: Context,
): readonly DraftChildren[] {
  const result: DraftChildren[] = [];
  for (const name of inOrder(plan, names)) {
    const step = plan.steps.get(name)?.[0];
    const way = plan.linkNames.get(name);
    const path = `${prefix}${name}`;
    if (way !== undefined)
      result.push({ name, step: way, ofLink: way, drafts: draftLinks(way, body[name] ?? null, path, faults, context) });
    else if (step === undefined) unknownName(plan, name, prefix, faults);
    else result.push({ name, step, drafts: draftMany(step, body[name] ?? null, path, faults, context) });
  }
  return result;
}

/** Names for relationships come in the order that the model gives them, everything else before them as it was sent. */
function inOrder({ entity }: EntityPlan, names: readonly string[]): readonly string[] {
  if (entity.extensions.length < 2) return names;
  const place = (name: string): number => entity.extensions.findIndex((each) => each.name === name);
  return names.toSorted((first, second) => place(first) - place(second));
}

function draftMany(step: Step, input: Value, path: string, faults: FaultList, context: Context): readonly Draft[] {
  const items = Array.isArray(input) ? input : [input];
  return items.flatMap((item, index) => {
    const place = Array.isArray(input) ? `${path}[${index}]` : path;
    const isName = typeof item === 'string' || typeof item === 'number' || typeof item === 'bigint';
    // An instance that exists is linked by its identifier alone.
    if (isName && step.kind === 'link')
      return unlessTooMany(draftTarget(step, { [naming(step, item)]: item }, `${place}.`, faults, context), faults);
    if (!isObject(item)) {
      faults.push(fault(place, 'type', 'must be an object of attributes'));
      return [];
    }
    if (step.kind === 'contains') return unlessTooMany(draftRow(step.target, item, `${place}.`, faults, context), faults);
    return unlessTooMany(draftTarget(step, item, `${place}.`, faults, context), faults);
  });
}

/** The attribute that a value alone stands for. */
function naming({ target, to }: LinkWay, item: Value): string {
  if (target.contained && isPath(item)) return pathColumn;
  const { guid } = to;
  const wrong: Fault[] = [];
  if (guid !== undefined) target.identifier.parse(item, '', wrong);
  return guid === undefined || wrong.length === 0 ? target.identifier.name : guid.name;
}

/** Of a body that is refused, what is left is only counted. */
function unlessTooMany(draft: Draft, faults: FaultList): readonly Draft[] {
  return faults.count > mostFaults ? [] : [draft];
}

/** Links with their own attributes; the end that is the instance around them is known when that has been made. */
function draftLinks({ link, from }: LinkWay, input: Value, path: string, faults: FaultList, context: Context): readonly Draft[] {
  const items = Array.isArray(input) ? input : [input];
  return items.flatMap((item, index) => {
    const place = Array.isArray(input) ? `${path}[${index}]` : path;
    if (!isObject(item)) {
      faults.push(fault(place, 'type', 'must be an object of attributes'));
      return [];
    }
    const own = `${place}.${from.attribute}`;
    const found = new FaultList();
    const draft = draftRow(link, item, `${place}.`, found, context);
    faults.addAll(found, (each) => each.attribute !== own);
    if (Object.hasOwn(item, from.attribute)) faults.push(fault(own, 'system', 'is the instance itself'));
    return unlessTooMany(draft, faults);
  });
}

/** The other end of a link: with its identifier alone it need not be complete, for it may exist already. */
function draftTarget(way: LinkWay, body: Body, prefix: string, faults: FaultList, context: Context): Draft {
  const own = new FaultList();
  const { [linkMember]: link, ...attributes } = body;
  const sent = link === undefined ? body : attributes;
  const draft = draftRow(way.target, sent, prefix, own, context);
  const named = way.target.contained ? namedTarget(way.to, sent, own.length > 0) : undefined;
  const onlyIdentifier = draft.onlyIdentifier || named !== undefined;
  const missing = own.every((each) => each.code === 'required' || (named !== undefined && each.attribute === `${prefix}${pathColumn}`));
  if (!onlyIdentifier || !missing) faults.addAll(own);
  const target: Draft = { ...draft, onlyIdentifier, link: draftLink(way, link, `${prefix}${linkMember}`, faults, context) };
  return named === undefined ? target : { ...target, named };
}

/** An instance under a parent may be named by its guid or its path alone. */
function namedTarget(end: LinkEnd, body: Body, mustExist: boolean): NamedTarget | undefined {
  const [name = '', ...others] = Object.keys(body);
  const value = body[name] ?? null;
  if (others.length > 0 || value === null) return undefined;
  if (name === pathColumn) {
    const reference = isPath(value) ? endReference(end, value) : undefined;
    return reference && { name, end, reference, mustExist: true };
  }
  const { guid, entity } = end;
  if (guid === undefined || guid === entity.identifier || guid.name !== name) return undefined;
  const known = guid.parse(value, name, []);
  return { name, end, reference: { kind: 'columns', by: [{ column: guid.column, value: known }] }, mustExist };
}

/** The attributes of a link that stand beside those of the instance at its other end. */
function draftLink({ link }: LinkWay, given: Value | undefined, path: string, faults: Fault[], context: Context): Draft {
  if (given !== undefined && !link.hasAttributes) faults.push(fault(path, 'unknown', `${link.local} has no attributes of its own`));
  else if (given !== undefined && !isObject(given)) faults.push(fault(path, 'type', 'must be an object of attributes'));
  const body: Body = isObject(given) && link.hasAttributes ? given : {};
  const prefix = `${path}.`;
  const values = link.attributes.map((each) => draftValue(each, body[each.name], prefix, faults, context));
  for (const name of Object.keys(body)) if (!link.attribute.has(name)) unknownName(link, name, prefix, faults);
  return { plan: link, values, children: [], prefix, onlyIdentifier: false, ends: undefined };
}

export function draftEnds(plan: LinkPlan, body: Body, prefix: string, faults: Fault[]): readonly [Value, Value] {
  const [first, second] = plan.ends.map((end): Value => {
    const input = body[end.attribute];
    if (input === undefined || input === null) {
      faults.push(fault(`${prefix}${end.attribute}`, 'required', 'is required'));
      return null;
    }
    return endReference(end, input) === undefined ? end.entity.identifier.parse(input, `${prefix}${end.attribute}`, faults) : input;
  });
  return [first ?? null, second ?? null];
}

function unknownNames(plan: LinkPlan, names: readonly string[], prefix: string, faults: Fault[]): readonly [] {
  for (const name of names) if (!plan.ends.some((end) => end.attribute === name)) unknownName(plan, name, prefix, faults);
  return [];
}

export function unknownName(plan: RowPlan, name: string, prefix: string, faults: Fault[]): void {
  const system = name.startsWith('__') || plan.systemFields.includes(name);
  const message = name === parentMember ? 'moves what is there, in the body of its own change' : `is not an attribute of ${plan.type}`;
  faults.push(fault(`${prefix}${name}`, system ? 'system' : 'unknown', system ? 'is set by the service' : message));
}
