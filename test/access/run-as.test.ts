// With whose rights logic runs: what a write sets off as the system, what is posted as its caller, what logic makes as that logic, unless the model says otherwise.

import { describe, expect, onTestFinished, test } from 'vitest';
import { hashedText } from '../../src/audit/entry.ts';
import type { Project } from '../support/app.ts';
import { callingModel } from './oracle/matrix/tools.ts';
import { instances, type Person, surfaces, type Values, valueIn, world } from './people.ts';

/** Each way counts the notes that it sees: customers see none, as there are three of admin's. */
const projects: Readonly<Record<'current' | 'earlier', Project>> = {
  current: `module m
entity Note { id Int @id, text String @optional, @meta {"audit": true}, @rbac [(roles: [clerk], allow: [read])], @after {update counted} }
entity Seen { id UUID @id @default(uuid()), way String, n Int @optional, who String @optional, @rbac [(roles: [customer], allow: [create])] }
entity Door { id Int @id, kind String, @meta {"audit": true}, @rbac [(roles: [customer], allow: [create, read, update, delete])], @after {update counted, delete mine} }
entity Inside { id Int @id, @rbac [(roles: [customer], allow: [create])] }
relationship DoorInside contains(Door, Inside) @rbac [(roles: [customer], allow: [create])]
event counted { Door Door @optional }
workflow counted { {Note? {}, @into {n @count(Note.id)}} @as [all]; {Seen {way "event", n all.n, who auth.user}} }
@runAs(caller) workflow mine { {Note? {}, @into {n @count(Note.id)}} @as [all]; {Seen {way "as caller", n all.n, who auth.user}} }
workflow @before create:Door { {Note? {}, @into {n @count(Note.id)}} @as [all]; {Seen {way "before", n all.n, who auth.user}}; {Note {id this.id + 100, text "made"}} }
workflow @after delete:Inside { {Note? {}, @into {n @count(Note.id)}} @as [all]; {Seen {way "cascade", n all.n, who auth.user}} }
@runAs(caller) workflow @after create:Inside { {Note? {}, @into {n @count(Note.id)}} @as [all]; {Seen {way "body as caller", n all.n, who auth.user}} }
workflow posted { {Note? {}} }
@runAs(system) workflow whole @rbac [(roles: [customer], allow: [create])] { {Note? {}} }
@runAs(system) workflow owned @rbac [(roles: [customer], allow: [create])] { {posted {}} }
workflow given { {whole {}} }
@runAs(caller) workflow again { {Note? {}} }
@runAs(system) workflow back @rbac [(roles: [customer], allow: [create])] { {again {}} }
@runAs(system) workflow forAdmins { {Note? {}} }
@runAs(system) workflow make @rbac [(roles: [customer], allow: [create])] { {Note {id 900, text "system"}} }
`,
  earlier: {
    'm.platform': `(component :m)
(entity :Note {:id {:type :Int :guid true} :text {:type :String :optional true} :meta {:audit true :after {:update :counted}} :rbac [{:roles ["clerk"] :allow [:read]}]})
(entity :Seen {:id :Identity :way :String :n {:type :Int :optional true} :who {:type :String :optional true} :rbac [{:roles ["customer"] :allow [:create]}]})
(entity :Door {:id {:type :Int :guid true} :kind :String :meta {:audit true :after {:update :counted :delete :mine}} :rbac [{:roles ["customer"] :allow [:create :read :update :delete]}]})
(event :counted {:Door {:type :Door :optional true}})
(dataflow :counted {:Note? {} :as :All} {:Seen {:way "event" :n '(count :All) :who :EventContext.User}})
(event :mine {:Door {:type :Door :optional true} :meta {:run-as :caller}})
(dataflow :mine {:Note? {} :as :All} {:Seen {:way "as caller" :n '(count :All) :who :EventContext.User}})
(dataflow [:before :create :Door] {:Note? {} :as :All} {:Seen {:way "before" :n '(count :All) :who :EventContext.User}} {:Note {:id '(+ :Door.id 100) :text "made"}})
(event :posted {})
(dataflow :posted {:Note? {}})
(event :whole {:meta {:run-as :system} :rbac [{:roles ["customer"] :allow [:create]}]})
(dataflow :whole {:Note? {}})
(dataflow [:owned :run-as :system :rbac [{:roles ["customer"] :allow [:create]}]] {:posted {}})
(event :given {})
(dataflow :given {:whole {}})
(dataflow [:again :run-as :caller] {:Note? {}})
(dataflow [:back :run-as :system :rbac [{:roles ["customer"] :allow [:create]}]] {:again {}})
(event :forAdmins {:meta {:run-as :system}})
(dataflow :forAdmins {:Note? {}})
(dataflow [:make :run-as :system :rbac [{:roles ["customer"] :allow [:create]}]] {:Note {:id 900 :text "system"}})
`,
  },
};

