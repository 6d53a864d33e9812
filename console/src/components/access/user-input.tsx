// A field for a user, which offers those that there are.

import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { systemEntity, systemValue } from '../../api/accounts.ts';
import { readPage } from '../../api/instances.ts';
import { useModel } from '../../api/model.ts';

export function UserInput({ label, value, onChange }: { label: string; value: string; onChange: (email: string) => void }) {
  const id = useId();
  const users = systemEntity(useModel(), 'User');
  const path = `${users?.path ?? ''}?@limit=500`;
  const { data } = useQuery({
    queryKey: ['accounts', 'offered', path],
    queryFn: ({ signal }) => readPage(path, signal),
    enabled: users !== undefined,
  });
  return (
    <div>
      <label htmlFor={`${id}-user`}>{label}</label>
      <input
        id={`${id}-user`}
        type="text"
        inputMode="email"
        autoComplete="off"
        spellCheck={false}
        list={id}
        required
        placeholder="ann@example.com"
        value={value}
        onChange={(event) => onChange(event.target.value.trim())}
      />
      <datalist id={id}>
        {users !== undefined &&
          data?.rows.map((row) => {
            const email = String(systemValue(users, row, 'email'));
            return <option key={email} value={email} />;
          })}
      </datalist>
    </div>
  );
}
