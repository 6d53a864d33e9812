// The roles of one user: given and taken one by one, which holds from the next request on.

import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { readMatrix } from '../../api/access.ts';
import { useModel } from '../../api/model.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { toast } from '../../components/toast.tsx';
import { shortened } from '../../components/value.tsx';
import type { Account, Accounts } from './accounts.ts';
import { rolesIn } from './matrix.tsx';

/** Those that rules name, those that somebody has, and admin. */
export function useKnownRoles({ assignments }: Accounts): readonly string[] {
  const { features } = useModel();
  const { data } = useQuery({ queryKey: ['matrix'], queryFn: ({ signal }) => readMatrix(signal), enabled: features.accessControl });
  return [...new Set(['admin', ...rolesIn(data ?? []), ...assignments.map(({ role }) => role)])].filter((each) => each !== '*').toSorted();
}

export function RolesDialog({ account, accounts, onClose }: { account: Account; accounts: Accounts; onClose: () => void }) {
  const known = useKnownRoles(accounts);
  const [other, setOther] = useState('');
  const [thrown, setThrown] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  /** What was chosen, until it is known. */
  const [wanted, setWanted] = useState<{ readonly role: string; readonly isGiven: boolean }>();
  const act = async (work: Promise<unknown>, said: string): Promise<void> => {
    setBusy(true);
    setThrown(undefined);
    await work.then(() => toast(said), setThrown);
    setBusy(false);
    setWanted(undefined);
  };
  const give = (role: string): Promise<void> => act(accounts.assign(account.email, role), `${account.email} is ${role} now`);
  const toggle = (role: string): void => {
    const had = account.roles.filter((each) => each.role === role);
    setWanted({ role, isGiven: had.length === 0 });
    if (had.length === 0) give(role);
    else act(Promise.all(had.map(accounts.revoke)), `${account.email} is no longer ${role}`);
  };
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (other.trim() === '') return;
    await give(other.trim());
    setOther('');
  };
  return (
    <Dialog title={`Roles of ${account.email}`} onClose={onClose}>
      <ul className="choices">
        {known.map((role) => (
          <li key={role}>
            <label className="inline">
              <input
                type="checkbox"
                disabled={isBusy}
                checked={wanted?.role === role ? wanted.isGiven : account.roles.some((each) => each.role === role)}
                onChange={() => toggle(role)}
              />
              {shortened(role)}
            </label>
          </li>
        ))}
      </ul>
      <form onSubmit={add} className="inline-form">
        <label>
          Another role
          <input value={other} maxLength={200} onChange={(event) => setOther(event.target.value)} />
        </label>
        <button type="submit" disabled={isBusy || other.trim() === ''}>
          Assign
        </button>
      </form>
      {thrown !== undefined && <FaultText thrown={thrown} />}
      <div className="buttons">
        <button type="button" className="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
