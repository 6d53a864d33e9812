// What the service counts of agents: runs by what came of them, calls of language models, tokens, cost, and calls of tools that were refused.

import { addedCost, type Cost, type Tokens } from './cost.ts';

export interface AgentFigures {
  readonly runs: readonly { readonly agent: string; readonly status: string; readonly count: number }[];
  readonly models: readonly ModelFigures[];
  readonly refused: readonly { readonly tool: string; readonly count: number }[];
}

export interface ModelFigures extends Tokens {
  readonly model: string;
  readonly answered: number;
  readonly failed: number;
  /** Of the calls whose price is known, as the text of a decimal. */
  readonly cost: string;
}

type Counted = { -readonly [K in keyof ModelFigures]: ModelFigures[K] };

export class Figures {
  readonly #runs = new Map<string, { readonly agent: string; readonly status: string; count: number }>();
  readonly #models = new Map<string, Counted>();
  readonly #refused = new Map<string, number>();

  ended(agent: string, status: string): void {
    const key = `${agent} ${status}`;
    const known = this.#runs.get(key);
    if (known === undefined) this.#runs.set(key, { agent, status, count: 1 });
    else known.count += 1;
  }

  answered(model: string, { inputTokens, outputTokens }: Tokens, cost: Cost): void {
    const counted = this.#of(model);
    counted.answered += 1;
    counted.inputTokens += inputTokens;
    counted.outputTokens += outputTokens;
    counted.cost = addedCost(counted.cost, cost) ?? counted.cost;
  }

  failed(model: string): void {
    this.#of(model).failed += 1;
  }

  /** Only tools that there are: a model may make up names without end. */
  refused(tool: string): void {
    this.#refused.set(tool, (this.#refused.get(tool) ?? 0) + 1);
  }

  get all(): AgentFigures {
    return {
      runs: [...this.#runs.values()],
      models: [...this.#models.values()],
      refused: [...this.#refused].map(([tool, count]) => ({ tool, count })),
    };
  }

  #of(model: string): Counted {
    const known = this.#models.get(model) ?? { model, answered: 0, failed: 0, inputTokens: 0, outputTokens: 0, cost: '0' };
    this.#models.set(model, known);
    return known;
  }
}
