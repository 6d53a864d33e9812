// The forms of dataflows, as scenarios: choices, loops and handlers.

import { ann } from './earlier-library.ts';
import type { FormRow } from './form.ts';

const note = (text: string, n: unknown = null) => ({ 'Lib/Note': { Text: text, N: n } });
const failure = (values: object) => [{ status: 'error', ...values }];

const inOrder = `[:match
  [:between 1000 5000 :Ev.X] {:Note {:Text "100"}}
  [:= :Ev.X 20] {:Note {:Text "5"}}
  [:in [21 23] :Ev.X] {:Note {:Text "12"}}
  [:< :Ev.X 0] {:Note {:Text "0"}}
  [:or [:= 100 :Ev.X] [:= 101 :Ev.X]] {:Note {:Text "2"}}
  [:and [:> :Ev.X 21] [:< :Ev.X 23]] {:Note {:Text "3"}}
  {:Note {:Text "1"}}]`;

export const choices: readonly FormRow[] = [
  ...(
    [
      [3000, '100'],
      [1000, '100'],
      [5000, '100'],
      [20, '5'],
      [21, '12'],
      [-1, '0'],
      [100, '2'],
      [9, '1'],
      [22, '3'],
    ] as const
  ).map(
    ([x, text]): FormRow => ({
      title: `:match takes the first condition that holds: ${x}`,
      body: inOrder,
      given: { X: x },
      answers: { is: note(text) },
    }),
  ),
  {
    title: ':match of a value',
    body: '[:match :Ev.X 1 {:Note {:Text "one"}} "b" {:Note {:Text "bee"}} {:Note {:Text "else"}}]',
    given: { X: 'b' },
    answers: { is: note('bee') },
  },
  {
    title: ':match of a value with a block',
    body: '[:match :Ev.X 1 [{:Reader {:Email "d" :Name "D"}} {:Note {:Text :Reader.Name}}]]',
    given: { X: 1 },
    answers: { is: note('D') },
    after: [{ ask: 'GET /api/Lib/Reader/d', status: 200 }],
  },
  {
    title: ':match of a value with a default',
    body: '[:match :Ev.X 1 {:Note {:Text "one"}} {:Note {:Text "else"}}]',
    given: { X: 7 },
    answers: { is: note('else') },
  },
  {
    title: ':match of a value without a hit is false',
    body: '[:match :Ev.X 1 {:Note {:Text "one"}}]',
    given: { X: 7 },
    answers: { is: false },
  },
  {
    title: ':match of conditions without a hit is false',
    body: '[:match [:= :Ev.X 1] {:Note {:Text "one"}}]',
    given: { X: 7 },
    answers: { is: false },
  },
  {
    title: ':match … :as',
    body: '[:match :Ev.X 1 {:Note {:Text "one"}} {:Note {:Text "else"}} :as :R] :R.Text',
    given: { X: 1 },
    answers: { is: 'one' },
  },
  {
    title: ':match with references as cases',
    body: '[:match :Ev.X :Ev.Y {:Note {:Text "same"}} {:Note {:Text "other"}}]',
    given: { X: 3, Y: 3 },
    answers: { is: note('same') },
  },
  {
    title: ':in has the value last, also where the list is a name',
    body: '[:match [:in :Ev.L :Ev.X] {:Note {:Text "yes"}} {:Note {:Text "no"}}]',
    given: { L: [1, 2], X: 2 },
    answers: { is: note('yes') },
  },
  {
    title: ':in may have the value first, as in a query',
    body: '[:match [:in :Ev.X :Ev.L] {:Note {:Text "yes"}} {:Note {:Text "no"}}]',
    given: { L: [1, 2], X: 2 },
    answers: { is: note('yes') },
  },
  {
    title: ':in of what is not in the list, in either order',
    body: '[:match [:or [:in :Ev.X :Ev.L] [:in :Ev.L :Ev.X]] {:Note {:Text "yes"}} {:Note {:Text "no"}}]',
    given: { L: [1, 2], X: 3 },
    answers: { is: note('no') },
  },
  {
    title: ':between of three names has the value last',
    body: '[:match [:between :Ev.A :Ev.B :Ev.X] {:Note {:Text "yes"}} {:Note {:Text "no"}}]',
    given: { A: 1, B: 3, X: 2 },
    answers: { is: note('yes') },
  },
  {
    title: ':between with its bounds in a list has the value first',
    body: '[:match [:between :Ev.X \'[:Ev.A :Ev.B]] {:Note {:Text "yes"}} {:Note {:Text "no"}}]',
    given: { A: 1, B: 3, X: 2 },
    answers: { is: note('yes') },
  },
  {
    title: 'what is kept as a hash is equal to nothing, not even to what a caller leaves out',
    body: '{:Account {:Id 1 :Word "quite long"}} {:Account {:Id? 1} :as [:A]} [:match :Ev.Word :A.Word "in" "out"]',
    also: '(entity :Account {:Id {:type :Int :guid true} :Word :Password})',
    answers: { status: 422, has: failure({ message: 'Account.Word cannot be read: it is kept as a hash, or in no answer.' }) },
  },
  {
    title: ':like in a condition knows % and _',
    body: '[:match [:like :Ev.X "a_c%"] {:Note {:Text "yes"}} {:Note {:Text "no"}}]',
    given: { X: 'abc' },
    answers: { is: note('yes') },
  },
  {
    title: ':not in a condition',
    body: '[:match [:not [:= :Ev.X 1]] {:Note {:Text "yes"}} {:Note {:Text "no"}}]',
    given: { X: 2 },
    answers: { is: note('yes') },
  },
  {
    title: ':<>, :<= and :>= in conditions',
    body: '[:match [:and [:<> :Ev.X 1] [:<= :Ev.X 2] [:>= :Ev.X 2]] {:Note {:Text "yes"}} {:Note {:Text "no"}}]',
    given: { X: 2 },
    answers: { is: note('yes') },
  },
  {
    title: 'a choice creates nothing of the others',
    body: '[:match :Ev.X 1 {:Reader {:Email "d" :Name "D"}} {:Note {:Text "else"}}]',
    given: { X: 2 },
    answers: { is: note('else') },
    after: [{ ask: 'GET /api/Lib/Reader/d', status: 404 }],
  },
];

