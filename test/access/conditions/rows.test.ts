// Which rows a condition shows: comparisons, paths to other rows, the caller's own instance. Each in both syntaxes, beside what it shows to ann.

import { describe, expect, test } from 'vitest';
import type { Project } from '../../support/app.ts';
import { instances, type Person, type Surface, surfaces, type Values, world } from '../people.ts';

type Case = readonly [current: string, earlier: string, shown: readonly number[]];

const comparisons: readonly Case[] = [
  ['this.rank < 2', '[:< :rank 2]', [1]],
  ['this.rank <= 2', '[:<= :rank 2]', [1, 2]],
  ['2 < this.rank', '[:> :rank 2]', [3, 4]],
  ['this.rank in [1, 4]', '[:in :rank [1 4]]', [1, 4]],
  ['this.rank between [2, 3]', '[:between :rank 2 3]', [2, 3]],
  ['not this.rank between [2, 3]', '[:not [:between :rank 2 3]]', [1, 4, 5]],
  ['this.kind like "a%"', '[:like :kind "a%"]', [1, 3]],
  ['this.rank is null', '[:= :rank nil]', [5]],
  ['this.rank is not null', '[:<> :rank nil]', [1, 2, 3, 4]],
  ['not this.rank = 1', '[:not [:= :rank 1]]', [2, 3, 4, 5]],
  ['this.price > 10.5', '[:> :price 10.5]', [3, 4]],
  ['this.price = 10.50', '[:= :price 10.50M]', [2]],
  ['this.until > now()', '[:> :until (now)]', [2, 3]],
  ['this.day <= today()', '[:<= :day (today)]', [1]],
  ['auth.user = this.boss', '[:= :boss :auth.user]', [1, 2]],
  ['this.boss != auth.user', '[:<> :boss :auth.user]', [3, 4, 5]],
  ['auth.user in [this.boss, this.second]', '[:or [:= :boss :auth.user] [:= :second :auth.user]]', [1, 2, 3]],
  ['this.boss = this.second', '[:= :boss :second]', [4]],
  ['auth.id = this.owner', '[:= :owner :auth.id]', [3]],
  ['not (auth.id = this.owner or this.rank = 1)', '[:not [:or [:= :owner :auth.id] [:= :rank 1]]]', [2, 4, 5]],
];

const paths: readonly Case[] = [
  ['this.animal.keeper = auth.user', '[:= :animal.keeper :auth.user]', [1, 2]],
  ['this.animal.keeper != auth.user', '[:<> :animal.keeper :auth.user]', [3, 4]],
  ['not this.animal.keeper = auth.user', '[:not [:= :animal.keeper :auth.user]]', [3, 4, 5]],
  ['this.animal.home.city = "Ulm"', '[:= :animal.home.city "Ulm"]', [1, 2]],
  ['this.animal.keeper is null', '[:= :animal.keeper nil]', [4]],
  ['this.RelTag.Tag.name = "red"', '[:= :RelTag.Tag.name "red"]', [1, 3]],
  ['this.RelTag.Tag.name != "red"', '[:<> :RelTag.Tag.name "red"]', [1, 2]],
  ['not this.RelTag.Tag.name = "red"', '[:not [:= :RelTag.Tag.name "red"]]', [2, 4, 5]],
  ['this.RelLine.Line.price between [3, 5]', '[:between :RelLine.Line.price 3 5]', [2]],
  ['this.animal.home.HomeTag.Tag.name = "red"', '[:= :animal.home.HomeTag.Tag.name "red"]', [1, 2]],
];

const profiles: readonly Case[] = [
  ['auth.Staff.clinic = this.clinic', '[:= :clinic :auth.Staff.clinic]', [1, 2]],
  ['this.clinic != auth.Staff.clinic', '[:<> :clinic :auth.Staff.clinic]', [3, 4, 5]],
  ['not auth.Staff.clinic = this.clinic', '[:not [:= :clinic :auth.Staff.clinic]]', [3, 4, 5]],
  ['auth.Staff.clinic = this.animal.home.clinic', '[:= :animal.home.clinic :auth.Staff.clinic]', [3]],
  ['auth.Staff.level > this.rank', '[:> :auth.Staff.level :rank]', [1, 2]],
  [
    'auth.Staff.clinic = this.clinic and auth.Staff.level > this.rank',
    '[:and [:= :clinic :auth.Staff.clinic] [:> :auth.Staff.level :rank]]',
    [1, 2],
  ],
  ['auth.Staff.level = 3', '[:= :auth.Staff.level 3]', [1, 2, 3, 4, 5]],
  ['auth.Staff.level is null', '[:= :auth.Staff.level nil]', []],
  ['auth.Staff.level = 3 and this.rank = 4 or this.rank = 1', '[:or [:and [:= :auth.Staff.level 3] [:= :rank 4]] [:= :rank 1]]', [1, 4]],
];

