// Room for what one batch of changes brings at once, which comes faster than anybody reads: bounded for each stream, and for all of them together.

/** Bytes of one stream, and of all. */
const mostOfOne = 4 * 1024 * 1024;
const mostOfAll = 32 * 1024 * 1024;

export class BurstRoom {
  #held = 0;

  /** For more of a stream that holds so much already; nothing is taken where there is no room. */
  take(bytes: number, held: number): boolean {
    if (held + bytes > mostOfOne || this.#held + bytes > mostOfAll) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}
