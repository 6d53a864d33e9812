// Rules of attributes: whoever may read an instance does not see all of it, at whatever door, and nothing tells what they do not see; whoever may
// change it may not set all of it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brief, watch } from '../realtime/support.ts';
import { commandedAt } from './command.ts';
import { instances, type Person, type Surface, surfaces, type Values, type World, world } from './people.ts';

const everybody = '(roles: [user, clerk, boss], allow: [create, read, update, delete])';
const source = `module clinic
entity Kennel { id Int @id, name String @optional, budget Int @optional @rbac [(roles: [boss], allow: [read, update])], @rbac [${everybody}] }
entity Animal {
  id Int @id
  name String @optional
  keeper String @optional
  salary Int @optional @indexed @rbac [(roles: [boss], allow: [read, update]), (roles: [clerk], allow: [read])]
  note String @optional @fulltext @rbac [(roles: [user], owners: true, allow: [read, update])]
  mine Decimal @optional @rbac [(roles: [user], allow: [read], where: auth.user = this.keeper), (roles: [boss], allow: [create, update])]
  fixed Int @optional @readonly @rbac [(roles: [boss], allow: [read, update])]
  double Int @optional @expr(this.salary + this.salary) @rbac [(roles: [boss], allow: [read])]
  @rbac [${everybody}]
}
relationship KennelAnimal contains(Kennel, Animal) @rbac [(roles: [user], allow: [create])]
entity Toy { id Int @id, name String @optional, @rbac [${everybody}] }
relationship AnimalToy between(Animal, Toy)
event byMine { q Decimal }
workflow all { {Animal? {}} }
workflow byMine { {Animal {mine? byMine.q}} }
workflow sorted { {Animal? {}, @orderBy(mine)} }
workflow numbers { {Animal? {}, @into {n @count(Animal.mine), lo @min(Animal.mine), hi @max(Animal.mine), all @sum(Animal.mine)}} }
workflow grouped { {Animal? {}, @into {m Animal.mine, n @count(Animal.id)}, @groupBy(Animal.mine)} }
workflow shown { for each in {Animal? {}} { each.mine } }
workflow bySalary { {Animal {salary? 1}} }
workflow bySorted { {Animal? {}, @orderBy(salary)} }
workflow inGroups { {Animal? {}, @into {m Animal.salary, n @count(Animal.id)}, @groupBy(Animal.salary)} }
workflow inRows { {Animal? {}, @into {m Animal.salary, d Animal.mine}, @orderBy(Animal.id)} }
workflow least { {Animal? {}, @into {m @min(Animal.salary)}} }
workflow twice { {Animal? {}, @into {m Animal.mine * 2, s Animal.salary + 1}, @orderBy(Animal.id)} }
event setSalary { id Int, to Int }
workflow setSalary { {Animal {id? setSalary.id, salary setSalary.to}} }
`;

interface Secrets {
  readonly salary: number | null;
  readonly note: string | null;
  readonly mine: string | null;
  readonly fixed: number | null;
  readonly budget: number | null;
}

const canaries: Secrets = { salary: 7770001, note: 'canaryword', mine: '7770003.5', fixed: 7770004, budget: 7770005 };
const none: Secrets = { salary: null, note: null, mine: null, fixed: null, budget: null };
const others: Secrets = { salary: 4, note: 'elsewhere', mine: '0.5', fixed: 5, budget: 6 };

interface Staged extends World {
  readonly ann: Person;
  readonly bob: Person;
  readonly boss: Person;
  readonly clerk: Person;
}