/** What somebody sees with two instances, one of clinic 7 and level 1, one of clinic 8 and level 3: parts joined by `and` speak of the same one. */
const ofTwo = { at: 5, shown: [] };

/** What those see who have no instance of their own, or are not known to have the address: nothing but what does not go by it. */
const withoutProfile: readonly (readonly number[])[] = profiles.map(([, earlier]) => (earlier.startsWith('[:or') ? [1] : []));

const shared = {
  current: `entity Home { id Int @id, city String, clinic Int }
entity Animal { id Int @id, keeper Email @optional, home Int @ref(Home.id) @optional }
entity Tag { id Int @id, name String }
relationship HomeTag between(Home, Tag)
entity Staff { id Int @id, email Email, clinic Int @optional, level Int @optional, @profile(email) }`,
  earlier: `(entity :m/Home {:id {:type :Int :guid true} :city :String :clinic :Int})
(entity :m/Animal {:id {:type :Int :guid true} :keeper {:type :Email :optional true} :home {:ref :m/Home.id :optional true}})
(entity :m/Tag {:id {:type :Int :guid true} :name :String})
(relationship :m/HomeTag {:meta {:between [:m/Home :m/Tag]}})
(entity :m/Staff {:id {:type :Int :guid true} :email :Email :clinic {:type :Int :optional true} :level {:type :Int :optional true}
  :meta {:profile :email}})`,
};

/** An entity for each condition, `E0`, `E1`, ..., and what they are related to. */
function project(cases: readonly Case[], surface: Surface): Project {
  const texts = cases.map(([current, earlier], at) =>
    surface === 'current' ? currentEntity(`E${at}`, current) : earlierEntity(`E${at}`, earlier),
  );
  if (surface === 'current') return `module m\n${shared.current}\n${texts.join('\n')}`;
  return { 'core.platform': `(component :m)\n${shared.earlier}\n${texts.join('\n')}` };
}

function currentEntity(name: string, where: string): string {
  return `entity ${name} { id Int @id, rank Int @optional, kind String, price Decimal @optional, until DateTime @optional, day Date @optional,
  note String @optional, boss Email @optional, second Email @optional, owner String @optional, clinic Int @optional, animal Int @ref(Animal.id) @optional,
  @rbac [(roles: [user], allow: [read, update], where: ${where.replaceAll('Rel', name)})] }
entity Line${name} { id Int @id, price Int }
relationship ${name}Line contains(${name}, Line${name} @as Line) 
relationship ${name}Tag between(${name}, Tag)`.replaceAll(
    `contains(${name}, Line${name} @as Line)`,
    `contains(${name} @as Whole, Line${name} @as Line)`,
  );
}

function earlierEntity(name: string, where: string): string {
  return `(entity :m/${name} {:id {:type :Int :guid true} :rank {:type :Int :optional true} :kind :String :price {:type :Decimal :optional true}
  :note {:type :String :optional true} :until {:type :DateTime :optional true} :day {:type :Date :optional true} :boss {:type :Email :optional true} :second {:type :Email :optional true}
  :owner {:type :String :optional true} :clinic {:type :Int :optional true} :animal {:ref :m/Animal.id :optional true}
  :rbac [{:roles ["user"] :allow [:read :update] :where ${where.replaceAll('Rel', name)}}]})
(entity :m/Line${name} {:id {:type :Int :id true} :price :Int})
(relationship :m/${name}Line {:meta {:contains [:m/${name} :m/Line${name} :as [:Whole :Line]]}})
(relationship :m/${name}Tag {:meta {:between [:m/${name} :m/Tag]}})`;
}

const rowsFor = (id: string): readonly Values[] => [
  {
    id: 1,
    rank: 1,
    kind: 'aa',
    price: '9.99',
    until: '2001-01-01T00:00:00Z',
    day: '2001-01-01',
    boss: 'ann@example.com',
    second: 'bob@example.com',
    clinic: 7,
    animal: 1,
  },
  {
    id: 2,
    rank: 2,
    kind: 'ba',
    price: '10.5',
    until: '2999-01-01T00:00:00Z',
    day: '2999-01-01',
    boss: 'ann@example.com',
    clinic: 7,
    animal: 2,
  },
  {
    id: 3,
    rank: 3,
    kind: 'ab',
    price: '100',
    until: '2999-01-01T00:00:00+02:00',
    boss: 'bob@example.com',
    second: 'ann@example.com',
    owner: id,
    clinic: 8,
    animal: 3,
  },
  { id: 4, rank: 4, kind: 'bb', price: '10.51', boss: 'bob@example.com', second: 'bob@example.com', owner: 'x', clinic: 8, animal: 4 },
  { id: 5, kind: 'c' },
];

