// Who may do what, of the model alone: for each type and operation those who are allowed it, in an order that does not depend on where things stand in files.

import type { AccessRule, EventType, Model, Operation, RunAs, TypeName } from '../model/model.ts';
import { agentsNaming, boundlessBy } from '../model/run-rules.ts';
import type { AccessPlan, Rights, Way } from '../plan/access/right.ts';
import type { Plan } from '../plan/plan.ts';
import { conditionText, holderText, ruleIn, ruleText } from './words.ts';

/** `execute` is said of events and agents. */
export type MatrixOperation = Operation | 'execute';
export type MatrixKind = 'entity' | 'attribute' | 'relationship' | 'event' | 'agent';

/** One right. */
export interface MatrixEntry {
  /** Of an attribute: with its name behind a dot. */
  readonly type: TypeName;
  readonly kind: MatrixKind;
  readonly operation: MatrixOperation;
  /** The holders: a role, owners, those to whom an owner has granted it. */
  readonly who: string;
  /** Asked of the row, by a rule. */
  readonly where?: string;
  /** Of an event whose workflow runs with the rights of the system. */
  readonly as?: 'system';
}

const operations: readonly Operation[] = ['create', 'read', 'update', 'delete'];

export const operationsOf: Readonly<Record<MatrixKind, readonly MatrixOperation[]>> = {
  entity: operations,
  attribute: ['create', 'read', 'update'],
  relationship: operations,
  event: ['execute'],
  agent: ['execute'],
};

export function accessMatrix(plan: Plan, access: AccessPlan): readonly MatrixEntry[] {
  const { model } = plan;
  const types: readonly (readonly [TypeName, MatrixKind])[] = [
    ...[...model.entities.values()].filter((each) => each.system === undefined).map(({ name }) => [name, 'entity'] as const),
    ...[...plan.links.keys()].map((name) => [name, 'relationship'] as const),
  ];
  const rows = types.flatMap(([type, kind]) => {
    const rights = access.rights.get(type);
    return rights === undefined ? [] : entriesOf(type, kind, rights, model);
  });
  return [...rows, ...attributeEntries(model), ...runEntries(model, access)].toSorted(inOrder);
}

function entriesOf(type: TypeName, kind: MatrixKind, rights: Rights, model: Model): readonly MatrixEntry[] {
  return operations.flatMap((operation) => {
    const holders = rights[operation].ways.flatMap((way) => holdersOf(way, model));
    return distinct(holders).map((holder): MatrixEntry => ({ type, kind, operation, ...holder }));
  });
}

/** Of those who have the right on the instance, these have it on the attribute. Those without rules are no rows of their own. */
function attributeEntries({ entities }: Model): readonly MatrixEntry[] {
  return [...entities.values()].flatMap((entity) =>
    entity.attributes.flatMap(({ name, rbac }): readonly MatrixEntry[] =>
      rbac === undefined
        ? []
        : (['create', 'read', 'update'] as const).flatMap((operation) =>
            distinct([{ who: 'role admin' }, ...rulesSaying(rbac, operation).flatMap(attributeHolders)]).map(
              (holder): MatrixEntry => ({ type: `${entity.name}.${name}`, kind: 'attribute', operation, ...holder }),
            ),
          ),
    ),
  );
}

/** Where no rule speaks of making an instance, whoever may change the attribute may set it. */
function rulesSaying(rules: readonly AccessRule[], operation: 'create' | 'read' | 'update'): readonly AccessRule[] {
  const said = operation === 'create' && !rules.some(({ allow }) => allow.includes('create')) ? 'update' : operation;
  return rules.filter(({ allow }) => allow.includes(said));
}

function attributeHolders(rule: AccessRule): readonly Holder[] {
  return rule.roles.map((role) => ({ who: rule.owners === true ? `role ${role}, and owner` : `role ${role}`, ...whereOf(rule) }));
}

type Holder = Pick<MatrixEntry, 'who' | 'where'>;

/** Two rules may say the same. */
function distinct(holders: readonly Holder[]): readonly Holder[] {
  return [...new Map(holders.map((holder) => [`${holder.who} ${holder.where ?? ''}`, holder])).values()];
}

