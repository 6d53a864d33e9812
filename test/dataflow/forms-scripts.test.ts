// Scripts of dataflows, from first to last: what the parts of the language mean together.

import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

/** Title, the files of the project, what is asked. */
type Script = readonly [title: string, source: string, steps: readonly Step[]];

const event = (name: string, attributes: object = {}, component = 'T'): Pick<Step, 'ask' | 'body'> => ({
  ask: `POST /api/${component}/${name}`,
  body: { [`${component}/${name}`]: attributes },
});
const create = (type: string, attributes: object): Step => ({ ...event(type, attributes), status: 200 });

const sixRows = `(component :T)
(entity :E {:X {:type :Int :guid true}})
${[1, 2, 3, 4, 5, 6].map((x) => `{:E {:X ${x}}}`).join(' ')}
`;
const rows = (...xs: readonly number[]) => xs.map((x) => ({ 'type-*-tag-*-': 'entity', '-*-type-*-': 'T/E', X: x }));

const reading: readonly Script[] = [
  [
    'an alias takes six rows apart',
    `${sixRows}(dataflow :Ev {:E? {:order-by [:X]} :as [:R1 :R2 :_ :R4 :& :RS]} [:R1 :R2 :R4 :RS])`,
    [{ ...event('Ev'), status: 200, is: [rows(1)[0], rows(2)[0], rows(4)[0], rows(5, 6)] }],
  ],
  [
    'aggregates over those that a condition leaves',
    `${sixRows}(dataflow :Ev {:E? {:where [:> :X 3] :count :X :sum :X :avg :X :max :X :min :X}})`,
    [{ ...event('Ev'), status: 200, is: [{ count: 3, sum: 15, avg: 5, max: 6, min: 4 }] }],
  ],
  [
    'descending is ascending backwards, and a limit cuts either',
    `${sixRows}
(dataflow :Up {:E? {:where [:>= :X 2] :order-by [:X] :limit 3}})
(dataflow :Down {:E? {:where [:>= :X 2] :order-by [[:X :desc]] :limit 3}})
(dataflow :All {:E? {:order-by [[:X :desc]]}})`,
    [
      { ...event('Up'), status: 200, is: rows(2, 3, 4) },
      { ...event('Down'), status: 200, is: rows(6, 5, 4) },
      { ...event('All'), status: 200, is: rows(6, 5, 4, 3, 2, 1) },
    ],
  ],
];

