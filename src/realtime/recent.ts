// The changes that were told last: whoever comes back soon is told of them without the log being read again.

import { type Change, isBefore, type Place } from '../store/changes/change.ts';

/** Changes that are kept, and characters of them. */
export const mostChanges = 5000;
export const mostText = 4 * 1024 * 1024;

export class RecentChanges {
  readonly #changes: Change[] = [];
  #text = 0;
  /** All changes between these are kept, and no other ones. */
  #start: Place;
  #end: Place;

  constructor(place: Place) {
    this.#start = place;
    this.#end = place;
  }

  /** The last of them, or where the first one will be. */
  get end(): Place {
    return this.#end;
  }

  /** All that are behind the ones before, up to the last of these. */
  add(changes: readonly Change[]): void {
    for (const each of changes) this.#text += textIn(each);
    this.#changes.push(...changes);
    this.#end = changes.at(-1)?.place ?? this.#end;
    let left = 0;
    for (const each of this.#changes) {
      if (this.#changes.length - left <= mostChanges && this.#text <= mostText) break;
      this.#text -= textIn(each);
      this.#start = each.place;
      left += 1;
    }
    this.#changes.splice(0, left);
  }

  /** Those behind a place; nothing where some of them are not kept, or it lies behind all of them. */
  after(place: Place): readonly Change[] | undefined {
    if (isBefore(place, this.#start) || isBefore(this.#end, place)) return undefined;
    let [from, to] = [0, this.#changes.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const each = this.#changes[middle];
      if (each !== undefined && isBefore(place, each.place)) to = middle;
      else from = middle + 1;
    }
    return this.#changes.slice(from);
  }
}

export function textIn({ before, after }: Change): number {
  return (before?.length ?? 0) + (after?.length ?? 0);
}
