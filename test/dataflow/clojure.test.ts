// Functions in Clojure: where a model may use them, and what crosses between them and the service.

import { describe, expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';

const surfaces = ['earlier'] as const;

/** A component with these forms, and a dataflow of these patterns on an event that takes anything. */
async function run(forms: string, patterns: string, attributes: object = {}): Promise<{ readonly status: number; readonly body: unknown }> {
  const served = await open(`${forms}\n(dataflow :Ev ${patterns})`);
  return post(served, attributes);
}

function open(forms: string, options: Parameters<typeof serve>[1] = {}): Promise<Served> {
  return serve({ 'core.platform': `(component :M)\n${forms}` }, { surfaces, ...options });
}

async function post(served: Served, attributes: object): Promise<{ readonly status: number; readonly body: unknown }> {
  const { status, body } = await served.post('/api/M/Ev', { 'M/Ev': attributes });
  return { status, body };
}

/** Title, definitions, patterns, the event's attributes, what it answers. */
type Case = readonly [title: string, forms: string, patterns: string, attributes: object, expected: unknown];

const calls: readonly Case[] = [
  ['a function named like a built-in one wins', '(defn str [x] 7) (defn round [x] 8)', "[:eval '(+ (str 1) (round 2))]", {}, 15],
  ['a quoted call of a function', '(defn twice [x] (* 2 x))', "[:eval '(twice :Ev.X)]", { X: 21 }, 42],
  ['(quote ...) is a quote', '(defn twice [x] (* 2 x))', '[:eval (quote (twice :Ev.X))]', { X: 21 }, 42],
  ['a function that is defined further down', '(defn a [x] (b x)) (defn b [x] (inc x))', "[:eval '(a 1)]", {}, 2],
  ['a private function, and a value', '(def rate 3) (defn- by [x] (* rate x))', "[:eval '(by 5)]", {}, 15],
  ['functions of the language', '', "[:eval '(count :Ev.Xs)]", { Xs: [1, 2, 3] }, 3],
  ['functions as arguments', '', "[:eval '(reduce + (map inc :Ev.Xs))]", { Xs: [1, 2, 3] }, 9],
  ['a function in place', '', "[:eval '(map (fn [x] (* x x)) :Ev.Xs)]", { Xs: [1, 2, 3] }, [1, 4, 9]],
  ['a short function in place', '', "[:eval '(filter #(> % 1) :Ev.Xs)]", { Xs: [1, 2, 3] }, [2, 3]],
  ['regular expressions', '', '[:eval \'(re-matches #"a+" :Ev.X)]', { X: 'aa' }, 'aa'],
  ['special forms', '', '[:eval \'(if (> :Ev.X 3) "big" "small")]', { X: 4 }, 'big'],
  ['let, cond and case', '', "[:eval '(let [x (inc :Ev.X)] (cond (= x 2) (case x 2 :two :other) :else :none))]", { X: 1 }, 'two'],
  ['threading', '', "[:eval '(-> :Ev.X inc (* 2) str)]", { X: 1 }, '4'],
  ['own macros', '(defmacro unless [c a b] `(if ~c ~b ~a))', '[:eval \'(unless (> :Ev.X 3) "small" "big")]', { X: 4 }, 'big'],
  ['keywords that refer to nothing are keywords', '', "[:eval '(get (first :Ev.Xs) :name)]", { Xs: [{ name: 'a' }] }, 'a'],
  ['a variable as a value', '(def slots ["a" "b"])', '[:for-each slots [:value :%]]', {}, ['a', 'b']],
  ['nested calls mixed with operators', '(defn twice [x] (* 2 x))', "[:eval '(+ 1 (twice (+ :Ev.X 1)))]", { X: 2 }, 7],
  ['atoms', '(def n (atom 0)) (defn next-n [] (swap! n inc))', "[:eval '(next-n)] [:eval '(next-n)]", {}, 2],
  ['conditions', '(defn big? [x] (> x 3))', '[:match [:= true \'(big? :Ev.X)] "yes" "no"]', { X: 4 }, 'yes'],
  [
    'multimethods and records',
    '(defmulti area :k) (defmethod area "sq" [s] (* (:w s) (:w s)))',
    "[:eval '(area {:k :Ev.K :w 3})]",
    { K: 'sq' },
    9,
  ],
];

const crossings: readonly Case[] = [
  ['maps have keywords as keys', '(defn f [m] [(:a m) (:b (:c m))])', "[:eval '(f :Ev.M)]", { M: { a: 1, c: { b: 'x' } } }, [1, 'x']],
  ['names with spaces are texts', '(defn f [m] (get m "a b"))', "[:eval '(f :Ev.M)]", { M: { 'a b': 1 } }, 1],
  ['keywords come back as names', '(defn f [] {:a :b/c "d" (quote e)})', "[:eval '(f)]", {}, { a: 'b/c', d: 'e' }],
  ['nothing is nil, both ways', '(defn f [x] (when (nil? x) [nil x]))', "[:eval '(f :Ev.X)]", { X: null }, [null, null]],
  [
    'sets and sequences are arrays',
    '(defn f [] [(sort (vec #{2 1})) (range 3) (seq []) (set [7])])',
    "[:eval '(f)]",
    {},
    [[1, 2], [0, 1, 2], null, [7]],
  ],
  [
    'identifiers are texts',
    '(defn f [x] (str (uuid x)))',
    "[:eval '(f :Ev.X)]",
    { X: '0190e8a0-0000-7000-8000-000000000001' },
    '0190e8a0-0000-7000-8000-000000000001',
  ],
  ['truth values', '(defn f [x] (not x))', "[:eval '(f :Ev.X)]", { X: false }, true],
  [
    'whole numbers stay exact',
    '(defn f [x] (str (+ (* x x) 1)))',
    "[:eval '(f :Ev.X)]",
    { X: 9007199254740991 },
    '81129638414606663681390495662082',
  ],
  ['large numbers in the text too', '(defn f [] (str (- 9007199254740993 1N)))', "[:eval '(f)]", {}, '9007199254740992'],
  ['decimals of the text stay exact', '(defn f [] (str (+ 0.1M 0.2M)))', "[:eval '(f)]", {}, '0.3'],
  ['quotients, remainders', '(defn f [a b] [(quot a b) (rem a b) (mod a b) (/ a b)])', "[:eval '(f -7 2)]", {}, [-3, -1, 1, '-3.5']],
  [
    'comparisons',
    '(defn f [x] [(< 1 x 3) (= 2 x 2.0) (max 1 x 2.5M) (zero? 0M) (number? x) (even? x)])',
    "[:eval '(f :Ev.X)]",
    { X: 2 },
    [true, true, '2.5', true, true, true],
  ],
  [
    'numbers are sorted by value',
    '(defn f [] [(sort [2 10N 1.5M]) (map :n (sort-by :n [{:n 2.5M} {:n 1}])) (sort > [1 2]) (compare "a" "b")])',
    "[:eval '(f)]",
    {},
    [['1.5', 2, 10], [1, '2.5'], [2, 1], -1],
  ],
  ['texts are formatted', '(defn f [x] (format "%s: %.2f" "a" x))', "[:eval '(f :Ev.X)]", { X: 1.005 }, 'a: 1.01'],
];

const equalities: readonly Case[] = [
  [
    'a number is no text',
    '',
    '[:value [\'(= :Ev.X "1") \'(if (= :Ev.X "1") true false) \'(not= :Ev.X "1")]]',
    { X: 1 },
    [false, false, true],
  ],
  [
    'decimals keep their digits',
    '',
    '[:value [\'(str "total " 1.50M) \'(if true (str "total " 1.50M) "")]]',
    {},
    ['total 1.50', 'total 1.50'],
  ],
  ['a condition goes by types', '', '[:match [:= :Ev.X "1"] "yes" "no"]', { X: 1 }, 'yes'],
  ['a quoted condition does not', '', '[:match [:and \'(= :Ev.X "1")] "yes" "no"]', { X: 1 }, 'no'],
  ['several values', '', "[:value ['(= 1 1.0M :Ev.X) '(not= 1 2 :Ev.X) '(= :Ev.X)]]", { X: 1 }, [true, true, true]],
];

const shop = `(entity :Item {:Sku {:type :String :guid true} :Price :Decimal :Count {:type :Int :default 1}})
  (entity :Seen {:Id :Identity :What :String})
  {:Item {:Sku "a" :Price "1.50"}} {:Item {:Sku "b" :Price "20.00"}} {:Item {:Sku "c" :Price "300.00"}}
  (def limit 10)
  (defn least [] limit)
  (defn dear? [price] (> price limit))
  (defn shout [text] (clojure.string/upper-case text))
  (defn even-count? [x] (even? (count x)))`;

const places: readonly Case[] = [
  ['the value of a query', shop, "{:Item {:Sku? '(clojure.string/lower-case :Ev.S)} :as [:I]} :I.Price", { S: 'B' }, '20.00'],
  ['the operand of a query', shop, "{:Item {:Price? [:> '(least)]} :as :All} [:eval '(mapv :Sku :All)]", {}, ['b', 'c']],
  ['a :where', shop, "{:Item? {:where [:> :Price '(least)] :order-by [:Sku]} :as :All} [:eval '(mapv :Sku :All)]", {}, ['b', 'c']],
  [
    'a :where over the columns',
    shop,
    "{:Item? {:where [:= true '(dear? :Price)] :order-by [:Sku]} :as :All} [:eval '(mapv :Sku :All)]",
    {},
    ['b', 'c'],
  ],
  ['what is set', shop, '{:Item {:Sku? "a" :Price \'(* :Price 2)} :as [:I]} :I.Price', {}, '3.00'],
  ['what is set, from a special form', shop, '{:Item {:Sku? "a" :Count \'(if (dear? :Price) 1 (+ :Count 6))} :as [:I]} :I.Count', {}, 7],
  ['what is made, from its other attributes', shop, '{:Item {:Sku "d" :Price \'(+ 0.5M (count :Sku))} :as :I} :I.Price', {}, '1.5'],
  ['a loop', shop, "[:for-each :Item? [:eval '(shout :%.Sku)]]", {}, ['A', 'B', 'C']],
  ['the element of a loop by its type', shop, "[:for-each :Item? [:eval '(dear? :Item.Price)]]", {}, [false, true, true]],
  ['the subject of a match', shop, '[:match \'(shout :Ev.S) "X" 1 "Y" 2 3]', { S: 'y' }, 2],
  ['a predicate of :eval that holds', shop, "[:eval '(shout :Ev.S) :check even-count?]", { S: 'ab' }, 'AB'],
  ['a record in :eval', `${shop} (record :R {:A :Int})`, "[:eval '(hash-map :A 1) :check :R]", {}, { A: 1 }],
  ['the reason of a throw', shop, '[:try [:throw \'(shout "no")] :error [:value :Error.message]]', {}, 'NO'],
  ['an argument of an event', `${shop} (dataflow :Inner [:eval '(inc :Inner.N)])`, "{:Inner {:N '(+ 1 (count :Ev.S))}}", { S: 'abc' }, 5],
];

describe('quoted forms mean the same as code', () => {
  test.each(equalities)('%s', async (_, forms, patterns, attributes, expected) => {
    expect(await run(forms, patterns, attributes)).toEqual({ status: 200, body: expected });
  });
});

describe('places', () => {
  test.each(places)('%s', async (_, forms, patterns, attributes, expected) => {
    expect(await run(forms, patterns, attributes)).toEqual({ status: 200, body: expected });
  });

  test('a predicate of :eval that does not hold', async () => {
    expect(await run(shop, "[:eval '(shout :Ev.S) :check even-count?]", { S: 'abc' })).toMatchObject({
      status: 422,
      body: [{ code: 'dataflow-failed' }],
    });
  });

  test('half of a character is refused, and said to be one', async () => {
    expect(await run(shop, "{:Seen {:What '(subs :Ev.S 0 1)}}", { S: '😀' })).toMatchObject({
      status: 422,
      body: [{ errors: [{ attribute: 'What', message: expect.stringContaining('an emoji that was cut in two') }] }],
    });
  });

  test('what runs before and after a write, and what it sets off', async () => {
    const served = await open(`${shop}
      (dataflow [:before :create :Item] {:Instance {:Price '(if (dear? :Instance.Price) limit :Instance.Price)}})
      (dataflow [:after :update :Item] {:Seen {:What '(shout :Instance.Sku)}})
      (dataflow [:Many :when [:= true '(even? :Item.Count)]] {:Seen {:What '(str "even " :Many.Item.Count)}})
      (dataflow :Ev {:Item {:Sku? "a" :Count 4}})`);
    await served.post('/api/M/Item', { 'M/Item': { Sku: 'z', Price: '99' } });
    expect((await served.get('/api/M/Item/z')).body).toMatchObject({ Price: '10' });
    await post(served, {});
    expect((await served.get('/api/M/Seen')).body).toMatchObject([{ What: 'A' }, { What: 'even 4' }]);
  });
});

describe('values', () => {
  test.each(crossings)('%s', async (_, forms, patterns, attributes, expected) => {
    expect(await run(forms, patterns, attributes)).toEqual({ status: 200, body: expected });
  });

  test('an instance is a map of its attributes, whose decimals are numbers', async () => {
    const forms = `(entity :Item {:Sku {:type :String :guid true} :Price :Decimal :Count :Int})
      (defn total [item] (* (:Price item) (:Count item)))
      (record :Sum {:Of :String :Total :Decimal})`;
    const patterns = `{:Item {:Sku "a" :Price "0.10" :Count 3} :as :I}
      {:Sum {:Of '(:Sku :I) :Total '(total :I)}}`;
    expect(await run(forms, patterns)).toEqual({ status: 200, body: { 'M/Sum': { Of: 'a', Total: '0.30' } } });
  });

  test('a list of instances is a list of such maps', async () => {
    const forms = `(entity :Item {:Sku {:type :String :guid true} :Price :Decimal})
      {:Item {:Sku "a" :Price "0.10"}} {:Item {:Sku "b" :Price "0.20"}}
      (defn total [items] (reduce + (map :Price items)))`;
    expect(await run(forms, "{:Item? {} :as :All} [:eval '(total :All)]")).toEqual({ status: 200, body: '0.30' });
  });

  test('a map that a function makes becomes an instance', async () => {
    const forms = `(entity :Item {:Sku {:type :String :guid true} :Price :Decimal})
      (defn make [sku] {:Sku sku :Price (* 2M 1.25M)})`;
    const patterns = "[:eval '(make :Ev.Sku) :as :Made] {:Item {} :from :Made}";
    expect(await run(forms, patterns, { Sku: 'a' })).toEqual({ status: 200, body: { 'M/Item': { Sku: 'a', Price: '2.50' } } });
  });

  test('a sequence without an end is refused, and everything goes on', async () => {
    // Its parts are what is counted here, however long a busy machine takes for them.
    const forms = `(defn endless [x] (if x (range) [1]))
(dataflow :Ev [:eval '(endless :Ev.X)])`;
    const served = await open(forms, { limits: { function: 60_000, flow: { steps: 100_000, time: 60_000 } } });
    expect(await post(served, { X: true })).toMatchObject({
      status: 422,
      body: [{ code: 'dataflow-failed', message: 'What the function gives has more than 1000000 parts.' }],
    });
    expect(await post(served, { X: null })).toEqual({ status: 200, body: [1] });
  });
});

describe('calls', () => {
  test.each(calls)('%s', async (_, forms, patterns, attributes, expected) => {
    expect(await run(forms, patterns, attributes)).toEqual({ status: 200, body: expected });
  });
});
