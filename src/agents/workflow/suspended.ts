// Workflows that a resolver has suspended: where they wait for data, and how they go on with it.

import { createHash } from 'node:crypto';
import type { AskingFlow, Kept, SuspendedStep } from '../../engine/flow/parts/checkpoint.ts';
import { keep } from '../../engine/flow/parts/kept.ts';
import type { WriteContext } from '../../engine/operation.ts';
import { error } from '../../errors.ts';
import { calledBy } from '../../plan/flow/effects.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Value } from '../../values/value.ts';
import { type Run, Waits } from '../run.ts';
import { claimed } from '../runs/lease.ts';
import type { Recorded } from '../runs/recorded.ts';
import { now, type RunState, Runs, type SuspendedPlace, suspendedPlace, waitingFor } from '../runs/runs.ts';
import { keepable } from '../tools/call.ts';

/** The step that ends when there is data. */
export function startWaiting(run: string, no: number, { type }: SuspendedStep, runs: Runs, writing: WriteContext): Promise<void> {
  return runs.startStep(run, { no, name: type, kind: 'workflow', input: '' }, writing);
}

/** What the next step was given; where it was given nothing yet, the run waits. */
export function dataGiven({ type }: SuspendedStep, asked: AskingFlow, run: Run): Kept {
  run.used.steps += 1;
  const step = run.used.steps;
  const known = run.recorded.parts.get(step);
  if (known === undefined) throw new Waits({ step, type }, placeOf(asked, run.context.plan));
  return givenIn(known).data;
}

/** What a step was given, as it is kept: with where the run waited for it, as it may go on from there more than once. */
interface Given {
  readonly place: SuspendedPlace;
  readonly data: Kept;
}

function givenIn(content: string): Given {
  return JSON.parse(content);
}

/** Throws where a run that has been given data goes on with another model than the one that it waited in. */
export function refuseOther(run: string, { parts }: Recorded, plan: Plan): void {
  for (const content of parts.values()) {
    const { place }: Partial<Given> = givenIn(content);
    if (place !== undefined) refuseChanged(run, place, plan);
  }
}

/** What a run waits for is given once, and whoever gives it works on the run from then on. */
export async function give(state: RunState, data: Value | undefined, worker: string, writing: WriteContext): Promise<void> {
  const { run } = state;
  const runs = new Runs(writing.plan);
  const { step, ...expected } = waitingFor(state.waiting);
  if (!('type' in expected))
    throw error('run-state', { detail: 'The run waits for somebody to approve of a call, not for data.', runId: run });
  if (data === undefined) throw error('run-state', { detail: `The run waits for data: send {"data": …}.`, runId: run });
  const place = suspendedPlace(state.waiting);
  refuseChanged(run, place, writing.plan);
  // Two at once: the second finds that the data is there.
  const found = await runs.state({ run }, writing.tx, 'lock');
  if (state.waiting === null || found?.waiting !== state.waiting) throw error('run-state', { runId: run });
  if (found.lease <= writing.clock.now().getTime()) throw error('run-state', { detail: 'Nobody gave data in time.', runId: run });
  const given: Given = { place, data: keep(data, undefined) };
  await runs.keepPart(run, step, JSON.stringify(given), writing);
  await runs.changeStep(run, step, { status: 'succeeded', result: keepable(data), ended: now(writing) }, writing);
  await claimed({ run, worker }, runs, writing);
}

/** What the workflow was that waits: with another one it cannot go on. */
export function placeOf({ name }: Pick<AskingFlow, 'name'>, plan: Plan): SuspendedPlace {
  return { workflow: name, digest: digestOf(name, plan) };
}

function refuseChanged(run: string, { workflow, digest }: SuspendedPlace, plan: Plan): void {
  if (digestOf(workflow, plan) !== digest)
    throw error('run-state', { detail: 'The model has changed since the run was suspended: it cannot go on where it was.', runId: run });
}

/** Of the statements that it may come to, of the ways of flows, and of the rows that its names may stand for. */
function digestOf(workflow: string, { model, dataflows, tables }: Plan): string {
  const flow = dataflows.flows.get(workflow);
  const called = flow === undefined ? [] : calledBy(flow, dataflows);
  // A handler that is asked before a workflow, or in its place, is a step of its own.
  const bodies = called.map(({ name, steps }) => [
    name,
    model.workflows.get(name)?.body ?? model.substitutions.get(name) ?? null,
    steps.map(({ action }) => action.kind),
  ]);
  const ways = [...model.flows.values()].map(({ name, steps, nodes }) => [name, steps, [...nodes]]);
  const columns = tables.map((each) => [each.name, each.columns.map((column) => column.name)]);
  return createHash('sha256')
    .update(JSON.stringify([bodies, ways, columns], withoutPlaces))
    .digest('base64url');
}

function withoutPlaces(key: string, value: unknown): unknown {
  if (key === 'span') return undefined;
  return typeof value === 'bigint' ? `${value}n` : value;
}