async function made(person: Person, path: string, values: unknown): Promise<void> {
  const { status, text } = await person.create(path, values);
  if (status >= 300) throw new Error(`${path}: ${text}`);
}

async function fill(admin: Person, cases: readonly Case[], id: string): Promise<void> {
  await made(admin, '/m/Home', [
    { id: 1, city: 'Ulm', clinic: 9 },
    { id: 2, city: 'Bern', clinic: 7 },
  ]);
  await made(admin, '/m/Animal', [
    { id: 1, keeper: 'ann@example.com', home: 1 },
    { id: 2, keeper: 'ann@example.com', home: 1 },
    { id: 3, keeper: 'bob@example.com', home: 2 },
    { id: 4 },
  ]);
  await made(admin, '/m/Tag', [
    { id: 1, name: 'red' },
    { id: 2, name: 'blue' },
  ]);
  await made(admin, '/m/HomeTag', { Home: 1, Tag: 1 });
  await made(admin, '/m/Staff', [
    { id: 1, email: 'Ann@Example.com', clinic: 7, level: 3 },
    { id: 2, email: 'bob@example.com', clinic: 8, level: 9 },
    { id: 3, email: 'eve@example.com', clinic: 7, level: 3 },
    { id: 4, email: 'cid@example.com', clinic: 7, level: 1 },
    { id: 5, email: 'cid@example.com', clinic: 8, level: 3 },
  ]);
  for (const at of cases.keys()) {
    await made(admin, `/m/E${at}`, rowsFor(id));
    await made(admin, `/m/E${at}/1/E${at}Line/LineE${at}`, { id: 1, price: 1 });
    await made(admin, `/m/E${at}/1/E${at}Line/LineE${at}`, { id: 2, price: 6 });
    await made(admin, `/m/E${at}/2/E${at}Line/LineE${at}`, { id: 1, price: 4 });
    for (const [row, tag] of [
      [1, 1],
      [1, 2],
      [2, 2],
      [3, 1],
    ])
      await made(admin, `/m/E${at}Tag`, { [`E${at}`]: row, Tag: tag });
  }
}

async function idOf(
  person: Person,
  get: (path: string, headers: Person['headers']) => Promise<{ readonly body: unknown }>,
): Promise<string> {
  return String(Reflect.get(Object((await get('/platform.auth/me', person.headers)).body), 'id'));
}

async function shownTo(person: Person, at: number): Promise<readonly unknown[]> {
  return instances(await person.read(`/m/E${at}`)).map(({ id }) => id);
}

describe.each(surfaces)('on the %s surface', (surface) => {
  test.each([
    ['comparisons', comparisons],
    ['paths', paths],
    ['profiles', profiles],
  ])('a rule allows the rows for which its condition holds: %s', async (_, cases) => {
    const { admin, invite, join, served } = await world(project(cases, surface), surface);
    const [ann, dan, eve] = [await invite('ann', 'user'), await invite('dan', 'user'), await join('eve', 'user')];
    await fill(admin, cases, await idOf(ann, served.get));
    for (const [at, [current, earlier, shown]] of cases.entries()) {
      const where = surface === 'current' ? current : earlier;
      expect(await shownTo(ann, at), where).toEqual(shown);
      for (const { id } of rowsFor('')) {
        const isShown = shown.some((each) => each === id);
        expect((await ann.read(`/m/E${at}/${String(id)}`)).status, `${where} ${String(id)}`).toBe(isShown ? 200 : 404);
        expect((await ann.change(`/m/E${at}/${String(id)}`, { note: 'n' })).status, `${where} ${String(id)}`).toBe(isShown ? 200 : 404);
      }
    }
    if (cases !== profiles) return;
    expect(await shownTo(await invite('cid', 'user'), ofTwo.at)).toEqual(ofTwo.shown);
    for (const at of cases.keys()) {
      expect(await shownTo(dan, at), cases[at]?.[0]).toEqual(withoutProfile[at]);
      expect(await shownTo(eve, at), cases[at]?.[0]).toEqual(withoutProfile[at]);
    }
  });
});
