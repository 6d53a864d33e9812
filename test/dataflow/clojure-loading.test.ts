// How Clojure functions are loaded: when, from where, in which order, and what is told when that cannot be done.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { callLimitFor } from '../../src/functions/call-limit.ts';
import { loadClojure } from '../../src/functions/clojure/clojure.ts';
import { clojureUses } from '../../src/functions/clojure/uses.ts';
import { loadFunctions } from '../../src/functions/functions.ts';
import { command, workspace } from '../cli/harness.ts';
import { modelOf, type Project, type Served, serve } from '../support/app.ts';
import { temporaryFolder } from '../support/folder.ts';
import { counted } from '../support/form.ts';

const surfaces = ['earlier'] as const;
const failed = () => {};

const withFunction = { 'core.platform': "(component :M)\n(defn f [] 1)\n(dataflow :Ev [:eval '(f)])" };

function post(served: Served, attributes: object = {}): Promise<unknown> {
  return served.post('/api/M/Ev', { 'M/Ev': attributes }).then(({ body }) => body);
}

async function refusalOf(project: Project): Promise<string> {
  const served = serve(project, { surfaces });
  return served.then(
    () => 'it started',
    (thrown: unknown) => (thrown instanceof Error ? thrown.message.replace(/^.*src\//, '') : String(thrown)),
  );
}

describe('the interpreter', () => {
  test('is not looked for by a model without Clojure functions', () => {
    expect(clojureUses(modelOf({ 'core.platform': "(component :M)\n(defn unused [] 1)\n(entity :E {:A :Int :B '(* :A 2)})" }))).toEqual([]);
  });

  test('is asked for by name where it is missing', async () => {
    const model = modelOf(withFunction);
    const host = { clock: systemClock(), environment: {}, failed };
    const watch = callLimitFor(1000);
    const loaded = loadClojure({
      model,
      uses: clojureUses(model),
      folders: [temporaryFolder()],
      host,
      imports: [],
      watch,
      watchLoading: watch,
    });
    await expect(loaded).rejects.toThrow(
      /core\.platform:3:23: the function f is Clojure, which needs the package nbb; install it: npm install nbb$/,
    );
  });

  test("is the project's own before that of the runtime", async () => {
    const folder = temporaryFolder();
    const own = join(folder, 'node_modules', 'nbb');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'package.json'), '{"name": "nbb", "type": "module", "main": "index.js"}');
    writeFileSync(join(own, 'index.js'), 'export const nothing = 1;');
    const loaded = loadFunctions(modelOf(withFunction), {
      folder,
      clock: systemClock(),
      limit: 1000,
      loaded: new Map(),
      failed,
      logged: failed,
    });
    await expect(loaded).rejects.toThrow('this version of nbb has no loadString');
  });
});

describe('code that cannot be evaluated refuses the start, with its place', () => {
  const cases: readonly (readonly [title: string, text: string, message: string])[] = [
    ['an unknown function', "(dataflow :Ev [:eval '(lacking :Ev.X)])", 'core.platform:2:23: nothing is called `lacking` here.'],
    [
      'an unknown name inside of one',
      "(defn f [x]\n  (lacking x))\n(dataflow :Ev [:eval '(f 1)])",
      'core.platform:3:3: nothing is called `lacking` here.',
    ],
    ['an unknown check', '(entity :E {:A {:type :Int :check lacking?}})', 'core.platform:2:13: nothing is called `lacking?` here.'],
    [
      'a value that cannot be made',
      "(def x (nth [] 3))\n(defn f [] x)\n(dataflow :Ev [:eval '(f)])",
      'core.platform:2:8: this cannot be evaluated: No item 3 in vector of length 0.',
    ],
    [
      'a class of another host',
      "(defn f [] (java.util.Date.))\n(dataflow :Ev [:eval '(f)])",
      'core.platform:2:12: nothing is called `java.util.Date` here.',
    ],
    [
      'a namespace that is not there',
      "(require '[no.such :as x])\n(defn f [] 1)\n(dataflow :Ev [:eval '(f)])",
      'core.platform:2:11: `no.such` cannot be loaded: Could not find namespace: no.such',
    ],
  ];
  test.each(cases)('%s', async (_, text, message) => {
    expect(await refusalOf({ 'core.platform': `(component :M)\n${text}` })).toContain(message);
  });
});