describe.each(surfaces)('on the %s surface', (surface) => {
  async function staged(options = {}) {
    const opened = await world(projects[surface], surface, options);
    const ann = await opened.join('ann', 'customer');
    await opened.admin.create('/m/Note', [{ id: 1 }, { id: 2 }, { id: 3 }]);
    return { ...opened, ann };
  }

  const seen = async (admin: Person): Promise<readonly Values[]> =>
    instances(await admin.read('/m/Seen')).map(({ way, n, who }) => ({ way, n, who }));

  test('what a write sets off sees all, what is posted what its caller sees, what logic makes what that logic sees', async () => {
    const { ann, admin } = await staged();
    const found = async (name: string, person = ann) => {
      const { status, body } = await person.create(`/m/${name}`, {});
      return status === 200 && Array.isArray(body) ? body.length : status;
    };
    expect(await found('posted')).toBe(0);
    expect(await found('whole')).toBe(3);
    expect(await found('owned')).toBe(3);
    expect(await found('given')).toBe(3);
    expect(await found('back')).toBe(0);
    // Without a rule, what runs as the system is for admins.
    expect([await found('forAdmins'), await found('forAdmins', admin)]).toEqual([403, 3]);
    await ann.create('/m/Door', { id: 1, kind: 'x' });
    await ann.change('/m/Door/1', { kind: 'y' });
    await ann.remove('/m/Door/1');
    expect(await seen(admin)).toEqual(
      expect.arrayContaining([
        { way: 'before', n: 3, who: ann.email },
        { way: 'event', n: 4, who: ann.email },
        { way: 'as caller', n: 0, who: ann.email },
      ]),
    );
  });

  test('what logic writes as the system is nobody’s, and the trail names who has set it off, and that it was the system', async () => {
    const { ann, admin } = await staged({ system: ['auth', 'rbac', 'audit'], audit: {} });
    await ann.create('/m/Door', { id: 1, kind: 'x' });
    expect((await ann.create('/m/make', {})).text).toContain('system');
    expect((await ann.read('/m/Note/101')).status).toBe(404);
    expect((await ann.read('/m/Note/900')).status).toBe(404);
    const owners = instances(await admin.read(admin.at('OwnershipAssignment'))).map((each) => `${each['resource'] ?? each['Resource']}`);
    expect(owners.filter((each) => each === 'm/Note')).toHaveLength(3);
    expect(owners.filter((each) => each === 'm/Door')).toHaveLength(1);
    const module = surface === 'current' ? '/platform.audit/Entry' : '/Platform.Kernel.Audit/Entry';
    const entries = instances(await admin.read(module)).map((each) => {
      const part = (name: string) => each[name] ?? each[`${name.charAt(0).toUpperCase()}${name.slice(1)}`] ?? null;
      return [part('user'), part('type'), part('instance'), part('as')];
    });
    expect(entries.slice(3)).toEqual([
      [ann.email, 'm/Note', '101', 'system'],
      [ann.email, 'm/Door', '1', null],
      [ann.email, 'm/Note', '900', 'system'],
    ]);
  });
});

test('an entry of before there was a mark for the system has the text that it had', () => {
  const old = ['id', 'time', 'ann', 'create', 'm/Note', '1', null, '{}', 'r', 'done', null, null];
  expect(hashedText([...old, null, 1])).toBe(hashedText(old));
  expect(hashedText(old)).toBe('2 id4 time3 ann6 create6 m/Note1 1-2 {}1 r4 done--');
  expect(hashedText([...old, 'system', 1])).not.toBe(hashedText(old));
});

