// What is done after an answer and must not be lost: kept in the store with what caused it, tried until it is done, by one instance at a time.

import type { Clock } from '../clock.ts';
import type { Columns, OwnTable } from '../engine/own-table.ts';
import { isObject } from '../plan/rows/attribute.ts';
import type { Store, Writer } from '../store/store.ts';
import { parseJson, writeJson } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';

export type OutboxContent = Readonly<Record<string, Value>>;
/** `done` strikes it out in the transaction of the work itself, where that is one of the store: then it is never done twice. */
export type OutboxWork = (content: OutboxContent, done: (tx: Writer) => Promise<void>) => Promise<void>;

export interface OutboxParts {
  readonly store: Store;
  readonly table: OwnTable;
  readonly clock: Clock;
  /** By kind. */
  readonly work: ReadonlyMap<string, OutboxWork>;
  failed(thrown: unknown, what: string): void;
}

/** Milliseconds: who works on something has it to itself for so long. */
const lease = 60_000;
/** Milliseconds from one try to the next. */
const pauses = [60_000, 5 * 60_000, 15 * 60_000, 30 * 60_000, 60 * 60_000, 60 * 60_000];
/** Milliseconds until it is looked whether something is due: what was put off, or what another instance left behind. */
const interval = 5000;
const atOnce = 10;
/** What is kept here came with a body that was within the configured limits, whatever they are: it is never too large to be read again. */
const limits = { depth: 1010, keys: 2_000_000, items: 2_000_000, bytes: Number.POSITIVE_INFINITY };

export class Outbox {
  readonly #parts: OutboxParts;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isAwaited = false;
  #isClosed = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  async add(kind: string, content: OutboxContent, tx: Writer): Promise<void> {
    const { table, clock } = this.#parts;
    await table.insert(tx, { id: clock.uuid(), kind, content: writeJson({ ...content }), due: clock.now().getTime(), tries: 0 });
  }

  start(): void {
    // A changed model is started again; the timer stays the same.
    this.#timer ??= setInterval(() => this.wake(), interval).unref();
    this.wake();
  }

  /** Something was added, and committed. */
  wake(): void {
    if (this.#isClosed) return;
    if (this.#running !== undefined) {
      this.#isAwaited = true;
      return;
    }
    this.#running = this.#drain().finally(() => {
      this.#running = undefined;
      if (!this.#isAwaited) return;
      this.#isAwaited = false;
      this.wake();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #drain(): Promise<void> {
    const { store, table, clock, failed } = this.#parts;
    try {
      for (;;) {
        const due = await store.read((tx) => table.upTo(tx, 'due', clock.now().getTime(), atOnce));
        if (due.length === 0 || this.#isClosed) return;
        for (const each of due.toSorted(inTurn)) await this.#attempt(each);
      }
    } catch (thrown) {
      failed(thrown, 'looking into the outbox');
    }
  }

  async #attempt(row: Columns): Promise<void> {
    const { store, table, clock, work, failed } = this.#parts;
    const [id, kind, tries] = [row['id'] ?? null, String(row['kind']), Number(row['tries'])];
    const until = clock.now().getTime() + lease;
    const isTaken = await store.write((tx) => table.update(tx, { id, due: row['due'] ?? null }, { due: until, tries: tries + 1 }));
    if (isTaken === 0) return;
    try {
      const content = parseJson(String(row['content']), limits);
      const done = async (tx: Writer): Promise<void> => void (await table.remove(tx, { id }));
      const known = work.get(kind);
      // Another version of the service may know it, and comes to it before it is given up.
      if (known === undefined) throw new Error(`nobody here does ${kind}`);
      await known(isObject(content) ? content : {}, done);
      await store.write(done);
    } catch (thrown) {
      failed(thrown, `${kind} of the outbox`);
      const pause = pauses[tries];
      if (pause === undefined) await store.write((tx) => table.remove(tx, { id }));
      else await store.write((tx) => table.update(tx, { id }, { due: clock.now().getTime() + pause }));
    }
  }
}

/** What came first goes first, also within a millisecond: of two mails with codes the later one counts. */
function inTurn(one: Columns, other: Columns): number {
  return Number(one['due']) - Number(other['due']) || (String(one['id']) < String(other['id']) ? -1 : 1);
}
