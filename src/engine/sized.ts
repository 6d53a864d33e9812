// Asks for any number of values in as few statements as there are sizes for.

import { filled, partsOf, type Sized } from '../plan/query/sized.ts';
import { keyName } from '../plan/rows/keys.ts';
import type { Awaitable, Row } from '../store/store.ts';
import type { Value } from '../values/value.ts';

export async function inParts<S>(
  shapes: Sized<S>,
  values: readonly Value[],
  ask: (shape: S, values: readonly Value[]) => Awaitable<readonly Row[]>,
): Promise<readonly Row[]> {
  const parts = partsOf(values);
  const [only] = parts;
  if (only === undefined) return [];
  if (parts.length === 1) return asked(shapes, only, ask);
  const rows: Row[] = [];
  for (const part of parts) for (const row of await asked(shapes, part, ask)) rows.push(row);
  return rows;
}

function asked<S>(
  shapes: Sized<S>,
  part: readonly Value[],
  ask: (shape: S, values: readonly Value[]) => Awaitable<readonly Row[]>,
): Awaitable<readonly Row[]> {
  const { shape, values } = filled(shapes, part);
  return ask(shape, values);
}

/** A number is one key, whichever type it came in. */
export function plainKey(key: Value): Value {
  return typeof key === 'bigint' && Number.isSafeInteger(Number(key)) ? Number(key) : key;
}

/** Each once, in one order for everybody, so that two who lock the same rows wait for each other instead of crossing. */
export function inOrder(keys: Iterable<Value>): readonly Value[] {
  return [...new Set(Array.from(keys, plainKey))].sort(byText);
}

export function byText(first: Value, second: Value): number {
  const [one, other] = [keyName(first), keyName(second)];
  return one < other ? -1 : one > other ? 1 : 0;
}