describe('what a write sets off', () => {
  test('by a cascade sees all, and a body that runs as its caller sees what that one sees', async () => {
    const { join, admin } = await world(projects.current);
    const ann = await join('ann', 'customer');
    await admin.create('/m/Note', [{ id: 1 }, { id: 2 }]);
    await ann.create('/m/Door', { id: 1, kind: 'x' });
    expect((await ann.create('/m/Door/1/DoorInside/Inside', { id: 1 })).status).toBe(201);
    await ann.remove('/m/Door/1');
    const ways = instances(await admin.read('/m/Seen')).map(({ way, n }) => `${way} ${n}`);
    expect(ways.toSorted()).toEqual(['as caller 0', 'before 2', 'body as caller 0', 'cascade 3']);
  });

  const hotel = `module hotel
entity Room { id Int @id, @rbac [(roles: [*], allow: [read])] }
entity Booking { id Int @id, room Int, start Int, end Int, @rbac [(roles: [customer], allow: [create])] }
workflow @before create:Booking {
  {Booking {room? this.room, start?< this.end, end?> this.start}} @as [other];
  if (other) { throw "the room is taken" }
}
`;

  test('customers who do not see each other’s bookings cannot book one room for overlapping times', async () => {
    const { join, admin } = await world(hotel);
    const [ann, bob] = [await join('ann', 'customer'), await join('bob', 'customer')];
    const book = (person: Person, id: number, start: number, end: number, room = 1) =>
      person.create('/hotel/Booking', { id, room, start, end });
    expect((await book(ann, 1, 10, 20)).status).toBe(201);
    const taken = await book(bob, 2, 15, 25);
    expect([taken.status, taken.text.includes('the room is taken'), taken.text.includes('ann')]).toEqual([422, true, false]);
    expect((await book(bob, 3, 20, 25)).status).toBe(201);
    expect((await book(bob, 4, 15, 25, 2)).status).toBe(201);
    expect(instances(await bob.read('/hotel/Booking')).map(({ id }) => id)).toEqual([3, 4]);
    expect(instances(await ann.read('/hotel/Booking')).map(({ id }) => id)).toEqual([1]);
    expect(instances(await admin.read('/hotel/Booking'))).toHaveLength(3);
  });

  test('of twenty who book one room at once, one gets it', async () => {
    const { join, admin } = await world(hotel);
    const people = await Promise.all(['ann', 'bob', 'cy', 'dee'].map((name) => join(name, 'customer')));
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        people[at % 4]?.create('/hotel/Booking', { id: at, room: 1, start: 10 + (at % 3), end: 20 + (at % 5) }),
      ),
    );
    expect(all.map((each) => each?.status).filter((status) => status === 201)).toHaveLength(1);
    expect(all.map((each) => each?.status).filter((status) => status === 422)).toHaveLength(19);
    expect(instances(await admin.read('/hotel/Booking'))).toHaveLength(1);
  });
});

