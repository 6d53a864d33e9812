// Modules that the service brings: there when their part is on, with one table and two names, read by everybody and written by the model alone.

import { describe, expect, test } from 'vitest';
import type { AppParts } from '../../src/app.ts';
import { system } from '../../src/engine/caller.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { EventHandler } from '../../src/engine/handlers.ts';
import type { Recorder, Verdict } from '../../src/engine/seams.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { modelOf, type Options, open, serve } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { check } from '../support/table.ts';

const current = `module m
entity Post { id Int @id }
{platform.rbac/RoleAssignment {role "editor", assignee "ann@example.com"}}
workflow assign { {platform.rbac/RoleAssignment {role assign.role, assignee assign.user}} }
workflow rolesOf { {platform.rbac/RoleAssignment {assignee? rolesOf.user}, @orderBy(role)} @as found\n for each in found { each.role } }
workflow dismiss { delete {platform.rbac/RoleAssignment {assignee? dismiss.user}} }
`;

const earlier = {
  'm.platform': `(component :m)
(entity :m/Post {:id {:type :Int :guid true}})
(event :m/assign {:role :String :user :String})
(dataflow :m/assign {:Platform.Kernel.Rbac/RoleAssignment {:Role :m/assign.role :Assignee :m/assign.user}})
(event :m/rolesOf {:user :String})
(dataflow :m/rolesOf {:Platform.Kernel.Rbac/RoleAssignment {:Assignee? :m/rolesOf.user}})
{:Platform.Kernel.Rbac/RoleAssignment {:Role "editor" :Assignee "ann@example.com"}}
`,
};

const options: Options = { system: ['rbac'], surfaces: ['current', 'earlier'] };

