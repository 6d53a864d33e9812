// Patterns of instances → what is done: create, find, change, link, make a record, call an event.

import { localOf, type TypeName } from '../../model/model.ts';
import {
  type Expression,
  type InstancePattern,
  isQuery,
  isReport,
  type LinkPattern,
  type NestedPattern,
  type Pattern,
  type PatternAttribute,
} from '../../model/pattern.ts';
import { forTarget } from '../computed/numeric-target.ts';
import type { AttributePlan, EntityPlan, LinkPlan, RowPlan, Step } from '../plan.ts';
import { type OrderTerm, rankedOrder } from '../query/condition.ts';
import { compileAttribute } from '../rows/attribute.ts';
import { segment } from '../rows/keys.ts';
import { waitsForChecks } from '../rows/rows.ts';
import { type Compiling, runsWorkflow, watched } from './effects.ts';
import type { Action, Assignment, CreateAction, Find, LinkStep, NestedStep, Test } from './flow.ts';
import { compileJoin } from './join.ts';
import { ownNames, rowOf } from './single-row.ts';
import { compileTests, findColumn } from './tests.ts';

export function compileInstance(pattern: InstancePattern, compiling: Compiling): Action {
  return compileIn(pattern, compiling, []);
}

export function compileFind(pattern: InstancePattern, compiling: Compiling): Find | undefined {
  const plan = planOf(pattern, compiling);
  return plan === undefined ? undefined : findOf(pattern, plan, compiling, []);
}

/** The way from one type to another along a relationship. */
export function stepBetween(from: RowPlan, relationship: TypeName, to: RowPlan): Step | undefined {
  return entityOf(from)
    ?.steps.get(segment(relationship))
    ?.find((step) => step.target === to);
}

/** `outer` are the types of the patterns around, whose instances are known only when rows have been read. */
function compileIn(pattern: InstancePattern, compiling: Compiling, outer: readonly TypeName[]): Action {
  const type = pattern.type.text;
  if (pattern.target !== undefined) return changeAlias(pattern, pattern.target, compiling);
  const plan = planOf(pattern, compiling);
  if (plan !== undefined) return isQuery(pattern) ? queryOf(pattern, plan, compiling, outer) : createOf(pattern, plan, compiling, outer);
  const from = fromOf(pattern, compiling);
  const record = compiling.records.get(type);
  const event = compiling.model.events.get(type);
  const targets = record?.attributes ?? event?.attributes.map((each) => compileAttribute(each, compiling.model)) ?? [];
  const values = assignments(pattern.attributes, type, targets, compiling);
  if (record !== undefined) return { kind: 'record', record, values, from };
  const isHandled = compiling.handled.has(type) && compiling.model.agents.has(type);
  if (event !== undefined || isHandled) {
    const flow = compiling.handled.has(type) && !runsWorkflow(type, compiling) ? type : (pattern.substitution ?? type);
    compiling.effects.calls.add(flow);
    return { kind: 'call', event: type, flow, values, from };
  }
  return { kind: 'unavailable', what: type };
}

function planOf({ type }: InstancePattern, { entities, links }: Compiling): EntityPlan | LinkPlan | undefined {
  return entities.get(type.text) ?? links.get(type.text);
}

function entityOf(plan: RowPlan): EntityPlan | undefined {
  return isEntity(plan) ? plan : undefined;
}

function isEntity(plan: RowPlan): plan is EntityPlan {
  return 'steps' in plan;
}

function changeAlias(pattern: InstancePattern, target: readonly string[], compiling: Compiling): Action {
  compiling.effects.writes = true;
  const from = fromOf(pattern, compiling);
  const set = pattern.attributes.map(({ name }) => name.text);
  // What an alias holds is known at run time only: anything that has these attributes.
  for (const plan of [...compiling.entities.values(), ...compiling.links.values()]) {
    if (!set.every((name) => mayHave(plan, name))) continue;
    compiling.effects.touches.add(`update ${plan.type}`);
    const setsSecret = plan.secrets.some(({ name }) => from !== undefined || set.includes(name));
    if (plan.kind === 'entity' && (waitsForChecks(plan) || setsSecret)) compiling.effects.waits = true;
  }
  return {
    kind: 'change-alias',
    target,
    sets: assignments(pattern.attributes, '', [], compiling),
    typedSets: new Map(),
    from,
    links: linksOf(pattern, undefined, compiling),
  };
}

/** Whether a value of this name may be set: an attribute, the end of a link, or what the service itself calls so (`__path__`). */
function mayHave(plan: EntityPlan | LinkPlan, name: string): boolean {
  if (plan.attributes.some((each) => each.name === name) || !/^[\p{L}]/u.test(name)) return true;
  return plan.kind === 'link' && plan.ends.some(({ attribute }) => attribute === name);
}

