// Orders along relationships that lead to one instance, and into records: on both surfaces, in pages, under a parent, and against an oracle.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, type Served, serve } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { check, type Step } from '../support/table.ts';
import { fillFirm, jobPlaces, jobs, type Person, people, personPlaces, sorted, sortModel, type Wanted } from './sort-rows.ts';

const runs = counted({ long: 10_000, short: 70 });
/** Orders that are asked for at the same time. */
const atOnce = 20;

/** What cannot be sorted by, and what the reason names. */
const refused: readonly (readonly [sort: string, fault: string, reason: string])[] = [
  ['Likes.Car.id', '@sort unknown', 'Likes may lead to more than one Car'],
  ['Leads.report.name', '@sort unknown', 'Leads may lead to more than one Person'],
  ['Leads.boss.Likes.Car.id', '@sort unknown', 'Likes may lead to more than one Car'],
  ['Does.Job.title', '@sort unknown', 'Does may lead to more than one Job'],
  ['Works.Company.CompanyUnit.Unit.label', '@sort unknown', 'CompanyUnit may lead to more than one Unit'],
  ['Works.Company.street', '@sort unknown', 'Works.Company.street cannot be sorted by'],
  ['Works.Car.id', '@sort unknown', 'Car is neither what Works leads to'],
  ['Owns.Car.id', '@sort unknown', 'Owns is not a relationship of firm/Person'],
  ['Leads.boss.key', '@sort unknown', 'Leads.boss.key cannot be sorted by'],
  ['Leads.boss.Leads.boss.Leads.boss.Leads.boss.name', '@sort limit', 'more than 3 relationships'],
  ['extra.a', '@sort unknown', 'the values of a map have no declared type'],
  ['address.more.a', '@sort unknown', 'the values of a map have no declared type'],
  ['address', '@sort unknown', 'it is no single value'],
  ['address.tags', '@sort unknown', 'it is no single value'],
  ['address.street', '@sort unknown', 'address.street cannot be sorted by'],
  ['tags', '@sort unknown', 'it is no single value'],
  ['colour', '@sort unknown', 'colour cannot be sorted by'],
  [Array.from({ length: 21 }, () => 'address.city').join(','), '@sort limit', 'at most 20 names'],
];

test('each order along relationships and into records is that of the values, ascending and descending, on both surfaces', async () => {
  const served = await filled();
  for (const place of personPlaces) {
    for (const isDescending of [false, true]) await agrees(served, 'Person', people, [{ place, isDescending }]);
  }
  for (const place of jobPlaces) {
    for (const isDescending of [false, true]) await agrees(served, 'Job', jobsInPlace, [{ place, isDescending }]);
  }
});

test(`${runs} random orders give the same as an oracle: whole, in pages, and as a query object`, async () => {
  const served = await filled();
  const wantedOf = <T>(places: readonly Wanted<T>['place'][]) =>
    fc.uniqueArray(fc.record({ place: fc.constantFrom(...places), isDescending: fc.boolean() }), {
      selector: ({ place }) => place.name,
      minLength: 1,
      maxLength: 4,
    });
  // Each is asked for in one way: all ways of all of them would be ten times as many requests.
  const way = fc.oneof(fc.constantFrom('current', 'earlier', 'query object'), fc.integer({ min: 5, max: 12 }));
  const order = fc.oneof(
    fc.tuple(wantedOf(personPlaces), way).map(
      ([wanted, how]) =>
        () =>
          agreesBy(how, served, 'Person', people, wanted),
    ),
    fc.tuple(wantedOf(jobPlaces), way).map(
      ([wanted, how]) =>
        () =>
          agreesBy(how, served, 'Job', jobsInPlace, wanted),
    ),
  );
  const together = fc.array(order, { minLength: atOnce, maxLength: atOnce });
  await fc.assert(
    fc.asyncProperty(together, async (all) => void (await Promise.all(all.map((agreed) => agreed())))),
    { numRuns: Math.ceil(runs / atOnce) },
  );
}, 900_000);

test('lists under a parent and of linked instances are sorted in the same way, with filters and includes', async () => {
  const served = await filled();
  const byBoss: readonly Wanted<Person>[] = [
    { place: { name: '', read: (each) => people.find(({ id }) => id === each.boss)?.name }, isDescending: true },
  ];
  const ofCompany = (id: number) => people.filter(({ works }) => works?.at.id === id);
  for (const id of [1, 2, 3, 4]) {
    const expected = sorted(ofCompany(id), byBoss).map((each) => each.id);
    const target = `/firm/Company/${id}/Works/Person?@sort=-Leads.boss.name&@include=Leads,Works`;
    expect(idsOf(await served.get(target))).toEqual(expected);
    expect(await byPages(served, `${target}&@limit=2`)).toEqual(expected);
  }
  const jobsOf = jobsInPlace.filter(({ unit }) => unit.company.id === 2 && unit.id === 2);
  const byPerson = sorted(jobsOf, [{ place: { name: '', read: ({ by }) => by?.name }, isDescending: false }]).map(({ id }) => id);
  for (const start of ['/firm', '/api/firm'])
    expect(await byPages(served, `${start}/Company/2/CompanyUnit/Unit/2/UnitJob/Job?@sort=Does.Person.name&@limit=1`)).toEqual(byPerson);
  const paid = sorted(
    people.filter(({ works }) => works?.pay !== undefined),
    [{ place: { name: '', read: ({ works }) => works?.at.name }, isDescending: false }],
  );
  expect(idsOf(await served.get('/firm/Person?Works.pay[null]=false&@sort=Works.Company.name'))).toEqual(paid.map(({ id }) => id));
});

