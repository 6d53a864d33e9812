// One attribute set on many instances, each at the version that was just read, and back again by Undo where nobody has changed it since.

import { type FormEvent, useState } from 'react';
import { change, perform, readInstance } from '../../../api/instances.ts';
import type { EntityDescription } from '../../../api/model.ts';
import { Problem } from '../../../api/request.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { Choice } from '../../../components/form/choice.tsx';
import { type Draft, draftValue } from '../../../components/form/draft.ts';
import { faultsOf } from '../../../components/form/faults.ts';
import { Fields } from '../../../components/form/fields.tsx';
import { toast } from '../../../components/toast.tsx';
import { forEach, type Outcome } from './batch.ts';
import { Failures } from './failures.tsx';

interface EditParts {
  readonly entity: EntityDescription;
  readonly paths: readonly string[];
  readonly onChanged: () => void;
  /** With the paths of those that were not changed. */
  readonly onClose: (left: readonly string[]) => void;
}

interface Changed {
  readonly path: string;
  readonly before: unknown;
  readonly etag: string | null;
}

export function BulkEdit({ entity, paths, onChanged, onClose }: EditParts) {
  const attributes = entity.attributes.filter((each) => !each.identifier && !each.readOnly && !each.secret && !each.writeOnly);
  const [name, setName] = useState(attributes[0]?.name ?? '');
  const [draft, setDraft] = useState<Draft>();
  const [isCleared, setCleared] = useState(false);
  const [progress, setProgress] = useState<number>();
  const [failed, setFailed] = useState<Outcome<unknown>['failed']>([]);
  const [left, setLeft] = useState(paths);
  const [thrown, setThrown] = useState<unknown>();
  const attribute = attributes.find((each) => each.name === name);
  // A field that was left empty says nothing: taking values away is chosen.
  const isGiven = isCleared || (draft !== undefined && draft.length > 0);
  const apply = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (attribute === undefined || !isGiven) return;
    const typed = isCleared || draft === undefined ? (attribute.list ? [] : '') : draft;
    let value: unknown;
    try {
      value = draftValue(attribute, typed);
    } catch (failure) {
      setThrown(failure);
      return;
    }
    setThrown(undefined);
    setProgress(0);
    setFailed([]);
    const outcome = await forEach(left, (path) => setOne(path, name, value), setProgress);
    setProgress(undefined);
    onChanged();
    const count = outcome.done.length;
    if (count > 0) toast(`${count.toLocaleString()} changed`, { name: 'Undo', run: () => undo(outcome.done) });
    setFailed(outcome.failed);
    setLeft(outcome.failed.map((each) => each.path));
    if (outcome.failed.length === 0) onClose([]);
  };
  const undo = async (done: readonly Changed[]): Promise<void> => {
    const known = new Map(done.map((each) => [each.path, each]));
    const back = (path: string) => perform(change(path, { [name]: known.get(path)?.before ?? null }, known.get(path)?.etag ?? null));
    const outcome = await forEach([...known.keys()], back, () => undefined);
    onChanged();
    const stayed = outcome.failed.length === 0 ? '' : `; ${outcome.failed.length.toLocaleString()} have been changed since, and stay`;
    toast(`${outcome.done.length.toLocaleString()} are as before${stayed}`);
  };
  return (
    <Dialog title={`Edit ${left.length.toLocaleString()} ${entity.local}`} onClose={() => progress === undefined && onClose(left)}>
      <form onSubmit={apply} className="stacked" noValidate>
        <Choice
          label="Attribute"
          value={name}
          options={attributes.map((each) => each.name)}
          onChange={(next) => {
            setName(next);
            setDraft(undefined);
            setCleared(false);
            setThrown(undefined);
          }}
        />
        {attribute !== undefined && (
          <Fields
            attributes={[attribute]}
            drafts={draft === undefined || isCleared ? {} : { [name]: draft }}
            faults={faultsOf(thrown, attributes).atFields}
            isDisabled={progress !== undefined || isCleared}
            onChange={(_, next) => setDraft(next)}
          />
        )}
        <label className="inline">
          <input
            type="checkbox"
            checked={isCleared}
            disabled={progress !== undefined}
            onChange={(event) => setCleared(event.target.checked)}
          />
          Clear the value
        </label>
        <Failures text={`${failed.length.toLocaleString()} could not be changed:`} failed={failed} />
        {progress !== undefined && (
          <label>
            {progress.toLocaleString()} of {left.length.toLocaleString()}
            <progress max={left.length} value={progress} />
          </label>
        )}
        <div className="buttons">
          <button type="submit" className="primary" disabled={progress !== undefined || attribute === undefined || !isGiven}>
            Apply to {left.length.toLocaleString()}
          </button>
          <button type="button" disabled={progress !== undefined} onClick={() => onClose(left)}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Whoever saves in between is not overwritten unseen: then it is read once more, and only this attribute is set. */
async function setOne(path: string, name: string, value: unknown, isSecond = false): Promise<Changed> {
  const { row, etag } = await readInstance(path);
  try {
    const saved = await perform(change(path, { [name]: value }, etag));
    return { path, before: row[name], etag: saved.etag };
  } catch (thrown) {
    if (!isSecond && thrown instanceof Problem && thrown.status === 412) return setOne(path, name, value, true);
    throw thrown;
  }
}
