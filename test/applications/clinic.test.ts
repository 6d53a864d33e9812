// The example of a clinic, asked by twenty people at once: what each is answered is what the rules and the logic say in plain code, in some order.

import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { counted, seed } from '../support/form.ts';
import { storeOfRun } from '../support/store.ts';
import { until } from '../support/time.ts';
import { type Act, perform, requestOf } from './clinic/acts.ts';
import { clinics, Drawing, drugs } from './clinic/draw.ts';
import { type Answered, inSomeOrder } from './clinic/order.ts';
import { all, empty, type Person, type State, type Type, types, type Values, withRow } from './clinic/state.ts';
import { overlaps } from './clinic/values.ts';
import { type Asking, comparable, placeFor, serving } from './harness.ts';
import { Random } from './random.ts';

const operations = counted({ long: 4000, short: 300, postgres: 160 });
const password = 'correct horse battery';
const admin: Person = { name: 'admin', email: 'admin@clinic.example', isAdmin: true, isVerified: true };

interface Job {
  readonly name: string;
  readonly clinic: string;
  readonly job: string;
}

/** The names are the identifiers of staff: n is north, s is south. */
const staff: readonly Job[] = clinics.flatMap((clinic) =>
  ['receptionist', 'vet', 'vet', 'manager'].map((job, at) => ({ name: `${clinic.charAt(0)}${at}`, clinic, job })),
);
const people: readonly Person[] = [
  ...staff.map(({ name }) => ({ name, email: `${name}@clinic.example`, isVerified: true })),
  ...Array.from({ length: 11 }, (_, at) => ({ name: `c${at}`, email: `c${at}@home.example`, isVerified: false })),
  // Has signed up with an address of the staff, of which nobody knows that it is theirs.
  { name: 'x1', email: 'x1@clinic.example', isVerified: false },
];

test('twenty people at once are answered as the rules and the logic of the clinic say, and told nothing else', async () => {
  const accounting = await listening();
  const place = await placeFor({ folder: '../../examples/clinic', surface: 'current' }, 'clinic', storeOfRun(), {
    rbac: { enabled: true },
  });
  const environment = { PLATFORM_SUPERUSER_EMAIL: admin.email, PLATFORM_SUPERUSER_PASSWORD: password };
  await serving(place, (ask) => course(ask, accounting), environment);
}, 1_800_000);

