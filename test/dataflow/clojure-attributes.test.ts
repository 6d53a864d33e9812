// Functions in Clojure at attributes: checks, defaults, computed values; what is told when they refuse or fail.

import { describe, expect, test } from 'vitest';
import { compile } from '../../src/plan/compile.ts';
import { wholeEffects } from '../../src/plan/flow/effects.ts';
import { type Served, serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const surfaces = ['earlier'] as const;

function open(forms: string): Promise<Served> {
  return serve({ 'core.platform': `(component :M)\n${forms}` }, { surfaces });
}

const model = `
(defn isbn? [x] (let [digits (map #(Integer/parseInt (str %)) x)
                      sum (reduce + (map * (cycle [1 3]) digits))]
                  (zero? (mod sum 10))))
(defn next-number [] (swap! counter inc))
(def counter (atom 100))
(defn shout [text] (clojure.string/upper-case text))
(defn refuse [x] (if (= x "boom") (throw (ex-info "Nobody is called boom." {:why 1})) (not= x "bad")))
(defn broken [x] (.foo (get {} x)))
(defn price-with [env item] (* (:Price item) (+ 1 (:Tax item))))

(entity :Book
  {:Isbn {:type :String :guid true :check isbn?}
   :Title {:type :String :check (fn [t] (< 2 (count t) 30))}
   :Number {:type :Int :default next-number}
   :Shelf {:type :String :default (fn [] (str "S-" (+ 1 1)))}
   :Kind {:type :String :default #(str "k" 1) :check #{"k1" "k2"}}
   :Price {:type :Decimal :default 10.00M :check pos?}
   :Tax {:type :Decimal :default 0.19M}
   :Loud '(shout :Title)
   :Size {:type :String :expr '(if (> (count :Title) 5) "long" "short")}
   :Gross {:type :Decimal :expr price-with}
   :Owner {:type :String :optional true :check refuse}
   :Odd {:type :String :optional true :check broken}})
(event :Add {:Isbn {:type :String :check isbn?} :Number {:type :Int :default next-number}})
(dataflow :Add {:Book {:Isbn :Add.Isbn :Title "From an event" :Number :Add.Number}})
`;

const good = '9783161484100';
const book = (values: object) => ({ 'M/Book': { Isbn: good, Title: 'Clojure', ...values } });

/** Refused with exactly these faults. */
function refused(values: object, ...errors: readonly (readonly [string, string, string])[]): Step {
  const faults = errors.map(([attribute, code, message]) => ({ attribute, code, message }));
  return {
    ask: 'POST /api/M/Book',
    body: book(values),
    status: 422,
    has: [{ status: 'error', code: 'attributes-invalid', errors: faults }],
  };
}

describe('attributes', () => {
  test('checks decide, defaults fill in, computations compute', async () => {
    const served = await open(model);
    await check(served, [
      {
        ask: 'POST /api/M/Book',
        body: book({}),
        status: 200,
        has: [
          {
            result: [
              {
                Isbn: good,
                Number: 101,
                Shelf: 'S-2',
                Kind: 'k1',
                Price: '10.00',
                Tax: '0.19',
                Loud: 'CLOJURE',
                Size: 'long',
                Gross: '11.9000',
              },
            ],
          },
        ],
      },
      refused({ Isbn: '9783161484101' }, ['Isbn', 'check', 'is not accepted']),
      refused({ Title: 'ab' }, ['Title', 'check', 'is not accepted']),
      refused({ Kind: 'k3' }, ['Kind', 'check', 'is not accepted']),
      refused({ Price: '-0.01' }, ['Price', 'check', 'is not accepted']),
      refused({ Isbn: '1', Title: 'a' }, ['Isbn', 'check', 'is not accepted'], ['Title', 'check', 'is not accepted']),
      refused({ Owner: 'bad' }, ['Owner', 'check', 'is not accepted']),
      {
        ask: `PUT /api/M/Book/${good}`,
        body: { 'M/Book': { Title: 'x' } },
        status: 422,
        has: [{ errors: [{ attribute: 'Title', code: 'check' }] }],
      },
      {
        ask: `PUT /api/M/Book/${good}`,
        body: { 'M/Book': { Title: 'Abc', Price: '20' } },
        status: 200,
        has: { Loud: 'ABC', Size: 'short', Gross: '23.80' },
      },
    ]);
  });

  test('what the author throws is told, what merely fails is not', async () => {
    const served = await open(model);
    await check(served, [refused({ Owner: 'boom' }, ['Owner', 'check', 'Nobody is called boom.'])]);
    const broken = await served.post('/api/M/Book', { 'M/Book': { Isbn: good, Title: 'Clojure', Odd: 'x' } });
    expect(broken).toMatchObject({ status: 500, body: [{ code: 'function-failed', message: 'The function broken failed.' }] });
  });

  test('the attributes of events are checked and filled in too', async () => {
    const served = await open(model);
    await check(served, [
      { ask: 'POST /api/M/Add', body: { 'M/Add': { Isbn: '1' } }, status: 422, has: [{ errors: [{ attribute: 'Isbn', code: 'check' }] }] },
      { ask: 'POST /api/M/Add', body: { 'M/Add': { Isbn: good } }, status: 200, has: { 'M/Book': { Number: 102, Loud: 'FROM AN EVENT' } } },
    ]);
  });

  test('a function of the model does not keep other writes from sharing a commit', async () => {
    const served = await open(`${model}(dataflow :Plain {:Book {:Isbn :Plain.Isbn :Title "Plain"}})`);
    const { dataflows } = compile(served.app.model);
    const flow = dataflows.flows.get('M/Plain');
    expect(flow === undefined ? undefined : wholeEffects(flow, dataflows)).toMatchObject({ writes: true, waits: false });
  });
});
