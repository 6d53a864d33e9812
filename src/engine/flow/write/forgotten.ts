// Refuses to change or delete by what a caller forgot to send: nobody has declared it, and its absence would name all that lack it.

import { error } from '../../../errors.ts';
import type { Find } from '../../../plan/flow/flow.ts';
import { isObject } from '../../../plan/rows/attribute.ts';
import { lookUp, originOf } from '../run.ts';
import type { Run } from '../state.ts';

export function refuseForgotten({ tests, plan }: Find, run: Run): void {
  for (const test of tests) {
    if (test.kind !== 'compare' || test.operator !== '==' || test.value.kind !== 'reference') continue;
    const { path } = test.value;
    if (!isForgotten(path, run)) continue;
    const name = path.join('.').replace(/^.*\//, '');
    const detail = `${name} was not sent: without it this would be about every ${plan.local} that has no ${test.column.name}. Send it, as null where that is meant.`;
    throw error('dataflow-failed', { detail });
  }
}

/** Whether an event that takes any attributes does not have this one at all. */
function isForgotten([first = '', name]: readonly string[], run: Run): boolean {
  const event = name === undefined ? null : lookUp([first], run, []);
  const origin = name === undefined || !isObject(event) ? undefined : originOf(event, run);
  if (name === undefined || !isObject(event) || origin?.kind !== 'event') return false;
  return run.reading.plan.dataflows.events.get(origin.type)?.open === true && !Object.hasOwn(event, name);
}
