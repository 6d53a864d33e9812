// What is allowed, and why: the ways in which an operation on the rows of a type can be allowed, and what they come to together.

import type { Operation, TypeName } from '../../model/model.ts';
import type { EntityPlan } from '../plan.ts';
import { type Among, type Condition, everything, type KeySource, nothing } from '../query/condition.ts';
import type { Insert, TableMask } from '../query/shape.ts';

export interface AccessPlan {
  /** Users and what they own, what they were granted, and their roles. */
  readonly owners: EntityPlan;
  readonly grants: EntityPlan;
  readonly roles: EntityPlan;
  /** An owner of whom nobody looks at the row; one that was left behind while access control was off is as good. */
  readonly addOwner: Insert;
  readonly rights: RightsByType;
  /** The same for a caller with fewer roles than the user has. */
  readonly narrowedRights: RightsByType;
  /** Which attributes of what they have rights on. */
  readonly attributes: AttributeAccess;
  readonly narrowedAttributes: AttributeAccess;
  /** Who may run an event or an agent, by its name; whoever is signed in may run what is not among them. */
  readonly runs: RightsToRun;
  readonly narrowedRuns: RightsToRun;
  /** Of entities that describe users: which of their rows are the caller's own. */
  readonly profiles: ReadonlyMap<TypeName, Condition>;
  /** Those that some rule names. */
  readonly roleNames: ReadonlySet<string>;
}

export type RightsToRun = ReadonlyMap<TypeName, Right>;

export type RightsByType = ReadonlyMap<TypeName, Rights>;

/** To move something takes to own it, whatever rules say of changing and deleting it. */
export type Rights = Readonly<Record<Operation | 'move', Right>>;

export interface Right {
  /** Each of them suffices. */
  readonly ways: readonly Way[];
  /** Of a row: one of the ways holds. */
  readonly condition: Condition;
  /** The same for a list of all rows, which finds them by what the caller owns; absent where each row has to be asked. */
  readonly bySet: Among | undefined;
  /** Of a new row, where rules ask for other rows than that: absent where it is known before it is written. */
  readonly afterwards: Afterwards | undefined;
  /** Roles with which the caller may do it with every row. */
  readonly openTo: readonly string[];
}

/** What rules ask of a new row is known when it stands there with its children and links. */
export interface Afterwards {
  /** What the other ways come to. */
  readonly atOnce: Condition;
  readonly ways: readonly Deferred[];
  /** Whether what the caller may do with a row depends on what stands in it of the caller. */
  readonly asksOwnTable: boolean;
}

/** A rule that asks for other rows. */
export interface Deferred {
  /** Of the row that is to be written: that its other rows fit is assumed. */
  readonly before: Condition;
  /** Of the row, when all of it is written. */
  readonly after: Condition;
  readonly asksOwnTable: boolean;
}

/** One way in which something can be allowed. */
export type Way = WayCondition &
  (
    | { readonly kind: 'admin' }
    /** By a rule of the type, by its position. A new child also takes its parent, or a rule of the relationship instead. */
    | {
        readonly kind: 'rule';
        readonly rule: RuleOf;
        readonly relationship?: RuleOf;
        /** From the child to what the caller owns, and the condition of the rule alone. */
        readonly chain?: readonly OwnerStep[];
        readonly ofRow?: Condition;
      }
    /** From the instance to what the caller owns. */
    | { readonly kind: 'owner'; readonly chain: readonly OwnerStep[] }
    /** What an owner has granted. */
    | { readonly kind: 'grant'; readonly actions: readonly string[] }
    /** Of a link: by these of its ends. */
    | { readonly kind: 'ends'; readonly by: 'owner' | 'reader'; readonly ends: readonly string[] }
    /** Of an owner or a grant: by who owns the instance that it is about. */
    | { readonly kind: 'resource'; readonly chain: readonly OwnerStep[] }
  );

