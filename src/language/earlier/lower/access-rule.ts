// In charge of one rule of `:rbac`: who may do what, with which rows.

import type { RbacRule } from '../../../model/declaration.ts';
import { absence, type Expression, type Name } from '../../../model/pattern.ts';
import { withParts } from '../../../model/walk.ts';
import { type Collection, type Form, isKeyword, type Keyword, lookUp, pairsOf } from '../read/form.ts';
import { lowerCondition } from './condition.ts';
import { expected, fault, type Lowering, reference } from './lowering.ts';

export const ruleKeys: ReadonlySet<string> = new Set(['roles', 'owners', 'allow', 'where']);

/** Of an attribute: nothing but who may do what with it. */
export function lowerAttributeRule(map: Collection, lowering: Lowering): RbacRule {
  for (const { key } of pairsOf(map))
    if (!isKeyword(key) || !ruleKeys.has(key.name)) expected(lowering, key, map, 'one of `:roles`, `:owners`, `:allow` and `:where`');
  return lowerRule(map, lowering);
}

export function lowerRule(map: Collection, lowering: Lowering): RbacRule {
  const roles = lookUp(map, 'roles');
  const owners = lookUp(map, 'owners');
  const allow = lookUp(map, 'allow');
  const where = lookUp(map, 'where');
  if (allow === undefined) fault(lowering, 'annotation-argument', map.span, 'the rule allows nothing', 'add `:allow [:read]`');
  if (owners !== undefined && owners.kind !== 'boolean') expected(lowering, owners, map, '`true` or `false`');
  const around = { lowering, reference: rowReference };
  return {
    ...(roles === undefined ? {} : { roles: rights(roles, lowering) }),
    ...(owners?.kind === 'boolean' ? { owners: owners.value } : {}),
    allow: allow === undefined ? [] : rights(allow, lowering),
    ...(where === undefined ? {} : { where: asRowCondition(lowerCondition(where, around), lowering) }),
    span: map.span,
  };
}

/** `(today)` is a function of conditions, where the model has none of that name, and what is compared with `nil` is absent or not. */
function asRowCondition(condition: Expression, lowering: Lowering): Expression {
  if (condition.kind === 'call' && condition.name.text === 'today' && !lowering.functions.has('today')) {
    const { function: _, ...call } = condition;
    return call;
  }
  if (condition.kind === 'binary' && (condition.operator === '==' || condition.operator === '!=')) {
    const { right } = condition;
    return right.kind === 'literal' && right.value === null ? { ...condition, right: { ...right, raw: absence } } : condition;
  }
  const hasParts = condition.kind === 'unary' || condition.kind === 'binary' || condition.kind === 'list';
  return hasParts ? withParts(condition, (each) => asRowCondition(each, lowering)) : condition;
}

/** `:auth.user` is the caller, every other name an attribute of the row. */
function rowReference({ name, span }: Keyword): Expression {
  const path = name.split('.');
  return reference(path[0] === 'auth' || path[0] === 'this' ? path : ['this', ...path], span);
}

function rights(form: Form, lowering: Lowering): readonly Name[] {
  const items = form.kind === 'vector' || form.kind === 'set' || form.kind === 'list' ? form.items : [form];
  return items.flatMap((each): readonly Name[] => {
    if (each.kind === 'text') return [{ text: each.value, span: each.span }];
    return each.kind === 'keyword' ? [{ text: each.name, span: each.span }] : (expected(lowering, each, form, 'a name') ?? []);
  });
}
