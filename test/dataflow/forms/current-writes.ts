// The forms of workflows, as scenarios: creates, updates, deletes, and what is related.

import { ann, b1, b2, b3, b4, bob, box, cyd, slip } from './current-library.ts';
import type { FormRow } from './form.ts';

export const writes: readonly FormRow[] = [
  {
    title: 'create gives the instance, defaults filled in',
    body: '{Book {isbn "n", title "New", pages 1 + 2 * 3}}',
    answers: { is: { isbn: 'n', title: 'New', pages: 7, year: null, price: null, out: false, due: null } },
    after: [{ ask: 'GET /lib/Book/n', status: 200, has: { pages: 7 } }],
  },
  {
    title: 'create with all faults told',
    body: '{Book {isbn "n", title ev.nothing, pages ev.x, out ev.one, due ev.x}}',
    given: { x: 'x', one: 1 },
    answers: { status: 422, faults: ['title required', 'pages type', 'out type', 'due type'] },
  },
  { title: 'create of what is there', body: '{Book {isbn "b1", title "x", pages 1}}', answers: { status: 409, code: 'duplicate' } },
  {
    title: 'attributes build on one another',
    body: '{Book {isbn "n", pages 10, title "p" + Book.pages}}',
    answers: { has: { title: 'p10' } },
  },
  {
    title: 'attributes may be named by the qualified type',
    body: '{Book {isbn "n", pages 10, title "p" + lib/Book.pages}}',
    answers: { has: { title: 'p10' } },
  },
  {
    title: 'create from a map',
    body: '{Book {}, @from ev.data}',
    given: { data: { isbn: 'n', title: 'N', pages: 3 } },
    answers: { has: { isbn: 'n', pages: 3 } },
  },
  {
    title: 'create from a map, with attributes beside it',
    body: '{Book {isbn "n", pages 3}, @from ev.data}',
    given: { data: { title: 'N' } },
    answers: { has: { isbn: 'n', title: 'N', pages: 3 } },
  },
  {
    title: 'what is unknown in the map is told',
    body: '{Book {}, @from ev.data}',
    given: { data: { isbn: 'n', title: 'N', pages: 3, x: 1 } },
    answers: { status: 422, faults: ['x unknown'] },
  },
  {
    title: 'create from an instance',
    body: '{Book {isbn? "b1"}} @as [b]\n{Book {isbn "n", title "copy of " + b.title, pages b.pages}}',
    answers: { has: { isbn: 'n', title: 'copy of Ants', pages: 100 } },
  },
  { title: 'a record is made, and kept nowhere', body: '{Note {text "t"}}', answers: { is: { text: 't', n: null } } },
  {
    title: 'a record is checked',
    body: '{Note {text ev.one, n ev.x}}',
    given: { x: 'x', one: 1 },
    answers: { status: 422, faults: ['text type', 'n type'] },
  },
  {
    title: 'update changes all that is found and gives them',
    body: '{Book {pages? 200, pages Book.pages + 1, year 2024}}',
    answers: {
      is: [
        { ...b2, pages: 201, year: 2024 },
        { ...b4, pages: 201, year: 2024 },
      ],
    },
    after: [{ ask: 'GET /lib/Book?pages=201', status: 200, has: [{ isbn: 'b2' }, { isbn: 'b4' }] }],
  },
  {
    title: 'update clears an optional attribute with null',
    body: '{Book {isbn? "b1", year null}}',
    answers: { is: [{ ...b1, year: null }] },
  },
  {
    title: 'null for a required attribute is refused',
    body: '{Book {isbn? "b1", title ev.nothing}}',
    answers: { status: 422, faults: ['title required'] },
  },
  { title: 'update of nothing is an empty list', body: '{Book {isbn? "none", pages 1}}', answers: { is: [] } },
  {
    title: 'update with faults',
    body: '{Book {isbn? "b1", pages ev.x}}',
    given: { x: 'x' },
    answers: { status: 422, faults: ['pages type'] },
  },
  { title: 'an identifier is not changed', body: '{Book {isbn? "b1", isbn "zz"}}', answers: { status: 422, faults: ['isbn readonly'] } },
  {
    title: 'update from a map',
    body: '{Book {isbn? "b1"}, @from ev.data}',
    given: { data: { pages: 5 } },
    answers: { is: [{ ...b1, pages: 5 }] },
  },
  {
    title: 'update with a condition',
    body: '{Book {out true}, @where(Book.pages > 250 or Book.year == 1990)}',
    answers: {
      has: [
        { isbn: 'b1', out: true },
        { isbn: 'b3', out: true },
      ],
    },
  },
  {
    title: 'what an alias holds is changed',
    body: '{Book {pages? 200}} @as many\n{many {out true}}',
    answers: {
      has: [
        { isbn: 'b2', out: true },
        { isbn: 'b4', out: true },
      ],
    },
    after: [{ ask: 'GET /lib/Book/b4', status: 200, has: { out: true } }],
  },
  { title: 'an alias shows what became of it', body: '{Book {isbn? "b1"}} @as [b]\n{b {pages 7}}\nb.pages', answers: { is: 7 } },
  {
    title: 'upsert makes what is not there',
    body: '{Book {isbn "n", title "N", pages 1}, @upsert}',
    answers: { has: { isbn: 'n', pages: 1 } },
  },
  {
    title: 'upsert changes what is there, and only what it names',
    body: '{Book {isbn "b1", pages 1}, @upsert}',
    answers: { is: { ...b1, pages: 1 } },
  },
  {
    title: 'upsert of a child without its parent, where several have its identifier, says too little',
    body: '{Box {tag "x", weight 7}, @upsert}',
    answers: { status: 409, has: { code: 'identifier-ambiguous' } },
  },
  {
    title: 'upsert from a map',
    body: '{Book {}, @upsert, @from ev.data}',
    given: { data: { isbn: 'b1', pages: 2 } },
    answers: { is: { ...b1, pages: 2 } },
  },
  {
    title: 'upsert with links makes only those that are not there',
    body: '{Reader {email "ann", name "Anna"}, @upsert, Loan [{Book {isbn "b1"}}, {Book {isbn "b3"}}]}\n{Loan {Reader? "ann"}}',
    answers: { has: [{ Book: 'b1', since: 'may' }, { Book: 'b2' }, { Book: 'b3' }] },
  },
  {
    title: 'upsert with children, and theirs',
    body: '{Shelf {no 1, room "new"}, @upsert, ShelfBox [{Box {tag "x", weight 1}, BoxSlip [{Slip {n 1, text "uno"}}, {Slip {n 9, text "nine"}}]}, {Box {tag "z"}}]}\n{Shelf {no? 1}, ShelfBox {Box? {}, BoxSlip {Slip? {}}}}',
    answers: {
      has: [
        {
          room: 'new',
          ShelfBox: [
            { tag: 'x', weight: 1, BoxSlip: [{ text: 'uno' }, { text: 'two' }, { text: 'nine' }] },
            { tag: 'y', BoxSlip: [] },
            { tag: 'z', BoxSlip: [] },
          ],
        },
      ],
    },
  },
  {
    title: 'delete gives what is gone',
    body: 'delete {Book {isbn? "b3"}}',
    answers: { is: [b3] },
    after: [{ ask: 'GET /lib/Book/b3', status: 404 }],
  },
  { title: 'delete of nothing', body: 'delete {Book {isbn? "none"}}', answers: { is: [] } },
  { title: 'delete of all', body: 'delete {Loan? {}}\n{Loan? {}}', answers: { is: [] } },
  { title: 'delete with a condition', body: 'delete {Book? {}, @where(Book.pages > 250)}', answers: { is: [b3] } },
  {
    title: 'purge is delete',
    body: 'purge {Book {pages?> 250}}',
    answers: { is: [b3] },
    after: [{ ask: 'GET /lib/Book/b3', status: 404 }],
  },
  { title: 'delete takes what is contained along', body: 'delete {Shelf {no? 1}}\n{Slip? {}}', answers: { is: [] } },
  {
    title: 'delete takes links along',
    body: 'delete {Reader {email? "ann"}}\n{Loan? {}}',
    answers: { has: [{ Reader: 'bob', Book: 'b2' }] },
  },
];