/** What differs is what bob does not see: of what he owns or keeps, all is the same. */
async function staged(surface: Surface, { budget, ...secrets }: Secrets, isOpen = false): Promise<Staged> {
  const opened = await world(source, surface, { mcp: surface === 'current', graphql: surface === 'current', isOpen });
  const { admin } = opened;
  const ann = await opened.join('ann', 'user');
  const bob = await opened.join('bob', 'user');
  const boss = await opened.join('boss', 'boss');
  const clerk = await opened.join('clerk', 'clerk');
  const make = async (who: Person, path: string, values: Values): Promise<void> => {
    const { status, text } = await who.create(path, values);
    if (status >= 300) throw new Error(`${path}: ${text}`);
  };
  await make(admin, '/clinic/Kennel', { id: 1, name: 'one', budget });
  await make(bob, '/clinic/Kennel', { id: 2, name: 'two' });
  await make(admin, '/clinic/Kennel/1/KennelAnimal/Animal', { id: 1, name: 'a', keeper: ann.email, ...secrets });
  await make(admin, '/clinic/Kennel/1/KennelAnimal/Animal', { id: 2, name: 'b', keeper: bob.email, ...secrets, mine: '2.5' });
  await make(admin, '/clinic/Kennel/1/KennelAnimal/Animal', { id: 3, name: 'c', ...secrets });
  await make(bob, '/clinic/Kennel/2/KennelAnimal/Animal', { id: 4, name: 'd', note: 'of bob' });
  await make(admin, '/clinic/Toy', { id: 1, name: 'ball' });
  await make(admin, '/clinic/AnimalToy', { Animal: 'path://clinic$Kennel/1/clinic$KennelAnimal/clinic$Animal/1', Toy: 1 });
  return { ...opened, ann, bob, boss, clerk };
}

const reads = [
  '/clinic/Animal',
  '/clinic/Animal/1',
  '/clinic/Animal/4',
  '/clinic/Kennel/1/KennelAnimal/Animal/2',
  '/clinic/Kennel/1/KennelAnimal/Animal?@sort=mine',
  '/clinic/Animal?@sort=mine',
  '/clinic/Animal?@sort=-mine,note',
  '/clinic/Animal?@sort=mine&@limit=1',
  '/clinic/Animal?@sort=note&@limit=2&@count=true',
  '/clinic/Animal?mine=7770003.5&@count=true',
  '/clinic/Animal?mine[gte]=0&@count=true',
  '/clinic/Animal?mine[null]=true&@count=true',
  '/clinic/Animal?mine[null]=false',
  '/clinic/Animal?note=canaryword',
  '/clinic/Animal?note[like]=c%25',
  '/clinic/Animal?note[ne]=x',
  '/clinic/Animal?@search=canaryword&@count=true',
  '/clinic/Animal?@search=bob',
  '/clinic/Animal?@or=(mine=7770003.5,name=b)',
  '/clinic/Animal?@select=name,mine&@rights=true',
  '/clinic/Animal?@select=name&@sort=mine',
  '/clinic/Kennel?KennelAnimal.Animal.mine=7770003.5',
  '/clinic/Kennel?KennelAnimal.Animal.note=canaryword&@count=true',
  '/clinic/Kennel?@include=KennelAnimal',
  '/clinic/Kennel/1?@tree=true',
  '/clinic/Toy?AnimalToy.Animal.mine[gt]=1',
  '/clinic/Toy?@include=AnimalToy',
  '/clinic/Animal?@include=KennelAnimal,AnimalToy',
  '/clinic/Animal?@sort=KennelAnimal.Kennel.name,mine',
  '/clinic/AnimalToy',
  // By none of these may he ask at all.
  ...[
    'salary=7770001',
    'salary[null]=true',
    '@sort=salary',
    '@select=salary',
    '@or=(salary=7770001,name=b)',
    'double[gt]=1',
    'fixed=7770004',
  ].map((query) => `/clinic/Animal?${query}`),
  '/clinic/Kennel?KennelAnimal.Animal.salary=7770001',
  '/clinic/Animal?KennelAnimal.Kennel.budget[gt]=1',
  '/clinic/Animal?@sort=KennelAnimal.Kennel.budget',
];

