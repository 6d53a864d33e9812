// Runs that begin after the transaction in which they were asked for: kept in it, so that a kill loses none of them.

import type { AskingFlow } from '../../engine/flow/parts/checkpoint.ts';
import type { WriteContext } from '../../engine/operation.ts';
import { callerText } from '../../engine/saved-caller.ts';
import { Runs } from '../runs/runs.ts';
import { workflowWork } from '../work.ts';
import { readerOf } from './part.ts';

export async function queueRun(asked: AskingFlow, writing: WriteContext): Promise<void> {
  const { name, kind, message, input } = workflowWork(asked, writing.plan);
  await new Runs(writing.plan).begin(
    {
      id: writing.clock.uuid(),
      agent: name,
      kind,
      status: 'queued',
      user: readerOf(asked, writing),
      message,
      state: { input, caller: callerText(writing.caller), scope: null, digest: null, resumable: true, worker: null, lease: 0 },
    },
    writing,
  );
}
