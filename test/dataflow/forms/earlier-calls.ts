// The forms of dataflows, as scenarios: names, calls, quotes and functions.

import { ann, bob, cyd, tagged } from './earlier-library.ts';
import type { FormRow } from './form.ts';

const note = (text: string, n: unknown = null) => ({ 'Lib/Note': { Text: text, N: n } });
const failure = (values: object) => [{ status: 'error', ...values }];

export const names: readonly FormRow[] = [
  { title: ':as names the list', body: '{:Reader? {} :as :All} :All', answers: { is: [ann, bob, cyd] } },
  { title: ':as a name reads the first element', body: '{:Reader? {} :as :All} :All.Name', answers: { is: 'Ann' } },
  { title: ':as [:A] names the first', body: '{:Reader? {} :as [:A]} :A', answers: { is: ann } },
  {
    title: ':as [:A :_ :B :& :Rest]',
    body: '{:Book? {:order-by [:Isbn]} :as [:A :_ :& :Rest]} [:A.Isbn :Rest.Isbn]',
    answers: { is: ['b1', 'b3'] },
  },
  {
    title: 'names without an element are null',
    body: '{:Reader {:Email? "ann"} :as [:A :B]} [:A.Name :B]',
    answers: { is: ['Ann', null] },
  },
  {
    title: 'an alias of a create',
    body: '{:Reader {:Email "d" :Name "D"} :as :R} :R',
    answers: { is: tagged('Reader', { Email: 'd', Name: 'D' }) },
  },
  {
    title: 'a reference to an attribute of the event as the result',
    body: ':Ev.A.B',
    given: { A: { B: [1, 'x'] } },
    answers: { is: [1, 'x'] },
  },
  {
    title: 'a quoted map is data, what is unquoted in it is looked at',
    body: '[:eval [:q# {:Lib/Reader {:Email [:uq# :Ev.X] :Name :Y}}]]',
    given: { X: 1 },
    answers: { is: { 'Lib/Reader': { Email: 1, Name: 'Y' } } },
  },
  { title: 'quoted data in an attribute', body: '{:Note {:Text "t" :N [:q# {:a [1 2]}]}}', answers: { is: note('t', { a: [1, 2] }) } },
  { title: 'a docstring is no pattern', body: '"Says hello."\n{:Note {:Text "hello"}}', answers: { is: note('hello') } },
];

export const calls: readonly FormRow[] = [
  {
    title: 'an event as a pattern runs its dataflow',
    body: '{:Double {:N 4}}',
    also: "(event :Double {:N :Int}) (dataflow :Double [:eval '(* 2 :Double.N)])",
    answers: { is: 8 },
  },
  {
    title: 'the result of an event is named',
    body: "{:Double {:N 4} :as :D} [:eval '(+ :D 1)]",
    also: "(event :Double {:N :Int}) (dataflow :Double [:eval '(* 2 :Double.N)])",
    answers: { is: 9 },
  },
  {
    title: 'the attributes of a called event are checked',
    body: '{:Double {:N :Ev.N}}',
    given: { N: 'x' },
    also: "(event :Double {:N :Int}) (dataflow :Double [:eval '(* 2 :Double.N)])",
    answers: { status: 422, has: failure({ code: 'attributes-invalid', errors: [{ attribute: 'N', code: 'type' }] }) },
  },
  {
    title: 'an event where a value is expected is replaced by its result',
    body: '{:Note {:Text "t" :N {:Double {:N 4}}}}',
    also: "(event :Double {:N :Int}) (dataflow :Double [:eval '(* 2 :Double.N)])",
    answers: { is: note('t', 8) },
  },
  {
    title: 'a return ends the dataflow with a value',
    body: '[:return {:Note {:Text "early"}}] {:Note {:Text "late"}}',
    answers: { is: note('early') },
  },
  {
    title: 'a throw ends the dataflow with its text',
    body: '{:Reader {:Email "d" :Name "D"}} [:throw "no luck"]',
    answers: { status: 422, has: failure({ code: 'dataflow-failed', message: 'no luck' }) },
    after: [{ ask: 'GET /api/Lib/Reader/d', status: 404 }],
  },
  {
    title: 'a function of an imported module',
    body: "[:eval '(f/area :Ev.A 3)]",
    also: '(import "f.js" :as :f)',
    files: { 'f.js': 'export const area = (a, b) => a * b;' },
    given: { A: 2 },
    answers: { is: 6 },
  },
  {
    title: 'a function that is waited for',
    body: '{:Note {:Text \'(await (f/later "x"))}}',
    also: '(import "f.js" :as :f)',
    files: { 'f.js': 'export const later = async (t) => t + "!";' },
    answers: { is: note('x!') },
  },
  {
    title: 'the time is local, an identifier is new',
    body: '[:match [:and [:like \'(now) "____-__-__T%"] [:not [:like \'(now) "%Z"]] [:<> \'(uuid) \'(uuid)]] "yes" "no"]',
    answers: { is: 'yes' },
  },
  {
    title: ':eval of an event',
    body: '[:eval {:Double {:N 5}}]',
    also: "(event :Double {:N :Int}) (dataflow :Double [:eval '(* 2 :Double.N)])",
    answers: { is: 10 },
  },
  { title: ':eval with a check that fits', body: '{:Reader {:Email? "ann"} :as [:R]} [:eval :R :check :Lib/Reader]', answers: { is: ann } },
  {
    title: ':eval with a check that does not fit',
    body: '[:eval :Ev.X :check :Lib/Reader]',
    given: { X: 1 },
    answers: { status: 422, has: failure({ code: 'dataflow-failed' }) },
  },
  { title: ':eval … :as', body: "[:eval '(+ 1 2) :as :N] [:eval '(* :N 2)]", answers: { is: 6 } },
  {
    title: ':eval with :throws',
    body: '[:eval :Ev.X :check :Lib/Reader :throws [:error {:Note {:Text "bad"}}]]',
    given: { X: 1 },
    answers: { status: 422, has: failure({ result: { Text: 'bad' } }) },
  },
  ...(
    [
      ["'(+ 1 2 3)", 6],
      ["'(- 10 2 3)", 5],
      ["'(- 4)", -4],
      ["'(- 2.5)", -2.5],
      ["'(* 2 3 4)", 24],
      ["'(/ 9 2)", '4.5'],
      ['\'(str "a" 1 "b")', 'a1b'],
      ["'(= 1 1)", true],
      ["'(not= 1 1)", false],
      ["'(< 1 2)", true],
      ["'(>= 1 2)", false],
      ["'(and (< 1 2) (> 1 2))", false],
      ["'(or (< 1 2) (> 1 2))", true],
      ["'(not (= 1 2))", true],
      ["'(+ 1 (* 2 3))", 7],
      ["'(= '(1 2) [1 2])", true],
      ['\'(- "5")', -5],
      ['\'(+ 1 "2")', 3],
      ['\'(text+ 1 "2")', '12'],
      ['(quote (+ 1 :Ev.N))', 6],
    ] as const
  ).map(([form, is]): FormRow => ({ title: `the quoted call ${form}`, body: `[:eval ${form}]`, given: { N: 5 }, answers: { is } })),
];
