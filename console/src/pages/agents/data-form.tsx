// The data that a run goes on with: any JSON.

import { type FormEvent, useState } from 'react';
import { FaultText } from '../../components/fault-text.tsx';
import { type Draft, readJson } from '../../components/form/draft.ts';
import { faultsOf } from '../../components/form/faults.ts';
import { Fields } from '../../components/form/fields.tsx';
import { plainField } from '../../components/form/plain-field.ts';
import { Skeleton } from '../../components/skeleton.tsx';

const field = plainField({ name: 'Data', type: 'JSON', kind: 'json', required: true });

interface DataParts {
  readonly isBusy: boolean;
  /** What the service said against what was given. */
  readonly thrown: unknown;
  /** Whether it was taken. */
  readonly onGiven: (data: unknown) => Promise<boolean>;
}

export function DataForm({ isBusy, thrown, onGiven }: DataParts) {
  const [draft, setDraft] = useState<Draft>('');
  const [unread, setUnread] = useState<unknown>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      const data = readJson(field.name, String(draft));
      setUnread(undefined);
      // It may wait for more, of which this is not the answer.
      if (await onGiven(data)) setDraft('');
    } catch (failure) {
      setUnread(failure);
    }
  };
  return (
    <form onSubmit={submit} noValidate>
      <Fields
        attributes={[field]}
        drafts={{ [field.name]: draft }}
        faults={faultsOf(unread, [field]).atFields}
        isDisabled={isBusy}
        onChange={(_, typed) => setDraft(typed)}
      />
      {isBusy && <Skeleton lines={1} label="The run goes on" />}
      {thrown !== undefined && unread === undefined && <FaultText thrown={thrown} />}
      <div className="buttons">
        <button type="submit" className="primary" disabled={isBusy}>
          Resume
        </button>
      </div>
    </form>
  );
}