describe.each([
  ['the current syntax', current],
  ['the earlier syntax', earlier],
])('a model in %s', (_, project) => {
  test('sees one table under two names', async () => {
    const served = await serve(project, options);
    const row = { role: 'editor', assignee: 'ann@example.com' };
    const tagged = { '-*-type-*-': 'Platform.Kernel.Rbac/RoleAssignment', Role: 'editor', Assignee: 'ann@example.com' };
    await check(served, [
      { ask: 'GET /platform.rbac/RoleAssignment', status: 200, has: [{ id: expect.any(String), ...row }] },
      { ask: 'GET /api/Platform.Kernel.Rbac/RoleAssignment', status: 200, has: [{ Id: expect.any(String), ...tagged }] },
      { ask: 'GET /platform.rbac/RoleAssignment?role=editor&@select=role&@count=true', status: 200, has: [{ role: 'editor' }] },
      { ask: 'GET /api/Platform.Kernel.Rbac/RoleAssignment?Role[like]=ed%25&@sort=-Assignee', status: 200, has: [tagged] },
      { ask: 'GET /api/Platform.Kernel.Rbac/RoleAssignment?Role=none', status: 200, is: [] },
      { ask: 'GET /api/Platform.Kernel.Rbac/RoleAssignment?role=editor', status: 422 },
      { ask: 'GET /platform.rbac/RoleAssignment?Role=editor', status: 422, faults: ['Role unknown'] },
      { ask: 'GET /Platform.Kernel.Rbac/RoleAssignment', status: 404 },
      { ask: 'GET /api/platform.rbac/RoleAssignment', status: 404 },
    ]);
    const tables = await served.kept.rows(
      process.env['PLATFORM_TEST_STORE'] === 'postgres'
        ? `SELECT tablename AS name FROM pg_tables WHERE tablename ILIKE '%RoleAssignment'`
        : `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%RoleAssignment'`,
    );
    expect(tables).toEqual([{ name: 'platform.rbac/RoleAssignment' }]);
  });

  test('writes it in its workflows; requests only read it while nobody is known', async () => {
    const served = await serve(project, options);
    const asked = { role: 'reader', user: 'bob@example.com' };
    const earlierAsk = { 'm/assign': { role: 'guest', user: 'bob@example.com' } };
    await check(served, [
      { ask: 'POST /m/assign', body: asked, status: 200 },
      { ask: 'POST /api/m/assign', body: earlierAsk, status: 200 },
      {
        ask: 'GET /platform.rbac/RoleAssignment?assignee=bob@example.com&@sort=role',
        status: 200,
        has: [{ role: 'guest' }, { role: 'reader' }],
      },
      { ask: 'POST /m/rolesOf', body: { user: 'bob@example.com' }, status: 200 },
    ]);
    const [first] = [(await served.get('/platform.rbac/RoleAssignment')).body].flat();
    const id = String(Reflect.get(Object(first), 'id'));
    const allow = { allow: 'GET, HEAD, OPTIONS' };
    const body = { role: 'admin', assignee: 'eve@example.com' };
    const keyed = { 'Platform.Kernel.Rbac/RoleAssignment': { Role: 'admin', Assignee: 'eve@example.com' } };
    const create = { 'Platform.Kernel.Rbac/Create_RoleAssignment': { Instance: { Role: 'admin', Assignee: 'eve@example.com' } } };
    await check(served, [
      { ask: 'POST /platform.rbac/RoleAssignment', body, status: 405, headers: allow },
      { ask: `PUT /platform.rbac/RoleAssignment/${id}`, body: { role: 'admin' }, status: 405, headers: allow },
      { ask: `PATCH /platform.rbac/RoleAssignment/${id}`, body: { role: 'admin' }, status: 405, headers: allow },
      { ask: `DELETE /platform.rbac/RoleAssignment/${id}`, status: 405, headers: allow },
      { ask: 'OPTIONS /platform.rbac/RoleAssignment', status: 204, headers: allow },
      { ask: 'POST /api/Platform.Kernel.Rbac/RoleAssignment', body: keyed, status: 405, headers: allow },
      { ask: `PUT /api/Platform.Kernel.Rbac/RoleAssignment/${id}`, body: keyed, status: 405, headers: allow },
      { ask: `DELETE /api/Platform.Kernel.Rbac/RoleAssignment/${id}`, status: 405, headers: allow },
      { ask: 'POST /api/Platform.Kernel.Rbac/Create_RoleAssignment', body: create, status: 404 },
      { ask: 'POST /dynamic', body: create, status: 400 },
      { ask: `POST /dynamic`, body: { 'Platform.Kernel.Rbac/Delete_RoleAssignment': { Id: id } }, status: 400 },
      { ask: `POST /dynamic`, body: { 'Platform.Kernel.Rbac/Lookup_RoleAssignment': { Id: id } }, status: 200, has: [{ Id: id }] },
      {
        ask: 'POST /q',
        body: { Query: { from: 'Platform.Kernel.Rbac/RoleAssignment', where: ['=', 'Id', id] } },
        status: 200,
        has: [{ Id: id }],
      },
      { ask: 'GET /platform.rbac/RoleAssignment?role=admin', status: 200, is: [] },
      { ask: `GET /platform.rbac/RoleAssignment/${id}`, status: 200, has: { id } },
      { ask: `GET /api/Platform.Kernel.Rbac/RoleAssignment/${id}`, status: 200, has: { Id: id } },
    ]);
  });

  test('is described with it, in each form by its own name, without what cannot be asked', async () => {
    const served = await serve(project, options);
    const { paths, tags } = Object((await served.get('/openapi.json')).body);
    expect(Object.keys(paths['/platform.rbac/RoleAssignment'])).toEqual(['get']);
    expect(Object.keys(paths['/platform.rbac/RoleAssignment/{id}'])).toEqual(['parameters', 'get']);
    expect(tags).toContainEqual(expect.objectContaining({ name: 'platform.rbac/RoleAssignment' }));
    expect(Object.keys(paths['/api/Platform.Kernel.Rbac/RoleAssignment'])).toEqual(['get']);
    expect(paths['/api/Platform.Kernel.Rbac/RoleAssignment/{Id}'].get.tags).toEqual(['Platform.Kernel.Rbac/RoleAssignment']);
    expect(Object.keys(paths).filter((each) => each.startsWith('/Platform'))).toEqual([]);
    expect((await served.get('/meta')).body).toEqual(['m', 'Platform.Kernel.Rbac']);
    expect((await served.get('/meta/Platform.Kernel.Rbac')).text).toContain('"Assignee"');
  });

  test('has nothing of it where the part is off', async () => {
    const served = await serve('module m\nentity Post { id Int @id }\n', { surfaces: ['current', 'earlier'] });
    await check(served, [
      { ask: 'GET /platform.rbac/RoleAssignment', status: 404 },
      { ask: 'GET /api/Platform.Kernel.Rbac/RoleAssignment', status: 404 },
    ]);
    expect((await served.get('/openapi.json')).text).not.toContain('RoleAssignment');
  });
});

