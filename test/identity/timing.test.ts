// How long an answer takes tells nothing about accounts: known and unknown ones in turn, the statistic printed. PLATFORM_TEST_LONG=1 asks 500 times each.

import { expect, test } from 'vitest';
import { type Answer, serve } from '../support/app.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { isLong } from '../support/form.ts';
import { type Client, clientOf, type MailServer, mailServer, mailSettings, model, password, wrongCode } from './accounts.ts';

const rounds = isLong ? 500 : 30;
const unmeasured = 5;
const minute = 60_000;

interface World {
  readonly user: Client;
  readonly mail: MailServer;
  readonly clock: TestClock;
}

/** Asks for one that there is, and for one that there is not; the number is that of the round. */
type Pair = readonly [known: (round: number) => Promise<Answer>, unknown: (round: number) => Promise<Answer>];

const [ann, nobody] = ['ann@example.com', 'nobody@example.com'];

/** Each wrong code is a try of one that is open: four for each of those who signed up. */
const waiting = (round: number): string => `waiting${Math.floor(round / 4)}@example.com`;

async function confirmed({ user, mail }: World): Promise<void> {
  await user.signUp({ email: ann, password });
  await user.confirm(ann, await mail.code(ann));
}

async function allWaiting({ user, mail }: World): Promise<readonly string[]> {
  const emails = Array.from({ length: Math.ceil((rounds + unmeasured) / 4) }, (_, index) => waiting(index * 4));
  for (const email of emails) await user.signUp({ email, password });
  return Promise.all(emails.map((email) => mail.code(email)));
}

const cases: readonly (readonly [title: string, pair: (world: World) => Promise<Pair>])[] = [
  [
    'a wrong login',
    async (world) => {
      await confirmed(world);
      const login = (email: string) => () => world.user.login(email, 'a wrong password');
      return [login(ann), login(nobody)];
    },
  ],
  [
    'a wrong login on an empty table',
    async ({ user }) => {
      const login = (email: string) => () => user.login(email, 'a wrong password');
      return [login(ann), login(nobody)];
    },
  ],
  [
    'a forgotten password',
    async (world) => {
      await confirmed(world);
      return [() => world.user.forgot(ann), () => world.user.forgot(nobody)];
    },
  ],
  [
    'a code to be sent again',
    async ({ user }) => {
      await user.signUp({ email: ann, password });
      return [() => user.resend(ann), () => user.resend(nobody)];
    },
  ],
  [
    'a sign-up',
    async (world) => {
      await confirmed(world);
      const { user } = world;
      return [() => user.signUp({ email: ann, password }), (round) => user.signUp({ email: `new${round}@example.com`, password })];
    },
  ],
  [
    'a wrong code of a sign-up',
    async (world) => {
      const codes = await allWaiting(world);
      const confirm = (email: string, round: number) => world.user.confirm(email, wrongCode(codes[Math.floor(round / 4)] ?? ''));
      return [(round) => confirm(waiting(round), round), (round) => confirm(waiting(round).replace('waiting', 'nobody'), round)];
    },
  ],
];

/** The rest of the table, which the short form leaves out. */
const further: typeof cases = [
  [
    'a wrong login of who has not confirmed the address',
    async ({ user }) => {
      await user.signUp({ email: ann, password });
      const login = (email: string) => () => user.login(email, 'a wrong password');
      return [login(ann), login(nobody)];
    },
  ],
  [
    'a right login of who has not confirmed the address',
    async ({ user }) => {
      await user.signUp({ email: ann, password });
      return [() => user.login(ann, password), () => user.login(nobody, password)];
    },
  ],
  [
    'a sign-up with an address that waits for its code',
    async ({ user }) => {
      await user.signUp({ email: ann, password });
      return [() => user.signUp({ email: ann, password }), (round) => user.signUp({ email: `new${round}@example.com`, password })];
    },
  ],
  [
    'a wrong code of a new password',
    async (world) => {
      await confirmed(world);
      await world.user.forgot(ann);
      const code = wrongCode(await world.mail.code(ann, 2));
      const reset = (email: string) => () => world.user.reset(email, code, 'a long new password');
      return [reset(ann), reset(nobody)];
    },
  ],
];

test.each(isLong ? [...cases, ...further] : cases)('%s takes as long for an account that there is not', async (title, pairOf) => {
  const [clock, mail] = [testClock(), await mailServer()];
  const served = await serve(model, { auth: { mail: mailSettings(mail) }, parts: { clock } });
  const user = clientOf(served, 'current');
  const pair = await pairOf({ user, mail, clock });
  const found: readonly [number[], number[]] = [[], []];
  for (let round = 0; round < rounds + unmeasured; round += 1) {
    // The first of a round is each of the two in turn.
    for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { milliseconds, status } = await timed(() => pair[index](round));
      expect([200, 400, 401]).toContain(status);
      if (round >= unmeasured) found[index].push(milliseconds);
      // What was tried before is forgotten by then, and what is done after the answer is done; codes live on.
      clock.advance(title.includes('wrong code') ? 1000 : 61 * minute);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  const { median: difference, p } = compared(...found);
  process.stdout.write(`${title}, ${rounds} each: medians ${difference.toFixed(2)} ms apart, Mann-Whitney p ${p.toFixed(3)}\n`);
  // Whatever else the machine does hits both alike; work that one of them does without would not.
  expect(p).toBeGreaterThan(isLong ? 0.01 : 0.0001);
  expect(Math.abs(difference)).toBeLessThan(isLong ? 5 : 20);
});

async function timed(ask: () => Promise<Answer>): Promise<{ readonly milliseconds: number; readonly status: number }> {
  const began = performance.now();
  const { status } = await ask();
  return { milliseconds: performance.now() - began, status };
}

function compared(one: readonly number[], other: readonly number[]): { readonly median: number; readonly p: number } {
  const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  let above = 0;
  for (const a of one) for (const b of other) above += a > b ? 1 : a === b ? 0.5 : 0;
  const [n, m] = [one.length, other.length];
  const z = Math.abs((above - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12));
  // Twice the upper tail of the normal distribution, by Abramowitz and Stegun 26.2.17.
  const t = 1 / (1 + 0.2316419 * z);
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return { median: middle(one) - middle(other), p: Math.min(1, (2 * tail * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)) };
}
