// What people ask of the clinic: as a request, and as what must come of it by the rules and the logic in plain code.

import type { Request } from '../harness.ts';
import { fixed, hidden, idOf, mayCreate, mayDelete, mayRead, mayUpdate, unknown } from './rights.ts';
import {
  all,
  find,
  identifiers,
  keyOf,
  type Person,
  references,
  type State,
  type Type,
  type Values,
  withoutRow,
  withRow,
} from './state.ts';
import { shown, written } from './values.ts';

export type Act =
  | { readonly kind: 'list'; readonly type: Type; readonly filter?: Filter; readonly sort?: string }
  | { readonly kind: 'read'; readonly type: Type; readonly key: string }
  | { readonly kind: 'create'; readonly type: Type; readonly values: Values }
  | { readonly kind: 'update'; readonly type: Type; readonly key: string; readonly values: Values }
  | { readonly kind: 'delete'; readonly type: Type; readonly key: string }
  | { readonly kind: 'event'; readonly name: 'register' | 'busy' | 'cancel'; readonly values: Values }
  /** What is there for nobody: internal events, and the outbox, which only admin sees. */
  | { readonly kind: 'closed'; readonly method: 'GET' | 'POST'; readonly name: string; readonly status: number; readonly answer?: unknown };

export interface Filter {
  readonly attribute: string;
  readonly operator: 'eq' | 'gte';
  readonly value: string | number;
}

export interface Outcome {
  /** Several where a request has several faults: which of them is told is not what this is about. */
  readonly statuses: readonly number[];
  readonly answer?: unknown;
  readonly state: State;
}

export function requestOf(act: Act): Request {
  switch (act.kind) {
    case 'list': {
      const asked = [
        ...(act.filter === undefined ? [] : [`${act.filter.attribute}[${act.filter.operator}]=${encodeURIComponent(act.filter.value)}`]),
        ...(act.sort === undefined ? [] : [`@sort=${act.sort}`]),
      ];
      return { method: 'GET', target: `/clinic/${act.type}${asked.length === 0 ? '' : `?${asked.join('&')}`}` };
    }
    case 'read':
      return { method: 'GET', target: pathOf(act.type, act.key) };
    case 'create':
      return { method: 'POST', target: `/clinic/${act.type}`, body: act.values };
    case 'update':
      return { method: 'PUT', target: pathOf(act.type, act.key), body: act.values };
    case 'delete':
      return { method: 'DELETE', target: pathOf(act.type, act.key) };
    case 'event':
      return { method: 'POST', target: `/clinic/${act.name}`, body: act.values };
    case 'closed':
      return { method: act.method, target: `/clinic/${act.name}`, ...(act.method === 'POST' ? { body: {} } : {}) };
  }
}

function pathOf(type: Type, key: string): string {
  const [invoice, no] = key.split('/');
  return type === 'Line' ? `/clinic/Invoice/${invoice}/InvoiceLine/Line/${no}` : `/clinic/${type}/${key}`;
}

export function perform(person: Person, act: Act, state: State): Outcome {
  switch (act.kind) {
    case 'list':
      return list(person, act, state);
    case 'read': {
      const row = readable(person, act.type, act.key, state);
      return row === undefined ? refused(state, 404) : { statuses: [200], answer: shownTo(person, act.type, row, state), state };
    }
    case 'create':
      return create(person, act, state);
    case 'update':
      return update(person, act, state);
    case 'delete':
      return remove(person, act, state);
    case 'event':
      return events[act.name](person, act.values, state);
    case 'closed':
      return { statuses: [act.status], answer: act.answer, state };
  }
}

function refused(state: State, ...statuses: readonly number[]): Outcome {
  return { statuses, state };
}

function readable(person: Person, type: Type, key: string, state: State): Values | undefined {
  const row = find(state, type, key);
  return row !== undefined && mayRead(person, state, type, row) ? row : undefined;
}

/** A row with what is computed, without what is hidden. */
export function shownTo(person: Person, type: Type, row: Values, state: State): Values {
  const without = hidden(person, state, type, row);
  return Object.fromEntries(Object.entries(shown(type, row, state)).filter(([name]) => !without.includes(name)));
}

function list(person: Person, { type, filter, sort }: Act & { readonly kind: 'list' }, state: State): Outcome {
  const asked = [filter?.attribute, sort?.replace('-', '')];
  if (unknown(person, state, type).some((name) => asked.includes(name))) return refused(state, 422);
  const rows = all(state, type)
    .filter((row) => mayRead(person, state, type, row))
    .map((row) => ({ row, shown: shownTo(person, type, row, state) }))
    .filter((each) => filter === undefined || fits(each.shown, filter))
    .sort((one, other) => inOrder(one.row, other.row, type));
  const answer = rows.map((each) => each.shown);
  return { statuses: [200], answer: sort === undefined ? answer : sorted(answer, sort), state };
}

/** What is hidden is absent, and fits nothing. */
function fits(row: Values, { attribute, operator, value }: Filter): boolean {
  const found = row[attribute];
  if (found === undefined || found === null) return false;
  if (operator === 'eq') return String(found) === String(value);
  return typeof value === 'number' ? Number(found) >= value : String(found) >= value;
}

