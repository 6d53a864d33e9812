// The forms of workflows, as scenarios: queries, conditions, order and limits.

import { b1, b2, b3, b4 } from './current-library.ts';
import type { FormRow } from './form.ts';

export const queries: readonly FormRow[] = [
  { title: 'a query without conditions gives all instances', body: '{Book? {}}', answers: { is: [b1, b2, b3, b4] } },
  { title: 'so does one with the qualified name', body: '{lib/Book? {}}', answers: { is: [b1, b2, b3, b4] } },
  { title: '`?` alone is equality', body: '{Book {pages? 200}}', answers: { is: [b2, b4] } },
  { title: '`?=` is equality', body: '{Book {pages?= 200}}', answers: { is: [b2, b4] } },
  { title: '`?==` is equality', body: '{Book {pages?== 200}}', answers: { is: [b2, b4] } },
  { title: '`?!=` is inequality, also of what is absent', body: '{Book {year?!= 2000}}', answers: { is: [b1, b3, b4] } },
  { title: '`?<>` is inequality', body: '{Book {pages?<> 200}}', answers: { is: [b1, b3] } },
  { title: '`?<`', body: '{Book {pages?< 200}}', answers: { is: [b1] } },
  { title: '`?<=`', body: '{Book {pages?<= 200}}', answers: { is: [b1, b2, b4] } },
  { title: '`?>`', body: '{Book {pages?> 200}}', answers: { is: [b3] } },
  { title: '`?>=`', body: '{Book {pages?>= 200}}', answers: { is: [b2, b3, b4] } },
  { title: '`?in` a list', body: '{Book {isbn?in ["b3", "b1", "zz"]}}', answers: { is: [b1, b3] } },
  { title: '`?in` a list that the event does not have is nothing', body: '{Book {price?in ev.list}}', answers: { is: [] } },
  { title: '`?in` a list that holds nothing', body: '{Book {price?in [null]}}', answers: { is: [b4] } },
  { title: '`? in` a list of the event', body: '{Book {isbn? in ev.list}}', given: { list: ['b4'] }, answers: { is: [b4] } },
  { title: '`?like` knows `%`', body: '{Book {title?like "%nts"}}', answers: { is: [b1, b4] } },
  { title: '`?like` knows `_`, which is one character', body: '{Book {title?like "_unts"}}', answers: { is: [b4] } },
  { title: '`?like` tells case apart', body: '{Book {title?like "a%"}}', answers: { is: [] } },
  { title: '`?between` includes both bounds', body: '{Book {pages?between [100, 200]}}', answers: { is: [b1, b2, b4] } },
  {
    title: '`? between` bounds of the event',
    body: '{Book {year? between [ev.from, 2005]}}',
    given: { from: 1995 },
    answers: { is: [b2] },
  },
  { title: 'conditions are joined by and', body: '{Book {pages? 200, out? true}}', answers: { is: [b2] } },
  { title: 'two conditions on one attribute hold together', body: '{Book {pages?> 100, pages?< 300}}', answers: { is: [b2, b4] } },
  { title: 'booleans are compared', body: '{Book {out? false}}', answers: { is: [b1, b3, b4] } },
  { title: 'dates are compared as dates', body: '{Book {due?> "2024-05-15"}}', answers: { is: [b3] } },
  { title: 'decimals are compared by value, not as texts', body: '{Book {price?> 20}}', answers: { is: [b3] } },
  { title: 'null asks for what is absent', body: '{Book {year? null}}', answers: { is: [b3] } },
  { title: 'not null asks for what is there', body: '{Book {price?!= null}}', answers: { is: [b1, b2, b3] } },
  { title: 'an attribute that the event lacks is null', body: '{Book {year? ev.none}}', answers: { is: [b3] } },
  { title: 'a column is compared with another', body: '{Book {year?> Book.pages}}', answers: { is: [b1, b2, b4] } },
  { title: 'a column is compared with a calculation', body: '{Book {year? Book.pages * 10}}', answers: { is: [b2] } },
  { title: 'a value may be calculated', body: '{Book {pages? 100 + ev.n * 2}}', given: { n: 50 }, answers: { is: [b2, b4] } },
  {
    title: 'a value may come from an earlier result',
    body: '{Book {isbn? "b2"}} @as [b]\n{Book {pages? b.pages}}',
    answers: { is: [b2, b4] },
  },
  {
    title: 'the name of a type stands for its last instance',
    body: '{Book {isbn? "b2"}}\n{Book {pages?< Book.pages}}',
    answers: { has: [{ isbn: 'b1' }] },
  },
  { title: 'nothing found is an empty list', body: '{Book {isbn? "none"}}', answers: { is: [] } },
  ...(
    [
      ['tags? ev.x', ['a', 'b'], [1]],
      ['tags? ev.x', ['b', 'a'], []],
      ['tags?!= ev.x', ['a', 'b'], [2, 3]],
      ['data? ev.x', { k: [1, null] }, [2]],
      ['data? ev.x', 'text', []],
      ['any? ev.x', { k: 1 }, [3]],
      ['any? ev.x', 7, [1]],
      ['any? ev.x', null, [2]],
      ['any? null', 0, [2]],
      ['any?!= null', 0, [1, 3]],
      ['any?in ev.x', [7, { k: 1 }], [1, 3]],
      ['part? ev.x', { text: 't', n: null }, [1]],
    ] as const
  ).map(
    ([condition, x, ids]): FormRow => ({
      title: `lists, maps and records are compared as wholes: ${condition} ${JSON.stringify(x)}`,
      also: 'entity Thing { id Int @id, tags String[] @optional, data Map @optional, any Any @optional, part Note @optional }',
      body: `{Thing {id 1, tags ["a", "b"], any 7, part {"text": "t"}}}
{Thing {id 2, data {"k": [1, null]}}}
{Thing {id 3, any {"k": 1}}}
for t in {Thing {${condition}}} { t.id }`,
      given: { x },
      answers: { is: ids },
    }),
  ),
  {
    title: 'a value that can never fit finds nothing',
    body: '{Book {pages? ev.n}}',
    given: { n: 'x' },
    answers: { is: [] },
  },
  {
    title: 'a map where one value is expected finds nothing',
    body: '{Book {pages? ev.n}}',
    given: { n: { a: 1 } },
    answers: { is: [] },
  },
];

