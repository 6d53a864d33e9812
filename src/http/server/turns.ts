// Turns of requests on the main thread: where those of one round of the event loop have taken their time, the others wait for the next round.

/**
 * Milliseconds for which requests are worked on before sockets, timers and threads are looked at again. Who comes first has time of their own, so that
 * they wait for no further round because others have worked in this one.
 */
const turn = { first: 2, others: 1 };
/** So many of those that wait may begin in one round: each by itself, so that what it leaves to promises is done before the next one begins. */
const together = 16;
/** Of so many that begin while others come first, one is of those that do not. */
const share = 8;
/** The event loop takes one new connection in each round: while they come, so many rounds go by without work for those who do not come first. */
const mostHeldBack = 32;

export class Turns {
  readonly #first = new ClientQueue();
  readonly #others = new ClientQueue();
  #isRound = false;
  /** Ends of the turns that have begun in this round. */
  #firstUntil: number | undefined;
  #othersUntil: number | undefined;
  #armed = 0;
  #begun = 0;
  #arrivals = 0;
  #knownArrivals = 0;
  #heldBack = 0;
  /** Milliseconds. */
  readonly #now: () => number;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** A connection has come; behind it there may be others, of whom nobody knows whether they ask for much. */
  arrived(): void {
    this.#arrivals += 1;
  }

  /** Whether work may begin at once: there is time left, and nobody waits who has the turn before it. */
  isOpen(comesFirst: boolean): boolean {
    if (this.#first.isWaiting || (!comesFirst && this.#others.isWaiting)) return false;
    this.#beginRound();
    return this.#hasTime(comesFirst, this.#now());
  }

  /** Begins `work` in a later turn. Clients have theirs one after the other, however much each of them asks for. */
  wait(comesFirst: boolean, client: string, work: () => void): void {
    (comesFirst ? this.#first : this.#others).push(client, work);
    this.#arm();
  }

  #beginRound(): void {
    if (this.#isRound) return;
    this.#isRound = true;
    this.#heldBack = this.#arrivals === this.#knownArrivals || this.#heldBack === mostHeldBack ? 0 : this.#heldBack + 1;
    this.#knownArrivals = this.#arrivals;
    setImmediate(this.#endRound);
  }

  readonly #endRound = (): void => {
    this.#isRound = false;
    this.#firstUntil = undefined;
    this.#othersUntil = undefined;
  };

  /** A turn begins with the first who has it. */
  #hasTime(comesFirst: boolean, now: number): boolean {
    if (comesFirst) this.#firstUntil ??= now + turn.first;
    else this.#othersUntil ??= now + turn.others;
    return now < ((comesFirst ? this.#firstUntil : this.#othersUntil) ?? now);
  }

  #arm(): void {
    if (this.#armed >= Math.min(together, this.#first.size + this.#others.size)) return;
    this.#armed += 1;
    setImmediate(this.#beginNext);
  }

  readonly #beginNext = (): void => {
    this.#armed -= 1;
    const work = this.#next();
    this.#arm();
    work?.();
  };

  #next(): (() => void) | undefined {
    this.#beginRound();
    const now = this.#now();
    const isFirst = this.#first.isWaiting && this.#hasTime(true, now);
    const isOther = this.#heldBack === 0 && this.#others.isWaiting && this.#hasTime(false, now);
    if (!isFirst && !isOther) return undefined;
    this.#begun += 1;
    return isOther && (!isFirst || this.#begun % share === 0) ? this.#others.shift() : this.#first.shift();
  }
}

/** What waits, by clients in the order of their turns. */
class ClientQueue {
  readonly #clients = new Map<string, (() => void)[]>();
  size = 0;

  get isWaiting(): boolean {
    return this.size > 0;
  }

  push(client: string, work: () => void): void {
    const waiting = this.#clients.get(client);
    if (waiting === undefined) this.#clients.set(client, [work]);
    else waiting.push(work);
    this.size += 1;
  }

  shift(): (() => void) | undefined {
    for (const [client, waiting] of this.#clients) {
      const work = waiting.shift();
      this.#clients.delete(client);
      if (waiting.length > 0) this.#clients.set(client, waiting);
      if (work !== undefined) this.size -= 1;
      return work;
    }
    return undefined;
  }
}
