// Reads all entries once, in the order of their identifiers, and hashes each: as far as what names them asks for.

import type { Reader } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import { entryColumns, hashedText, onlyVersion } from './entry.ts';
import type { Signer } from './hash-chain.ts';
import type { Trail } from './trail.ts';

/** Characters that are in memory at once, as far as the entries before foretell it, and entries of one statement. */
const most = { characters: 4_000_000, rows: 1000 } as const;
/** Nothing is known of the first ones. */
const first = 10;

export class EntryScan {
  readonly #trail: Trail;
  readonly #signer: Signer;
  readonly #reader: Reader;
  /** Entries that were read, and that nothing has named yet, in their order, from `#next` on; the hash is absent where no entry that was written is like that. */
  #ahead: (readonly [id: string, hash: string | undefined])[] = [];
  #next = 0;
  /** The same of those that were not named in their turn. */
  readonly #unnamed = new Map<string, string | undefined>();
  #last: string | undefined;
  #limit = first;
  #isAtEnd = false;

  constructor(trail: Trail, signer: Signer, reader: Reader) {
    this.#trail = trail;
    this.#signer = signer;
    this.#reader = reader;
  }

  /** All entries up to this identifier; without it, all there are. They are hashed with the key at this place. */
  async readTo(id: string | undefined, key: number): Promise<void> {
    while (!this.#isAtEnd && (id === undefined || this.#last === undefined || this.#last < id)) await this.#readPage(key);
  }

  /** Whether the entry whose turn it is has this identifier and this hash: nearly all are named in the order in which they were written. */
  isNext(id: string, hash: string): boolean {
    const entry = this.#ahead[this.#next];
    if (entry === undefined || entry[0] !== id || entry[1] !== hash) return false;
    this.#next += 1;
    return true;
  }

  /** The hash of an entry that was read and is named for the first time; nothing where there is none. */
  take(id: string): { readonly hash: string | undefined } | undefined {
    this.#passAll();
    const hash = this.#unnamed.get(id);
    if (hash === undefined && !this.#unnamed.has(id)) return undefined;
    this.#unnamed.delete(id);
    return { hash };
  }

  /** What nothing has named. */
  left(): Iterable<string> {
    this.#passAll();
    return this.#unnamed.keys();
  }

  #passAll(): void {
    for (const [id, hash] of this.#ahead.slice(this.#next)) this.#unnamed.set(id, hash);
    this.#ahead = [];
    this.#next = 0;
  }

  async #readPage(key: number): Promise<void> {
    // What was named is let go.
    this.#ahead = this.#ahead.slice(this.#next);
    this.#next = 0;
    const rows = await this.#trail.entriesAfter(this.#reader, this.#last, this.#limit);
    let characters = 0;
    for (const columns of rows) {
      const text = hashedText(columns);
      characters += text.length;
      this.#ahead.push([idOf(columns), isAsWritten(columns) ? this.#signer.hash(text, key) : undefined]);
    }
    this.#isAtEnd = rows.length < this.#limit;
    const end = rows.at(-1);
    if (end === undefined) return;
    this.#last = idOf(end);
    this.#limit = Math.max(1, Math.min(most.rows, Math.floor(most.characters / (characters / rows.length))));
  }
}

/** Entries are written once. */
export function isAsWritten(columns: readonly Value[]): boolean {
  return Number(columns[entryColumns.length]) === onlyVersion;
}

function idOf([id = null]: readonly Value[]): string {
  return String(id);
}