function queryOf(pattern: InstancePattern, plan: EntityPlan | LinkPlan, compiling: Compiling, outer: readonly TypeName[]): Action {
  if (isReport(pattern)) {
    compiling.effects.queries = true;
    return compileJoin(pattern, plan, compiling, (value) => watched(value, compiling, compileInstance).value);
  }
  if (asksResolvers(plan)) compiling.effects.waits = true;
  const find = findOf(pattern, plan, compiling, outer);
  const sets = assignments(
    pattern.attributes.filter((each) => each.query === undefined),
    plan.type,
    plan.attributes,
    compiling,
  );
  const from = fromOf(pattern, compiling);
  if (sets.length === 0 && from === undefined) return find;
  note(plan, 'update', compiling);
  return { kind: 'change', find, sets, from };
}

function findOf(pattern: InstancePattern, plan: EntityPlan | LinkPlan, compiling: Compiling, outer: readonly TypeName[]): Find {
  const { options } = pattern;
  const value = (expression: Expression) => watched(expression, compiling, compileInstance).value;
  const tests = compileTests(pattern, [plan], outer, value, compiling.model.readAsTyped);
  if (!tests.some((each) => isIdentity(each, plan))) compiling.effects.queries = true;
  const nested = nestedOf(pattern, plan, compiling, [...outer, plan.type]);
  // What is to be linked with what was found may be there already.
  for (const each of nested) if (each.step.kind === 'link') noteUpserts(each, compiling);
  return {
    kind: 'find',
    plan,
    tests,
    key: keyIn(tests, pattern, plan),
    order: orderOf(pattern, plan),
    limit: options.limit === undefined ? undefined : value(options.limit),
    offset: options.offset === undefined ? undefined : value(options.offset),
    nested,
    links: linksOf(pattern, plan, compiling),
    cached: new Map(),
  };
}

/** `{Doc? "words" {"limit": 5}}`: the instances in which all words stand, those that answer best first. */
export function compileSearch({ type, text, options }: Extract<Pattern, { kind: 'full-text' }>, compiling: Compiling): Action {
  const plan = compiling.entities.get(type.text);
  if (plan?.search === undefined) return { kind: 'unavailable', what: `a search in ${type.text}` };
  const value = (expression: Expression) => watched(expression, compiling, compileInstance).value;
  const option = (name: string) => options?.entries.find(({ key }) => key.kind === 'literal' && key.value === name)?.value;
  const [limit, offset] = [option('limit'), option('offset')];
  compiling.effects.queries = true;
  return {
    kind: 'find',
    plan,
    tests: [{ kind: 'search', search: plan.search, value: value(text) }],
    key: undefined,
    order: rankedOrder(plan.key),
    limit: limit === undefined ? undefined : value(limit),
    offset: offset === undefined ? undefined : value(offset),
    nested: [],
    links: [],
    cached: new Map(),
  };
}

/** Whether it asks for one row of which the store keeps a second one away, or for those of one identifier below several parents. */
function isIdentity(test: Test, plan: EntityPlan | LinkPlan): boolean {
  if (test.kind !== 'compare' || test.operator !== '==') return false;
  const { attribute, column } = test.column;
  return column === plan.key || attribute === plan.identifier || attribute?.attribute.unique === true;
}

/** Of what is contained, the identifier alone is not the key. */
function keyIn(tests: readonly Test[], { options, links = [] }: InstancePattern, plan: EntityPlan | LinkPlan): Find['key'] {
  const [test, ...others] = tests;
  const isOnly = others.length === 0 && options.limit === undefined && options.offset === undefined && !links.some((each) => each.query);
  if (test?.kind !== 'compare' || test.operator !== '==' || !isOnly) return undefined;
  return test.column.attribute === plan.identifier && test.column.column === plan.key ? test : undefined;
}

/** The key makes the order total, so that pages neither repeat nor skip. */
function orderOf({ options }: InstancePattern, plan: EntityPlan | LinkPlan): readonly OrderTerm[] {
  const terms = (options.orderBy ?? []).flatMap(({ name, descending }): readonly OrderTerm[] => {
    const found = findColumn(name.text, [plan]);
    return found === undefined ? [] : [{ column: found.column, descending }];
  });
  return terms.some((term) => term.column === plan.key) ? terms : [...terms, { column: plan.key, descending: false }];
}

function createOf(pattern: InstancePattern, plan: EntityPlan | LinkPlan, compiling: Compiling, outer: readonly TypeName[]): CreateAction {
  note(plan, 'create', compiling);
  const action: CreateAction = {
    kind: 'create',
    plan,
    values: assignments(pattern.attributes, plan.type, plan.attributes, compiling),
    from: fromOf(pattern, compiling),
    upsert: pattern.options.upsert === true,
    nested: nestedOf(pattern, plan, compiling, [...outer, plan.type]),
    links: linksOf(pattern, plan, compiling),
    row: undefined,
  };
  if (action.upsert) noteUpsert(action, compiling);
  return { ...action, row: rowOf(action) };
}

/**
 * What is looked for before it is made, and everything nested in it is. By attributes of which several instances may have the same, or that may
 * turn out to be null, it may be made by others meanwhile.
 */
function noteUpsert({ plan, values, nested }: CreateAction, compiling: Compiling): void {
  note(plan, 'update', compiling);
  const given = values.flatMap(({ name }) => plan.attribute.get(name) ?? []);
  const isSingle =
    plan.kind === 'link' || given.some((each) => each === plan.identifier || (each.attribute.unique && !each.attribute.optional));
  if (!isSingle) compiling.effects.queries = true;
  for (const each of nested) noteUpserts(each, compiling);
}

