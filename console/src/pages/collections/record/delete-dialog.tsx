// Deleting one instance or many: first what goes along, then ten seconds in which they can be made again.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { collectionOf, creation, type Instance, perform, type Row, readInstance } from '../../../api/instances.ts';
import { type EntityDescription, entityNamed, type ModelDescription, useModel } from '../../../api/model.ts';
import { call, Problem } from '../../../api/request.ts';
import { settings } from '../../../api/settings.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { toast } from '../../../components/toast.tsx';
import { forEach, type Outcome } from '../bulk/batch.ts';
import { Failures } from '../bulk/failures.tsx';

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
    queryFn: ({ signal }) => treesOf(asked, signal),
    enabled: asked.length <= mostCounted,
    gcTime: 0,
    staleTime: 0,
  });
  const trees = preview.data ?? new Map<string, Instance>();
  const counts = new Map<string, number>();
  for (const { row } of trees.values()) below(row, entity, model, counts);
  const along = model.entities.filter((each) => counts.has(each.name));
  const isWhole = asked.every((path) => trees.has(path));
  const remove = async (): Promise<void> => {
    setProgress(0);
    const outcome = await forEach(paths, (path) => removed(path, trees.get(path)?.etag ?? null), setProgress);
    setProgress(undefined);
    setFailed(outcome.failed);
    // What Undo would make again is no longer what stands there.
    if (outcome.failed.some(({ thrown }) => isChanged(thrown)))
      setLooked(({ times }) => ({ paths: outcome.failed.map((each) => each.path), times: times + 1 }));
    const undo = { name: 'Undo', run: () => restore(outcome.done) };
    const said = asked.length === 1 ? entity.local : `${outcome.done.length.toLocaleString()} ${entity.local}`;
    if (outcome.done.length > 0) toast(`${said} deleted`, isWhole && canUndo([entity, ...along]) ? undo : undefined);
    if (outcome.done.length > 0 || asked.length > 1) onDeleted(outcome.failed.map((each) => each.path));
  };
  const restore = async (deleted: readonly string[]): Promise<void> => {
    const again = (path: string) => perform(creation(collectionOf(path), entity.name, writable(trees.get(path)?.row ?? {}, entity, model)));
    const outcome = await forEach(deleted, again, () => undefined);
    const [first] = outcome.failed;
    if (outcome.done.length > 0)
      toast(outcome.done.length === 1 ? `${entity.local} is there again` : `${outcome.done.length.toLocaleString()} are there again`);
    if (first !== undefined)
      toast(`${outcome.failed.length.toLocaleString()} could not be made again: ${String(Object(first.thrown).message)}`);
    onUndone();
  };
  const isLooking = preview.isLoading;
  const name = asked.length === 1 ? entity.local : `${asked.length.toLocaleString()} ${entity.local}`;
  return (
    <Dialog title={`Delete ${name}?`} onClose={() => progress === undefined && onClose()}>
      {isLooking && <Skeleton lines={2} label="Looking what goes along" />}
      {!isLooking && !isWhole && <p>What they contain goes along; it is more than can be counted here, and cannot be undone.</p>}
      {isWhole && counts.size === 0 && <p>Nothing else goes along.</p>}
      {counts.size > 0 && (
        <>
          <p>What {asked.length === 1 ? 'it contains' : 'they contain'} goes along:</p>
          <ul>
            {[...counts].map(([type, count]) => (
              <li key={type}>
                {count.toLocaleString()} {type}
              </li>
            ))}
          </ul>
        </>
      )}
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

/** Those that can be read whole: of what is too large to be read nothing is known. */
async function treesOf(paths: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Instance>> {
  const read = async (path: string) => [path, await readInstance(`${path}?@tree=true`, signal)] as const;
  const { done } = await forEach(paths, read, () => undefined);
  return new Map(done);
}

/** At the version that was looked at. */
async function removed(path: string, etag: string | null): Promise<string> {
  await call({ method: 'DELETE', path, ...(etag === null ? {} : { headers: { 'if-match': etag } }) });
  return path;
}

function isChanged(thrown: unknown): boolean {
  return thrown instanceof Problem && thrown.status === 412;
}

/** A secret is not in the answer, so what had one, or contained what had one, cannot be made again as it was. */
function canUndo(types: readonly EntityDescription[]): boolean {
  return settings.surface === 'current' && types.every(({ attributes }) => attributes.every((each) => !each.secret && !each.writeOnly));
}

/** How many instances of each type stand below, where deleting takes them along. */
function below(row: Row, entity: EntityDescription, model: ModelDescription, counts: Map<string, number>): void {
  for (const { children, target } of contained(row, entity, model)) {
    if (children.length > 0) counts.set(target.name, (counts.get(target.name) ?? 0) + children.length);
    for (const child of children) below(child, target, model, counts);
  }
}

function contained(row: Row, entity: EntityDescription, model: ModelDescription) {
  const known = new Set<string>();
  return entity.steps.flatMap((step) => {
    const relationship = model.relationships.find((each) => each.name === step.relationship);
    const target = entityNamed(model, step.target);
    const children = row[step.local] ?? Object(row['->'])[step.relationship];
    if (step.kind !== 'contains' || relationship?.cascade !== true || target === undefined || known.has(step.relationship)) return [];
    known.add(step.relationship);
    return [{ local: step.local, target, children: Array.isArray(children) ? children.map((each): Row => Object(each)) : [] }];
  });
}

/** What the API takes to make it again: no computed attribute, no path, everything that it contained. */
function writable(row: Row, entity: EntityDescription, model: ModelDescription): Row {
  const own = entity.attributes.filter((each) => !each.computed && row[each.name] !== null && row[each.name] !== undefined);
  const nested = contained(row, entity, model).filter(({ children }) => children.length > 0);
  return {
    ...Object.fromEntries(own.map(({ name }) => [name, row[name]])),
    ...Object.fromEntries(nested.map(({ local, target, children }) => [local, children.map((child) => writable(child, target, model))])),
  };
}
