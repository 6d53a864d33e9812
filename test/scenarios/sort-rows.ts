// Companies, the people who work there and what they do, for orders along relationships and into records; and what each order means, said once more in another way.

import type { Served } from '../support/app.ts';
import { askFor } from '../support/table.ts';

export const sortModel = `module firm
record Inner { code String }
record Address { city String, zip Int @optional, price Decimal @optional, rate Float @optional, at DateTime @optional, on Date @optional, ok Boolean @optional, inner Inner @optional, tags String[] @optional, more Map @optional }
entity Company { id Int @id, name String, worth Decimal @optional, address Address @optional }
entity Unit { id Int @id, label String @optional }
entity Job { id Int @id, title String @optional }
entity Person { id Int @id, name String, key String @secret @optional, address Address @optional, extra Map @optional, tags String[] @optional }
entity Car { id String @id, speed Float @optional, built DateTime @optional }
entity Node { id Int @id, label String }
relationship CompanyUnit contains(Company, Unit)
relationship UnitJob contains(Unit, Job)
relationship Works between(Company, Person) @one_many { since Date @optional, pay Decimal @optional }
relationship Drives between(Person, Car) @one_one { keys Int @optional }
relationship Leads between(Person @as boss, Person @as report) @one_many
relationship Does between(Person, Job) @one_many
relationship Likes between(Person, Car)
relationship Sub contains(Node @as above, Node @as below)
`;

type Address = Readonly<Record<string, unknown>>;

interface Company {
  readonly id: number;
  readonly name: string;
  readonly worth?: string;
  readonly address?: Address;
}

interface Car {
  readonly id: string;
  readonly speed?: number;
  readonly built?: string;
}

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly address?: Address;
  readonly works?: { readonly at: Company; readonly since?: string; readonly pay?: string };
  readonly drives?: { readonly car: Car; readonly keys?: number };
  readonly boss?: number;
}

export interface Job {
  readonly id: number;
  readonly title?: string;
  readonly unit: { readonly id: number; readonly label?: string; readonly company: Company };
  readonly by?: Person;
}

// By code point the ligature comes before what stands beyond the first 65,536 characters; by its halves it does not.
const names = ['Ann', 'ann', 'Émile', 'Zoe', '\u{fb00}', '\u{1d49c}', '', 'a b', 'Zoë', 'Ann'];
const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % from.length];

const companies: readonly Company[] = [
  { id: 1, name: 'Zeta', worth: '10', address: { city: 'Köln', zip: 9, inner: { code: 'b' } } },
  { id: 2, name: 'alpha', worth: '9.50', address: { city: 'Bonn', zip: 10, inner: { code: 'a' } } },
  { id: 3, name: 'Alpha' },
  { id: 4, name: 'Alpha', worth: '-2' },
];

const cars: readonly Car[] = [
  { id: 'a', speed: 0.1, built: '2024-01-01T00:00:00Z' },
  { id: 'b', speed: 1e-20, built: '2024-01-01T00:30:00+01:00' },
  { id: 'c', built: '2023-12-31T23:45:00.5Z' },
  { id: 'd', speed: -3 },
  { id: 'e', speed: 0.30000000000000004 },
  { id: 'f', speed: 0.3 },
];

const moments = [undefined, '2024-01-01T00:00:00Z', '2024-01-01T01:00:00+01:00', '2023-06-01T00:00:00.25Z', '2024-01-01T00:00:00.000Z'];

function addressOf(at: number): Address | undefined {
  if (at % 5 === 4) return undefined;
  const optional = {
    zip: pick([10, 9, undefined, -3, 9_007_199_254_740_990, 9_007_199_254_740_991], at),
    price: pick(['9.5', '10', undefined, '9.50', '-0.001'], at),
    rate: pick([0.1, undefined, 1e-20, 3, 0.30000000000000004, 0.3, -5.5], at),
    at: pick(moments, at),
    on: pick([undefined, '2024-02-29', '1999-12-31'], at),
    ok: pick([true, false, undefined], at),
    inner: pick([{ code: 'x' }, undefined, { code: 'X' }, { code: '' }], at),
  };
  const present = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { city: pick(names, at + 3), ...Object.fromEntries(present) };
}

export const people: readonly Person[] = Array.from({ length: 24 }, (_, at): Person => {
  const address = addressOf(at);
  const company = at % 4 === 3 ? undefined : pick(companies, at * 3 + (at % 2));
  const [since, pay] = [pick(['2020-01-01', undefined, '2019-12-31'], at), pick(['100', '99.9', undefined], at)];
  const car = cars[at - 2];
  return {
    id: at + 1,
    name: pick(names, at * 7) ?? '',
    ...(address && { address }),
    ...(company && { works: { at: company, ...(since && { since }), ...(pay && { pay }) } }),
    ...(car && { drives: { car, ...(at % 2 === 0 && { keys: at }) } }),
    ...(at > 3 && at % 3 !== 0 && { boss: (at % 4) + 1 }),
  };
});

const labels = ['north', undefined, 'South', 'a'];

export const jobs: readonly Job[] = Array.from({ length: 18 }, (_, at): Job => {
  const company = pick(companies.slice(0, 3), at);
  const label = pick(labels, at % 6);
  const title = pick(['dig', undefined, 'Dig', 'bake'], at);
  const by = at % 3 === 2 ? undefined : people[(at * 5) % people.length];
  if (company === undefined) throw new Error('there are companies');
  return {
    id: at + 1,
    ...(title && { title }),
    unit: { id: (at % 6) + 1, ...(label && { label }), company },
    ...(by && { by }),
  };
});

