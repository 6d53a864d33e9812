// Arguments of a tool → operation: the same operations that requests become, with the same checks behind them.

import { queryValue } from '../../engine/eval/query-value.ts';
import type { Address, Collection, Operation } from '../../engine/operation.ts';
import { error, type Fault, invalid } from '../../errors.ts';
import { columnKind } from '../../model/model.ts';
import type { ContainsPlan, EntityPlan } from '../../plan/plan.ts';
import { equal, nothing } from '../../plan/query/condition.ts';
import type { Filter } from '../../plan/query/filter.ts';
import { plainView, wholeSelection } from '../../plan/query/selection.ts';
import { fault } from '../../plan/rows/attribute.ts';
import { stepsOf } from '../../plan/rows/path.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Value, Values } from '../../values/value.ts';
import { isComparable, isSettable } from './schema.ts';

const limits = { usual: 20, most: 50 } as const;

export function createOperation(plan: EntityPlan, given: Values): Operation {
  const { parent, ...body } = plan.contained ? given : { ...given, parent: undefined };
  refuseUnknown(plan, body, isSettable);
  return { kind: 'create', at: parent === undefined ? rootOf(plan) : under(plan, parent), body };
}

export function updateOperation(plan: EntityPlan, given: Values): Operation {
  const { identifier } = plan;
  const { [identifier.name]: id, [pathColumn]: path, ...body } = given;
  refuseUnknown(plan, body, isSettable);
  if (typeof path === 'string' && plan.contained) return { kind: 'update', at: addressAt(plan, path), body, versions: undefined };
  if (id === undefined || id === null) throw invalid([fault(identifier.name, 'required', 'is required')]);
  return { kind: 'update', at: { in: rootOf(plan), id: identifierIn(plan, id) }, body, versions: undefined };
}

export function readOperation(plan: EntityPlan, given: Values): Operation {
  const { limit = limits.usual, [pathColumn]: path, ...compared } = given;
  refuseUnknown(plan, compared, isComparable);
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1)
    throw invalid([fault('limit', 'value', `must be an integer from 1 to ${limits.most}`)]);
  const filters = Object.entries(compared).map(([name, value]) => equality(plan, name, value));
  const atPath: readonly Filter[] =
    typeof path === 'string' && plan.contained ? [{ kind: 'test', condition: equal(pathColumn), values: [path] }] : [];
  return {
    kind: 'list',
    at: rootOf(plan),
    query: {
      filter: { kind: 'and', filters: [...filters, ...atPath] },
      key: '',
      order: [{ column: plan.key, descending: false }],
      selection: wholeSelection(plainView),
      limit: Math.min(limit, limits.most),
      offset: undefined,
      after: undefined,
      count: false,
    },
  };
}

/** Only what the tool offers may be sent: what is secret, computed or of the service is not there for a model. */
function refuseUnknown({ local, attribute }: EntityPlan, given: Values, isOffered: typeof isSettable): void {
  const faults = Object.keys(given).flatMap((name): readonly Fault[] => {
    const plan = attribute.get(name);
    return plan !== undefined && isOffered(plan.attribute) ? [] : [fault(name, 'unknown', `is not an attribute of ${local}`)];
  });
  if (faults.length > 0) throw invalid(faults);
}

function equality({ attribute }: EntityPlan, name: string, value: Value): Filter {
  const plan = attribute.get(name);
  const kind = plan === undefined ? undefined : columnKind(plan.attribute);
  if (plan === undefined || kind === undefined) throw invalid([fault(name, 'unknown', 'cannot be compared')]);
  if (value === null) return { kind: 'test', condition: { kind: 'compare', column: plan.column, operator: 'null' }, values: [] };
  const asked = queryValue('eq', kind, value);
  if (asked === 'none') return { kind: 'test', condition: nothing, values: [] };
  return asked === 'all' ? { kind: 'and', filters: [] } : { kind: 'test', condition: equal(plan.column), values: [asked.value] };
}

function rootOf(plan: EntityPlan): Collection {
  return { plan, under: undefined };
}

/** The parent by its path, or by its identifier where only one relationship leads to the type. */
function under(plan: EntityPlan, parent: Value): Collection {
  for (const contains of plan.parents) {
    if (typeof parent === 'string' && stepsOf(contains.parent, parent).kind === 'steps')
      return childrenOf(contains, addressAt(contains.parent, parent));
  }
  const [only, ...others] = plan.parents;
  if (only === undefined || others.length > 0) throw invalid([fault('parent', 'value', 'is not the path of a parent')]);
  return childrenOf(only, { in: rootOf(only.parent), id: identifierIn(only.parent, parent) });
}

function childrenOf(contains: ContainsPlan, parent: Address): Collection {
  return { plan: contains.child, under: { parent, step: { kind: 'contains', contains, target: contains.child, names: [] } } };
}

function addressAt(plan: EntityPlan, path: string): Address {
  const steps = stepsOf(plan, path);
  if (steps.kind === 'wrong') throw error('instance-not-found');
  let address: Address = { in: rootOf(steps.root.entity), id: steps.root.id };
  for (const { id, contains } of steps.below) address = { in: childrenOf(contains, address), id };
  return address;
}

function identifierIn({ identifier }: EntityPlan, value: Value): Value {
  const text = typeof value === 'object' ? undefined : identifier.parseText(String(value));
  if (text === undefined || text === null) throw error('instance-not-found');
  return text;
}
