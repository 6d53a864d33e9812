// How large the rows of a type are as JSON, as far as lists have shown it: a part of a list has as many rows as are about as large as a part should be.

import type { Select } from '../query/shape.ts';

/** Of so many rows the latest count as much as all before them. */
const remembered = 4096;

export class RowSizes {
  readonly #bySelect = new WeakMap<Select, number>();
  #rows = 0;
  #characters = 0;

  /** Characters of a row on average when this was last read; absent where it never was. */
  of(select: Select): number | undefined {
    return this.#bySelect.get(select);
  }

  /** The same for all that was read; absent where nothing was. */
  get average(): number | undefined {
    return this.#rows === 0 ? undefined : this.#characters / this.#rows;
  }

  set(select: Select, size: number): void {
    this.#bySelect.set(select, size);
  }

  /** To be told of rows that include no others. */
  add(rows: number, characters: number): void {
    this.#rows += rows;
    this.#characters += characters;
    if (this.#rows <= remembered) return;
    this.#characters *= remembered / 2 / this.#rows;
    this.#rows = remembered / 2;
  }
}
