// What an import means for instances that were there before: those whose computed values change by it have another version, and nobody takes their old answer for the new one.

import { expect, onTestFinished, test } from 'vitest';
import { command, workspace } from '../cli/harness.ts';
import { open, type Served } from '../support/app.ts';
import { storeIn, storeOfRun } from '../support/store.ts';
import { check } from '../support/table.ts';

const model = `module m
entity Company { id Int @id, name String, staff Int @expr(sum(CompanyUnit.Unit.staff)) }
entity Unit { id Int @id, staff Int @expr(count(UnitPerson)), oldest Int @expr(max(UnitPerson.Person.age)) }
entity Person { id Int @id, age Int, clubs Int @expr(count(Member)), double Int @expr(age * 2) }
entity Club { name String @id, members Int @expr(count(Member)) }
relationship CompanyUnit contains(Company, Unit)
relationship UnitPerson contains(Unit, Person)
relationship Member between(Club, Person)
`;

const unit = (company: number, id: number) => `path://m$Company/${company}/m$CompanyUnit/m$Unit/${id}`;
const person = (company: number, of: number, id: number) => `${unit(company, of)}/m$UnitPerson/m$Person/${id}`;

test('an import of children and links gives parents, their parents and linked instances a new ETag where their computed values change, and no others', async () => {
  const place = workspace({ 'src/core.al': model });
  const kept = await storeIn(place.folder, storeOfRun(), true);
  const { settings } = kept;
  onTestFinished(async () => {
    await kept.remove();
    place.remove();
  });
  const { type: _, ...server } = { ...settings };
  place.write(
    'config.al',
    JSON.stringify({ store: settings.type === 'sqlite' ? { type: 'sqlite', dbname: settings.file } : { type: 'postgres', ...server } }),
  );
  const start = () => open(model, { folder: place.folder, ...(settings.type === 'postgres' ? { store: settings } : {}) });
  const first = await start();
  const people = (...ages: readonly number[]) => ages.map((age, index) => ({ id: index + 1, age }));
  await check(first, [
    { ask: 'POST /m/Company', body: { id: 1, name: 'a', CompanyUnit: [{ id: 1, UnitPerson: people(30, 40) }, { id: 2 }] }, status: 201 },
    { ask: 'POST /m/Company', body: { id: 2, name: 'b', CompanyUnit: [{ id: 1, UnitPerson: people(50) }] }, status: 201 },
    { ask: 'POST /m/Club', body: [{ name: 'chess' }, { name: 'tennis' }], status: 201 },
  ]);
  const before = await tagsOf(first);
  await first.close();

  const lines = (...all: readonly object[]) => all.map((each) => `${JSON.stringify(each)}\n`).join('');
  place.write('more/m.Person.jsonl', lines({ id: 3, age: 20, __path__: person(1, 1, 3), __version: 9 }));
  place.write('more/m.Member.jsonl', lines({ Club: 'chess', Person: person(2, 1, 1) }));
  expect(await command(place.folder, 'import', 'more', '.')).toMatchObject({ code: 0, out: '2 instances added\n' });

  const second = await start();
  onTestFinished(() => second.close());
  await check(second, [
    {
      ask: 'GET /m/Company',
      status: 200,
      has: [
        { id: 1, staff: 3 },
        { id: 2, staff: 1 },
      ],
    },
    { ask: 'GET /m/Company/1/CompanyUnit/Unit/1', status: 200, has: { staff: 3, oldest: 40 } },
    { ask: 'GET /m/Company/2/CompanyUnit/Unit/1/UnitPerson/Person/1', status: 200, has: { clubs: 1, double: 100 } },
    { ask: 'GET /m/Club/chess', status: 200, has: { members: 1 } },
  ]);
  const after = await tagsOf(second);
  const changed = places.filter((each) => after.get(each) !== before.get(each));
  expect(changed).toEqual([
    '/m/Company/1',
    '/m/Company/1/CompanyUnit/Unit/1',
    '/m/Company/2/CompanyUnit/Unit/1/UnitPerson/Person/1',
    '/m/Club/chess',
  ]);
  for (const each of places) {
    const again = await second.get(each, { 'if-none-match': before.get(each) ?? '' });
    expect([each, again.status]).toEqual([each, changed.includes(each) ? 200 : 304]);
    const stale = await second.ask({
      method: 'PUT',
      target: each,
      headers: { 'content-type': 'application/json', 'if-match': before.get(each) ?? '' },
      text: '{}',
    });
    expect([each, stale.status]).toEqual([each, changed.includes(each) ? 412 : 200]);
  }
});

const places = [
  '/m/Company/1',
  '/m/Company/2',
  '/m/Company/1/CompanyUnit/Unit/1',
  '/m/Company/1/CompanyUnit/Unit/2',
  '/m/Company/2/CompanyUnit/Unit/1',
  '/m/Company/1/CompanyUnit/Unit/1/UnitPerson/Person/1',
  '/m/Company/2/CompanyUnit/Unit/1/UnitPerson/Person/1',
  '/m/Club/chess',
  '/m/Club/tennis',
];

async function tagsOf(served: Served): Promise<ReadonlyMap<string, string>> {
  const tags = new Map<string, string>();
  for (const each of places) tags.set(each, (await served.get(each)).headers['etag'] ?? '');
  return tags;
}
