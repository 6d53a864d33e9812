// How a failing step names itself: to the caller by what it does, to the log by where it stands.

import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';

const current = `module m
entity Post { id Int @id, title String }
entity Note { id Int @id, text String }
record Pair { a Int, b Int }
event inner { n Int }
workflow inner { throw("from inside") }
workflow @before create:Note { if (this.text == "bad") { throw("no such notes") } }
`;

/** Title, the body of workflow `w`, the status, and the words for the step that fails. */
const cases: readonly [title: string, body: string, status: number, words: string][] = [
  ['a create that does not fit', '{Post {id 1, title w.five}}', 422, 'create m/Post'],
  ['a duplicate', '{Post {id 1, title "a"}}\n{Post {id 1, title "b"}}', 409, 'create m/Post'],
  ['a query between one bound', '{Post {id?between [1]}}', 422, 'query m/Post'],
  ['an update that does not fit', '{Post {id 1, title "a"}}\n{Post {id? 1, title w.five}}', 422, 'update m/Post'],
  ['a change of what an alias holds', '{Post {id 1, title "a"}} @as p\n{p {title w.five}}', 422, 'update p'],
  ['a record that does not fit', '{Pair {a 1, b w.x}}', 422, 'make m/Pair'],
  ['a throw', 'throw("no")', 422, 'throw'],
  [
    'the innermost step, inside of others',
    'for n in [1, 2] { if (n == 2) { {Post {id 1, title w.five}} } else { 1 } }',
    422,
    'create m/Post',
  ],
  ['a step of an event that is called', '{inner {n 1}}', 422, 'throw'],
  ['an event that is called with faulty attributes', '{inner {n w.x}}', 422, 'call m/inner'],
  ['a step of a trigger', '{Note {id 1, text "bad"}}', 422, 'throw'],
];

describe('the step that fails is told by what it does', () => {
  for (const [title, body, status, pattern] of cases) {
    test(title, async () => {
      const served = await serve(`${current}workflow w {\n${body}\n}`);
      const answer = await served.post('/m/w', { five: 5, x: 'x' });
      expect(answer, answer.text).toMatchObject({ status, body: { pattern } });
      expect(answer.text).not.toContain('core.al');
    });
  }
});

test('the earlier surface tells it too', async () => {
  const served = await serve(
    {
      'm.platform': `(component :M)
(entity :Post {:Id {:type :Int :guid true} :Title :String})
(dataflow :W [:match :W.N 1 {:Post {:Id 1 :Title :W.N}} {:Post? {:where [:between :Id :W.N]}}])`,
    },
    { surfaces: ['earlier'] },
  );
  const answer = await served.post('/api/M/W', { 'M/W': { N: 1 } });
  expect(answer, answer.text).toMatchObject({ status: 422, body: [{ code: 'attributes-invalid', pattern: 'create M/Post' }] });
  const other = await served.post('/api/M/W', { 'M/W': { N: 'x' } });
  expect(other, other.text).toMatchObject({ status: 422, body: [{ pattern: 'query M/Post' }] });
});

test('where it stands goes to the log alone, with the cause', async () => {
  const served = await serve({
    'core.al': `module m
import "own.js" @as own
workflow w {
  own.fail()
}`,
    'own.js': 'export function fail() { throw new Error("broken inside"); }',
  });
  const answer = await served.post('/m/w', {});
  expect(answer, answer.text).toMatchObject({
    status: 422,
    body: { code: 'dataflow-failed', detail: 'broken inside', pattern: 'call own.fail' },
  });
  expect(answer.text).not.toContain('core.al');
  expect(served.warnings).toMatchObject([
    {
      code: 'dataflow-failed',
      pattern: 'call own.fail',
      err: { message: expect.stringMatching(/core\.al:4:3$/), cause: new Error('broken inside') },
    },
  ]);
});