function noteUpserts({ actions }: NestedStep, compiling: Compiling): void {
  for (const each of actions) if (each.kind === 'create') noteUpsert(each, compiling);
}

/** What a write of this type may set off. */
function note(plan: RowPlan, operation: 'create' | 'update', { effects }: Compiling): void {
  effects.writes = true;
  effects.touches.add(`${operation} ${plan.type}`);
  if (waitsForChecks(plan) || plan.secrets.length > 0 || asksResolvers(plan)) effects.waits = true;
  if (operation === 'create' && plan.external?.suspends === true) effects.suspends = true;
}

/** Whether to write rows of it is to ask somebody else first. */
export function asksResolvers({ external, composed }: RowPlan): boolean {
  return external !== undefined || composed === true;
}

function fromOf({ options }: InstancePattern, compiling: Compiling): Expression | undefined {
  return options.from === undefined ? undefined : watched(options.from, compiling, compileInstance).value;
}

/** Those that refer to others of the same instance come behind them. */
function assignments(
  attributes: readonly PatternAttribute[],
  type: TypeName,
  targets: readonly AttributePlan[],
  compiling: Compiling,
): readonly Assignment[] {
  const all = new Map<string, Assignment>();
  for (const { name, value, query } of attributes) {
    if (query !== undefined || value.kind === 'aggregate') continue;
    const wanted = forTarget(
      value,
      targets.find((each) => each.name === name.text),
    );
    all.set(name.text, { name: name.text, ...watched(wanted, compiling, compileInstance) });
  }
  const ordered = new Set<Assignment>();
  const visiting = new Set<Assignment>();
  const visit = (each: Assignment): void => {
    if (ordered.has(each) || visiting.has(each)) return;
    visiting.add(each);
    for (const name of ownNames(each.value, type)) {
      const used = all.get(name);
      if (used !== undefined) visit(used);
    }
    ordered.add(each);
  };
  for (const each of all.values()) visit(each);
  return [...ordered];
}

function nestedOf(pattern: InstancePattern, plan: RowPlan, compiling: Compiling, outer: readonly TypeName[]): readonly NestedStep[] {
  const entity = entityOf(plan);
  return entity === undefined ? [] : pattern.nested.flatMap((each) => nestedStep(each, entity, compiling, outer) ?? []);
}

function nestedStep(nested: NestedPattern, plan: EntityPlan, compiling: Compiling, outer: readonly TypeName[]): NestedStep | undefined {
  const name = nested.relationship.text;
  const local = localOf(name);
  const steps = plan.steps.get(segment(name)) ?? [];
  const target = nested.patterns[0]?.type.text;
  const step = steps.find((each) => each.target.type === target) ?? steps[0];
  if (step === undefined) return undefined;
  const isShort = plan.steps.get(local)?.[0] === steps[0] && !plan.attribute.has(local);
  const actions = nested.patterns.map((each) => compileIn(each, compiling, outer));
  return {
    name: isShort ? local : segment(name),
    relationship: { name, local },
    step,
    list: nested.list,
    actions: actions.filter((each) => each.kind === 'create' || each.kind === 'find' || each.kind === 'change'),
  };
}

function linksOf({ links = [] }: InstancePattern, plan: EntityPlan | LinkPlan | undefined, compiling: Compiling): readonly LinkStep[] {
  return links.flatMap((each) => linkStep(each, plan, compiling) ?? []);
}

/** Seen from the instance, a contains relationship leads up to its parent. */
function linkStep(link: LinkPattern, plan: EntityPlan | LinkPlan | undefined, compiling: Compiling): LinkStep | undefined {
  const name = link.relationship.text;
  const value = (expression: Expression | undefined) => expression && watched(expression, compiling, compileInstance).value;
  const rest = { query: link.query, other: value(link.other), id: value(link.id) };
  const contains = plan?.kind === 'entity' ? plan.parents.find((each) => each.contains.name === name) : undefined;
  if (contains !== undefined) return { ...rest, to: { kind: 'contains', contains }, values: [], find: undefined };
  const between = compiling.links.get(name);
  if (between === undefined) return undefined;
  const [first, second] = between.ends;
  // Of a link between two of one type, the end that is asked for is the other one.
  const isSecond = first.entity === second.entity && link.attributes.some((each) => each.name.text === first.attribute);
  const [own, other] = !isSecond && (plan === undefined || first.entity === plan) ? [first, second] : [second, first];
  const asks = link.query || link.attributes.some((each) => each.query !== undefined);
  if (!asks) note(between, 'create', compiling);
  const pattern: InstancePattern = {
    kind: 'instance',
    type: link.relationship,
    all: true,
    attributes: link.attributes,
    nested: [],
    options: {},
    span: link.span,
  };
  return {
    ...rest,
    query: asks,
    to: { kind: 'link', link: between, own, other },
    values: assignments(link.attributes, name, between.attributes, compiling),
    find: asks ? findOf(pattern, between, compiling, []) : undefined,
  };
}
