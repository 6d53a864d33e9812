// What functions of the application throw: the refusals of their author are told, bugs in them are 500 and go to the log alone.

import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';

const javascript = `import { runInNewContext } from 'node:vm';
class Refusal extends Error {}
class Wrong extends TypeError {}
const kinds = {
  error: () => { throw new Error('secret text'); },
  refusal: () => { throw new Refusal('secret text'); },
  named: () => { throw Object.assign(new Error('secret text'), { name: 'TypeError' }); },
  type: () => { throw new TypeError('secret text'); },
  reference: () => { throw new ReferenceError('secret text'); },
  range: () => { throw new RangeError('secret text'); },
  syntax: () => JSON.parse('secret text'),
  subclass: () => { throw new Wrong('secret text'); },
  realm: () => runInNewContext('null.secret'),
  revoked: () => { const { proxy, revoke } = Proxy.revocable(new Error('secret text'), {}); revoke(); throw proxy; },
};
export const f = (kind) => kinds[kind]?.() ?? kind;
export const later = async (kind) => { await null; return f(kind); };
export const made = () => f('type');`;

const model = `module m
import "f.js" @as f
entity Checked { id Int @id, kind String @check(f.f) }
entity Computed { id Int @id, kind String, x String @expr(f.f(kind)) }
entity Made { id Int @id, x String @default(f.made()) }
entity Log { id Int @id, kind String }
entity Owner { id Int @id, kind String }
entity Part { id Int @id, x String @expr(f.f(Has.Owner.kind)) }
relationship Has contains(Owner, Part)
workflow @before create:Log { f.f(this.kind) }
workflow now { f.f(now.kind) }
workflow later { await f.later(later.kind) }
workflow where { {Checked {id?> 0}, @where(f.f(where.kind) == Checked.kind)} }
workflow caught { f.f(caught.kind) @catch {error Error.code + ": " + Error.message} }`;

const project = { 'core.al': model, 'f.js': javascript };

/** What is asked with a kind of failure, nothing of which is kept. */
const places: readonly (readonly [title: string, ask: string, body: (kind: string) => object])[] = [
  ['@check', '/m/Checked', (kind) => ({ id: 1, kind })],
  ['@expr', '/m/Computed', (kind) => ({ id: 1, kind })],
  ['@expr over a relationship', '/m/Owner', (kind) => ({ id: 1, kind, Has: [{ id: 2 }] })],
  ['a trigger', '/m/Log', (kind) => ({ id: 1, kind })],
  ['a workflow', '/m/now', (kind) => ({ kind })],
  ['a workflow that waits for it', '/m/later', (kind) => ({ kind })],
];

const bugs = ['type', 'reference', 'range', 'syntax', 'subclass', 'realm', 'revoked'];

describe('a bug in a function is 500 function-failed without its text, which the log has', () => {
  const rows = places.flatMap(([place, ask, body]) => bugs.map((kind) => [place, kind, ask, body(kind)] as const));
  test.each(rows)('%s: %s', async (_place, kind, ask, body) => {
    const served = await serve(project);
    const answer = await served.post(ask, body);
    expect(answer, answer.text).toMatchObject({ status: 500, body: { code: 'function-failed' } });
    expect(answer.text).not.toMatch(/secret|revoked/);
    expect(answer.text).toContain(`The function ${ask === '/m/later' ? 'later' : 'f'} failed.`);
    expect(served.failures).toMatchObject([{ code: 'function-failed' }]);
    expect(String(served.warnings[0]?.['err'])).toMatch(kind === 'revoked' ? /revoked/ : /secret/);
    for (const type of ['Checked', 'Computed', 'Owner', 'Part', 'Log']) expect((await served.get(`/m/${type}`)).body).toEqual([]);
  });

  test('a default', async () => {
    const served = await serve(project);
    const answer = await served.post('/m/Made', { id: 1 });
    expect(answer, answer.text).toMatchObject({ status: 500, body: { code: 'function-failed', detail: 'The function made failed.' } });
  });

  test('a condition', async () => {
    const served = await serve(project);
    await served.post('/m/Checked', { id: 1, kind: 'fine' });
    expect(await served.post('/m/where', { kind: 'type' })).toMatchObject({ status: 500, body: { code: 'function-failed' } });
  });

  test('@catch error of a workflow catches it, and the log has it nevertheless', async () => {
    const served = await serve(project);
    expect(await served.post('/m/caught', { kind: 'type' })).toMatchObject({
      status: 200,
      body: 'function-failed: The function f failed.',
    });
    expect(served.warnings).toMatchObject([{ message: 'The function f failed.', err: new TypeError('secret text') }]);
  });
});

describe('an error that the author of a function throws is told with its message', () => {
  const rows = places.flatMap(([place, ask, body]) => ['error', 'refusal', 'named'].map((kind) => [place, kind, ask, body(kind)] as const));
  test.each(rows)('%s: %s', async (_place, _kind, ask, body) => {
    const served = await serve(project);
    const answer = await served.post(ask, body);
    expect(answer, answer.text).toMatchObject({ status: 422 });
    expect(answer.text).toContain('secret text');
    expect(served.failures).toEqual([]);
  });
});

describe('Clojure', () => {
  const served = (code: string) =>
    serve(
      {
        'core.platform': `(component :M)\n(import "f.js" :as :f)\n(entity :E {:N {:type :Int :guid true}})
(defn f [x] ${code})\n(dataflow :Ev {:E {:N 1}} [:eval '(f :Ev.X)])`,
        'f.js': javascript,
      },
      // A stack takes long to fill on a machine that is busy.
      { surfaces: ['earlier'], limits: { function: 60_000 } },
    );

  test.each([
    ['a method of the host that is not there', '(.secret x)'],
    ['an index that is not there', '(nth [1] 9)'],
    ['a call of what is no function', '(x 1)'],
    ['a bug in a function of JavaScript', '(f/f "type")'],
    ['one that calls itself without an end', '(f x)'],
  ])('%s is a bug', async (_, code) => {
    const service = await served(code);
    const { status, body, text } = await service.post('/api/M/Ev', { 'M/Ev': { X: 'x' } });
    expect({ status, body }, text).toMatchObject({ status: 500, body: [{ code: 'function-failed', message: 'The function f failed.' }] });
    expect((await service.get('/api/M/E')).body).toEqual([]);
  });

  test.each([
    ['an exception', '(throw (Exception. "secret text"))'],
    ['ex-info', '(throw (ex-info "secret text" {}))'],
    ['an error of a function of JavaScript', '(f/f "error")'],
  ])('%s is told', async (_, code) => {
    const { status, body, text } = await (await served(code)).post('/api/M/Ev', { 'M/Ev': { X: 'x' } });
    expect({ status, body }, text).toMatchObject({ status: 422, body: [{ code: 'dataflow-failed', message: 'secret text' }] });
  });
});
