// Events of which another system is told before their workflow runs: the result is that of the workflow, and a call that nothing undoes is shown.

import { expect, test } from 'vitest';
import { world } from '../access/people.ts';
import { type Options, type Served, serve } from '../support/app.ts';
import { modelServer } from '../support/model-server.ts';
import { askFor, fits, type Step } from '../support/table.ts';

const bank = `
const calls = [];
const fail = new Map();
async function act(name, event, context) {
  calls.push(name + ' ' + context.type + ' ' + (event.id ?? event.text ?? ''));
  const how = fail.get(name);
  if (how === 'refuse') throw { status: 402, message: 'not enough money' };
  if (how === 'fail') throw new Error('the line is dead');
  if (how === 'never') return new Promise(() => {});
  return { by: name, ...(event.pin ? { pin: event.pin } : {}) };
}
export const first = (event, context) => act('first', event, context);
export const second = (event, context) => act('second', event, context);
export const told = () => calls.splice(0);
export const fails = (name, how) => { if (how === '') fail.delete(name); else fail.set(name, how); return 1; };
`;

const source = `module shop
import "bank.js" @as bank
entity Payment { id String @id, amount Int }
entity Order { id String @id, amount Int }
event charge { id String, amount Int, pin String @optional @writeonly }
workflow charge { {Payment {id charge.id, amount charge.amount}} @as made; if (charge.amount > 100) { throw("too much") }; made }
event look { id String }
workflow look { {Payment {id? look.id}} @as [found]; if (look.id == "nothing") { throw("not that") }; found }
event ping { text String }
event pay { id String, amount Int }
workflow pay { {charge {id pay.id, amount pay.amount, pin "1234"}} @as paid; if (pay.amount > 50) { throw("no") }; paid }
event tried { id String, amount Int }
workflow tried { {charge {id tried.id, amount tried.amount}} @catch { error {Payment {id "caught", amount 0}} } }
workflow @after create:Order { {charge {id this.id, amount this.amount}} }
event told { }
workflow told { bank.told() }
event fails { name String, how String }
workflow fails { bank.fails(fails.name, fails.how) }
resolver first [shop/charge, shop/look, shop/ping] @compose { eval bank.first }
resolver second [shop/charge] @compose { eval bank.second }
`;

/** Only where a handler is not to answer: where others answer, they have the time that a loaded machine takes. */
const impatient: Options = { resolvers: ['shop/first', 'shop/second'].map((name) => ({ name, timeout: 0.3 })) };

const open = (options: Options = {}): Promise<Served> => serve({ 'core.al': source, 'bank.js': bank }, options);

async function check(served: Served, steps: readonly Step[]): Promise<void> {
  for (const step of steps) fits(step, await askFor(served, step));
}

const told = (...calls: readonly string[]): Step => ({ ask: 'POST /shop/told', body: {}, status: 200, is: calls });
const fails = (name: string, how: string): Step => ({ ask: 'POST /shop/fails', body: { name, how }, status: 200 });
const never = fails('first', 'never');
const a = { id: 'a', amount: 1 };
const both = (id: string): readonly string[] => [`first shop/charge ${id}`, `second shop/charge ${id}`];
const undoable = 'what followed it failed: there is no handler that undoes an event';
const unknown = 'it failed, and nobody can be asked whether it was done';

async function here({ kept }: Served): Promise<readonly string[]> {
  return (await kept.rows('SELECT id, amount FROM "shop/Payment" ORDER BY id')).map(({ id, amount }) => `${id} ${amount}`);
}

/** `resolver operation: why` of each. */
async function pending(served: Served): Promise<readonly string[]> {
  const { body } = await served.get('/platform.resolver/Pending?@sort=since');
  const rows: readonly Record<string, unknown>[] = Array.isArray(body) ? body : [];
  return rows.map(({ resolver, operation, type, error }) => `${resolver} ${operation} ${type}: ${error}`).sort();
}

const left = (resolver: string, why: string): string => `shop/${resolver} eval shop/charge: ${why}`;

