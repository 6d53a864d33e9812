// The same requests to the same application on both stores: answers are the same to the byte, except for what is drawn and what is the time.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, open, type Served } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { type Application, application, type Request } from './generate-requests.ts';

test('an application answers the same on SQLite and on PostgreSQL', { timeout: 3_600_000 }, async () => {
  await fc.assert(fc.asyncProperty(application, agree), { interruptAfterTimeLimit: 300_000, numRuns: counted({ long: 1000, short: 6 }) });
});

async function agree({ model, requests }: Application): Promise<void> {
  const both = await Promise.all([open(model, { store: 'sqlite' }), open(model, { store: 'postgres' })]);
  try {
    for (const request of requests) {
      const [first, second] = await Promise.all(both.map((served) => ask(served, request)));
      const why = both.flatMap((served) => served.failures.map((each) => String(each['err'])));
      expect(second, [`${request.method} ${request.target} ${request.text ?? ''}`, ...why, model].join('\n')).toEqual(first);
    }
    expect(both.map((served) => served.failures)).toEqual([[], []]);
  } finally {
    await Promise.all(both.map((served) => served.close()));
  }
}

async function ask(served: Served, { method, target, text }: Request): Promise<unknown> {
  const headers = text === undefined ? {} : { 'content-type': 'application/json' };
  return shown(await served.ask({ method, target, headers, ...(text === undefined ? {} : { text }) }));
}

/**
 * Only a link has a generated identifier here, and only a version is the time. Where several values are taken at once, or both ends of a
 * link, each store names the one that it looks at first.
 */
function shown({ status, headers, text }: Answer): unknown {
  const { link, location, 'x-total-count': total, 'content-type': type } = headers;
  const same = text
    .replaceAll(/"__Id__":"[0-9a-f-]{36}"/g, '"__Id__":"…"')
    .replaceAll(/There is already an instance with this [\w ]+\./g, 'There is already an instance with this ….')
    .replaceAll(
      /This \w+ is already linked by (\w+), which takes one \w+ for it\./g,
      'This … is already linked by $1, which takes one … for it.',
    );
  return { status, type, link, total, location, text: same };
}
