// What is kept of runs: Run, Step and ToolCall, which everybody may read who may, and the service's own rows beside them, from which a run goes on.

import { system } from '../../engine/caller.ts';
import { perform } from '../../engine/execute.ts';
import { changeKnown } from '../../engine/instances/update.ts';
import type { Address, Collection, WaitingFor, WriteContext } from '../../engine/operation.ts';
import { OwnTable } from '../../engine/own-table.ts';
import { openGuard } from '../../engine/seams.ts';
import type { TypeName } from '../../model/model.ts';
import type { EntityPlan, Plan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Reader } from '../../store/store.ts';
import { parseJson, writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { type Recorded, type RecordedReply, recordedFrom, replyText } from './recorded.ts';

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';

export interface NewRun {
  readonly id: string;
  readonly agent: TypeName;
  readonly kind: 'agent' | 'flow' | 'workflow';
  readonly status: RunStatus;
  readonly user: string | undefined;
  readonly message: string | null;
  readonly state: Omit<RunState, 'run' | 'waiting'> & { readonly waiting?: string };
}

/** From which a run goes on. */
export interface RunState {
  readonly run: string;
  /** What it was given, as JSON. */
  readonly input: string;
  /** For whom it works, as JSON. */
  readonly caller: string;
  /** By which an equal request finds it, and what that was. */
  readonly scope: string | null;
  readonly digest: string | null;
  /** Whether it goes on by itself when nobody works on it any more. */
  readonly resumable: boolean;
  /** Who works on it, and until when without a sign of life. */
  readonly worker: string | null;
  readonly lease: number;
  /** What it waits for, as JSON. */
  readonly waiting: string | null;
}

export interface NewStep {
  readonly no: number;
  readonly name: string;
  readonly kind: 'agent' | 'flow' | 'workflow' | 'decision';
  readonly input: string;
}

/** The lease of a run that nobody is to take up. */
export const never = 8_640_000_000_000_000;
/** Leases from here on are of runs that have ended: what they would go on from is removed when so much less is the time. */
export const ended = 4_000_000_000_000_000;
/** Milliseconds: so long an equal request gets the same answer, and a run that failed can be taken up. */
export const keptTime = 24 * 60 * 60 * 1000;

/** What a run waits for; the call that it waits for somebody to approve of has a name. */
export function waitingFor(text: string | null): WaitingFor {
  const { step = null, call = null, tool = null, arguments: given = null, type } = mapIn(text);
  if (typeof type === 'string') return { step: Number(step), type };
  return { step: Number(step), call: String(call), tool: String(tool), arguments: given };
}

/** Where a workflow was suspended, and what the model was then. */
export interface SuspendedPlace {
  readonly workflow: string;
  readonly digest: string;
}

export function waitingText(waiting: WaitingFor, place?: SuspendedPlace): string {
  return writeJson({ ...waiting, ...(place === undefined ? {} : { place: { ...place } }) });
}

export function suspendedPlace(waiting: string | null): SuspendedPlace {
  const { place = null } = mapIn(waiting);
  const { workflow = null, digest = null } = isObject(place) ? place : {};
  return { workflow: String(workflow), digest: String(digest) };
}

function mapIn(text: string | null): Values {
  const value = parseJson(text ?? '{}', limits);
  return isObject(value) ? value : {};
}

export class Runs {
  readonly #run: EntityPlan;
  readonly #step: EntityPlan;
  readonly #call: EntityPlan;
  readonly #rows: Readonly<Record<'run' | 'step' | 'call' | 'state' | 'replies' | 'parts', OwnTable>>;
  /** Made once for each transaction. */
  #service: { readonly of: WriteContext; readonly as: WriteContext } | undefined;
  /** Whether more than its state was kept here of what a run would go on from. */
  #hasKept = false;

  constructor({ entities, agents }: Plan) {
    const [run, step, call] = ['Run', 'Step', 'ToolCall'].map((name) => entities.get(`platform.ai/${name}`));
    if (run === undefined || step === undefined || call === undefined || agents === undefined)
      throw new Error('the model was linked without runs of agents');
    [this.#run, this.#step, this.#call] = [run, step, call];
    this.#rows = {
      run: new OwnTable(run.table),
      step: new OwnTable(step.table),
      call: new OwnTable(call.table),
      state: new OwnTable(agents.runs),
      replies: new OwnTable(agents.replies),
      parts: new OwnTable(agents.parts),
    };
  }

  async begin(run: NewRun, writing: WriteContext): Promise<void> {
    const { id, agent, kind, status, user = null, message, state } = run;
    const body = { id, agent, kind, status, user, message, started: now(writing), inputTokens: 0, outputTokens: 0 };
    await perform({ kind: 'create', at: at(this.#run), body }, this.#asService(writing));
    await this.#rows.state.insert(writing.tx, { ...state, run: id, resumable: state.resumable ? 1 : 0 });
  }

  /** Changes the run itself. */
  async change(run: string, changes: Values, writing: WriteContext): Promise<void> {
    await changeKnown(this.addressOf(run), changes, this.#asService(writing));
  }

  async startStep(run: string, step: NewStep, writing: WriteContext): Promise<void> {
    const { no, name, kind, input } = step;
    const body = { no, name, kind, status: 'running', input, inputTokens: 0, outputTokens: 0, started: now(writing) };
    await perform({ kind: 'create', at: below(this.#step, this.addressOf(run)), body }, this.#asService(writing));
  }

  async changeStep(run: string, no: number, changes: Values, writing: WriteContext): Promise<void> {
    await changeKnown(this.#stepOf(run, no), changes, this.#asService(writing));
  }

  /** A step names those that it was shown, the run those of all its steps. */
  async noteDocuments(run: string, no: number, titles: readonly string[], writing: WriteContext): Promise<void> {
    await this.changeStep(run, no, { documents: titles }, writing);
    const { documents } = (await this.read(run, writing.tx)) ?? {};
    const known = Array.isArray(documents) ? documents : [];
    await this.change(run, { documents: [...new Set([...known, ...titles])] }, writing);
  }

  async keepReply(run: string, no: number, turn: number, reply: RecordedReply, writing: WriteContext): Promise<void> {
    this.#hasKept = true;
    await this.#rows.replies.insert(writing.tx, { run, step: no, turn, content: replyText(reply) });
  }

  /** What a part of a workflow has done. */
  async keepPart(run: string, no: number, content: string, writing: WriteContext): Promise<void> {
    this.#hasKept = true;
    await this.#rows.parts.insert(writing.tx, { run, step: no, content });
  }

  async keepCall(run: string, no: number, call: Values & { readonly id: string }, writing: WriteContext): Promise<void> {
    await perform({ kind: 'create', at: below(this.#call, this.#stepOf(run, no)), body: call }, this.#asService(writing));
  }

  async changeCall(run: string, no: number, id: string, changes: Values, writing: WriteContext): Promise<void> {
    const address = { in: below(this.#call, this.#stepOf(run, no)), id };
    await changeKnown(address, changes, this.#asService(writing));
  }

  async state(by: { readonly run: string } | { readonly scope: string }, tx: Reader, lock?: 'lock'): Promise<RunState | undefined> {
    const row = await this.#rows.state.find(tx, by, lock);
    return row === undefined ? undefined : stateOf(row);
  }

  /** Those whose lease is over, longest first. */
  async expired(time: number, limit: number, tx: Reader): Promise<readonly RunState[]> {
    return (await this.#rows.state.upTo(tx, 'lease', time, limit)).map(stateOf);
  }

  /** Those that ended so long ago that nobody asks for their answer again. */
  async forgettable(time: number, limit: number, tx: Reader): Promise<readonly RunState[]> {
    return (await this.#rows.state.upTo(tx, 'lease', ended + time, limit, ended)).map(stateOf);
  }

  /**
   * What a run would go on from; what everybody may see of it stays. Of one that was begun here, it is known what there is. Whether there was such a run, of
   * that worker where one is named.
   */
  async forget(by: { readonly run: string; readonly worker?: string }, writing: WriteContext, isBegunHere = false): Promise<boolean> {
    const { parts, replies, state } = this.#rows;
    for (const table of isBegunHere && !this.#hasKept ? [] : [parts, replies]) await table.remove(writing.tx, { run: by.run });
    return (await state.remove(writing.tx, by)) > 0;
  }

  /** Those that began before this time and are over, oldest first: their identifiers begin with the time at which they were made. */
  async old(time: number, limit: number, tx: Reader): Promise<readonly string[]> {
    const digits = Math.max(0, time).toString(16).padStart(12, '0');
    const last = `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
    const rows = await this.#rows.run.upTo(tx, 'id', last, limit, first, { column: 'status', values: over });
    return rows.map(({ id = null }) => String(id));
  }

  /** With its steps and calls, and what it would go on from. */
  async remove(run: string, writing: WriteContext): Promise<void> {
    await this.forget({ run }, writing);
    await perform({ kind: 'delete', at: this.addressOf(run), versions: undefined }, this.#asService(writing));
  }

  /** No step of a run that has ended is under way. */
  async endSteps(run: string, status: RunStatus, writing: WriteContext): Promise<void> {
    const steps = await this.#rows.step.all(writing.tx, { [parentColumn(this.#step)]: run });
    for (const { no = null, status: before } of steps)
      if (before === 'running') await this.changeStep(run, Number(no), { status, ended: now(writing) }, writing);
  }

  /** Whether there was such a row. */
  async changeState(
    by: { readonly run: string; readonly worker?: string },
    changes: Partial<Pick<RunState, 'worker' | 'lease' | 'waiting' | 'scope' | 'resumable'>>,
    writing: WriteContext,
  ): Promise<boolean> {
    const { resumable, ...others } = changes;
    const values = resumable === undefined ? others : { ...others, resumable: resumable ? 1 : 0 };
    return (await this.#rows.state.update(writing.tx, by, values)) > 0;
  }

  /** The run as it is stored. */
  async read(run: string, tx: Reader): Promise<Values | undefined> {
    const row = await this.#rows.run.find(tx, { id: run });
    return row === undefined ? undefined : withJson(row, ['result', 'error', 'documents']);
  }

  async recorded(run: string, tx: Reader): Promise<Recorded> {
    const steps = await this.#rows.step.all(tx, { [parentColumn(this.#step)]: run });
    const calls: (readonly [number, Values])[] = [];
    for (const step of steps) {
      const made = await this.#rows.call.all(tx, { [parentColumn(this.#call)]: step[this.#step.key] ?? null });
      calls.push(...made.map((row) => [Number(step['no']), withJson(row, ['arguments', 'result'])] as const));
    }
    return recordedFrom({
      steps: steps.map((row) => withJson(row, ['result'])),
      replies: await this.#rows.replies.all(tx, { run }),
      parts: await this.#rows.parts.all(tx, { run }),
      calls,
    });
  }

  addressOf(run: string): Address {
    return { in: at(this.#run), id: run };
  }

  /** What is kept of a run is the service's to write, whoever it runs for. */
  #asService(writing: WriteContext): WriteContext {
    if (this.#service?.of !== writing) this.#service = { of: writing, as: { ...writing, caller: system, guard: openGuard } };
    return this.#service.as;
  }

  #stepOf(run: string, no: number): Address {
    return { in: below(this.#step, this.addressOf(run)), id: no };
  }
}

const first = '00000000-0000-0000-0000-000000000000';
const over: readonly RunStatus[] = ['succeeded', 'failed', 'cancelled', 'interrupted'];

function stateOf(row: Values): RunState {
  const text = (name: string): string | null => (typeof row[name] === 'string' ? row[name] : null);
  return {
    run: String(row['run']),
    input: text('input') ?? '',
    caller: text('caller') ?? 'null',
    scope: text('scope'),
    digest: text('digest'),
    resumable: Number(row['resumable']) === 1,
    worker: text('worker'),
    lease: Number(row['lease']),
    waiting: text('waiting'),
  };
}

const limits = { depth: 1000, keys: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY };

/** Columns that hold JSON are read as texts. */
function withJson(row: Values, names: readonly string[]): Values {
  const read = names.map((name): [string, Value] => {
    const value = row[name] ?? null;
    return [name, typeof value === 'string' ? parseJson(value, limits) : value];
  });
  return { ...row, ...Object.fromEntries(read) };
}

function at(plan: EntityPlan): Collection {
  return { plan, under: undefined };
}

function below(child: EntityPlan, parent: Address): Collection {
  const [contains] = child.parents;
  if (contains === undefined) throw new Error(`${child.type} stands under nothing`);
  return { plan: child, under: { parent, step: { kind: 'contains', contains, target: child, names: [] } } };
}

function parentColumn({ parents: [contains], type }: EntityPlan): string {
  if (contains === undefined) throw new Error(`${type} stands under nothing`);
  return contains.column;
}

export function now({ clock }: Pick<WriteContext, 'clock'>): Value {
  return clock.now().toISOString();
}
