// The roles, and who has each of them.

import { type FormEvent, useState } from 'react';
import { UserInput } from '../../components/access/user-input.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { toast } from '../../components/toast.tsx';
import { shortened } from '../../components/value.tsx';
import { type Assignment, useAccounts } from './accounts.ts';
import { useKnownRoles } from './roles-dialog.tsx';

const mostShown = 100;

export function Roles() {
  const accounts = useAccounts();
  const roles = useKnownRoles(accounts);
  const [user, setUser] = useState('');
  const [role, setRole] = useState('');
  const [thrown, setThrown] = useState<unknown>();
  const act = async (work: Promise<unknown>, said: string): Promise<void> => {
    setThrown(undefined);
    await work.then(() => toast(said), setThrown);
  };
  const assign = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    await act(accounts.assign(user, role), `${user} is ${role} now`);
  };
  const revoke = (assignment: Assignment): Promise<void> =>
    act(accounts.revoke(assignment), `${assignment.assignee} is no longer ${assignment.role}`);
  return (
    <>
      <form aria-label="Assign a role" className="inline-form" onSubmit={assign}>
        <UserInput label="User" value={user} onChange={setUser} />
        <div>
          <label htmlFor="given-role">Role</label>
          <input
            id="given-role"
            list="known-roles"
            required
            maxLength={200}
            value={role}
            onChange={(event) => setRole(event.target.value)}
          />
          <datalist id="known-roles">
            {roles.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </div>
        <button type="submit" className="primary">
          Assign
        </button>
      </form>
      {(thrown ?? accounts.error) !== undefined && <FaultText thrown={thrown ?? accounts.error} />}
      {accounts.isPending && <Skeleton lines={4} label="Loading the roles" />}
      {!accounts.isPending && (
        <dl className="roles">
          {roles.map((each) => (
            <RoleMembers key={each} role={each} members={accounts.assignments.filter((given) => given.role === each)} onRevoke={revoke} />
          ))}
        </dl>
      )}
    </>
  );
}

interface MembersParts {
  readonly role: string;
  readonly members: readonly Assignment[];
  readonly onRevoke: (assignment: Assignment) => void;
}

function RoleMembers({ role, members, onRevoke }: MembersParts) {
  return (
    <div>
      <dt>
        {shortened(role)} <small>{members.length.toLocaleString()}</small>
      </dt>
      <dd className="chips">
        {members.length === 0 && <span className="hint">Nobody has it.</span>}
        {members.slice(0, mostShown).map((each) => (
          <span key={each.assignee} className="chip">
            <bdi>{shortened(each.assignee)}</bdi>
            <button type="button" aria-label={`Take ${shortened(role)} from ${shortened(each.assignee)}`} onClick={() => onRevoke(each)}>
              ×
            </button>
          </span>
        ))}
        {members.length > mostShown && <span className="hint">and {(members.length - mostShown).toLocaleString()} more</span>}
      </dd>
    </div>
  );
}
