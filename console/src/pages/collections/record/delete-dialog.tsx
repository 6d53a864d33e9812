// Deleting: first what goes along, then ten seconds in which it can be made again.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { collectionOf, creation, listOf, perform, type Row } from '../../../api/instances.ts';
import { type EntityDescription, entityNamed, type ModelDescription, useModel } from '../../../api/model.ts';
import { call, Problem } from '../../../api/request.ts';
import { settings } from '../../../api/settings.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { FaultText, messageOf } from '../../../components/fault-text.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { toast } from '../../../components/toast.tsx';

interface DeleteParts {
  readonly entity: EntityDescription;
  readonly path: string;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
  readonly onUndone: () => void;
}

export function DeleteDialog({ entity, path, onClose, onDeleted, onUndone }: DeleteParts) {
  const model = useModel();
  const [thrown, setThrown] = useState<unknown>();
  const tree = useQuery({
    queryKey: ['tree', path],
    queryFn: async ({ signal }) => listOf((await call({ path: `${path}?@tree=true`, signal })).body)[0] ?? {},
    gcTime: 0,
    staleTime: 0,
  });
  const counts = tree.data === undefined ? new Map<string, number>() : below(tree.data, entity, model);
  const remove = async (): Promise<void> => {
    try {
      await call({ method: 'DELETE', path });
      const { data } = tree;
      const undo = data === undefined || !canUndo(entity) ? undefined : { name: 'Undo', run: () => restore(data) };
      toast(`${entity.local} deleted`, undo);
      onDeleted();
    } catch (failure) {
      setThrown(failure);
    }
  };
  const restore = async (row: Row): Promise<void> => {
    try {
      await perform(creation(collectionOf(path), entity.name, writable(row, entity, model)));
      toast(`${entity.local} is there again`);
      onUndone();
    } catch (failure) {
      toast(`It could not be made again: ${messageOf(failure)}`);
    }
  };
  const isTooLarge = tree.error instanceof Problem && tree.error.code === 'tree-too-large';
  return (
    <Dialog title={`Delete ${entity.local}?`} onClose={onClose}>
      {tree.isPending && <Skeleton lines={2} label="Looking what goes along" />}
      {isTooLarge && <p>More goes along than can be counted here.</p>}
      {tree.isSuccess && counts.size === 0 && <p>Nothing else goes along.</p>}
      {counts.size > 0 && (
        <>
          <p>What it contains goes along:</p>
          <ul>
            {[...counts].map(([type, count]) => (
              <li key={type}>
                {count.toLocaleString()} {type}
              </li>
            ))}
          </ul>
        </>
      )}
      {thrown !== undefined && <FaultText thrown={thrown} />}
      <div className="buttons">
        <button type="button" className="danger" disabled={tree.isPending} onClick={remove}>
          Delete
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** A secret is not in the answer, so what had one cannot be made again as it was. */
function canUndo({ attributes }: EntityDescription): boolean {
  return settings.surface === 'current' && attributes.every((each) => !each.secret && !each.writeOnly);
}

/** How many instances of each type stand below, where deleting takes them along. */
function below(row: Row, entity: EntityDescription, model: ModelDescription, counts = new Map<string, number>()): Map<string, number> {
  for (const { children, target } of contained(row, entity, model)) {
    if (children.length > 0) counts.set(target.name, (counts.get(target.name) ?? 0) + children.length);
    for (const child of children) below(child, target, model, counts);
  }
  return counts;
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
