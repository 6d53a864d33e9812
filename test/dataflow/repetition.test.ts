// A workflow that only reads sees one state: on the embedded store it is begun anew where somebody wrote meanwhile, unless it has called what may not be called twice.

import { expect, test } from 'vitest';
import { type Project, serve } from '../support/app.ts';
import { isOnServer } from '../support/form.ts';

const rounds = 200;

const functions = `let calls = 0;
export const count = () => calls;
export const call = () => { calls += 1; return true; };
export const later = async () => call();
export const spin = () => { const end = Date.now() + 1; while (Date.now() < end) {} };
`;

/** Reads twice, with something in between that takes long, and before it a call. */
const projectOf = (call: string): Project => ({
  'f.js': functions,
  'core.al': `module m
import "f.js" @as often
import "f.js" @as once @external
entity Counter { id Int @id, n Int }
record Noted { x Int, y Boolean @default(once.call()) }
record Usual { x Int, y Boolean @default(often.call()) }
workflow count { often.count() }
workflow look {
  {Counter {id? 1}}
  ${call}
  for x in look.list { {Counter {id? 1}} often.spin() }
}
`,
});

/** The status and how often it was called: on a server a state stays while it is read. */
const ways: readonly (readonly [title: string, call: string, sqlite: readonly [number, number]])[] = [
  ['a function of an import that says nothing', 'often.call()', [200, 2]],
  ['a default of an import that says nothing', '{Usual {x 1}}', [200, 2]],
  ['a function of an import that is @external', 'once.call()', [200, 1]],
  ['a function that gives a promise', 'await often.later()', [200, 1]],
  ['a default of an import that is @external, which is only known when it is called', '{Noted {x 1}}', [503, 1]],
];

test.each(ways)('%s', async (_, call, sqlite) => {
  const served = await serve(projectOf(call));
  await served.post('/m/Counter', { id: 1, n: 0 });
  const look = served.post('/m/look', { list: Array.from({ length: rounds }, (_each, index) => index) });
  expect((await served.put('/m/Counter/1', { n: 1 })).status).toBe(200);
  const { status, headers } = await look;
  expect([status, (await served.post('/m/count', {})).body]).toEqual(isOnServer ? [200, 1] : sqlite);
  expect(headers['retry-after']).toBe(status === 503 ? '1' : undefined);
});
