// What is `@internal` answers like what does not exist, at every door, and logic runs it; what no rights of its caller bound is admin's until a rule says otherwise.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { command, workspace } from '../cli/harness.ts';
import { callingModel } from './oracle/matrix/tools.ts';
import { instances, type Person, surfaces, world } from './people.ts';

const books = `export const calls = [];
export function run(event) { calls.push(event); return { told: event.n ?? 0 }; }
`;

const current = `module shop
import "books.js" @as books @external
entity Sale { id Int @id, n Int, @rbac [(roles: [user], allow: [create, read])] }
entity Log { id UUID @id @default(uuid()), text String, @rbac [(roles: [user], allow: [create, read])] }
event tell { n Int }
event secretly { n Int, @internal }
event ruled { n Int, @rbac [(roles: [chief], allow: [create])] }
resolver accounting [shop/tell, shop/secretly, shop/ruled] { eval books.run }
@internal workflow note { {Log {text "noted"}} }
event order { id Int }
workflow order { {Sale {id order.id, n 1}}; {tell {n order.id}}; {secretly {n order.id}}; {ruled {n order.id}}; {note {}} }
event remind { name String }
workflow remind { {platform/timer {name remind.name, duration 1, unit "second", trigger "shop/note", repeat false}} }
event remindOf { name String, what String }
workflow remindOf { {platform/timer {name remindOf.name, duration 1, unit "second", trigger remindOf.what, repeat false}} }
@runAs(system) workflow counted @rbac [(roles: [chief], allow: [create])] { {Sale? {}} }
event restricted { n Int @optional, @rbac [(roles: [chief], allow: [create])] }
@internal agent hidden { instruction "Hide." }
@public agent named { instruction "Work.", tools [shop/note, shop/tell, shop/secretly, shop/ruled] }
@public agent whole { instruction "Work.", tools [shop] }
`;

const earlier = `(component :shop)
(import "books.js" :as :books :external true)
(entity :Sale {:id {:type :Int :guid true} :n :Int :rbac [{:roles ["user"] :allow [:create :read]}]})
(entity :Log {:id :Identity :text :String :rbac [{:roles ["user"] :allow [:create :read]}]})
(event :tell {:n :Int})
(event :secretly {:n :Int :meta {:internal true}})
(event :ruled {:n :Int :rbac [{:roles ["chief"] :allow [:create]}]})
(resolver :accounting {:with-methods {:eval books/run} :paths [:shop/tell :shop/secretly :shop/ruled]})
(dataflow [:note :internal true] {:Log {:text "noted"}})
(event :order {:id :Int})
(dataflow :order {:Sale {:id :order.id :n 1}} {:tell {:n :order.id}} {:secretly {:n :order.id}} {:ruled {:n :order.id}} {:note {}})
`;

const projects = { current: { 'shop.al': current, 'books.js': books }, earlier: { 'shop.platform': earlier, 'books.js': books } };
const system = ['auth', 'rbac', 'timers', 'resolvers', 'ai'] as const;

