// Each form of the earlier surface's dataflow patterns, posted over HTTP, and the form of its result.

import { describe, expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';

const hr = `(component :Hr)
(entity :Team {:Code {:type :String :guid true} :Size :Int :Rank {:type :Int :optional true}})
(entity :Dept {:Id {:type :Int :guid true} :Name :String})
(entity :Emp {:No {:type :String :id true} :Name :String :Grade {:type :String :optional true}})
(entity :Person {:Email {:type :String :guid true}})
(relationship :WorksFor {:meta {:contains [:Dept :Emp]}})
(relationship :Knows {:meta {:between [:Person :Person :as [:From :To]]} :Since {:type :String :optional true}})
(record :Note {:Text :String})
{:Team {:Code "T1" :Size 1} }
{:Team {:Code "T2" :Size 2} }
{:Team {:Code "T3" :Size 3} }
{:Team {:Code "T4" :Size 4} }
{:Team {:Code "T5" :Size 5} }
{:Team {:Code "T6" :Size 6} }
{:Dept {:Id 1 :Name "one"}}
{:Dept {:Id 2 :Name "two"}}
{:Emp {:No "e1" :Name "Ann" :Grade "a"} :-> [[:WorksFor {:Dept {:Id? 1}}]]}
{:Emp {:No "e2" :Name "Bob" :Grade "b"} :-> [[:WorksFor {:Dept {:Id? 1}}]]}
{:Emp {:No "e1" :Name "Cyd"} :-> [[:WorksFor {:Dept {:Id? 2}}]]}
{:Person {:Email "a"}}
{:Person {:Email "b"}}
{:Person {:Email "c"}}
`;

const team = (code: string, size: number) => ({ Code: code, Size: size, Rank: null });
const tagged = (type: string, values: object) => ({ 'type-*-tag-*-': 'entity', '-*-type-*-': type, ...values });
const teams = (...sizes: readonly number[]) => sizes.map((size) => tagged('Hr/Team', team(`T${size}`, size)));
const emp = (dept: number, no: string, name: string, grade: string | null) =>
  tagged('Hr/Emp', { No: no, Name: name, Grade: grade, __path__: `path://Hr$Dept/${dept}/Hr$WorksFor/Hr$Emp/${no}` });

/** Title, the patterns of a dataflow, the attributes of its event, what it answers. */
type Case = readonly [title: string, patterns: string, attributes: object, expected: unknown];

const results: readonly Case[] = [
  ['a query gives an array of tagged instances', '{:Team {:Code? "T1"}}', {}, teams(1)],
  ['nothing found is an empty array', '{:Team {:Code? "none"}}', {}, []],
  ['an entity created last stands under its name, without tags', '{:Team {:Code "T9" :Size 9}}', {}, { 'Hr/Team': team('T9', 9) }],
  ['a record too', '{:Note {:Text :Ev.X}}', { X: 'hi' }, { 'Hr/Note': { Text: 'hi' } }],
  ['an alias of an instance has tags', '{:Team {:Code "T9" :Size 9} :as :T} :T', {}, tagged('Hr/Team', team('T9', 9))],
  ['an update gives an array', '{:Team {:Code? "T1" :Size 7}}', {}, [tagged('Hr/Team', team('T1', 7))]],
  ['a delete too', '[:delete :Team {:Code "T1"}]', {}, teams(1)],
  [
    'a loop of creates gives keyed objects',
    '[:for-each :Team? {:Note {:Text :%.Code}}]',
    {},
    [1, 2, 3, 4, 5, 6].map((n) => ({ 'Hr/Note': { Text: `T${n}` } })),
  ],
  ['a scalar is bare', "[:eval '(+ 1 2)]", {}, 3],
  ['no match is false', '[:match :Ev.X 1 {:Note {:Text "one"}}]', { X: 2 }, false],
];

const queries: readonly Case[] = [
  ['operators', '{:Team {:Size? [:> 4]}}', {}, teams(5, 6)],
  ['and', '{:Team {:Size? [:and [:> 2] [:< 5]]}}', {}, teams(3, 4)],
  ['or', '{:Team {:Size? [:or [:= 1] [:> 5]]}}', {}, teams(1, 6)],
  ['like', '{:Team {:Code? [:like "T%"] :Size? [:<= 2]}}', {}, teams(1, 2)],
  ['in', '{:Team {:Size? [:in [2 3]]}}', {}, teams(2, 3)],
  ['between', '{:Team {:Size? [:between 2 3]}}', {}, teams(2, 3)],
  ['all', ':Team?', {}, teams(1, 2, 3, 4, 5, 6)],
  [
    'where, order, limit',
    '{:Team? {:where [:and [:>= :Size 2] [:< :Size :Ev.X]] :order-by [[:Size :desc]] :limit 2}}',
    { X: 5 },
    teams(4, 3),
  ],
  ['order, offset', '{:Team? {:order-by [:Size] :limit 2 :offset 4}}', {}, teams(5, 6)],
  [
    'aggregates',
    '{:Team? {:where [:> :Size 3] :count :* :sum :Size :avg :Size :max :Size :min :Size}}',
    {},
    [{ count: 3, sum: 15, avg: 5, max: 6, min: 4 }],
  ],
  ['destructuring', '{:Team? {} :as [:R1 :R2 :_ :R4 :& :RS]} [:R1.Size :R2.Size :R4.Size :RS.Size]', {}, [1, 2, 4, 5]],
  ['children of a parent', '{:Emp? {} :-> [[:WorksFor? {:Dept {:Id? 1}}]]}', {}, [emp(1, 'e1', 'Ann', 'a'), emp(1, 'e2', 'Bob', 'b')]],
  ['one child', '{:Dept {:Id? 1} :as [:D]} {:Emp? {} :-> [[:WorksFor? :D "e2"]]}', {}, [emp(1, 'e2', 'Bob', 'b')]],
  ['children with further filters', '{:Dept {:Id? 1} :as [:D]} {:Emp {:Grade? "a"} :-> [[:WorksFor? :D]]}', {}, [emp(1, 'e1', 'Ann', 'a')]],
  ['a path query', '[:? {:Dept {:Id 2}} :WorksFor {:Emp {:No "e1"}}]', {}, [emp(2, 'e1', 'Cyd', null)]],
  ['a path query through the wrong parent', '[:? {:Dept {:Id 2}} :WorksFor {:Emp {:No "e2"}}]', {}, []],
  ['a path', '{:Emp? "path://Hr$Dept/1/Hr$WorksFor/Hr$Emp/e2"}', {}, [emp(1, 'e2', 'Bob', 'b')]],
  [
    'a join',
    '{:Team? {} :join [{:Dept {:Id? :Hr/Team.Size}}] :with-attributes {:Name :Hr/Dept.Name :Code :Hr/Team.Code}}',
    {},
    [
      { Name: 'one', Code: 'T1' },
      { Name: 'two', Code: 'T2' },
    ],
  ],
];

const writes: readonly Case[] = [
  ['an attribute of the instance itself', '{:Team {:Code? "T2" :Size \'(+ :Size 10)}}', {}, [tagged('Hr/Team', team('T2', 12))]],
  [
    'a change of what an alias holds',
    '{:Team {:Size? [:< 3]} :as :T} {:T {:Size 0}}',
    {},
    [tagged('Hr/Team', team('T1', 0)), tagged('Hr/Team', team('T2', 0))],
  ],
  ['from a map', '{:Team {:Size 5} :from :Ev.Data}', { Data: { Code: 'T9', Rank: 1 } }, { 'Hr/Team': { Code: 'T9', Size: 5, Rank: 1 } }],
  ['upsert', '{:Team {:Code "T1" :Size 50} :upsert true} {:Team {:Code? "T1"}}', {}, [tagged('Hr/Team', team('T1', 50))]],
  [
    'a child under an alias',
    '{:Dept {:Id? 2} :as [:D]} {:Emp {:No "e9" :Name "Dee"} :-> [[:WorksFor :D]] :as :E} :E',
    {},
    emp(2, 'e9', 'Dee', null),
  ],
  [
    'a link to what is found, and a query by it',
    '{:Person {:Email? "b"} :as [:B]} {:Person {:Email? "a"} :-> [[{:Knows {:Since "2020"}} :B]]} {:Person? {} :-> [[{:Knows {:From? "a"}}]]}',
    {},
    [tagged('Hr/Person', { Email: 'b' })],
  ],
  ['an embedded create', '{:Note {:Text "x"}} {:Dept {:Id 3 :Name :Note.Text}}', {}, { 'Hr/Dept': { Id: 3, Name: 'x' } }],
];

const control: readonly Case[] = [
  ...[
    [3000, '100'],
    [20, '5'],
    [21, '12'],
    [-1, '0'],
    [100, '2'],
    [9, '1'],
  ].map(
    ([x, text]): Case => [
      `conditions in order: ${x}`,
      `[:match [:between 1000 5000 :Ev.X] {:Note {:Text "100"}}
        [:= :Ev.X 20] {:Note {:Text "5"}}
        [:in [21 23] :Ev.X] {:Note {:Text "12"}}
        [:< :Ev.X 0] {:Note {:Text "0"}}
        [:or [:= 100 :Ev.X] [:= 101 :Ev.X]] {:Note {:Text "2"}}
        {:Note {:Text "1"}}]`,
      { X: x },
      { 'Hr/Note': { Text: text } },
    ],
  ),
  [
    'the case form',
    '[:match :Ev.X 1 {:Note {:Text "one"}} 2 [{:Team {:Code "T9" :Size 9}} {:Note {:Text "two"}}] {:Note {:Text "more"}}]',
    { X: 2 },
    { 'Hr/Note': { Text: 'two' } },
  ],
  [
    'try, found',
    '[:try {:Team {:Code? "T1"}} :ok {:Note {:Text "yes"}} :not-found {:Note {:Text "no"}}]',
    {},
    { 'Hr/Note': { Text: 'yes' } },
  ],
  [
    'try, not found',
    '[:try {:Team {:Code? "x"}} :ok {:Note {:Text "yes"}} [:not-found :error] {:Note {:Text "no"}}]',
    {},
    { 'Hr/Note': { Text: 'no' } },
  ],
  ['try, an error', '[:try {:Team {:Code "T1" :Size 1}} :error {:Note {:Text :Error.code}}]', {}, { 'Hr/Note': { Text: 'duplicate' } }],
  [
    'try, an error of attributes, which are named',
    '[:try {:Team {:Code "T9" :Size "much"}} :error {:Note {:Text :Error.message}}]',
    {},
    { 'Hr/Note': { Text: expect.stringMatching(/^Some attributes do not fit: Size must be .*\.$/) } },
  ],
  ['quoted data', '[:eval [:q# {:a [1 :b] :c [:uq# :Ev.X]}]]', { X: 5 }, { a: [1, 'b'], c: 5 }],
  ['texts', '{:Note {:Text \'(str "n" :Ev.X "!")}}', { X: 5 }, { 'Hr/Note': { Text: 'n5!' } }],
];

for (const [group, cases] of Object.entries({ results, queries, writes, control })) {
  describe(group, () => {
    for (const [title, patterns, attributes, expected] of cases) {
      test(title, async () => {
        const served = await serve({ 'hr.platform': `${hr}\n(dataflow :Ev ${patterns})` }, { surfaces: ['earlier'] });
        const answer = await served.post('/api/Hr/Ev', { 'Hr/Ev': attributes });
        expect(answer.body, answer.text).toEqual(expected);
        expect(answer.status).toBe(200);
      });
    }
  });
}

const failing: readonly (readonly [title: string, patterns: string, status: number, expected: object])[] = [
  [
    'throws keeps the failure and tells the handler’s value',
    '{:Team {:Code? "x"} :throws {:not-found {:Note {:Text "no"}}}}',
    422,
    { status: 'error', code: 'dataflow-failed', result: { Text: 'no' } },
  ],
  [
    'throws on an error',
    '{:Team {:Code "T1" :Size 1} :throws {:error {:Note {:Text :Error.code}}}}',
    422,
    { result: { Text: 'duplicate' } },
  ],
  [
    'rethrow goes on with the failure',
    '[:try {:Team {:Code "T1" :Size 1}} :error [:rethrow-after {:Team {:Code "T9" :Size 9}}]]',
    409,
    { code: 'duplicate' },
  ],
  ['faulty attributes', '{:Team {:Code "T9" :Size :Ev.Size}}', 422, { code: 'attributes-invalid' }],
];

describe('failures', () => {
  for (const [title, patterns, status, expected] of failing) {
    test(title, async () => {
      const served = await serve({ 'hr.platform': `${hr}\n(dataflow :Ev ${patterns})` }, { surfaces: ['earlier'] });
      const answer = await served.post('/api/Hr/Ev', { 'Hr/Ev': { Size: 'x' } });
      expect(answer.body, answer.text).toMatchObject([expected]);
      expect(answer.status).toBe(status);
      expect(await all(served, 'Team')).toHaveLength(6);
    });
  }
});

async function all(served: Served, type: string): Promise<unknown> {
  return (await served.get(`/api/Hr/${type}`)).body;
}

describe('the events that every entity has', () => {
  const calls: readonly (readonly [event: string, attributes: object, status: number, expected: unknown])[] = [
    ['Create_Team', { Instance: { Code: 'T9', Size: 9 } }, 200, { 'Hr/Team': team('T9', 9) }],
    ['Create_Team', { Instance: { 'Hr/Team': { Code: 'T8', Size: 8 } } }, 200, { 'Hr/Team': team('T8', 8) }],
    ['Update_Team', { Code: 'T9', Data: { Size: 10 } }, 200, [tagged('Hr/Team', team('T9', 10))]],
    ['Lookup_Team', { Code: 'T9' }, 200, [tagged('Hr/Team', team('T9', 10))]],
    ['Delete_Team', { Code: 'T9' }, 200, [tagged('Hr/Team', team('T9', 10))]],
    ['Lookup_Team', { Code: 'T9' }, 200, []],
    [
      'Create_Emp',
      { Instance: { No: 'e5', Name: 'Eve' }, __path__: '/Dept/2/WorksFor' },
      200,
      expect.objectContaining({ 'Hr/Emp': expect.objectContaining({ No: 'e5' }) }),
    ],
    ['Update_Emp', { __path__: 'path://Hr$Dept/2/Hr$WorksFor/Hr$Emp/e5', Data: { Grade: 'z' } }, 200, [emp(2, 'e5', 'Eve', 'z')]],
    ['LookupAll_Emp', { __path__: 'path://Hr$Dept/2/%' }, 200, [emp(2, 'e1', 'Cyd', null), emp(2, 'e5', 'Eve', 'z')]],
    ['Delete_Team', { Code: 'T9' }, 404, [expect.objectContaining({ status: 'not-found' })]],
  ];

  test('are posted at their own paths and to /dynamic', async () => {
    const served = await serve({ 'hr.platform': hr }, { surfaces: ['earlier'] });
    for (const [index, [event, attributes, status, expected]] of calls.entries()) {
      const answer = await served.post(index % 2 === 0 ? `/api/Hr/${event}` : '/dynamic', { [`Hr/${event}`]: attributes });
      expect(answer.body, `${event} ${answer.text}`).toEqual(expected);
      expect(answer.status).toBe(status);
    }
  });
});

describe('what storing sets off', () => {
  const model = `(component :Hr)
(entity :T {:Id {:type :Int :guid true} :Y {:type :Int :optional true}})
(entity :Log {:Id :Identity :Text :String})
`;
  const logs = async (served: Served) => {
    const body = await all(served, 'Log');
    return Array.isArray(body) ? body.map((each) => each.Text) : body;
  };
  const post = (served: Served, id: number) => served.post('/api/Hr/T', { 'Hr/T': { Id: id } });

  test('several dataflows of one event run in order, before and after', async () => {
    const served = await serve(
      {
        'hr.platform': `${model}
(dataflow [:before :create :T] {:Instance {:Y '(* 10 :Instance.Id)}})
(dataflow [:after :create :T] {:Log {:Text '(str "first " :Instance.Y)}})
(dataflow [:after :create :T] {:Log {:Text "second"}})`,
      },
      { surfaces: ['earlier'] },
    );
    expect((await post(served, 3)).body).toMatchObject([{ result: [{ Id: 3, Y: 30 }] }]);
    expect(await logs(served)).toEqual(['first 30', 'second']);
  });

  test('an event with a condition is made whenever it holds', async () => {
    const served = await serve(
      { 'hr.platform': `${model}(dataflow [:Big :when [:> :T.Id 10]] {:Log {:Text '(str "big " :Big.T.Id)}})` },
      { surfaces: ['earlier'] },
    );
    await post(served, 5);
    await post(served, 11);
    expect(await logs(served)).toEqual(['big 11']);
  });

  test('a rule runs after the commit', async () => {
    const served = await serve(
      { 'hr.platform': `${model}(rule :R1 {:T {:Id [:>= 500]} :as :A} :then {:Log {:Text '(str "rule " :A.Id)}})` },
      { surfaces: ['earlier'] },
    );
    await post(served, 5);
    await post(served, 500);
    await expect.poll(() => logs(served)).toEqual(['rule 500']);
  });

  test('AppInit runs at start', async () => {
    const served = await serve(
      { 'hr.platform': `${model}(dataflow :Platform.Kernel.Lang/AppInit {:Log {:Text "begin"}})` },
      { surfaces: ['earlier'] },
    );
    expect(await logs(served)).toEqual(['begin']);
  });

  test('what is awaited runs after the commit', async () => {
    const served = await serve(
      { 'hr.platform': `${model}(dataflow :Ev [:await {:T {:Id 1}} :ok {:Log {:Text "done"}}])` },
      { surfaces: ['earlier'] },
    );
    expect((await served.post('/api/Hr/Ev', { 'Hr/Ev': {} })).body).toEqual(['await', 'ok']);
    await expect.poll(() => logs(served)).toEqual(['done']);
  });

  test('a query object is data', async () => {
    const served = await serve(
      { 'hr.platform': `${model}{:T {:Id 1}} {:T {:Id 2}} {:T {:Id 3}}\n(dataflow :Ev [:query :Ev.Q])` },
      { surfaces: ['earlier'] },
    );
    const ask = async (query: object) => (await served.post('/api/Hr/Ev', { 'Hr/Ev': { Q: query } })).body;
    expect(
      await ask({ from: 'Hr/T', where: ['and', ['>', 'Id', 1], ['<=', 'Id', 3]], 'order-by': [['Id', 'desc']], limit: 1 }),
    ).toMatchObject([{ Id: 3 }]);
    expect(await ask({ from: 'Hr/T', where: ['=', 'Nope', 1] })).toMatchObject([{ code: 'attributes-invalid' }]);
    const wide = ['or', ...Array.from({ length: 21 }, () => ['=', 'Id', null])];
    const deep = Array.from({ length: 21 }).reduce<unknown>((inner) => ['not', inner], ['=', 'Id', 1]);
    expect(await ask({ from: 'Hr/T', where: ['=', 'Id', { a: 1 }] })).toEqual([]);
    expect(await ask({ from: 'Hr/T', where: ['in', 'Id', 1, 3] })).toMatchObject([{ Id: 1 }, { Id: 3 }]);
    const [one, two] = [
      ['=', 'Id', 1],
      ['=', 'Id', 2],
    ];
    for (const where of [['=', { a: 1 }, 1], ['and'], ['or'], ['not'], ['not', one, two], ['=', 'Id', 1, 2], ['=', 'Id'], wide, deep])
      expect(await ask({ from: 'Hr/T', where }), JSON.stringify(where)).toMatchObject([{ code: 'attributes-invalid' }]);
    for (const order of [[['Id', 'down']], [{ a: 1 }], 1])
      expect(await ask({ from: 'Hr/T', 'order-by': order }), JSON.stringify(order)).toMatchObject([{ code: 'attributes-invalid' }]);
    expect(await ask({ from: 'Hr/None' })).toMatchObject([{ code: 'dataflow-failed' }]);
  });

  test('a dataflow may say how it is answered', async () => {
    const response = (http: string) => `{:Platform.Kernel.Lang/Response {:HTTP ${http}}}`;
    const served = await serve(
      {
        'hr.platform': `${model}
(dataflow :Bad ${response('{:status 418 :body "teapot"}')})
(dataflow :Accepted ${response('{:status 202 :body {:a 1}}')})
(dataflow :None {:T {:Id? 99} :throws {:not-found ${response('{:status 404 :body "no such T"}')}}})`,
      },
      { surfaces: ['earlier'] },
    );
    const ask = async (event: string) => {
      const { status, body } = await served.post(`/api/Hr/${event}`, { [`Hr/${event}`]: {} });
      return { status, body };
    };
    expect(await ask('Bad')).toMatchObject({ status: 418, body: [{ status: 'error', result: 'teapot' }] });
    expect(await ask('Accepted')).toEqual({ status: 202, body: { a: 1 } });
    expect(await ask('None')).toMatchObject({ status: 404, body: [{ status: 'not-found', result: 'no such T' }] });
  });
});