test('an instance that contains others of its type sorts by what it stands in, by the name of the role', async () => {
  const served = await serve(sortModel);
  const node = (id: number, label: string, Sub: readonly unknown[] = []) => ({ id, label, Sub });
  await check(served, [
    { ask: 'POST /firm/Node', body: node(1, 'z', [node(4, 'a', [node(6, 'b')]), node(5, 'b')]), status: 201 },
    { ask: 'POST /firm/Node', body: node(2, 'y', [node(3, 'c')]), status: 201 },
    {
      ask: 'GET /firm/Node?@sort=above.Node.label,-id&@select=id',
      status: 200,
      has: [{ id: 2 }, { id: 1 }, { id: 6 }, { id: 3 }, { id: 5 }, { id: 4 }],
    },
    { ask: 'GET /firm/Node?@sort=Sub.below.label', status: 422, faults: ['@sort unknown'] },
  ]);
});

test('what may lead to several instances, has no single value or no declared type is refused with its name', async () => {
  const served = await serve(sortModel, { surfaces: ['current', 'earlier'] });
  const steps = refused.flatMap(([sort, fault, reason]): readonly Step[] => [
    { ask: `GET /firm/Person?@sort=-${sort}`, status: 422, code: 'query-invalid', faults: [fault], holds: reason },
    { ask: `GET /api/firm/Person?@sort=${sort}`, status: 422, holds: reason },
    { ask: 'POST /q', body: { Query: { from: 'firm/Person', 'order-by': sort.split(',') } }, status: 422, holds: reason },
  ]);
  await check(served, steps);
});

test('a cursor of another order is refused, also where both end in an attribute of the same name', async () => {
  const served = await filled();
  const cursor = cursorOf(await served.get('/firm/Person?@sort=Works.Company.name&@limit=2'));
  await check(served, [
    { ask: `GET /firm/Person?@sort=Works.Company.name&@after=${cursor}&@limit=1`, status: 200 },
    { ask: `GET /firm/Person?@sort=-Works.Company.name&@after=${cursor}`, status: 422, faults: ['@after value'] },
    { ask: `GET /firm/Person?@sort=name&@after=${cursor}`, status: 422, faults: ['@after value'] },
    { ask: `GET /firm/Person?@sort=Leads.boss.name&@after=${cursor}`, status: 422, faults: ['@after value'] },
  ]);
});

/** In the order of what contains them. */
const jobsInPlace = jobs.toSorted(
  (one, other) => one.unit.company.id - other.unit.company.id || one.unit.id - other.unit.id || one.id - other.id,
);

async function filled(): Promise<Served> {
  const served = await serve(sortModel, { surfaces: ['current', 'earlier'] });
  await fillFirm(served);
  return served;
}

/** A number is the size of pages. */
type AskedBy = 'current' | 'earlier' | 'query object' | number;

async function agrees<T extends { readonly id: number }>(
  served: Served,
  type: string,
  rows: readonly T[],
  wanted: readonly Wanted<T>[],
): Promise<void> {
  for (const way of ['current', 'earlier', 'query object'] as const) await agreesBy(way, served, type, rows, wanted);
}

async function agreesBy<T extends { readonly id: number }>(
  way: AskedBy,
  served: Served,
  type: string,
  rows: readonly T[],
  wanted: readonly Wanted<T>[],
): Promise<void> {
  const sort = wanted.map(({ place, isDescending }) => `${isDescending ? '-' : ''}${place.name}`).join(',');
  const expected = sorted(rows, wanted).map(({ id }) => id);
  expect([way, sort, await idsBy(way, served, type, wanted, sort)]).toEqual([way, sort, expected]);
}

async function idsBy<T>(way: AskedBy, served: Served, type: string, wanted: readonly Wanted<T>[], sort: string): Promise<unknown> {
  const list = `/firm/${type}?@select=id&@sort=${sort}`;
  if (typeof way === 'number') return byPages(served, `${list}&@limit=${way}`);
  if (way !== 'query object') return idsOf(await served.get(way === 'current' ? list : `/api${list}`));
  const order = wanted.map(({ place, isDescending }) => (isDescending ? [place.name, 'desc'] : place.name));
  const text = JSON.stringify({ Query: { from: `firm/${type}`, 'order-by': order } });
  return idsOf(await served.ask({ method: 'POST', target: '/q', headers: { 'content-type': 'application/json' }, text }));
}

/** Page after page, as far as the answers lead. */
async function byPages(served: Served, target: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (let next: string | undefined = target; next !== undefined; ) {
    const answer = await served.get(next);
    const ids = idsOf(answer);
    if (!Array.isArray(ids)) throw new Error(answer.text);
    found.push(...ids);
    next = /<([^>]*)>/.exec(answer.headers['link'] ?? '')?.[1];
  }
  return found;
}

function cursorOf({ headers }: Answer): string {
  return /@after=([\w-]+)/.exec(headers['link'] ?? '')?.[1] ?? '';
}

function idsOf(answer: Answer): unknown {
  const { body } = answer;
  return Array.isArray(body) ? body.map((each) => each.id) : answer.text;
}
