// A tool call → an operation of the engine, and what comes of it.

import type { Caller } from '../../engine/caller.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Address, ListQuery, Operation, RequestInfo, Result } from '../../engine/operation.ts';
import { error, FaultList, unreachable } from '../../errors.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { noFilter } from '../../plan/query/filter.ts';
import type { QueryComparison } from '../../plan/query/query-object.ts';
import { plainView, wholeSelection } from '../../plan/query/selection.ts';
import { fault, isObject } from '../../plan/rows/attribute.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { customResponse, flatOutcome } from '../outcome.ts';
import { addressArguments, addressOf, collectionOf } from '../query/address.ts';
import { orderName, readCursor, writeCursor } from '../query/cursor.ts';
import { sortOf } from '../query/sort.ts';
import { conditionFilter } from '../query/typed-filter.ts';
import { type Action, furtherArguments, mostListed, usuallyListed, versionMember } from './tools.ts';

type Row = EntityPlan | LinkPlan;

export interface CallParts {
  readonly engine: Engine;
  readonly caller: Caller;
  readonly request: RequestInfo;
}

/** The JSON of an object. */
export async function call(action: Action, given: Values, { engine, caller, request }: CallParts): Promise<string> {
  const operation = operationOf(action, given);
  return textOf(await engine.execute(operation, caller, request), operation);
}

export function operationOf(action: Action, given: Values): Operation {
  if (action.kind === 'invoke') return { kind: 'invoke', target: action.target, body: given };
  const { kind, plan } = action;
  switch (kind) {
    case 'create': {
      const { '@under': parent = null, '@relationship': relationship = null, ...body } = given;
      return { kind: 'create', at: collectionOf(plan, parent, relationship), body };
    }
    case 'read':
      return { kind: 'read', at: addressIn(plan, given, 'read'), selection: wholeSelection(plainView) };
    case 'list':
      return { kind: 'list', at: { plan, under: undefined }, query: listQuery(plan, given) };
    case 'update':
      return {
        kind: 'update',
        at: addressIn(plan, given, 'update'),
        body: given['changes'] ?? null,
        versions: versionsOf(given),
      };
    case 'delete':
      return { kind: 'delete', at: addressIn(plan, given, 'delete'), versions: versionsOf(given) };
    default:
      return unreachable(kind);
  }
}

/** A word that is not known may be a condition that was misspelt: nothing is done without it. */
function addressIn(plan: Row, given: Values, kind: keyof typeof furtherArguments): Address {
  const { id, path } = addressArguments(plan, plan.identifier.name, furtherArguments[kind]);
  const known = [id, ...(path === undefined ? [] : [path]), ...furtherArguments[kind]];
  const unknown = Object.keys(given).filter((each) => !known.includes(each));
  if (unknown.length > 0) throw error('query-invalid', { errors: unknown.map((each) => fault(each, 'unknown', 'is not an argument')) });
  return addressOf(plan, path === undefined ? null : (given[path] ?? null), given[id] ?? null);
}

function versionsOf(given: Values) {
  const version = given['version'] ?? null;
  if (version === null) return undefined;
  if (typeof version !== 'number') throw error('query-invalid', { errors: [fault('version', 'type', 'must be a whole number')] });
  return { match: [version], noneMatch: undefined };
}

function listQuery(plan: Row, given: Values): ListQuery {
  const faults = new FaultList();
  for (const name of Object.keys(given))
    if (!['where', 'orderBy', 'limit', 'after'].includes(name)) faults.push(fault(name, 'unknown', 'is not part of a list'));
  const { where = null, orderBy = null, limit = usuallyListed, after = null } = given;
  const wanted: readonly Value[] = isList(orderBy) ? orderBy : orderBy === null ? [] : [orderBy];
  const names = wanted.filter((each) => typeof each === 'string');
  if (names.length < wanted.length) faults.push(fault('orderBy', 'type', 'must be a list of texts'));
  const order = sortOf(
    plan,
    names.map((each) => ({ name: each.replace(/^-/, ''), isDescending: each.startsWith('-') })),
    'orderBy',
    faults,
  );
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > mostListed)
    faults.push(fault('limit', 'limit', `must be from 1 to ${mostListed}`));
  const query: ListQuery = {
    filter:
      where === null ? noFilter : { kind: 'and', filters: comparisonsIn(where, faults).map((each) => conditionFilter(each, plan, faults)) },
    key: `orderBy ${orderName(order)}`,
    order,
    selection: wholeSelection(plainView),
    limit: Number(limit),
    offset: undefined,
    after: after === null ? undefined : readCursor(typeof after === 'string' ? after : '', order, plan, 'after', faults),
    count: false,
  };
  if (faults.length > 0) throw error('query-invalid', { errors: faults });
  return query;
}

const signs: Readonly<Record<string, string>> = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' };
const mostComparisons = 20;

function comparisonsIn(where: Value, faults: FaultList): readonly QueryComparison[] {
  if (!isObject(where)) {
    faults.push(fault('where', 'type', 'must be an object'));
    return [];
  }
  const all = Object.entries(where).flatMap(([name, given]) => comparisons(name, given, faults));
  if (all.length > mostComparisons) faults.push(fault('where', 'limit', `has at most ${mostComparisons} comparisons`));
  return all.slice(0, mostComparisons);
}

/** A value is compared for equality; an object holds operators. */
function comparisons(name: string, given: Value, faults: FaultList): readonly QueryComparison[] {
  if (!isObject(given)) return [{ kind: 'compare', operator: '=', name, given: [given] }];
  return Object.entries(given).map(([operator, value]): QueryComparison => {
    if (operator === 'null' && typeof value !== 'boolean') faults.push(fault('where', 'type', `null of ${name} must be true or false`));
    if (operator === 'null') return { kind: 'compare', operator: value === true ? '=' : '!=', name, given: [null] };
    return { kind: 'compare', operator: signs[operator] ?? operator, name, given: Array.isArray(value) ? value : [value] };
  });
}

function textOf(result: Result, operation: Operation): string {
  switch (result.kind) {
    case 'instance': {
      const { json, version, isHidden = false } = result.instance;
      return operation.kind === 'delete' || isHidden ? json : `${json.slice(0, -1)},"${versionMember}":${version}}`;
    }
    case 'list': {
      const { first, next } = result.list;
      const cursor =
        next === undefined || operation.kind !== 'list' ? '' : `,"next":${JSON.stringify(writeCursor(operation.query.order, next))}`;
      return `{"items":[${first.json}]${cursor}}`;
    }
    case 'reply':
      return `{"result":${writeJson(result.value)}}`;
    case 'waiting':
      return `{"result":null,"runId":${JSON.stringify(result.run)},"status":"waiting"}`;
    case 'value':
      return `{"result":${writeJson(result.value)}}`;
    case 'outcome':
      return `{"result":${outcomeText(result)}}`;
    default:
      throw new Error(`a tool gives no ${result.kind}`);
  }
}

function outcomeText({ outcome }: Extract<Result, { kind: 'outcome' }>): string {
  const refuse = (thrown: unknown): never => {
    throw thrown;
  };
  const custom = customResponse(outcome, flatOutcome, refuse);
  return custom === undefined ? flatOutcome(outcome) : String(custom.body ?? 'null');
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
