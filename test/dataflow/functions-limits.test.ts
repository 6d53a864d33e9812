// Functions of the application that do not come back: they are ended, nothing of their event is kept, and others are served.

import { spawnSync } from 'node:child_process';
import inspector from 'node:inspector';
import { Script } from 'node:vm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { callLimitFor } from '../../src/functions/call-limit.ts';
import { type Project, serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

/** Milliseconds that a function gets here: enough for one that ends, on any machine. */
const limits = { function: 300 } as const;

const javascript = `export const spin = () => { for (;;) {} };
export const stubborn = () => { for (;;) { try { for (;;) {} } catch { } finally { for (;;) {} } } };
export const pattern = () => /^(a+)+$/.test('a'.repeat(60) + 'b');
export const when = (x) => { while (x === 'spin') {} return x; };
export const deep = (n) => deep(n + 1) + 1;
export const lazily = () => ({ get a() { for (;;) {} } });
export const asText = () => ({ toJSON() { for (;;) {} } });
export const awaited = async () => { for (;;) {} };
export const afterwards = async () => { await null; return { get a() { for (;;) {} } }; };
export const never = () => new Promise(() => {});
export const slow = () => { const end = Date.now() + 250; while (Date.now() < end) {} return 1; };`;

const current: Project = {
  'core.al': `module m
import "f.js" @as f
entity Log { id Int @id, text String @optional }
entity Checked { id Int @id, name String @check(f.when) }
entity Computed { id Int @id, name String, length String @expr(f.when(name)) }
entity Made { id Int @id, name String @default(f.spin()) }
entity Waiting { id Int @id, name String @check(f.never) }
workflow @before create:Log { f.when(this.text) }
workflow spin { {Log {id 1}} f.spin() }
workflow stubborn { {Log {id 1}} f.stubborn() }
workflow pattern { {Log {id 1}} f.pattern() }
workflow lazily { {Log {id 1}} f.lazily() }
workflow asText { {Log {id 1}} f.asText() }
workflow awaited { {Log {id 1}} await f.awaited() }
workflow afterwards { {Log {id 1}} await f.afterwards() }
workflow deep { {Log {id 1}} f.deep(0) }
workflow caught { {Log {id 1}} f.spin() @catch {error "saved"} }
workflow compared { {Log {id 1}} {Log {id?> 0}, @where(f.when("spin") == Log.text)} }
workflow later { {Log {id 1}} await f.never() }
workflow slow { f.slow() f.slow() f.slow() f.slow() f.slow() f.slow() }
workflow quick { {Log {id quick.id, text f.when("fine")}} }`,
  'f.js': javascript,
};

const took = (name: string) => `The function ${name} took longer than 300 ms.`;

/** What is asked, and which function is named as the one that was ended. */
const endless: readonly (readonly [title: string, ask: string, body: object, detail: string])[] = [
  ['a loop without an end', 'POST /m/spin', {}, took('spin')],
  ['one that catches everything', 'POST /m/stubborn', {}, took('stubborn')],
  ['a regular expression', 'POST /m/pattern', {}, took('pattern')],
  ['a getter of what a function gives', 'POST /m/lazily', {}, took('lazily')],
  ['toJSON of what a function gives', 'POST /m/asText', {}, took('asText')],
  ['a function that is waited for, before its first await', 'POST /m/awaited', {}, took('awaited')],
  ['a getter of what a function gives later', 'POST /m/afterwards', {}, took('afterwards')],
  ['a failure that a handler would catch', 'POST /m/caught', {}, took('spin')],
  ['a condition', 'POST /m/compared', {}, took('when')],
  ['@check', 'POST /m/Checked', { id: 1, name: 'spin' }, took('when')],
  ['@expr', 'POST /m/Computed', { id: 1, name: 'spin' }, took('when')],
  ['a default', 'POST /m/Made', { id: 1 }, took('spin')],
  ['a trigger', 'POST /m/Log', { id: 1, text: 'spin' }, took('when')],
];

describe('a function that does not come back is ended with 422 dataflow-limit, and nothing of its event is kept', () => {
  test.each(endless)('%s', async (_, ask, body, detail) => {
    const served = await serve(current, { limits });
    const lists = ['Log', 'Checked', 'Computed', 'Made'].map((type): Step => ({ ask: `GET /m/${type}`, status: 200, is: [] }));
    await check(served, [
      { ask, body, status: 422, code: 'dataflow-limit', has: { detail } },
      ...lists,
      { ask: 'POST /m/quick', body: { id: 2 }, status: 200, is: { id: 2, text: 'fine' } },
    ]);
  });

  test('a request that comes meanwhile is answered', async () => {
    const served = await serve(current, { limits });
    const [ended, answered] = await Promise.all([served.post('/m/spin', {}), served.post('/m/quick', { id: 3 })]);
    expect([ended.status, answered.status]).toEqual([422, 200]);
  });

  test('one that calls itself without an end has a bug', async () => {
    const served = await serve(current, { limits: { function: 5000 } });
    expect(await served.post('/m/deep', {})).toMatchObject({
      status: 500,
      body: { code: 'function-failed', detail: 'The function deep failed.' },
    });
    expect((await served.get('/m/Log')).body).toEqual([]);
  });
});

describe('one watch covers many calls', () => {
  const project: Project = {
    'core.al': `module m
import "f.js" @as f
entity Order { id Int @id }
entity Line { id Int @id, name String, length String @expr(f.when(name)) }
entity Slow { id Int @id, x Int @expr(f.short()) }
relationship Lines contains(Order, Line)
relationship Slows contains(Order, Slow)`,
    'f.js': `${javascript}\nexport const short = () => { const end = Date.now() + 100; while (Date.now() < end) {} return 1; };`,
  };

  test('and one of them that does not come back is ended, with nothing kept', async () => {
    const served = await serve(project, { limits });
    const lines = (spin: number) => Array.from({ length: 200 }, (_, id) => ({ id, name: id === spin ? 'spin' : 'fine' }));
    await check(served, [
      { ask: 'POST /m/Order', body: { id: 1, Lines: lines(150) }, status: 422, code: 'dataflow-limit', has: { detail: took('when') } },
      { ask: 'GET /m/Order', status: 200, is: [] },
      { ask: 'POST /m/Order', body: { id: 2, Lines: lines(-1) }, status: 201 },
      { ask: 'GET /m/Order/2/Lines/Line?length=fine&@count=true&@limit=1', status: 200, has: [{ id: 0 }] },
    ]);
  });

  test('and each of them has its own time', async () => {
    const served = await serve(project, { limits: { function: 1500 } });
    const slows = Array.from({ length: 20 }, (_, id) => ({ id }));
    await check(served, [{ ask: 'POST /m/Order', body: { id: 1, Slows: slows }, status: 201 }]);
  });
});

describe('the time of an event', () => {
  const short = { limits: { function: 5000, flow: { steps: 1000, time: 1 } } };
  const detail = 'It took longer than 1 seconds.';

  test.each<readonly [title: string, ask: string, body: object]>([
    ['covers a promise that is never kept', 'POST /m/later', {}],
    ['covers a check that never answers', 'POST /m/Waiting', { id: 1, name: 'x' }],
  ])('%s', async (_, ask, body) => {
    const served = await serve(current, short);
    await check(served, [
      { ask, body, status: 422, code: 'dataflow-limit', has: { detail } },
      { ask: 'GET /m/Log', status: 200, is: [] },
      { ask: 'GET /m/Waiting', status: 200, is: [] },
    ]);
  });

  test('is looked at after every function, so that slow ones do not add up', async () => {
    const served = await serve(current, short);
    await check(served, [{ ask: 'POST /m/slow', body: {}, status: 422, code: 'dataflow-limit', has: { detail, pattern: 'call f.slow' } }]);
  });
});

describe('the watch', () => {
  const spin = (): void => {
    const end = Date.now() + 1000;
    while (Date.now() < end);
  };
  const spinning = () => 'The function spin';

  test('is there again after it could not be started', () => {
    const watch = callLimitFor(50);
    const run = vi.spyOn(Script.prototype, 'runInContext').mockImplementationOnce(() => {
      throw new Error('no thread');
    });
    onTestFinished(() => run.mockRestore());
    expect(() => watch.one(spin, spinning)).toThrow('no thread');
    expect(() => watch.one(spin, spinning)).toThrow(expect.objectContaining({ code: 'dataflow-limit' }));
  });

  test('ends no process that has no descriptors left: the call is refused', () => {
    const script = `
      import { closeSync, openSync } from 'node:fs';
      import { callLimitFor } from '${new URL('../../src/functions/call-limit.ts', import.meta.url)}';
      const watch = callLimitFor(1000);
      const call = () => { try { return watch.one(() => 'called', () => 'f'); } catch (thrown) { return thrown.code; } };
      const told = [call()];
      const opened = [];
      try { for (;;) opened.push(openSync('/dev/null')); } catch {}
      for (const closing of [0, 4, 6]) { for (const each of opened.splice(0, closing)) closeSync(each); told.push(call()); }
      for (const each of opened) closeSync(each);
      console.log(JSON.stringify(told));`;
    const argv = ['-c', 'ulimit -n 200; exec "$0" "$@"', process.execPath, '--import', 'tsx', '--input-type=module', '-e', script];
    expect(JSON.parse(spawnSync('sh', argv, { encoding: 'utf8' }).stdout)).toEqual(['called', 'service-busy', 'service-busy', 'called']);
  });

  test('is there again when the debugger is gone', async () => {
    const watch = callLimitFor(50);
    inspector.open(0, '127.0.0.1');
    try {
      expect(await watch.soon(() => 1, spinning)).toBe(1);
    } finally {
      inspector.close();
    }
    expect(() => watch.one(spin, spinning)).toThrow(expect.objectContaining({ code: 'dataflow-limit' }));
  });
});

describe('statements at start', () => {
  test('that do not come back refuse the start, with their place', async () => {
    const project = { 'core.al': 'module m\nimport "f.js" @as f\nentity E { id Int @id }\n{E {id 1}}\nf.spin()', 'f.js': javascript };
    await expect(serve(project, { limits })).rejects.toThrow(
      /^what the model does at start failed: The function spin took longer than 300 ms\. \(.*core\.al:5:1\)$/,
    );
  });
});

describe('Clojure', () => {
  const clojure: Project = {
    'core.platform': `(component :M)
(entity :Log {:Id {:type :Int :guid true} :Text {:type :String :optional true}})
(defn spin [] (loop [] (recur)))
(defn stubborn [] (loop [] (try (spin) (catch :default e nil)) (recur)))
(defn sums [] (map (fn [x] (loop [n x] (recur (inc n)))) [1 2 3]))
(defn forever [] (iterate inc 1))
(defn when-spin [x] (if (= x "spin") (spin) x))
(entity :Checked {:Id {:type :Int :guid true} :Name {:type :String :check when-spin}})
(entity :Made {:Id {:type :Int :guid true} :Name {:type :String :default spin}})
(dataflow :Spin {:Log {:Id 1}} [:eval '(spin)])
(dataflow :Stubborn {:Log {:Id 1}} [:eval '(stubborn)])
(dataflow :Lazy {:Log {:Id 1}} [:eval '(sums)])
(dataflow :Forever {:Log {:Id 1}} [:eval '(forever)])
(dataflow :Quick [:eval '(when-spin "fine")])`,
  };
  const named = (name: string, function_ = name.toLowerCase()): readonly [string, string, object, string] => [
    name,
    `POST /api/M/${name}`,
    { [`M/${name}`]: {} },
    function_,
  ];

  test.each([
    named('Spin'),
    named('Stubborn'),
    named('Lazy', 'sums'),
    ['a check', 'POST /api/M/Checked', { 'M/Checked': { Id: 1, Name: 'spin' } }, 'when-spin'] as const,
    ['a default', 'POST /api/M/Made', { 'M/Made': { Id: 1 } }, 'spin'] as const,
  ])('%s: a function that does not come back is ended, and nothing of its event is kept', async (_, ask, body, name) => {
    // More than a busy machine takes for the functions that do come back.
    const served = await serve(clojure, { limits: { function: 1500 }, surfaces: ['earlier'] });
    await check(served, [
      { ask, body, status: 422, has: [{ code: 'dataflow-limit', message: `The function ${name} took longer than 1500 ms.` }] },
      { ask: 'GET /api/M/Log', status: 200, is: [] },
      { ask: 'GET /api/M/Checked', status: 200, is: [] },
      { ask: 'GET /api/M/Made', status: 200, is: [] },
      { ask: 'POST /api/M/Quick', body: { 'M/Quick': {} }, status: 200, is: 'fine' },
    ]);
  });

  test('what `binding` has set in a function that is ended, others do not see', async () => {
    const project: Project = {
      'core.platform': `(component :M)
(def ^:dynamic *factor* 1)
(defn factor [] *factor*)
(defn spin [] (binding [*factor* 100] (binding [*factor* 200] (loop [] (recur)))))
(dataflow :Spin [:eval '(spin)])
(dataflow :Factor [:eval '(factor)])`,
    };
    const served = await serve(project, { limits, surfaces: ['earlier'] });
    await check(served, [
      { ask: 'POST /api/M/Spin', body: { 'M/Spin': {} }, status: 422, has: [{ code: 'dataflow-limit' }] },
      { ask: 'POST /api/M/Factor', body: { 'M/Factor': {} }, status: 200, is: 1 },
    ]);
  });

  test('what cannot be evaluated after a function was ended is still told with its place', async () => {
    const served = await serve(clojure, { limits, surfaces: ['earlier'] });
    await check(served, [{ ask: 'POST /api/M/Stubborn', body: { 'M/Stubborn': {} }, status: 422 }]);
    const lacking = "(component :M)\n(defn f [x]\n  (lacking x))\n(dataflow :Ev [:eval '(f 1)])";
    await expect(serve({ 'core.platform': lacking }, { surfaces: ['earlier'] })).rejects.toThrow(/core\.platform:3:3: nothing is called/);
  });

  test('a sequence without an end is refused', async () => {
    const served = await serve(clojure, { limits: { function: 60_000 }, surfaces: ['earlier'] });
    await check(served, [
      { ask: 'POST /api/M/Forever', body: { 'M/Forever': {} }, status: 422 },
      { ask: 'GET /api/M/Log', status: 200, is: [] },
    ]);
  });
});
