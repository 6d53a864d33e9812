// The attributes of an instance, to be read and changed. A fault keeps what was typed; a conflict shows both sides.

import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { change, type Instance, perform, type Row, readInstance } from '../../../api/instances.ts';
import type { EntityDescription } from '../../../api/model.ts';
import { Problem } from '../../../api/request.ts';
import { CopyAsCurl } from '../../../components/curl.tsx';
import { FaultText } from '../../../components/fault-text.tsx';
import { bodyOf, type Drafts, draftOf, isSame } from '../../../components/form/draft.ts';
import { faultsOf } from '../../../components/form/faults.ts';
import { Fields } from '../../../components/form/fields.tsx';
import { toast } from '../../../components/toast.tsx';
import { guardLeaving } from '../../../router.tsx';
import { ConflictDialog } from './conflict.tsx';
import { DeleteDialog } from './delete-dialog.tsx';

interface FormParts {
  readonly entity: EntityDescription;
  readonly path: string;
  readonly instance: Instance;
  readonly reread: () => unknown;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function RecordForm({ entity, path, instance, onChanged, onClose }: FormParts) {
  const client = useQueryClient();
  const [base, setBase] = useState(instance);
  const before = draftsOf(entity, base.row);
  const [changes, setChanges] = useState<Drafts>({});
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
  useUnsaved(isChanged);
  const asked = (etag: string | null) => change(path, bodyOf(entity.attributes, drafts, before), etag);
  const done = (saved: Instance): void => {
    client.setQueryData(['record', path], saved);
    setBase(saved);
    setChanges({});
    setThrown(undefined);
    setTheirs(undefined);
    toast(`${entity.local} saved`);
    onChanged();
  };
  const save = async (etag: string | null): Promise<void> => {
    setBusy(true);
    try {
      await perform(asked(etag));
      done(await readInstance(path));
    } catch (failure) {
      if (failure instanceof Problem && failure.status === 412) setTheirs(await readInstance(path));
      else setThrown(failure);
    }
    setBusy(false);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isChanged) save(base.etag);
  };
  const { atFields, others } = faultsOf(thrown, entity.attributes);
  const { update, delete: remove } = entity.operations;
  return (
    <form onSubmit={submit} noValidate>
      <Fields
        attributes={entity.attributes.map((each) => (each.identifier ? { ...each, readOnly: true } : each))}
        drafts={drafts}
        faults={atFields}
        isDisabled={update === 'none'}
        onChange={(name, draft) => setChanges({ ...changes, [name]: draft })}
      />
      {others !== undefined && <FaultText thrown={others} />}
      <div className="buttons sticky">
        <button
          type="submit"
          className="primary"
          disabled={update === 'none' || isBusy || !isChanged}
          title={update === 'none' ? 'You may not update this type.' : undefined}
        >
          Save
        </button>
        <button type="button" disabled={!isChanged} onClick={() => setChanges({})}>
          Cancel
        </button>
        <button
          type="button"
          className="danger"
          disabled={remove === 'none'}
          title={remove === 'none' ? 'You may not delete this type.' : undefined}
          onClick={() => setDeleting(true)}
        >
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
          onTakeTheirs={() => done(theirs)}
        />
      )}
      {isDeleting && (
        <DeleteDialog
          entity={entity}
          path={path}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            setChanges({});
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

/** Leaving with changes asks once. */
function useUnsaved(isChanged: boolean): void {
  const current = useRef(isChanged);
  current.current = isChanged;
  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent): void => {
      if (current.current) event.preventDefault();
    };
    window.addEventListener('beforeunload', onUnload);
    const free = guardLeaving(() => !current.current || window.confirm('There are changes that are not saved. Leave?'));
    return () => {
      window.removeEventListener('beforeunload', onUnload);
      free();
    };
  }, []);
}
