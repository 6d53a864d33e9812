// What an operator does about users, who has the store in place of a token: lists, adds and removes them, sets passwords and roles, replaces the signing key.

import type { Clock } from '../clock.ts';
import type { WriteContext } from '../engine/operation.ts';
import { OwnTable } from '../engine/own-table.ts';
import { writeAsSystem } from '../engine/system-work.ts';
import { type Fault, isError, PlatformError } from '../errors.ts';
import type { Plan } from '../plan/plan.ts';
import { type Reader, StartRefused, type Store } from '../store/store.ts';
import { openAccounts } from './accounts.ts';
import type { SystemWork } from './identity.ts';
import { emailOf, Users } from './users.ts';

export interface ListedUser {
  readonly email: string;
  readonly name: string | undefined;
  readonly roles: readonly string[];
  /** Whether it is known that the address is theirs. */
  readonly confirmed: boolean;
}

export interface AddedUser {
  readonly email: string;
  readonly name: string | undefined;
  readonly roles: readonly string[];
}

export interface Directory {
  /** Their names are the texts that they are kept by; each throws a clear line where it cannot be done. */
  add(user: AddedUser, password: string): Promise<string>;
  remove(email: string): Promise<string>;
  /** Ends the sessions of the user. */
  setPassword(email: string, password: string): Promise<string>;
  /** Whether the user was enabled until now. */
  disable(email: string): Promise<boolean>;
  /** Whether the user was disabled until now. */
  enable(email: string): Promise<boolean>;
  /** Whether the user had it not before. */
  addRole(email: string, role: string): Promise<boolean>;
  /** Whether the user had it. */
  removeRole(email: string, role: string): Promise<boolean>;
  /** The identifier of the new key. */
  rotateKey(): Promise<string>;
}

const longestRole = 200;
const pageSize = 500;

/** In the order of their addresses, page by page. */
export async function* listUsers(plan: Plan, tx: Reader): AsyncGenerator<ListedUser> {
  const users = usersOf(plan);
  let last = '';
  for (;;) {
    const page = await users.after(last, pageSize, tx);
    for (const { email, name } of page)
      yield { email, name, roles: (await users.rolesOf(email, tx)).toSorted(), confirmed: await users.isConfirmed(email, tx) };
    if (page.length < pageSize) return;
    last = page.at(-1)?.email ?? '';
  }
}

function usersOf(plan: Plan): Users {
  if (plan.identity === undefined) throw new Error('the model was linked without users');
  return new Users(plan, new OwnTable(plan.identity.unconfirmed));
}

export function openDirectory(plan: Plan, store: Store, clock: Clock, engine: SystemWork): Directory {
  // Nothing is signed or sent here.
  const unused = { names: { issuer: '', audience: '' }, application: '', url: undefined, work: new Map(), failed: () => {} };
  const { users, passwords, sessions, keys } = openAccounts({ plan, store, clock, ...unused });

  const write = <T>(work: (writing: WriteContext) => Promise<T>): Promise<T> =>
    engine.asSystem((context) => writeAsSystem(context, work)).catch(refused);

  const existing = async (given: string, { tx }: Pick<WriteContext, 'tx'>): Promise<string> => {
    const email = emailOf(given);
    if ((await users.find(email, tx)) === undefined) throw new StartRefused(`There is no user ${email}.`);
    return email;
  };

  const hashed = async (email: string, password: string): Promise<string> => {
    const faults = await passwords.faultsOf(password, emailOf(email), 'The password');
    if (faults.length > 0) throw new StartRefused(`${linesOf(faults)}.`);
    return passwords.hash(password);
  };

  return {
    async add({ email: given, name, roles }, password) {
      const email = emailOf(given);
      for (const role of roles) refuseRole(role);
      const hash = await hashed(email, password);
      await write(async (writing) => {
        if ((await users.find(email, writing.tx)) !== undefined) throw new StartRefused(`There is already a user ${email}.`);
        await users.create({ email, password: hash, ...(name === undefined ? {} : { name }) }, true, writing);
        for (const role of new Set(roles)) await users.addRole(email, role, writing);
      });
      return email;
    },
    remove: (given) =>
      write(async (writing) => {
        const email = await existing(given, writing);
        await users.remove(email, writing);
        return email;
      }),
    async setPassword(given, password) {
      const hash = await hashed(given, password);
      return write(async (writing) => {
        const email = await existing(given, writing);
        await users.setPassword(email, hash, writing);
        await sessions.endAll(email, writing.tx);
        return email;
      });
    },
    disable: (given) => write(async (writing) => users.disable(await existing(given, writing), writing)),
    enable: (given) => write(async (writing) => users.enable(await existing(given, writing), writing)),
    async addRole(given, role) {
      refuseRole(role);
      return write(async (writing) => {
        const email = await existing(given, writing);
        if ((await users.rolesOf(email, writing.tx)).includes(role)) return false;
        await users.addRole(email, role, writing);
        return true;
      });
    },
    removeRole: (given, role) => write(async (writing) => users.removeRole(await existing(given, writing), role, writing)),
    async rotateKey() {
      await keys.open();
      return keys.rotate();
    },
  };
}

function refuseRole(role: string): void {
  if (role.trim() === '' || role.length > longestRole) throw new StartRefused(`A role has 1 to ${longestRole} characters.`);
}

/** What is wrong with what was typed is no fault of the service. */
function refused(thrown: unknown): never {
  if (isError(thrown, 'attributes-invalid') && thrown instanceof PlatformError)
    throw new StartRefused(`${linesOf(thrown.details.errors ?? [])}.`, thrown);
  throw thrown;
}

function linesOf(faults: readonly Fault[]): string {
  return faults.map(({ attribute, message }) => `${attribute} ${message}`).join('; ');
}