const related: readonly Script[] = [
  [
    'without a flag of cardinality any two are linked, once',
    `(component :T) (entity :A {:Id {:type :Int :guid true}}) (entity :B {:Id {:type :Int :guid true}})
(relationship :R {:meta {:between [:A :B]}}) {:A {:Id 1}} {:A {:Id 2}} {:B {:Id 1}} {:B {:Id 2}}
(dataflow :Link {:R {:A :Link.A :B :Link.B}})`,
    [
      { ...event('Link', { A: 1, B: 1 }), status: 200 },
      { ...event('Link', { A: 1, B: 2 }), status: 200 },
      { ...event('Link', { A: 2, B: 1 }), status: 200 },
      { ...event('Link', { A: 1, B: 1 }), status: 409 },
    ],
  ],
  [
    'one-one: each end is linked once',
    `(component :T) (entity :A {:Id {:type :Int :guid true}}) (entity :B {:Id {:type :Int :guid true}})
(relationship :R {:meta {:between [:A :B] :one-one true}}) {:A {:Id 1}} {:A {:Id 2}} {:B {:Id 1}} {:B {:Id 2}}
(dataflow :Link {:R {:A :Link.A :B :Link.B}})`,
    [
      { ...event('Link', { A: 1, B: 1 }), status: 200 },
      { ...event('Link', { A: 1, B: 2 }), status: 409 },
      { ...event('Link', { A: 2, B: 1 }), status: 409 },
      { ...event('Link', { A: 2, B: 2 }), status: 200 },
    ],
  ],
  [
    'one-many: one of the first has many of the second, each of them one',
    `(component :T) (entity :A {:Id {:type :Int :guid true}}) (entity :B {:Id {:type :Int :guid true}})
(relationship :R {:meta {:between [:A :B] :one-many true}}) {:A {:Id 1}} {:A {:Id 2}} {:B {:Id 1}} {:B {:Id 2}}
(dataflow :Link {:R {:A :Link.A :B :Link.B}})`,
    [
      { ...event('Link', { A: 1, B: 1 }), status: 200 },
      { ...event('Link', { A: 1, B: 2 }), status: 200 },
      { ...event('Link', { A: 2, B: 1 }), status: 409 },
    ],
  ],
  [
    'a path finds a child by the identifiers of its parents; through another parent there is none',
    `(component :T)
(entity :A {:Id {:type :Int :guid true}}) (entity :B {:Id {:type :Int :id true}}) (entity :C {:Id {:type :Int :id true} :Name :String})
(relationship :AB {:meta {:contains [:A :B]}}) (relationship :BC {:meta {:contains [:B :C]}})
{:A {:Id 1}} {:A {:Id 2}}
{:B {:Id 10} :-> [[:AB {:A {:Id? 1}}]]} {:B {:Id 10} :-> [[:AB {:A {:Id? 2}}]]}
{:C {:Id 100 :Name "one"} :-> [[:BC {:B? {} :-> [[:AB? {:A {:Id? 1}} 10]]}]]}
(dataflow :Path [:? {:A {:Id :Path.A}} :AB {:B {:Id 10}} :BC :C])
(dataflow :Named [:? {:A {:Id :Named.A}} :AB {:B {:Id 10}} :BC {:C {:Name "one"}} :as [:C]] :C.Id)
(dataflow :Nested {:C? {} :-> [[:BC? {:B? {} :-> [[:AB? {:A {:Id? :Nested.A}} 10]]} 100]]})
(dataflow :Tried [:try [:? {:A {:Id 2}} :AB {:B {:Id 10}} :BC :C] :ok "found" :not-found "nothing"])`,
    [
      { ...event('Path', { A: 1 }), status: 200, has: [{ Id: 100, Name: 'one' }] },
      { ...event('Path', { A: 2 }), status: 200, is: [] },
      { ...event('Named', { A: 1 }), status: 200, is: 100 },
      { ...event('Nested', { A: 1 }), status: 200, has: [{ Id: 100 }] },
      { ...event('Nested', { A: 2 }), status: 200, is: [] },
      { ...event('Tried'), status: 200, is: 'nothing' },
    ],
  ],
  [
    'a child type may stand under parents of several types',
    `(component :T)
(entity :House {:No {:type :Int :guid true}}) (entity :Shop {:No {:type :Int :guid true}}) (entity :Room {:Name {:type :String :id true}})
(relationship :HouseRoom {:meta {:contains [:House :Room]}}) (relationship :ShopRoom {:meta {:contains [:Shop :Room]}})
{:House {:No 1}} {:Shop {:No 1}}
(dataflow :Fill {:Room {:Name "hall"} :-> [[:HouseRoom {:House {:No? 1}}]]} {:Room {:Name "hall"} :-> [[:ShopRoom {:Shop {:No? 1}}]]} :Room?)
(dataflow :OfShop {:Room? {} :-> [[:ShopRoom? {:Shop {:No? 1}}]]})`,
    [
      {
        ...event('Fill'),
        status: 200,
        has: [{ __path__: 'path://T$House/1/T$HouseRoom/T$Room/hall' }, { __path__: 'path://T$Shop/1/T$ShopRoom/T$Room/hall' }],
      },
      { ...event('OfShop'), status: 200, has: [{ __path__: 'path://T$Shop/1/T$ShopRoom/T$Room/hall' }] },
    ],
  ],
  [
    'a type may contain itself, and paths nest',
    `(component :T)
(entity :Emp {:No {:type :Int :id true}})
(relationship :Team {:meta {:contains [:Emp :Emp :as [:Manager :Reportee]]}})
(dataflow :Hire {:Emp {:No 1} :as :Boss} {:Emp {:No 2} :-> [[:Team :Boss]] :as :Lead} {:Emp {:No 3} :-> [[:Team :Lead]] :as :Clerk} :Clerk)
(dataflow :Below {:Emp? {} :-> [[:Team? {:Emp {:No? 2}}]]})`,
    [
      { ...event('Hire'), status: 200, has: { No: 3, __path__: 'path://T$Emp/1/T$Team/T$Emp/2/T$Team/T$Emp/3' } },
      { ...event('Below'), status: 200, has: [{ No: 3 }] },
      { ask: 'GET /api/T/Emp/1/Team/Emp/2/Team/Emp/3', status: 200, has: { No: 3 } },
    ],
  ],
];

