// What a flow puts off until after the commit, in a transaction of its own.

import { error } from '../../errors.ts';
import type { Action, FlowStep } from '../../plan/flow/flow.ts';
import { startBudget } from '../budget.ts';
import { inTransaction } from '../context.ts';
import type { WriteContext } from '../operation.ts';
import { writtenApart } from '../retry.ts';
import { maxDepth } from './run.ts';
import type { Completed, Run } from './state.ts';

/** `[:await body :ok h :error h]`: after the commit, in a transaction of its own. */
export function putOff(action: Extract<Action, { kind: 'later' }>, run: Run): Completed {
  const { reading } = run;
  const { body, done, handlers } = action;
  // What is done now may go on with these names.
  const names = new Map(run.names);
  const block: Action = { kind: 'block', steps: [body] };
  const { words, span } = body;
  const rest = { as: undefined, throws: [], empty: undefined, handles: true, words, span };
  // biome-ignore lint/suspicious/noThenProperty: it is the word of the language, and no step is ever awaited.
  const steps: readonly FlowStep[] = [{ action: block, catches: handlers, then: done, ...rest }];
  const depth = run.depth + 1;
  if (depth > maxDepth) throw error('dataflow-failed', { detail: `Events put off each other more than ${maxDepth} levels deep.` });
  const work = async (context: WriteContext): Promise<void> => {
    const budget = { ...startBudget(context), origins: run.budget.origins };
    context.external?.enterWorkflow();
    const writing = inTransaction(context, context.tx, { budget, depth });
    const later: Run = {
      reading: writing,
      writing,
      names: new Map(names),
      budget,
      depth,
      runAction: run.runAction,
      returned: undefined,
      failure: undefined,
    };
    await run.runAction({ kind: 'block', steps }, later, []);
  };
  reading.later.push({ what: 'await', run: () => writtenApart(work, { waits: true, decides: 'by queries' }, reading) });
  return { value: ['await', 'ok'], created: false };
}
