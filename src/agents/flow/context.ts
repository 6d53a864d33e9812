// What a step is told of the steps before it: their results, as data, cut where they are long.

import type { KeptBinding } from '../../engine/flow/parts/checkpoint.ts';
import type { TypeName } from '../../model/model.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { DataBlock } from '../prompt.ts';

export interface StepResult {
  /** As the flow names the step. */
  readonly name: string;
  readonly value: Value;
  /** Of the instance or record that it is, where that is known. */
  readonly type?: TypeName | undefined;
  /** What a pattern gave, as later patterns know it: an instance can be changed. */
  readonly kept?: KeptBinding | undefined;
}

const limits = { each: 16 * 1024, all: 64 * 1024 } as const;

/** In their order; where all of it is too much, the oldest are left out, and a block says so. */
export function resultsAsData(results: readonly StepResult[]): readonly DataBlock[] {
  const blocks: DataBlock[] = [];
  let room: number = limits.all;
  for (const { name, value } of results.toReversed()) {
    const text = cut(typeof value === 'string' ? value : writeJson(value));
    room -= text.length;
    if (room < 0) return [{ name: 'earlier results', text: '[left out]' }, ...blocks];
    blocks.unshift({ name, text });
  }
  return blocks;
}

export function cut(text: string): string {
  return text.length <= limits.each ? text : `${text.slice(0, limits.each)}\n[cut]`;
}