const applications: readonly Script[] = [
  [
    'tasks: what is pending, what is done',
    `(component :T)
(entity :Task {:Id {:type :Int :guid true} :Title :String :Created :Now :Status {:oneof ["in-progress" "done"] :default "in-progress"}})
(entity :Note {:No {:type :Int :id true} :Content :String}) (relationship :Notes {:meta {:contains [:Task :Note]}})
(dataflow :ListPending {:Task {:Status? "in-progress"}})
(event :MarkDone {:Task :Int})
(dataflow :MarkDone {:Task {:Id? :MarkDone.Task :Status "done"}})`,
    [
      create('Task', { Id: 1, Title: 'a' }),
      create('Task', { Id: 2, Title: 'b' }),
      { ...event('ListPending'), status: 200, has: [{ Id: 1 }, { Id: 2 }] },
      { ...event('MarkDone', { Task: 1 }), status: 200, has: [{ Id: 1, Status: 'done' }] },
      { ...event('ListPending'), status: 200, has: [{ Id: 2 }] },
      { ask: 'POST /api/T/Task/2/Notes/Note', body: { 'T/Note': { No: 1, Content: 'x' } }, status: 200 },
    ],
  ],
  [
    'loyalty: points by amount, linked to their customer, summed up',
    `(component :T)
(entity :Customer {:Email {:type :String :guid true}}) (entity :Purchase {:Id :Identity :Customer :String :Amount :Int})
(entity :Point {:Id :Identity :Value :Int}) (relationship :Points {:meta {:between [:Customer :Point]}})
(dataflow [:after :create :Purchase]
  [:match [:> :Instance.Amount 1000]
   [[:match [:>= :Instance.Amount 5000] {:Point {:Value 10}} [:>= :Instance.Amount 2000] {:Point {:Value 5}} {:Point {:Value 2}} :as :P]
    {:Customer {:Email? :Instance.Customer} :-> [[:Points :P]]}]])
(dataflow :FetchPoints
  {:Points? {:where [:= :Customer :FetchPoints.Customer]} :join [{:Point {:Id? :T/Points.Point}}] :with-attributes {:Total [:sum :T/Point.Value]} :as [:R]}
  :R.Total)`,
    [
      create('Customer', { Email: 'ann' }),
      create('Customer', { Email: 'bob' }),
      ...[6000, 2500, 1500, 500].map((amount) => create('Purchase', { Customer: 'ann', Amount: amount })),
      create('Purchase', { Customer: 'bob', Amount: 1001 }),
      { ...event('FetchPoints', { Customer: 'ann' }), status: 200, is: 17 },
      { ...event('FetchPoints', { Customer: 'bob' }), status: 200, is: 2 },
    ],
  ],
  [
    'library: a second checkout of a book gives the first one',
    `(component :T)
(entity :Book {:Isbn {:type :String :guid true}}) (entity :Member {:Email {:type :String :guid true}})
(relationship :Checkout {:meta {:between [:Book :Member]} :On :Now})
(dataflow :BookCheckout
  [:try {:Checkout {:Book? :BookCheckout.Book}}
   :not-found {:Checkout {:Book :BookCheckout.Book :Member :BookCheckout.Member}} :as :C]
  :C.Member)`,
    [
      create('Book', { Isbn: 'b' }),
      create('Member', { Email: 'm1' }),
      create('Member', { Email: 'm2' }),
      { ...event('BookCheckout', { Book: 'b', Member: 'm1' }), status: 200, is: 'm1' },
      { ...event('BookCheckout', { Book: 'b', Member: 'm2' }), status: 200, is: 'm1' },
      { ask: 'GET /api/T/Checkout', status: 200, has: [{ Book: 'b', Member: 'm1' }] },
    ],
  ],
  [
    'billing: a purchase that fails short of stock leaves account and stock as they were',
    `(component :T)
(entity :Account {:No {:type :Int :guid true} :Balance :Int}) (entity :Item {:Sku {:type :String :guid true} :Stock :Int :Price :Int})
(record :Short {:Left :Int}) (event :Buy {:Account :Int :Sku :String :Count :Int})
(dataflow :Buy
  {:Item {:Sku? :Buy.Sku} :as [:I]}
  {:Account {:No? :Buy.Account :Balance '(- :Balance (* :I.Price :Buy.Count))}}
  {:Item {:Sku? :Buy.Sku :Stock '(- :Stock :Buy.Count)} :as [:After]}
  [:match [:< :After.Stock 0] {:Item {:Sku? "none"} :throws {:not-found {:Short {:Left :I.Stock}}}} :After])`,
    [
      create('Account', { No: 1, Balance: 100 }),
      create('Item', { Sku: 's', Stock: 5, Price: 10 }),
      { ...event('Buy', { Account: 1, Sku: 's', Count: 2 }), status: 200, has: { Sku: 's', Stock: 3 } },
      { ...event('Buy', { Account: 1, Sku: 's', Count: 4 }), status: 422, has: [{ status: 'error', result: { Left: 3 } }] },
      { ask: 'GET /api/T/Account/1', status: 200, has: { Balance: 80 } },
      { ask: 'GET /api/T/Item/s', status: 200, has: { Stock: 3 } },
    ],
  ],
  [
    'before an update, what is derived is derived again',
    `(component :T)
(entity :E {:X {:type :Int :guid true} :Y {:type :Int :optional true} :Z {:type :Int :optional true}})
(dataflow [:before :update :E] {:Instance {:Y '(* 10 :Instance.X)}})`,
    [
      create('E', { X: 3 }),
      { ask: 'PUT /api/T/E/3', body: { 'T/E': { Z: 1 } }, status: 200, has: { X: 3, Y: 30, Z: 1 } },
      { ask: 'GET /api/T/E/3', status: 200, has: { Y: 30, Z: 1 } },
    ],
  ],
  [
    'a sum over what is computed',
    `(component :T)
(entity :Line {:No {:type :Int :guid true} :Qty :Int :Cost {:type :Int :expr '(* :Qty 3)}})
(dataflow :Total {:Line? {:sum :Cost} :as [:S]} :S.sum)`,
    [create('Line', { No: 1, Qty: 2 }), create('Line', { No: 2, Qty: 5 }), { ...event('Total'), status: 200, is: 21 }],
  ],
];

