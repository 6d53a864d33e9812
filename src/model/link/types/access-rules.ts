// @rbac: who may do what with the instances of a type.

import type { Annotation, RbacRule } from '../../declaration.ts';
import { didYouMean } from '../../fault-report.ts';
import type { AccessRule, Operation } from '../../model.ts';
import type { Name } from '../../pattern.ts';
import { type Marks, mark } from '../annotations.ts';
import { linkExpression, type Surroundings } from '../expressions.ts';
import { type Linking, lookUp } from '../scope.ts';

const operations: readonly Operation[] = ['create', 'read', 'update', 'delete'];

/** `attributes` are those of `this` in a row condition: for who has left the `this` out. */
export function linkAccess(
  marks: Marks,
  module: string,
  attributes: () => readonly string[],
  linking: Linking,
): readonly AccessRule[] | undefined {
  const annotation: Annotation | undefined = mark(marks, 'rbac');
  if (annotation?.kind !== 'rbac') return undefined;
  const around = rowCondition(module, new Set(attributes()), linking);
  return annotation.rules.map((rule) => linkRule(rule, around, linking));
}

/** Who may run an event, a workflow or an agent: to run it is to create it, and there is no row to ask anything of. */
export function linkRunRules(marks: Marks, linking: Linking): readonly AccessRule[] | undefined {
  const annotation: Annotation | undefined = mark(marks, 'rbac');
  if (annotation?.kind !== 'rbac') return undefined;
  return annotation.rules.map((rule) => linkRunRule(rule, linking));
}

function linkRunRule({ roles, allow, where, span }: RbacRule, { report }: Linking): AccessRule {
  for (const { text, span: at } of allow) {
    if (text === 'create' || text === '*') continue;
    const message = `it is run, which is \`create\`; there is no \`${text}\` here`;
    report.unknown('rbac-operation-unknown', at, message, text, ['create', '*']);
  }
  if (where !== undefined) report.fault('annotation-argument', where.span, 'what is run is no row: a rule about it has no condition');
  return { roles: roles?.map((each) => each.text) ?? ['*'], allow: allow.length === 0 ? [] : ['create'], where: undefined, span };
}

const ofAttributes: readonly Operation[] = ['create', 'read', 'update'];

/** Who of those who may read, change or make an instance may do so with this attribute. */
export function linkAttributeAccess(
  marks: Marks,
  module: string,
  attributes: () => readonly string[],
  linking: Linking,
): readonly AccessRule[] | undefined {
  const annotation: Annotation | undefined = mark(marks, 'rbac');
  if (annotation?.kind !== 'rbac') return undefined;
  const around = rowCondition(module, new Set(attributes()), linking);
  return annotation.rules.map((rule): AccessRule => {
    const linked = linkRule({ ...rule, owners: false }, around, linking);
    const wrong = rule.allow.find(({ text }) => text === 'delete');
    if (wrong !== undefined)
      linking.report.fault(
        'rbac-operation-unknown',
        wrong.span,
        `an attribute is not deleted by itself; there are ${ofAttributes.join(', ')} and *`,
      );
    const allow = linked.allow.filter((each) => each !== 'delete');
    return rule.owners === true ? { ...linked, allow, owners: true } : { ...linked, allow };
  });
}

function linkRule(rule: RbacRule, around: Surroundings, linking: Linking): AccessRule {
  if (rule.owners === true)
    linking.report.fault(
      'annotation-argument',
      rule.span,
      'only a rule of an attribute speaks of owners; the owners of an instance have all rights on it without one',
    );
  return {
    // A rule without roles is for whoever is signed in, as far as its condition goes.
    roles: rule.roles?.map((each) => each.text) ?? ['*'],
    allow: [...new Set(rule.allow.flatMap((each) => operationsOf(each, linking)))],
    where: rule.where === undefined ? undefined : linkExpression(rule.where, around, linking),
    span: rule.span,
  };
}

function operationsOf(name: Name, { report }: Linking): readonly Operation[] {
  if (name.text === '*') return operations;
  const found = operations.find((each) => each === name.text);
  if (found !== undefined) return [found];
  report.unknown(
    'rbac-operation-unknown',
    name.span,
    `there is no operation \`${name.text}\`; there are ${operations.join(', ')} and *`,
    name.text,
    operations,
  );
  return [];
}

/** `auth.user = this.attr`: the caller on one side, the row on the other. Where their names lead is seen when all types are known. */
function rowCondition(module: string, attributes: ReadonlySet<string>, { report, scope }: Linking): Surroundings {
  return {
    module,
    reference(path, span) {
      const [first = '', second = '', ...rest] = asked(path);
      if (first === 'auth') {
        const found = lookUp(second, module, scope);
        return found?.kind === 'entity' && rest.length > 0 ? [first, found.name, ...rest] : [first, second, ...rest];
      }
      if (first !== 'this')
        report.fault(
          'alias-unknown',
          span,
          `a condition of \`@rbac\` knows \`auth\` and \`this\`, not \`${first}\``,
          attributes.has(first) ? didYouMean(`this.${[first, second, ...rest].filter((each) => each !== '').join('.')}`) : undefined,
        );
      return path;
    },
    knows: ([first = '']) => first === 'auth' || first === 'this',
    isFunction: (name) => name === 'now' || name === 'today',
    pattern(pattern) {
      report.fault('pattern-type', pattern.span, 'no pattern can stand in a condition of `@rbac`');
      return pattern;
    },
  };
}

/** `auth.hr/Staff.clinic` is read with the module in its first part. */
function asked(path: readonly string[]): readonly string[] {
  const [first = '', ...rest] = path;
  return first.startsWith('auth.') && first.includes('/') ? ['auth', first.slice('auth.'.length), ...rest] : path;
}
