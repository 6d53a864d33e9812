// Somebody who watches: builds a view of a list from what is told, leaves at random events, and goes on at another instance with the last cursor.

import { isDeepStrictEqual } from 'node:util';
import type { Person } from '../../access/people.ts';
import type { Random } from '../../applications/random.ts';
import type { Answer, Served } from '../../support/app.ts';
import { until } from '../../support/time.ts';
import { type Reading, type Told, watch } from '../support.ts';
import type { History } from './history.ts';

type Values = Readonly<Record<string, unknown>>;

/** What is watched, and how the same is read at once. */
export interface Target {
  /** The type of the instances. */
  readonly type: string;
  /** `/m/Post?public=true`, or a field of GraphQL with its arguments and what is asked of each instance. */
  readonly list: string | { readonly field: string; readonly where: string; readonly instance: string };
}

export interface Watching {
  readonly services: readonly Served[];
  readonly history: History;
  readonly random: Random;
}

/** Milliseconds for which an opening waits for other transactions, or a little less. */
const settling = 900;

export class Viewer {
  readonly #person: Person;
  readonly #target: Target;
  readonly #watching: Watching;
  readonly #isInitial: boolean;
  #view = new Map<string, Values>();
  /** As it was with the last cursor. */
  #settled = new Map<string, Values>();
  /** For a fault: what was told last. */
  readonly #lines: string[] = [];
  readonly #shown: Told[] = [];
  #reading: Reading | undefined;
  #isOver = false;
  #taken = 0;
  #cursor: string | undefined;
  /** What was told since the first event with the cursor, which may be told again, by how often. */
  #behind = new Map<string, number>();
  #again = new Map<string, number>();
  /** Until a state is told that was begun to be written later, the list that the view began with may be ahead of what is told. */
  #aheadUntil = 0;
  /** The first cursor behind that list, and until when the list was ahead: whoever goes on from there is told what lies between once more. */
  #first = { cursor: '', until: 0 };
  #leavesAfter = 0;
  /** When it was opened, where that has taken so long that its first cursor may stand before what could be read. */
  #openedEarly: number | undefined;
  drops = 0;
  events = 0;

  constructor(person: Person, target: Target, watching: Watching) {
    this.#person = person;
    this.#target = target;
    this.#watching = watching;
    this.#isInitial = typeof target.list !== 'string' || watching.random.chance(0.5);
  }

  get title(): string {
    const { list } = this.#target;
    return `${this.#person.email} ${typeof list === 'string' ? list : `${list.field} ${list.where}`}${this.#isInitial ? ' from the present' : ''}`;
  }

