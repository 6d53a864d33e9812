// Timers where it is known who asks: whom they run for, what they may do then, and who reads, makes, changes and stops them, on both surfaces.

import { describe, expect, test } from 'vitest';
import { instances, type Person, statuses, surfaces, type Values, valueIn, type World, world } from '../access/people.ts';

/** Writers make notes, and nobody but an admin calls the police. The module, its events and their attributes have the same names on both surfaces. */
const models = {
  current: `module M
entity Note { id UUID @id @default(uuid()), text String, @rbac [(roles: [writer], allow: [create, read])] }
event Jot { text String @default("system") }
workflow Jot { {Note {text Jot.text}} }
event Police { @rbac [(roles: [admin], allow: [create])] }
workflow Police { {Note {text "police"}} }
workflow Often { {platform/timer {name Often.name, duration 1, unit "second", trigger {"M/Jot": {"text": Often.name}}}} }
workflow Call { {platform/timer {name "call", duration 1, unit "second", trigger "M/Police"}} }
workflow Stop { delete {platform/timer {name? Stop.name}} }
@schedule("every second") event Tick {}
workflow Tick { {Note {text "tick"}} }
`,
  earlier: `(component :M)
(entity :Note {:Id :Identity :text :String :rbac [{:roles ["writer"] :allow [:create :read]}]})
(event :Jot {:text {:type :String :default "system"}})
(dataflow :Jot {:Note {:text :Jot.text}})
(event :Police {:rbac [{:roles ["admin"] :allow [:create]}]})
(dataflow :Police {:Note {:text "police"}})
(event :Often {:name :String})
(dataflow :Often {:Platform.Kernel.Lang/Timer
  {:Name :Often.name :Expiry 1 :ExpiryUnit "Seconds" :Repeat true :ExpiryEvent [:q# {:M/Jot {:text [:uq# :Often.name]}}]}})
(event :Call {})
(dataflow :Call {:Platform.Kernel.Lang/Timer {:Name "call" :Expiry 1 :ExpiryUnit "Seconds" :Repeat true :ExpiryEvent [:q# {:M/Police {}}]}})
(event :Stop {:name :String})
(dataflow :Stop [:delete :Platform.Kernel.Lang/Timer {:Name :Stop.name}])
(event :Tick {:meta {:schedule "every second"}})
(dataflow :Tick {:Note {:text "tick"}})
`,
} as const;
const projects = { current: models.current, earlier: { 'm.platform': models.earlier } };