test('`platform check` tells all that cannot be evaluated', async () => {
  const project = workspace({
    'model.platform': '{:name :Shop :version "1.0.0" :platform-version "current" :components [:Shop]}',
    'shop.clj': `(component :Shop)

(defn price [x] (lacking x))

(entity :Item
  {:Sku {:type :String :guid true :check known?}
   :Price {:type :Int :expr '(prise :Sku)}})
`,
  });
  onTestFinished(project.remove);
  const { code, out, err } = await command(project.folder, 'check');
  const told = `${out}${err}`;
  expect(code).toBe(1);
  for (const [place, name] of [
    ['3:17', 'lacking'],
    ['6:4', 'known?'],
    ['7:30', 'prise'],
  ]) {
    expect(told).toContain(`shop.clj:${place}`);
    expect(told).toContain(`nothing is called \`${name}\` here`);
  }
});

describe('components', () => {
  test('use each other, whatever their order', async () => {
    const served = await serve(
      {
        'a.platform': `(component :M {:refer [:Other.Core] :clj-import (quote [(:require [clojure.string :as s] [other.my-parts :as p])])})
          (defn f [x] [(s/upper-case x) (shared x) (p/part x) (Other.Core/shared x) (other.core/shared x)])
          (dataflow :Ev [:eval '(f :Ev.X)])`,
        'b.platform': '(component :Other.Core)\n(defn shared [x] (str x base))\n(def base "!")',
        'c.platform': '(component :Other.MyParts)\n(defn part [x] (subs x 0 1))',
      },
      { surfaces },
    );
    expect(await post(served, { X: 'abc' })).toEqual(['ABC', 'abc!', 'a', 'abc!', 'abc!']);
  });

  test('have functions of their own in place of those of the same names, in whatever file they stand', async () => {
    const project = { 'a.platform': "(component :M)\n(dataflow :Ev [:eval '[(str 1 2) (abs 1)]])" };
    const own = '(component :M)\n(defn str [& given] (count given))\n(defn abs [x] "mine")';
    expect(await post(await serve({ ...project, 'b.platform': own }, { surfaces }))).toEqual([2, 'mine']);
  });

  test('do not see what they do not name', async () => {
    const project = {
      'a.platform': "(component :M)\n(dataflow :Ev [:eval '(shared 1)])",
      'b.platform': "(component :B)\n(defn shared [x] x)\n(dataflow :Q [:eval '(shared 1)])",
    };
    expect(await refusalOf(project)).toContain('a.platform:2:23: nothing is called `shared` here.');
  });

  test('call what they import of JavaScript', async () => {
    const served = await serve(
      {
        'rates.js': 'export const convert = (amount, { to }) => ({ amount: amount * 2, to });',
        'a.platform': `(component :M)
          (import "./rates.js" :as :rates)
          (defn f [x] (:amount (rates/convert x {:to :eur})))
          (dataflow :Ev [:eval '(f :Ev.X)])`,
      },
      { surfaces },
    );
    expect(await post(served, { X: 4 })).toBe(8);
  });

  test('of two applications never meet', async () => {
    const text = { 'core.platform': "(component :M)\n(def n (atom 0))\n(defn f [] (swap! n inc))\n(dataflow :Ev [:eval '(f)])" };
    const [first, second] = [await serve(text, { surfaces }), await serve(text, { surfaces })];
    expect([await post(first), await post(first), await post(second)]).toEqual([1, 2, 1]);
  });

  test('are evaluated anew by a reload', async () => {
    const served = await serve(withFunction, { surfaces });
    expect(await post(served)).toBe(1);
    await served.reload({ 'core.platform': withFunction['core.platform'].replace('[] 1', '[] 2') });
    expect(await post(served)).toBe(2);
  });
});