async function course(ask: Asking, accounting: Accounting): Promise<void> {
  const headers = new Map<string, Readonly<Record<string, string>>>();
  const tell = async (person: Person, act: Act): Promise<Answered> => {
    const { status, body } = await ask({ ...requestOf(act), headers: headers.get(person.name) ?? {} });
    return { person, act, status, body };
  };
  let state = await opened(ask, headers);
  const random = new Random(seed);
  const drawing = new Drawing(random);
  const rounds = Math.ceil(operations / people.length);
  for (let round = 1; round <= rounds; round++) {
    const change = drawing.changes(state);
    if (change !== undefined) state = settled(state, [await tell(admin, change)], [], random);
    const isCrowded = round % 6 === 0;
    const acts = isCrowded
      ? drawing.sameHour(people, state, round + 10)
      : people.map((person) => ({ person, act: drawing.act(person, state) }));
    const told = await Promise.all(acts.map(({ person, act }) => tell(person, act)));
    // A treatment is not answered with the number of its line.
    const isSeen = (type: Type): boolean => type === 'Stock' || type === 'Line';
    const written = types.filter((type) => isSeen(type) || acts.some(({ act }) => act.kind === 'update' && act.type === type));
    const seen = await Promise.all(written.map((type) => tell(admin, { kind: 'list', type })));
    state = settled(state, told, seen, random);
    if (isCrowded) expect(told.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
    if (round % 10 === 0 || round === rounds) await everythingAgrees(state, tell);
    // A token is good for a quarter of an hour.
    if (round % 40 === 0) for (const person of [admin, ...people]) headers.set(person.name, await loggedIn(ask, person));
  }
  expect(overlapping(state)).toEqual([]);
  await delivered(state, accounting);
}

/** Behind requests that were sent at once: fails where no order of them explains the answers. */
function settled(state: State, answered: readonly Answered[], seen: readonly Answered[], random: Random): State {
  const { state: next, left } = inSomeOrder(state, answered, seen, isSame, random);
  const explained = left.map(({ person, act, status, body }) => ({
    person: person.name,
    request: requestOf(act),
    told: { status, body },
    expected: { ...perform(person, act, next), state: undefined },
  }));
  expect(explained).toEqual([]);
  return next;
}

function isSame(told: unknown, expected: unknown): boolean {
  return JSON.stringify(ordered(comparable(told))) === JSON.stringify(ordered(comparable(expected)));
}

/** With the keys of objects in one order. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, each]) => [key, ordered(each)]),
  );
}

/** Everybody is shown the rows, and the attributes of each, that the rules give them. */
async function everythingAgrees(state: State, tell: (person: Person, act: Act) => Promise<Answered>): Promise<void> {
  for (const person of [admin, ...people])
    for (const type of types) {
      const act: Act = { kind: 'list', type };
      const { status, body } = await tell(person, act);
      expect(status, `${type} for ${person.name}`).toBe(200);
      expect(comparable(body), `${type} for ${person.name}`).toEqual(comparable(perform(person, act, state).answer));
    }
}

function overlapping(state: State): readonly (readonly [Values, Values])[] {
  const held = all(state, 'Appointment').filter((each) => each['state'] !== 'cancelled');
  return held.flatMap((one, at) =>
    held.slice(at + 1).flatMap((other) => (one['vet'] === other['vet'] && overlaps(one, other) ? [[one, other] as const] : [])),
  );
}

/** Users, what admin enters, and customers, who register. */
async function opened(ask: Asking, headers: Map<string, Readonly<Record<string, string>>>): Promise<State> {
  headers.set(admin.name, await loggedIn(ask, admin));
  const post = async (person: Person | undefined, target: string, body: unknown): Promise<Values> => {
    const { status, text, body: answer } = await ask({ method: 'POST', target, body, headers: headers.get(person?.name ?? '') ?? {} });
    if (status >= 300) throw new Error(`${target}: ${text}`);
    return Object(answer);
  };
  const accounts = new Map<string, { readonly id: string; readonly roles: readonly string[] }>();
  for (const person of people) {
    const { email, isVerified } = person;
    if (isVerified) await post(admin, '/platform.auth/User', { email, password });
    else await post(undefined, '/platform.auth/signup', { email, password });
    headers.set(person.name, await loggedIn(ask, person));
    const { body } = await ask({ method: 'GET', target: '/platform.auth/me', headers: headers.get(person.name) ?? {} });
    accounts.set(email, { id: String(Reflect.get(Object(body), 'id')), roles: person.name === 'n3' ? ['buyer'] : [] });
  }
  await post(admin, '/platform.rbac/RoleAssignment', { role: 'buyer', assignee: 'n3@clinic.example' });
  let state: State = { ...empty, accounts };
  const enter = async (type: (typeof types)[number], values: Values): Promise<void> => {
    await post(admin, `/clinic/${type}`, values);
    state = withRow(state, type, values);
  };
  for (const clinic of clinics)
    state = withRow(state, 'Clinic', { code: clinic, name: `Clinic ${clinic.charAt(0).toUpperCase()}${clinic.slice(1)}` });
  for (const { name, clinic, job } of [...staff, { name: 'x1', clinic: 'north', job: 'manager' }])
    await enter('Staff', { id: name, email: `${name}@clinic.example`, name, clinic, job, salary: '2000' });
  for (const code of drugs) {
    await enter('Drug', { code, name: `drug ${code}`, price: '4.5', cost: '1.25' });
    for (const clinic of clinics) {
      const id = `0198c11c-0000-7000-9000-${String(state.rows.Stock.size).padStart(12, '0')}`;
      await enter('Stock', { id, clinic, drug: code, quantity: 30 });
    }
  }
  // Staff have animals too.
  for (const [at, person] of people.entries()) {
    const customer = await post(person, '/clinic/register', { name: person.name, clinic: clinics[at % 2] });
    state = withRow(state, 'Customer', customer);
  }
  return state;
}

async function loggedIn(ask: Asking, { email }: Person): Promise<Readonly<Record<string, string>>> {
  const { body, text } = await ask({ method: 'POST', target: '/platform.auth/login', body: { email, password } });
  const token: unknown = Reflect.get(Object(body), 'id-token');
  if (typeof token !== 'string') throw new Error(`${email}: ${text}`);
  return { authorization: `Bearer ${token}` };
}

interface Accounting {
  /** What came, by the key under which it came. */
  readonly entries: ReadonlyMap<string, { readonly invoice: string; readonly amount: string }>;
}

/** The program of the accountants. It fails now and then: what it was not told is told again. */
async function listening(): Promise<Accounting> {
  const entries = new Map<string, { readonly invoice: string; readonly amount: string }>();
  let requests = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    request.on('end', () => {
      requests += 1;
      const hasFailed = requests % 3 === 0;
      if (!hasFailed) entries.set(String(request.headers['idempotency-key']), JSON.parse(text));
      response.writeHead(hasFailed ? 500 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  const before = process.env['ACCOUNTING_URL'];
  process.env['ACCOUNTING_URL'] = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
  onTestFinished(async () => {
    if (before === undefined) delete process.env['ACCOUNTING_URL'];
    else process.env['ACCOUNTING_URL'] = before;
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { entries };
}

/** The accountants were told of each invoice that was paid, once, with its amount. */
async function delivered({ told }: State, { entries }: Accounting): Promise<void> {
  await until(() => entries.size >= told.size);
  const amounts = [...entries.values()].map(({ invoice, amount }) => [invoice, amount]);
  expect(comparable(amounts.sort())).toEqual(comparable([...told].sort()));
}