export const related: readonly FormRow[] = [
  {
    title: 'nested create makes children, and theirs',
    body: '{Shelf {no 9, room "n"}, ShelfBox [{Box {tag "a"}, BoxSlip [{Slip {n 1, text Box.tag}}]}, {Box {tag "b"}}]}',
    answers: { has: { no: 9, ShelfBox: [{ tag: 'a', BoxSlip: [{ n: 1, text: 'a' }] }, { tag: 'b' }] } },
    after: [{ ask: 'GET /lib/Shelf/9/ShelfBox/Box/a/BoxSlip/Slip/1', status: 200, has: { text: 'a' } }],
  },
  {
    title: 'nested create without a list makes one child',
    body: '{Shelf {no 9, room "n"}, ShelfBox {Box {tag "a"}}}',
    answers: { has: { no: 9 } },
    after: [{ ask: 'GET /lib/Shelf/9/ShelfBox/Box', status: 200, has: [{ tag: 'a' }] }],
  },
  {
    title: 'nested create makes and links the other end of a between relationship',
    body: '{Reader {email "dan", name "Dan"}, Loan [{Book {isbn "n", title "N", pages 1}}]}',
    answers: { has: { email: 'dan', Loan: [{ isbn: 'n' }] } },
    after: [{ ask: 'GET /lib/Reader/dan/Loan/Book', status: 200, has: [{ isbn: 'n' }] }],
  },
  {
    title: 'children are made under what is found',
    body: '{Shelf {no? 2}, ShelfBox [{Box {tag "new"}}]}',
    answers: { has: [{ no: 2, ShelfBox: [{ tag: 'new' }] }] },
    after: [{ ask: 'GET /lib/Shelf/2/ShelfBox/Box', status: 200, is: [box(2, 'new', null), box(2, 'x', 7)] }],
  },
  { title: 'a child without a parent is refused', body: '{Box {tag "a"}}', answers: { status: 422, code: 'parent-required' } },
  {
    title: 'nested query gives each parent its children',
    body: '{Shelf? {}, ShelfBox {Box? {}}}',
    answers: {
      is: [
        { no: 1, room: 'east', ShelfBox: [box(1, 'x', 5), box(1, 'y', null)] },
        { no: 2, room: 'west', ShelfBox: [box(2, 'x', 7)] },
      ],
    },
  },
  {
    title: 'nested query goes deeper',
    body: '{Shelf {no? 1}, ShelfBox {Box {tag? "x"}, BoxSlip {Slip {n?> 1}}}}',
    answers: { is: [{ no: 1, room: 'east', ShelfBox: [{ ...box(1, 'x', 5), BoxSlip: [slip(2, 'two')] }] }] },
  },
  {
    title: 'nested query through a between relationship, from its first end',
    body: '{Reader {email? "ann"}, Loan {Book {pages?> 150}}}',
    answers: { is: [{ ...ann, Loan: [b2] }] },
  },
  {
    title: 'nested query through a between relationship, from its second end',
    body: '{Book {isbn?in ["b2", "b3"]}, Loan {Reader? {}}}',
    answers: {
      is: [
        { ...b2, Loan: [ann, bob] },
        { ...b3, Loan: [] },
      ],
    },
  },
  {
    title: 'nested query through a relationship of a type with itself',
    body: '{Reader {email? "ann"}, Friend {Reader? {}}}',
    answers: { is: [{ ...ann, Friend: [bob] }] },
  },
  {
    title: 'nested query with an order and a limit of its own',
    body: '{Shelf? {}, ShelfBox {Box? {}, @orderBy(tag) @desc, @limit(1)}}',
    answers: { has: [{ ShelfBox: [{ tag: 'y' }] }, { ShelfBox: [{ tag: 'x' }] }] },
  },
  {
    title: 'nested query with a condition on the parent',
    body: '{Shelf? {}, ShelfBox {Box {weight?> Shelf.no * 4}}}',
    answers: {
      has: [
        { no: 1, ShelfBox: [{ tag: 'x' }] },
        { no: 2, ShelfBox: [] },
      ],
    },
  },
  { title: 'children are found wherever they are', body: '{Box {tag? "x"}}', answers: { is: [box(1, 'x', 5), box(2, 'x', 7)] } },
  { title: 'a child is changed', body: '{Box {weight? 7, weight 8}}', answers: { is: [box(2, 'x', 8)] } },
  {
    title: 'a child is found by its path',
    body: '{Box {__path__? "path://lib$Shelf/2/lib$ShelfBox/lib$Box/x"}}',
    answers: { is: [box(2, 'x', 7)] },
  },
  {
    title: 'a link of two instances',
    body: '{Reader {email? "cyd"}} @as [r]\n{Book {isbn? "b3"}} @as [b]\n{Loan {Reader r, Book b, since "june"}}',
    answers: { has: { Reader: 'cyd', Book: 'b3', since: 'june' } },
    after: [{ ask: 'GET /lib/Book/b3/Loan/Reader', status: 200, has: [{ ...cyd, '@link': { since: 'june' } }] }],
  },
  {
    title: 'a link of two identifiers',
    body: '{Loan {Reader "cyd", Book "b3"}}',
    answers: { has: { Reader: 'cyd', Book: 'b3', since: null } },
  },
  {
    title: 'a link of what is not there',
    body: '{Loan {Reader "cyd", Book "none"}}',
    answers: { status: 422, faults: ['Book reference'] },
  },
  { title: 'the same link twice', body: '{Loan {Reader "ann", Book "b1"}}', answers: { status: 409 } },
  {
    title: 'a link with roles',
    body: '{Friend {from "bob", to "cyd"}}\n{Friend {from? "bob"}}',
    answers: { has: [{ from: 'bob', to: 'cyd' }] },
  },
  {
    title: 'links are found by an instance',
    body: '{Book {isbn? "b2"}} @as [b]\n{Loan {Book? b}}',
    answers: { has: [{ Reader: 'ann' }, { Reader: 'bob' }] },
  },
  { title: 'links are found by what they hold', body: '{Loan {since? "may"}}', answers: { has: [{ Reader: 'ann', Book: 'b1' }] } },
  {
    title: 'a link is changed',
    body: '{Loan {Book? "b1", since "june"}}',
    answers: { has: [{ Reader: 'ann', Book: 'b1', since: 'june' }] },
  },
  {
    title: 'a link is deleted, its ends stay',
    body: 'delete {Loan {Reader? "ann", Book? "b1"}}\n[{Loan {Reader? "ann"}}, {Book {isbn? "b1"}}]',
    answers: { has: [[{ Book: 'b2' }], [b1]] },
  },
];
