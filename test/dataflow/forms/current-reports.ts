// The forms of workflows, as scenarios: calls, functions, dates, and columns of reports.

import type { FormRow } from './form.ts';

export const calls: readonly FormRow[] = [
  {
    title: 'a pattern of an event runs it and gives its result',
    body: '{double {n 4}} @as d\nd + 1',
    also: 'event double { n Int }\nworkflow double { double.n * 2 }',
    answers: { is: 9 },
  },
  {
    title: 'the attributes of a called event are checked',
    body: '{double {n ev.n}}',
    given: { n: 'x' },
    also: 'event double { n Int }\nworkflow double { double.n * 2 }',
    answers: { status: 422, faults: ['n type'] },
  },
  {
    title: 'a called event may take a map',
    body: '{double {}, @from ev.data}',
    also: 'event double { n Int }\nworkflow double { double.n * 2 }',
    given: { data: { n: 3 } },
    answers: { is: 6 },
  },
  {
    title: 'a return in a called event ends that event alone',
    body: '{early {}} @as e\ne + " and late"',
    also: 'workflow early { return "early"\n"never" }',
    answers: { is: 'early and late' },
  },
  {
    title: 'names of the called are not those of the caller',
    body: '1 @as n\n{other {}}\nn',
    also: 'workflow other { 2 @as n }',
    answers: { is: 1 },
  },
  {
    title: 'an event where a value is expected',
    body: '{Note {text {word {}}}}',
    also: 'workflow word { "w" }',
    answers: { is: { text: 'w', n: null } },
  },
  {
    title: 'an imported function',
    body: 'f.area(ev.a, 3)',
    also: '',
    given: { a: 2 },
    files: { 'f.js': 'export const area = (a, b) => a * b;' },
    answers: { is: 6 },
  },
  {
    title: 'an imported function in TypeScript',
    body: 'f.area(ev.a, 3)',
    given: { a: 2 },
    files: { 'f.ts': 'export function area(a: number, b: number): number { return a * b; }' },
    answers: { is: 6 },
  },
  {
    title: 'an imported function that is waited for',
    body: '{Note {text await f.later("x"), n 1 + await f.two()}}',
    files: { 'f.js': 'export const later = async (t) => t + "!"; export const two = () => Promise.resolve(2);' },
    answers: { is: { text: 'x!', n: 3 } },
  },
  {
    title: 'what a function throws is the author’s text',
    body: '{Reader {email "d", name "D"}}\nf.fails()',
    files: { 'f.js': 'export const fails = () => { throw new Error("no luck"); };' },
    answers: { status: 422, code: 'dataflow-failed', has: { detail: 'no luck' } },
    after: [{ ask: 'GET /lib/Reader/d', status: 404 }],
  },
  {
    title: 'a function gets instances as plain objects',
    body: '{Book {isbn? "b1"}} @as [b]\nf.keys(b)',
    files: { 'f.js': 'export const keys = (b) => [b.isbn, b.price, Object.keys(b).length];' },
    answers: { is: ['b1', '9.90', 7] },
  },
  {
    title: 'now() and uuid()',
    body: '[now(), uuid()] @as [n, u]\n[n like "____-__-__T%Z", u like "________-____-7___-%", uuid() == uuid()]',
    answers: { is: [true, true, false] },
  },
];

export const dates: readonly FormRow[] = [
  ['addDays("2024-02-28", 2)', '2024-03-01'],
  ['addDays("2024-03-01T10:00:00Z", -1)', '2024-02-29T10:00:00.000Z'],
  ['addWeeks("2024-02-26", 1)', '2024-03-04'],
  ['addMonths("2024-01-31", 1)', '2024-02-29'],
  ['addMonths("2024-01-15", -13)', '2022-12-15'],
  ['startOfWeek("2024-03-06")', '2024-03-04'],
  ['endOfWeek("2024-03-06")', '2024-03-10'],
  ['startOfMonth("2024-02-15")', '2024-02-01'],
  ['endOfMonth("2024-02-15")', '2024-02-29'],
  ['getWeek("2024-12-30")', 1],
  ['dayName("2024-02-29")', 'Thursday'],
  ['formatDate("2024-03-05T07:08:09Z", "dd.MM.yyyy HH:mm:ss")', '05.03.2024 07:08:09'],
  ['formatDate("2024-03-05", "EEEE, d MMMM yyyy")', 'Tuesday, 5 March 2024'],
  ['formatDate("2024-03-05T07:08:09Z", "M/d/yy H:mm")', '3/5/24 7:08'],
  ['parseDate("2024-03-05")', '2024-03-05T00:00:00.000Z'],
  ['diffInDays("2024-03-01", "2024-02-28")', 2],
  ['diffInDays("2024-02-28", "2024-03-01")', -2],
  ['diffInWeeks("2024-03-01", "2024-02-01")', 4],
  ['toTimezone("2024-03-05T12:00:00Z", "Asia/Tokyo")', '2024-03-05T21:00:00'],
  ['parseDate("5.3.24", "d.M.yy")', '2024-03-05T00:00:00.000Z'],
  ['parseDate("Tue 05 Mar 2024 7:08", "EEE dd MMM yyyy H:mm")', '2024-03-05T07:08:00.000Z'],
  ['formatDate("2024-03-05", "ddMMyy")', '050324'],
  ['formatDate("0005-03-05", "yyyy yy")', '0005 05'],
  ['formatDate("2024-03-05T07:08:09.5Z", "yyyy-MM-ddTHH:mm:ss.SSS Monday")', '2024-03-05T07:08:09.500 Monday'],
  ['addMonths("0050-01-31", 1)', '0050-02-28'],
  ['addDays("2024-03-01T10:00:00.123456789Z", 1)', '2024-03-02T10:00:00.123456789Z'],
  ['addDays("2024-03-01T10:00:00", 1)', '2024-03-02T10:00:00.000'],
  ['endOfMonth("2024-02-15T10:00:00.5+01:00")', '2024-02-29T23:59:59.999Z'],
  ['diffInDays("2024-03-02T00:00:00.5Z", "2024-03-01T00:00:00.500000001Z")', 0],
  ['toTimezone("2024-03-05T12:00:00.25Z", "Asia/Kathmandu")', '2024-03-05T17:45:00.25'],
  ['addDays(ev.none, 2)', null],
  ['diffInDays(dateFns.addDays(dateFns.today(), 3), dateFns.today())', 3],
].map(([call, is]) => ({ title: `dateFns.${call}`, body: `dateFns.${call}`, answers: { is } }));

