// What was said before in a conversation: kept only where a message names one, and found only by the user and for the agent that it was with.

import type { WriteContext } from '../../engine/operation.ts';
import { OwnTable } from '../../engine/own-table.ts';
import type { TypeName } from '../../model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Reader } from '../../store/store.ts';

export interface Turn {
  readonly message: string;
  readonly reply: string;
}

/** What a model is reminded of, the newest first to count: so many turns, of so many characters in all, which are about 16,000 tokens. */
const most = { turns: 20, characters: 64_000 } as const;

export class Conversation {
  readonly #turns: OwnTable;
  readonly #by: { readonly owner: string; readonly conversation: string };

  /** Whoever is not known shares the conversations of all who are not. */
  constructor({ agents }: Plan, agent: TypeName, user: string | undefined, id: string) {
    if (agents === undefined) throw new Error('the model was linked without runs of agents');
    this.#turns = new OwnTable(agents.turns);
    this.#by = { owner: user ?? '', conversation: `${agent} ${id}` };
  }

  /** The oldest first. */
  async turns(tx: Reader): Promise<readonly Turn[]> {
    const newest = await this.#turns.last(tx, this.#by, 'at', most.turns);
    const turns: Turn[] = [];
    let room: number = most.characters;
    for (const { message, reply } of newest) {
      const turn = { message: String(message), reply: String(reply) };
      room -= turn.message.length + turn.reply.length;
      if (room < 0) break;
      turns.unshift(turn);
    }
    return turns;
  }

  /** What nobody is reminded of any more is not kept. */
  async add(turn: Turn, { tx, clock }: WriteContext): Promise<void> {
    const before = await this.#turns.last(tx, this.#by, 'at', most.turns);
    const [newest, oldest] = [before[0], before[most.turns - 1]];
    const at = Math.max(clock.now().getTime(), Number(newest?.['at'] ?? 0) + 1);
    await this.#turns.insert(tx, { ...this.#by, at, ...turn });
    if (oldest !== undefined) await this.#turns.remove(tx, { ...this.#by, at: oldest['at'] ?? null });
  }
}
