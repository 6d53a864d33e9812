// Shapes that ask for several values of a column together: in few sizes, each of which is made once and stays prepared.

import type { Value } from '../../values/value.ts';
import { type Condition, equal } from './condition.ts';

/** The same shape by how many values it asks for. */
export type Sized<S> = readonly { readonly size: number; readonly shape: S }[];

/** The most values of one statement. */
export const largest = 64;

export function sized<S>(make: (count: number) => S): Sized<S> {
  return [1, 8, largest].map((size) => ({ size, shape: make(size) }));
}

/** Whether a column is one of so many values. */
export function among(column: string, count: number): Condition {
  return count === 1 ? equal(column) : { kind: 'compare', column, operator: 'in', count };
}

/** The shape for at most `largest` values, at least one, and the values filled up to its size with the last of them. */
export function filled<S>(shapes: Sized<S>, values: readonly Value[]): { readonly shape: S; readonly values: readonly Value[] } {
  const found = shapes.find(({ size }) => size >= values.length);
  if (found === undefined) throw new Error(`there is no shape for ${values.length} values`);
  const { size, shape } = found;
  if (size === values.length) return { shape, values };
  const last = values.at(-1) ?? null;
  return { shape, values: [...values, ...Array.from({ length: size - values.length }, () => last)] };
}

export function partsOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= largest) return items.length === 0 ? [] : [items];
  return Array.from({ length: Math.ceil(items.length / largest) }, (_, part) => items.slice(part * largest, (part + 1) * largest));
}
