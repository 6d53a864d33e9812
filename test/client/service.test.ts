// A generated client against a service over sockets: streams that are taken up again, agents as they work, sessions that go on, and both surfaces.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../cli/harness.ts';
import { serve } from '../support/app.ts';
import { modelServer } from '../support/model-server.ts';
import { addressOf, clientModule, compile, projectWithClient } from './harness.ts';
import { shop } from './model.ts';

type Told = { readonly kind: string; readonly instance?: unknown };

/** The next changes of a stream, `start` and `ready` among them. */
async function next(stream: AsyncIterator<Told>, count: number): Promise<readonly Told[]> {
  const told: Told[] = [];
  while (told.length < count) {
    const { done, value } = await stream.next();
    if (done === true) throw new Error(`the stream ended after ${JSON.stringify(told)}`);
    told.push(value);
  }
  return told;
}

describe('watch', () => {
  test('tells what is there and what becomes of it, and goes on behind the last event where a connection breaks', async () => {
    const served = await serve(shop);
    const { createClient, GoneError } = await clientModule(await projectWithClient({ 'src/core.al': shop }));
    const asked: (string | null)[] = [];
    let cut = new AbortController();
    const fetch: typeof globalThis.fetch = (address, options) => {
      const headers = new Headers(options?.headers);
      if (headers.get('accept') !== 'text/event-stream') return globalThis.fetch(address, options);
      asked.push(headers.get('last-event-id'));
      cut = new AbortController();
      return globalThis.fetch(address, { ...options, signal: cut.signal });
    };
    const { shop_core: api } = createClient({ baseUrl: await addressOf(served), fetch });
    await api.Product.create({ code: 'a', price: '1.00', stock: 1 });
    const stream = api.Product.watch({ initial: true, where: { stock: { gte: 1 } }, select: ['stock'] });
    expect(await next(stream, 3)).toEqual([{ kind: 'start' }, { kind: 'present', instance: { code: 'a', stock: 1 } }, { kind: 'ready' }]);
    await api.Product.update('a', { stock: 2 });
    expect(await next(stream, 1)).toEqual([{ kind: 'update', instance: { code: 'a', stock: 2 } }]);
    cut.abort();
    await api.Product.create({ code: 'b', price: '2.00', stock: 5 });
    await api.Product.update('a', { stock: 0 });
    const later = await next(stream, 3);
    expect(later).toEqual([
      { kind: 'ready' },
      { kind: 'create', instance: { code: 'b', stock: 5 } },
      { kind: 'gone', instance: { code: 'a' } },
    ]);
    expect(asked).toEqual([null, expect.any(String)]);
    await stream.return();
    const one = api.Product.watch('b');
    expect(await next(one, 2)).toEqual([{ kind: 'start' }, { kind: 'ready' }]);
    await api.Product.delete('b');
    expect(await next(one, 1)).toEqual([{ kind: 'delete', instance: { code: 'b' } }]);
    await one.return();
    await expect(api.Product.watch('nothing').next()).rejects.toMatchObject({ name: 'NotFoundError' });
    const gone = new Response(JSON.stringify({ code: 'cursor-expired' }), { status: 410 });
    const old = createClient({ baseUrl: 'http://x', fetch: async () => gone.clone() }).shop_core.Product.watch();
    await expect(old.next()).rejects.toBeInstanceOf(GoneError);
  });

  test('ends with the signal, and is not tried again where an integer is more than a number holds', async () => {
    const served = await serve(shop);
    const { createClient } = await clientModule(await projectWithClient({ 'src/core.al': shop }));
    const { shop_core: api } = createClient({ baseUrl: await addressOf(served) });
    const stop = new AbortController();
    const stream = api.Order.watch({}, { signal: stop.signal });
    await next(stream, 2);
    await served.ask({ method: 'POST', target: '/shop.core/Order', text: '{"id":9007199254740993}', headers: json });
    await expect(stream.next()).rejects.toThrow('bigints: true');
    const other = api.Order.watch({}, { signal: stop.signal });
    await next(other, 2);
    const waiting = other.next();
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});

const json = { 'content-type': 'application/json' };

const desk = `module desk
record Verdict { good Boolean, score Int }
entity Note { id Int @id, text String, @meta {"approve": ["create"]} }
@public agent clerk { instruction "Work.", tools [desk/Note] }
@public agent judge { instruction "Judge.", responseSchema desk/Verdict }
`;

test('agents answer in their type or piece by piece; what waits for approval is an error that names the run, which goes on', async () => {
  const model = await modelServer();
  const served = await serve(desk, { llm: model.settings });
  const folder = await projectWithClient({ 'src/core.al': desk });
  const typed = `import { createClient } from './api.ts';
const api = createClient({ baseUrl: '' });
const text: string = await api.desk.clerk('x');
const verdict: { readonly good: boolean; readonly score: number } = await api.desk.judge('x');
for await (const each of api.desk.clerk.stream('x')) if (each.type === 'TEXT_MESSAGE_CONTENT') void each.delta.length;
void [text, verdict, (await api.runs.approve('x', { call: 'y', step: 1 })).status];
`;
  expect(compile(folder, typed)).toBe('');
  const { createClient, WaitingError } = await clientModule(folder);
  const api = createClient({ baseUrl: await addressOf(served) });
  model.says('Good day');
  expect(await api.desk.clerk('Hello')).toBe('Good day');
  model.says('{"good": true, "score": 3}');
  expect(await api.desk.judge('Is it?')).toEqual({ good: true, score: 3 });
  model.says('Said word by word, as it should be.');
  const told: { type: string; delta?: string; result?: string }[] = [];
  for await (const each of api.desk.clerk.stream('talk')) told.push(each);
  expect(told.map(({ delta = '' }) => delta).join('')).toBe('Said word by word, as it should be.');
  expect(told.at(-1)).toMatchObject({ type: 'RUN_FINISHED', result: 'Said word by word, as it should be.' });
  model.says({ tool: 'desk_Note_create', arguments: { id: 1, text: 'a' } }, 'Done.');
  const waiting = await api.desk.clerk('note it').catch((thrown: unknown) => thrown);
  expect(waiting).toBeInstanceOf(WaitingError);
  expect(waiting).toMatchObject({ status: 202, waitingFor: { tool: 'desk_Note_create' } });
  await expect(api.runs.approve(waiting.run, { call: 'another' })).rejects.toMatchObject({ code: 'run-state' });
  await api.runs.approve(waiting.run, waiting.waitingFor);
  expect(await api.desk.Note.count()).toBe(1);
  model.says('I would rather not say.');
  const judged = async (): Promise<void> => {
    for await (const each of api.desk.judge.stream('Is it?')) expect(each.type).not.toBe('RUN_FINISHED');
  };
  await expect(judged()).rejects.toMatchObject({ code: 'llm-invalid' });
});

const bank = {
  'core.al': `module bank
import "desk.js" @as desk
event ask { amount Int }
event pay { amount Int }
workflow pay { {ask {amount pay.amount}} @as said; said }
resolver asked [bank/ask] { eval desk.ask }
`,
  'desk.js': 'export const ask = (event, context) => { context.suspend(); };',
};

test('a workflow that a resolver has suspended is an error that names the run, which is resumed with data', async () => {
  const served = await serve(bank);
  const folder = await projectWithClient(Object.fromEntries(Object.entries(bank).map(([name, text]) => [`src/${name}`, text])));
  const typed = `import { createClient, WaitingError } from './api.ts';
const api = createClient({ baseUrl: '' });
const thrown: unknown = await api.bank.pay({ amount: 1 }).catch((each: unknown) => each);
if (thrown instanceof WaitingError) {
  const what: string = 'call' in thrown.waitingFor ? thrown.waitingFor.tool : thrown.waitingFor.type;
  void [what, (await api.runs.resume(thrown.run, { data: { word: 'yes' } })).status, await api.runs.approve(thrown.run, thrown.waitingFor)];
}
`;
  expect(compile(folder, typed)).toBe('');
  const { createClient, WaitingError } = await clientModule(folder);
  const api = createClient({ baseUrl: await addressOf(served) });
  for (const data of [{ word: 'yes' }, null]) {
    const waiting = await api.bank.pay({ amount: 5 }).catch((thrown: unknown) => thrown);
    expect(waiting).toBeInstanceOf(WaitingError);
    expect(waiting).toMatchObject({
      message: expect.stringMatching(/waits for data$/),
      waitingFor: { step: expect.any(Number), type: 'bank/ask' },
    });
    await expect(api.runs.approve(waiting.run, waiting.waitingFor)).rejects.toMatchObject({ code: 'run-state' });
    expect(await api.runs.resume(waiting.run, { data })).toMatchObject(
      data === null ? { status: 'succeeded' } : { status: 'succeeded', result: data },
    );
    await expect(api.runs.resume(waiting.run, { data })).rejects.toMatchObject({ code: 'run-state' });
  }
});

const company = readFileSync(join(root, 'examples/company/acme/company.platform'), 'utf8')
  .concat('(record :Acme.Company/Sum {:Count :Int})\n(event :Acme.Company/Open {:No :Int})\n')
  .concat('(dataflow :Acme.Company/Open {:Acme.Company/Department {:No :Acme.Company/Open.No :Block "b"}})\n')
  .concat('(event :Acme.Company/All {})\n(dataflow :Acme.Company/All {:Acme.Company/Department? {}})\n');
const store = readFileSync(join(root, 'examples/company/acme/store.platform'), 'utf8');
const files = { 'company.platform': company, 'store.platform': store };

describe.each(['create', 'all'] as const)('on the earlier surface, with the envelope of %s', (envelope) => {
  test('instances are flat, along relationships, in events and in streams', async () => {
    const served = await serve(files, { surfaces: ['earlier'], envelope });
    const folder = await projectWithClient({
      'model.platform': '{:name :Acme :version "1.0.0" :platform-version "current" :components [:Acme.Company :Acme.Store]}',
      'acme/company.platform': company,
      'acme/store.platform': store,
      'config.edn': `{:service {:envelope :${envelope}}}`,
    });
    expect(compile(folder, earlierProgram)).toBe('');
    const { createClient } = await clientModule(folder);
    const all = createClient({ baseUrl: await addressOf(served) });
    const { Department, Employee, Open, All } = all.Acme_Company;
    const stream = Department.watch({ initial: true });
    await next(stream, 2);
    const made = { No: 1, Block: 'a', Opened: '2026-01-31T09:00:00' };
    expect(await Department.create({ ...made, WorksFor: [{ No: 'E1', Name: 'Ada' }] })).toMatchObject({
      ...made,
      WorksFor: [{ Name: 'Ada' }],
    });
    expect(await next(stream, 1)).toEqual([{ kind: 'create', instance: made }]);
    await stream.return();
    const known = await Department.get(1);
    expect(known).toEqual(made);
    expect(await Department.update(1, { Block: 'b' }, { version: all.versionOf(known) })).toEqual({ ...made, Block: 'b' });
    await expect(Department.update(1, { Block: 'a' }, { version: all.versionOf(known) })).rejects.toMatchObject({
      name: 'PreconditionFailedError',
      code: 'version-mismatch',
    });
    await Department.at(1).WorksFor.create([
      { No: 'E2', Name: 'Bob' },
      { No: 'E3', Name: 'Cem' },
    ]);
    expect([...(await Employee.list({ where: { Name: { like: '%b%' } }, include: { WorksFor: true } }))]).toMatchObject([
      { No: 'E2', WorksFor: { No: 1 } },
    ]);
    const [department, ...none] = await Department.list({ include: { WorksFor: true }, where: { WorksFor: { Name: 'Ada' } } });
    expect([department?.WorksFor.length, none]).toEqual([3, []]);
    expect(await Department.at(1).Keeps.create({ No: 7 })).toMatchObject({ No: 7, __path__: expect.any(String) });
    expect(await Open({ No: 2 })).toMatchObject({ No: 2, Block: 'b' });
    expect(await All({})).toMatchObject([{ No: 1 }, { No: 2 }]);
    expect(await Department.count()).toBe(2);
    await Department.delete(1);
    await expect(Department.get(1)).rejects.toMatchObject({ name: 'NotFoundError', code: 'instance-not-found' });
    await expect(Department.create({ No: 3, Block: 'z' })).rejects.toMatchObject({
      name: 'InvalidError',
      errors: [{ attribute: 'Block' }],
    });
  });
});

const earlierProgram = `import { createClient } from './api.ts';
const { Department, Employee, Open, All } = createClient({ baseUrl: '' }).Acme_Company;
const name: string | undefined = (await Department.list({ include: { WorksFor: true } }))[0]?.WorksFor[0]?.Name;
const block: 'a' | 'b' | undefined = (await Employee.list({ include: { WorksFor: true } }))[0]?.WorksFor?.Block;
const opened: number = (await Open({ No: 1 })).No;
const all: readonly number[] = (await All({})).map((each) => each.No);
void [name, block, opened, all];
`;

describe.each(['current', 'earlier'] as const)('identity on the %s surface', (surface) => {
  test('calls are made as who has logged in, one refresh serves all of them, and keys are for programs', async () => {
    const isCurrent = surface === 'current';
    const source = isCurrent
      ? 'module notes\nentity Note { id Int @id }\n'
      : '(component :notes)\n(entity :Note {:id {:type :Int :guid true}})\n';
    const served = await serve(isCurrent ? source : { 'notes.platform': source }, { surfaces: [surface], auth: {} });
    const folder = await projectWithClient(
      isCurrent
        ? { 'src/core.al': source, 'config.al': '{"auth": {"enabled": true}}' }
        : {
            'model.platform': '{:name :notes :version "1.0.0" :platform-version "current" :components [:notes]}',
            'notes.platform': source,
            'config.edn': '{:authentication {:enabled true}}',
          },
    );
    expect(compile(folder, `${identityProgram}`)).toBe('');
    const { createClient, UnauthorizedError } = await clientModule(folder);
    const kept: unknown[] = [];
    const refreshes: string[] = [];
    const baseUrl = await addressOf(served);
    const fetch: typeof globalThis.fetch = (address, options) => {
      if (/refresh-?token/i.test(String(address))) refreshes.push(String(address));
      return globalThis.fetch(address, options);
    };
    const api = createClient({ baseUrl, fetch, onTokens: (tokens: unknown) => kept.push(tokens) });
    await expect(api.notes.Note.list()).rejects.toBeInstanceOf(UnauthorizedError);
    const ann = { email: 'ann@example.com', password: 'correct horse battery' };
    await api.auth.signup({ ...ann, firstName: 'Ann' });
    const tokens = await api.auth.login(ann);
    expect(await api.auth.me()).toMatchObject({ email: ann.email });
    await api.notes.Note.create({ id: 1 });
    const stale = createClient({ baseUrl, fetch, tokens: { ...tokens, idToken: 'stale' }, onTokens: (each: unknown) => kept.push(each) });
    const lists = await Promise.all([stale.notes.Note.list(), stale.notes.Note.count(), stale.notes.Note.get(1)]);
    expect([lists.length, refreshes.length]).toEqual([3, 1]);
    const { key } = await stale.auth.createApiKey({ name: 'job' });
    expect(await createClient({ baseUrl, tokens: { idToken: key } }).notes.Note.count()).toBe(1);
    await stale.auth.changePassword({ password: ann.password, newPassword: 'another long password' });
    await expect(stale.auth.login(ann)).rejects.toBeInstanceOf(UnauthorizedError);
    await stale.auth.login({ ...ann, password: 'another long password' });
    await stale.auth.logout();
    expect(kept.at(-1)).toBeUndefined();
    await expect(stale.notes.Note.list()).rejects.toBeInstanceOf(UnauthorizedError);
  });
});

const identityProgram = `import { createClient, type Tokens } from './api.ts';
const api = createClient({ baseUrl: '', onTokens: (tokens: Tokens | undefined) => void tokens });
const tokens: Tokens = await api.auth.login({ email: '', password: '' });
const key: string = (await api.auth.createApiKey({ name: 'x', roles: ['a'] })).key;
void [tokens, key, await api.auth.refresh()];
`;
