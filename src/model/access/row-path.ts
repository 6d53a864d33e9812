// Paths of rules: from a row along references and relationships to an attribute, `this.animal.keeper`; where each of them leads, or why nowhere.

import type { DiagnosticCode } from '../../diagnostics.ts';
import { isShown } from '../description.ts';
import { type Attribute, type Between, type Entity, localOf, type Model, type TypeName } from '../model.ts';

/** References and relationships that may stand before the attribute. */
export const mostSteps = 4;

/** From one row to the related ones. */
export type RowStep =
  | { readonly kind: 'ref'; readonly attribute: string; readonly target: string; readonly entity: TypeName }
  /** To what contains it, or to what it contains. */
  | { readonly kind: 'parent' | 'child'; readonly relationship: TypeName; readonly entity: TypeName }
  /** Along a link, from the end that is the row to the other one. */
  | { readonly kind: 'link'; readonly relationship: TypeName; readonly from: string; readonly to: string; readonly entity: TypeName }
  /** From a link to what stands at its end. */
  | { readonly kind: 'end'; readonly end: string; readonly entity: TypeName };

export interface RowPath {
  readonly steps: readonly RowStep[];
  readonly attribute: Attribute;
}

export interface PathFault {
  readonly code: DiagnosticCode;
  readonly message: string;
  /** The name that was not found, among those that there are. */
  readonly unknown?: { readonly name: string; readonly known: readonly string[] };
  readonly suggestion?: string;
}

export type RowType = Entity | Between;

/** `names` are those behind `this`. */
export function rowPath(names: readonly string[], start: RowType, model: Model): RowPath | PathFault {
  const steps: RowStep[] = [];
  let holder = start;
  let rest = names;
  for (;;) {
    const [name = '', ...further] = rest;
    const attribute = attributeOf(name, holder);
    if (attribute !== undefined && further.length === 0) return tooFar(steps) ?? hidden(attribute, holder) ?? { steps, attribute };
    const step = attribute === undefined ? stepAlong(rest, holder, model) : behind(attribute, holder);
    if ('code' in step) return step;
    steps.push(step);
    const next = model.entities.get(step.entity);
    // An end that is no entity has been told where it stands.
    if (next === undefined) return { code: 'end-unknown', message: `\`${step.entity}\` is no entity` };
    holder = next;
    rest = step.kind === 'ref' || step.kind === 'end' ? further : further.slice(1);
    if (rest.length === 0)
      return {
        code: 'rbac-condition',
        message: `\`${names.join('.')}\` ends at a \`${holder.local}\`: a condition compares one attribute of it`,
      };
  }
}

/** Whether it leads to one row at the most. */
export function isSingle({ steps }: RowPath): boolean {
  return steps.every(({ kind }) => kind === 'ref' || kind === 'parent' || kind === 'end');
}

function attributeOf(name: string, { attributes }: RowType): Attribute | undefined {
  return attributes.find((each) => each.name === name);
}

function tooFar(steps: readonly RowStep[]): PathFault | undefined {
  if (steps.length <= mostSteps) return undefined;
  const message = `the path takes ${steps.length} steps, and a condition goes ${mostSteps} at the most`;
  return { code: 'rbac-path', message, suggestion: 'keep what lies further away in an attribute of its own, where it is near' };
}

function hidden(attribute: Attribute, { local }: RowType): PathFault | undefined {
  if (isShown(attribute)) return undefined;
  return { code: 'rbac-path', message: `\`${attribute.name}\` of \`${local}\` is shown to nobody, and compared with nothing` };
}

function behind(attribute: Attribute, { local }: RowType): RowStep | PathFault {
  const { name, ref, list } = attribute;
  if (ref === undefined) return { code: 'rbac-path', message: `\`${name}\` of \`${local}\` is no reference: no path goes on from it` };
  if (list) return { code: 'rbac-path', message: `\`${name}\` refers to many instances; a path goes on from one` };
  return { kind: 'ref', attribute: name, target: ref.attribute, entity: ref.entity };
}

function stepAlong([name = '', alias = '']: readonly string[], holder: RowType, model: Model): RowStep | PathFault {
  if (holder.kind === 'between') {
    const end = holder.ends.find(({ attribute }) => attribute === name);
    if (end !== undefined) return { kind: 'end', end: name, entity: end.entity };
    const known = [...holder.ends, ...holder.attributes].map((each) => ('attribute' in each ? each.attribute : each.name));
    return { code: 'attribute-unknown', message: `there is no attribute \`${name}\` here`, unknown: { name, known } };
  }
  const ways = waysFrom(holder, model);
  const along = ways.filter((each) => each.relationship === name);
  if (along.length === 0) return noSuchName(name, holder, ways);
  const found = along.find(({ names }) => names.includes(alias));
  if (found !== undefined) return found.step;
  const names = along.flatMap((each) => each.names);
  const message = `\`${name}\` leads from \`${holder.local}\` to ${names.map((each) => `\`${each}\``).join(' or ')}, not to \`${alias}\``;
  return { code: 'end-unknown', message, unknown: { name: alias, known: names } };
}

function noSuchName(name: string, { attributes }: RowType, ways: readonly Way[]): PathFault {
  const known = [...attributes.map((each) => each.name), ...ways.map(({ relationship }) => relationship)];
  return { code: 'attribute-unknown', message: `there is no attribute \`${name}\` here`, unknown: { name, known } };
}

interface Way {
  readonly relationship: string;
  /** What its other end is called. */
  readonly names: readonly string[];
  readonly step: RowStep;
}

/** By the relationships that begin or end at an entity: those of its own module hide others of the same name. */
function waysFrom({ name, module }: Entity, { relationships }: Model): readonly Way[] {
  const all = [...relationships.values()].flatMap((each): readonly (Way & { readonly module: string })[] => {
    const base = { relationship: each.local, module: each.module };
    if (each.kind === 'contains') {
      const isSelf = each.parent === each.child;
      const down = { kind: 'child', relationship: each.name, entity: each.child } as const;
      const up = { kind: 'parent', relationship: each.name, entity: each.parent } as const;
      return [
        ...(each.parent === name ? [{ ...base, names: namesOf(each.child, each.childRole, isSelf), step: down }] : []),
        ...(each.child === name ? [{ ...base, names: namesOf(each.parent, each.parentRole, isSelf), step: up }] : []),
      ];
    }
    const [first, second] = each.ends;
    const isSelf = first.entity === second.entity;
    return (
      [
        [first, second],
        [second, first],
      ] as const
    ).flatMap(([from, to]) => {
      const step = { kind: 'link', relationship: each.name, from: from.attribute, to: to.attribute, entity: to.entity } as const;
      return from.entity === name ? [{ ...base, names: namesOf(to.entity, to.attribute, isSelf), step }] : [];
    });
  });
  const own = new Set(all.filter((each) => each.module === module).map(({ relationship }) => relationship));
  return all.filter((each) => each.module === module || !own.has(each.relationship));
}

function namesOf(entity: TypeName, role: string | undefined, isSelf: boolean): readonly string[] {
  const own = isSelf ? [] : [localOf(entity)];
  return role === undefined || own.includes(role) ? own : [role, ...own];
}
