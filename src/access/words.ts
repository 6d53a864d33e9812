// Rights in words: by what something can be allowed, and the condition of a rule as the current syntax has it, whichever syntax it was written in.

import { unreachable } from '../errors.ts';
import { type AccessRule, localOf, type Model, type TypeName } from '../model/model.ts';
import type { BinaryExpression, Expression } from '../model/pattern.ts';
import type { OwnerStep, RuleOf, Way } from '../plan/access/right.ts';
import { writeJson } from '../values/json/json.ts';

/** The rule that a way refers to by its position. */
export function ruleIn(model: Model, { type, index }: RuleOf): AccessRule | undefined {
  const { entities, relationships, events, agents } = model;
  return (entities.get(type) ?? relationships.get(type) ?? events.get(type) ?? agents.get(type))?.rbac?.[index];
}

export function conditionText(where: Expression): string {
  switch (where.kind) {
    case 'binary':
      return binaryText(where);
    case 'unary':
      return where.operator === 'not' ? `not ${innerText(where.operand)}` : `-${conditionText(where.operand)}`;
    case 'list':
      return `[${where.items.map(conditionText).join(', ')}]`;
    case 'call':
      return `${where.name.text === 'localNow' ? 'now' : where.name.text}()`;
    case 'reference':
      return where.path.map((name, at) => (at === 1 && where.path[0] === 'auth' ? localOf(name) : name)).join('.');
    case 'literal':
      return writeJson(where.value);
    default:
      // Nothing else is let through where a model is loaded.
      return where.span.source.text.slice(where.span.start, where.span.end).replace(/\s+/g, ' ');
  }
}

function binaryText({ operator, left, right }: BinaryExpression): string {
  const isAbsence = right.kind === 'literal' && right.value === null;
  if (isAbsence && operator === '==') return `${conditionText(left)} is null`;
  if (isAbsence && operator === '!=') return `${conditionText(left)} is not null`;
  return `${operandText(left, operator)} ${operator === '==' ? '=' : operator} ${operandText(right, operator)}`;
}

function innerText(operand: Expression): string {
  return operand.kind === 'binary' ? `(${conditionText(operand)})` : conditionText(operand);
}

function operandText(operand: Expression, around: string): string {
  const isInner = operand.kind === 'binary' && (operand.operator === 'and' || operand.operator === 'or') && operand.operator !== around;
  return isInner ? `(${conditionText(operand)})` : conditionText(operand);
}

/** By whom a way allows something, apart from the roles of rules. */
export function holderText(way: Exclude<Way, { kind: 'rule' }>): string {
  switch (way.kind) {
    case 'admin':
      return 'admin';
    case 'owner':
      return chainText(way.chain);
    case 'grant':
      return 'granted by an owner';
    case 'ends':
      return endsText(way.by, way.ends);
    case 'resource':
      return 'owner of the instance that it is about';
    default:
      return unreachable(way);
  }
}

/** Whom a rule speaks of: its roles, and for a new child what it takes besides. */
export function ruleText({ rule, relationship, chain }: Extract<Way, { kind: 'rule' }>, roles = rule.roles): string {
  const own = `role ${roles.join(' or ')}`;
  if (chain !== undefined) return `${own}, and ${chainText(chain)}`;
  return relationship === undefined ? own : `${own}, and of ${relationship.type}: role ${relationship.roles.join(' or ')}`;
}

/** From the instance outwards: whose owner one has to be. */
export function chainText(chain: readonly OwnerStep[]): string {
  const last = chain.at(-1);
  if (last === undefined) return 'owner';
  return `owner of ${endOf(last)} (${chain.map(stepText).join(', ')})`;
}

function endOf(step: OwnerStep): TypeName {
  switch (step.kind) {
    case 'contains':
      return step.parent;
    case 'assign':
      return step.to;
    case 'above':
      return step.types.join(' or ');
    default:
      return unreachable(step);
  }
}

function stepText(step: OwnerStep): string {
  switch (step.kind) {
    case 'contains':
      return `in ${step.relationship}`;
    case 'assign':
      return `assigned by ${step.relationship}`;
    case 'above':
      return 'at any depth';
    default:
      return unreachable(step);
  }
}

function endsText(by: 'owner' | 'reader', ends: readonly string[]): string {
  const [only = '', ...others] = ends;
  const holder = by === 'owner' ? 'owner' : 'who may read';
  const joint = by === 'owner' ? ' of' : '';
  return others.length === 0 ? `${holder}${joint} ${only}` : `${holder}${joint} both ${ends.join(' and ')}`;
}
