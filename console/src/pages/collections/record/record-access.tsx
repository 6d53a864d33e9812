// Who may do what with the instance, and why; for those who are no admins, what they may do themselves.

import { type FormEvent, useState } from 'react';
import { type AccessAnswer, askAccess, questionPath } from '../../../api/access.ts';
import type { Row } from '../../../api/instances.ts';
import { type EntityDescription, useModel } from '../../../api/model.ts';
import { mayDo } from '../../../api/rights.ts';
import { UserInput } from '../../../components/access/user-input.tsx';
import { WhyAnswer } from '../../../components/access/why.tsx';
import { CopyAsCurl } from '../../../components/curl.tsx';
import { FaultText } from '../../../components/fault-text.tsx';
import { Choice } from '../../../components/form/choice.tsx';

const operations = ['read', 'update', 'delete'] as const;

export function RecordAccess({ entity, path, row }: { entity: EntityDescription; path: string; row: Row }) {
  const { caller } = useModel();
  const mine = operations.filter((each) => each === 'read' || mayDo(each, entity, row));
  return (
    <>
      <p>
        You may <strong>{mine.join(', ')}</strong> this instance.
      </p>
      {caller.isAdmin ? <Ask path={path} email={caller.email ?? ''} /> : <p className="hint">Why others may, only admins are told.</p>}
    </>
  );
}

function Ask({ path, email }: { path: string; email: string }) {
  const [user, setUser] = useState(email);
  const [operation, setOperation] = useState<string>('update');
  const [answer, setAnswer] = useState<AccessAnswer>();
  const [thrown, setThrown] = useState<unknown>();
  const question = { user, operation, on: path };
  const check = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setThrown(undefined);
    await askAccess(question).then(setAnswer, (failure: unknown) => {
      setAnswer(undefined);
      setThrown(failure);
    });
  };
  return (
    <>
      <form onSubmit={check} className="stacked" aria-label="Who may, and why">
        <UserInput label="User" value={user} onChange={setUser} />
        <Choice label="Operation" value={operation} options={operations} onChange={setOperation} />
        <div className="buttons">
          <button type="submit" className="primary">
            Check
          </button>
          <span className="spacer" />
          <CopyAsCurl asked={() => ({ path: questionPath(question) })} />
        </div>
      </form>
      {thrown !== undefined && <FaultText thrown={thrown} />}
      {answer !== undefined && <WhyAnswer answer={answer} />}
    </>
  );
}
