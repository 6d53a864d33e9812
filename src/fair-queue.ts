// Jobs that wait for a place to run, served in turn by the client that they are for, so that one who asks for much does not keep others waiting.

export interface QueueLimits {
  /** Jobs that run at once. */
  readonly places: number;
  /** Further ones, each for a client of whom nothing runs. */
  readonly reserved: number;
  /** Jobs that wait, and those of one client among them. */
  readonly waiting: number;
  readonly waitingOfOne: number;
}

interface Client<J> {
  readonly waiting: J[];
  running: number;
}

export class FairQueue<J extends { readonly client: string }> {
  readonly #limits: QueueLimits;
  /** In the order of their turns. */
  readonly #clients = new Map<string, Client<J>>();
  #waiting = 0;
  #running = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** The job for which there is no room: this one, or the last of the client who has most of them waiting. */
  add(job: J): J | undefined {
    const own = this.#of(job.client);
    if (own.waiting.length >= this.#limits.waitingOfOne) return job;
    const displaced = this.#waiting < this.#limits.waiting ? undefined : this.#displaced(own);
    if (this.#waiting >= this.#limits.waiting) return this.#forget(job);
    own.waiting.push(job);
    this.#waiting += 1;
    return displaced;
  }

  /** The next one that may run, which from now on does. */
  next(): J | undefined {
    const { places, reserved } = this.#limits;
    if (this.#waiting === 0 || this.#running >= places + reserved) return undefined;
    const isReserved = this.#running >= places;
    for (const [name, client] of this.#clients) {
      if (isReserved && client.running > 0) continue;
      const job = client.waiting.shift();
      if (job === undefined) continue;
      this.#clients.delete(name);
      this.#clients.set(name, client);
      client.running += 1;
      this.#running += 1;
      this.#waiting -= 1;
      return job;
    }
    return undefined;
  }

  /** It does not run any more. */
  done(job: J): void {
    this.#of(job.client).running -= 1;
    this.#running -= 1;
    this.#forget(job);
  }

  /** Whether it had waited until now. */
  remove(job: J): boolean {
    const { waiting } = this.#of(job.client);
    const index = waiting.indexOf(job);
    if (index !== -1) {
      waiting.splice(index, 1);
      this.#waiting -= 1;
    }
    this.#forget(job);
    return index !== -1;
  }

  /** Everything that waits, and does so no more. */
  clear(): readonly J[] {
    const jobs = [...this.#clients.values()].flatMap(({ waiting }) => waiting.splice(0));
    this.#waiting = 0;
    return jobs;
  }

  #of(name: string): Client<J> {
    const known = this.#clients.get(name);
    if (known !== undefined) return known;
    const client: Client<J> = { waiting: [], running: 0 };
    this.#clients.set(name, client);
    return client;
  }

  #displaced(own: Client<J>): J | undefined {
    let most = own;
    for (const each of this.#clients.values()) if (each.waiting.length > most.waiting.length + (most === own ? 1 : 0)) most = each;
    if (most === own) return undefined;
    this.#waiting -= 1;
    return most.waiting.pop();
  }

  /** Of a client without any job nothing is known. */
  #forget(job: J): J {
    const client = this.#clients.get(job.client);
    if (client !== undefined && client.running === 0 && client.waiting.length === 0) this.#clients.delete(job.client);
    return job;
  }
}