export const quoted: readonly FormRow[] = (
  [
    ["'(or nil 5)", 5],
    ["'(or false nil)", null],
    ["'(or)", null],
    ["'(and 1 2)", 2],
    ["'(and 1 nil 2)", null],
    ["'(and)", true],
    ["'(boolean (and 1 2))", true],
    ["'(not (or nil 5))", false],
    ["'(or 1 (/ 1 (first [])))", 1],
    [`'(str "a" nil "b" 1 true)`, 'ab1true'],
    ["'(str)", ''],
    [`'(str [1 "x" nil] {:k "v"})`, '[1 "x" nil]{:k "v"}'],
    [`'(text+ "a" :Ev.X)`, null],
    ["'(= nil nil)", true],
    ["'(= 1 1 2)", false],
    ["'[(or nil :Ev.N) {:k (and 1 :Ev.N)}]", [3, { k: 3 }]],
  ] as const
).map(([form, is]) => ({ title: `${form} means what it means in Clojure`, body: `[:value ${form}]`, given: { N: 3 }, answers: { is } }));

export const loops: readonly FormRow[] = [
  {
    title: ':for-each gives a list of the last values',
    body: '[:for-each :Reader? {:Note {:Text :%.Name}}]',
    answers: { is: [note('Ann'), note('Bob'), note('Cyd')] },
  },
  {
    title: ':for-each over a query',
    body: '[:for-each {:Reader {:Email? [:<> "bob"]}} {:Note {:Text :%.Name}}]',
    answers: { is: [note('Ann'), note('Cyd')] },
  },
  {
    title: ':for-each over an alias',
    body: '{:Reader? {} :as :Rs} [:for-each :Rs {:Note {:Text :%.Name}}]',
    answers: { is: [note('Ann'), note('Bob'), note('Cyd')] },
  },
  {
    title: ':% is the element of the loop around again behind an inner loop',
    body: '[:for-each [1 2] [:for-each [30 40] [:value :%]] [:value :%]]',
    answers: { is: [1, 2] },
  },
  {
    title: 'a name given with :as in a loop stays, with its last value',
    body: '[:value 5 :as :X] [:for-each [[1 2] :as :X] [:value :X :as :Y]] [:value [:X :Y]]',
    answers: { is: [5, 2] },
  },
  {
    title: ':for-each with a name for the element',
    body: '[:for-each [:Reader? :as :R] {:Note {:Text :R.Name}}]',
    answers: { is: [note('Ann'), note('Bob'), note('Cyd')] },
  },
  {
    title: ':for-each with the name of the type for the element',
    body: '[:for-each :Reader? {:Note {:Text :Reader.Name}}]',
    answers: { is: [note('Ann'), note('Bob'), note('Cyd')] },
  },
  {
    title: ':for-each over a list of the event',
    body: '[:for-each :Ev.List {:Note {:Text :%}}]',
    given: { List: ['x', 'y'] },
    answers: { is: [note('x'), note('y')] },
  },
  {
    title: ':for-each over maps of the event',
    body: '[:for-each :Ev.List {:Reader {} :from :%}]',
    given: { List: [{ Email: 'd', Name: 'D' }] },
    answers: { is: [{ 'Lib/Reader': { Email: 'd', Name: 'D' } }] },
  },
  {
    title: ':for-each over nothing is an empty list',
    body: '[:for-each {:Reader {:Email? "none"}} {:Note {:Text :%.Name}}]',
    answers: { is: [] },
  },
  {
    title: ':for-each with several patterns gives the last',
    body: "[:for-each :Ev.List {:Note {:Text :%}} [:eval '(+ 1 1)]]",
    given: { List: ['x', 'y'] },
    answers: { is: [2, 2] },
  },
  { title: ':for-each … :as', body: '[:for-each :Reader? {:Note {:Text :%.Name}} :as :Ns] :Ns.Text', answers: { is: 'Ann' } },
  {
    title: ':for-each in :for-each',
    body: "[:for-each [:Ev.List :as :X] [:for-each [:Ev.List :as :Y] [:eval '(+ :X :Y)]]]",
    given: { List: [1, 10] },
    answers: {
      is: [
        [2, 11],
        [11, 20],
      ],
    },
  },
  {
    title: ':for-each changes each',
    body: '[:for-each :Reader? {:Reader {:Email? :%.Email :Name \'(str :%.Name "!")}}]',
    answers: { status: 200 },
    after: [{ ask: 'GET /api/Lib/Reader/cyd', status: 200, has: { Name: 'Cyd!' } }],
  },
  {
    title: 'a failing round undoes all of them',
    body: '[:for-each :Ev.List {:Reader {:Email :% :Name "N"}}]',
    given: { List: ['d', 'ann'] },
    answers: { status: 409 },
    after: [{ ask: 'GET /api/Lib/Reader/d', status: 404 }],
  },
];

