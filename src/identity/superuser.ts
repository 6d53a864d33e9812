// The first admin: named by the environment, made at start where there is none of that name.

import type { Context } from '../engine/operation.ts';
import { writeAsSystem } from '../engine/system-work.ts';
import { error } from '../errors.ts';
import { StartRefused } from '../store/store.ts';
import type { Accounts } from './accounts.ts';
import { adminRole } from './guard.ts';
import { emailOf } from './users.ts';

export interface Superuser {
  readonly email: string;
  readonly password: string | undefined;
}

export interface SuperuserOptions {
  /** Whether a weak password refuses the start. */
  readonly strict: boolean;
  warn(line: string): void;
}

/** An account that is there keeps its password: a changed environment gives nobody rights again that were taken away. */
export async function ensureSuperuser(
  { email: given, password }: Superuser,
  accounts: Accounts,
  options: SuperuserOptions,
  context: Context,
): Promise<void> {
  const { users, passwords } = accounts;
  const email = emailOf(given);
  const known = await context.store.read((tx) => users.find(email, tx));
  if (known !== undefined) return;
  if (password === undefined)
    throw new StartRefused('PLATFORM_SUPERUSER_EMAIL is set without PLATFORM_SUPERUSER_PASSWORD: set both, or neither');
  const weak = await passwords.faultsOf(password, email, 'PLATFORM_SUPERUSER_PASSWORD');
  if (weak.length > 0) {
    const line = weak.map(({ attribute, message }) => `${attribute} ${message}`).join('; ');
    if (options.strict) throw new StartRefused(line);
    options.warn(`${line}: everybody who guesses it can do everything`);
  }
  const hash = await passwords.hash(password);
  try {
    await writeAsSystem(context, async (writing) => {
      await users.create({ email, password: hash }, true, writing);
      await users.addRole(email, adminRole, writing);
    });
  } catch (thrown) {
    // Another instance that started at the same time has made it.
    const made = await context.store.read((tx) => users.find(email, tx));
    if (made === undefined) throw thrown instanceof Error ? thrown : error('internal', {}, thrown);
  }
}
