// Tokens that users have used today, by the days of UTC. Kept in the store, so that all instances count together.

import type { Clock } from '../../clock.ts';
import type { WriteContext } from '../../engine/operation.ts';
import { OwnTable } from '../../engine/own-table.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Reader } from '../../store/store.ts';

export class DailyTokens {
  readonly #spent: OwnTable;

  constructor({ agents }: Plan) {
    if (agents === undefined) throw new Error('the model was linked without runs of agents');
    this.#spent = new OwnTable(agents.spent);
  }

  async of(user: string, clock: Clock, tx: Reader): Promise<number> {
    const row = await this.#spent.find(tx, { user, day: dayOf(clock) });
    return Number(row?.['tokens'] ?? 0);
  }

  /** Days that are over are not kept. */
  async add(user: string, tokens: number, { tx, clock }: WriteContext): Promise<void> {
    const day = dayOf(clock);
    const row = await this.#spent.find(tx, { user, day }, 'lock');
    if (row !== undefined) {
      await this.#spent.update(tx, { user, day }, { tokens: Number(row['tokens']) + tokens });
      return;
    }
    await this.#spent.remove(tx, { user });
    await this.#spent.insert(tx, { user, day, tokens });
  }
}

function dayOf(clock: Clock): string {
  return clock.now().toISOString().slice(0, 10);
}
