// What somebody asks next: drawn by a seed, from what there is.

import type { Random } from '../random.ts';
import type { Act } from './acts.ts';
import { idOf, mayRead, staffOf } from './rights.ts';
import { all, keyOf, type Person, type State, type Type, types, type Values } from './state.ts';

export const clinics = ['north', 'south'] as const;
export const drugs = ['amox', 'parac', 'vacc'] as const;

export class Drawing {
  readonly #random: Random;
  #number = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  act(person: Person, state: State): Act {
    const isStaff = staffOf(person, state) !== undefined;
    const isAuthor = all(state, 'Note').some(({ author }) => author === idOf(person, state));
    return this.#random.weighted<() => Act>([
      [3, () => this.#list()],
      [2, () => this.#read(person, state)],
      [isStaff ? 3 : 6, () => this.#book(person, state)],
      [1, () => this.#busy(state)],
      [isStaff ? 1 : 2, () => this.#cancel(person, state)],
      [1, () => this.#animal(person, state)],
      [isStaff ? 2 : 1, () => this.#reschedule(person, state)],
      [isStaff ? 4 : 1, () => this.#treat(person, state)],
      [isStaff || isAuthor ? 4 : 1, () => this.#note(person, state)],
      [isStaff ? 2 : 1, () => this.#pay(person, state)],
      [isStaff ? 3 : 1, () => this.#money(person, state)],
      [1, () => this.#customer(person, state)],
      [1, () => this.#closed()],
    ])();
  }

  /** Everybody wants the same vet in the same hour of that day. */
  sameHour(people: readonly Person[], state: State, day: number): readonly { readonly person: Person; readonly act: Act }[] {
    const vet = this.#random.pick(all(state, 'Staff').filter(({ job }) => job === 'vet'));
    const times = { starts: timeAt(day * 1440 + 540), ends: timeAt(day * 1440 + 600) };
    return people.flatMap((person) => {
      const animal = this.#some(person, state, 'Animal');
      if (animal === undefined) return [];
      const values = { id: this.#id(), animal: animal['id'], clinic: vet['clinic'], vet: vet['id'], ...times };
      return [{ person, act: { kind: 'create' as const, type: 'Appointment' as const, values } }];
    });
  }

  /** What admins change between the requests of others: who works where, who buys, what there is to sell. */
  changes(state: State): Act | undefined {
    const random = this.#random;
    const someone = random.pick(all(state, 'Staff'));
    return random.weighted<() => Act | undefined>([
      [2, () => undefined],
      [2, () => ({ kind: 'update', type: 'Staff', key: String(someone['id']), values: { clinic: random.pick(clinics) } })],
      [1, () => ({ kind: 'update', type: 'Staff', key: String(someone['id']), values: { email: null } })],
      [
        2,
        () => {
          const [gone] = all(state, 'Staff').filter(({ email }) => email === null);
          if (gone === undefined) return undefined;
          return { kind: 'update', type: 'Staff', key: String(gone['id']), values: { email: `${gone['id']}@clinic.example` } };
        },
      ],
      [1, () => ({ kind: 'update', type: 'Drug', key: random.pick(drugs), values: { price: random.decimal(30, 2) } })],
    ])();
  }

  /** An identifier that nothing has. */
  #id(): string {
    this.#number += 1;
    return `0198c11c-0000-7000-8000-${String(this.#number).padStart(12, '0')}`;
  }

  /** A row that the caller may read, and now and then any. */
  #some(person: Person, state: State, type: Type): Values | undefined {
    const rows = all(state, type);
    const own = rows.filter((row) => mayRead(person, state, type, row));
    const from = own.length === 0 || this.#random.chance(0.15) ? rows : own;
    return from.length === 0 ? undefined : this.#random.pick(from);
  }

  #list(): Act {
    const random = this.#random;
    return random.weighted<() => Act>([
      [4, () => ({ kind: 'list', type: random.pick(types) })],
      [1, () => ({ kind: 'list', type: 'Staff', filter: { attribute: 'salary', operator: 'gte', value: random.integer(1000, 5000) } })],
      [1, () => ({ kind: 'list', type: 'Staff', sort: '-salary' })],
      [1, () => ({ kind: 'list', type: 'Staff', filter: { attribute: 'email', operator: 'eq', value: 'n1@clinic.example' } })],
      [1, () => ({ kind: 'list', type: 'Drug', filter: { attribute: 'cost', operator: 'gte', value: random.integer(0, 10) } })],
      [1, () => ({ kind: 'list', type: 'Drug', sort: '-cost' })],
      [1, () => ({ kind: 'list', type: 'Invoice', filter: { attribute: 'gross', operator: 'gte', value: random.integer(0, 100) } })],
      [1, () => ({ kind: 'list', type: 'Appointment', filter: { attribute: 'state', operator: 'eq', value: 'booked' } })],
    ])();
  }

  #read(person: Person, state: State): Act {
    const type = this.#random.pick(types);
    const row = this.#some(person, state, type);
    return row === undefined ? { kind: 'list', type } : { kind: 'read', type, key: keyOf(type, row) };
  }

  /** Few vets, few hours: many want the same. */
  #times(): { readonly starts: string; readonly ends: string } {
    const random = this.#random;
    const from = random.integer(1, 3) * 1440 + 480 + 15 * random.integer(0, 20);
    const to = random.chance(0.03) ? from : from + 15 * random.integer(1, 4);
    return { starts: timeAt(from), ends: timeAt(to) };
  }

  #book(person: Person, state: State): Act {
    const random = this.#random;
    const animal = this.#some(person, state, 'Animal');
    if (animal === undefined) return this.#animal(person, state);
    const other = random.chance(0.3) ? this.#some(person, state, 'Appointment') : undefined;
    if (other !== undefined) {
      const { clinic, vet, starts, ends } = other;
      // Right before or behind another one, which is no overlap.
      const times = random.chance(0.5)
        ? { starts: timeAt(minutesOf(String(starts)) - 15), ends: starts }
        : { starts: ends, ends: timeAt(minutesOf(String(ends)) + 15) };
      return { kind: 'create', type: 'Appointment', values: { id: this.#id(), animal: animal['id'], clinic, vet, ...times } };
    }
    const clinic = random.pick(clinics);
    const vets = all(state, 'Staff').filter((each) => each['clinic'] === clinic && (each['job'] === 'vet' || random.chance(0.1)));
    const vet = vets.length === 0 ? 'nobody' : random.pick(vets)['id'];
    return { kind: 'create', type: 'Appointment', values: { id: this.#id(), animal: animal['id'], clinic, vet, ...this.#times() } };
  }

  #busy(state: State): Act {
    const vet = this.#random.pick(all(state, 'Staff'))['id'];
    const day = this.#random.integer(1, 4);
    return { kind: 'event', name: 'busy', values: { vet, from: timeAt(day * 1440), to: timeAt((day + 1) * 1440) } };
  }

  #cancel(person: Person, state: State): Act {
    const row = this.#some(person, state, 'Appointment');
    return row === undefined ? this.#busy(state) : { kind: 'event', name: 'cancel', values: { appointment: row['id'] } };
  }

  #animal(person: Person, state: State): Act {
    const random = this.#random;
    const own = all(state, 'Customer').find(({ user }) => user === idOf(person, state));
    const keeper = random.chance(0.8) && own !== undefined ? own : random.pick(all(state, 'Customer'));
    const animal = this.#some(person, state, 'Animal');
    if (animal !== undefined && random.chance(0.3))
      return { kind: 'update', type: 'Animal', key: String(animal['id']), values: { keeper: keeper['id'] } };
    const values = { id: this.#id(), name: `animal ${random.integer(1, 99)}`, species: random.pick(['dog', 'cat', 'bird']) };
    return { kind: 'create', type: 'Animal', values: { ...values, keeper: keeper['id'] } };
  }

  #reschedule(person: Person, state: State): Act {
    const random = this.#random;
    const row = this.#some(person, state, 'Appointment');
    if (row === undefined) return this.#busy(state);
    const values = random.weighted<Values>([
      [3, this.#times()],
      [1, { state: random.pick(['booked', 'cancelled', 'done']) }],
      [1, { ...this.#times(), state: random.pick(['booked', 'done']) }],
      [1, { reason: `reason ${random.integer(1, 9)}` }],
      [1, { clinic: random.pick(clinics) }],
    ]);
    return { kind: 'update', type: 'Appointment', key: String(row['id']), values };
  }

  #treat(person: Person, state: State): Act {
    const random = this.#random;
    const row = this.#some(person, state, 'Appointment');
    const stock = this.#some(person, state, 'Stock');
    if (row === undefined || (stock !== undefined && random.chance(0.2)))
      return stock === undefined
        ? { kind: 'create', type: 'Stock', values: { id: this.#id(), clinic: random.pick(clinics), drug: random.pick(drugs), quantity: 1 } }
        : { kind: 'update', type: 'Stock', key: String(stock['id']), values: { quantity: random.integer(-2, 40) } };
    const values = { id: this.#id(), appointment: row['id'], drug: random.pick(drugs), quantity: random.integer(0, 12) };
    return { kind: 'create', type: 'Treatment', values };
  }

  #note(person: Person, state: State): Act {
    const random = this.#random;
    const own = all(state, 'Note').filter(({ author }) => author === idOf(person, state));
    const note = own.length > 0 && random.chance(0.6) ? random.pick(own) : this.#some(person, state, 'Note');
    const animal = this.#some(person, state, 'Animal');
    if (note !== undefined && random.chance(0.5))
      return random.chance(0.3)
        ? { kind: 'delete', type: 'Note', key: String(note['id']) }
        : { kind: 'update', type: 'Note', key: String(note['id']), values: { text: `note ${random.integer(1, 999)}` } };
    if (animal === undefined) return { kind: 'list', type: 'Note' };
    return { kind: 'create', type: 'Note', values: { id: this.#id(), animal: animal['id'], text: `note ${random.integer(1, 999)}` } };
  }

  #pay(person: Person, state: State): Act {
    const invoice = this.#some(person, state, 'Invoice');
    if (invoice === undefined) return { kind: 'list', type: 'Invoice' };
    return { kind: 'update', type: 'Invoice', key: String(invoice['appointment']), values: { state: 'paid' } };
  }

  #money(person: Person, state: State): Act {
    const random = this.#random;
    const row = this.#some(person, state, 'Staff');
    const values = random.weighted<Values>([
      [4, { salary: String(random.integer(1000, 6000)) }],
      [1, { clinic: random.pick(clinics) }],
      [1, { job: row?.['job'] }],
      [1, { job: 'manager' }],
      [1, { name: `name ${random.integer(1, 99)}` }],
    ]);
    if (random.chance(0.3)) return { kind: 'update', type: 'Drug', key: random.pick(drugs), values: { cost: random.decimal(20, 2) } };
    return { kind: 'update', type: 'Staff', key: String(row?.['id'] ?? 'nobody'), values };
  }

  #customer(person: Person, state: State): Act {
    const random = this.#random;
    if (random.chance(0.2)) return { kind: 'event', name: 'register', values: { name: 'again', clinic: random.pick(clinics) } };
    const row = this.#some(person, state, 'Customer');
    if (row === undefined) return { kind: 'list', type: 'Customer' };
    return {
      kind: 'update',
      type: 'Customer',
      key: String(row['id']),
      values: random.chance(0.7) ? { phone: `0${random.integer(1, 999)}` } : { clinic: random.pick(clinics) },
    };
  }

  #closed(): Act {
    return this.#random.pick<Act>([
      { kind: 'closed', method: 'POST', name: 'tellAccounting', status: 404 },
      { kind: 'closed', method: 'POST', name: 'deliver', status: 404 },
      { kind: 'closed', method: 'POST', name: 'isFree', status: 404 },
      { kind: 'closed', method: 'GET', name: 'Message', status: 200, answer: [] },
    ]);
  }
}

const start = Date.UTC(2030, 0, 1);

function minutesOf(time: string): number {
  return (Date.parse(time) - start) / 60_000;
}

function timeAt(minutes: number): string {
  return new Date(start + minutes * 60_000).toISOString().replace('.000Z', 'Z');
}
