// What the rules of access control say, in plain code over plain data: who may do what with which instance, and how a denial is answered.

import { type EntityRules, endName, type LinkRules, type ModelRules, type Operation, type Rule } from './rules.ts';

export interface User {
  /** `undefined`: nobody is signed in. */
  readonly email: string | undefined;
  readonly roles: readonly string[];
}

export interface Row {
  readonly type: string;
  readonly id: number;
  /** In no other row. */
  readonly text: string;
  readonly boss?: string;
  /** Of an attribute with rules of its own. */
  readonly pin?: string;
  readonly parent?: Row;
}

export interface Link {
  readonly type: string;
  /** In the order of the relationship's ends. */
  readonly ends: readonly [Row, Row];
}

export interface Grant {
  readonly row: Row;
  readonly assignee: string;
  readonly actions: readonly Operation[];
}

export interface Facts {
  readonly model: ModelRules;
  readonly rows: readonly Row[];
  readonly links: readonly Link[];
  readonly owners: readonly { readonly row: Row; readonly assignee: string }[];
  readonly grants: readonly Grant[];
}

export type Decision = 'allowed' | 'unauthenticated' | 'forbidden' | 'not found';

/** Rule 3. */
function isAdmin({ roles }: User): boolean {
  return roles.includes('admin');
}

/** Owners are those who are named, those of what contains it, and while a link with `:assign` exists those of its end `<To>`. */
export function owns(user: User, row: Row, facts: Facts): boolean {
  if (isNamedOwner(user, row, facts)) return true;
  if (row.parent !== undefined && isOwnedFromAbove(row, facts) && owns(user, row.parent, facts)) return true;
  return facts.links.some((link) => {
    const assigned = assignedBy(link, facts.model);
    return assigned?.from === row && isOwnerOfLinked(user, assigned.to, facts);
  });
}

/** What one link gives is not passed on by another: a friend of a friend is no owner. */
function isOwnerOfLinked(user: User, row: Row, facts: Facts): boolean {
  return (
    isNamedOwner(user, row, facts) || (row.parent !== undefined && isOwnedFromAbove(row, facts) && isOwnerOfLinked(user, row.parent, facts))
  );
}

/** Owners of a parent own what has no rules of its own, or stands in it by `@inherit`. */
function isOwnedFromAbove({ type }: Row, { model }: Facts): boolean {
  const { rules, within } = entityRules(type, model);
  return rules === undefined || within?.inherit === true;
}

function isNamedOwner({ email }: User, row: Row, { owners }: Facts): boolean {
  return owners.some((each) => each.row === row && each.assignee === email);
}

function assignedBy(link: Link, model: ModelRules): { readonly from: Row; readonly to: Row } | undefined {
  const rules = linkRules(link.type, model);
  if (rules.assign === undefined) return undefined;
  return { from: endOf(link, rules, rules.assign.from), to: endOf(link, rules, rules.assign.to) };
}

export function endOf({ ends }: Link, { ends: [first] }: LinkRules, name: string): Row {
  return endName(first) === name ? ends[0] : ends[1];
}

/** A grant of update or delete includes read. */
function isGranted(user: User, operation: Operation, row: Row, { grants }: Facts): boolean {
  const sufficient = operation === 'read' ? (['read', 'update', 'delete'] as const) : [operation];
  return grants.some(
    ({ row: granted, assignee, actions }) =>
      granted === row && assignee === user.email && sufficient.some((action) => actions.includes(action)),
  );
}

/** Role `*` is any signed-in user; the condition of a rule holds for the row as it is. */
function ruleAllows(rules: readonly Rule[], user: User, operation: Operation, row: Pick<Row, 'boss'>): boolean {
  if (user.email === undefined) return false;
  return rules.some(
    ({ roles, allow, where }) =>
      roles.some((role) => role === '*' || user.roles.includes(role)) &&
      (allow.includes('*') || allow.includes(operation)) &&
      (where === undefined || row.boss === user.email),
  );
}

/** Whether an operation on an existing instance is within the user's rights, whatever the path to it. */
export function may(user: User, operation: Exclude<Operation, 'create'>, row: Row, facts: Facts): boolean {
  if (isAdmin(user) || owns(user, row, facts) || isGranted(user, operation, row, facts)) return true;
  const { rules = [], ownerOnly } = entityRules(row.type, facts.model);
  if (ownerOnly === true && operation !== 'read') return false;
  return ruleAllows(rules, user, operation, row);
}

export function canRead(user: User, row: Row, facts: Facts): boolean {
  return may(user, 'read', row, facts);
}

