// The attributes of an instance, to be read and changed. A fault keeps what was typed; a conflict shows both sides.

import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { change, type Instance, perform, type Row, readInstance } from '../../../api/instances.ts';
import { type EntityDescription, useModel } from '../../../api/model.ts';
import { Problem } from '../../../api/request.ts';
import { attributesOf, missingRight, needsRights, rightsPath } from '../../../api/rights.ts';
import { CopyAsCurl } from '../../../components/curl.tsx';
import { FaultText } from '../../../components/fault-text.tsx';
import { bodyOf, type Drafts, draftOf, isSame } from '../../../components/form/draft.ts';
import { faultsOf } from '../../../components/form/faults.ts';
import { Fields } from '../../../components/form/fields.tsx';
import { toast } from '../../../components/toast.tsx';
import { useUnsaved } from '../../../components/unsaved.ts';
import { ConflictDialog } from './conflict.tsx';
import { DeleteDialog } from './delete-dialog.tsx';

interface FormParts {
  readonly entity: EntityDescription;
  readonly path: string;
  readonly instance: Instance;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function RecordForm({ entity, path, instance, onChanged, onClose }: FormParts) {
  const client = useQueryClient();
  const model = useModel();
  const [base, setBase] = useState(instance);
  const before = draftsOf(entity, base.row);
  const [changes, setChanges] = useState<Drafts>({});
  const [cancels, setCancels] = useState(0);
  const drafts = { ...before, ...changes };
  const [thrown, setThrown] = useState<unknown>();
  const [theirs, setTheirs] = useState<Instance>();
  const [isDeleting, setDeleting] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const isChanged = Object.entries(changes).some(([name, draft]) => !isSame(draft, before[name]));
  // What others change is shown at once, unless something has been typed: then saving shows both.
  useEffect(() => {
    if (!isChanged) setBase(instance);
  }, [instance, isChanged]);
  const { release } = useUnsaved(isChanged, (next) => next.searchParams.get('@record') !== path || next.searchParams.has('@tab'));
  const asked = (etag: string | null) => change(path, bodyOf(entity.attributes, drafts, before), etag);
  const typed = useRef(changes);
  typed.current = changes;
  /** What has been typed since it was sent is not in the answer: it stays. */
  const done = (saved: Instance, sent: Drafts): void => {
    const left = Object.entries(typed.current).filter(([name, draft]) => !isSame(draft, sent[name]));
    if (left.length === 0) release();
    client.setQueryData(['record', path], saved);
    setBase(saved);
    setChanges(Object.fromEntries(left));
    setThrown(undefined);
    setTheirs(undefined);
    onChanged();
  };
  const save = async (etag: string | null): Promise<void> => {
    setBusy(true);
    setTheirs(undefined);
    try {
      const saved = await perform(asked(etag));
      toast(`${entity.local} saved`);
      const merged = { ...saved, row: { ...base.row, ...saved.row } };
      // Where the answer does not say all of it. It is saved also where it cannot be read again.
      const isWhole = saved.etag !== null && !needsRights(entity);
      done(isWhole ? merged : await readInstance(rightsPath(model, entity, path)).catch(() => merged), changes);
    } catch (failure) {
      await (failure instanceof Problem && failure.status === 412 ? showTheirs() : setThrown(failure));
    }
    setBusy(false);
  };
  const showTheirs = (): Promise<void> => readInstance(rightsPath(model, entity, path)).then(setTheirs, setThrown);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isChanged) save(base.etag);
  };
  // Fields forget what was typed into them.
  const cancel = (): void => {
    setChanges({});
    setCancels(cancels + 1);
  };
  const { atFields, others } = faultsOf(thrown, entity.attributes);
  const noUpdate = missingRight('update', entity, base.row);
  const noDelete = missingRight('delete', entity, base.row);
  return (
    <form onSubmit={submit} noValidate>
      <Fields
        key={cancels}
        attributes={attributesOf(entity, base.row).map((each) => (each.identifier ? { ...each, readOnly: true } : each))}
        drafts={drafts}
        before={before}
        faults={atFields}
        isDisabled={noUpdate !== undefined}
        onChange={(name, draft) => setChanges({ ...changes, [name]: draft })}
      />
      {others !== undefined && <FaultText thrown={others} />}
      {[noUpdate, noDelete].map(
        (each) =>
          each !== undefined && (
            <p key={each} className="hint">
              {each}
            </p>
          ),
      )}
      <div className="buttons sticky">
        <button type="submit" className="primary" disabled={noUpdate !== undefined || isBusy || !isChanged} title={noUpdate}>
          Save
        </button>
        <button type="button" disabled={!isChanged} onClick={cancel}>
          Cancel
        </button>
        <button type="button" className="danger" disabled={noDelete !== undefined} title={noDelete} onClick={() => setDeleting(true)}>
          Delete
        </button>
        <span className="spacer" />
        <CopyAsCurl asked={() => (isChanged ? asked(base.etag) : { path })} />
      </div>
      {theirs !== undefined && (
        <ConflictDialog
          entity={entity}
          mine={drafts}
          before={before}
          theirs={draftsOf(entity, theirs.row)}
          onClose={() => setTheirs(undefined)}
          onKeepMine={() => save(theirs.etag)}
          onTakeTheirs={() => done(theirs, changes)}
        />
      )}
      {isDeleting && (
        <DeleteDialog
          entity={entity}
          paths={[path]}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            release();
            onChanged();
            onClose();
          }}
          onUndone={onChanged}
        />
      )}
    </form>
  );
}

function draftsOf({ attributes }: EntityDescription, row: Row): Drafts {
  return Object.fromEntries(attributes.map((each) => [each.name, draftOf(each, row[each.name])]));
}
