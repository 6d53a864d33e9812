// A library in the current syntax: the model and the rows that the scenarios of workflows stand on.

import type { Syntax } from './form.ts';

const library = `module lib

entity Book {
  isbn String @id,
  title String,
  pages Int,
  year Int @optional,
  price Decimal @optional,
  out Boolean @default(false),
  due Date @optional
}
entity Reader { email String @id, name String }
entity Shelf { no Int @id, room String }
entity Row { no Int @id, hundreds Int @expr(no * 100) }
entity Box { tag String @id, weight Int @optional }
entity Slip { n Int @id, text String }
record Note { text String, n Int @optional }
relationship ShelfBox contains(Shelf, Box)
relationship BoxSlip contains(Box, Slip)
relationship Loan between(Reader, Book) { since String @optional }
relationship Friend between(Reader @as from, Reader @as to)

{Book {isbn "b1", title "Ants", pages 100, year 1990, price "9.90"}}
{Book {isbn "b2", title "Bees", pages 200, year 2000, price "19.90", out true, due "2024-05-01"}}
{Book {isbn "b3", title "Cats", pages 300, price "100", due "2024-06-01"}}
{Book {isbn "b4", title "Áunts", pages 200, year 2010}}
{Reader {email "ann", name "Ann"}}
{Reader {email "bob", name "Bob"}}
{Reader {email "cyd", name "Cyd"}}
{Loan {Reader "ann", Book "b1", since "may"}}
{Loan {Reader "ann", Book "b2"}}
{Loan {Reader "bob", Book "b2"}}
{Friend {from "ann", to "bob"}}
{Row {no 1}}
{Row {no 2}}
{Shelf {no 1, room "east"}, ShelfBox [
  {Box {tag "x", weight 5}, BoxSlip [{Slip {n 1, text "one"}}, {Slip {n 2, text "two"}}]},
  {Box {tag "y"}}
]}
{Shelf {no 2, room "west"}, ShelfBox [{Box {tag "x", weight 7}}]}
`;

export const currentForms: Syntax = {
  surface: 'current',
  project: ({ body, also = '', files = {} }) => {
    const imports = Object.keys(files).map((file) => `import "${file}" @as ${file.split('.')[0]}\n`);
    const [head = '', ...rest] = library.split('\n');
    return { ...files, 'core.al': `${head}\n${imports.join('')}${rest.join('\n')}\n${also}\nworkflow ev {\n${body}\n}\n` };
  },
  post: (given) => ({ ask: 'POST /lib/ev', body: given }),
};

export const b1 = { isbn: 'b1', title: 'Ants', pages: 100, year: 1990, price: '9.90', out: false, due: null };
export const b2 = { isbn: 'b2', title: 'Bees', pages: 200, year: 2000, price: '19.90', out: true, due: '2024-05-01' };
export const b3 = { isbn: 'b3', title: 'Cats', pages: 300, year: null, price: '100', out: false, due: '2024-06-01' };
export const b4 = { isbn: 'b4', title: 'Áunts', pages: 200, year: 2010, price: null, out: false, due: null };
export const [ann, bob, cyd] = [
  { email: 'ann', name: 'Ann' },
  { email: 'bob', name: 'Bob' },
  { email: 'cyd', name: 'Cyd' },
];
export const box = (shelf: number, tag: string, weight: number | null) => ({
  tag,
  weight,
  __path__: `path://lib$Shelf/${shelf}/lib$ShelfBox/lib$Box/${tag}`,
});
export const slip = (n: number, text: string) => ({
  n,
  text,
  __path__: `path://lib$Shelf/1/lib$ShelfBox/lib$Box/x/lib$BoxSlip/lib$Slip/${n}`,
});
