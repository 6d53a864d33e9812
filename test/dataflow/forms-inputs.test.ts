// Wherever a form takes a value, any JSON may come: it is used or refused, and never a fault of the service.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { currentForms } from './forms/current-library.ts';
import { earlierForms } from './forms/earlier-library.ts';

/** `ev.x` in every place where a workflow takes a value. */
const current = [
  ...['=', '!=', '<', '<=', '>', '>=', 'in ', 'like ', 'between '].flatMap((sign) =>
    ['title', 'pages', 'price', 'out', 'due', '__path__'].map((name) => `{Book {${name}?${sign} ev.x}}`),
  ),
  '{Book {pages? between [ev.x, 3]}}',
  '{Book {pages? in [ev.x, 3]}}',
  '{Book? {}, @where(Book.pages == ev.x or Book.title like ev.x or not (Book.price between ev.x))}',
  '{Book? {}, @where(Book.pages + ev.x > 3)}',
  '{Book? {}, @limit(ev.x), @offset(ev.x)}',
  '{Book? {}, @into {n @count(*)}, @groupBy(pages), @limit(ev.x), @where {pages?> ev.x}}',
  '{Loan? {}, @join Book {isbn? ev.x}, @into {n @count(*)}}',
  '{Book {isbn ev.x, title ev.x, pages ev.x, year ev.x, price ev.x, out ev.x, due ev.x}}',
  '{Book {}, @from ev.x}',
  '{Book {isbn "b1"}, @upsert, @from ev.x}',
  '{Book {isbn? "b1"}, @from ev.x}',
  '{Book {isbn? "b1", pages ev.x, price ev.x, due ev.x}}',
  '{Note {text ev.x, n ev.x}}',
  '{Note {}, @from ev.x}',
  '{Shelf {no 9, room "r"}, ShelfBox [{Box {tag ev.x, weight ev.x}}]}',
  '{Shelf {no? 1}, ShelfBox [{Box {tag ev.x}}]}',
  '{Shelf {no? 1}, ShelfBox {Box {tag? ev.x}, @limit(ev.x)}}',
  '{Loan {Reader ev.x, Book ev.x, since ev.x}}',
  '{Loan {Reader? ev.x, Book? ev.x}}',
  '{Friend {from ev.x, to "ann"}}',
  '{BoxTag {Box ev.x, Reader "ann"}}',
  '{BoxTag {Box? ev.x}}',
  'delete {Book {isbn? ev.x}}',
  'delete {Box {__path__? ev.x}}',
  'ev.x @as [a, _, b, __, rest]\n[a, b, rest, a.b.c, rest.a]',
  'for a in ev.x { for b in a { [a, b, b.c] } }',
  'if (ev.x) { 1 } else { ev.x }',
  'throw(ev.x)',
  'throw(ev.x) @catch {error Error.message}',
  'return ev.x',
  '{ev.x {title ev.x}}',
  'ev.x @as b\n{b {title "y"}}',
  '{double {n ev.x}}',
  '{double {}, @from ev.x}',
  '[ev.x + 1, 1 - ev.x, ev.x * ev.x, ev.x / ev.x, -ev.x, not ev.x, ev.x and ev.x, ev.x or ev.x]',
  '[ev.x == ev.x, ev.x < 1, 1 in ev.x, ev.x in ev.x, ev.x like ev.x, ev.x between ev.x, "a" + ev.x, ev.x == {"a": [1]}]',
  ...['addDays', 'addWeeks', 'addMonths', 'diffInDays', 'diffInWeeks', 'formatDate', 'toTimezone'].map(
    (name) => `dateFns.${name}(ev.x, ev.x)`,
  ),
  ...['addDays', 'addMonths', 'formatDate', 'toTimezone'].map((name) => `dateFns.${name}("2024-01-31", ev.x)`),
  ...['startOfWeek', 'endOfWeek', 'startOfMonth', 'endOfMonth', 'getWeek', 'dayName', 'parseDate'].map((name) => `dateFns.${name}(ev.x)`),
  '{"a": ev.x, "b": [ev.x], "c": {Note {text "t", n 1}}}',
];

