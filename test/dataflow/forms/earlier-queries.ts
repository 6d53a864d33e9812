// The forms of dataflows, as scenarios: queries, conditions, columns.

import { ann, b1, b2, b3, b4 } from './earlier-library.ts';
import type { FormRow } from './form.ts';

export const queries: readonly FormRow[] = [
  { title: '`{:E? {}}` gives all instances', body: '{:Book? {}}', answers: { is: [b1, b2, b3, b4] } },
  { title: '`:E?` gives all instances', body: ':Book?', answers: { is: [b1, b2, b3, b4] } },
  { title: '`:C/E?` gives all instances', body: ':Lib/Book?', answers: { is: [b1, b2, b3, b4] } },
  { title: 'a literal is equality', body: '{:Book {:Pages? 200}}', answers: { is: [b2, b4] } },
  { title: '`:=`', body: '{:Book {:Pages? [:= 200]}}', answers: { is: [b2, b4] } },
  { title: '`:<>`, also of what is absent', body: '{:Book {:Year? [:<> 2000]}}', answers: { is: [b1, b3, b4] } },
  { title: '`:<`', body: '{:Book {:Pages? [:< 200]}}', answers: { is: [b1] } },
  { title: '`:<=`', body: '{:Book {:Pages? [:<= 200]}}', answers: { is: [b1, b2, b4] } },
  { title: '`:>`', body: '{:Book {:Pages? [:> 200]}}', answers: { is: [b3] } },
  { title: '`:>=`', body: '{:Book {:Pages? [:>= 200]}}', answers: { is: [b2, b3, b4] } },
  { title: '`:like` knows `%`', body: '{:Book {:Title? [:like "%nts"]}}', answers: { is: [b1, b4] } },
  {
    title: '`:like` with a prefix of the event',
    body: '{:Book {:Title? [:like :Ev.Start]}}',
    given: { Start: 'B%' },
    answers: { is: [b2] },
  },
  { title: '`:like` knows `_`', body: '{:Book {:Title? [:like "_unts"]}}', answers: { is: [b4] } },
  { title: '`:in`', body: '{:Book {:Isbn? [:in ["b1" "b4"]]}}', answers: { is: [b1, b4] } },
  { title: '`:in` a list of the event', body: '{:Book {:Isbn? [:in :Ev.List]}}', given: { List: ['b3', 'zz'] }, answers: { is: [b3] } },
  { title: '`:in` a list that the event does not have is nothing', body: '{:Book {:Price? [:in :Ev.List]}}', answers: { is: [] } },
  { title: '`:between` includes both bounds', body: '{:Book {:Pages? [:between 100 200]}}', answers: { is: [b1, b2, b4] } },
  {
    title: '`:between` values of the event',
    body: '{:Book {:Pages? [:between :Ev.A :Ev.B]}}',
    given: { A: 250, B: 300 },
    answers: { is: [b3] },
  },
  { title: '`:and`', body: '{:Book {:Pages? [:and [:> 100] [:< 300]]}}', answers: { is: [b2, b4] } },
  { title: '`:or`', body: '{:Book {:Pages? [:or [:= 100] [:> 250]]}}', answers: { is: [b1, b3] } },
  { title: '`:not`', body: '{:Book {:Pages? [:not [:= 200]]}}', answers: { is: [b1, b3] } },
  { title: '`:and` in `:or`', body: '{:Book {:Pages? [:or [:= 100] [:and [:> 200] [:< 400]]]}}', answers: { is: [b1, b3] } },
  { title: 'all `?` keys hold together', body: '{:Book {:Pages? 200 :Out? true}}', answers: { is: [b2] } },
  { title: 'a reference to the event', body: '{:Book {:Isbn? :Ev.Isbn}}', given: { Isbn: 'b3' }, answers: { is: [b3] } },
  {
    title: 'a reference to the event by its qualified name',
    body: '{:Book {:Isbn? :Lib/Ev.Isbn}}',
    given: { Isbn: 'b3' },
    answers: { is: [b3] },
  },
  { title: 'a nested attribute of the event', body: '{:Book {:Isbn? :Ev.A.B}}', given: { A: { B: 'b3' } }, answers: { is: [b3] } },
  { title: 'a reference to an alias', body: '{:Book {:Isbn? "b2"} :as [:B]} {:Book {:Pages? :B.Pages}}', answers: { is: [b2, b4] } },
  {
    title: 'a reference to the last instance of a type',
    body: '{:Reader {:Email? "bob"}} {:Book {:Isbn? "b2"}} {:Loan {:Book? :Book.Isbn :Reader? :Lib/Reader.Email}}',
    answers: { has: [{ Reader: 'bob', Book: 'b2' }] },
  },
  { title: 'a quoted call', body: "{:Book {:Pages? '(* 100 :Ev.N)}}", given: { N: 3 }, answers: { is: [b3] } },
  { title: 'nil asks for what is absent', body: '{:Book {:Year? nil}}', answers: { is: [b3] } },
  { title: 'nothing found is an empty list', body: '{:Book {:Isbn? "none"}}', answers: { is: [] } },
  {
    title: 'a value that can never fit finds nothing',
    body: '{:Book {:Pages? :Ev.N}}',
    given: { N: 'x' },
    answers: { is: [] },
  },
  { title: '`:query` around a pattern', body: '[:query {:Book? {:where [:= :Pages 300]}} :as :Q] :Q', answers: { is: [b3] } },
  {
    title: '`:query` of an object of the event',
    body: '[:query :Ev.Q]',
    given: { Q: { from: 'Lib/Book', where: ['or', ['=', 'Pages', 300], ['like', 'Title', 'A%']], 'order-by': ['Pages'] } },
    answers: { is: [b1, b3] },
  },
];

