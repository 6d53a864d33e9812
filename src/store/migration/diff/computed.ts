// What a migration must know of attributes that are computed: when their values are others, and how that is said. Pure.

import type { Column } from '../../../plan/rows/table.ts';
import { counted } from './refusal.ts';

/** What somebody has set is not what is computed: it is kept apart. */
export function isComputedNow(old: Column, column: Column): boolean {
  return old.computed === null && typeof column.computed === 'string';
}

/** What was written down before this was known says nothing of it. */
export function isComputedOtherwise(old: Column, column: Column): boolean {
  return column.computed !== undefined && old.computed !== undefined && old.computed !== column.computed;
}

export function newlyComputed(name: string, rows: number): string {
  return `${name} is new; at start it is computed for ${counted(rows)}`;
}

export function computedOtherwise(name: string, { computed }: Column, rows: number): string {
  return computed === null
    ? `${name} is no longer computed; ${counted(rows)} keep the value of it`
    : `${name} is computed in another way from now on; at start it is computed anew for ${counted(rows)}`;
}

export const computedNowWays = [
  'platform migrate apply retires those values: hidden, kept, and back with undo',
  'or compute an attribute of another name',
];
