// The forms of dataflows, as scenarios: creates, updates, deletes, and what is related.

import { b1, b2, b3, bob, book, box, p1, p2, p4, reader, slip, tagged } from './earlier-library.ts';
import type { FormRow } from './form.ts';

export const writes: readonly FormRow[] = [
  {
    title: 'create gives the instance under its name',
    body: '{:Book {:Isbn "n" :Title "N" :Pages 1}}',
    answers: { is: { 'Lib/Book': book('n', 'N', 1, null, null) } },
    after: [{ ask: 'GET /api/Lib/Book/n', status: 200, is: tagged('Book', book('n', 'N', 1, null, null)) }],
  },
  {
    title: 'create by the qualified name',
    body: '{:Lib/Reader {:Email "d" :Name "D"}}',
    answers: { is: { 'Lib/Reader': { Email: 'd', Name: 'D' } } },
  },
  {
    title: 'create with a reference to an attribute of itself',
    body: '{:Book {:Isbn "n" :Pages 10 :Title \'(str "p" :Pages)}}',
    answers: { has: { 'Lib/Book': { Title: 'p10' } } },
  },
  {
    title: 'a bare keyword is an attribute of the instance',
    body: '{:Book {:Isbn "n" :Title :Isbn :Pages 10}}',
    answers: { has: { 'Lib/Book': { Title: 'n' } } },
  },
  {
    title: 'create of what is there',
    body: '{:Book {:Isbn "b1" :Title "N" :Pages 1}}',
    answers: { status: 409, has: [{ status: 'error', code: 'duplicate' }] },
  },
  {
    title: 'create with faults tells them all',
    body: '{:Book {:Isbn "n" :Pages :Ev.X :Title :Ev.Nothing}}',
    given: { X: 'x' },
    answers: {
      status: 422,
      has: [
        {
          code: 'attributes-invalid',
          errors: [
            { attribute: 'Title', code: 'required' },
            { attribute: 'Pages', code: 'type' },
          ],
        },
      ],
    },
  },
  { title: 'a record', body: '{:Note {:Text "t"}}', answers: { is: { 'Lib/Note': { Text: 't', N: null } } } },
  {
    title: 'an embedded record',
    body: '{:Note {:Text "t" :N {:Note {:Text "in"}}}}',
    answers: { has: { 'Lib/Note': { Text: 't', N: { Text: 'in', N: null } } } },
  },
  {
    title: 'a list of embedded creates',
    body: '{:Note {:Text "t" :N [{:Note {:Text "a"}} {:Note {:Text "b"}}]}}',
    answers: { has: { 'Lib/Note': { N: [{ Text: 'a' }, { Text: 'b' }] } } },
  },
  {
    title: 'a list of references',
    body: '{:Reader? {} :as [:A :B]} {:Note {:Text "t" :N [:A.Name :B.Name]}}',
    answers: { is: { 'Lib/Note': { Text: 't', N: ['Ann', 'Bob'] } } },
  },
  {
    title: 'update gives what was changed',
    body: "{:Book {:Pages? 200 :Pages '(+ :Pages 1)}}",
    answers: { is: [tagged('Book', { ...p2, Pages: 201 }), tagged('Book', { ...p4, Pages: 201 })] },
  },
  { title: 'update of nothing is an empty list', body: '{:Book {:Isbn? "none" :Pages 1}}', answers: { is: [] } },
  {
    title: 'update by an alias',
    body: '{:Book {:Isbn? "b1"} :as [:B]} {:B {:Pages 9}}',
    answers: { is: [tagged('Book', { ...p1, Pages: 9 })] },
    after: [{ ask: 'GET /api/Lib/Book/b1', status: 200, has: { Pages: 9 } }],
  },
  {
    title: 'update by an alias of many',
    body: '{:Book {:Pages? 200} :as :Bs} {:Bs {:Out true}}',
    answers: {
      has: [
        { Isbn: 'b2', Out: true },
        { Isbn: 'b4', Out: true },
      ],
    },
  },
  {
    title: '`:from` a map',
    body: '{:Reader {} :from :Ev.Data}',
    given: { Data: { Email: 'd', Name: 'D' } },
    answers: { is: { 'Lib/Reader': { Email: 'd', Name: 'D' } } },
  },
  {
    title: '`:from` the event',
    body: '{:Reader {} :from :Lib/Ev}',
    given: { Email: 'd', Name: 'D' },
    answers: { is: { 'Lib/Reader': { Email: 'd', Name: 'D' } } },
  },
  {
    title: 'what the map holds goes before what the pattern says',
    body: '{:Reader {:Name "pattern" :Email "p"} :from :Ev.Data}',
    given: { Data: { Email: 'd' } },
    answers: { is: { 'Lib/Reader': { Email: 'd', Name: 'pattern' } } },
  },
  {
    title: '`:from` with a query changes',
    body: '{:Book {:Isbn? "b1"} :from :Ev.Data}',
    given: { Data: { Pages: 8, Title: 'X' } },
    answers: { is: [tagged('Book', { ...p1, Pages: 8, Title: 'X' })] },
  },
  {
    title: '`:upsert` makes',
    body: '{:Reader {:Email "d" :Name "D"} :upsert true} {:Reader {:Email? "d"}}',
    answers: { is: [reader('d', 'D')] },
  },
  {
    title: '`:upsert` of a child changes the only one with its identifier',
    body: '{:Box {:Tag "only"} :-> [[:ShelfBox {:Shelf {:No? 1}}]]} {:Box {:Tag "only" :Weight 7} :upsert true} {:Box {:Tag? "only"}}',
    answers: { has: [{ Tag: 'only', Weight: 7 }] },
  },
  {
    title: '`:upsert` of a child without its parent, where several have its identifier, says too little',
    body: '{:Box {:Tag "x" :Weight 7} :upsert true}',
    answers: { status: 409, has: [{ code: 'identifier-ambiguous' }] },
  },
  {
    title: '`:upsert` of a child that is not there needs its parent',
    body: '{:Box {:Tag "none" :Weight 7} :upsert true}',
    answers: { status: 422, has: [{ code: 'parent-required' }] },
  },
  {
    title: '`:upsert` of a child under its parent changes the one there',
    body: '{:Box {:Tag "x" :Weight 7} :upsert true :-> [[:ShelfBox {:Shelf {:No? 2}}]]} {:Box {:Tag? "x" :Weight? 7} :as :Found} [:eval (quote (count :Found))]',
    answers: { is: 1 },
  },
  {
    title: '`:upsert` of a child by its guid, whatever its identifier is elsewhere',
    also: '(entity :Lid {:Code {:type :String :guid true} :No {:type :Int :id true} :W :Int}) (relationship :BoxLid {:meta {:contains [:Shelf :Lid]}})',
    body: '{:Lid {:Code "a" :No 1 :W 1} :-> [[:BoxLid {:Shelf {:No? 1}}]]} {:Lid {:Code "b" :No 1 :W 1} :-> [[:BoxLid {:Shelf {:No? 2}}]]} {:Lid {:Code "b" :No 1 :W 5} :upsert true} {:Lid? {:order-by [:Code]}}',
    answers: {
      has: [
        { Code: 'a', W: 1 },
        { Code: 'b', W: 5 },
      ],
    },
  },
  {
    title: 'a delete by what was not sent is refused, and deletes nothing that lacks it',
    body: '[:delete :Book {:Price :Ev.Price}]',
    answers: {
      status: 422,
      has: [
        {
          code: 'dataflow-failed',
          message:
            'Ev.Price was not sent: without it this would be about every Book that has no Price. Send it, as null where that is meant.',
        },
      ],
    },
    after: [{ ask: 'GET /api/Lib/Book/b4', status: 200 }],
  },
  {
    title: 'an update by what was not sent is refused',
    body: '{:Book {:Price? :Ev.Price :Pages 1}}',
    answers: { status: 422, has: [{ code: 'dataflow-failed' }] },
  },
  {
    title: 'a change by null that was sent is one of what has none',
    body: '{:Book {:Price? :Ev.Price :Pages 1}}',
    given: { Price: null },
    answers: { has: [{ Isbn: 'b4', Pages: 1 }] },
  },
  {
    title: '`:upsert` changes',
    body: '{:Reader {:Email "ann" :Name "Anna"} :upsert true} {:Reader {:Email? "ann"}}',
    answers: { is: [reader('ann', 'Anna')] },
  },
  {
    title: '`:delete` by attributes',
    body: '[:delete :Book {:Isbn "b3"}]',
    answers: { is: [b3] },
    after: [{ ask: 'GET /api/Lib/Book/b3', status: 404 }],
  },
  { title: '`:delete` by operators', body: '[:delete :Book {:Pages [:> 250]}]', answers: { is: [b3] } },
  { title: '`:delete` by several attributes, which hold together', body: '[:delete :Book {:Pages 200 :Out true}]', answers: { is: [b2] } },
  { title: '`:delete` by its identifier', body: '[:delete :Book "b3"]', answers: { is: [b3] } },
  { title: '`:delete` by an identifier of the event', body: '[:delete :Book :Ev.Isbn]', given: { Isbn: 'b3' }, answers: { is: [b3] } },
  { title: '`:delete` all', body: '[:delete :Book :*] :Book?', answers: { is: [] } },
  { title: '`:purge`', body: '[:delete :Loan :purge] :Loan?', answers: { is: [] } },
  { title: '`:delete … :as`', body: '[:delete :Book {:Isbn "b3"} :as [:D]] :D.Title', answers: { is: 'Cats' } },
  { title: '`:delete` of nothing', body: '[:delete :Book {:Isbn "none"}]', answers: { is: [] } },
  {
    title: '`:delete` takes what is contained and linked along',
    body: '[:delete :Shelf {:No 1}] [:delete :Reader "ann"] {:Note {:Text "t" :N [:Slip? :Loan?]}}',
    answers: { has: { 'Lib/Note': { N: [[], [{ Reader: 'bob', Book: 'b2' }]] } } },
  },
];