export const conditions: readonly FormRow[] = [
  { title: '`:where`', body: '{:Book? {:where [:= :Pages 300]}}', answers: { is: [b3] } },
  { title: '`:where` with `:and`', body: '{:Book? {:where [:and [:= :Pages 200] [:= :Out true]]}}', answers: { is: [b2] } },
  { title: '`:where` with `:or`', body: '{:Book? {:where [:or [:= :Pages 100] [:= :Pages 300]]}}', answers: { is: [b1, b3] } },
  { title: '`:where` with `:not`', body: '{:Book? {:where [:not [:= :Pages 200]]}}', answers: { is: [b1, b3] } },
  { title: '`:where` with `:in`', body: '{:Book? {:where [:in :Isbn ["b1" "b2"]]}}', answers: { is: [b1, b2] } },
  {
    title: '`:where` with `:in` of two names, the column first',
    body: '{:Book? {:where [:in :Isbn :Ev.L]}}',
    given: { L: ['b1', 'b2'] },
    answers: { is: [b1, b2] },
  },
  {
    title: '`:where` with `:in` of two names, the list first',
    body: '{:Book? {:where [:in :Ev.L :Isbn]}}',
    given: { L: ['b1', 'b2'] },
    answers: { is: [b1, b2] },
  },
  {
    title: '`:where` with `:between` of a value and two columns',
    body: '{:Book? {:where [:between :Ev.X :Pages :Year]}}',
    given: { X: 250 },
    answers: { is: [b1, b2, b4] },
  },
  {
    title: '`:where` with `:between` of the event, the column last',
    body: '{:Book? {:where [:between :Ev.A :Ev.B :Pages]}}',
    given: { A: 150, B: 250 },
    answers: { is: [b2, b4] },
  },
  {
    title: '`:where` inside of a record, by the name of the attribute alone and with its type',
    also: '(record :Flat {:Fee :Int}) (entity :Res {:Id {:type :Int :guid true} :Home :Flat})',
    body: '{:Res {:Id 1 :Home {:Fee 1}}} {:Res {:Id 2 :Home {:Fee 2}}} {:Res? {:where [:and [:> :Home.Fee 1] [:> :Res.Home.Fee 1]]}}',
    answers: { has: [{ Id: 2 }] },
  },
  { title: '`:where` with `:like`', body: '{:Book? {:where [:like :Title "C%"]}}', answers: { is: [b3] } },
  { title: '`:where` with `:between`', body: '{:Book? {:where [:between :Pages 150 250]}}', answers: { is: [b2, b4] } },
  {
    title: '`:where` with `:between` of the event',
    body: '{:Book? {:where [:between :Pages :Ev.A :Ev.B]}}',
    given: { A: 150, B: 250 },
    answers: { is: [b2, b4] },
  },
  { title: '`:where` with `:<>`', body: '{:Book? {:where [:<> :Year 2000]}}', answers: { is: [b1, b3, b4] } },
  {
    title: '`:where` with a value of the event',
    body: '{:Book? {:where [:>= :Pages :Lib/Ev.Min]}}',
    given: { Min: 300 },
    answers: { is: [b3] },
  },
  {
    title: '`:where` with a value of an alias',
    body: '{:Book {:Isbn? "b2"} :as [:B]} {:Book? {:where [:> :Pages :B.Pages]}}',
    answers: { is: [b3] },
  },
  { title: '`:order-by` a column', body: '{:Book? {:order-by [:Title]}}', answers: { is: [b1, b2, b3, b4] } },
  {
    title: '`:order-by` descending equals ascending reversed',
    body: '{:Book? {:order-by [[:Pages :desc] [:Isbn :desc]]}}',
    answers: { is: [b3, b4, b2, b1] },
  },
  { title: '`:order-by` with mixed directions', body: '{:Book? {:order-by [[:Pages :desc] :Isbn]}}', answers: { is: [b3, b2, b4, b1] } },
  { title: '`:limit`', body: '{:Book? {:limit 2}}', answers: { is: [b1, b2] } },
  { title: '`:offset`', body: '{:Book? {:order-by [:Isbn] :limit 2 :offset 1}}', answers: { is: [b2, b3] } },
  { title: '`:limit` and `:offset` of the event', body: '{:Book? {:limit :Ev.N :offset :Ev.N}}', given: { N: 1 }, answers: { is: [b2] } },
  { title: '`:where` beside the attributes', body: '{:Book {:Pages? 200} :where [:= :Out true]}', answers: { is: [b2] } },
];

