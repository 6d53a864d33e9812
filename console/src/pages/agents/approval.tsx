// What waits for somebody: a call of a tool, with what would be done and the decision, or a workflow that goes on with data.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { writeJson } from '../../api/json.ts';
import type { EntityDescription } from '../../api/model.ts';
import { Code } from '../../components/code.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { toast } from '../../components/toast.tsx';
import { DataForm } from './data-form.tsx';
import { type Decision, decide, giveData, isUnderWay, type Run, readRun, untilReadAgain, waitingIn } from './runs.ts';

interface ApprovalParts {
  readonly entity: EntityDescription;
  readonly id: string;
  /** What it came to, whoever decided. */
  readonly onDecided?: (run: Run) => void;
}

export function Approval({ entity, id, onDecided }: ApprovalParts) {
  const client = useQueryClient();
  const [thrown, setThrown] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const { data: run, error } = useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) => readRun(entity, id, signal),
    refetchInterval: ({ state }) => untilReadAgain(state.data?.status),
  });
  const isOver = run !== undefined && run.status !== 'waiting' && !isUnderWay(run.status);
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once, when it is over.
  useEffect(() => {
    if (isOver) onDecided?.(run);
  }, [isOver]);
  const waiting = run === undefined ? undefined : waitingIn(run);
  const act = async (told: () => Promise<void>, said: string): Promise<boolean> => {
    setBusy(true);
    setThrown(undefined);
    try {
      await told();
      const after = await readRun(entity, id);
      client.setQueryData(['run', id], after);
      client.invalidateQueries({ queryKey: ['runs'] });
      toast(said);
      onDecided?.(after);
      return true;
    } catch (failure) {
      setThrown(failure);
      client.invalidateQueries({ queryKey: ['run', id] });
      return false;
    } finally {
      setBusy(false);
    }
  };
  const answer = (decision: Decision, said: string): Promise<boolean> => act(() => decide(entity, id, decision, waiting), said);
  if (error !== null) return <FaultText thrown={error} />;
  if (run === undefined) return <Skeleton lines={3} label="Loading what waits" />;
  if (run.status !== 'waiting')
    return (
      <>
        {thrown !== undefined && <FaultText thrown={thrown} />}
        {isUnderWay(run.status) && <Skeleton lines={1} label="The run goes on" />}
      </>
    );
  if (waiting === undefined)
    return (
      <section className="boxed" aria-label={`Data for ${run.agent} ${id}`}>
        <p>
          <strong>{run.agent}</strong> waits for data
          {run.user !== undefined && ` for ${run.user}`}: what it is given is the result of the step that it stopped at.
        </p>
        <DataForm isBusy={isBusy} thrown={thrown} onGiven={(data) => act(() => giveData(entity, id, data), 'The run went on')} />
      </section>
    );
  return (
    <section className="boxed" aria-label={`Approval of ${waiting.tool}`}>
      <p>
        <strong>{run.agent}</strong> asks to call <code>{waiting.tool}</code>
        {run.user !== undefined && ` for ${run.user}`}:
      </p>
      <Code text={writeJson(waiting.arguments ?? null, 2)} most={4000} />
      {isBusy && <Skeleton lines={1} label="The run goes on" />}
      {thrown !== undefined && <FaultText thrown={thrown} />}
      <div className="buttons">
        <button type="button" className="primary" disabled={isBusy} onClick={() => answer('approve', 'Approved')}>
          Approve
        </button>
        <button type="button" className="danger" disabled={isBusy} onClick={() => answer('reject', 'Rejected')}>
          Reject
        </button>
      </div>
    </section>
  );
}