describe('an agent', () => {
  const source = `module m
entity Note { id Int @id, text String, @rbac [(roles: [clerk], allow: [create, read])] }
entity Ticket { id Int @id, ask String, @rbac [(roles: [customer], allow: [create])] }
agent helper { instruction "Work.", tools [m/Note] }
workflow @after create:Ticket { {Note? {}} @as all; {helper {message this.ask}} }
@runAs(system) workflow asked @rbac [(roles: [customer, clerk], allow: [create])] { {Note? {}} @as all; {helper {message asked.ask}} }
event asked { ask String }
`;
  const calls = JSON.stringify([{ name: 'm_Note_read', id: 'call_read', arguments: '{}' }]);

  /** Asked by the clock alone. */
  const ticking = `@schedule("every second") event tick { }
workflow tick { {helper {message "${JSON.stringify([{ name: 'm_Note_read', id: 'call_read', arguments: '{}' }]).replaceAll('"', '\\"')}"}} }
`;

  async function staged(more = '') {
    const model = await callingModel();
    onTestFinished(() => model.close().then(() => {}));
    const opened = await world(source + more, 'current', { ...(model.llm === undefined ? {} : { llm: model.llm }) });
    await opened.admin.create('/m/Note', { id: 1, text: 'hidden' });
    return { ...opened, ann: await opened.join('ann', 'customer'), cleo: await opened.join('cleo', 'clerk') };
  }

  const told = async (admin: Person) => instances(await admin.read('/platform.ai/ToolCall')).map(({ result }) => JSON.stringify(result));

  test('has the rights of who has set it off, also inside of what runs as the system, whose run shows them nothing', async () => {
    const { ann, cleo, admin } = await staged();
    expect((await ann.create('/m/asked', { ask: calls })).status).toBe(200);
    expect(await told(admin)).toEqual(['{"instances":[],"truncated":false}']);
    expect((await cleo.create('/m/asked', { ask: calls })).status).toBe(200);
    expect((await told(admin)).at(-1)).toContain('hidden');
    for (const person of [ann, cleo]) expect(instances(await person.read('/platform.ai/Run'))).toEqual([]);
    expect(instances(await admin.read('/platform.ai/Run'))).toHaveLength(2);
  });

  test('that a write sets off has them too', async () => {
    const { ann, admin } = await staged();
    expect((await ann.create('/m/Ticket', { id: 1, ask: calls })).status).toBe(201);
    await expect.poll(() => told(admin), { timeout: 15_000 }).toEqual(['{"instances":[],"truncated":false}']);
    expect(instances(await ann.read('/platform.ai/Run'))).toEqual([]);
    expect(valueIn(await admin.read('/platform.ai/Run'), 'user') ?? null).toBe(null);
  });

  test('that nobody has set off has no tools, while it is known who asks', async () => {
    const { admin } = await staged(ticking);
    await expect.poll(() => told(admin), { timeout: 15_000 }).toEqual(['{"error":"access-denied"}']);
  });
});

describe('what is put off', () => {
  const source = `module m
entity Note { id Int @id, @rbac [(roles: [clerk], allow: [read])] }
entity Seen { id UUID @id @default(uuid()), way String, n Int @optional, who String @optional, @rbac [(roles: [customer], allow: [create])] }
entity Door { id Int @id, @rbac [(roles: [customer], allow: [create])], @after {create later @async} }
event later { Door Door @optional }
workflow later { {Note? {}, @into {n @count(Note.id)}} @as [all]; {Seen {way "async", n all.n, who auth.user}} }
workflow @before create:Door { {platform/timer {name "as system", duration 1, unit "second", trigger "m/timed", repeat false}} }
event timed { way String @default("timer") }
workflow timed { {Note? {}, @into {n @count(Note.id)}} @as [all]; {Seen {way timed.way, n all.n, who auth.user}} }
event remind { what String }
workflow remind { {platform/timer {name "as caller", duration 1, unit "second", trigger {"m/timed": {"way": "timer as caller"}}, repeat false}} }
@runAs(system) workflow named @rbac [(roles: [customer], allow: [create])] { {platform/timer {name named.name, duration 1, unit "second", trigger named.what, repeat false}} }
event named { name String, what String }
event other { way String @default("by a name that was sent") }
workflow other { {Note? {}, @into {n @count(Note.id)}} @as [all]; {Seen {way other.way, n all.n, who auth.user}} }
`;

  test('keeps the rights of the logic that put it off, but for timers whose event was named from outside', async () => {
    const { join, admin } = await world(source, 'current', { system: ['auth', 'rbac', 'timers'] });
    const ann = await join('ann', 'customer');
    await admin.create('/m/Note', [{ id: 1 }, { id: 2 }]);
    expect((await ann.create('/m/Door', { id: 1 })).status).toBe(201);
    expect((await ann.create('/m/remind', { what: 'x' })).status).toBe(200);
    expect((await ann.create('/m/named', { name: 'sent', what: 'm/other' })).status).toBe(200);
    const seen = async () =>
      instances(await admin.read('/m/Seen'))
        .map(({ way, n, who }) => `${way} ${n} ${who}`)
        .toSorted();
    await expect
      .poll(seen, { timeout: 15_000 })
      .toEqual([
        `async 2 ${ann.email}`,
        `by a name that was sent 0 ${ann.email}`,
        `timer 2 ${ann.email}`,
        `timer as caller 0 ${ann.email}`,
      ]);
  });
});
