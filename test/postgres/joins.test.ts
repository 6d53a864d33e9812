// Joins of every kind with conditions of every kind, on both stores and beside an oracle that compares each row with each.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { open } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { type Case, expectedRows, joinCase, modelOfCase } from './generate-joins.ts';

test('a join gives the same rows on SQLite and on PostgreSQL, and those that comparing each row with each gives', {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(fc.asyncProperty(fc.array(joinCase, { minLength: 10, maxLength: 10 }), agree), {
    interruptAfterTimeLimit: 300_000,
    numRuns: counted({ long: 300, short: 4 }),
    endOnFailure: true,
  });
});

/** Many questions to one application: making one is what takes the time. */
async function agree(cases: readonly Case[]): Promise<void> {
  const model = modelOfCase(cases);
  const both = await Promise.all([open(model, { store: 'sqlite' }), open(model, { store: 'postgres' })]);
  try {
    for (const [index, each] of cases.entries()) {
      const answers = [];
      for (const served of both) {
        const filled = await served.post('/m/fill', { A: each.rows[0], B: each.rows[1], C: each.rows[2] });
        expect([filled.status, filled.text]).toEqual([200, '1']);
        answers.push(await served.post(`/m/ask${index}`, {}));
      }
      const [first, second] = answers;
      const why = [model, JSON.stringify(each.rows), ...both.flatMap((served) => served.failures.map((one) => String(one['err'])))].join(
        '\n',
      );
      expect(first?.body, why).toEqual(expectedRows(each));
      expect(second?.text, why).toEqual(first?.text);
    }
  } finally {
    await Promise.all(both.map((served) => served.close()));
  }
}