export const related: readonly FormRow[] = [
  {
    title: 'a child under an alias',
    body: '{:Shelf {:No? 2} :as [:S]} {:Box {:Tag "n"} :-> [[:ShelfBox :S]]}',
    answers: { has: { 'Lib/Box': { Tag: 'n' } } },
    after: [{ ask: 'GET /api/Lib/Shelf/2/ShelfBox/Box/n', status: 200, is: box(2, 'n', null) }],
  },
  {
    title: 'a child under what a query finds',
    body: '{:Box {:Tag "n"} :-> [[:ShelfBox {:Shelf {:No? 2}}]] :as :B} :B',
    answers: { is: box(2, 'n', null) },
  },
  {
    title: 'a child under what is made for it',
    body: '{:Box {:Tag "n"} :-> [[:ShelfBox {:Shelf {:No 9 :Room "r"}}]] :as :B} :B',
    answers: { is: box(9, 'n', null) },
    after: [{ ask: 'GET /api/Lib/Shelf/9', status: 200 }],
  },
  {
    title: 'a child under a path',
    body: '{:Box {:Tag "n"} :-> [[:ShelfBox :Ev.P :_]] :as :B} :B',
    given: { P: 'path://Lib$Shelf/2' },
    answers: { is: box(2, 'n', null) },
  },
  {
    title: 'a child under an identifier',
    body: '{:Box {:Tag "n"} :-> [[:ShelfBox :Ev.No]] :as :B} :B',
    given: { No: 2 },
    answers: { is: box(2, 'n', null) },
  },
  {
    title: 'a grandchild under a path',
    body: '{:Slip {:N 9 :Text "t"} :-> [[:BoxSlip :Ev.P :_]] :as :S} :S.Text',
    given: { P: 'path://Lib$Shelf/1/Lib$ShelfBox/Lib$Box/x' },
    answers: { is: 't' },
  },
  ...[
    'path://Lib$Shelf/x',
    'path://Lib$Shelf/%E0%A4%A',
    'path://Lib$Reader/2',
    'path://',
    'path://Lib$Shelf/1/Lib$ShelfBox/Lib$Box/x',
    {},
    null,
  ].map(
    (path): FormRow => ({
      title: `a child under ${JSON.stringify(path)} is refused`,
      body: '{:Box {:Tag "n"} :-> [[:ShelfBox :Ev.P :_]]}',
      given: { P: path },
      answers: { status: 422, has: [{ code: 'dataflow-failed', message: 'There is no Shelf to create a Box in.' }] },
      after: [{ ask: 'GET /api/Lib/Box?Tag=n', status: 200, is: [] }],
    }),
  ),
  { title: 'a child under nothing is refused', body: '{:Box {:Tag "n"} :-> [[:ShelfBox {:Shelf {:No? 99}}]]}', answers: { status: 422 } },
  {
    title: 'children that are made with their parent',
    body: '{:Shelf {:No 9 :Room "n"} :with [[:ShelfBox [{:Box {:Tag "a"}} {:Box {:Tag "b"}}]]]}',
    answers: { has: { 'Lib/Shelf': { No: 9, '->': { 'Lib/ShelfBox': [{ Tag: 'a' }, { Tag: 'b' }] } } } },
    after: [{ ask: 'GET /api/Lib/Shelf/9/ShelfBox/Box', status: 200, is: [box(9, 'a', null), box(9, 'b', null)] }],
  },
  {
    title: 'children that are found with their parent',
    body: '{:Shelf {:No? 2} :with [[:ShelfBox {:Box? {}}]]}',
    answers: { is: [{ ...tagged('Shelf', { No: 2, Room: 'west' }), '->': { 'Lib/ShelfBox': [box(2, 'x', 7)] } }] },
  },
  {
    title: 'the children of a parent',
    body: '{:Box? {} :-> [[:ShelfBox? {:Shelf {:No? 1}}]]}',
    answers: { is: [box(1, 'x', 5), box(1, 'y', null)] },
  },
  {
    title: 'one child by its identifier',
    body: '{:Shelf {:No? 1} :as [:S]} {:Box? {} :-> [[:ShelfBox? :S "y"]]}',
    answers: { is: [box(1, 'y', null)] },
  },
  {
    title: 'children with conditions',
    body: '{:Box {:Weight? [:> 1]} :-> [[:ShelfBox? {:Shelf {:No? 1}}]]}',
    answers: { is: [box(1, 'x', 5)] },
  },
  {
    title: 'children of several parents',
    body: '{:Box {:Tag? "x"} :-> [[:ShelfBox? :Shelf?]]}',
    answers: { is: [box(1, 'x', 5), box(2, 'x', 7)] },
  },
  {
    title: 'levels are nested',
    body: '{:Slip? {} :-> [[:BoxSlip? {:Box? {} :-> [[:ShelfBox? {:Shelf {:No? 1}} "x"]]} 2]]}',
    answers: { is: [slip(2, 'two')] },
  },
  {
    title: 'children are changed where they are',
    body: '{:Box {:Weight 1 :Tag? "x"} :-> [[:ShelfBox? {:Shelf {:No? 2}}]]}',
    answers: { is: [box(2, 'x', 1)] },
  },
  {
    title: 'all children of a parent are changed',
    body: "{:Box {:Weight '(+ 1 2)} :-> [[:ShelfBox? {:Shelf {:No? 1}}]]}",
    answers: { is: [box(1, 'x', 3), box(1, 'y', 3)] },
    after: [{ ask: 'GET /api/Lib/Shelf/2/ShelfBox/Box/x', status: 200, has: { Weight: 7 } }],
  },
  {
    title: 'a link to what an alias holds',
    body: '{:Book {:Isbn? "b3"} :as [:B]} {:Reader {:Email? "cyd"} :-> [[:Loan :B]]}',
    answers: { status: 200 },
    after: [{ ask: 'GET /api/Lib/Reader/cyd/Loan/Book', status: 200, has: [{ ...b3, '@link': { Since: null } }] }],
  },
  {
    title: 'a link with attributes of its own',
    body: '{:Reader {:Email? "cyd"} :-> [[{:Loan {:Since "june"}} {:Book {:Isbn? "b3"}}]]} {:Loan {:Since? "june"}}',
    answers: { has: [{ Reader: 'cyd', Book: 'b3', Since: 'june' }] },
  },
  {
    title: 'a link to what is made for it',
    body: '{:Reader {:Email "d" :Name "D"} :-> [[:Loan {:Book {:Isbn "n" :Title "N" :Pages 1}}]]}',
    answers: { status: 200 },
    after: [{ ask: 'GET /api/Lib/Reader/d/Loan/Book', status: 200, has: [{ Isbn: 'n' }] }],
  },
  ...(
    [
      ['a create', '{:Bag {:No 1} :-> [[:Packed {:Thing {:K "t" :W 4}}]] :as :B} :B', { No: 1, Sum: 4 }],
      ['a query', '{:Bag {:No 1}} {:Bag {:No? 1} :-> [[:Packed {:Thing {:K "t" :W 4}}]] :as [:B]} :B', { No: 1, Sum: 4 }],
      ['an alias', '{:Bag {:No 1} :as :B} {:B {:No 1} :-> [[:Packed {:Thing {:K "t" :W 4}}]]} :B', { No: 1, Sum: 4 }],
      ['an upsert', '{:Bag {:No 1}} {:Bag {:No 1} :upsert true :-> [[:Packed {:Thing {:K "t" :W 4}}]] :as :B} :B', { No: 1, Sum: 4 }],
    ] as const
  ).map(
    ([what, body, values]): FormRow => ({
      title: `what is computed along links is that after the links: ${what}`,
      body,
      also: `(entity :Bag {:No {:type :Int :guid true} :Sum {:type :Int :expr '(sum :Packed.Thing.W)}})
        (entity :Thing {:K {:type :String :guid true} :W :Int})
        (relationship :Packed {:meta {:between [:Bag :Thing]}})`,
      answers: { has: tagged('Bag', values) },
    }),
  ),
  ...['{:Book {:Isbn? "none"}}', ':Ev.Nobody'].map(
    (other): FormRow => ({
      title: `a link to nothing is refused: ${other}`,
      body: `{:Reader {:Email "d" :Name "D"} :-> [[:Loan ${other}]]}`,
      answers: { status: 422, has: [{ code: 'dataflow-failed', message: 'There is no Book to link with.' }] },
      after: [{ ask: 'GET /api/Lib/Reader/d', status: 404 }],
    }),
  ),
  { title: 'a query by a link', body: '{:Book? {} :-> [[{:Loan {:Reader? "ann"}}]]}', answers: { is: [b1, b2] } },
  { title: 'a query by a link and its other end', body: '{:Book? {} :-> [[:Loan? {:Reader {:Email? "bob"}}]]}', answers: { is: [b2] } },
  { title: 'a query by a link without rows', body: '{:Book? {} :-> [[{:Loan {:Reader? "cyd"}}]]}', answers: { is: [] } },
  { title: 'a query by a link of a type with itself', body: '{:Reader? {} :-> [[{:Friend {:From? "ann"}}]]}', answers: { is: [bob] } },
  {
    title: 'a link as an instance of its own',
    body: '{:Loan {:Reader "cyd" :Book "b3"}}',
    answers: { has: { 'Lib/Loan': { Reader: 'cyd', Book: 'b3', Since: null } } },
  },
  {
    title: 'a link of instances',
    body: '{:Reader {:Email? "cyd"} :as [:R]} {:Book {:Isbn? "b3"} :as [:B]} {:Loan {:Reader :R.Email :Book :B.Isbn}}',
    answers: { has: { 'Lib/Loan': { Reader: 'cyd', Book: 'b3' } } },
  },
  {
    title: '`__Id__` is the identifier, whatever its name',
    body: '{:Reader {:Email? "cyd"} :as [:R]} {:Loan {:Reader :R.__Id__ :Book "b3"}}',
    answers: { has: { 'Lib/Loan': { Reader: 'cyd' } } },
  },
  {
    title: 'contains and between at once',
    body: '{:Box {:Tag "n"} :-> [[:ShelfBox {:Shelf {:No? 1}}] [:BoxBook {:Book {:Isbn? "b1"}}]] :as :B} {:Book? {} :-> [[:BoxBook? :B]]}',
    also: '(relationship :BoxBook {:meta {:between [:Box :Book]}})',
    answers: { is: [b1] },
  },
  {
    title: 'a contained parent goes by its identifier in a query, as in a create',
    body: '{:Box {:Tag "only"} :-> [[:ShelfBox {:Shelf {:No? 1}}]]} {:Slip {:N 9 :Text "t"} :-> [[:BoxSlip "only"]]} {:Slip? {} :-> [[:BoxSlip? "only"]]}',
    answers: { has: [{ N: 9, Text: 't' }] },
  },
  { title: 'a contained parent that is not there has no children', body: '{:Slip? {} :-> [[:BoxSlip? "none"]]}', answers: { is: [] } },
  {
    title: 'the identifier of several contained parents says too little in a query',
    body: '{:Slip? {} :-> [[:BoxSlip? "x"]]}',
    answers: { status: 409, has: [{ code: 'identifier-ambiguous' }] },
  },
  {
    title: 'the identifier of several contained parents says too little in a create',
    body: '{:Slip {:N 9 :Text "t"} :-> [[:BoxSlip "x"]]}',
    answers: { status: 409, has: [{ code: 'identifier-ambiguous' }] },
  },
  {
    title: 'a path query',
    body: '[:? {:Shelf {:No 1}} :ShelfBox {:Box {:Tag "x"}} :BoxSlip :Slip]',
    answers: { is: [slip(1, 'one'), slip(2, 'two')] },
  },
  {
    title: 'a path query to one instance',
    body: '[:? {:Shelf {:No 1}} :ShelfBox {:Box {:Tag "x"}} :BoxSlip {:Slip {:N :Ev.N}} :as [:S]] :S.Text',
    given: { N: 2 },
    answers: { is: 'two' },
  },
  {
    title: 'a path query through the wrong parent',
    body: '[:? {:Shelf {:No 2}} :ShelfBox {:Box {:Tag "x"}} :BoxSlip :Slip]',
    answers: { is: [] },
  },
  { title: 'a path query through a between relationship', body: '[:? {:Reader {:Email "ann"}} :Loan :Book]', answers: { is: [b1, b2] } },
  {
    title: 'a path as the question',
    body: '{:Slip? "path://Lib$Shelf/1/Lib$ShelfBox/Lib$Box/x/Lib$BoxSlip/Lib$Slip/2"}',
    answers: { is: [slip(2, 'two')] },
  },
  {
    title: 'the path of what is contained nowhere',
    body: '{:Shelf? :Ev.P}',
    given: { P: 'path://Lib$Shelf/1' },
    answers: { is: [tagged('Shelf', { No: 1, Room: 'east' })] },
  },
  ...['1', 1].map(
    (id): FormRow => ({
      title: `what is contained nowhere is at ${JSON.stringify(id)}, its identifier`,
      body: '{:Shelf? :Ev.P}',
      given: { P: id },
      answers: { is: [tagged('Shelf', { No: 1, Room: 'east' })] },
    }),
  ),
  ...['path://Lib$Shelf/x', 'path://Lib$Shelf/%E0%A4%A', 'path://Lib$Reader/1', 'x', null, {}].map(
    (path): FormRow => ({
      title: `no shelf is at ${JSON.stringify(path)}`,
      body: '{:Shelf? :Ev.P}',
      given: { P: path },
      answers: { is: [] },
    }),
  ),
  {
    title: 'a path of the event as the question',
    body: '{:Slip? :Ev.P}',
    given: { P: 'path://Lib$Shelf/1/Lib$ShelfBox/Lib$Box/x/Lib$BoxSlip/Lib$Slip/1' },
    answers: { is: [slip(1, 'one')] },
  },
];