const computed: readonly Script[] = [
  [
    'a bonus from the base pay of a one-one link',
    `(component :T)
(entity :Level {:No {:type :Int :guid true} :Base :Decimal :Factor :Int})
(entity :Employee {:Id {:type :Int :guid true} :Bonus {:type :Decimal :optional true :expr '(* :Rank.Level.Base :Rank.Level.Factor 0.1M)}})
(relationship :Rank {:meta {:between [:Employee :Level] :one-one true}})`,
    [
      create('Level', { No: 1, Base: '1000', Factor: 2 }),
      create('Employee', { Id: 1 }),
      { ask: 'GET /api/T/Employee/1', status: 200, has: { Bonus: null } },
      create('Rank', { Employee: 1, Level: 1 }),
      { ask: 'GET /api/T/Employee/1', status: 200, has: { Bonus: '200.0' } },
    ],
  ],
  [
    'a sum of an attribute of contained children',
    `(component :T)
(entity :Order {:No {:type :Int :guid true} :Total {:type :Int :expr '(sum :Lines.Line.Amount)}})
(entity :Line {:No {:type :Int :id true} :Amount :Int})
(relationship :Lines {:meta {:contains [:Order :Line]}})`,
    [
      create('Order', { No: 1 }),
      { ask: 'POST /api/T/Order/1/Lines/Line', body: { 'T/Line': { No: 1, Amount: 3 } }, status: 200 },
      { ask: 'POST /api/T/Order/1/Lines/Line', body: { 'T/Line': { No: 2, Amount: 4 } }, status: 200 },
      { ask: 'GET /api/T/Order/1', status: 200, has: { Total: 7 } },
    ],
  ],
];

for (const [group, scripts] of Object.entries({ reading, related, applications })) {
  describe(group, () => {
    for (const [title, source, steps] of scripts) {
      test(title, async () => check(await serve({ 't.platform': source }, { surfaces: ['earlier'] }), steps));
    }
  });
}

describe('computed through a relationship', () => {
  for (const [title, source, steps] of computed)
    test(title, async () => check(await serve({ 't.platform': source }, { surfaces: ['earlier'] }), steps));
});

test('the same event gives the same answer on both surfaces', async () => {
  const served = await serve({ 't.platform': `${sixRows}(dataflow :Ev {:E {:X? [:> :Ev.Min]}})` }, { surfaces: ['earlier', 'current'] });
  const { body: tagged } = await served.post('/api/T/Ev', { 'T/Ev': { Min: 4 } });
  const { body: flat } = await served.post('/T/Ev', { Min: 4 });
  expect(tagged).toEqual(rows(5, 6));
  expect(flat).toEqual([{ X: 5 }, { X: 6 }]);
});