describe('where it is known who asks, the guard decides on requests that write, under either name', () => {
  const known: Options = { ...options, system: ['auth', 'rbac'], parts: { authenticate: () => ({ kind: 'anonymous' }) } };
  const user = 'Platform.Kernel.Identity/User';

  test('rows are made, changed and removed, and what does not fit is named as it was sent', async () => {
    const served = await serve('module m\nentity Post { id Int @id }\n', known);
    const ann = { Email: 'ann@example.com', Name: 'Ann', UserData: { age: 3 } };
    await check(served, [
      { ask: `POST /api/${user}`, body: { [user]: ann }, status: 200, has: [{ result: [{ '-*-type-*-': user, ...ann }] }] },
      { ask: 'GET /platform.auth/User/ann@example.com', status: 200, has: { name: 'Ann', userData: { age: 3 } } },
      { ask: `POST /api/${user}`, body: { [user]: ann }, status: 409 },
      { ask: 'POST /platform.auth/User', body: { email: 'ann@example.com' }, status: 409 },
      { ask: `POST /api/${user}`, body: { [user]: { Name: 5 } }, status: 422, holds: '"attribute":"Email","code":"required"' },
      { ask: `POST /api/${user}`, body: { [user]: { email: 'x@y.zz' } }, status: 422, holds: '"attribute":"email","code":"unknown"' },
      { ask: 'POST /platform.auth/User', body: { Email: 'x@y.zz' }, status: 422, faults: ['Email unknown', 'email required'] },
      {
        ask: `PUT /api/${user}/ann@example.com`,
        body: { Data: { Name: 'Anna' } },
        status: 200,
        has: { Name: 'Anna', UserData: { age: 3 } },
      },
      { ask: 'GET /platform.auth/User/ann@example.com', status: 200, has: { name: 'Anna' } },
      { ask: 'PUT /platform.auth/User/ann@example.com', body: { lastName: 'Lee' }, send: { 'if-match': '"1"' }, status: 412 },
      { ask: 'PUT /platform.auth/User/ann@example.com', body: { lastName: 'Lee' }, send: { 'if-match': '*' }, status: 200 },
      {
        ask: 'POST /platform.auth/User',
        body: { email: 'bob@example.com', password: 'secret-1' },
        status: 201,
        headers: { location: /User/ },
      },
      { ask: `GET /api/${user}?LastName[null]=true&@select=Email`, status: 200, has: [{ Email: 'bob@example.com' }] },
      {
        ask: `POST /dynamic`,
        body: { [user.replace('/', '/Create_')]: { Instance: { Email: 'c@d.ee' } } },
        status: 200,
        has: { [user]: { Email: 'c@d.ee' } },
      },
      { ask: `POST /dynamic`, body: { [user.replace('/', '/Delete_')]: { Email: 'c@d.ee' } }, status: 200, has: [{ Email: 'c@d.ee' }] },
      { ask: `DELETE /api/${user}/ann@example.com`, status: 200, has: [{ result: [{ Email: 'ann@example.com', LastName: 'Lee' }] }] },
      { ask: 'GET /platform.auth/User', status: 200, has: [{ email: 'bob@example.com' }] },
    ]);
    const page = await served.get(`/api/${user}?@limit=1&@sort=Email`);
    expect(page.headers['link']).toBeUndefined();
    const { paths } = Object((await served.get('/openapi.json')).body);
    expect(Object.keys(paths['/platform.auth/User'])).toEqual(['get', 'post']);
  });

  test('a page under the second name leads to the next', async () => {
    const served = await serve('module m\nentity Post { id Int @id }\n', known);
    for (const name of ['c', 'a', 'b']) await served.post('/platform.auth/User', { email: `${name}@example.com`, name });
    const seen: unknown[] = [];
    let next: string | undefined = `/api/${user}?@limit=1&@sort=-Name&@select=Email`;
    while (next !== undefined) {
      const page = await served.get(next);
      seen.push(...[page.body].flat().map((each) => Reflect.get(Object(each), 'Email')));
      next = /<([^>]*)>/.exec(page.headers['link'] ?? '')?.[1];
    }
    expect(seen).toEqual(['c@example.com', 'b@example.com', 'a@example.com']);
  });
});

