// What is kept of runs: Run, Step and ToolCall, which everybody may read who may, and the service's own rows beside them, from which a run goes on.

import { system } from '../engine/caller.ts';
import type { Address, Collection, WriteContext } from '../engine/operation.ts';
import { OwnTable } from '../engine/own-table.ts';
import { openGuard } from '../engine/seams.ts';
import { perform } from '../engine/system-work.ts';
import type { TypeName } from '../model/model.ts';
import type { EntityPlan, Plan } from '../plan/plan.ts';
import { writeJson } from '../values/json/json.ts';
import type { Value, Values } from '../values/value.ts';
import type { ModelReply } from './language-model.ts';

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';

export interface NewRun {
  readonly id: string;
  readonly agent: TypeName;
  readonly kind: 'agent' | 'flow';
  readonly status: RunStatus;
  readonly user: string | undefined;
  readonly message: string;
  /** What it was given, as JSON: a run that goes on elsewhere begins with it. */
  readonly input: string;
}

export interface NewStep {
  readonly no: number;
  readonly name: string;
  readonly kind: 'agent' | 'flow' | 'workflow' | 'decision';
  readonly input: string;
}

/** What is known of a run or a step when it ends, or changes. */
export type Changes = Values;

export class Runs {
  readonly #run: EntityPlan;
  readonly #step: EntityPlan;
  readonly #call: EntityPlan;
  readonly #state: OwnTable;
  readonly #replies: OwnTable;

  constructor({ entities, agents }: Plan) {
    const [run, step, call] = ['Run', 'Step', 'ToolCall'].map((name) => entities.get(`platform.ai/${name}`));
    if (run === undefined || step === undefined || call === undefined || agents === undefined)
      throw new Error('the model was linked without runs of agents');
    [this.#run, this.#step, this.#call] = [run, step, call];
    this.#state = new OwnTable(agents.runs);
    this.#replies = new OwnTable(agents.replies);
  }

  async begin(run: NewRun, writing: WriteContext): Promise<void> {
    const { id, agent, kind, status, user = null, message } = run;
    const body = { id, agent, kind, status, user, message, started: now(writing), inputTokens: 0, outputTokens: 0 };
    await perform({ kind: 'create', at: at(this.#run), body }, asService(writing));
    const state = { run: id, input: run.input, caller: writeJson(user), resumable: 0, lease: 0 };
    await this.#state.insert(writing.tx, state);
  }

  /** Changes the run itself. */
  async change(run: string, changes: Changes, writing: WriteContext): Promise<void> {
    await perform({ kind: 'update', at: this.#addressOf(run), body: changes, versions: undefined }, asService(writing));
  }

  async startStep(run: string, step: NewStep, writing: WriteContext): Promise<void> {
    const { no, name, kind, input } = step;
    const body = { no, name, kind, status: 'running', input, inputTokens: 0, outputTokens: 0, started: now(writing) };
    await perform({ kind: 'create', at: below(this.#step, this.#addressOf(run)), body }, asService(writing));
  }

  async changeStep(run: string, no: number, changes: Changes, writing: WriteContext): Promise<void> {
    const step = { in: below(this.#step, this.#addressOf(run)), id: no };
    await perform({ kind: 'update', at: step, body: changes, versions: undefined }, asService(writing));
  }

  async keepReply(run: string, no: number, turn: number, reply: ModelReply, writing: WriteContext): Promise<void> {
    await this.#replies.insert(writing.tx, { run, step: no, turn, content: JSON.stringify(reply) });
  }

  async keepCall(run: string, no: number, call: Values & { readonly id: string }, writing: WriteContext): Promise<void> {
    const step = { in: below(this.#step, this.#addressOf(run)), id: no };
    await perform({ kind: 'create', at: below(this.#call, step), body: call }, asService(writing));
  }

  #addressOf(run: string): Address {
    return { in: at(this.#run), id: run };
  }
}

function at(plan: EntityPlan): Collection {
  return { plan, under: undefined };
}

function below(child: EntityPlan, parent: Address): Collection {
  const [contains] = child.parents;
  if (contains === undefined) throw new Error(`${child.type} stands under nothing`);
  return { plan: child, under: { parent, step: { kind: 'contains', contains, target: child, names: [] } } };
}

/** What is kept of a run is the service's to write, whoever it runs for. */
function asService(writing: WriteContext): WriteContext {
  return { ...writing, caller: system, guard: openGuard };
}

export function now({ clock }: Pick<WriteContext, 'clock'>): Value {
  return clock.now().toISOString();
}
