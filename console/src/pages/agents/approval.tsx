// A call of a tool that waits for somebody: what would be done, and the decision.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { writeJson } from '../../api/json.ts';
import type { EntityDescription } from '../../api/model.ts';
import { Code } from '../../components/code.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { toast } from '../../components/toast.tsx';
import { type Decision, decide, isUnderWay, type Run, readRun, untilReadAgain, waitingIn } from './runs.ts';

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
  const answer = async (decision: Decision, said: string): Promise<void> => {
    setBusy(true);
    setThrown(undefined);
    try {
      await decide(entity, id, decision, waiting);
      const after = await readRun(entity, id);
      client.setQueryData(['run', id], after);
      client.invalidateQueries({ queryKey: ['runs'] });
      toast(said);
      onDecided?.(after);
    } catch (failure) {
      setThrown(failure);
      client.invalidateQueries({ queryKey: ['run', id] });
    }
    setBusy(false);
  };
  if (error !== null) return <FaultText thrown={error} />;
  if (run === undefined) return <Skeleton lines={3} label="Loading what waits" />;
  if (run.status !== 'waiting')
    return (
      <>
        {thrown !== undefined && <FaultText thrown={thrown} />}
        {isUnderWay(run.status) && <Skeleton lines={1} label="The run goes on" />}
      </>
    );
  return (
    <section className="boxed" aria-label={`Approval of ${waiting?.tool ?? run.agent}`}>
      <p>
        <strong>{run.agent}</strong> asks to call <code>{waiting?.tool ?? 'a tool'}</code>
        {run.user !== undefined && ` for ${run.user}`}:
      </p>
      <Code text={writeJson(waiting?.arguments ?? null, 2)} most={4000} />
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