describe('the host', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['(Integer/parseInt "42")', 42],
    ['(Double/parseDouble "1.5")', 1.5],
    ['(try (Integer/parseInt "x") (catch NumberFormatException e (.getMessage e)))', 'For input string: "x"'],
    ['(try (throw (Exception. "no")) (catch Exception e (ex-message e)))', 'no'],
    ['(try (.foo nil) (catch Throwable e "caught"))', 'caught'],
    ['(try (throw (ex-info "info" {:a 1})) (catch Exception e (:a (ex-data e))))', 1],
    ['[(.length "abc") (.contains "abc" "b") (.toUpperCase "a") (.replace "a-b-c" "-" "")]', [3, true, 'A', 'abc']],
    ['(System/getenv "PLATFORM_NO_SUCH_VARIABLE")', null],
    ['(platform.util/getenv "PLATFORM_NO_SUCH_VARIABLE" "else")', 'else'],
    ['(maker.util/getenv "PLATFORM_NO_SUCH_VARIABLE" "else")', 'else'],
    ['(count (maker.lang.datetime/now))', 23],
    ['(count (str (java.util.UUID/randomUUID)))', 36],
    ['(clojure.string/join "," (sort-by :n [{:n 2} {:n 1}]))', '{:n 1},{:n 2}'],
  ];
  test.each(cases)('%s', async (code, expected) => {
    const served = await serve({ 'core.platform': `(component :M)\n(defn f [] ${code})\n(dataflow :Ev [:eval '(f)])` }, { surfaces });
    expect(await post(served)).toEqual(expected);
  });
});

describe('failures', () => {
  const failing = (code: string) =>
    serve(
      {
        'core.platform': `(component :M)\n(entity :E {:N {:type :Int :guid true}})
    (defn f [x] ${code})\n(dataflow :Ev {:E {:N 1}} [:eval '(f :Ev.X)])`,
      },
      { surfaces },
    );

  test.each([
    ['ex-info', '(throw (ex-info "There is no stock." {:x x}))', 'There is no stock.'],
    ['an exception', '(throw (Exception. "There is no stock."))', 'There is no stock.'],
    ['throw-ex', '(maker.util/throw-ex "There is no stock.")', 'There is no stock.'],
    ['inside another function', '(let [g (fn [] (throw (ex-info "Deep." {})))] (map (fn [_] (g)) [1]))', 'Deep.'],
    ['a result that is no value', '(fn [] x)', 'A function is no value.'],
  ])('%s is told as it should, and nothing is stored', async (_, code, message) => {
    const served = await failing(code);
    const { status, body } = await served.post('/api/M/Ev', { 'M/Ev': { X: 'x' } });
    expect({ status, body }).toMatchObject({ status: 422, body: [{ status: 'error', code: 'dataflow-failed', message }] });
    expect((await served.get('/api/M/E')).body).toEqual([]);
  });

  const boom = '(defn boom [x] (throw (ex-info "Boom." {:x x})))\n(entity :E {:N {:type :Int :guid true} :M {:type :Int :default 1}})';
  const posting = { 'M/Ev': {} };
  test.each([
    [
      'a computed attribute',
      `${boom} (entity :C {:N {:type :Int :guid true} :X {:type :Int :expr '(boom :N)}})`,
      '/api/M/C',
      { 'M/C': { N: 1 } },
      'Boom.',
    ],
    [
      'a default',
      `${boom} (entity :C {:N {:type :Int :guid true} :X {:type :Int :default (fn [] (boom 1))}})`,
      '/api/M/C',
      { 'M/C': { N: 1 } },
      'Boom.',
    ],
    [
      'a default inside a record',
      `${boom} (record :R {:A {:type :Int :default (fn [] (boom 1))}}) (entity :C {:N {:type :Int :guid true} :X :R})`,
      '/api/M/C',
      { 'M/C': { N: 1, X: {} } },
      'Boom.',
    ],
    [
      'the condition of an event',
      `${boom} (dataflow [:W :when [:= 1 '(boom :E.N)]] {:E {:N 9}})`,
      '/api/M/E',
      { 'M/E': { N: 1 } },
      'Boom.',
    ],
    ['a :where', `${boom} {:E {:N 1}} (dataflow :Ev {:E? {:where [:= 1 '(boom :N)]}})`, '/api/M/Ev', posting, 'Boom.'],
    ['a value that is queried', `${boom} {:E {:N 1}} (dataflow :Ev {:E {:N? '(boom 1)}})`, '/api/M/Ev', posting, 'Boom.'],
    ['what is set', `${boom} {:E {:N 1}} (dataflow :Ev {:E {:N? 1 :M '(boom :M)}})`, '/api/M/Ev', posting, 'Boom.'],
    ['a condition', `${boom} (dataflow :Ev [:match [:= 1 '(boom 1)] 1 2])`, '/api/M/Ev', posting, 'Boom.'],
    ['a limit', `${boom} (dataflow :Ev {:E? {:limit '(boom 1)}})`, '/api/M/Ev', posting, 'Boom.'],
    ['a loop', `${boom} {:E {:N 1}} (dataflow :Ev [:for-each :E? {:E {:N '(boom :%.N)}}])`, '/api/M/Ev', posting, 'Boom.'],
    [
      'what runs before a write',
      `${boom} (dataflow [:before :create :E] [:eval '(boom :Instance.N)])`,
      '/api/M/E',
      { 'M/E': { N: 1 } },
      'Boom.',
    ],
    [
      'an attribute of an event',
      `${boom} (event :Ev {:A {:type :Int :check boom}}) (dataflow :Ev 1)`,
      '/api/M/Ev',
      { 'M/Ev': { A: 1 } },
      'Boom.',
    ],
  ])('in %s are refusals, not faults of the service', async (_, forms, path, body, message) => {
    const served = await serve({ 'core.platform': `(component :M)\n${forms}` }, { surfaces });
    const answer = await served.post(path, body);
    expect(answer.text).toContain(message);
    expect([answer.status, served.failures]).toEqual([422, []]);
  });

  test('handlers see them', async () => {
    const served = await serve(
      {
        'core.platform': `(component :M)\n(defn f [] (throw (ex-info "No." {})))
      (dataflow :Ev [:try [:eval '(f)] :error [:value :Error.message]])`,
      },
      { surfaces },
    );
    expect(await post(served)).toBe('No.');
  });
});