export const handlers: readonly FormRow[] = [
  {
    title: ':try … :ok',
    body: '[:try {:Reader {:Email? "ann"}} :ok {:Note {:Text "yes"}} :not-found {:Note {:Text "no"}}]',
    answers: { is: note('yes') },
  },
  {
    title: ':try … :not-found',
    body: '[:try {:Reader {:Email? "none"}} :ok {:Note {:Text "yes"}} :not-found {:Note {:Text "no"}}]',
    answers: { is: note('no') },
  },
  {
    title: ':try … :error',
    body: '[:try {:Reader {:Email "ann" :Name "x"}} :ok {:Note {:Text "yes"}} :error {:Note {:Text :Error.code}}]',
    answers: { is: note('duplicate') },
  },
  {
    title: ':try with one handler for several outcomes',
    body: '[:try {:Reader {:Email? "none"}} [:not-found :error] {:Note {:Text "no"}}]',
    answers: { is: note('no') },
  },
  {
    title: ':try without a handler for the outcome gives the result',
    body: '[:try {:Reader {:Email? "ann"}} :not-found {:Note {:Text "no"}}]',
    answers: { is: [ann] },
  },
  {
    title: ':try without a handler for the failure fails',
    body: '[:try {:Reader {:Email "ann" :Name "x"}} :not-found {:Note {:Text "no"}}]',
    answers: { status: 409 },
  },
  { title: ':try … :as', body: '[:try {:Reader {:Email? "none"}} :not-found {:Note {:Text "no"}} :as :R] :R.Text', answers: { is: 'no' } },
  {
    title: ':try … :as names what :ok gives',
    body: '[:try {:Reader {:Email? "ann"}} :ok {:Note {:Text "yes"}} :as :R] :R.Text',
    answers: { is: 'yes' },
  },
  {
    title: 'a name inside of :try is that of what was tried',
    body: '[:try {:Reader {:Email? "ann"} :as [:A]} :ok {:Note {:Text :A.Name}} :as :R] [:A.Name :R.Text]',
    answers: { is: ['Ann', 'Ann'] },
  },
  {
    title: ':try with a block as its handler',
    body: '[:try {:Reader {:Email? "d"}} :not-found [{:Reader {:Email "d" :Name "D"}} {:Note {:Text :Reader.Name}}]]',
    answers: { is: note('D') },
  },
  {
    title: 'what was tried is undone',
    body: '[:try [:for-each :Ev.List {:Reader {:Email :% :Name "N"}}] :error {:Note {:Text "undone"}}]',
    given: { List: ['d', 'ann'] },
    answers: { is: note('undone') },
    after: [{ ask: 'GET /api/Lib/Reader/d', status: 404 }],
  },
  { title: ':try … :empty', body: '[:try {:Reader {:Email? "none"}} :empty {:Note {:Text "none"}}]', answers: { is: note('none') } },
  {
    title: ':throws on :not-found keeps the failure and tells the value',
    body: '{:Reader {:Email? "none"} :throws {:not-found {:Note {:Text "no"}}}}',
    answers: { status: 422, has: failure({ code: 'dataflow-failed', result: { Text: 'no' } }) },
  },
  {
    title: ':throws on :error keeps the failure and tells the value',
    body: '{:Reader {:Email "ann" :Name "x"} :throws {:error {:Note {:Text :Error.code}}}}',
    answers: { status: 422, has: failure({ result: { Text: 'duplicate' } }) },
  },
  {
    title: ':throws on a vector',
    body: '[:delete :Reader {:Email "none"} :throws {:not-found {:Note {:Text "no"}}}]',
    answers: { status: 422, has: failure({ result: { Text: 'no' } }) },
  },
  {
    title: ':throws as a vector',
    body: '{:Reader {:Email? "none"} :throws [:not-found {:Note {:Text "no"}}]}',
    answers: { status: 422, has: failure({ result: { Text: 'no' } }) },
  },
  {
    title: ':throws is silent when all is well',
    body: '{:Reader {:Email? "ann"} :throws {:not-found {:Note {:Text "no"}}}}',
    answers: { is: [ann] },
  },
  {
    title: ':throws with a custom answer',
    body: '{:Reader {:Email? "none"} :throws {:not-found {:Platform.Kernel.Lang/Response {:HTTP {:status 404 :body "no reader"}}}}}',
    answers: { status: 404, has: [{ status: 'not-found', result: 'no reader' }] },
  },
  {
    title: 'a :throws undoes what was done',
    body: '{:Reader {:Email "d" :Name "D"}} {:Reader {:Email? "none"} :throws {:not-found {:Note {:Text "no"}}}}',
    answers: { status: 422 },
    after: [{ ask: 'GET /api/Lib/Reader/d', status: 404 }],
  },
  {
    title: ':rethrow-after goes on with the failure',
    body: '[:try {:Reader {:Email "ann" :Name "x"}} :error [:rethrow-after {:Note {:Text "seen"}}]]',
    answers: { status: 409, has: failure({ code: 'duplicate' }) },
  },
  {
    title: 'a custom answer',
    body: '{:Platform.Kernel.Lang/Response {:HTTP {:status 202 :body {:a 1}}}}',
    answers: { status: 202, is: { a: 1 } },
  },
  {
    title: 'a custom answer that is an error',
    body: '{:Reader {:Email "d" :Name "D"}} {:Platform.Kernel.Lang/Response {:HTTP {:status 422 :body {:why "so"}}}}',
    answers: { status: 422, has: failure({ result: { why: 'so' } }) },
  },
];
