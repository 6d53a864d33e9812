// A workflow that was one transaction until a resolver suspended it: kept in that transaction as a run that waits.

import type { AskingFlow, PartResult } from '../../engine/flow/parts/checkpoint.ts';
import type { Result, WriteContext } from '../../engine/operation.ts';
import { callerText } from '../../engine/saved-caller.ts';
import { approvalTime } from '../runs/lease.ts';
import { now, Runs, waitingText } from '../runs/runs.ts';
import { workflowWork } from '../work.ts';
import { contentOf, readerOf, shown } from './part.ts';
import { placeOf, startWaiting } from './suspended.ts';

export async function suspendRun(
  asked: AskingFlow,
  part: Extract<PartResult, { kind: 'suspended' }>,
  id: string,
  writing: WriteContext,
): Promise<Result> {
  const { name, kind, message, input } = workflowWork(asked, writing.plan);
  const runs = new Runs(writing.plan);
  const waiting = { step: 2, type: part.at.type };
  const lease = writing.clock.now().getTime() + approvalTime;
  const caller = callerText(writing.caller);
  const state = { input, caller, scope: null, digest: null, resumable: true, worker: null, lease };
  const text = waitingText(waiting, placeOf(asked, writing.plan));
  const user = readerOf(asked, writing);
  await runs.begin({ id, agent: name, kind, status: 'waiting', user, message, state: { ...state, waiting: text } }, writing);
  await runs.startStep(id, { no: 1, name, kind: 'workflow', input: '' }, writing);
  await runs.changeStep(id, 1, { status: 'succeeded', result: shown(part.names), ended: now(writing) }, writing);
  await runs.keepPart(id, 1, contentOf({ entries: part.entries, suspended: part.at }), writing);
  await startWaiting(id, waiting.step, part.at, runs, writing);
  return { kind: 'waiting', run: id, ...waiting };
}
