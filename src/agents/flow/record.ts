// Steps of flows as they are written down: when they begin, when they end, and which way the flow went on.

import type { Values } from '../../values/value.ts';
import type { Run } from '../run.ts';
import { type NewStep, now } from '../runs/runs.ts';
import type { Routed } from './route.ts';

export function begin(step: NewStep, run: Run): void {
  run.journal.note((writing) => run.runs.startStep(run.id, step, writing));
}

/** With a flow, which edge was taken and why. */
export function routeOfStep({ label, method }: Pick<Routed, 'label' | 'method'>): Values {
  return { ...(label === undefined ? {} : { label }), method };
}

export function end(no: number, changes: Values, run: Run): void {
  run.journal.note((writing) => run.runs.changeStep(run.id, no, { ...changes, status: 'succeeded', ended: now(writing) }, writing));
}