describe.each(surfaces)('on the %s surface', (surface) => {
  const timerAt = (name = ''): string =>
    `${surface === 'current' ? '/platform/timer' : '/Platform.Kernel.Lang/Timer'}${name && `/${name}`}`;
  const spelled = (values: Values): Values =>
    surface === 'current' ? values : Object.fromEntries(Object.entries(values).map(([name, value]) => [earlierNames[name] ?? name, value]));
  const earlierNames: Readonly<Record<string, string>> = { duration: 'Expiry', trigger: 'ExpiryEvent', user: 'User', name: 'Name' };
  const open = (enabled = true): Promise<World> => world(projects[surface], surface, { timers: { enabled } });
  const count = async (person: Person, text: string): Promise<number> =>
    instances(await person.read(`/M/Note?text=${text}&@limit=1000`)).length;
  const more = async (person: Person, text: string): Promise<void> => {
    const before = await count(person, text);
    await expect.poll(() => count(person, text), { timeout: 20_000, interval: 50 }).toBeGreaterThan(before);
  };
  const errorOf = async (person: Person, name: string): Promise<unknown> => valueIn(await person.read(timerAt(name)), 'error') ?? null;

  test('a timer runs as who made it, with the roles that they have then, and not while they are disabled', async () => {
    const { join, admin } = await open();
    const ann = await join('ann', 'writer');
    expect((await ann.create('/M/Often', { name: 'hers' })).status).toBe(200);
    expect(valueIn(await ann.read(timerAt('hers')), 'user')).toBe(ann.email);
    await more(ann, 'hers');

    const roles = instances(await admin.read(admin.at('RoleAssignment')));
    const [role] = roles.filter((each) => (each['assignee'] ?? each['Assignee']) === ann.email);
    expect((await admin.remove(admin.at('RoleAssignment', String(role?.['id'] ?? role?.['Id'])))).status).toBe(200);
    await expect.poll(() => errorOf(admin, 'hers'), { timeout: 20_000 }).toMatch(/^access-denied/);
    const refused = await count(admin, 'hers');
    await expect.poll(async () => valueIn(await admin.read(timerAt('hers')), 'runs'), { timeout: 20_000 }).toBeGreaterThan(refused + 1);
    expect(await count(admin, 'hers')).toBe(refused);
    await admin.assign('RoleAssignment', { role: 'writer', assignee: ann.email });
    await more(admin, 'hers');
    expect(await errorOf(admin, 'hers')).toBe(null);

    const [module, user] = surface === 'current' ? ['platform.auth', 'user'] : ['Platform.Kernel.Identity', 'User'];
    const disabled = await admin.create(`/${module}/DisabledUser`, { [user]: ann.email });
    await expect.poll(() => errorOf(admin, 'hers'), { timeout: 20_000 }).toMatch(/^not-available.*gone, or disabled/);
    expect((await admin.remove(`/${module}/DisabledUser/${String(valueIn(disabled, 'id'))}`)).status).toBe(200);
    await more(admin, 'hers');
  });

  test('timers go with the user who is deleted, and whoever signs up with the address later has none', async () => {
    const { join, admin } = await open(false);
    const [ann, bob] = [await join('ann', 'writer'), await join('bob', 'writer')];
    for (const each of [ann, bob]) expect((await each.create('/M/Often', { name: each.email })).status).toBe(200);
    const module = surface === 'current' ? 'platform.auth' : 'Platform.Kernel.Identity';
    expect((await admin.remove(`/${module}/User/${ann.email}`)).status).toBe(200);
    expect(
      await statuses(
        () => admin.read(timerAt(ann.email)),
        () => admin.read(timerAt(bob.email)),
      ),
    ).toEqual([404, 200]);
    expect(instances(await (await join('ann', 'writer')).read(timerAt()))).toEqual([]);
  });

  test('users read and stop their own timers, admins all of them, and only admins make them at their path', async () => {
    const { join, admin, served } = await open(false);
    const [ann, bob] = [await join('ann', 'writer'), await join('bob', 'writer')];
    await ann.create('/M/Often', { name: 'hers' });
    const names = async (person: Person): Promise<readonly unknown[]> =>
      instances(await person.read(timerAt())).map((each) => each['name'] ?? each['Name']);
    expect([await names(ann), await names(bob), await names(admin)]).toEqual([['hers'], [], ['M/Tick', 'hers']]);
    const body = spelled({ name: 'mine', duration: 60, trigger: 'M/Jot' });
    expect(
      await statuses(
        () => served.get(`${surface === 'current' ? '' : '/api'}${timerAt()}`),
        () => bob.read(timerAt('hers')),
        () => bob.change(timerAt('hers'), spelled({ duration: 60 })),
        () => bob.remove(timerAt('hers')),
        () => bob.create(timerAt(), body),
        () => ann.change(timerAt('hers'), spelled({ duration: 60 })),
        () => ann.change(timerAt('hers'), spelled({ user: 'admin@example.com' })),
        () => bob.create('/M/Often', { name: 'hers' }),
        () => bob.create('/M/Stop', { name: 'hers' }),
        () => ann.read(timerAt('hers')),
        () => admin.create(timerAt(), body),
      ),
    ).toEqual([401, 404, 404, 404, 403, 200, 422, 409, 200, 200, surface === 'current' ? 201 : 200]);
    expect((await ann.create('/M/Stop', { name: 'hers' })).status).toBe(200);
    expect([await names(ann), await names(admin)]).toEqual([[], ['M/Tick', 'mine']]);
    expect((await admin.read(timerAt('mine'))).text).not.toContain('"kind"');
  });

  test('a timer that an admin changes still runs for its user, and is not set to what its user may not run', async () => {
    const { join, admin } = await open(false);
    const ann = await join('ann', 'writer');
    await ann.create('/M/Often', { name: 'hers' });
    expect((await admin.change(timerAt('hers'), spelled({ duration: 5 }))).status).toBe(200);
    expect(valueIn(await admin.read(timerAt('hers')), 'user')).toBe(ann.email);
    expect((await ann.change(timerAt('hers'), spelled({ trigger: 'M/Police' }))).status).toBe(403);
    expect(
      await statuses(
        () => ann.create('/M/Call', {}),
        () => admin.create('/M/Call', {}),
      ),
      // Who may run it is asked at doors, and not of what the model itself names.
    ).toEqual([200, 409]);
  });

  test('a schedule of the model runs as the system, which may do everything', async () => {
    const { admin } = await open();
    await more(admin, 'tick');
    const timer = await admin.read(timerAt('M%2FTick'));
    expect([timer.status, valueIn(timer, 'user') ?? null]).toEqual([200, null]);
  });
});