export const conditions: readonly FormRow[] = [
  { title: '@where with `or`', body: '{Book? {}, @where(Book.pages == 100 or Book.pages == 300)}', answers: { is: [b1, b3] } },
  {
    title: '@where with `and` binding tighter than `or`',
    body: '{Book? {}, @where(Book.pages == 100 or Book.pages == 200 and Book.out == true)}',
    answers: { is: [b1, b2] },
  },
  { title: '@where with `not`', body: '{Book? {}, @where(not (Book.pages == 200))}', answers: { is: [b1, b3] } },
  { title: '@where with `not` of what is absent', body: '{Book? {}, @where(not (Book.year > 1995))}', answers: { is: [b1, b3] } },
  { title: '@where with `in`', body: '{Book? {}, @where(Book.isbn in ["b1", "b4"])}', answers: { is: [b1, b4] } },
  { title: '@where with `not … in`', body: '{Book? {}, @where(not (Book.isbn in ["b1", "b4"]))}', answers: { is: [b2, b3] } },
  {
    title: '@where with `like`',
    body: '{Book? {}, @where(Book.title like "%s" and not (Book.title like "%nts"))}',
    answers: { is: [b2, b3] },
  },
  { title: '@where with `between`', body: '{Book? {}, @where(Book.pages between [150, 250])}', answers: { is: [b2, b4] } },
  { title: '@where with the value first', body: '{Book? {}, @where(150 < Book.pages)}', answers: { is: [b2, b3, b4] } },
  { title: '@where with a calculation on a column', body: '{Book? {}, @where(Book.pages * 2 == 200)}', answers: { is: [b1] } },
  { title: '@where with a value of the event', body: '{Book? {}, @where(Book.pages >= ev.n)}', given: { n: 300 }, answers: { is: [b3] } },
  { title: '@where without a column decides for all', body: '{Book? {}, @where(ev.n == 1)}', given: { n: 2 }, answers: { is: [] } },
  {
    title: '@where in braces reads as attributes do',
    body: '{Book? {}, @where {pages?>= 200, Book.out? false}}',
    answers: { is: [b3, b4] },
  },
  {
    title: '@where beside conditions on attributes',
    body: '{Book {pages? 200}, @where(Book.out == true or Book.year == null)}',
    answers: { is: [b2] },
  },
];

export const pages: readonly FormRow[] = [
  { title: '@orderBy ascends', body: '{Book? {}, @orderBy(pages, isbn)}', answers: { is: [b1, b2, b4, b3] } },
  { title: '@orderBy … @asc ascends', body: '{Book? {}, @orderBy(pages, isbn) @asc}', answers: { is: [b1, b2, b4, b3] } },
  { title: '@orderBy … @desc descends in all columns', body: '{Book? {}, @orderBy(pages, isbn) @desc}', answers: { is: [b3, b4, b2, b1] } },
  {
    title: '@orderBy with a direction for each column',
    body: '{Book? {}, @orderBy(pages @desc, isbn)}',
    answers: { is: [b3, b2, b4, b1] },
  },
  { title: '@orderBy puts absent values first', body: '{Book? {}, @orderBy(year)}', answers: { is: [b3, b1, b2, b4] } },
  { title: '@orderBy sorts decimals by value', body: '{Book? {}, @orderBy(price) @desc, @limit(2)}', answers: { is: [b3, b2] } },
  { title: '@orderBy sorts text by code point', body: '{Book? {}, @orderBy(title)}', answers: { is: [b1, b2, b3, b4] } },
  { title: '@limit', body: '{Book? {}, @limit(2)}', answers: { is: [b1, b2] } },
  { title: '@limit of zero', body: '{Book? {}, @limit(0)}', answers: { is: [] } },
  { title: '@offset', body: '{Book? {}, @offset(3)}', answers: { is: [b4] } },
  {
    title: '@limit and @offset may be calculated',
    body: '{Book? {}, @limit(ev.size), @offset(ev.size * ev.page)}',
    given: { size: 1, page: 2 },
    answers: { is: [b3] },
  },
  {
    title: 'a limit that is no number is told',
    body: '{Book? {}, @limit(ev.size)}',
    given: { size: 'x' },
    answers: { status: 422, code: 'dataflow-failed' },
  },
  {
    title: 'a negative offset is told',
    body: '{Book? {}, @offset(ev.n)}',
    given: { n: -1 },
    answers: { status: 422, code: 'dataflow-failed' },
  },
];
