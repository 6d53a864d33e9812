// Those who wait for a connection, by address: addresses have their turns, and within one those who ask for little come first.

import type { Awaitable } from '../../store.ts';
import type { PostgresSession } from '../session.ts';
import type { Loan } from './shares.ts';

export interface Waiting {
  readonly loan: Loan;
  resolve(session: Awaitable<PostgresSession>): void;
  reject(thrown: unknown): void;
  timer: NodeJS.Timeout;
}

interface Line {
  /** In the order in which they came. */
  readonly waiting: Waiting[];
  served: number;
}

/** Of so many that were served of one address, one is whoever has waited longest, whatever they ask for. */
const oldestEvery = 8;

export class WaitingQueue {
  /** By address, in the order of their turns; those of the service itself have turns as an address has. */
  readonly #lines = new Map<string | undefined, Line>();

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  add(waiting: Waiting): void {
    const line = this.#lines.get(waiting.loan.address);
    if (line === undefined) this.#lines.set(waiting.loan.address, { waiting: [waiting], served: 0 });
    else line.waiting.push(waiting);
  }

  remove(waiting: Waiting): void {
    const { address } = waiting.loan;
    const line = this.#lines.get(address);
    const at = line?.waiting.indexOf(waiting) ?? -1;
    if (line === undefined || at === -1) return;
    line.waiting.splice(at, 1);
    if (line.waiting.length === 0) this.#lines.delete(address);
  }

  /** Of the addresses of which somebody may be served, the one that has fewest connections; of several such, whose turn it is. */
  next(allows: (loan: Loan) => boolean, lentTo: (address: string | undefined) => number): Waiting | undefined {
    let chosen: Waiting | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    const isOne = this.#lines.size === 1;
    for (const [address, line] of this.#lines) {
      const lent = isOne ? 0 : lentTo(address);
      const first = lent < fewest ? firstIn(line, allows) : undefined;
      if (first === undefined) continue;
      chosen = first;
      fewest = lent;
      if (lent === 0) break;
    }
    if (chosen !== undefined) this.#endTurn(chosen);
    return chosen;
  }

  /** Everybody, who from now on does not wait any more. */
  clear(): readonly Waiting[] {
    const all = [...this.#lines.values()].flatMap(({ waiting }) => waiting);
    this.#lines.clear();
    return all;
  }

  #endTurn(served: Waiting): void {
    const { address } = served.loan;
    this.remove(served);
    const line = this.#lines.get(address);
    if (line === undefined) return;
    line.served += 1;
    if (this.#lines.size === 1) return;
    this.#lines.delete(address);
    this.#lines.set(address, line);
  }
}

function firstIn({ waiting, served }: Line, allows: (loan: Loan) => boolean): Waiting | undefined {
  const isOldest = (served + 1) % oldestEvery === 0;
  const little = isOldest ? undefined : waiting.find(({ loan }) => loan.asks === 'little' && allows(loan));
  return little ?? waiting.find(({ loan }) => allows(loan));
}
