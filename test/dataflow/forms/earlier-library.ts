// A library in the earlier syntax: the model and the rows that the scenarios of dataflows stand on.

import type { Syntax } from './form.ts';

const library = `(component :Lib)
(entity :Book
  {:Isbn {:type :String :guid true}
   :Title :String
   :Pages :Int
   :Year {:type :Int :optional true}
   :Price {:type :Decimal :optional true}
   :Out {:type :Boolean :default false}})
(entity :Reader {:Email {:type :String :guid true} :Name :String})
(entity :Shelf {:No {:type :Int :guid true} :Room :String})
(entity :Row {:No {:type :Int :guid true} :Hundreds {:type :Int :expr '(* :No 100)}})
(entity :Box {:Tag {:type :String :id true} :Weight {:type :Int :optional true}})
(entity :Slip {:N {:type :Int :id true} :Text :String})
(record :Note {:Text :String :N {:type :Any :optional true}})
(relationship :ShelfBox {:meta {:contains [:Shelf :Box]}})
(relationship :BoxSlip {:meta {:contains [:Box :Slip]}})
(relationship :Loan {:meta {:between [:Reader :Book]} :Since {:type :String :optional true}})
(relationship :Friend {:meta {:between [:Reader :Reader :as [:From :To]]}})

{:Book {:Isbn "b1" :Title "Ants" :Pages 100 :Year 1990 :Price 9.5M}}
{:Book {:Isbn "b2" :Title "Bees" :Pages 200 :Year 2000 :Price 19.25M :Out true}}
{:Book {:Isbn "b3" :Title "Cats" :Pages 300 :Price 100M}}
{:Book {:Isbn "b4" :Title "Áunts" :Pages 200 :Year 2010}}
{:Reader {:Email "ann" :Name "Ann"}}
{:Reader {:Email "bob" :Name "Bob"}}
{:Reader {:Email "cyd" :Name "Cyd"}}
{:Loan {:Reader "ann" :Book "b1" :Since "may"}}
{:Loan {:Reader "ann" :Book "b2"}}
{:Loan {:Reader "bob" :Book "b2"}}
{:Friend {:From "ann" :To "bob"}}
{:Row {:No 1}}
{:Row {:No 2}}
{:Shelf {:No 1 :Room "east"}
 :with [[:ShelfBox [{:Box {:Tag "x" :Weight 5} :with [[:BoxSlip [{:Slip {:N 1 :Text "one"}} {:Slip {:N 2 :Text "two"}}]]]}
                    {:Box {:Tag "y"}}]]]}
{:Shelf {:No 2 :Room "west"} :with [[:ShelfBox [{:Box {:Tag "x" :Weight 7}}]]]}
`;

export const earlierForms: Syntax = {
  surface: 'earlier',
  project: ({ body, also = '', files = {} }) => ({ ...files, 'lib.platform': `${library}\n${also}\n(dataflow :Ev\n${body})\n` }),
  post: (given) => ({ ask: 'POST /api/Lib/Ev', body: { 'Lib/Ev': given } }),
};

export const tagged = (type: string, values: object): object => ({ 'type-*-tag-*-': 'entity', '-*-type-*-': `Lib/${type}`, ...values });
export const book = (isbn: string, title: string, pages: number, year: number | null, price: string | null, out = false) => ({
  Isbn: isbn,
  Title: title,
  Pages: pages,
  Year: year,
  Price: price,
  Out: out,
});
export const [p1, p2, p3, p4] = [
  book('b1', 'Ants', 100, 1990, '9.5'),
  book('b2', 'Bees', 200, 2000, '19.25', true),
  book('b3', 'Cats', 300, null, '100'),
  book('b4', 'Áunts', 200, 2010, null),
];
export const [b1, b2, b3, b4] = [tagged('Book', p1), tagged('Book', p2), tagged('Book', p3), tagged('Book', p4)];
export const reader = (email: string, name: string) => tagged('Reader', { Email: email, Name: name });
export const [ann, bob, cyd] = [reader('ann', 'Ann'), reader('bob', 'Bob'), reader('cyd', 'Cyd')];
export const box = (shelf: number, tag: string, weight: number | null) =>
  tagged('Box', { Tag: tag, Weight: weight, __path__: `path://Lib$Shelf/${shelf}/Lib$ShelfBox/Lib$Box/${tag}` });
export const slip = (n: number, text: string) =>
  tagged('Slip', { N: n, Text: text, __path__: `path://Lib$Shelf/1/Lib$ShelfBox/Lib$Box/x/Lib$BoxSlip/Lib$Slip/${n}` });
