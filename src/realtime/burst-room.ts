// Room for what one batch of changes brings at once, which comes faster than anybody reads: bounded for each stream, for each client, and for all of them together.

/** Bytes of one stream, of those of one client, and of all. */
const mostOfStream = 4 * 1024 * 1024;
const mostOfClient = 16 * 1024 * 1024;
const mostOfAll = 32 * 1024 * 1024;

export class BurstRoom {
  readonly #byClient = new Map<string, number>();
  #held = 0;

  /** For more of a stream that holds so much already; nothing is taken where there is no room. */
  take(client: string, bytes: number, held: number): boolean {
    const ofClient = (this.#byClient.get(client) ?? 0) + bytes;
    if (held + bytes > mostOfStream || ofClient > mostOfClient || this.#held + bytes > mostOfAll) return false;
    this.#byClient.set(client, ofClient);
    this.#held += bytes;
    return true;
  }

  give(client: string, bytes: number): void {
    const left = (this.#byClient.get(client) ?? 0) - bytes;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
    this.#held -= bytes;
  }
}
