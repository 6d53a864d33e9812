// Users with their roles, and what is done about them; every change is a request of the public API.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { readAll, systemEntity, systemName, systemValue } from '../../api/accounts.ts';
import { creation, pathOf, perform, type Row } from '../../api/instances.ts';
import { useModel } from '../../api/model.ts';
import { call } from '../../api/request.ts';

export interface Assignment {
  readonly role: string;
  readonly assignee: string;
  /** The same role may have been given more than once. */
  readonly paths: readonly string[];
}

export interface Account {
  readonly email: string;
  readonly name: string;
  readonly roles: readonly Assignment[];
  /** The path of what keeps the user out. */
  readonly disabled: string | undefined;
}

export interface Accounts {
  readonly accounts: readonly Account[];
  readonly assignments: readonly Assignment[];
  readonly isPending: boolean;
  readonly error: unknown;
  assign(email: string, role: string): Promise<unknown>;
  revoke(assignment: Assignment): Promise<unknown>;
  disable(account: Account): Promise<unknown>;
  enable(account: Account): Promise<unknown>;
}

const key = ['accounts'];

export function useAccounts(): Accounts {
  const model = useModel();
  const client = useQueryClient();
  const [users, roles, disabled] = ['User', 'RoleAssignment', 'DisabledUser'].map((local) => systemEntity(model, local));
  const { data, isPending, error } = useQuery({
    queryKey: [...key, 'all'],
    queryFn: async ({ signal }) => {
      const [people, given, out] = await Promise.all([users, roles, disabled].map((each) => (each ? readAll(each, '', signal) : [])));
      return { people: people ?? [], given: given ?? [], out: out ?? [] };
    },
  });
  const text = (entity: typeof users, row: Row, name: string): string =>
    entity === undefined ? '' : String(systemValue(entity, row, name) ?? '');
  const given = new Map<string, Assignment>();
  for (const row of data?.given ?? []) {
    const [role, assignee] = [text(roles, row, 'role'), text(roles, row, 'assignee')];
    const key = JSON.stringify([role, assignee]);
    const paths = [...(given.get(key)?.paths ?? []), ...(roles === undefined ? [] : [pathOf(roles, row)])];
    given.set(key, { role, assignee, paths });
  }
  const assignments = [...given.values()];
  const accounts = (data?.people ?? []).map((row): Account => {
    const email = text(users, row, 'email');
    const out = data?.out.find((each) => text(disabled, each, 'user') === email);
    return {
      email,
      name: text(users, row, 'name'),
      roles: assignments.filter((each) => each.assignee === email),
      disabled: out === undefined || disabled === undefined ? undefined : pathOf(disabled, out),
    };
  });
  const make = (entity: typeof users, values: Readonly<Record<string, string>>): Promise<unknown> => {
    if (entity === undefined) return Promise.reject(new Error('You may not do this.'));
    const body = Object.fromEntries(Object.entries(values).map(([name, value]) => [systemName(entity, name), value]));
    return perform(creation(entity.path, entity.name, body));
  };
  const afterwards = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } finally {
      await client.invalidateQueries({ queryKey: key });
    }
  };
  return {
    accounts,
    assignments,
    isPending,
    error: error ?? undefined,
    assign: (email, role) => afterwards(make(roles, { role, assignee: email })),
    revoke: ({ paths }) => afterwards(Promise.all(paths.map((path) => call({ method: 'DELETE', path })))),
    disable: ({ email }) => afterwards(make(disabled, { user: email })),
    enable: ({ disabled: path = '' }) => afterwards(call({ method: 'DELETE', path })),
  };
}