export const columns: readonly FormRow[] = [
  {
    title: 'aggregates stand under their names',
    body: '{:Book? {:where [:> :Pages 100] :count :* :sum :Pages :avg :Pages :max :Pages :min :Pages}}',
    answers: { is: [{ count: 3, sum: 700, avg: '233.3333333333333333333333333333333', max: 300, min: 200 }] },
  },
  { title: '`:count` of an attribute counts what is there', body: '{:Book? {:count :Year}}', answers: { is: [{ count: 3 }] } },
  {
    title: 'aggregates of nothing',
    body: '{:Book? {:where [:> :Pages 900] :count :* :sum :Pages}}',
    answers: { is: [{ count: 0, sum: null }] },
  },
  {
    title: '`:group-by` rows carry their columns',
    body: '{:Book? {:count :* :group-by [:Pages] :order-by [:Pages]}}',
    answers: {
      is: [
        { Pages: 100, count: 1 },
        { Pages: 200, count: 2 },
        { Pages: 300, count: 1 },
      ],
    },
  },
  {
    title: '`:with-attributes` chooses columns',
    body: '{:Book? {:where [:= :Pages 200]} :with-attributes {:Name :Lib/Book.Title}}',
    answers: { is: [{ Name: 'Bees' }, { Name: 'Áunts' }] },
  },
  {
    title: '`:join`',
    body: '{:Loan? {} :join [{:Book {:Isbn? :Lib/Loan.Book}}] :with-attributes {:Who :Lib/Loan.Reader :What :Lib/Book.Title}}',
    answers: {
      is: [
        { Who: 'ann', What: 'Ants' },
        { Who: 'ann', What: 'Bees' },
        { Who: 'bob', What: 'Bees' },
      ],
    },
  },
  {
    title: '`:join` with unqualified names',
    body: '{:Loan? {} :join [{:Book {:Isbn? :Loan.Book}}] :with-attributes {:What :Book.Title}}',
    answers: { is: [{ What: 'Ants' }, { What: 'Bees' }, { What: 'Bees' }] },
  },
  {
    title: '`:join` with a `:where`',
    body: '{:Loan? {:where [:= :Reader "ann"]} :join [{:Book {:Isbn? :Lib/Loan.Book}}] :with-attributes {:What :Lib/Book.Title}}',
    answers: { is: [{ What: 'Ants' }, { What: 'Bees' }] },
  },
  {
    title: '`:join` without columns gives the main type',
    body: '{:Reader? {} :join [{:Loan {:Reader? :Lib/Reader.Email :Since? "may"}}]}',
    answers: { is: [ann] },
  },
  {
    title: '`:left-join` keeps what has no partner',
    body: '{:Reader? {:order-by [:Email]} :left-join [{:Loan {:Reader? :Lib/Reader.Email}}] :with-attributes {:Who :Lib/Reader.Email :What :Lib/Loan.Book}}',
    answers: { has: [{ Who: 'ann' }, { Who: 'ann' }, { Who: 'bob', What: 'b2' }, { Who: 'cyd', What: null }] },
  },
  {
    title: '`:right-join` keeps what has no partner on the other side',
    body: '{:Loan? {} :right-join [{:Book {:Isbn? :Lib/Loan.Book}}] :with-attributes {:Isbn :Lib/Book.Isbn :Who :Lib/Loan.Reader} :where [:= :Lib/Book.Pages 300]}',
    answers: { is: [{ Isbn: 'b3', Who: null }] },
  },
  {
    title: '`:full-join` keeps both',
    body: '{:Book {:Isbn? "b1"} :full-join [{:Reader {:Name? :Lib/Book.Title}}] :with-attributes {:Isbn :Lib/Book.Isbn :Who :Lib/Reader.Email}}',
    answers: { is: [{ Isbn: 'b1', Who: null }] },
  },
  {
    title: '`:full-join` by an attribute that is computed keeps both',
    body: '{:Row? {} :full-join [{:Book {:Pages? :Lib/Row.Hundreds}}] :with-attributes {:Shelf :Lib/Row.No :Isbn :Lib/Book.Isbn}}',
    answers: {
      is: [
        { Shelf: null, Isbn: 'b3' },
        { Shelf: 1, Isbn: 'b1' },
        { Shelf: 2, Isbn: 'b2' },
        { Shelf: 2, Isbn: 'b4' },
      ],
    },
  },
  {
    title: '`:full-join` with an inequality alone',
    body: '{:Book {:Isbn? "b1"} :full-join [{:Reader {:Name? [:< :Lib/Book.Title]}}] :with-attributes {:Isbn :Lib/Book.Isbn :Who :Lib/Reader.Email}}',
    answers: { is: [{ Isbn: 'b1', Who: 'ann' }] },
  },
  {
    title: '`:distinct`',
    body: '{:Book? {:order-by [:Pages]} :distinct true :with-attributes {:Pages :Lib/Book.Pages}}',
    answers: { is: [{ Pages: 100 }, { Pages: 200 }, { Pages: 300 }] },
  },
  {
    title: '`:where` as a map reads as attributes do',
    body: '{:Book? {:where {:Pages? [:>= 200] :Out? false}}}',
    answers: { is: [b3, b4] },
  },
  {
    title: 'two joins',
    body: '{:Loan? {} :join [{:Book {:Isbn? :Lib/Loan.Book}} {:Reader {:Email? :Lib/Loan.Reader}}] :with-attributes {:Who :Lib/Reader.Name :What :Lib/Book.Title}}',
    answers: {
      is: [
        { Who: 'Ann', What: 'Ants' },
        { Who: 'Ann', What: 'Bees' },
        { Who: 'Bob', What: 'Bees' },
      ],
    },
  },
  {
    title: 'an aggregate over a join',
    body: '{:Loan? {:group-by [:Reader] :order-by [:Reader]} :join [{:Book {:Isbn? :Lib/Loan.Book}}] :with-attributes {:Total [:sum :Lib/Book.Pages]}}',
    answers: {
      is: [
        { Reader: 'ann', Total: 300 },
        { Reader: 'bob', Total: 200 },
      ],
    },
  },
];
