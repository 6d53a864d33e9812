// How long a login takes tells nothing about accounts: known and unknown ones in turn, the statistic printed.

import { expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { clientOf, model, password } from './accounts.ts';

const isLong = process.env['PLATFORM_TEST_LONG'] === '1';
const rounds = isLong ? 500 : 30;

test.each(['with users', 'on an empty table'])('a wrong login takes as long for an unknown account %s', async (which) => {
  const clock = testClock();
  const served = await serve(model, { auth: {}, parts: { clock } });
  const user = clientOf(served, 'current');
  const emails = ['ann@example.com', 'nobody@example.com'];
  if (which === 'with users') await user.signUp({ email: emails[0] ?? '', password });
  const found: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds + 5; round += 1) {
    for (const [index, email] of emails.entries()) {
      // What was tried before is forgotten by then.
      clock.advance(16 * 60_000);
      const milliseconds = await timeOf(served, email);
      if (round >= 5) found[index === 0 ? 0 : 1].push(milliseconds);
    }
  }
  const [one, other] = found;
  const { median: difference, p } = compared(one, other);
  process.stdout.write(`login ${which}, ${rounds} each: medians ${difference.toFixed(2)} ms apart, Mann-Whitney p ${p.toFixed(3)}\n`);
  // Whatever else the machine does hits both alike; a hash that one of them does without would not.
  expect(p).toBeGreaterThan(isLong ? 0.01 : 0.0001);
});

async function timeOf(served: Served, email: string): Promise<number> {
  const began = performance.now();
  const { status } = await clientOf(served, 'current').login(email, 'a wrong password');
  expect(status).toBe(401);
  return performance.now() - began;
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
