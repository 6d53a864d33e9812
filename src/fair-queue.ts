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

  /** Whether a job of this client would run at once: those that wait are others, for whom the place is not. */
  isOpen(client: string): boolean {
    const own = this.#clients.get(client);
    return this.#hasPlace(own?.running ?? 0) && (own?.waiting.length ?? 0) === 0;
  }

  /** Whether a job runs at once; then it has a place until it is done. */
  begin(job: { readonly client: string }): boolean {
    if (!this.isOpen(job.client)) return false;
    this.#run(job.client, this.#of(job.client));
    return true;
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
    if (this.#waiting === 0) return undefined;
    for (const [name, client] of this.#clients) {
      if (!this.#hasPlace(client.running)) continue;
      const job = client.waiting.shift();
      if (job === undefined) continue;
      this.#run(name, client);
      this.#waiting -= 1;
      return job;
    }
    return undefined;
  }

  /** For a client of whom so many run. */
  #hasPlace(running: number): boolean {
    const { places, reserved } = this.#limits;
    return this.#running < places || (running === 0 && this.#running < places + reserved);
  }

  /** Its next turn is behind those of all others. */
  #run(name: string, client: Client<J>): void {
    this.#clients.delete(name);
    this.#clients.set(name, client);
    client.running += 1;
    this.#running += 1;
  }

  /** It does not run any more. */
  done(job: { readonly client: string }): void {
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
  #forget<K extends { readonly client: string }>(job: K): K {
    const client = this.#clients.get(job.client);
    if (client !== undefined && client.running === 0 && client.waiting.length === 0) this.#clients.delete(job.client);
    return job;
  }
}

interface Waiting {
  readonly client: string;
  begin(): void;
}

/** Work of which only so much is done at once, of each client in turn; however much of it waits. */
export class FairSemaphore {
  readonly #queue: FairQueue<Waiting>;

  constructor(places: number) {
    this.#queue = new FairQueue({ places, reserved: 0, waiting: Number.POSITIVE_INFINITY, waitingOfOne: Number.POSITIVE_INFINITY });
  }

  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    const job = { client };
    if (!this.#queue.begin(job)) await new Promise<void>((resolve) => this.#queue.add({ client, begin: resolve }));
    try {
      return await work();
    } finally {
      this.#queue.done(job);
      this.#queue.next()?.begin();
    }
  }
}
