// Deleting one instance or many: first what goes along, then ten seconds in which they can be made again.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Row } from '../../../api/instances.ts';
import { type EntityDescription, titleAttribute, useModel } from '../../../api/model.ts';
import { call, lastPart, Problem } from '../../../api/request.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { toast } from '../../../components/toast.tsx';
import { shortened, textOf } from '../../../components/value.tsx';
import { forEach, type Outcome } from '../bulk/batch.ts';
import { Failures } from '../bulk/failures.tsx';
import { deletionOf, restored } from './deletion.ts';

interface DeleteParts {
  readonly entity: EntityDescription;
  readonly paths: readonly string[];
  readonly onClose: () => void;
  /** With the paths of those that are still there. */
  readonly onDeleted: (left: readonly string[]) => void;
  readonly onUndone: () => void;
}

/** So many are looked at before; of more, only how many they are is said, and none is made again. */
const mostCounted = 200;

export function DeleteDialog({ entity, paths, onClose, onDeleted, onUndone }: DeleteParts) {
  const model = useModel();
  const [looked, setLooked] = useState({ paths, times: 1 });
  const { paths: asked } = looked;
  const [progress, setProgress] = useState<number>();
  const [failed, setFailed] = useState<Outcome<unknown>['failed']>([]);
  const preview = useQuery({
    queryKey: ['tree', looked],
    queryFn: ({ signal }) => deletionOf(asked, entity, model, signal),
    enabled: asked.length <= mostCounted,
    gcTime: 0,
    staleTime: 0,
  });
  const deletion = preview.data;
  const instances = deletion?.instances;
  const counts = deletion?.cascade ?? new Map<string, number>();
  const isWhole = instances !== undefined && asked.every((path) => instances.has(path));
  const remove = async (): Promise<void> => {
    setProgress(0);
    const outcome = await forEach(paths, (path) => removed(path, instances?.get(path)?.etag ?? null), setProgress);
    setProgress(undefined);
    setFailed(outcome.failed);
    // What Undo would make again is no longer what stands there.
    if (outcome.failed.some(({ thrown }) => isChanged(thrown)))
      setLooked(({ times }) => ({ paths: outcome.failed.map((each) => each.path), times: times + 1 }));
    const undo = { name: 'Undo', run: () => restore(outcome.done) };
    const said = asked.length === 1 ? entity.local : `${outcome.done.length.toLocaleString()} ${entity.local}`;
    if (outcome.done.length > 0) toast(`${said} deleted`, isWhole && deletion?.noUndo === undefined ? undo : undefined);
    if (outcome.done.length > 0 || asked.length > 1) onDeleted(outcome.failed.map((each) => each.path));
  };
  const restore = async (deleted: readonly string[]): Promise<void> => {
    if (deletion === undefined) return;
    const { instances: outcome, missingLinks } = await restored(deleted, entity, model, deletion);
    const [first] = outcome.failed;
    if (outcome.done.length > 0)
      toast(outcome.done.length === 1 ? `${entity.local} is there again` : `${outcome.done.length.toLocaleString()} are there again`);
    if (missingLinks > 0) toast(`${missingLinks.toLocaleString()} of the links could not be made again`);
    if (first !== undefined)
      toast(`${outcome.failed.length.toLocaleString()} could not be made again: ${String(Object(first.thrown).message)}`);
    onUndone();
  };
  const isLooking = preview.isLoading;
  const name = asked.length === 1 ? entity.local : `${asked.length.toLocaleString()} ${entity.local}`;
  return (
    <Dialog title={`Delete ${name}?`} onClose={() => progress === undefined && onClose()}>
      {asked.length === 1 && (
        <p>
          <bdi>{nameIn(entity, instances?.get(asked[0] ?? '')?.row, asked[0] ?? '')}</bdi>
        </p>
      )}
      {isLooking && <Skeleton lines={2} label="Looking what goes along" />}
      {!isLooking && !isWhole && <p>What they contain goes along; it is more than can be counted here, and cannot be undone.</p>}
      {isWhole && counts.size === 0 && deletion?.isComplete && <p>Nothing else goes along.</p>}
      {counts.size > 0 && (
        <>
          <p>This goes along:</p>
          <ul>
            {[...counts].map(([type, count]) => (
              <li key={type}>
                {count.toLocaleString()} {type}
              </li>
            ))}
          </ul>
        </>
      )}
      {isWhole && !deletion?.isComplete && <p>{counts.size === 0 ? 'Something' : 'More'} may go along that is not seen here.</p>}
      {isWhole && deletion?.noUndo !== undefined && <p>It cannot be undone: {deletion.noUndo}.</p>}
      <Failures text={asked.length === 1 ? 'It could not be deleted:' : `${failed.length} could not be deleted:`} failed={failed} />
      {failed.some(({ thrown }) => isChanged(thrown)) && (
        <p>What was changed meanwhile has been read again: Delete takes it as it is now.</p>
      )}
      {progress !== undefined && asked.length > 1 && (
        <label>
          {progress.toLocaleString()} of {asked.length.toLocaleString()}
          <progress max={asked.length} value={progress} />
        </label>
      )}
      <div className="buttons">
        <button type="button" className="danger" disabled={isLooking || progress !== undefined} onClick={remove}>
          Delete
        </button>
        <button type="button" disabled={progress !== undefined} onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** As people know it; the end of its path where it cannot be read. */
function nameIn(entity: EntityDescription, row: Row | undefined, path: string): string {
  const name = row && textOf(row[titleAttribute(entity)] ?? row[entity.identifier]);
  return shortened(name ?? lastPart(path));
}

/** At the version that was looked at. */
async function removed(path: string, etag: string | null): Promise<string> {
  await call({ method: 'DELETE', path, ...(etag === null ? {} : { headers: { 'if-match': etag } }) });
  return path;
}

function isChanged(thrown: unknown): boolean {
  return thrown instanceof Problem && thrown.status === 412;
}
