// What other systems tell of their own accord: each message is an event of the model, committed together with how far the subscription is.

import { getEventListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pauseFor } from '../../src/resolvers/subscriptions/pause.ts';
import { open, type Project, type Served, serve } from '../support/app.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Feed, feedIn, handlers } from './feed.ts';

const current: Project = {
  'core.al': `
module hr
import "feed.js" @as feed
entity Change { email Email @id, name String @optional }
event personChanged { email Email, name String @optional }
workflow personChanged { {Change {email personChanged.email, name personChanged.name}} }
resolver people [] { subscribe feed.watch, onSubscription hr/personChanged }
`,
  'feed.js': handlers,
};

const earlier: Project = {
  'core.platform': `
(component :hr)
(entity :Change {:email {:type :Email :guid true} :name {:type :String :optional true}})
(event :personChanged {:email :Email :name {:type :String :optional true}})
(dataflow :personChanged {:Change {:email :personChanged.email :name :personChanged.name}})
(defn watch [emit context]
  (if (= (:cursor context) "2")
    (emit {:email "cid@acme.com"} "3")
    (do (emit {:email "ann@acme.com" :name "Ann"} "1")
        (emit {:email "bob@acme.com"} "2"))))
(resolver :People {:with-methods {:subscribe watch} :on-subscription :personChanged :paths []})
`,
};

const emails = async (served: Served): Promise<readonly string[]> => {
  const { body } = await served.get('/hr/Change');
  return (Array.isArray(body) ? body : []).map((each) => String(each.email));
};

const people = (feed: Feed) => [{ name: 'hr/people', config: { file: feed.file } }];

test('what a subscription tells becomes the event of onSubscription, whose fields are the attributes that it declares', async () => {
  const feed = feedIn(temporaryFolder());
  const served = await serve(current, { resolvers: people(feed) });
  feed.add({ email: 'ann@acme.com', name: 'Ann', shoeSize: 38 });
  await served.app.listen();
  feed.add({ email: 'bob@acme.com' });
  await expect.poll(() => emails(served)).toEqual(['ann@acme.com', 'bob@acme.com']);
  expect((await served.get('/hr/Change/ann@acme.com')).body).toEqual({ email: 'ann@acme.com', name: 'Ann' });
  expect(served.warnings).toContainEqual(expect.objectContaining({ resolver: 'hr/people', attribute: 'shoeSize' }));
  const metrics = async () => (await served.get('/metrics')).text;
  // It is counted behind the commit that others see.
  await expect.poll(metrics).toContain('resolver_messages_total{resolver="hr/people",outcome="committed"} 2');
  expect(await metrics()).toContain('resolver_subscribed{resolver="hr/people"} 1');
});

test('a handler in Clojure is begun again after it has ended, with the cursor that was committed last', async () => {
  const served = await serve(earlier, { surfaces: ['current'] });
  await served.app.listen();
  await expect.poll(() => emails(served)).toEqual(['ann@acme.com', 'bob@acme.com', 'cid@acme.com']);
});

test('a message that its event refuses is logged, told to the handler, and holds up none after it', async () => {
  const feed = feedIn(temporaryFolder());
  const served = await serve(current, { resolvers: people(feed) });
  feed.add({ email: 'no address' }, 'a text', { email: 'ann@acme.com' });
  await served.app.listen();
  await expect.poll(() => emails(served)).toEqual(['ann@acme.com']);
  expect(served.failures.filter((each) => each['resolver'] === 'hr/people')).toHaveLength(2);
  expect((await served.get('/metrics')).text).toContain('resolver_messages_total{resolver="hr/people",outcome="rejected"} 2');
});

test('what is no object is the data of its event', async () => {
  const source = `
module m
import "r.js" @as r
entity Note { id Int @id, text Any }
event told { data Any }
workflow told { {Note {id 1, text told.data}} }
resolver notes [] { subscribe r.watch, onSubscription m/told }
`;
  const served = await serve({ 'core.al': source, 'r.js': `export const watch = async (emit) => { await emit(['a', { b: 1 }], 'x'); };` });
  await served.app.listen();
  await expect.poll(async () => (await served.get('/m/Note')).body).toEqual([{ id: 1, text: ['a', { b: 1 }] }]);
});

test('a handler that throws is begun again behind the last message that was committed, and so is one of a later start', async () => {
  const folder = temporaryFolder();
  const feed = feedIn(folder);
  feed.add({ email: 'ann@acme.com' }, 'break off', { email: 'bob@acme.com' });
  const first = await open(current, { folder, resolvers: people(feed) });
  await first.app.listen();
  await expect.poll(() => first.failures.length).toBeGreaterThan(1);
  expect(await emails(first)).toEqual(['ann@acme.com']);
  writeFileSync(`${feed.file}.mended`, '');
  await expect.poll(() => emails(first)).toEqual(['ann@acme.com', 'bob@acme.com']);
  await first.close();
  feed.add({ email: 'cid@acme.com' });
  const second = await serve(current, { folder, resolvers: people(feed) });
  await second.app.listen();
  await expect.poll(() => emails(second)).toEqual(['ann@acme.com', 'bob@acme.com', 'cid@acme.com']);
  expect(second.failures).toEqual([]);
});

test('a changed model ends the subscription of the one before: nothing is told twice, and nothing to what is gone', async () => {
  const feed = feedIn(temporaryFolder());
  const served = await serve(current, { resolvers: people(feed) });
  await served.app.listen();
  feed.add({ email: 'ann@acme.com' });
  await expect.poll(() => emails(served)).toEqual(['ann@acme.com']);
  await served.reload({ ...Object(current), 'other.al': 'module other\nentity Thing { id Int @id }' });
  feed.add({ email: 'bob@acme.com' });
  await expect.poll(() => emails(served)).toEqual(['ann@acme.com', 'bob@acme.com']);
  expect(served.failures).toEqual([]);
});

test('a handler that tells without end, and waits for nothing, is ended', async () => {
  const source = `
module m
import "r.js" @as r
entity Note { id UUID @id @default(uuid()) }
event told { data Any }
workflow told { {Note {}} }
resolver notes [] { subscribe r.watch, onSubscription m/told }
`;
  const endless = `export const watch = (emit, { signal }) => new Promise((resolve) => {
    const timer = setInterval(() => { for (let i = 0; i < 600; i += 1) emit(i); }, 1);
    signal.addEventListener('abort', () => { clearInterval(timer); resolve(); });
  });`;
  const served = await serve({ 'core.al': source, 'r.js': endless });
  await served.app.listen();
  const told = () => served.failures.map(({ err }) => (err instanceof Error ? err.message : ''));
  await expect.poll(told).toContainEqual(expect.stringContaining('has to wait for emit'));
});

test('without an event for what it tells, a subscription is not begun, and a warning says so', async () => {
  const source = `module m\nimport "r.js" @as r\nentity Note { id Int @id }\nresolver notes [m/Note] { query r.find, subscribe r.watch }`;
  const served = await serve({
    'core.al': source,
    'r.js': 'export const find = () => []; export const watch = () => { throw new Error("begun"); };',
  });
  await served.app.listen();
  expect(served.warnings).toContainEqual(expect.objectContaining({ resolver: 'm/notes' }));
  expect((await served.get('/metrics')).text).not.toContain('resolver_subscribed');
});

test('a pause leaves nothing behind with the signal that may cut it short', async () => {
  const { signal } = new AbortController();
  for (let times = 0; times < 3; times += 1) await pauseFor(1, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  const closing = new AbortController();
  const cut = pauseFor(2 ** 31 - 1, closing.signal);
  closing.abort();
  await cut;
  expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
});
