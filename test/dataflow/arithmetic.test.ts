// One arithmetic: numbers are exact wherever an expression stands, unless a `Float` takes part.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';

const model = `module m
record Pack { weight Decimal, parts Decimal[], f Float @optional }
entity E {
  id Int @id, d Decimal, n Int, f Float, s String @optional, prices Decimal[], pack Pack, any Any @optional,
  twice Decimal @expr(pack.weight * 2),
  tax Decimal @expr(round(d * 0.19, 2)),
  plain Any @expr(d * 1.07)
}
entity Total { id Int @id, sum Decimal @expr(sum(Of.Line.price) * 1.1), mean Any @expr(avg(Of.Line.count)) }
entity Line { no Int @id, price Decimal, count Int }
relationship Of contains(Total, Line)
entity T { id Int @id, d Decimal @optional, n Int @optional, f Float @optional, any Any @optional, map Map @optional, pack Pack @optional }
event Paid { amount Decimal, parts Decimal[], by String }
`;

/** With one `E`, `e`: d "12.5", n 3, f 0.1, s "1.25", prices "50" and "2.50", a pack of weight "50". */
const values: readonly (readonly [title: string, expression: string, text: string])[] = [
  ['a literal with a fraction is a decimal', '0.1 + 0.2', '"0.3"'],
  ['so is one beside a Decimal and an Int', 'e.d + e.n * 0.1', '"12.8"'],
  ['one of 17 digits keeps them', '0.10000000000000001 * 1', '"0.10000000000000001"'],
  ['a decimal in a record is a number', 'e.pack.weight - 1', '"49"'],
  ['and compares as one', '5 < e.pack.weight', 'true'],
  ['a list of a record holds numbers', '{for x in e.pack.parts { x * 2 }}', '["0.2","0.4"]'],
  ['a list holds numbers', '{for x in e.prices { x + 1 }}', '["51","3.50"]'],
  ['a Float makes doubles', 'e.f * e.n', '0.30000000000000004'],
  ['one that is whole too', '(e.f * 10) / e.n', '0.3333333333333333'],
  ['a quotient has 34 digits', '1 / 3', '"0.3333333333333333333333333333333333"'],
  ['rounded half to even', '20000000000000000000000000000000005 / 10', '"2000000000000000000000000000000000"'],
  ['as many as it needs', '0.000000000000000000001 / 8', '"0.000000000000000000000125"'],
  ['of whole numbers it is one where it can be', '12 / 4', '3'],
  [
    'halves are rounded away from zero',
    '[round(2.5), round(-2.5), round(1.005, 2), round(1250, -2), round(e.d, 2)]',
    '[3,-3,"1.01",1300,"12.50"]',
  ],
  ['down, up, without its sign', '[floor(-2.5), ceil(-2.5), ceil(2.1), abs(-2.50), abs(-3)]', '[-3,-2,3,"2.5",3]'],
  ['the least and the greatest', '[min(e.d, 3, 7), max(e.d, 3), min(e.prices)]', '[3,"12.5","2.50"]'],
  ['what is absent is not rounded', '[round(null), min(1, null)]', '[null,null]'],
  ['texts are put together', 'e.n + e.s', '"31.25"'],
  ['a map holds decimals', '{"a": e.d * 2, "b": [e.f]}', '{"a":"25.0","b":[0.1]}'],
];

const row = { id: 1, d: '12.5', n: 3, f: 0.1, s: '1.25', prices: ['50', '2.50'], pack: { weight: '50', parts: ['0.1', '0.2'] } };

test('numbers in workflows', async () => {
  const flows = values.map(([, expression], at) => {
    const loop = /^\{(for .*)\}$/.exec(expression)?.[1];
    return `workflow w${at} { {E {id? 1}} @as [e]\n ${loop ?? expression} }`;
  });
  const served = await serve(`${model}${flows.join('\n')}`);
  expect((await served.post('/m/E', row)).body).toMatchObject({ twice: '100', tax: '2.38', plain: 13.375 });
  for (const [at, [title, , text]] of values.entries()) expect([title, (await served.post(`/m/w${at}`, {})).text]).toEqual([title, text]);
});

/** What a created `T` answers, or the status where it is refused. */
const targets: readonly (readonly [title: string, attributes: string, expected: object | number])[] = [
  ['a text counts as the number that it reads as, where the target is a number', 'd e.n + e.s', { d: '4.25' }],
  ['inside of more arithmetic too', 'd (e.s + 1) * 2', { d: '4.50' }],
  ['another text is refused', 'd e.n + "x"', 422],
  ['a whole result fits an Int', 'n e.d * 2', { n: 25 }],
  ['another does not', 'n e.d * 1', 422],
  ['nor one that a double would round', 'n 2.00000000000000000001 * 1', 422],
  ['a Float takes the double next to it', 'f 0.1 + 0.2', { f: 0.3 }],
  ['an Any a number where a double is written the same', 'any e.d * 2', { any: 25 }],
  ['else a text', 'any 1 / 3', { any: '0.3333333333333333333333333333333333' }],
  ['so does a map, at any depth', 'map {"a": e.d, "b": [{"c": 0.1 + 0.2}], "r": e.pack}', { map: { a: 12.5, b: [{ c: 0.3 }] } }],
  [
    'a record takes what its attributes take',
    'pack {"weight": e.d + "1", "parts": [1 / 4], "f": 0.1 + 0.2}',
    { pack: { weight: '13.5', parts: ['0.25'], f: 0.3 } },
  ],
];

