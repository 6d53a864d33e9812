// API keys: made for programs, shown once, and gone when they are deleted.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { readAll, systemEntity, systemName, systemValue } from '../../api/accounts.ts';
import { creation, pathOf, perform, type Row } from '../../api/instances.ts';
import { type EntityDescription, useModel } from '../../api/model.ts';
import { call } from '../../api/request.ts';
import { CopyAsCurl } from '../../components/curl.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { toast } from '../../components/toast.tsx';
import { shortened, Time } from '../../components/value.tsx';

export function ApiKeys() {
  const model = useModel();
  const entity = systemEntity(model, 'ApiKey');
  return entity === undefined ? null : <Keys entity={entity} />;
}

function Keys({ entity }: { entity: EntityDescription }) {
  const client = useQueryClient();
  const [isMaking, setMaking] = useState(false);
  const [leaving, setLeaving] = useState<Row>();
  const queryKey = ['accounts', 'keys'];
  const { data, error } = useQuery({ queryKey, queryFn: ({ signal }) => readAll(entity, '', signal) });
  const text = (row: Row, name: string): string => String(systemValue(entity, row, name) ?? '');
  const refresh = (): void => {
    client.invalidateQueries({ queryKey });
  };
  return (
    <>
      <div className="toolbar flat">
        <button type="button" className="primary" onClick={() => setMaking(true)}>
          New key
        </button>
        <span className="spacer" />
        <CopyAsCurl asked={() => ({ path: entity.path })} />
      </div>
      {error !== null && <FaultText thrown={error} />}
      {data === undefined && error === null && <Skeleton lines={4} label="Loading the keys" />}
      {data?.length === 0 && (
        <p className="hint">
          No keys yet. A program sends one in place of a token: <code>Authorization: Bearer pk_…</code>
        </p>
      )}
      {data !== undefined && data.length > 0 && (
        <div className="scroll">
          <table className="plain">
            <caption className="visually-hidden">API keys</caption>
            <thead>
              <tr>
                {['Name', 'Owner', 'Roles', 'Expires', 'Last used'].map((each) => (
                  <th key={each} scope="col">
                    {each}
                  </th>
                ))}
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.map((row) => (
                <tr key={pathOf(entity, row)}>
                  <th scope="row" dir="auto">
                    {shortened(text(row, 'name'))}
                  </th>
                  <td>
                    <bdi>{text(row, 'owner')}</bdi>
                  </td>
                  <td>{rolesText(systemValue(entity, row, 'roles'))}</td>
                  <td>{text(row, 'expires') === '' ? 'never' : <Time value={text(row, 'expires')} />}</td>
                  <td>{text(row, 'lastUsed') === '' ? 'never' : <Time value={text(row, 'lastUsed')} />}</td>
                  <td>
                    <button
                      type="button"
                      className="danger"
                      aria-label={`Delete ${shortened(text(row, 'name'))}`}
                      onClick={() => setLeaving(row)}
                    >
                      Delete
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isMaking && <NewKey entity={entity} onClose={() => setMaking(false)} onMade={refresh} />}
      {leaving !== undefined && (
        <DeleteKey name={text(leaving, 'name')} path={pathOf(entity, leaving)} onClose={() => setLeaving(undefined)} onDeleted={refresh} />
      )}
    </>
  );
}

function rolesText(roles: unknown): string {
  if (!Array.isArray(roles)) return 'all of its owner';
  return roles.length === 0 ? 'none' : roles.join(', ');
}

function NewKey({ entity, onClose, onMade }: { entity: EntityDescription; onClose: () => void; onMade: () => void }) {
  const { caller } = useModel();
  const [name, setName] = useState('');
  const [isNarrow, setNarrow] = useState(false);
  const [roles, setRoles] = useState<readonly string[]>([]);
  const [expires, setExpires] = useState('');
  const [thrown, setThrown] = useState<unknown>();
  const [made, setMade] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const asked = () => {
    // To the end of that day, where its owner is.
    const values = {
      name,
      ...(isNarrow ? { roles } : {}),
      ...(expires === '' ? {} : { expires: new Date(`${expires}T23:59:59`).toISOString() }),
    };
    const named = Object.entries(values).map(([each, value]) => [systemName(entity, each), value]);
    return creation(entity.path, entity.name, Object.fromEntries(named));
  };
  const make = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setThrown(undefined);
    try {
      const { row } = await perform(asked());
      setMade(String(row['key'] ?? row['Key'] ?? ''));
      onMade();
    } catch (failure) {
      setThrown(failure);
    }
    setBusy(false);
  };
  if (made !== undefined) return <MadeKey value={made} onClose={onClose} />;
  return (
    <Dialog title="New API key" onClose={onClose}>
      <form onSubmit={make} className="stacked">
        <label>
          Name
          <input required value={name} onChange={(event) => setName(event.target.value)} placeholder="what it is for" />
        </label>
        <label className="inline">
          <input type="checkbox" checked={isNarrow} onChange={() => setNarrow(!isNarrow)} />
          Only some of my roles
        </label>
        {isNarrow && (
          <fieldset className="items">
            <legend className="visually-hidden">Roles</legend>
            {caller.roles.map((role) => (
              <label key={role} className="inline">
                <input
                  type="checkbox"
                  checked={roles.includes(role)}
                  onChange={() => setRoles(roles.includes(role) ? roles.filter((each) => each !== role) : [...roles, role])}
                />
                {shortened(role)}
              </label>
            ))}
          </fieldset>
        )}
        <label>
          Expires
          <input type="date" max="9999-12-31" value={expires} onChange={(event) => setExpires(event.target.value)} />
        </label>
        <p className="hint">Without a date it is valid until it is deleted. It ends with its owner.</p>
        {thrown !== undefined && <FaultText thrown={thrown} />}
        <div className="buttons">
          <button type="submit" className="primary" disabled={isBusy}>
            Create
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <span className="spacer" />
          <CopyAsCurl asked={asked} />
        </div>
      </form>
    </Dialog>
  );
}

/** The only time that it is shown: nobody closes it by chance. */
function MadeKey({ value, onClose }: { value: string; onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      toast('Copied');
    } catch {
      // Without a secure context there is no clipboard.
      field.current?.select();
      toast('The browser lets nothing be copied here: it is selected, copy it by hand.');
    }
  };
  return (
    <Dialog title="Your new key" onClose={() => undefined}>
      <p>Copy it now: it is not shown again.</p>
      <label>
        Key
        <input ref={field} readOnly className="code" value={value} onFocus={(event) => event.target.select()} />
      </label>
      <div className="buttons">
        <button type="button" className="primary" onClick={copy}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          I have it
        </button>
      </div>
    </Dialog>
  );
}

function DeleteKey({ name, path, onClose, onDeleted }: { name: string; path: string; onClose: () => void; onDeleted: () => void }) {
  const [thrown, setThrown] = useState<unknown>();
  const remove = async (): Promise<void> => {
    try {
      await call({ method: 'DELETE', path });
      toast(`${name} is no longer let in`);
      onDeleted();
      onClose();
    } catch (failure) {
      setThrown(failure);
    }
  };
  return (
    <Dialog title={`Delete ${shortened(name)}?`} onClose={onClose}>
      <p>Whatever uses it is refused from the next second on. It cannot be undone.</p>
      {thrown !== undefined && <FaultText thrown={thrown} />}
      <div className="buttons">
        <button type="button" className="danger" onClick={remove}>
          Delete
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
