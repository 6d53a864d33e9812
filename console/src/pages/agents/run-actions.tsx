// What can be done about a run besides deciding what it waits for: it is taken up again, or given up.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { EntityDescription } from '../../api/model.ts';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { toast } from '../../components/toast.tsx';
import { decide, type Run } from './runs.ts';

/** By the status of the run, as the service lets it. */
const offered: Readonly<Record<string, readonly ('resume' | 'cancel')[]>> = {
  interrupted: ['resume', 'cancel'],
  failed: ['resume'],
  running: ['cancel'],
  queued: ['cancel'],
  waiting: ['cancel'],
};

const words = { resume: ['Resume', 'The run went on'], cancel: ['Cancel the run', 'The run is cancelled'] } as const;

export function RunActions({ entity, run }: { entity: EntityDescription; run: Run }) {
  const client = useQueryClient();
  const [thrown, setThrown] = useState<unknown>();
  const [busy, setBusy] = useState<string>();
  const actions = offered[run.status] ?? [];
  const act = async (action: 'resume' | 'cancel'): Promise<void> => {
    setBusy(action);
    setThrown(undefined);
    try {
      await decide(entity, run.id, action);
      toast(words[action][1]);
    } catch (failure) {
      setThrown(failure);
    }
    setBusy(undefined);
    client.invalidateQueries({ queryKey: ['run', run.id] });
    client.invalidateQueries({ queryKey: ['runs'] });
  };
  return (
    <>
      {busy === 'resume' && <Skeleton lines={1} label="The run goes on" />}
      {thrown !== undefined && <FaultText thrown={thrown} />}
      {actions.length > 0 && (
        <div className="buttons">
          {actions.map((action) => (
            <button
              key={action}
              type="button"
              className={action === 'cancel' ? 'danger' : undefined}
              disabled={busy === action}
              onClick={() => act(action)}
            >
              {words[action][0]}
            </button>
          ))}
        </div>
      )}
    </>
  );
}