function inOrder(one: Values, other: Values, type: Type): number {
  if (type === 'Line' && one['invoice'] === other['invoice']) return Number(one['no']) - Number(other['no']);
  const [first, second] = [keyOf(type, one), keyOf(type, other)];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** By a number, descending; what is absent comes last. */
function sorted(rows: readonly Values[], sort: string): readonly Values[] {
  const value = (row: Values): number =>
    row[sort.slice(1)] === undefined || row[sort.slice(1)] === null ? -1 : Number(row[sort.slice(1)]);
  return [...rows].sort((one, other) => value(other) - value(one));
}

const absent: Readonly<Partial<Record<Type, Values>>> = {
  Staff: { email: null, salary: null },
  Appointment: { state: 'booked', reason: null },
  Drug: { cost: null },
};

/** References to what one may not read are to nothing. */
function brokenReferences(person: Person, type: Type, values: Values, state: State): boolean {
  return Object.entries(references[type] ?? {}).some(
    ([name, target]) => values[name] !== undefined && readable(person, target, String(values[name]), state) === undefined,
  );
}

function create(person: Person, { type, values }: Act & { readonly kind: 'create' }, state: State): Outcome {
  const row: Values = { ...absent[type], ...values, ...(type === 'Note' ? { author: idOf(person, state) } : {}) };
  const next = written(undefined, row, type, state);
  const isTwice = type === 'Stock' && all(state, 'Stock').some((each) => each['clinic'] === row['clinic'] && each['drug'] === row['drug']);
  const faults = [
    ...(brokenReferences(person, type, values, state) || next === undefined ? [422] : []),
    ...(mayCreate(person, state, type, row) ? [] : [403]),
    ...(isTwice || find(state, type, keyOf(type, row)) !== undefined ? [409] : []),
  ];
  if (faults.length > 0 || next === undefined) return refused(state, ...faults);
  return { statuses: [201], answer: shownTo(person, type, row, next), state: next };
}

function update(person: Person, { type, key, values }: Act & { readonly kind: 'update' }, state: State): Outcome {
  const before = readable(person, type, key, state);
  if (before === undefined) return refused(state, 404);
  const after = { ...before, ...values };
  const changed = Object.keys(values).filter((name) => values[name] !== before[name]);
  const next = written(before, after, type, state);
  const mayChange = mayUpdate(person, state, type, before) && !changed.some((name) => fixed(person, type).includes(name));
  const faults = [
    ...(brokenReferences(person, type, values, state) || next === undefined ? [422] : []),
    ...(mayChange && mayUpdate(person, next ?? state, type, after) ? [] : [403]),
  ];
  if (faults.length > 0 || next === undefined) return refused(state, ...faults);
  return { statuses: [200], answer: shownTo(person, type, after, next), state: next };
}

function remove(person: Person, { type, key }: Act & { readonly kind: 'delete' }, state: State): Outcome {
  const row = readable(person, type, key, state);
  if (row === undefined) return refused(state, 404);
  const isReferredTo = Object.entries(references).some(([from, names]) =>
    Object.entries(names).some(
      ([name, to]) => to === type && all(state, typeNamed(from)).some((each) => each[name] === row[identifiers[type]]),
    ),
  );
  const faults = [...(mayDelete(person, state, type, row) ? [] : [403]), ...(isReferredTo ? [409] : [])];
  if (faults.length > 0) return refused(state, ...faults);
  return { statuses: [200], answer: shownTo(person, type, row, state), state: withoutRow(state, type, key) };
}

function typeNamed(name: string): Type {
  for (const type of ['Staff', 'Customer', 'Animal', 'Appointment', 'Stock', 'Treatment', 'Note'] as const) if (type === name) return type;
  throw new Error(`${name} refers to nothing`);
}

type Event = (person: Person, values: Values, state: State) => Outcome;

const events: Readonly<Record<'register' | 'busy' | 'cancel', Event>> = {
  // Everybody is registered before: once more is once too often.
  register: (person, _, state) => refused(state, all(state, 'Customer').some(({ user }) => user === idOf(person, state)) ? 409 : 200),
  busy(_, { vet, from, to }, state) {
    const slots = all(state, 'Appointment')
      .filter((each) => each['vet'] === vet && each['state'] !== 'cancelled')
      .filter(({ starts, ends }) => String(starts) < String(to) && String(ends) > String(from))
      .map(({ starts, ends }) => ({ starts, ends }))
      .sort((one, other) => (String(one.starts) < String(other.starts) ? -1 : 1));
    return { statuses: [200], answer: slots, state };
  },
  cancel(person, { appointment }, state) {
    const row = find(state, 'Appointment', appointment);
    const keeper = find(state, 'Customer', find(state, 'Animal', row?.['animal'])?.['keeper']);
    if (row === undefined || keeper?.['user'] !== idOf(person, state) || row['state'] !== 'booked') return refused(state, 422);
    const next = withRow(state, 'Appointment', { ...row, state: 'cancelled' });
    return { statuses: [200], answer: [{ ...row, state: 'cancelled' }], state: next };
  },
};
