// Whose account a user of another service gets: the one they had before, else that of their verified e-mail, else a new one.

import type { WriteContext } from '../../engine/operation.ts';
import type { Accounts } from '../accounts.ts';
import { postSignUp } from '../post-sign-up.ts';
import { emailOf, type User } from '../users.ts';
import type { ThirdPartyUser } from './client.ts';

export type Joined =
  | { readonly kind: 'joined'; readonly email: string }
  /** That service does not vouch for the e-mail, or has none: it could be anybody's. */
  | { readonly kind: 'unverified' }
  /** There is no such user, and new ones are made by an admin. */
  | { readonly kind: 'closed' };

export async function join(known: ThirdPartyUser, accounts: Accounts, signup: boolean, writing: WriteContext): Promise<Joined> {
  const { issuer, subject } = known;
  const { subjects } = accounts.tables;
  const { tx } = writing;
  // Two sign-ins of one new user at the same time make one account.
  await accounts.users.alone(`subject ${issuer} ${subject}`, tx);
  const found = await subjects.find(tx, { issuer, subject });
  if (found !== undefined) return { kind: 'joined', email: String(found['email']) };
  if (known.email === undefined) return { kind: 'unverified' };
  const email = emailOf(known.email);
  await accounts.users.alone(`user ${email}`, tx);
  const user = await accounts.users.find(email, tx);
  if (user === undefined && !signup) return { kind: 'closed' };
  if (user === undefined) await signUp(email, known, accounts, writing);
  else await proveAddress(user, accounts, writing);
  await subjects.insert(tx, { issuer, subject, email });
  return { kind: 'joined', email };
}

async function signUp(email: string, { details }: ThirdPartyUser, { users }: Accounts, writing: WriteContext): Promise<void> {
  await users.create({ ...details, email }, true, writing);
  await postSignUp({ ...details, email }, writing);
}

/**
 * Who signed up with this address before has not shown that it is theirs, and may have been anybody: nothing that they hold lets them in any more,
 * neither a password, nor one that waits for a code, nor a session, nor an API key.
 */
async function proveAddress({ email }: User, { users, sessions, codes, signUps }: Accounts, writing: WriteContext): Promise<void> {
  if (!(await users.isUnproven(email, writing.tx))) return;
  // Codes before the user, as by who uses one.
  await signUps.drop(email, writing.tx);
  await codes.drop(email, writing.tx);
  await users.setPassword(email, undefined, writing);
  await sessions.endAll(email, writing.tx);
  await users.removeKeys(email, writing);
}