const earlier = [
  ...[':=', ':<>', ':<', ':>=', ':in', ':like', ':between'].map((sign) => `{:Book {:Pages? [${sign} :Ev.X] :Title? [${sign} :Ev.X]}}`),
  '{:Book {:Pages? [:between :Ev.X 3]}}',
  '{:Book {:Pages? [:or [:= :Ev.X] [:not [:> :Ev.X]]]}}',
  '{:Book? {:where [:or [:= :Pages :Ev.X] [:in :Isbn :Ev.X]] :limit :Ev.X :offset :Ev.X}}',
  '[:query :Ev.X]',
  '{:Book {} :from :Ev.X}',
  '{:Book {:Isbn? "b1"} :from :Ev.X}',
  '{:Book {:Isbn :Ev.X :Title :Ev.X :Pages :Ev.X :Price :Ev.X}}',
  '{:Book {:Isbn "b1" :Title :Ev.X} :upsert true}',
  '[:delete :Book :Ev.X]',
  '[:delete :Book {:Pages :Ev.X}]',
  '{:Box {:Tag "n"} :-> [[:ShelfBox :Ev.X]]}',
  '{:Box {:Tag "n"} :-> [[:ShelfBox :Ev.X :_]]}',
  '{:Box {:Tag :Ev.X} :-> [[:ShelfBox {:Shelf {:No? :Ev.X}}]]}',
  '{:Box? {} :-> [[:ShelfBox? :Ev.X]]}',
  '{:Box? {} :-> [[:ShelfBox? {:Shelf {:No? 1}} :Ev.X]]}',
  '{:Slip {:N 7 :Text "t"} :-> [[:BoxSlip :Ev.X]]}',
  '{:Slip? {} :-> [[:BoxSlip? :Ev.X]]}',
  '{:Reader {:Email? "ann"} :-> [[:Loan :Ev.X]]}',
  '{:Reader {:Email? "ann"} :-> [[{:Loan {:Since :Ev.X}} {:Book {:Isbn? "b3"}}]]}',
  '{:Book? {} :-> [[:Loan? :Ev.X]]}',
  '{:Book? {} :-> [[{:Loan {:Reader? :Ev.X}}]]}',
  '{:Box? :Ev.X}',
  '{:Shelf? :Ev.X}',
  '[:? {:Shelf {:No :Ev.X}} :ShelfBox {:Box {:Tag :Ev.X}} :BoxSlip :Slip]',
  '[:match :Ev.X 1 :Ev.X "a" 2 :Ev.X]',
  '[:match [:between 1 2 :Ev.X] 1 [:in :Ev.X 3] 2 [:like :Ev.X :Ev.X] 3 [:< :Ev.X :Ev.X] 4]',
  '[:for-each :Ev.X {:Note {:Text "t" :N :%.a}}]',
  '[:for-each [:Ev.X :as :A] [:for-each :A :%]]',
  '[:eval :Ev.X]',
  '[:eval :Ev.X :check :Lib/Book]',
  '[:eval :Ev.X :check :Lib/Note]',
  '{:Note {:Text "t" :N [:q# {:a [:uq# :Ev.X]}]}}',
  "[:eval '(+ :Ev.X (* 2 :Ev.X))]",
  "[:eval '(str :Ev.X :Ev.X)]",
  '{:Platform.Kernel.Lang/Response {:HTTP :Ev.X}}',
  '{:Platform.Kernel.Lang/Response {:HTTP {:status :Ev.X :body :Ev.X}}}',
  '{:Platform.Kernel.Lang/Response {:HTTP {:status 400 :body :Ev.X}}}',
  '{:Book {:Isbn? :Ev.X} :throws {:not-found {:Note {:Text "t" :N :Ev.X}} :error {:Note {:Text "t" :N :Error}}}}',
  '[:try {:Book {:Pages? :Ev.X}} :error {:Note {:Text :Error.message :N :Ev.X}} :not-found :Ev.X]',
  '[:throw :Ev.X]',
  ':Ev.X.a.b',
  '{:Ev.X {:Title "y"}}',
];

const words = [
  '',
  'b1',
  'ann',
  'x',
  '1',
  '2024-01-31',
  '2024-02-30',
  'path://Lib$Shelf/1',
  'path://lib$Shelf/1/lib$ShelfBox/lib$Box/x',
  'path://%',
  'path://',
];
const leaf = fc.oneof(
  fc.constantFrom(...words),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
  fc.constantFrom(null, true, false, 0, 1, -1, 2, 1.5, 1e300, -1e-300, 2 ** 53, 599, 200, 1000),
);
const queries = fc.constantFrom<unknown>(
  { from: 'Lib/Book' },
  { from: 'Lib/Book', where: ['like', 'Title'] },
  { from: 'Lib/Book', where: ['=', 'Pages', [1]] },
  { from: 'Lib/Book', where: [], 'order-by': [['Pages', 'up']], limit: -1 },
  { from: 'Lib/Box', where: ['and', ['=', 'Tag', 'x'], 1] },
  { from: 1, where: 2 },
);
const json = fc.oneof(
  leaf,
  queries,
  fc.array(leaf, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('isbn', 'title', 'pages', 'n', 'text', 'a', 'status', 'body', 'Isbn', 'Title', 'Pages', '__path__'), leaf, {
    maxKeys: 4,
  }),
  fc.array(fc.array(leaf, { maxLength: 2 }), { maxLength: 2 }),
  fc.constant([{ isbn: 'b1' }, { a: [{}] }]),
);

describe('any value, in any place, is used or refused', () => {
  test('in workflows', async () => {
    const also = `event double { n Int }
workflow double { double.n * 2 }
relationship BoxTag between(Box, Reader)
${current.map((body, at) => `workflow w${at} {\n${body.replaceAll('ev.', `w${at}.`)}\n}`).join('\n')}`;
    const served = await serve(currentForms.project({ title: '', body: '', also, answers: {} }));
    await fc.assert(
      fc.asyncProperty(json, fc.integer({ min: 0, max: current.length - 1 }), async (x, at) => {
        const answer = await served.post(`/lib/w${at}`, { x });
        expect({ body: current[at], x, answer: answer.status < 500 ? 'fine' : answer.text, failures: served.failures }).toEqual({
          body: current[at],
          x,
          answer: 'fine',
          failures: [],
        });
      }),
      { numRuns: counted({ long: 15_000, short: 500 }) },
    );
  });

  test('in dataflows', async () => {
    const also = earlier.map((body, at) => `(dataflow :W${at} ${body.replaceAll(':Ev.', `:W${at}.`)})`).join('\n');
    const served = await serve(earlierForms.project({ title: '', body: ':Ev.X', also, answers: {} }), { surfaces: ['earlier'] });
    await fc.assert(
      fc.asyncProperty(json, fc.integer({ min: 0, max: earlier.length - 1 }), async (x, at) => {
        const answer = await served.post(`/api/Lib/W${at}`, { [`Lib/W${at}`]: { X: x } });
        // A custom answer may say 5xx itself.
        const fine = answer.status < 500 || (earlier[at] ?? '').includes('Response');
        expect({ body: earlier[at], x, answer: fine ? 'fine' : answer.text, failures: served.failures }).toEqual({
          body: earlier[at],
          x,
          answer: 'fine',
          failures: [],
        });
      }),
      { numRuns: counted({ long: 15_000, short: 500 }) },
    );
  });
});