/** A path through a parent that the caller may not read is 404. */
export function reaches(user: User, row: Row, facts: Facts): boolean {
  return canRead(user, row, facts) && (row.parent === undefined || reaches(user, row.parent, facts));
}

/** An operation on one instance, at its flat path or at the one under its parents. */
export function decide(user: User, operation: Exclude<Operation, 'create'>, row: Row, path: 'flat' | 'nested', facts: Facts): Decision {
  if (user.email === undefined) return 'unauthenticated';
  const knows = path === 'flat' ? canRead(user, row, facts) : reaches(user, row, facts);
  if (!knows) return 'not found';
  return may(user, operation, row, facts) ? 'allowed' : 'forbidden';
}

/**
 * A new instance: of a root type by role. Under a parent it takes the right to create the type, which who owns the parent has where there are no rules,
 * and the parent: to own it, or a rule of the relationship.
 */
export function decideCreate(
  user: User,
  type: string,
  row: Pick<Row, 'boss'>,
  parent: Row | undefined,
  facts: Facts,
  path: 'flat' | 'nested' = 'nested',
): Decision {
  if (user.email === undefined) return 'unauthenticated';
  const knows = path === 'flat' ? canRead : reaches;
  if (parent !== undefined && !knows(user, parent, facts)) return 'not found';
  if (isAdmin(user)) return 'allowed';
  const { rules, within } = entityRules(type, facts.model);
  const isAllowed = ruleAllows(rules ?? [], user, 'create', row);
  if (parent === undefined) return isAllowed ? 'allowed' : 'forbidden';
  const isOwner = owns(user, parent, facts);
  if (rules === undefined) return isOwner ? 'allowed' : 'forbidden';
  return isAllowed && (isOwner || ruleAllows(within?.rules ?? [], user, 'create', row)) ? 'allowed' : 'forbidden';
}

/** A link: both ends are owned, or the one that `:owner` names, or a rule of the relationship allows it; both ends can be read. */
export function decideLink(user: User, link: Link, facts: Facts): Decision {
  if (user.email === undefined) return 'unauthenticated';
  if (!link.ends.every((end) => canRead(user, end, facts))) return 'not found';
  if (isAdmin(user)) return 'allowed';
  const rules = linkRules(link.type, facts.model);
  const owned = rules.owner === undefined ? link.ends : [endOf(link, rules, rules.owner)];
  if (owned.every((end) => owns(user, end, facts))) return 'allowed';
  return ruleAllows(rules.rules ?? [], user, 'create', {}) ? 'allowed' : 'forbidden';
}

/** What somebody who may do it with the instance may do with its attribute; owners of what is made are who makes it. */
export function mayWithPin(
  user: User,
  operation: 'create' | 'read' | 'update',
  row: Pick<Row, 'type' | 'boss'>,
  isOwner: boolean,
  { model }: Facts,
): boolean {
  if (isAdmin(user)) return true;
  const { pin = [] } = entityRules(row.type, model);
  // Where no rule says who may set it, whoever may change it may.
  const said = operation === 'create' && !pin.some(({ allow }) => allow.includes('create')) ? 'update' : operation;
  return pin.some(
    ({ roles, allow, owners, where }) =>
      roles.some((role) => role === '*' || user.roles.includes(role)) &&
      allow.includes(said) &&
      (owners !== true || isOwner) &&
      (where === undefined || row.boss === user.email),
  );
}

/** Whether there may be a row of which somebody with these roles may read it. */
export function mayEverReadPin(user: User, type: string, { model }: Facts): boolean {
  const { pin = [] } = entityRules(type, model);
  const has = (roles: readonly string[]): boolean => roles.some((role) => role === '*' || user.roles.includes(role));
  return isAdmin(user) || pin.some(({ roles, allow }) => allow.includes('read') && has(roles));
}

export function seesPin(user: User, row: Row, facts: Facts): boolean {
  return canRead(user, row, facts) && mayWithPin(user, 'read', row, owns(user, row, facts), facts);
}

/** Rows of a list. */
export function visible(user: User, rows: readonly Row[], facts: Facts): readonly Row[] {
  return rows.filter((row) => canRead(user, row, facts));
}

function entityRules(type: string, { entities }: ModelRules): EntityRules {
  const found = entities.find(({ name }) => name === type);
  if (found === undefined) throw new Error(`there is no entity ${type}`);
  return found;
}

export function linkRules(type: string, { links }: ModelRules): LinkRules {
  const found = links.find(({ name }) => name === type);
  if (found === undefined) throw new Error(`there is no relationship ${type}`);
  return found;
}
