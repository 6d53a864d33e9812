// Hears what other processes tell through the server, on a connection of its own; where it cannot listen, it asks every few seconds.

import type { Fields } from './exchange.ts';
import type { PostgresSession } from './session.ts';

/** All topics travel on one channel; what is told is the name of the topic. */
export const channel = 'platform';

/** `schema`: the tables are those of another model now. */
export type Topic = 'schema';
const topics: readonly Topic[] = ['schema'];

/** Runs one statement on a connection that is good at the moment. */
export type Ask = (sql: string, values?: readonly string[]) => Promise<readonly Fields[]>;

export interface ListenerOptions {
  /** Whether a connection is kept that listens; where not, everything is only asked for. */
  readonly listen: boolean;
  connect(): Promise<PostgresSession>;
  /** Asks beside the listener's own connection, for as long as it has none. */
  readonly ask: Ask;
  /** Something was told about it, or may have been while nobody listened. */
  heard(topic: Topic, ask: Ask): Promise<void>;
}

const second = 1000;
/** Seconds from one look to the next: with a connection that listens it only shows that the connection is good. */
const pauses = { listening: 5, asking: 2 } as const;
/** Seconds after which a connection that does not answer is given up. */
const patience = 10;
/** Seconds until a server that does not let anybody listen is asked again. */
const refusal = 60;

export class PostgresListener {
  readonly #options: ListenerOptions;
  readonly #timer: NodeJS.Timeout;
  #session: PostgresSession | undefined;
  /** Seconds until it is tried again after the server said that it cannot be listened to. */
  #refusedFor = 0;
  #isBusy = false;
  #isClosed = false;
  /** Seconds since the last look. */
  #age = 0;

  /** The first look is a second later: whoever is opened for a moment needs none. */
  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), second).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#session?.end();
  }

  #tick(): void {
    this.#age += 1;
    if (this.#isBusy) {
      if (this.#age > patience) this.#session?.destroy();
      return;
    }
    this.#refusedFor = Math.max(0, this.#refusedFor - 1);
    const wants = this.#options.listen && this.#refusedFor === 0 && (this.#session === undefined || this.#session.isLost);
    const pause = this.#session === undefined ? pauses.asking : pauses.listening;
    if (wants || this.#age >= pause) void this.#look(wants);
  }

  async #look(connects: boolean): Promise<void> {
    this.#isBusy = true;
    this.#age = 0;
    try {
      if (connects) await this.#connect().catch(() => this.#giveUp());
      for (const topic of topics) await this.#options.heard(topic, this.#ask());
    } catch {
      // A server that is away is told to whoever asks for data; the next look finds it back.
      this.#giveUp();
    } finally {
      this.#isBusy = false;
    }
  }

  async #connect(): Promise<void> {
    this.#session = undefined;
    const session = await this.#options.connect();
    if (this.#isClosed) return session.end();
    session.onNotification((told) => this.#hear(told));
    this.#session = session;
    try {
      await session.run([{ sql: `LISTEN ${channel}`, name: '', values: [] }]);
    } catch {
      // A standby, or a server of another kind: the connection is good, and there is nothing to hear on it.
      this.#session = undefined;
      this.#refusedFor = refusal;
      await session.end();
    }
  }

  #giveUp(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #hear(told: string): void {
    const topic = topics.find((each) => each === told);
    if (topic === undefined || this.#isClosed) return;
    this.#options.heard(topic, this.#ask()).catch(() => this.#giveUp());
  }

  #ask(): Ask {
    const session = this.#session;
    if (session === undefined) return this.#options.ask;
    return async (sql, values = []) => (await session.run([{ sql, name: '', values: [...values] }])).rows;
  }
}
