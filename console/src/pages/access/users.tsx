// The users: who they are, which roles they have, and whether they are let in.

import { useState } from 'react';
import { systemEntity } from '../../api/accounts.ts';
import { useModel } from '../../api/model.ts';
import { CopyAsCurl } from '../../components/curl.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { toast } from '../../components/toast.tsx';
import { shortened } from '../../components/value.tsx';
import { Link } from '../../router.tsx';
import { type Account, useAccounts } from './accounts.ts';
import { RolesDialog } from './roles-dialog.tsx';

const mostShown = 200;

export function Users() {
  const model = useModel();
  const all = useAccounts();
  const [text, setText] = useState('');
  const [thrown, setThrown] = useState<unknown>();
  const [chosen, setChosen] = useState<string>();
  const entity = systemEntity(model, 'User');
  const found = all.accounts.filter(({ email, name }) => `${email} ${name}`.toLowerCase().includes(text.trim().toLowerCase()));
  const act = async (work: Promise<unknown>, said: string): Promise<void> => {
    setThrown(undefined);
    await work.then(() => toast(said), setThrown);
  };
  const open = all.accounts.find(({ email }) => email === chosen);
  return (
    <>
      <div className="toolbar flat">
        <label className="visually-hidden" htmlFor="find-user">
          Find a user
        </label>
        <input id="find-user" type="search" placeholder="Find a user" value={text} onChange={(event) => setText(event.target.value)} />
        <span className="spacer" />
        {entity !== undefined && (
          <Link className="button" to={`/data/${entity.name}?@new=1`}>
            New user
          </Link>
        )}
        {entity !== undefined && <CopyAsCurl asked={() => ({ path: entity.path })} />}
      </div>
      {(thrown ?? all.error) !== undefined && <FaultText thrown={thrown ?? all.error} />}
      {all.isPending ? (
        <Skeleton lines={6} label="Loading the users" />
      ) : (
        <div className="scroll">
          <table className="plain">
            <caption className="visually-hidden">Users</caption>
            <thead>
              <tr>
                <th scope="col">Email</th>
                <th scope="col">Name</th>
                <th scope="col">Roles</th>
                <th scope="col">State</th>
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {found.slice(0, mostShown).map((account) => (
                <UserRow
                  key={account.email}
                  account={account}
                  isSelf={account.email === model.caller.email}
                  onRoles={() => setChosen(account.email)}
                  onDisable={() => act(all.disable(account), `${account.email} is kept out`)}
                  onEnable={() => act(all.enable(account), `${account.email} is let in again`)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {found.length > mostShown && <p className="hint">{(found.length - mostShown).toLocaleString()} more: type a part of the address.</p>}
      {!all.isPending && found.length === 0 && <p className="hint">Nobody is called so.</p>}
      {open !== undefined && <RolesDialog account={open} accounts={all} onClose={() => setChosen(undefined)} />}
    </>
  );
}

interface RowParts {
  readonly account: Account;
  readonly isSelf: boolean;
  readonly onRoles: () => void;
  readonly onDisable: () => void;
  readonly onEnable: () => void;
}

function UserRow({ account: { email, name, roles, disabled }, isSelf, onRoles, onDisable, onEnable }: RowParts) {
  return (
    <tr>
      <th scope="row">
        <bdi>{shortened(email)}</bdi>
      </th>
      <td dir="auto">{name === '' ? <span className="absent">–</span> : shortened(name)}</td>
      <td>
        <span className="chips">
          {roles.map(({ role }) => (
            <span key={role} className="enum">
              {shortened(role)}
            </span>
          ))}
          <button type="button" className="quiet" aria-label={`Roles of ${email}`} onClick={onRoles}>
            Roles
          </button>
        </span>
      </td>
      <td>{disabled === undefined ? 'Active' : <span className="bad">Disabled</span>}</td>
      <td>
        {disabled === undefined ? (
          <button
            type="button"
            aria-label={`Disable ${email}`}
            disabled={isSelf}
            title={isSelf ? 'You would keep yourself out.' : undefined}
            onClick={onDisable}
          >
            Disable
          </button>
        ) : (
          <button type="button" aria-label={`Enable ${email}`} onClick={onEnable}>
            Enable
          </button>
        )}
      </td>
    </tr>
  );
}
