// Which connections are lent to whom, and whether one more may be: no kind of work and no address takes all of them from the others.

import type { Asks } from '../../store.ts';

/** What a connection is lent for. */
export interface Loan {
  /** All that the model's logic does, which may take seconds. */
  readonly takesLong: boolean;
  /** Absent where the service asks by itself, as is the address. */
  readonly asks: Asks | undefined;
  readonly address: string | undefined;
}

/** Milliseconds for which whoever asks for little, and was just served, is taken to ask again: what would begin meanwhile, they would wait for. */
const nextSoon = 50;
/** Seconds for which callers of another address are expected again. */
const othersExpected = 300;
/** Of fewer connections than these, none is kept free for another address. */
const fewestWithReserve = 3;

export class ConnectionShares {
  readonly #size: number;
  /** A third of the connections is left to what takes short, and to those who ask for little. */
  readonly #twoThirds: number;
  /** While one of those is served or was a moment ago, the others have this third: the server's processors are shared by all that it works on. */
  readonly #third: number;
  readonly #lent: Loan[] = [];
  #long = 0;
  #little = 0;
  #much = 0;
  /** Until when somebody who asks for little is expected; and the timer for that, where others wait for it. */
  #littleUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #changed: () => void;
  #lastAddress: string | undefined;
  /** Since two addresses asked one after the other. */
  #secondsOfOne = othersExpected;

  /** `changed` is called when something may be lent that could not be before, although nothing was given back. */
  constructor(size: number, changed: () => void) {
    this.#size = size;
    this.#changed = changed;
    this.#twoThirds = size - Math.floor(size / 3);
    this.#third = Math.max(1, Math.floor(size / 3));
  }

  lend(loan: Loan): void {
    this.#lent.push(loan);
    this.#count(loan, 1);
  }

  giveBack(loan: Loan): void {
    const last = this.#lent.pop();
    const at = last === loan ? -1 : this.#lent.indexOf(loan);
    if (at !== -1 && last !== undefined) this.#lent[at] = last;
    this.#count(loan, -1);
    if (loan.asks === 'little' && !loan.takesLong) this.#littleUntil = performance.now() + nextSoon;
  }

  lentTo(address: string | undefined): number {
    let count = 0;
    for (const each of this.#lent) if (each.address === address) count += 1;
    return count;
  }

  /** Somebody asks for a connection. */
  note(address: string | undefined): void {
    if (address === undefined || address === this.#lastAddress) return;
    if (this.#lastAddress !== undefined) this.#secondsOfOne = 0;
    this.#lastAddress = address;
  }

  allows(loan: Loan): boolean {
    if (loan.takesLong && !this.#hasRoom(this.#long, this.#twoThirds, loan)) return false;
    if (loan.asks === 'much' && !this.#allowsMuch(loan)) return false;
    return this.#hasRoom(this.#lent.length, this.#size, loan);
  }

  /** To be called once a second. */
  tick(): void {
    if (this.#secondsOfOne === othersExpected) return;
    this.#secondsOfOne += 1;
    if (this.#secondsOfOne === othersExpected) this.#changed();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #count({ takesLong, asks }: Loan, by: 1 | -1): void {
    if (takesLong) this.#long += by;
    if (asks === 'much') this.#much += by;
    else if (asks === 'little' && !takesLong) this.#little += by;
  }

  /** An address that has none does not wait for what another one began while nobody asked for little. */
  #allowsMuch(loan: Loan): boolean {
    if (!this.#hasRoom(this.#much, this.#twoThirds, loan)) return false;
    return this.#much < this.#third || this.lentTo(loan.address) === 0 || !this.#isLittleExpected();
  }

  /**
   * Where callers of several addresses are there, the last connection of a share is for an address that has none: a statement may take many
   * seconds, and who comes next would wait for one of another address to end.
   */
  #hasRoom(lent: number, share: number, { address }: Loan): boolean {
    if (lent >= share) return false;
    const isFree = lent + 1 < share || share < fewestWithReserve || this.#secondsOfOne === othersExpected;
    return isFree || address === undefined || this.lentTo(address) === 0;
  }

  #isLittleExpected(): boolean {
    if (this.#little > 0) return true;
    const left = this.#littleUntil - performance.now();
    if (left <= 0) return false;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#changed();
    }, left + 1).unref();
    return true;
  }
}
