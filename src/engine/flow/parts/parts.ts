// A flow that asks agents, or that resolvers may suspend, in parts: what was done before is kept, and a part begins by going through it again without
// doing any of it. So a flow goes on behind its last question wherever that stands, in a loop or in another workflow, also in another process.

import { PlatformError } from '../../../errors.ts';
import { asksAgents, isSuspendable } from '../../../plan/flow/effects.ts';
import type { Action, Dataflows, FlowStep } from '../../../plan/flow/flow.ts';
import type { Awaitable } from '../../../store/store.ts';
import type { Value } from '../../../values/value.ts';
import { furtherRead, holdBytes } from '../../memory.ts';
import { nothing, writingOf } from '../run.ts';
import type { Completed, Fields, KeptParts, Run } from '../state.ts';
import type { Entry, Kept, KeptBinding, SuspendedStep } from './checkpoint.ts';
import { bindingFrom, keep, keepBinding, sizeOfKept, valueFrom } from './kept.ts';
import { refusedSuspension, Suspended, suspensionAt } from './suspension.ts';

/** Thrown where a flow comes to an agent that has not answered yet: no failure, and seen by no handler of the model. */
export class AsksAgent extends Error {
  readonly agent: string;
  readonly values: Fields;

  constructor(agent: string, values: Fields) {
    super(`${agent} is asked`);
    this.agent = agent;
    this.values = values;
  }
}

export class Parts implements KeptParts {
  /** What this part has done. */
  readonly fresh: Entry[] = [];
  readonly #known: readonly Entry[];
  readonly #runId: string | (() => string);
  #at = 0;
  /** Of what this part has done, about: all of it is held until the part ends. */
  #bytes = 0;
  #isInside = false;
  /** Where the statement under way may be suspended at, or why it may not be. */
  #place: SuspendedStep | string = 'It is called where no statement of the workflow is under way.';
  #suspended: SuspendedStep | undefined;

  /** `runId` is the run that waits where it is suspended; a sentence says why nothing can wait. */
  constructor(known: readonly Entry[], runId: (() => string) | string) {
    this.#known = known;
    this.#runId = runId;
  }

  get isSuspended(): boolean {
    return this.#suspended !== undefined;
  }

  /** The statement that a resolver has suspended. */
  get suspended(): SuspendedStep | undefined {
    return this.#suspended;
  }

