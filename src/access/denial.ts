// Why a request was refused, for an admin who asks with an API key that has fewer roles: what could have allowed it, by the model alone. No owner and no
// value is named, because whoever has the key was given fewer rights on purpose.

import type { Denial } from '../errors.ts';
import { adminRole, type Rights, type Way } from '../plan/access/right.ts';
import type { Condition } from '../plan/query/condition.ts';
import { positionOf, type Span } from '../source.ts';
import { type Asking, hasRow, rolesTested } from './ways.ts';
import { conditionText, holderText, ruleIn } from './words.ts';

/** One line for each way; nothing for whoever is no admin. */
export async function denialLines({ action, type }: Denial, asking: Asking): Promise<readonly string[] | undefined> {
  if (!(await hasRole([adminRole], asking))) return undefined;
  const { access } = asking;
  const rights = access.narrowedRights.get(type);
  const right = rights !== undefined && isRight(action, rights) ? rights[action] : undefined;
  const lines: string[] = [];
  for (const way of (right ?? access.narrowedRuns.get(type))?.ways ?? [])
    lines.push(`${nameOf(way, asking)}: ${await whyNot(way, asking)}`);
  return lines.length === 0 ? undefined : lines;
}

function isRight(action: string, rights: Rights): action is keyof Rights {
  return Object.hasOwn(rights, action);
}

function nameOf(way: Way, { model }: Asking): string {
  if (way.kind !== 'rule') return way.kind === 'admin' ? `role ${adminRole}` : holderText(way);
  const rule = ruleIn(model, way.rule);
  const where = rule?.where === undefined ? '' : ` where ${conditionText(rule.where)}`;
  return `role ${way.rule.roles.join(' or ')}${where}${rule === undefined ? '' : ` (${placeOf(rule.span)})`}`;
}

/** The name of the file alone: where the project lies is nobody's business. */
function placeOf(span: Span): string {
  return `${span.source.file.split(/[\\/]/).at(-1) ?? ''}:${positionOf(span).line}`;
}

async function whyNot(way: Way, asking: Asking): Promise<string> {
  if (way.kind !== 'admin' && way.kind !== 'rule') return 'does not hold';
  for (const { roles, condition } of rolesTested(way.condition, asking.access)) {
    if (await hasRow(condition, asking)) continue;
    return (await hasRole(roles, asking)) ? 'the API key does without it' : 'the user has no such role';
  }
  return 'the condition does not hold';
}

/** Whether the user has one of these roles, whatever roles the key has. */
function hasRole(roles: readonly string[], asking: Asking): Promise<boolean> {
  const conditions: readonly Condition[] = [
    { kind: 'compare', column: 'assignee', operator: 'eq', value: { ambient: 'caller.user' } },
    { kind: 'compare', column: 'role', operator: 'in', value: { constants: roles } },
  ];
  return hasRow({ kind: 'exists', table: asking.access.roles.table, where: { kind: 'and', conditions } }, asking);
}