interface WayCondition {
  /** Of the row. */
  readonly condition: Condition;
  /** The keys of all rows for which it holds, where they can be found without looking at each row. */
  readonly keys: readonly KeySource[] | undefined;
  readonly deferred?: Deferred;
}

export interface RuleOf {
  readonly type: TypeName;
  /** Which of its rules, from 0. */
  readonly index: number;
  readonly roles: readonly string[];
}

export type OwnerStep =
  /** The instance stands in another one. */
  | { readonly kind: 'contains'; readonly relationship: TypeName; readonly parent: TypeName }
  /** It stands, at whatever depth, below an instance of one of these types. */
  | { readonly kind: 'above'; readonly types: readonly TypeName[] }
  /** A link gives the owners of its one end what is at its other one. */
  | { readonly kind: 'assign'; readonly relationship: TypeName; readonly to: TypeName };

/** `key` is the column by which rows are found. */
export function rightOf(ways: readonly Way[], key: string): Right {
  const keys = ways.map((each) => each.keys);
  const found = keys.every((each) => each !== undefined) ? keys.flatMap((each) => each ?? []) : undefined;
  const condition = anyOf(ways.map((each) => each.condition));
  return {
    ways,
    condition,
    bySet: found === undefined || condition.kind === 'all' ? undefined : { kind: 'among', column: key, keys: found },
    afterwards: afterwardsOf(ways),
    openTo: ways.flatMap(rolesForAll),
  };
}

function afterwardsOf(ways: readonly Way[]): Afterwards | undefined {
  const deferred = ways.flatMap((each) => each.deferred ?? []);
  if (deferred.length === 0) return undefined;
  return {
    atOnce: anyOf(ways.filter((each) => each.deferred === undefined).map((each) => each.condition)),
    ways: deferred,
    asksOwnTable: deferred.some((each) => each.asksOwnTable),
  };
}

/** Of a rule without a condition. */
function rolesForAll(way: Way): readonly string[] {
  if (way.kind === 'admin') return [adminRole];
  if (way.deferred !== undefined) return [];
  const isOfRow = way.kind === 'rule' && way.chain === undefined && way.relationship === undefined;
  return isOfRow && way.condition.kind === 'exists' && way.condition.on === undefined ? way.rule.roles : [];
}

export const adminRole = 'admin';

export function anyOf(conditions: readonly Condition[]): Condition {
  if (conditions.some((each) => each.kind === 'all')) return everything;
  const [only, ...others] = conditions.filter((each) => each !== nothing);
  if (only === undefined) return nothing;
  return others.length === 0 ? only : { kind: 'or', conditions: [only, ...others] };
}

export function allOf(conditions: readonly Condition[]): Condition {
  if (conditions.includes(nothing)) return nothing;
  const [only, ...others] = conditions.filter((each) => each.kind !== 'all');
  if (only === undefined) return everything;
  return others.length === 0 ? only : { kind: 'and', conditions: [only, ...others] };
}

export type AttributeOperation = 'read' | 'update' | 'create';

export interface AttributeRight {
  /** Of the row. */
  readonly condition: Condition;
  /** Whoever has none of these roles may do it with no row. */
  readonly roles: ReadonlySet<string>;
  /** With one of these, the caller may do it with every row. */
  readonly openTo: ReadonlySet<string>;
  /** Whether rules ask for other rows, some of which may only come with the row. */
  readonly asksOthers: boolean;
}

/** By the name of the attribute; those that are not there have no rules. */
export type AttributeRights = ReadonlyMap<string, Readonly<Record<AttributeOperation, AttributeRight>>>;

export interface AttributeAccess {
  readonly rights: ReadonlyMap<TypeName, AttributeRights>;
  /** What is hidden from whoever may not read all of it, by the name of the table. */
  readonly masks: ReadonlyMap<string, TableMask>;
}

/** Whether somebody with these roles may ever do it. */
export function isEverAllowed({ roles }: AttributeRight, held: readonly string[]): boolean {
  return roles.has('*') || held.some((each) => roles.has(each));
}