describe.each(surfaces)('on the %s surface', (surface) => {
  const made = surface === 'current' ? 201 : 200;

  async function staged() {
    const opened = await world(projects[surface], surface);
    return { ...opened, ann: await opened.join('ann', 'user'), cleo: await opened.join('cleo', 'chief') };
  }

  test('an internal event is answered like one that does not exist, to admins too', async () => {
    const { ann, admin } = await staged();
    for (const person of [ann, admin]) {
      const unknown = await person.create('/shop/nothing', { n: 1 });
      for (const name of ['secretly', 'note']) {
        const answer = await person.create(`/shop/${name}`, { n: 1 });
        expect([answer.status, answer.text.replaceAll(name, 'nothing')]).toEqual([unknown.status, unknown.text]);
        expect((await person.read(`/shop/${name}`)).status).toBe(404);
      }
    }
  });

  test('what a resolver answers is for admins until a rule says who may run it, and logic runs all of it', async () => {
    const { ann, cleo, admin } = await staged();
    const tried = (person: Person, name: string) => person.create(`/shop/${name}`, { n: 1 }).then(({ status }) => status);
    expect([await tried(ann, 'tell'), await tried(cleo, 'tell'), await tried(admin, 'tell')]).toEqual([403, 403, 200]);
    expect([await tried(ann, 'ruled'), await tried(cleo, 'ruled'), await tried(admin, 'ruled')]).toEqual([403, 200, 200]);
    expect((await ann.create('/shop/order', { id: 1 })).status).toBe(200);
    expect(instances(await ann.read('/shop/Log'))).toHaveLength(1);
    // Its inner events run as that logic does: with the rights of who posted it.
    expect((await cleo.create('/shop/order', { id: 2 })).status).toBe(403);
    expect(instances(await admin.read('/shop/Log'))).toHaveLength(1);
    expect((await ann.create('/shop/Sale', { id: 3, n: 1 })).status).toBe(made);
  });

  test('nothing describes it', async () => {
    const { admin, served } = await staged();
    const paths = ['/openapi.json', '/platform/model', ...(surface === 'earlier' ? ['/meta', '/meta/shop'] : [])];
    for (const path of paths) {
      const { status, text } = await served.get(path, admin.headers);
      expect([path, status]).toEqual([path, 200]);
      expect([path, text.includes('tell')]).toEqual([path, path !== '/meta']);
      expect([path, /secretly|shop\/note|"note"/.test(text)]).toEqual([path, false]);
    }
    expect((await served.get('/platform/explain?event=shop/note', admin.headers)).status).toBe(404);
  });
});

test('the earlier surface makes no internal event by its name in a body', async () => {
  const { admin, served } = await world(projects.earlier, 'earlier');
  const made = (name: string) => served.post('/dynamic', { [name]: { n: 1 } }, admin.headers);
  const [unknown, internal, known] = [await made('shop/nothing'), await made('shop/secretly'), await made('shop/tell')];
  expect([internal.status, internal.text]).toEqual([unknown.status, unknown.text]);
  expect([unknown.status, known.status]).toEqual([400, 200]);
});

