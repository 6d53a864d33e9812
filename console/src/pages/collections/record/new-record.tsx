// The form of a new instance, made from the type.

import { type FormEvent, useState } from 'react';
import { creation, perform, type Row } from '../../../api/instances.ts';
import { writeJson } from '../../../api/json.ts';
import type { EntityDescription } from '../../../api/model.ts';
import { Problem } from '../../../api/request.ts';
import { settableOf } from '../../../api/rights.ts';
import { CopyAsCurl } from '../../../components/curl.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { FaultText } from '../../../components/fault-text.tsx';
import { bodyOf, type Drafts } from '../../../components/form/draft.ts';
import { faultsOf } from '../../../components/form/faults.ts';
import { Fields } from '../../../components/form/fields.tsx';
import { toast } from '../../../components/toast.tsx';
import { useUnsaved } from '../../../components/unsaved.ts';

interface NewParts {
  readonly entity: EntityDescription;
  /** The collection that it is made in. */
  readonly path: string;
  readonly onClose: () => void;
  readonly onCreated: (row: Row) => void;
}

export function NewRecord({ entity, path, onClose, onCreated }: NewParts) {
  const attributes = settableOf(entity).filter((each) => !each.computed && each.default !== 'autoincrement');
  const [drafts, setDrafts] = useState<Drafts>({});
  const [thrown, setThrown] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const asked = () => creation(path, entity.name, bodyOf(attributes, drafts, undefined));
  const { release, ask } = useUnsaved(Object.keys(drafts).length > 0, (next) => next.search !== location.search);
  const close = (): void => {
    if (ask()) onClose();
  };
  // Of the same form sent again after no answer came, the service makes one instance.
  const [attempt, setAttempt] = useState({ body: '', key: '' });
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    try {
      const request = asked();
      const body = writeJson(request.body);
      const { key } = attempt.body === body ? attempt : { key: randomKey() };
      setAttempt({ body, key });
      const { row } = await perform({ ...request, headers: { 'idempotency-key': key } });
      toast(`${entity.local} created`);
      release();
      onCreated(row);
    } catch (failure) {
      if (isRefused(failure)) setAttempt({ body: '', key: '' });
      setThrown(failure);
    }
    setBusy(false);
  };
  const { atFields, others } = faultsOf(thrown, attributes);
  return (
    <Dialog title={`New ${entity.local}`} onClose={close} wide>
      <form onSubmit={save} noValidate aria-busy={isBusy}>
        <Fields
          attributes={attributes.map((each) => ({ ...each, readOnly: false }))}
          drafts={drafts}
          faults={atFields}
          // What is typed into what is being sent would be in no answer.
          onChange={(name, draft) => isBusy || setDrafts({ ...drafts, [name]: draft })}
        />
        {others !== undefined && <FaultText thrown={others} />}
        <div className="buttons">
          <button type="submit" className="primary" disabled={isBusy}>
            Save
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
          <span className="spacer" />
          <CopyAsCurl asked={asked} />
        </div>
      </form>
    </Dialog>
  );
}

/** Whether it is certain that nothing was made: one that is still running may be, and one too many says nothing of those before it. */
function isRefused(failure: unknown): boolean {
  if (!(failure instanceof Problem) || failure.status < 400 || failure.status >= 500) return false;
  return failure.status !== 429 && failure.code !== 'request-in-progress';
}

/** `crypto.randomUUID` is there in secure contexts alone. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, '0')).join('');
}
