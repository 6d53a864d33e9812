// What is kept of users is locked in one order: requests about one of them that come together wait for each other in turn, and never in a circle.

import { expect, test } from 'vitest';
import { bearerOf, type Client, clientOf, mailServer, mailSettings, model, password, tokenOf } from '../identity/accounts.ts';
import { type Answer, type Served, serve } from '../support/app.ts';
import { deadlocksIn } from '../support/postgres.ts';

interface People {
  readonly served: Served;
  readonly client: Client;
  /** They have signed up. */
  readonly emails: readonly string[];
  /** Found in the database before: it may have served another test. */
  readonly deadlocks: number;
  code(email: string, number?: number): Promise<string>;
}

async function people(count: number, confirm: boolean): Promise<People> {
  const mail = await mailServer();
  const served = await serve(model, { auth: { mail: mailSettings(mail), confirm }, postgres: { pool: 32 } });
  const before = await deadlocksIn(served);
  const client = clientOf(served, 'current');
  const emails = Array.from({ length: count }, (_, index) => `user${index}@example.com`);
  succeeded(await Promise.all(emails.map((email) => client.signUp({ email, password }))));
  return { served, client, emails, deadlocks: before, code: (email, number) => mail.code(email, number) };
}

test('codes for a new password that are asked for, guessed and used at once', async () => {
  const made = await people(6, false);
  const { client, emails, code } = made;
  succeeded(await Promise.all(emails.map((email) => client.forgot(email))));
  const codes = await Promise.all(emails.map((email) => code(email)));
  const answers = await Promise.all(
    emails.flatMap((email, index) => [
      client.forgot(email),
      client.reset(email, '00000000', 'a long other password'),
      client.reset(email, codes[index] ?? '', 'a long new password'),
      client.forgot(email),
      client.reset(email, '11111111', 'a long other password'),
    ]),
  );
  expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
  await expectNoDeadlock(made);
});

test('codes of sign-ups that are asked for again, guessed and used at once', async () => {
  const made = await people(6, true);
  const { client, emails, code } = made;
  const codes = await Promise.all(emails.map((email) => code(email)));
  const answers = await Promise.all(
    emails.flatMap((email, index) => [
      client.resend(email),
      client.confirm(email, '00000000'),
      client.signUp({ email, password: 'a long other password' }),
      client.confirm(email, codes[index] ?? ''),
      client.resend(email),
    ]),
  );
  expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
  await expectNoDeadlock(made);
});

test('sessions that are renewed and ended at once', async () => {
  const made = await people(10, false);
  const { client, emails } = made;
  const logins = await Promise.all(emails.map((email) => client.login(email, password)));
  succeeded(logins);
  const answers = await Promise.all(
    logins.flatMap((login) => [
      client.refresh(tokenOf(login, 'refresh-token')),
      client.logout(bearerOf(login)),
      client.refresh(tokenOf(login, 'refresh-token')),
    ]),
  );
  expect(answers.filter(({ status }) => status !== 200 && status !== 401).map(({ text }) => text)).toEqual([]);
  await expectNoDeadlock(made);
});

/** Who waits in a circle is found by the server after a second, and begun anew: nobody but the server tells. */
async function expectNoDeadlock({ served, deadlocks }: People): Promise<void> {
  await expect
    .poll(() =>
      served.kept.rows(
        'SELECT 1 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())',
      ),
    )
    .toEqual([]);
  expect(await deadlocksIn(served)).toBe(deadlocks);
  expect(served.failures).toEqual([]);
}

function succeeded(answers: readonly Answer[]): void {
  expect(answers.filter(({ status }) => status >= 300).map(({ status, text }) => `${status} ${text}`)).toEqual([]);
}