test('numbers in what is created and changed', async () => {
  const flows = targets.flatMap(([, attributes], at) => [
    `workflow c${at} { {E {id? 1}} @as [e]\n {T {id ${at}, ${attributes}}} }`,
    `workflow u${at} { {E {id? 1}} @as [e]\n {T {id? 100}} @as [t]\n {t {${attributes}}} }`,
  ]);
  const served = await serve(`${model}${flows.join('\n')}`);
  await served.post('/m/E', row);
  await served.post('/m/T', { id: 100 });
  for (const [at, [title, , expected]] of targets.entries()) {
    for (const each of [`c${at}`, `u${at}`]) {
      const { status, body } = await served.post(`/m/${each}`, {});
      if (typeof expected === 'number') expect([title, each, status]).toEqual([title, each, expected]);
      else expect([title, each, Array.isArray(body) ? body[0] : body]).toMatchObject([title, each, expected]);
    }
  }
});

test('a text that is no number is a fault of the attribute that is computed from it, by its name', async () => {
  const served = await serve(`module m
entity P { id Int @id, all Decimal @optional @expr(round(sum(R.K.n) + s, 1)), s String @optional }
entity K { id Int @id, n Int, s String @optional, twice Decimal @optional @expr(s * 2) }
relationship R contains(P, K)`);
  expect((await served.post('/m/P', { id: 1, R: [{ id: 1, n: 2, s: '1.5' }] })).status).toBe(201);
  for (const [target, body, attribute] of [
    ['/m/P/1/R/K/1', { s: 'x' }, 'twice'],
    ['/m/P/1', { s: 'x' }, 'P.all'],
  ] as const)
    expect(await served.put(target, body)).toMatchObject({ status: 422, body: { errors: [{ attribute, code: 'type' }] } });
});

test('numbers along relationships, in events and in reports', async () => {
  const served = await serve(`${model}
workflow Paid { for x in Paid.parts { x * Paid.amount } }
workflow report { {Line? {}, @into {s @sum(Line.price), a @avg(Line.count), d @max(Line.price)}} @as [r]
 [r.s + 1, r.a * 2, r.d * 0.1] }
workflow limited { {Line? {}, @limit(4 / 2.0)} @as l
 l.no }`);
  await served.post('/m/Total', { id: 1 });
  for (const [no, price] of [
    [1, '0.10'],
    [2, '0.20'],
    [3, '1'],
  ] as const)
    await served.post('/m/Total/1/Of/Line', { no, price, count: no * no });
  expect((await served.get('/m/Total/1')).text).toBe('{"id":1,"sum":"1.430","mean":"4.666666666666666666666666666666667"}');
  expect((await served.post('/m/Paid', { amount: '1.10', parts: ['2', '0.5'], by: 'x' })).text).toBe('["2.20","0.550"]');
  expect((await served.post('/m/report', {})).text).toBe('["2.30","9.333333333333333333333333333333334","0.1"]');
  expect((await served.post('/m/limited', {})).status).toBe(200);
});

const earlier = `(component :M)
(entity :E {:Id {:type :Int :guid true} :Price :Decimal :S {:type :String :optional true} :F {:type :Float :optional true}
  :Gross '(* :Price 1.07M) :Net {:type :Decimal :expr '(round (/ :Price 3) 2)}})
(entity :T {:Id {:type :Int :guid true} :D :Decimal})
(dataflow :Plus {:E {:Id? 1} :as [:X]} [:eval '(+ :X.Price :X.S)])
(dataflow :Wrong {:E {:Id? 1} :as [:X]} [:eval '(+ :X.Price "x")])
(dataflow :Made {:E {:Id? 1} :as [:X]} {:T {:Id 1 :D '(max 0.1 (* 0.1 3))}})
(dataflow :Code {:E {:Id? 1} :as [:X]} [:eval '(let [a 0.1] (+ a 0.2 :X.Price))])
(dataflow :Double {:E {:Id? 1} :as [:X]} [:eval '(let [a 3] (* a :X.F))])
(defn shadow [x] (round x 1))
(dataflow :Own [:eval '(shadow 1.25)])
(defn floor [x] "mine")
(dataflow :Mine [:eval '(floor 1.25)])
(dataflow :Third [:eval '[1/3 1/2 (* 1/3 3) -4/2 (round 2/3 2)]])
(defn third [] [1/3 1/2 (* 1/3 3)])
(dataflow :Thirds [:eval '(third)])
`;

test('numbers in quoted forms and in functions of the earlier syntax', async () => {
  const served = await serve({ 'm.platform': earlier }, { surfaces: ['earlier'] });
  const made = await served.post('/api/M/E', { 'M/E': { Id: 1, Price: '0.10', S: '1.25', F: 0.1 } });
  expect(made.text).toContain('"Gross":0.107,"Net":"0.03"');
  const ask = async (name: string) => (await served.post(`/api/M/${name}`, { [`M/${name}`]: {} })).text;
  expect(await ask('Plus')).toBe('"1.35"');
  expect((await served.post('/api/M/Wrong', { 'M/Wrong': {} })).status).toBe(422);
  expect(await ask('Made')).toContain('"D":"0.3"');
  expect(await ask('Code')).toBe('"0.40"');
  expect(await ask('Double')).toBe('0.30000000000000004');
  expect(await ask('Own')).toBe('"1.3"');
  expect(await ask('Mine')).toBe('"mine"');
  const third = '0.3333333333333333333333333333333333';
  expect(await ask('Third')).toBe(`["${third}",0.5,"${third.replaceAll('3', '9')}",-2,"0.67"]`);
  expect(await ask('Thirds')).toBe(`["${third}",0.5,"${third.replaceAll('3', '9')}"]`);
});