const tables: readonly (readonly [title: string, steps: readonly Step[], stored: readonly string[], pending: readonly string[]])[] = [
  [
    'compose runs the handlers in the order of the text, then the dataflow, whose result counts',
    [{ ask: 'POST /shop/charge', body: a, status: 200, is: a }, told(...both('a'))],
    ['a 1'],
    [],
  ],
  [
    'a workflow that only reads runs behind the handler too, and an event without a workflow gives what the handler gave',
    [
      { ask: 'POST /shop/charge', body: a, status: 200 },
      { ask: 'POST /shop/look', body: { id: 'a' }, status: 200, is: a },
      { ask: 'POST /shop/ping', body: { text: 'x' }, status: 200, is: { by: 'first' } },
      { ask: 'POST /shop/look', body: { id: 'nothing' }, status: 422 },
      told(...both('a'), 'first shop/look a', 'first shop/ping x', 'first shop/look nothing'),
    ],
    ['a 1'],
    [],
  ],
  [
    'an event that is made in a dataflow is told as a posted one is',
    [{ ask: 'POST /shop/pay', body: a, status: 200, is: a }, told(...both('a'))],
    ['a 1'],
    [],
  ],
  [
    'an event that a trigger makes is told, and its refusal undoes what set it off',
    [
      { ask: 'POST /shop/Order', body: a, status: 201 },
      fails('first', 'refuse'),
      { ask: 'POST /shop/Order', body: { id: 'b', amount: 1 }, status: 402, code: 'resolver-refused' },
      { ask: 'GET /shop/Order/b', status: 404 },
      told(...both('a'), 'first shop/charge b'),
    ],
    ['a 1'],
    [],
  ],
  [
    'attributes are checked before anybody is told',
    [{ ask: 'POST /shop/charge', body: { id: 'a' }, status: 422, faults: ['amount required'] }, told()],
    [],
    [],
  ],
  [
    'a handler that refuses ends the event with its status, and nothing of it is done or left',
    [
      fails('first', 'refuse'),
      { ask: 'POST /shop/charge', body: a, status: 402, code: 'resolver-refused', has: { detail: 'not enough money' } },
      told('first shop/charge a'),
    ],
    [],
    [],
  ],
  [
    'what was told before a later handler refused is pending: nothing undoes an event',
    [fails('second', 'refuse'), { ask: 'POST /shop/charge', body: a, status: 402 }, told(...both('a'))],
    [],
    [left('first', undoable)],
  ],
  [
    'where the dataflow fails, nothing of it is stored and what was told is pending',
    [{ ask: 'POST /shop/charge', body: { id: 'a', amount: 101 }, status: 422 }],
    [],
    [left('first', undoable), left('second', undoable)],
  ],
  [
    'where the rest of another dataflow fails, what was told in it is pending',
    [{ ask: 'POST /shop/pay', body: { id: 'a', amount: 51 }, status: 422 }],
    [],
    [left('first', undoable), left('second', undoable)],
  ],
  [
    'where a failure is caught, the dataflow goes on and what was told is pending',
    [{ ask: 'POST /shop/tried', body: { id: 'a', amount: 101 }, status: 200, is: { id: 'caught', amount: 0 } }],
    ['caught 0'],
    [left('first', undoable), left('second', undoable)],
  ],
  [
    'a handler that fails is 502, one that does not answer 504, and both are pending as nobody knows whether they were done',
    [
      fails('first', 'fail'),
      { ask: 'POST /shop/charge', body: a, status: 502, code: 'resolver-failed' },
      never,
      { ask: 'POST /shop/charge', body: a, status: 504, code: 'resolver-timeout' },
    ],
    [],
    [left('first', unknown), left('first', unknown)],
  ],
  [
    'after five failures in a row nobody is told, and nothing is left',
    [
      fails('first', 'fail'),
      ...Array.from({ length: 5 }, () => ({ ask: 'POST /shop/ping', body: { text: 'x' }, status: 502 })),
      { ask: 'POST /shop/charge', body: a, status: 503, code: 'resolver-unavailable', headers: { 'retry-after': /^\d+$/ } },
    ],
    [],
    [],
  ],
];

for (const [title, steps, stored, shown] of tables)
  test(title, async () => {
    const served = await open(steps.includes(never) ? impatient : {});
    await check(served, steps);
    expect(await here(served)).toEqual(stored);
    expect(await pending(served)).toEqual(shown);
  });

test('what is pending of an event says what was told without what nobody is answered, and stays so over a start', async () => {
  const served = await open();
  await check(served, [{ ask: 'POST /shop/pay', body: { id: 'a', amount: 51 }, status: 422 }]);
  const { body } = await served.get('/platform.resolver/Pending?resolver=shop%2Ffirst');
  expect(body).toMatchObject([{ type: 'shop/charge', instance: '-', operation: 'eval', attempts: 1 }]);
  expect(Object(body)[0].after).toEqual({ id: 'a', amount: 51 });
  await served.reload({ 'core.al': source, 'bank.js': bank });
  const attempts = async (): Promise<readonly unknown[]> =>
    Object((await served.get('/platform.resolver/Pending')).body).map((each: { attempts: number }) => each.attempts);
  await expect.poll(attempts).toEqual([2, 2]);
  expect(await pending(served)).toEqual([
    left('first', 'nobody can be asked what became of an event: see to it, then strike it out'),
    left('second', 'nobody can be asked what became of an event: see to it, then strike it out'),
  ]);
});

