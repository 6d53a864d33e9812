// How long an answer takes tells nothing about accounts: known and unknown ones in turn, 250 times each, the statistic printed.

import { expect, test } from 'vitest';
import { type Answer, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { clientOf, mailServer, mailSettings, model, outboxEmptied } from './accounts.ts';
import { betweenRounds, cases } from './timing-pairs.ts';

const rounds = 250;
const unmeasured = 5;

test.each(cases)('%s takes as long for an account that there is not', async (title, _, pairOf) => {
  const [clock, mail] = [testClock(), await mailServer()];
  const served = await serve(model, { auth: { mail: mailSettings(mail) }, hashing: 'usual', parts: { clock } });
  const user = clientOf(served, 'current');
  const pair = await pairOf({ user, mail, rounds: rounds + unmeasured });
  const found: readonly [number[], number[]] = [[], []];
  for (let round = 0; round < rounds + unmeasured; round += 1) {
    // The first of a round is each of the two in turn.
    for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { milliseconds, status } = await timed(() => pair[index](round));
      expect([200, 400, 401]).toContain(status);
      if (round >= unmeasured) found[index].push(milliseconds);
      clock.advance(betweenRounds(title));
      await outboxEmptied(served);
    }
  }
  const { median: difference, p } = compared(...found);
  process.stdout.write(`${title}, ${rounds} each: medians ${difference.toFixed(2)} ms apart, Mann-Whitney p ${p.toFixed(3)}\n`);
  // Whatever else the machine does hits both alike, but moves the medians apart; work that one of them does without is seen in nearly every pair. Chance
  // alone gives such a p in one of ten thousand cases, and what is not longer than a fifth of a millisecond is hidden by any network.
  const isSeen = p < 0.0001 && Math.abs(difference) > 0.2;
  expect([isSeen, difference, p]).toEqual([false, difference, p]);
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