describe('results that come later', () => {
  const later = '(defn f [x] (js/Promise.resolve (inc x)))';
  const flow = (patterns: string) =>
    serve(
      { 'core.platform': `(component :M)\n(entity :E {:N {:type :Int :guid true}})\n${later}\n(dataflow :Ev ${patterns})` },
      { surfaces },
    );

  test('are waited for where `await` says so', async () => {
    expect(await post(await flow("[:eval '(await (f 1))]"))).toBe(2);
  });

  test('are refused elsewhere, with what to write', async () => {
    expect(await post(await flow("[:eval '(f 1)]"))).toMatchObject([{ message: 'f gives its result later; write `(await (f ...))`' }]);
  });

  test('are waited for in what `:await` puts off', async () => {
    const served = await flow("[:await {:E {:N '(f 1)}} :ok {:E {:N 7}}]");
    expect(await post(served)).toEqual(['await', 'ok']);
    await expect.poll(async () => (await served.get('/api/M/E')).body).toMatchObject([{ N: 2 }, { N: 7 }]);
  });
});

test('the example of the documentation does what it says', async () => {
  const page = readFileSync('docs/earlier.md', 'utf8');
  const example = [...page.matchAll(/```clojure\n([\s\S]*?)```/g)].map((match) => match[1] ?? '').find((each) => each.includes(':Books'));
  const served = await serve({ 'core.platform': example ?? '' }, { surfaces });
  const book = (isbn: string, price: string) => ({ 'Books/Book': { Isbn: isbn, Title: 'clojure', Price: price } });
  const made = await served.post('/api/Books/Book', book('9780306406157', '100.50'));
  expect(made.body).toMatchObject([{ result: [{ Shelf: 'C', Gross: '119.5950', Kind: 'dear', Code: expect.stringMatching(/^B-\d+$/) }] }]);
  await served.post('/api/Books/Book', book('9783161484100', '20'));
  await served.post('/api/Books/Book', book('9781861972712', '9.5'));
  const cheapest = (most: number) => served.post('/api/Books/Cheapest', { 'Books/Cheapest': { Most: most } });
  expect((await cheapest(200)).body).toMatchObject({ Isbn: '9781861972712' });
  expect((await cheapest(1)).body).toMatchObject([{ message: 'There is none.' }]);
});

describe('safety', () => {
  test('what comes in a request is a value, whatever it looks like', async () => {
    const served = await serve(
      { 'core.platform': `(component :M)\n(defn same [x] x)\n(dataflow :Ev [:eval '(same :Ev.X)])` },
      { surfaces },
    );
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '(+ 1 2)',
        "'(throw 1)",
        '#js {}',
        'js/process',
        ':keyword',
        '#=(eval 1)',
        '"',
        '\\',
        '(do (def same 1))',
        '~x',
        '@x',
        ')',
      ),
    );
    const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.dictionary(text, text, { maxKeys: 3 }));
    await fc.assert(
      fc.asyncProperty(value, async (each) => {
        expect(await post(served, { X: each })).toEqual(each);
      }),
      { numRuns: counted({ long: 2000, short: 70 }) },
    );
  });
});