function holdersOf(way: Way, model: Model): readonly Holder[] {
  if (way.kind !== 'rule') return [{ who: way.kind === 'admin' ? 'role admin' : holderText(way) }];
  const rule = ruleIn(model, way.rule);
  return way.rule.roles.map((role) => ({ who: ruleText(way, [role]), ...whereOf(rule) }));
}

function whereOf(rule: AccessRule | undefined): Pick<MatrixEntry, 'where'> {
  return rule?.where === undefined ? {} : { where: conditionText(rule.where) };
}

/** Without rules, whoever is signed in runs them, unless logic alone does; a workflow does what that user may do. */
function runEntries(model: Model, { runs }: AccessPlan): readonly MatrixEntry[] {
  const events = [...model.events.values()].filter((each) => each.system === undefined);
  const agents = [...model.agents.values()];
  const ruled = (type: TypeName, free: readonly Holder[]): readonly Holder[] =>
    runs.get(type)?.ways.flatMap((way) => holdersOf(way, model)) ?? free;
  return [
    ...events.flatMap((each) => executed(each.name, 'event', holdersOfEvent(each, model, ruled), each.runAs)),
    ...agents.flatMap((each) => executed(each.name, 'agent', each.isInternal === true ? byLogic : ruled(each.name, byAnyone))),
  ];
}

const byAnyone: readonly Holder[] = [{ who: 'role *' }];
const byLogic: readonly Holder[] = [{ who: 'logic of the model' }];

/** Tools of agents that name it are rules of an event that has none, where these are needed. */
function holdersOfEvent(
  event: EventType,
  model: Model,
  ruled: (type: TypeName, free: readonly Holder[]) => readonly Holder[],
): readonly Holder[] {
  const isInternal = event.isInternal === true;
  if (!isInternal && boundlessBy(event, model) === undefined) return ruled(event.name, byAnyone);
  const named = agentsNaming(event, model).map((agent) => ({ who: `agent ${agent}, whose tools name it` }));
  const others = isInternal ? (event.rbac === undefined ? [] : ruled(event.name, [])) : ruled(event.name, []);
  return [...(isInternal ? byLogic : []), ...others, ...named];
}

function executed(type: TypeName, kind: 'event' | 'agent', holders: readonly Holder[], runAs?: RunAs): readonly MatrixEntry[] {
  const as = runAs === 'system' ? { as: runAs } : {};
  return distinct(holders).map((holder): MatrixEntry => ({ type, kind, operation: 'execute', ...holder, ...as }));
}

function inOrder(a: MatrixEntry, b: MatrixEntry): number {
  const [first, second] = [a, b].map(({ type, kind, operation, who, where = '' }): readonly (string | number)[] => [
    type,
    rankOf(who),
    who,
    where,
    operationsOf[kind].indexOf(operation),
  ]);
  const at = (first ?? []).findIndex((each, index) => each !== second?.[index]);
  const [left = 0, right = 0] = [first?.[at], second?.[at]];
  return at === -1 ? 0 : left < right ? -1 : 1;
}

/** Roles before owners, admin before all others. */
function rankOf(who: string): number {
  if (who === 'role admin') return 0;
  if (who.startsWith('role ')) return 1;
  return who.startsWith('granted') ? 3 : 2;
}

/** One line for each holder, with all operations. */
export interface MatrixLine extends Pick<MatrixEntry, 'type' | 'kind' | 'who' | 'where' | 'as'> {
  readonly operations: readonly MatrixOperation[];
}

export function matrixLines(entries: readonly MatrixEntry[]): readonly MatrixLine[] {
  const lines = new Map<string, MatrixLine>();
  for (const { type, kind, who, where, operation, as } of entries) {
    const key = JSON.stringify([type, who, where]);
    const said = { ...(where === undefined ? {} : { where }), ...(as === undefined ? {} : { as }) };
    const line = lines.get(key) ?? { type, kind, who, ...said, operations: [] };
    lines.set(key, { ...line, operations: [...line.operations, operation] });
  }
  return [...lines.values()];
}