  /** Takes what has come, and is there again where it was ended, or has left. */
  async step(isLast = false): Promise<void> {
    if (this.#reading === undefined) return this.#open();
    this.#take(isLast);
    const isLeaving = !isLast && this.#leavesAfter <= 0;
    if (!isLeaving && !(this.#isOver && this.#taken === this.#reading.told.length)) return undefined;
    await this.#reading.close();
    this.#reading = undefined;
    this.drops += 1;
    this.#log('left');
    // What came without a cursor is told again.
    this.#view = new Map(this.#settled);
    if (this.#openedEarly !== undefined && this.#watching.history.wasHeldUp(this.#openedEarly)) this.#forget();
    return isLast ? this.#open() : undefined;
  }

  async #open(): Promise<void> {
    const { random, services } = this.#watching;
    const served = random.pick(services);
    const isFresh = this.#cursor === undefined;
    const asked = performance.now();
    const reading = await this.#ask(served);
    if (isFresh) this.#openedEarly = performance.now() - asked > settling ? performance.now() : undefined;
    this.#log(`${isFresh ? 'opened' : 'resumed'} ${reading.status} at ${services.indexOf(served)}`);
    if (reading.status !== 200 || (await refusal(reading))) {
      await reading.close();
      // The view stays where it is only known later whether it may be gone on with.
      if (reading.status !== 503) this.#forget();
      return;
    }
    this.#reading = reading;
    this.#isOver = false;
    void reading.ended.then(() => {
      if (this.#reading === reading) this.#isOver = true;
    });
    this.#taken = 0;
    this.#leavesAfter = random.integer(1, 8);
    for (const [name, count] of this.#behind) this.#again.set(name, (this.#again.get(name) ?? 0) + count);
    this.#behind.clear();
    if (this.#cursor === this.#first.cursor) this.#aheadUntil = this.#first.until;
    if (!isFresh) return;
    this.#view.clear();
    this.#aheadUntil = Number.POSITIVE_INFINITY;
    if (this.#isInitial) return;
    const { status, rows } = await this.#read(served);
    if (status === 200) for (const row of rows) this.#view.set(nameOf(row), row);
    this.#settled = new Map(this.#view);
    this.#aheadUntil = performance.now();
    this.#first.until = this.#aheadUntil;
  }

  #forget(): void {
    this.#cursor = undefined;
    this.#view.clear();
    this.#behind.clear();
    this.#again.clear();
  }

  #ask(served: Served): Promise<Reading> {
    const { list } = this.#target;
    const { headers } = this.#person;
    const after = this.#cursor;
    if (typeof list === 'string') return watch(served, this.#isInitial && after === undefined ? initially(list) : list, { headers, after });
    const asked = `${list.where === '' ? '' : `where: ${list.where}, `}initial: true, after: $after`;
    const query = `subscription ($after: String) { p: ${list.field}Changes(${asked}) { kind cursor identifier path instance { ${list.instance} } } }`;
    return watch(served, '/graphql', { headers, body: { query, variables: { after: after ?? null } } });
  }

  #take(isLast: boolean): void {
    const reading = this.#reading;
    if (reading === undefined) return;
    for (; this.#taken < reading.told.length && (isLast || this.#leavesAfter > 0); this.#taken += 1) {
      const told = reading.told[this.#taken];
      if (told !== undefined) this.#apply(plain(told, this.#target.list));
      this.#leavesAfter -= 1;
    }
    // Heart-beats have cursors too.
    if (this.#taken === reading.told.length) this.#passed(reading.cursor());
  }

  #passed(cursor: string | undefined): void {
    if (cursor === undefined || cursor === this.#cursor) return;
    this.#settled = new Map(this.#view);
    if (this.#cursor === undefined) this.#first.cursor = cursor;
    this.#cursor = cursor;
    this.#behind.clear();
  }

  #apply(told: Told): void {
    const { event, id, data } = told;
    this.#log(`${event} ${JSON.stringify(data)} ${id?.slice(-6) ?? ''}`);
    if (event === 'ready') {
      // Another instance spells the same place otherwise.
      if (id !== undefined && this.#cursor === this.#first.cursor) this.#first.cursor = id;
      this.#passed(id);
      return;
    }
    this.events += 1;
    const name = nameOf(data);
    if (event === 'present') {
      this.#aheadUntil = performance.now();
      this.#first.until = this.#aheadUntil;
    } else if (this.#watching.history.startOf(data['stamp']) > this.#aheadUntil) this.#aheadUntil = 0;
    const again = this.#again.get(name) ?? 0;
    if (again > 0) this.#again.set(name, again - 1);
    // Behind a resume it is not known how far the view is ahead.
    const isSure = this.#aheadUntil === 0 && again === 0 && this.drops === 0;
    const isThere = this.#view.has(name);
    if (isSure && isThere === (event === 'create')) this.#fault(`${event} of what is ${isThere ? '' : 'not '}there`);
    if (event === 'delete' || event === 'gone') this.#view.delete(name);
    else this.#view.set(name, data);
    this.#shown.push(told);
    // The cursor of an event stands behind it, or before the transaction that it is of.
    this.#passed(id);
    this.#behind.set(name, (this.#behind.get(name) ?? 0) + 1);
  }

  #fault(what: string): void {
    this.#watching.history.faults.push(`${this.title}: ${what}\n  ${this.#lines.slice(-14).join('\n  ')}`);
  }

  #log(line: string): void {
    this.#lines.push(`${Math.round(performance.now())} ${line}`);
  }

  /** Of all that was told. */
  check(): void {
    for (const each of this.#shown) this.#watching.history.check(this.#person.email, this.#target.type, each, this.title);
  }

  told(): string {
    return JSON.stringify(this.#shown);
  }

  get email(): string {
    return this.#person.email;
  }

  /** What differs from the list as it is read now; nothing where it is the same, or nobody may read it. */
  async difference(): Promise<string | undefined> {
    const { status, rows } = await this.#read(this.#watching.random.pick(this.#watching.services));
    if (status !== 200) return undefined;
    const list = new Map(rows.map((row) => [nameOf(row), row]));
    // Nobody can watch one that is not there.
    if ((this.#reading !== undefined || rows.length === 0) && isDeepStrictEqual(list, this.#view)) return undefined;
    const differing = [...new Set([...list.keys(), ...this.#view.keys()])].filter(
      (name) => !isDeepStrictEqual(list.get(name), this.#view.get(name)),
    );
    const shown = differing.map((name) => `${name}: ${JSON.stringify(list.get(name))} is told as ${JSON.stringify(this.#view.get(name))}`);
    return `${this.title}: ${shown.join(', ')}\n  ${this.#lines.slice(-25).join('\n  ')}`;
  }

  async #read(served: Served): Promise<{ readonly status: number; readonly rows: readonly Values[] }> {
    const { list } = this.#target;
    const { headers } = this.#person;
    if (typeof list === 'string') {
      const answer = await served.get(list, headers);
      return {
        status: answer.status === 404 && isSingle(list) ? 200 : answer.status,
        rows: answer.status === 200 ? rowsOf(answer.body) : [],
      };
    }
    const where = list.where === '' ? '' : `where: ${list.where}, `;
    const query = `{ p: ${list.field}List(${where}limit: 1000) { ${list.instance} } }`;
    const answer: Answer = await served.post('/graphql', { query }, headers);
    return { status: answer.status, rows: rowsOf(Reflect.get(Object(Reflect.get(Object(answer.body), 'data')), 'p')) };
  }

  async close(): Promise<void> {
    await this.#reading?.close();
  }
}

function initially(list: string): string {
  return `${list}${list.includes('?') ? '&' : '?'}@initial=true`;
}

/** `/m/Post/1`: the list has at most one instance, and none where there is none. */
function isSingle(list: string): boolean {
  return (list.split('?')[0] ?? '').split('/').length % 3 === 1;
}

function rowsOf(body: unknown): readonly Values[] {
  return (Array.isArray(body) ? body : [body]).map((each) => Object(each));
}

function nameOf(data: Values): string {
  return String(data['__path__'] ?? data['_path'] ?? data['__Id__'] ?? data['id'] ?? data['name']);
}

/** A result of GraphQL as an event of REST. */
function plain(told: Told, list: Target['list']): Told {
  if (typeof list === 'string') return told;
  const change: Values = Object(Reflect.get(Object(told.data['data']), 'p'));
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const named = { id: change['identifier'], ...(text(change['path']) === undefined ? {} : { _path: change['path'] }) };
  const instance: Values | null = change['instance'] === null ? null : Object(change['instance']);
  return { event: String(change['kind']).toLowerCase(), id: told.id, data: instance ?? named };
}

/** GraphQL refuses with a result. */
async function refusal(reading: Reading): Promise<boolean> {
  let isOver = false;
  void reading.ended.then(() => {
    isOver = true;
  });
  await until(() => reading.told.length > 0 || isOver);
  return reading.told.some(({ data }) => 'errors' in data);
}