test('workflows write, change, query and remove under either name, and see what was done under the other', async () => {
  const changes: string[] = [];
  const recorder: Recorder = {
    records: () => true,
    changed: (all) =>
      void changes.push(
        ...all.map(({ before, after }) => `${before === undefined ? 'none' : 'one'} ${after === undefined ? 'none' : 'one'}`),
      ),
    denied: () => {},
    failed: () => {},
  };
  const served = await serve(
    `module m
workflow make {
  {platform.auth/User {email "ann@example.com", name "Ann"}}
  {Platform.Kernel.Identity/User {Email? "ann@example.com", Name "Anna", LastName "Lee"}}
  {platform.auth/User {email? "ann@example.com"}} @as [one]
  {Platform.Kernel.Identity/User {LastName?like "L%"}} @as [other]
  {one {firstName "A."}}
  {Platform.Kernel.Identity/User {Email "ann@example.com", UserData {"n": 1}}, @upsert}
  [one.name, other.Name]
}
workflow counted { {platform.auth/User {n? @count(email)}} }
workflow joined {
  {platform.auth/User? {}, @join Platform.Kernel.Identity/User {Email? platform.auth/User.email}, @into {a platform.auth/User.name, b Platform.Kernel.Identity/User.Name}}
}
workflow clear { delete {Platform.Kernel.Identity/User {Email? "ann@example.com"}} }
`,
    { system: ['auth'], parts: { recorder } },
  );
  await check(served, [
    { ask: 'POST /m/make', body: {}, status: 200, is: ['Anna', 'Anna'] },
    {
      ask: 'GET /platform.auth/User',
      status: 200,
      is: [{ email: 'ann@example.com', name: 'Anna', firstName: 'A.', lastName: 'Lee', userData: { n: 1 } }],
    },
    { ask: 'POST /m/counted', body: {}, status: 200, is: [{ n: 1 }] },
    { ask: 'POST /m/joined', body: {}, status: 200, is: [{ a: 'Anna', b: 'Anna' }] },
    { ask: 'POST /m/clear', body: {}, status: 200, has: [{ Email: 'ann@example.com', FirstName: 'A.' }] },
    { ask: 'GET /platform.auth/User', status: 200, is: [] },
  ]);
  // One row of one table, whatever it was called on the way.
  expect(changes).toEqual(['none one', 'one none']);
});

test('events of the service are made by the model, and posted nowhere', async () => {
  const source = `module m
workflow platform.auth/PostSignUp { {platform.rbac/RoleAssignment {role "new", assignee PostSignUp.signupRequest.user.email}} }
workflow pretend { {platform.auth/User {email "ann@example.com"}} {platform.auth/PostSignUp {signupRequest {"user": {"email": "ann@example.com"}}}} }
`;
  const served = await serve(source, { system: ['auth', 'rbac'], surfaces: ['current', 'earlier'] });
  const event = { signupRequest: { user: { email: 'eve@example.com' } } };
  await check(served, [
    { ask: 'POST /platform.auth/PostSignUp', body: event, status: 404 },
    { ask: 'POST /api/Platform.Kernel.Identity/PostSignUp', body: { 'Platform.Kernel.Identity/PostSignUp': event }, status: 404 },
    { ask: 'POST /api/platform.auth/PostSignUp', body: { 'platform.auth/PostSignUp': event }, status: 404 },
    { ask: 'POST /dynamic', body: { 'platform.auth/PostSignUp': event }, status: 400 },
    { ask: 'POST /m/pretend', body: {}, status: 200, has: { role: 'new', assignee: 'ann@example.com' } },
    { ask: 'GET /platform.rbac/RoleAssignment?@select=assignee', status: 200, has: [{ assignee: 'ann@example.com' }] },
  ]);
  expect((await served.get('/openapi.json')).text).not.toContain('PostSignUp');
});