/** Through the service. */
export async function fillFirm(served: Served): Promise<void> {
  const post = async (target: string, body: unknown): Promise<void> => {
    const answer = await askFor(served, { ask: `POST /firm/${target}`, body, status: 201 });
    if (answer.status !== 201) throw new Error(`${target}: ${answer.text}`);
  };
  await post('Car', cars);
  const person = ({ id, name, address }: Person) => ({ id, name, key: 'k', ...(address && { address }), extra: { a: id }, tags: ['x'] });
  await post('Person', people.map(person));
  for (const company of companies) await post('Company', { ...company, CompanyUnit: unitsOf(company) });
  for (const { id, works, drives, boss } of people) {
    if (works !== undefined) await post('Works', { ...works, at: undefined, Company: works.at.id, Person: id });
    if (drives !== undefined) await post('Drives', { ...drives, car: undefined, Person: id, Car: drives.car.id });
    if (boss !== undefined) await post('Leads', { boss, report: id });
    await post('Likes', { Person: id, Car: 'a' });
  }
  for (const job of jobs) if (job.by !== undefined) await post('Does', { Person: job.by.id, Job: pathOf(job) });
}

function unitsOf(company: Company): readonly unknown[] {
  const own = jobs.filter((each) => each.unit.company === company);
  const ids = [...new Set(own.map(({ unit }) => unit.id))];
  return ids.map((id) => ({
    id,
    label: own.find(({ unit }) => unit.id === id)?.unit.label,
    UnitJob: own.filter(({ unit }) => unit.id === id).map((each) => ({ id: each.id, title: each.title })),
  }));
}

function pathOf({ id, unit }: Job): string {
  return `path://firm$Company/${unit.company.id}/firm$CompanyUnit/firm$Unit/${unit.id}/firm$UnitJob/firm$Job/${id}`;
}

/** A name to sort by, and what each instance has there: what is absent is undefined, what sorts by its value is a number. */
export interface Place<T> {
  readonly name: string;
  read(of: T): unknown;
}

const moment = (value: unknown): unknown => (value === undefined ? undefined : Date.parse(String(value)));
const number = (value: unknown): unknown => (value === undefined ? undefined : Number(value));
const plain = (value: unknown): unknown => value;

const fields: readonly (readonly [name: string, as: (value: unknown) => unknown])[] = [
  ['city', plain],
  ['zip', number],
  ['price', number],
  ['rate', number],
  ['at', moment],
  ['on', plain],
  ['ok', number],
  ['inner.code', plain],
];

function fieldsAt<T>(prefix: string, of: (each: T) => Address | undefined): readonly Place<T>[] {
  return fields.map(([name, as]) => ({ name: `${prefix}.${name}`, read: (each) => as(inside(of(each), name.split('.'))) }));
}

function inside(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return value;
  const found = typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === first)?.[1] : undefined;
  return inside(found, rest);
}

const bossOf = ({ boss }: Person): Person | undefined => people.find(({ id }) => id === boss);

export const personPlaces: readonly Place<Person>[] = [
  { name: 'name', read: ({ name }) => name },
  ...fieldsAt<Person>('address', ({ address }) => address),
  { name: 'Works.Company.name', read: ({ works }) => works?.at.name },
  { name: 'firm$Works.Company.worth', read: ({ works }) => number(works?.at.worth) },
  ...fieldsAt<Person>('Works.Company.address', ({ works }) => works?.at.address),
  { name: 'Works.since', read: ({ works }) => works?.since },
  { name: 'Works.pay', read: ({ works }) => number(works?.pay) },
  { name: 'Drives.Car.id', read: ({ drives }) => drives?.car.id },
  { name: 'Drives.Car.speed', read: ({ drives }) => drives?.car.speed },
  { name: 'Drives.Car.built', read: ({ drives }) => moment(drives?.car.built) },
  { name: 'Drives.keys', read: ({ drives }) => drives?.keys },
  { name: 'Leads.boss.name', read: (each) => bossOf(each)?.name },
  { name: 'Leads.boss.Drives.Car.speed', read: (each) => bossOf(each)?.drives?.car.speed },
  { name: 'Leads.boss.Leads.boss.Works.Company.worth', read: () => undefined },
];

export const jobPlaces: readonly Place<Job>[] = [
  { name: 'title', read: ({ title }) => title },
  { name: 'UnitJob.Unit.label', read: ({ unit }) => unit.label },
  { name: 'UnitJob.Unit.CompanyUnit.Company.name', read: ({ unit }) => unit.company.name },
  { name: 'UnitJob.Unit.CompanyUnit.Company.worth', read: ({ unit }) => number(unit.company.worth) },
  { name: 'UnitJob.Unit.CompanyUnit.Company.address.inner.code', read: ({ unit }) => inside(unit.company.address, ['inner', 'code']) },
  { name: 'Does.Person.name', read: ({ by }) => by?.name },
  { name: 'Does.Person.Drives.Car.built', read: ({ by }) => moment(by?.drives?.car.built) },
  { name: 'Does.Person.Works.Company.id', read: ({ by }) => by?.works?.at.id },
  ...fieldsAt<Job>('Does.Person.address', ({ by }) => by?.address),
];

export interface Wanted<T> {
  readonly place: Place<T>;
  readonly isDescending: boolean;
}

/** Absent values first when ascending; what is alike stays in the order that it has. */
export function sorted<T>(rows: readonly T[], wanted: readonly Wanted<T>[]): readonly T[] {
  return rows.toSorted((one, other) => {
    for (const { place, isDescending } of wanted) {
      const order = compare(place.read(one), place.read(other));
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  });
}

function compare(one: unknown, other: unknown): number {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