describe('at the other doors', () => {
  async function staged(options = {}) {
    const opened = await world(projects.current, 'current', { system: [...system], graphql: true, mcp: true, ...options });
    return { ...opened, ann: await opened.join('ann', 'user'), cleo: await opened.join('cleo', 'chief') };
  }

  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

  test('GraphQL and MCP have no field and no tool of it, and ask the same rights', async () => {
    const { ann, admin, served } = await staged();
    const schema = await served.post('/graphql', { query: '{ __schema { mutationType { fields { name } } } }' }, admin.headers);
    expect(schema.text).toMatch(/"tell"/);
    expect(schema.text).not.toMatch(/secretly|"note"|hidden/);
    const tell = { query: 'mutation { tell(input: {n: 1}) }' };
    expect((await served.post('/graphql', tell, ann.headers)).text).toMatch(/access-denied/);
    expect((await served.post('/graphql', tell, admin.headers)).text).toMatch(/told/);
    const mcp = (person: Person, method: string, params: object) =>
      served.post('/mcp', { jsonrpc: '2.0', id: 1, method, params }, { ...person.headers, ...headers });
    const tools = await mcp(admin, 'tools/list', {});
    expect(tools.text).toMatch(/shop_tell/);
    expect(tools.text).not.toMatch(/secretly|shop_note|hidden/);
    const call = (person: Person, name: string) => mcp(person, 'tools/call', { name, arguments: { n: 1 } });
    const normal = (text: string) => text.replace(/shop_\w+/g, 'x');
    expect(normal((await call(admin, 'shop_secretly')).text)).toBe(normal((await call(admin, 'shop_nothing')).text));
    // What they may not run is no tool for them.
    expect(normal((await call(ann, 'shop_tell')).text)).toBe(normal((await call(ann, 'shop_nothing')).text));
    const model = await mcp(admin, 'resources/read', { uri: 'platform://model' });
    expect(model.text).toMatch(/tell/);
    expect(model.text).not.toMatch(/secretly|"note|hidden/);
    expect((await ann.create('/shop/hidden', { message: 'x' })).status).toBe(404);
  });

  test('an agent whose tools name it runs it, whoever asks; one whose tools name its module does not', async () => {
    const model = await callingModel();
    onTestFinished(() => model.close().then(() => {}));
    const { ann, cleo } = await staged({ llm: model.llm });
    const names = ['note', 'tell', 'secretly', 'ruled'];
    const ask = async (person: Person, agent: string): Promise<readonly unknown[]> => {
      const calls = names.map((name, at) => ({ name: `shop_${name}`, id: `call_${at}`, arguments: name === 'note' ? '{}' : '{"n": 1}' }));
      const answer = await person.create(`/shop/${agent}`, { message: JSON.stringify(calls) });
      const run = String(answer.headers['x-run-id'] ?? '');
      const told = instances(await person.read('/platform.ai/ToolCall')).slice(-names.length);
      expect([run.length > 0 || run === '', answer.status]).toEqual([true, 200]);
      return told.map(({ result }) => Reflect.get(Object(result), 'error') ?? 'done');
    };
    expect(await ask(ann, 'named')).toEqual(['done', 'done', 'done', 'access-denied']);
    expect(await ask(cleo, 'named')).toEqual(['access-denied', 'done', 'done', 'done']);
    expect(await ask(ann, 'whole')).toEqual(['path-unknown', 'path-unknown', 'path-unknown', 'path-unknown']);
  });

  test('a timer that the model names it in runs it; nobody else makes one of it', async () => {
    const { ann, admin } = await staged();
    const timer = (trigger: string) => ({ name: trigger.replace('/', '-'), duration: 1, unit: 'second', trigger });
    const [unknown, internal] = [
      await admin.create('/platform/timer', timer('shop/nothing')),
      await admin.create('/platform/timer', timer('shop/note')),
    ];
    expect([internal.status, internal.text]).toEqual([unknown.status, unknown.text]);
    expect((await admin.create('/platform/timer', timer('shop/tell'))).status).toBe(422);
    expect((await ann.create('/shop/remind', { name: 'mine' })).status).toBe(200);
    // A name that comes from outside is as good as a request.
    expect((await ann.create('/shop/remindOf', { name: 'other', what: 'shop/secretly' })).status).toBe(422);
    expect((await ann.create('/shop/remindOf', { name: 'other', what: 'shop/tell' })).status).toBe(403);
    expect((await ann.create('/shop/remindOf', { name: 'other', what: 'shop/restricted' })).status).toBe(403);
    await expect.poll(async () => instances(await admin.read('/shop/Log')).length, { timeout: 10_000 }).toBe(1);
  });

  test('the client has no method of it, and the matrix says who runs it', async () => {
    const { folder, remove } = workspace({
      'src/core.al': current,
      'src/books.js': books,
      'package.json': '{"name": "app", "version": "1.0.0"}',
      'config.al': JSON.stringify({ rbac: { enabled: true } }),
    });
    onTestFinished(remove);
    const client = await command(folder, 'client', '.', '--out', 'client.ts');
    expect([client.code, client.err]).toEqual([0, '']);
    const text = readFileSync(join(folder, 'client.ts'), 'utf8');
    expect(text).toMatch(/tell/);
    expect(text).not.toMatch(/secretly|shop\/note|hidden/);
    const { out } = await command(folder, 'access', 'matrix', '.');
    const execute = out.split('\n').flatMap((line) => (/execute/.test(line) ? [line.replace(/ +/g, ' ').trim()] : []));
    expect(execute).toEqual([
      'shop/counted role admin, as the system execute',
      'shop/counted role chief, as the system execute',
      'shop/hidden logic of the model execute',
      'shop/named role * execute',
      'shop/note agent shop/named, whose tools name it execute',
      'shop/note logic of the model execute',
      'shop/order role * execute',
      'shop/remind role * execute',
      'shop/remindOf role * execute',
      'shop/restricted role admin execute',
      'shop/restricted role chief execute',
      'shop/ruled role admin execute',
      'shop/ruled role chief execute',
      'shop/secretly agent shop/named, whose tools name it execute',
      'shop/secretly logic of the model execute',
      'shop/tell role admin execute',
      'shop/tell agent shop/named, whose tools name it execute',
      'shop/whole role * execute',
    ]);
  });
});
