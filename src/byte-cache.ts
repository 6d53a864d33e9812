// Caches that are bounded by the bytes of what they keep: what was not used since it was last looked at goes first (the CLOCK algorithm).

/** What is kept; `value` is absent once it had to go. Whoever holds on to this instead of its key says by `isUsed` that the value was used. */
export interface CacheEntry<V> {
  value: V | undefined;
  isUsed: boolean;
}

interface Entry {
  readonly bytes: number;
  isUsed: boolean;
  drop(): void;
}

/** The bytes that several caches may keep together. */
export class CacheBound {
  readonly most: number;
  /** In the order in which they are looked at. */
  readonly #entries = new Set<Entry>();
  #bytes = 0;

  constructor(most: number) {
    this.most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Makes room first. One that is larger than everything together is kept alone. */
  add(entry: Entry): void {
    for (const each of this.#entries) {
      if (this.#bytes + entry.bytes <= this.most) break;
      this.#entries.delete(each);
      if (each.isUsed) {
        each.isUsed = false;
        this.#entries.add(each);
      } else {
        this.#bytes -= each.bytes;
        each.drop();
      }
    }
    this.#entries.add(entry);
    this.#bytes += entry.bytes;
  }

  /** Of what is dropped by its cache. */
  remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#bytes -= entry.bytes;
  }
}

export class ByteCache<K, V> {
  readonly #bound: CacheBound;
  readonly #dropped: (value: V) => void;
  readonly #kept = new Map<K, CacheEntry<V> & Entry>();

  /** `dropped` is called for each that goes, before the one comes that it goes for. */
  constructor(bound: CacheBound, dropped: (value: V) => void = () => {}) {
    this.#bound = bound;
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#kept.size;
  }

  get(key: K): V | undefined {
    return this.find(key)?.value;
  }

  /** What is kept for a key, which counts as used. */
  find(key: K): CacheEntry<V> | undefined {
    const kept = this.#kept.get(key);
    if (kept !== undefined) kept.isUsed = true;
    return kept;
  }

  set(key: K, value: V, bytes: number): CacheEntry<V> {
    this.remove(key);
    const kept: CacheEntry<V> & Entry = { value, isUsed: false, bytes, drop: () => this.#drop(key, kept) };
    this.#bound.add(kept);
    this.#kept.set(key, kept);
    return kept;
  }

  clear(): void {
    for (const key of this.#kept.keys()) this.remove(key);
  }

  /** As if it had to go. */
  remove(key: K): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#bound.remove(kept);
    kept.drop();
  }

  #drop(key: K, kept: CacheEntry<V>): void {
    const { value } = kept;
    kept.value = undefined;
    this.#kept.delete(key);
    if (value !== undefined) this.#dropped(value);
  }
}