const queries = [
  '{ x: animalList { id name mine note salary fixed _version } }',
  '{ x: animalList(where: {mine: {gt: "1"}}) { id } }',
  '{ x: animalList(orderBy: [{mine: DESC}]) { id _cursor } }',
  '{ x: animalCount(where: {note: {like: "c%"}}) }',
  '{ x: animalList(where: {salary: {eq: 7770001}}) { id } }',
  '{ x: animalList(orderBy: [{salary: ASC}]) { id } }',
  '{ x: kennelList { id budget _version KennelAnimal(orderBy: [{mine: ASC}]) { id mine salary _version } } }',
  '{ x: kennelList(where: {KennelAnimal: {mine: {gt: "1"}}}) { id } }',
];

const workflows: readonly (readonly [string, Values])[] = [
  ['all', {}],
  ['byMine', { q: '7770003.5' }],
  ['byMine', { q: '2.5' }],
  ['sorted', {}],
  ['numbers', {}],
  ['grouped', {}],
  ['shown', {}],
  ['bySalary', {}],
  ['bySorted', {}],
  ['inGroups', {}],
  ['inRows', {}],
  ['least', {}],
  ['twice', {}],
];

const assistant = ({ headers }: Person) => ({ ...headers, accept: 'application/json, text/event-stream' });