test('a closed event of the service is reached at its own path, in the form of either surface, and nowhere else', async () => {
  const source = 'module m\nentity Post { id Int @id }\n';
  const { events } = modelOf(source, '/model', ['auth']);
  const heard: unknown[] = [];
  const login: EventHandler = {
    transaction: 'own',
    waits: true,
    async handle(event, { caller }) {
      heard.push({ ...event, caller: caller.kind });
      return { 'id-token': 't' };
    },
  };
  const at = (own: string, name: string): ((engine: Engine) => Endpoint) => {
    const target = events.get(name);
    if (target === undefined) throw new Error(`no event ${name}`);
    return (engine) => ({
      open: true,
      matches: ({ path }) => path === own,
      async respond({ body }, caller) {
        const result = await engine.execute({ kind: 'invoke', target, body: JSON.parse(String(body)) }, caller);
        const value = result.kind === 'value' ? result.value : null;
        return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
      },
    });
  };
  const [current, former] = ['platform.auth/login', 'Platform.Kernel.Identity/UserLogin'];
  const paths = [at('/platform.auth/login', current), at('/login', former)];
  const handlers = new Map([current, former].map((name) => [name, login] as const));
  const parts: AppParts = { handlers, endpoints: (engine) => paths.map((each) => each(engine)) };
  const served = await serve(source, { system: ['auth'], surfaces: ['current', 'earlier'], parts });
  const keyed = { [former]: { Username: 'eve', Password: 'x' } };
  await check(served, [
    { ask: 'POST /platform.auth/login', body: { email: 'ann', password: 'x' }, status: 200, is: { 'id-token': 't' } },
    { ask: 'POST /login', body: { Username: 'ann', Password: 'y' }, status: 200, is: { 'id-token': 't' } },
    { ask: 'POST /platform.auth/login', body: { email: 'ann' }, status: 422, faults: ['password required'] },
    { ask: `POST /api/${former}`, body: keyed, status: 404 },
    { ask: 'POST /api/platform.auth/login', body: { [current]: { email: 'eve', password: 'x' } }, status: 404 },
    { ask: 'POST /dynamic', body: keyed, status: 400 },
    { ask: `POST /${former}`, body: { Username: 'eve', Password: 'x' }, status: 404 },
  ]);
  expect(heard).toEqual([
    { email: 'ann', password: 'x', caller: 'anonymous' },
    { Username: 'ann', Password: 'y', caller: 'anonymous' },
  ]);
  for (const pattern of [`{${current} {email "eve", password "x"}}`, `{${former} {Username "eve", Password "x"}}`])
    expect(() => modelOf(`${source}workflow w { ${pattern} }`, '/model', ['auth'])).toThrow('there is no entity, event or record');
  expect(() => modelOf(`${source}workflow ${current} { 1 }`, '/model', ['auth'])).toThrow('there is no event');
});

