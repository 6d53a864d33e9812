// What of a module is drawn: its entities, those of other modules that they are joined with, and the lines between them.

import type { RelationshipDescription } from '../../../../src/http/platform/description.ts';
import type { AttributeDescription, EntityDescription, ModelDescription } from '../../api/model.ts';
import type { Box, Line } from '../../components/graph/layout.ts';

export interface EntityBox extends Box {
  readonly entity: EntityDescription;
  readonly isOther: boolean;
  readonly rows: readonly (readonly [name: string, type: string])[];
  readonly more: number;
}

export interface DrawnLine extends Line {
  readonly kind: 'contains' | 'between' | 'reference';
  readonly name: string;
  /** What stands at its two ends. */
  readonly ends: readonly [string, string];
}

export const rowHeight = 18;
export const headHeight = 30;
const mostRows = 9;

export function drawnModule(module: string, { entities, relationships }: ModelDescription) {
  const own = entities.filter((each) => each.module === module);
  const isOwn = (name: string): boolean => own.some((each) => each.name === name);
  const lines: readonly DrawnLine[] = [
    ...relationships
      .filter(({ ends }) => ends.some(({ entity }) => isOwn(entity)))
      .map(({ ends, kind, local, cardinality }): DrawnLine => {
        const [from = { entity: '' }, to = { entity: '' }] = ends;
        return { from: from.entity, to: to.entity, kind, name: local, ends: kind === 'contains' ? ['', '*'] : betweenEnds[cardinality] };
      }),
    ...own.flatMap((entity) =>
      entity.attributes.flatMap(({ name, reference }): readonly DrawnLine[] =>
        reference === undefined ? [] : [{ from: reference.entity, to: entity.name, kind: 'reference', name, ends: ['', ''] }],
      ),
    ),
  ];
  const joined = new Set(lines.flatMap(({ from, to }) => [from, to]));
  const boxes = entities.filter((each) => isOwn(each.name) || joined.has(each.name)).map((each) => boxOf(each, !isOwn(each.name)));
  return { boxes, lines };
}

const betweenEnds: Readonly<Record<RelationshipDescription['cardinality'], readonly [string, string]>> = {
  'one-many': ['1', '*'],
  'many-many': ['*', '*'],
  'one-one': ['1', '1'],
};

function boxOf(entity: EntityDescription, isOther: boolean): EntityBox {
  const shown = isOther ? [] : entity.attributes.slice(0, entity.attributes.length > mostRows + 1 ? mostRows : mostRows + 1);
  const rows = shown.map((each) => [cut(each.name, 24), cut(typeText(each), 18)] as const);
  const more = isOther ? 0 : entity.attributes.length - shown.length;
  const widest = Math.max(titleOf(entity, isOther).length * 8, ...rows.map(([name, type]) => (name.length + type.length) * 6.8 + 16));
  return {
    id: entity.name,
    entity,
    isOther,
    rows,
    more,
    width: Math.min(320, Math.max(120, widest + 24)),
    height: headHeight + (rows.length + (more > 0 ? 1 : 0)) * rowHeight + (rows.length > 0 ? 8 : 0),
  };
}

export function titleOf({ name, local }: EntityDescription, isOther: boolean): string {
  return cut(isOther ? name : local, 36);
}

export function typeText({ type, list, required, identifier }: AttributeDescription): string {
  const local = type.slice(type.lastIndexOf('/') + 1);
  return `${local}${list ? '[]' : ''}${required || identifier ? '' : '?'}`;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