/** All that an answer tells but what was generated. */
function told({
  status,
  text,
  headers,
}: {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}) {
  return [status, text.replace(/"__Id__":"[^"]*"/g, ''), headers['etag'], headers['link'], headers['x-total-count']];
}

describe.each(surfaces)('on the %s surface', (surface) => {
  const all: Staged[] = [];
  beforeAll(async () => {
    for (const each of [canaries, others, none]) all.push(await staged(surface, each, true));
  });
  afterAll(async () => {
    for (const { served } of all) await served.close();
  });

  const everywhere = async (ask: (staged: Staged) => Promise<Parameters<typeof told>[0]>): Promise<void> => {
    const answers: unknown[][] = [];
    for (const each of all) answers.push(told(await ask(each)));
    const [first, ...more] = answers;
    expect(String(first?.[1])).not.toMatch(/777000|canaryword\b(?!")|"canaryword"/);
    for (const each of more) expect(each).toEqual(first);
  };

  test.each(reads)('what somebody may not see is told by no answer: %s', async (path) => {
    await everywhere(({ bob }) => bob.read(surface === 'current' ? path : path.replace(/@tree=true/, 'tree=true')));
  });

  test.each(workflows)('nor by a workflow: %s', async (name, values) => {
    await everywhere(({ bob }) => bob.create(`/clinic/${name}`, values));
  });

  test.each(
    [
      { salary: 7770001 },
      { salary: 4 },
      { note: 'canaryword' },
      { note: 'x' },
      { mine: '7770003.5' },
      { fixed: 7770004 },
      { fixed: 1 },
      { double: 8 },
    ].map((values) => [JSON.stringify(values), values] as const),
  )('nor by what is answered to a change, whether or not it is one: %s', async (_, values) => {
    await everywhere(async ({ bob }) => {
      const answer = await bob.change('/clinic/Animal/1', values);
      expect(answer.status).toBe(403);
      return answer;
    });
  });

  test('a role sees what its rule lets it see, an owner what is for owners, and admin all', async () => {
    const { ann, bob, boss, clerk, admin } = all[0] ?? expect.fail();
    const seen = async (person: Person, id: number): Promise<readonly string[]> =>
      Object.keys(instances(await person.read(`/clinic/Animal/${id}`))[0] ?? {})
        .filter((name) => ['salary', 'note', 'mine', 'fixed', 'double'].includes(name))
        .sort();
    expect(await seen(ann, 1)).toEqual(['mine']);
    expect(await seen(bob, 1)).toEqual([]);
    expect(await seen(bob, 2)).toEqual(['mine']);
    expect(await seen(bob, 4)).toEqual(['note']);
    expect(await seen(clerk, 1)).toEqual(['salary']);
    expect(await seen(boss, 1)).toEqual(['double', 'fixed', 'salary']);
    expect(await seen(admin, 1)).toEqual(['double', 'fixed', 'mine', 'note', 'salary']);
  });
});

describe('by GraphQL, assistants and the rest of the current surface', () => {
  const all: Staged[] = [];
  beforeAll(async () => {
    for (const each of [canaries, others, none]) all.push(await staged('current', each, true));
  });
  afterAll(async () => {
    for (const { served } of all) await served.close();
  });

  test.each(queries)('what somebody may not see is null, and told by nothing: %s', async (query) => {
    const answers: string[] = [];
    for (const { served, bob } of all) answers.push((await served.post('/graphql', { query }, bob.headers)).text);
    expect(answers[0]).not.toMatch(/"data":null.*internal/);
    expect(answers[0]?.replace(/eq: 7770001/, '')).not.toMatch(/777000|canaryword/);
    expect(answers).toEqual(answers.map(() => answers[0]));
  });

  test('a field that is null for who may not see it says so, once', async () => {
    const { served, bob, admin } = all[0] ?? expect.fail();
    const query = '{ x: animalList { id salary } }';
    const { body } = await served.post('/graphql', { query }, bob.headers);
    expect(body).toMatchObject({
      errors: [{ path: ['x', 'salary'], extensions: { code: 'attribute-hidden' } }],
      data: {
        x: [
          { id: 1, salary: null },
          { id: 2, salary: null },
          { id: 3, salary: null },
          { id: 4, salary: null },
        ],
      },
    });
    expect((await served.post('/graphql', { query }, admin.headers)).body).toEqual({
      data: { x: [1, 2, 3, 4].map((id) => ({ id, salary: id === 4 ? null : 7770001 })) },
    });
  });

  test.each(['clinic_Animal_list', 'clinic_Animal_read'])('tools of assistants show no more: %s', async (name) => {
    const answers: string[] = [];
    for (const { served, bob } of all) {
      const params = { name, arguments: name.endsWith('read') ? { id: 3 } : {} };
      answers.push((await served.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, assistant(bob))).text);
    }
    expect(answers[0]).toMatch(/"name/);
    expect(answers[0]).not.toMatch(/777000|canaryword/);
    expect(answers).toEqual(answers.map(() => answers[0]));
  });

  test('the ETag is a hash of what is seen: it stays while only the rest changes, and a write is held against it', async () => {
    const { bob, boss, admin, served } = await staged('current', canaries);
    const at = '/clinic/Animal/1';
    const etag = async (person: Person): Promise<unknown> => (await person.read(at)).headers['etag'];
    const [before, whole] = [await etag(bob), await etag(admin)];
    expect((await admin.change(at, { salary: 1, note: 'other' })).status).toBe(200);
    expect(await etag(bob)).toBe(before);
    expect(await etag(admin)).not.toBe(whole);
    const write = (values: Values, version: unknown) => served.put(at, values, { ...bob.headers, 'if-match': String(version) });
    expect((await write({ name: 'x' }, await etag(admin))).status).toBe(412);
    expect((await write({ name: 'x' }, before)).status).toBe(200);
    expect((await write({ name: 'y' }, before)).status).toBe(412);
    expect((await boss.change(at, { name: 'z' })).status).toBe(200);
    const now = await etag(bob);
    expect(now).not.toBe(before);
    expect((await served.remove(at, { ...bob.headers, 'if-match': String(before) })).status).toBe(412);
    const gone = await served.remove(at, { ...bob.headers, 'if-match': String(now) });
    expect([gone.status, gone.text.includes('777')]).toEqual([gone.status < 300 ? gone.status : 200, false]);
  });

  test('a stream tells no hidden value, and nothing of a change of nothing else', async () => {
    const { bob, boss, admin, served } = await staged('current', canaries);
    const stream = await watch(served, '/clinic/Animal?@initial=true', { headers: bob.headers });
    const whole = await watch(served, '/clinic/Animal', { headers: boss.headers });
    await stream.until(5);
    await whole.until(1);
    await admin.change('/clinic/Animal/1', { salary: 7770009 });
    await admin.change('/clinic/Animal/1', { note: 'canaryword again' });
    await admin.change('/clinic/Animal/1', { name: 'new', salary: 7770010 });
    await admin.change('/clinic/Animal/2', { mine: '7.5' });
    const events = await stream.until(7);
    expect(brief(events.slice(5))).toEqual(['update 1', 'update 2']);
    expect(JSON.stringify(events)).not.toMatch(/777000|777001|canaryword/);
    expect(brief((await whole.until(3)).slice(1))).toEqual(['update 1', 'update 1']);
  });

  test('on create a value is set by who may, and the owner to be is an owner; whoever may not is told which', async () => {
    const { bob, boss } = await staged('current', canaries);
    const made = async (person: Person, values: Values) => {
      const { status, body } = await person.create('/clinic/Kennel/2/KennelAnimal/Animal', values);
      return [status, Reflect.get(Object(body), 'code'), Reflect.get(Object(body), 'attribute')];
    };
    expect(await made(bob, { id: 10, note: 'mine' })).toEqual([201, undefined, undefined]);
    expect(await made(bob, { id: 11, salary: 1 })).toEqual([403, 'attribute-denied', 'salary']);
    expect(await made(bob, { id: 11, salary: null })).toEqual([201, undefined, undefined]);
    // `create` is the boss's, and so is not whoever may read it.
    expect(await made(bob, { id: 12, mine: '1', keeper: bob.email })).toEqual([403, 'attribute-denied', 'mine']);
    const nested = { id: 20, KennelAnimal: [{ id: 21, salary: 3 }] };
    expect((await bob.create('/clinic/Kennel', nested)).body).toMatchObject({
      code: 'attribute-denied',
      attribute: 'KennelAnimal[0].salary',
    });
    expect((await boss.change('/clinic/Animal/10', { salary: 5, fixed: null })).status).toBe(200);
  });

  test('who may read and not change is refused a change; sent as it is, it is none', async () => {
    const { clerk, admin } = await staged('current', canaries);
    const answer = await clerk.change('/clinic/Animal/1', { salary: 1 });
    expect(answer.body).toMatchObject({ status: 403, code: 'attribute-denied', attribute: 'salary' });
    const { etag } = (await admin.read('/clinic/Animal/1')).headers;
    expect((await clerk.change('/clinic/Animal/1', { salary: 7770001 })).status).toBe(200);
    expect((await admin.read('/clinic/Animal/1')).headers['etag']).toBe(etag);
    expect((await clerk.change('/clinic/Animal/1', { salary: 7770001, name: 'changed' })).body).toMatchObject({ name: 'changed' });
  });

  test('a workflow that is posted sets what its caller may set', async () => {
    const { bob, boss } = await staged('current', canaries);
    expect((await bob.create('/clinic/setSalary', { id: 1, to: 7770001 })).status).toBe(403);
    expect((await boss.create('/clinic/setSalary', { id: 1, to: 9 })).status).toBe(200);
    expect((await boss.read('/clinic/Animal/1')).body).toMatchObject({ salary: 9, double: 18 });
  });
});

describe('rules that ask for what they hide', () => {
  const hiding = `module m
entity Note {
  id Int @id
  text String @optional @rbac [(roles: [*], allow: [read], where: auth.user = this.author), (roles: [*], owners: true, allow: [update])]
  author String @optional @rbac [(roles: [boss], allow: [read, create])]
  @rbac [(roles: [user], allow: [read], where: auth.user = this.author), (roles: [boss], allow: [create, read])]
}
`;

  test('a rule asks what is stored, whatever of it its caller sees', async () => {
    const { join, served } = await world(hiding);
    const [ann, bob, boss] = [await join('ann', 'user'), await join('bob', 'user'), await join('boss', 'boss')];
    expect((await boss.create('/m/Note', { id: 1, author: ann.email, text: 'x' })).body).toEqual({ id: 1, author: ann.email });
    expect((await ann.read('/m/Note')).body).toEqual([{ id: 1, text: 'x' }]);
    expect((await ann.read('/m/Note?text=x')).body).toEqual([{ id: 1, text: 'x' }]);
    expect((await ann.read('/m/Note/1?@rights=true')).body).toEqual({ id: 1, text: 'x', '@rights': ['read'] });
    expect((await bob.read('/m/Note')).body).toEqual([]);
    expect((await boss.read('/m/Note?@rights=true')).body).toEqual([
      { id: 1, author: ann.email, '@rights': ['read', 'update', 'delete', 'update text'] },
    ]);
    const stream = await watch(served, '/m/Note', { headers: ann.headers });
    await stream.until(1);
    await boss.change('/m/Note/1', { text: 'y' });
    expect((await stream.until(2))[1]?.data).toEqual({ id: 1, text: 'y' });
  });

  test('a key with fewer roles than its user sees less', async () => {
    const { join, served } = await world(hiding);
    const boss = await join('boss', 'boss', 'user');
    await boss.create('/m/Note', { id: 1, author: boss.email, text: 'x' });
    const { body } = await boss.create('/platform.auth/ApiKey', { name: 'less', roles: ['user'] });
    const key = { authorization: `Bearer ${String(Reflect.get(Object(body), 'key'))}` };
    expect((await served.get('/m/Note/1', boss.headers)).body).toEqual({ id: 1, author: boss.email, text: 'x' });
    expect((await served.get('/m/Note/1', key)).body).toEqual({ id: 1, text: 'x' });
    expect((await served.get('/m/Note?author[null]=false', key)).status).toBe(422);
  });
});

test('what was read may be sent back with what is nested in it, and a guess at what is hidden there is no match', async () => {
  const { bob, admin } = await staged('current', canaries);
  const tree = await bob.read('/clinic/Kennel/1?@tree=true');
  expect((await bob.change('/clinic/Kennel/1', Object(tree.body))).status).toBe(200);
  const nested = (values: Values) => bob.change('/clinic/Kennel/1', { KennelAnimal: [{ id: 1, ...values }, { id: 2 }, { id: 3 }] });
  expect(await nested({ salary: 7770001 })).toMatchObject({ status: 422, body: (await nested({ salary: 1 })).body });
  expect((await admin.read('/clinic/Animal/1')).body).toMatchObject({ salary: 7770001, note: 'canaryword' });
});

test('queries of the earlier surface tell no more', async () => {
  const { bob, boss, served } = await staged('earlier', canaries);
  const query = (where: readonly unknown[]) => ({ Query: { from: 'clinic/Animal', where, 'order-by': ['mine'] } });
  const found = await served.post('/q', query(['>', 'mine', '1']), bob.headers);
  expect([found.status, instances(found).map((each) => each['id'])]).toEqual([200, [2]]);
  expect((await served.post('/q', query(['=', 'salary', 7770001]), bob.headers)).status).toBe(422);
  const { 'order-by': _, ...unsorted } = query(['=', 'salary', 7770001]).Query;
  expect((await served.post('/q', { Query: unsorted }, boss.headers)).text).toMatch(/7770001/);
  const ran = await served.post('/dynamic', { 'clinic/bySalary': {} }, bob.headers);
  expect([ran.status, ran.text.includes('777')]).toEqual([403, false]);
});

test('the matrix has lines for attributes with rules, an explanation names those that the user may not see, and the model says what they may', async () => {
  const { bob, served } = await staged('current', canaries);
  const { run } = commandedAt(source, served);
  const lines = (await run('access', 'matrix')).out.split('\n').filter((line) => /Animal\.(mine|note)/.test(line));
  expect(lines.map((line) => line.replace(/ +/g, ' '))).toEqual([
    'clinic/Animal.mine role admin create read update',
    'clinic/Animal.mine role boss create - update',
    'clinic/Animal.mine role user where auth.user = this.keeper - read -',
    'clinic/Animal.note role admin create read update',
    'clinic/Animal.note role user, and owner create read update',
  ]);
  const explained = async (op: string, on: string): Promise<string> =>
    (await run('access', 'explain', '--user', bob.email, '--op', op, '--on', on)).out;
  expect(await explained('read', '/clinic/Animal/4')).toContain(
    'By rules of their own, these attributes may not be read: salary, mine, fixed, double.',
  );
  expect(await explained('update', '/clinic/Animal/4')).toContain(
    'By rules of their own, these attributes may not be changed: salary, mine, fixed, double.',
  );
  const { body } = await served.get('/platform/model', bob.headers);
  const entities: readonly { readonly name: string; readonly attributes: readonly Values[] }[] = Object(body).entities;
  const animal = entities.find(({ name }) => name === 'clinic/Animal')?.attributes ?? [];
  expect(animal.map(({ name, rights, readOnly }) => [name, rights, readOnly])).toEqual([
    ['id', undefined, false],
    ['name', undefined, false],
    ['keeper', undefined, false],
    ['note', { create: 'all', read: 'some', update: 'some' }, false],
    ['mine', { create: 'none', read: 'some', update: 'none' }, true],
  ]);
});

test('of what a resolver keeps the same is hidden', async () => {
  const kept = `module m
entity Animal {
  id Int @id
  name String @optional
  keeper String @optional
  salary Int @optional @rbac [(roles: [boss], allow: [read, update])]
  mine Int @optional @rbac [(roles: [user], allow: [read], where: auth.user = this.keeper)]
  @rbac [(roles: [user, boss], allow: [create, read, update])]
}
`;
  const resolvers = [{ name: 'm/elsewhere', kind: 'memory' as const, types: ['m/Animal'] }];
  const { admin, join } = await world(kept, 'current', { resolvers });
  const [ann, bob, boss] = [await join('ann', 'user'), await join('bob', 'user'), await join('boss', 'boss')];
  const values = { id: 1, name: 'a', keeper: ann.email, salary: 7770001, mine: 7770002 };
  expect((await admin.create('/m/Animal', values)).body).toMatchObject(values);
  expect((await bob.read('/m/Animal')).body).toEqual([{ id: 1, name: 'a', keeper: ann.email }]);
  expect((await ann.read('/m/Animal/1')).body).toEqual({ id: 1, name: 'a', keeper: ann.email, mine: 7770002 });
  expect((await bob.read('/m/Animal?mine=7770002')).body).toEqual([]);
  expect((await bob.read('/m/Animal?salary=7770001')).status).toBe(422);
  for (const salary of [7770001, 1]) expect((await bob.change('/m/Animal/1', { salary })).status).toBe(403);
  expect((await bob.change('/m/Animal/1', { name: 'b' })).body).toEqual({ id: 1, name: 'b', keeper: ann.email });
  const etag = (await bob.read('/m/Animal/1')).headers['etag'];
  expect((await boss.change('/m/Animal/1', { salary: 2 })).body).toEqual({ id: 1, name: 'b', keeper: ann.email, salary: 2 });
  expect((await bob.read('/m/Animal/1')).headers['etag']).toBe(etag);
  expect((await bob.create('/m/Animal', { id: 2, salary: 1 })).status).toBe(403);
  expect((await bob.create('/m/Animal', { id: 2, name: 'c' })).body).toEqual({ id: 2, name: 'c', keeper: null });
});
