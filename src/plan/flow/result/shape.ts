// What is known at load time of the result of a workflow, as data: from anything at all to instances, rows and scalars.

import type { Attribute } from '../../../model/model.ts';
import type { EntityPlan, LinkPlan } from '../../plan.ts';
import type { EventPlan, RecordPlan } from '../flow.ts';

export type ResultShape = Leaf | ListShape | RowShape | EitherShape;

export type Leaf =
  | { readonly kind: 'any' }
  | { readonly kind: 'nothing' }
  /** What a condition without a hit gives. */
  | { readonly kind: 'false' }
  | { readonly kind: 'scalar'; readonly type: ScalarType }
  | { readonly kind: 'attribute'; readonly attribute: Attribute }
  /** `created` where it is the last thing that was made, which the earlier surface shows. */
  | { readonly kind: 'instance'; readonly plan: EntityPlan | LinkPlan; readonly created: boolean }
  | { readonly kind: 'record'; readonly record: RecordPlan; readonly created: boolean }
  | { readonly kind: 'event'; readonly event: EventPlan; readonly created: boolean };

/** A decimal is a text in answers. */
export type ScalarType = 'text' | 'integer' | 'number' | 'boolean' | 'decimal';

export interface ListShape {
  readonly kind: 'list';
  readonly of: ResultShape;
  readonly size: number;
}

/** An object with these members, and no others. */
export interface RowShape {
  readonly kind: 'row';
  readonly fields: ReadonlyMap<string, ResultShape>;
  readonly size: number;
}

/** One of several; none of them where nothing is ever given back. */
export interface EitherShape {
  readonly kind: 'either';
  readonly shapes: readonly Exclude<ResultShape, EitherShape>[];
  readonly size: number;
}

export const anything: ResultShape = Object.freeze({ kind: 'any' });
export const nothing: ResultShape = Object.freeze({ kind: 'nothing' });
export const never: ResultShape = Object.freeze({ kind: 'either', shapes: [], size: 0 });

export function scalar(type: ScalarType): ResultShape {
  return { kind: 'scalar', type };
}

/** Shapes refer to each other, so that few statements could describe something without end. */
const largest = 200;

export function listShape(of: ResultShape): ResultShape {
  const size = sizeOf(of) + 1;
  return { kind: 'list', of: size > largest ? anything : of, size: size > largest ? 2 : size };
}

export function rowShape(fields: ReadonlyMap<string, ResultShape>): ResultShape {
  const size = [...fields.values()].reduce((sum, each) => sum + sizeOf(each), 1);
  return size > largest ? anything : { kind: 'row', fields, size };
}

export function either(all: readonly ResultShape[]): ResultShape {
  const shapes = new Set(all.flatMap((each) => (each.kind === 'either' ? each.shapes : [each])));
  const [first, ...others] = shapes;
  if (first !== undefined && others.length === 0) return first;
  const size = [...shapes].reduce((sum, each) => sum + sizeOf(each), 0);
  if (size > largest || [...shapes].some((each) => each.kind === 'any')) return anything;
  return { kind: 'either', shapes: [...shapes], size };
}

export function isNever(shape: ResultShape): boolean {
  return shape.kind === 'either' && shape.shapes.length === 0;
}

/** The same, once it only goes by a name. */
export function named(shape: ResultShape): ResultShape {
  switch (shape.kind) {
    case 'instance':
    case 'record':
    case 'event':
      return shape.created ? { ...shape, created: false } : shape;
    case 'list':
      return { ...shape, of: named(shape.of) };
    case 'either':
      return either(shape.shapes.map(named));
    default:
      return shape;
  }
}

/** What one element of it is, where it is taken as a list. */
export function elementOf(shape: ResultShape): ResultShape {
  switch (shape.kind) {
    case 'list':
      return shape.of;
    case 'either':
      return either(shape.shapes.map(elementOf));
    case 'nothing':
      return never;
    case 'attribute':
      return anything;
    default:
      return shape;
  }
}

/** Whether it can be empty, or nothing at all. */
export function canBeEmpty(shape: ResultShape): boolean {
  switch (shape.kind) {
    case 'any':
    case 'nothing':
    case 'list':
    case 'attribute':
      return true;
    case 'either':
      return shape.shapes.some(canBeEmpty);
    default:
      return false;
  }
}

function sizeOf(shape: ResultShape): number {
  return 'size' in shape ? shape.size : 1;
}
