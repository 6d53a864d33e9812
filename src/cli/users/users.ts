// `platform users` and `platform keys`: each opens the store of the project, does one thing, and closes it.

import { systemClock } from '../../clock.ts';
import { type Directory, type ListedUser, listUsers, openDirectory } from '../../identity/directory.ts';
import { compile } from '../../plan/compile.ts';
import { readSnapshot } from '../../store/snapshot.ts';
import { StartRefused } from '../../store/store.ts';
import { withEngine } from '../engine.ts';
import { load, type Ready } from '../load.ts';
import { counted, report } from '../report.ts';
import type { Terminal } from '../terminal.ts';

interface OfProject {
  readonly config?: string;
}

export async function list(path: string, options: OfProject & { readonly json?: boolean }, terminal: Terminal): Promise<number> {
  const ready = await read(path, options, terminal, false);
  if (ready === undefined) return 1;
  const plan = compile(ready.model, { identified: true });
  const isJson = options.json === true;
  const count = await readSnapshot({ settings: ready.settings.store, clock: systemClock(), tables: plan.tables }, async (reader) => {
    let printed = 0;
    for await (const user of listUsers(plan, reader)) {
      terminal.out(isJson ? `${printed === 0 ? '[' : ','}${jsonOf(user)}` : lineOf(user));
      printed += 1;
    }
    return printed;
  });
  if (isJson) terminal.out(count === 0 ? '[]' : ']');
  else terminal.err(counted(count, 'user'));
  return 0;
}

function jsonOf({ email, name, roles, confirmed }: ListedUser): string {
  return JSON.stringify({ email, name: name ?? null, roles, confirmed });
}

function lineOf({ email, name, roles, confirmed }: ListedUser): string {
  const parts = [email.padEnd(32), roles.join(', ').padEnd(20), name ?? ''];
  return `${parts.join('  ').trimEnd()}${confirmed ? '' : '  (not confirmed)'}`;
}

export interface AddOptions extends OfProject {
  readonly role?: readonly string[];
  readonly name?: string;
}

export function add(email: string, path: string, options: AddOptions, terminal: Terminal): Promise<number> {
  return withOwnUsers(path, options, terminal, async (directory) => {
    const { role = [], name } = options;
    const added = await directory.add({ email, name, roles: role }, await newPassword(email, terminal));
    return `${added} is added${role.length === 0 ? '' : `, as ${role.join(', ')}`}`;
  });
}

export async function remove(
  email: string,
  path: string,
  options: OfProject & { readonly yes?: boolean },
  terminal: Terminal,
): Promise<number> {
  if (options.yes !== true) {
    if (terminal.ask === undefined) throw new StartRefused('nothing was removed; say --yes where this is meant');
    const answer = await terminal.ask(`Remove ${email} with roles, keys and sessions? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new StartRefused('nothing was removed');
  }
  return withDirectory(path, options, terminal, async (directory) => `${await directory.remove(email)} is removed`);
}

export function password(email: string, path: string, options: OfProject, terminal: Terminal): Promise<number> {
  return withOwnUsers(path, options, terminal, async (directory) => {
    const changed = await directory.setPassword(email, await newPassword(email, terminal));
    return `the password of ${changed} is set; the sessions have ended`;
  });
}

export function disable(email: string, path: string, options: OfProject, terminal: Terminal): Promise<number> {
  return withDirectory(path, options, terminal, async (directory) =>
    (await directory.disable(email)) ? `${email} is disabled` : `${email} was disabled before`,
  );
}

export function enable(email: string, path: string, options: OfProject, terminal: Terminal): Promise<number> {
  return withDirectory(path, options, terminal, async (directory) =>
    (await directory.enable(email)) ? `${email} is enabled again` : `${email} was not disabled`,
  );
}

export interface RoleChange {
  readonly email: string;
  readonly change: 'add' | 'remove';
  readonly role: string;
}

export function role({ email, change, role: name }: RoleChange, path: string, options: OfProject, terminal: Terminal): Promise<number> {
  return withDirectory(path, options, terminal, async (directory) => {
    if (change === 'add') return (await directory.addRole(email, name)) ? `${email} has the role ${name}` : `${email} had the role ${name}`;
    return (await directory.removeRole(email, name)) ? `${email} has no longer the role ${name}` : `${email} had no role ${name}`;
  });
}

export function rotate(path: string, options: OfProject, terminal: Terminal): Promise<number> {
  return withOwnUsers(path, options, terminal, async (directory) => `${await directory.rotateKey()} signs tokens from now on`);
}

/** On a terminal twice, without being shown. */
async function newPassword(email: string, { askSecret, line }: Terminal): Promise<string> {
  if (askSecret !== undefined) {
    const first = await askSecret(`Password of ${email}: `);
    if (first === '') throw new StartRefused('nothing was changed: no password was typed');
    if ((await askSecret('The same again: ')) !== first) throw new StartRefused('nothing was changed: that was another one');
    return first;
  }
  const given = (await line?.()) ?? '';
  if (given === '') throw new StartRefused('The password is read from standard input, and nothing is there.');
  return given;
}

type Work = (directory: Directory) => Promise<string>;

/** For what a user pool does itself, where that keeps the users. */
function withOwnUsers(path: string, options: OfProject, terminal: Terminal, work: Work): Promise<number> {
  return withDirectory(path, options, terminal, work, true);
}

async function withDirectory(path: string, options: OfProject, terminal: Terminal, work: Work, isOwn = false): Promise<number> {
  const ready = await read(path, options, terminal, true);
  if (ready === undefined) return 1;
  if (isOwn && ready.settings.auth?.hosted !== undefined)
    throw new StartRefused('A user pool keeps the users and signs the tokens of this project (IDP_USER_POOL_ID): do this there.');
  return withEngine(ready, compile(ready.model, { identified: true }), terminal, async ({ plan, store, clock, engine }) => {
    terminal.out(await work(openDirectory(plan, store, clock, engine)));
    return 0;
  });
}

async function read(path: string, { config }: OfProject, terminal: Terminal, keepsStoreId: boolean): Promise<Ready | undefined> {
  const loaded = await load({ path, config, keepsStoreId }, terminal);
  const { model, diagnostics, sources, settings } = loaded;
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return undefined;
  if (settings.auth === undefined) throw new StartRefused('Authentication is off in this project: it has no users. Set auth.enabled.');
  return { ...loaded, model };
}
