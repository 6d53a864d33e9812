// What somebody asks who wants to know whether there is an account: each time for one that there is, and for one that there is not.

import type { Answer } from '../support/app.ts';
import { type Client, type MailServer, password, wrongCode } from './accounts.ts';

export interface World {
  readonly user: Client;
  readonly mail: MailServer;
  /** How often each of a pair is asked. */
  readonly rounds: number;
}

/** Asks for one that there is, and for one that there is not; the number is that of the round. */
export type Pair = readonly [known: (round: number) => Promise<Answer>, unknown: (round: number) => Promise<Answer>];

const minute = 60_000;
const [ann, nobody] = ['ann@example.com', 'nobody@example.com'];

/** Each wrong code is a try of one that is open: four for each of those who signed up. */
const waiting = (round: number): string => `waiting${Math.floor(round / 4)}@example.com`;

async function confirmed({ user, mail }: World): Promise<void> {
  await user.signUp({ email: ann, password });
  await user.confirm(ann, await mail.code(ann));
}

async function allWaiting({ user, mail, rounds }: World): Promise<readonly string[]> {
  const emails = Array.from({ length: Math.ceil(rounds / 4) }, (_, index) => waiting(index * 4));
  for (const email of emails) await user.signUp({ email, password });
  return Promise.all(emails.map((email) => mail.code(email)));
}

/** By what is asked, with what is done to a password before the answer. */
export const cases: readonly (readonly [title: string, hashing: 'hash' | 'compare' | 'none', pair: (world: World) => Promise<Pair>])[] = [
  [
    'a wrong login',
    'compare',
    async (world) => {
      await confirmed(world);
      const login = (email: string) => () => world.user.login(email, 'a wrong password');
      return [login(ann), login(nobody)];
    },
  ],
  [
    'a wrong login on an empty table',
    'compare',
    async ({ user }) => {
      const login = (email: string) => () => user.login(email, 'a wrong password');
      return [login(ann), login(nobody)];
    },
  ],
  [
    'a forgotten password',
    'none',
    async (world) => {
      await confirmed(world);
      return [() => world.user.forgot(ann), () => world.user.forgot(nobody)];
    },
  ],
  [
    'a code to be sent again',
    'none',
    async ({ user }) => {
      await user.signUp({ email: ann, password });
      return [() => user.resend(ann), () => user.resend(nobody)];
    },
  ],
  [
    'a sign-up',
    'hash',
    async (world) => {
      await confirmed(world);
      const { user } = world;
      return [() => user.signUp({ email: ann, password }), (round) => user.signUp({ email: `new${round}@example.com`, password })];
    },
  ],
  [
    'a wrong code of a sign-up',
    'none',
    async (world) => {
      const codes = await allWaiting(world);
      const confirm = (email: string, round: number) => world.user.confirm(email, wrongCode(codes[Math.floor(round / 4)] ?? ''));
      return [(round) => confirm(waiting(round), round), (round) => confirm(waiting(round).replace('waiting', 'nobody'), round)];
    },
  ],
  [
    'a wrong login of who has not confirmed the address',
    'compare',
    async ({ user }) => {
      await user.signUp({ email: ann, password });
      const login = (email: string) => () => user.login(email, 'a wrong password');
      return [login(ann), login(nobody)];
    },
  ],
  [
    'a right login of who has not confirmed the address',
    'compare',
    async ({ user }) => {
      await user.signUp({ email: ann, password });
      return [() => user.login(ann, password), () => user.login(nobody, password)];
    },
  ],
  [
    'a sign-up with an address that waits for its code',
    'hash',
    async ({ user }) => {
      await user.signUp({ email: ann, password });
      return [() => user.signUp({ email: ann, password }), (round) => user.signUp({ email: `new${round}@example.com`, password })];
    },
  ],
  [
    'a wrong code of a new password',
    'hash',
    async (world) => {
      await confirmed(world);
      await world.user.forgot(ann);
      const code = wrongCode(await world.mail.code(ann, 2));
      const reset = (email: string) => () => world.user.reset(email, code, 'a long new password');
      return [reset(ann), reset(nobody)];
    },
  ],
];

/** What was tried before is forgotten by then; codes live on. */
export function betweenRounds(title: string): number {
  return title.includes('wrong code') ? 1000 : 61 * minute;
}