test('what runs as the system may do everything: the dataflow on PostSignUp gives a role, where its caller could do nothing', async () => {
  const source = {
    'm.platform': `(component :m)
(entity :m/Post {:id {:type :Int :guid true}})
(dataflow :Platform.Kernel.Identity/PostSignUp
 {:Platform.Kernel.Identity/User {:Email? :Platform.Kernel.Identity/PostSignUp.SignupRequest.User.Email} :as [:NewUser]}
 {:Platform.Kernel.Rbac/RoleAssignment {:Role "reader" :Assignee :NewUser.Email}}
 :NewUser)
{:Platform.Kernel.Identity/User {:Email "ann@example.com" :Name "Ann"}}
`,
  };
  const event = 'Platform.Kernel.Identity/PostSignUp';
  const target = modelOf(source, '/model', ['auth', 'rbac']).events.get(event);
  const refused: Verdict = { allowed: false, reason: 'Nobody may.' };
  const parts: AppParts = {
    guard: { judge: () => refused, rows: () => refused },
    endpoints: (engine) => [
      {
        matches: ({ path }) => path === '/signup',
        async respond({ query }) {
          if (target === undefined) throw new Error(`no event ${event}`);
          const body = { SignupRequest: { User: { Email: query } } };
          const result = await engine.execute({ kind: 'invoke', target, body }, system);
          const value = result.kind === 'outcome' ? result.outcome.value : null;
          return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
        },
      },
    ],
  };
  const served = await serve(source, { system: ['auth', 'rbac'], surfaces: ['earlier'], parts });
  expect((await served.post('/signup?ann@example.com', {})).body).toMatchObject({ Email: 'ann@example.com', Name: 'Ann' });
  expect((await served.get('/api/Platform.Kernel.Rbac/RoleAssignment')).status).toBe(403);
  expect(await served.kept.rows('SELECT "role", "assignee" FROM "platform.rbac/RoleAssignment"')).toEqual([
    { role: 'reader', assignee: 'ann@example.com' },
  ]);
});

test('a password of a user is in no answer, under neither name', async () => {
  const source = 'module m\n{platform.auth/User {email "ann@example.com", password "secret-1"}}\n';
  const served = await serve(source, { system: ['auth'], surfaces: ['current', 'earlier'] });
  const rest = { name: null, firstName: null, lastName: null, userData: null };
  await check(served, [
    { ask: 'GET /platform.auth/User', status: 200, is: [{ email: 'ann@example.com', ...rest }] },
    { ask: 'GET /api/Platform.Kernel.Identity/User/ann@example.com', status: 200, has: { Email: 'ann@example.com', UserData: null } },
    { ask: 'GET /platform.auth/User?password=x', status: 422 },
    { ask: 'GET /api/Platform.Kernel.Identity/User?Password=x', status: 422 },
  ]);
  expect((await served.get('/api/Platform.Kernel.Identity/User')).text).not.toContain('assword');
});

test('a part that is switched off keeps its rows, and finds them when it is on again', async () => {
  const folder = folderForTest();
  const plain = 'module m\nentity Post { id Int @id }\n';
  const first = await open(plain, { folder });
  await first.close();
  const second = await open(`${plain}{platform.rbac/RoleAssignment {role "editor", assignee "ann@example.com"}}\n`, {
    folder,
    system: ['rbac'],
  });
  await second.close();
  const third = await open(plain, { folder });
  expect((await third.get('/platform.rbac/RoleAssignment')).status).toBe(404);
  await third.close();
  const fourth = await serve(plain, { folder, system: ['rbac'] });
  expect((await fourth.get('/platform.rbac/RoleAssignment')).body).toMatchObject([{ role: 'editor' }]);
});

/** What a model says of the modules of the service, and what it is told. */
const faults: readonly (readonly [title: string, line: string, message: string])[] = [
  ['an attribute that there is not', 'workflow w { {platform.rbac/RoleAssignment {roll "x"}} }', 'roll'],
  ['a value of another type', 'workflow w { {platform.rbac/RoleAssignment {role 5, assignee "a@b.cd"}} }', 'role'],
  ['an end of a relationship', 'relationship R between(Post, platform.rbac/RoleAssignment)', 'RoleAssignment'],
  ['a module of the same name', 'module platform.rbac', 'path of the service'],
];

test.each(faults)('%s is a fault of the model', (_, line, message) => {
  const project = line.startsWith('module') ? { 'a.al': line } : { 'a.al': `module m\nentity Post { id Int @id }\n${line}\n` };
  expect(() => modelOf(project, '/model', ['rbac'])).toThrow(message);
});