test('who may not run an event tells nobody of it, nor who may not run a workflow that makes it', async () => {
  const rules = '@rbac [(roles: [teller], allow: [create])]';
  const guarded = source
    .replace('@writeonly }', `@writeonly, ${rules} }`)
    .replace('event pay { id String, amount Int }', `event pay { id String, amount Int, ${rules} }`)
    .replace('entity Payment { id String @id, amount Int }', `entity Payment { id String @id, amount Int, ${rules} }`);
  const { join, served } = await world({ 'core.al': guarded, 'bank.js': bank }, 'current');
  const [Ann, Ted] = [await join('ann'), await join('ted', 'teller')];
  for (const event of ['charge', 'pay']) expect((await Ann.create(`/shop/${event}`, a)).status, event).toBe(403);
  expect((await Ann.create('/shop/told', {})).body).toEqual([]);
  expect((await Ted.create('/shop/charge', a)).status).toBe(200);
  expect((await Ann.create('/shop/told', {})).body).toEqual(both('a'));
  expect(await here(served)).toEqual(['a 1']);
});

test('a handler is asked once of an event whose workflow asks agents, also where that goes on in parts', async () => {
  const thinking = `${source}
agent classify { instruction "Say what it is." }
event sort { id String }
workflow sort {
  {classify {message sort.id}} @as one;
  {Payment {id one, amount 1}};
  {classify {message one}} @as two;
  {Payment {id two, amount 2}}
}
event outer { id String }
workflow outer { {sort {id outer.id}}; {classify {message "end"}} }
resolver third [shop/sort] @compose { eval bank.first }
`;
  const model = await modelServer();
  model.says('x', 'y', 'z');
  const served = await serve({ 'core.al': thinking, 'bank.js': bank }, { llm: model.settings });
  await check(served, [{ ask: 'POST /shop/outer', body: { id: 'a' }, status: 200, is: 'z' }, told('first shop/sort a')]);
  expect(await here(served)).toEqual(['x 1', 'y 2']);
});

test('the description of the API has the result of the workflow', async () => {
  const served = await open();
  const { body } = await served.get('/openapi.json');
  const { paths } = Object(body);
  const answers = JSON.stringify(paths['/shop/charge'].post.responses['200']);
  expect(answers).toContain('#/components/schemas/shop.Payment');
  expect(JSON.stringify(paths['/shop/ping'].post.responses['200'])).not.toContain('#/components/schemas/shop.');
});

test('on the earlier surface :compose? tells an event before its dataflow', async () => {
  const earlier = `(component :Shop)
(entity :Payment {:Id {:type :String :guid true} :Amount :Int})
(def calls (atom []))
(defn charged [event] (if (> (:Amount event) 100) (throw (ex-info "too much" {:status 409})) (swap! calls conj (:Id event))))
(event :Charge {:Id :String :Amount :Int})
(dataflow :Charge {:Payment {:Id :Charge.Id :Amount :Charge.Amount}})
(event :Pay {:Id :String})
(dataflow :Pay {:Charge {:Id :Pay.Id :Amount 7}})
(resolver :Bank {:with-methods {:eval charged} :paths [:Shop/Charge] :compose? true})`;
  const served = await serve({ 'core.platform': earlier }, { surfaces: ['earlier'] });
  await check(served, [
    { ask: 'POST /api/Shop/Charge', body: { 'Shop/Charge': { Id: 'a', Amount: 1 } }, status: 200, holds: '"Amount":1' },
    { ask: 'POST /api/Shop/Pay', body: { 'Shop/Pay': { Id: 'b' } }, status: 200, holds: '"Amount":7' },
    { ask: 'POST /api/Shop/Charge', body: { 'Shop/Charge': { Id: 'c', Amount: 101 } }, status: 409 },
  ]);
  const rows = await served.kept.rows('SELECT "Id", "Amount" FROM "Shop/Payment" ORDER BY "Id"');
  expect(rows.map((each) => `${each['Id']} ${each['Amount']}`)).toEqual(['a 1', 'b 7']);
});

test('override does not run the dataflow of the event', async () => {
  const served = await serve({ 'core.al': source.replaceAll('@compose ', '').replace(/resolver second.*\n/, ''), 'bank.js': bank }, {});
  await check(served, [
    { ask: 'POST /shop/charge', body: a, status: 200, is: { by: 'first' } },
    { ask: 'POST /shop/pay', body: a, status: 200, is: { by: 'first', pin: '1234' } },
  ]);
  expect(await here(served)).toEqual([]);
});