export const refusedDates: readonly FormRow[] = [
  'addDays("soon", 2)',
  'addDays("2023-02-29", 1)',
  'dayName("2024-04-31")',
  'getWeek("2024-13-01")',
  'formatDate("2024-01-01T24:00:00Z", "HH")',
  'parseDate("0000-01-01")',
  'parseDate("31.04.2024", "dd.MM.yyyy")',
  'parseDate("Mon 05 Mar 2024", "EEE dd MMM yyyy")',
  'parseDate("0505", "dddd")',
  'addDays("9999-12-31", 1)',
  'addMonths("0001-01-31", -1)',
  'endOfWeek("9999-12-31")',
  'addDays("2024-01-01", 0.5)',
  'addDays("2024-01-01", "1")',
  'addDays("0001-01-01T00:00:00+02:00", 0)',
  'toTimezone("0001-01-01T00:00:00Z", "America/New_York")',
  'toTimezone("2024-01-01", "Nowhere/Else")',
].map((call) => ({
  title: `dateFns.${call} is refused`,
  body: `dateFns.${call}`,
  answers: { status: 422, code: 'dataflow-failed' },
}));

export const reports: readonly FormRow[] = [
  { title: '@count in place of a value', body: '{Book {n? @count(isbn)}}', answers: { is: [{ n: 4 }] } },
  { title: '@count counts what is there', body: '{Book {n? @count(year)}}', answers: { is: [{ n: 3 }] } },
  {
    title: 'aggregates with conditions',
    body: '{Book {pages?> 100}, @into {n @count(*), s @sum(pages), a @avg(pages), lo @min(pages), hi @max(pages)}}',
    answers: { is: [{ n: 3, s: 700, a: '233.3333333333333333333333333333333', lo: 200, hi: 300 }] },
  },
  {
    title: 'aggregates of decimals are exact',
    body: '{Book? {}, @into {s @sum(price), hi @max(price)}}',
    answers: { is: [{ s: '129.80', hi: '100' }] },
  },
  {
    title: 'aggregates of nothing',
    body: '{Book {isbn? "none"}, @into {n @count(*), s @sum(pages), hi @max(title)}}',
    answers: { is: [{ n: 0, s: null, hi: null }] },
  },
  {
    title: '@groupBy gives a row for each group, with its columns',
    body: '{Book? {}, @into {n @count(*)}, @groupBy(pages), @orderBy(pages)}',
    answers: {
      is: [
        { pages: 100, n: 1 },
        { pages: 200, n: 2 },
        { pages: 300, n: 1 },
      ],
    },
  },
  {
    title: '@groupBy with a column of another name',
    body: '{Book? {}, @into {size Book.pages, n @count(*)}, @groupBy(Book.pages), @orderBy(n @desc, size)}',
    answers: {
      is: [
        { size: 200, n: 2 },
        { size: 100, n: 1 },
        { size: 300, n: 1 },
      ],
    },
  },
  {
    title: '@groupBy with a limit',
    body: '{Book? {}, @into {n @count(*)}, @groupBy(pages), @orderBy(pages) @desc, @limit(1), @offset(1)}',
    answers: { is: [{ pages: 200, n: 2 }] },
  },
  {
    title: '@into chooses columns',
    body: '{Book {pages? 200}, @into {name Book.title, p Book.pages}, @orderBy(name)}',
    answers: {
      is: [
        { name: 'Bees', p: 200 },
        { name: 'Áunts', p: 200 },
      ],
    },
  },
  {
    title: '@where may compute with columns, over groups too',
    body: '{Book? {}, @into {n @count(*)}, @where(Book.pages * 2 > ev.n and not (Book.year == null)), @groupBy(pages)}',
    given: { n: 200 },
    answers: { is: [{ pages: 200, n: 2 }] },
  },
  {
    title: '@distinct',
    body: '{Book? {}, @into {pages Book.pages}, @distinct, @orderBy(pages)}',
    answers: { is: [{ pages: 100 }, { pages: 200 }, { pages: 300 }] },
  },
  {
    title: '@join',
    body: '{Loan? {}, @join Book {isbn? Loan.Book}, @into {who Loan.Reader, what Book.title}, @orderBy(who, what)}',
    answers: {
      is: [
        { who: 'ann', what: 'Ants' },
        { who: 'ann', what: 'Bees' },
        { who: 'bob', what: 'Bees' },
      ],
    },
  },
  {
    title: '@inner_join is @join',
    body: '{Loan? {}, @inner_join Book {isbn? Loan.Book}, @into {n @count(*)}}',
    answers: { is: [{ n: 3 }] },
  },
  {
    title: '@left_join keeps what has no partner',
    body: '{Book? {}, @left_join Loan {Book? Book.isbn}, @into {isbn Book.isbn, n @count(Loan.Reader)}, @groupBy(Book.isbn), @orderBy(isbn)}',
    answers: {
      is: [
        { isbn: 'b1', n: 1 },
        { isbn: 'b2', n: 2 },
        { isbn: 'b3', n: 0 },
        { isbn: 'b4', n: 0 },
      ],
    },
  },
  {
    title: '@right_join keeps what has no partner on the other side',
    body: '{Loan? {}, @right_join Book {isbn? Loan.Book}, @into {isbn Book.isbn, who Loan.Reader}, @where {Book.pages?>= 300}}',
    answers: { is: [{ isbn: 'b3', who: null }] },
  },
  {
    title: '@full_join keeps both',
    body: '{Book {isbn? "b1"}, @full_join Reader {name? Book.title}, @into {isbn Book.isbn, who Reader.email}, @where(Reader.email == null or Reader.email == "ann")}',
    answers: { is: [{ isbn: 'b1', who: null }] },
  },
  {
    title: '@full_join by an attribute that is computed keeps both',
    body: '{Row? {}, @full_join Book {pages? Row.hundreds}, @into {shelf Row.no, isbn Book.isbn}}',
    answers: {
      is: [
        { shelf: null, isbn: 'b3' },
        { shelf: 1, isbn: 'b1' },
        { shelf: 2, isbn: 'b2' },
        { shelf: 2, isbn: 'b4' },
      ],
    },
  },
  {
    title: '@right_join by an attribute that is computed, summed up',
    body: '{Row? {}, @right_join Book {pages? Row.hundreds}, @into {n @count(*), shelves @count(Row.no), s @sum(Book.price)}}',
    answers: { is: [{ n: 4, shelves: 3, s: '129.80' }] },
  },
  {
    title: '@left_join by an attribute that is computed, before another',
    body: '{Row? {}, @left_join Book {pages? Row.hundreds, isbn? "b1"}, @left_join Loan {Book? Book.isbn}, @into {shelf Row.no, isbn Book.isbn, who Loan.Reader}}',
    answers: {
      is: [
        { shelf: 1, isbn: 'b1', who: 'ann' },
        { shelf: 2, isbn: null, who: null },
      ],
    },
  },
  {
    title: '@join with another operator',
    body: '{Book? {}, @join Shelf {no?< Book.pages}, @into {n @count(*)}}',
    answers: { is: [{ n: 8 }] },
  },
  {
    title: 'two joins',
    body: '{Loan? {}, @join Book {isbn? Loan.Book}, @join Reader {email? Loan.Reader}, @into {name Reader.name, pages @sum(Book.pages)}, @groupBy(Reader.name), @orderBy(name)}',
    answers: {
      is: [
        { name: 'Ann', pages: 300 },
        { name: 'Bob', pages: 200 },
      ],
    },
  },
  {
    title: 'a join without @into gives instances of the main type',
    body: '{Reader? {}, @join Loan {Reader? Reader.email}, @where {Loan.Book? "b1"}}',
    answers: { is: [{ email: 'ann', name: 'Ann' }] },
  },
  {
    title: '@where with a join',
    body: '{Loan? {}, @join Book {isbn? Loan.Book}, @into {who Loan.Reader}, @where {Book.pages?> ev.n}, @orderBy(who)}',
    given: { n: 150 },
    answers: { is: [{ who: 'ann' }, { who: 'bob' }] },
  },
  {
    title: 'values in a join are values, whatever they hold',
    body: '{Loan? {}, @join Book {isbn? Loan.Book}, @into {who Loan.Reader}, @where {Book.title? ev.t}}',
    given: { t: "x' or '1'='1" },
    answers: { is: [] },
  },
  { title: 'a row of a report is read like any other', body: '{Book? {}, @into {n @count(*)}} @as [r]\nr.n + 1', answers: { is: 5 } },
];