  suspend(): string {
    if (typeof this.#place === 'string') throw refusedSuspension(this.#place);
    if (typeof this.#runId === 'string') throw refusedSuspension(this.#runId);
    return this.#runId();
  }

  /** Does a statement; or gives what it came to, where that was before. What stands inside of one is part of it. */
  statement(run: Run, work: () => Awaitable<Completed>, action?: Action): Awaitable<Completed> {
    if (this.#isInside) return this.#embedded(work);
    const known = this.#taken();
    return known === undefined ? this.#done(run, work, action) : again(known, run);
  }

  /** What gives a value for another statement: if it waited, the rest of that one would have to be done later. */
  #embedded(work: () => Awaitable<Completed>): Awaitable<Completed> {
    const around = this.#place;
    this.#place = 'A value inside of another statement cannot wait: make it a step of its own.';
    const restore = (): void => {
      this.#place = around;
    };
    const done = work();
    if (done instanceof Promise) return done.finally(restore);
    restore();
    return done;
  }

  /** Which way is taken: decided once. What was made on the way to that is found again by deciding. */
  async way(work: () => Awaitable<number>): Promise<number> {
    if (this.#isInside) return work();
    const taken = this.#behindAnswers();
    if (taken.entry?.kind === 'chose') {
      this.#at = taken.at + 1;
      return taken.entry.way;
    }
    const decided = await work();
    const known = this.#known[this.#at];
    if (known?.kind === 'chose') {
      this.#at += 1;
      return known.way;
    }
    this.fresh.push({ kind: 'chose', way: decided });
    return decided;
  }

  answer(agent: string, values: Fields, run: Run): Value {
    const known = this.#known[this.#at];
    if (known?.kind !== 'answer') throw new AsksAgent(agent, values);
    this.#at += 1;
    return valueFrom(known.value, run);
  }

  #taken(): Extract<Entry, { kind: 'done' | 'failed' }> | undefined {
    const { entry, at } = this.#behindAnswers();
    if (entry?.kind !== 'done' && entry?.kind !== 'failed') return undefined;
    this.#at = at + 1;
    return entry;
  }

  /** Answers that were needed in a statement stand before it; where it is not done yet, it asks for them again. */
  #behindAnswers(): { readonly entry: Entry | undefined; readonly at: number } {
    let at = this.#at;
    while (this.#known[at]?.kind === 'answer') at += 1;
    return { entry: this.#known[at], at };
  }

  #counted(binding: KeptBinding): KeptBinding {
    this.#bytes += sizeOfKept(binding);
    return binding;
  }

  async #done(run: Run, work: () => Awaitable<Completed>, action: Action | undefined): Promise<Completed> {
    const { names } = run;
    // Its value may have become another one without the name being given anew.
    const touched = action?.kind === 'change-alias' ? action.target[0] : undefined;
    const before = new Map(names);
    const { later } = run.reading;
    const put = later.length;
    this.#isInside = true;
    this.#place = suspensionAt(action, run);
    try {
      // A question inside of a statement ends the part before it: what the statement had begun is undone, and done when there is an answer.
      const done = await (run.writing !== undefined && embedsQuestions(run.reading.plan.dataflows)
        ? writingOf(run).tx.attempt(work)
        : work());
      const named = [...names].filter(([name, binding]) => before.get(name) !== binding || name === touched);
      const kept = named.map(([name, binding]) => [name, binding === done ? null : this.#counted(keepBinding(binding, run))] as const);
      this.fresh.push({ kind: 'done', done: this.#counted(keepBinding(done, run)), names: kept });
      holdBytes(this.#bytes, run.reading, this.#bytes * furtherRead);
      return done;
    } catch (thrown) {
      if (thrown instanceof Suspended && typeof this.#place === 'object') {
        this.#suspended = this.#place;
        return nothing;
      }
      if (thrown instanceof AsksAgent) later.splice(put);
      if (thrown instanceof PlatformError && !thrown.again) this.fresh.push({ kind: 'failed', code: thrown.code, details: thrown.details });
      throw thrown;
    } finally {
      this.#isInside = false;
    }
  }
}

function again(known: Extract<Entry, { kind: 'done' | 'failed' }>, run: Run): Completed {
  if (known.kind === 'failed') throw new PlatformError(known.code, known.details);
  const done = bindingFrom(known.done, run);
  for (const [name, binding] of known.names) run.names.set(name, binding === null ? done : bindingFrom(binding, run));
  return done;
}

/** Whether it is done as a whole: what decides, and what leads to an agent, goes on inside. */
export function isStatement(action: Action, dataflows: Dataflows): boolean {
  switch (action.kind) {
    case 'for':
    case 'if':
    case 'match':
    case 'block':
    case 'return':
    case 'rethrow':
      return false;
    case 'call':
      return !leadsToAgent(action.flow, dataflows) && !isSuspendable(action.flow, dataflows);
    case 'handle':
      return !action.asks;
    default:
      return true;
  }
}

const asking = new WeakMap<Action, boolean>();

/** Whether an agent is asked in it: then what it does is committed in parts, and cannot be undone as a whole. */
export function asksInside(action: Action, dataflows: Dataflows): boolean {
  const known = asking.get(action);
  if (known !== undefined) return known;
  const inSteps = (steps: readonly FlowStep[] | undefined): boolean => steps?.some((each) => asksInStep(each, dataflows)) === true;
  const found = ((): boolean => {
    switch (action.kind) {
      case 'for':
        return inSteps([action.source]) || inSteps(action.body);
      case 'if':
        return inSteps(action.then) || inSteps(action.otherwise);
      case 'match':
        return action.cases.some(({ body }) => inSteps(body)) || inSteps(action.otherwise);
      case 'block':
        return inSteps(action.steps);
      case 'return':
        return inSteps([action.step]);
      case 'rethrow':
        return inSteps([action.after]);
      case 'call':
        return leadsToAgent(action.flow, dataflows);
      default:
        return !isStatement(action, dataflows);
    }
  })();
  asking.set(action, found);
  return found;
}

function asksInStep({ action, catches, throws, empty, then }: FlowStep, dataflows: Dataflows): boolean {
  const others = [...catches.map((each) => each.step), ...throws.map((each) => each.step), ...(empty === undefined ? [] : [empty])];
  return asksInside(action, dataflows) || [...others, ...(then ?? [])].some((each) => asksInStep(each, dataflows));
}

export function leadsToAgent(name: string, dataflows: Dataflows): boolean {
  const flow = dataflows.flows.get(name);
  return flow !== undefined && asksAgents(flow, dataflows);
}

const embedding = new WeakMap<Dataflows, boolean>();

/** Whether an agent is asked for a value inside of a pattern anywhere. */
function embedsQuestions(dataflows: Dataflows): boolean {
  const known =
    embedding.get(dataflows) ?? [...dataflows.embedded.values()].some((each) => each.kind === 'call' && leadsToAgent(each.flow, dataflows));
  embedding.set(dataflows, known);
  return known;
}

export function answered(value: Value): Entry {
  return { kind: 'answer', value: keep(value, undefined) };
}

/** The suspended statement, done with the data that was waited for. */
export function resumedWith(data: Kept, { names }: SuspendedStep): Entry {
  return { kind: 'done', done: { value: data }, names: names.map((each) => [each, null]) };
}
