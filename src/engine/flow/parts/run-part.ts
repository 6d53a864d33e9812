// One part of a flow that asks agents: from behind its last question to the next one, or to its end.

import { localOf } from '../../../model/model.ts';
import { asksAgents } from '../../../plan/flow/effects.ts';
import type { Dataflows, FlowProgram, TriggerPlan } from '../../../plan/flow/flow.ts';
import { isObject } from '../../../plan/rows/attribute.ts';
import type { Row } from '../../../store/store.ts';
import type { Value, Values } from '../../../values/value.ts';
import { startBudget } from '../../budget.ts';
import { outside } from '../../eval/operands.ts';
import { performPart } from '../../execute.ts';
import { seenBy } from '../../instances/seen.ts';
import type { Context, Result, WriteContext } from '../../operation.ts';
import { runningAs } from '../../run-as.ts';
import { runSteps } from '../flow.ts';
import { outcome, writingRun } from '../invoke.ts';
import { fieldsOf, instanceOrigin, recordOrigin } from '../run.ts';
import type { Completed, Fields, Run } from '../state.ts';
import { told } from '../told.ts';
import type { AskingFlow, Entry, KeptBinding, PartResult } from './checkpoint.ts';
import { bindingFrom, keepBinding } from './kept.ts';
import { AsksAgent, Parts } from './parts.ts';
import { refusalOf, shownNames, suspendedPart } from './suspended-part.ts';

export function namesFor(run: Run): AskingFlow['names'] {
  return [...run.names].map(([name, binding]) => [name, keepBinding(binding, run)]);
}

/** Nothing where the model has no such flow any more. */
export function flowOf({ name, index }: AskingFlow, { flows, triggers }: Dataflows): FlowProgram | undefined {
  return index === undefined ? flows.get(name) : triggers.get(name)?.[index]?.flow;
}

/** Those that are begun after the commit, each as a run of its own. */
export function isQueued({ flow }: TriggerPlan, { plan: { dataflows } }: Context): boolean {
  return asksAgents(flow, dataflows);
}

/** `runId` is that of the run that it is a part of. Each part is judged: those before it may have been done long ago. */
export async function runPart(
  asked: AskingFlow,
  flow: FlowProgram,
  known: readonly Entry[],
  writing: WriteContext,
  runId: string,
): Promise<PartResult> {
  const own = runningAs(asked.isSystem === true ? 'system' : undefined, writing);
  const work = (): Promise<PartResult> => runAllowed(asked, flow, known, own, runId);
  // What logic does is nobody's to be allowed.
  const isPosted = asked.index === undefined && asked.isGranted !== true && writing.plan.model.events.has(asked.name);
  return isPosted ? performPart(asked.name, writing, work) : work();
}

async function runAllowed(
  asked: AskingFlow,
  flow: FlowProgram,
  known: readonly Entry[],
  writing: WriteContext,
  runId: string,
): Promise<PartResult> {
  const budget = startBudget(writing);
  const parts = new Parts(known, refusalOf(asked) ?? (() => runId));
  const run = writingRun(writing, writing.tx, budget, 0, parts);
  for (const [name, kept] of asked.names) run.names.set(name, bindingFrom(kept, run));
  if (asked.isLate === true) await readAnew(run, parts);
  try {
    const done = await runSteps(flow.steps, run);
    const result = outcome(await told(done, run), budget);
    const kept = (): KeptBinding => keepBinding(done, run);
    return (await suspendedPart(parts, run)) ?? { kind: 'done', result, kept, entries: parts.fresh, names: await shownNames(run) };
  } catch (thrown) {
    if (!(thrown instanceof AsksAgent)) throw thrown;
    const { agent, values } = thrown;
    const named = (text: string): Value | undefined => valueNamed(text, asked.name, run);
    return { kind: 'asks', agent, values: plain(values), named, entries: parts.fresh, names: await shownNames(run) };
  }
}

/** A statement of a flow of agents, in one transaction: what it gave, and the same as it is kept. */
export async function runStatement(
  flow: FlowProgram,
  names: AskingFlow['names'],
  writing: WriteContext,
): Promise<{ readonly result: Extract<Result, { kind: 'outcome' }>; readonly kept: KeptBinding }> {
  const budget = startBudget(writing);
  const run = writingRun(writing, writing.tx, budget, 0);
  for (const [name, kept] of names) run.names.set(name, bindingFrom(kept, run));
  const done = await runSteps(flow.steps, run);
  return { result: outcome(await told(done, run), budget), kept: keepBinding(done, run) };
}

/** What was computed at the end of the transaction, and what else has been committed since, is seen. */
async function readAnew(run: Run, parts: Parts): Promise<void> {
  const rows = new Map<string, Completed>();
  const refresh = async (value: Value): Promise<void> => {
    if (!isFields(value)) return;
    const origin = instanceOrigin(value, run);
    if (origin === undefined) {
      for (const inner of Object.values(value)) await refresh(inner);
      return;
    }
    const { plan, located } = origin;
    const key = JSON.stringify([plan.type, String(located.key)]);
    const read = async (): Promise<Completed> => {
      const row: Row | undefined = await run.reading.tx.one(seenBy(plan.shapes.byKey, run.reading), [located.key]);
      return row === undefined ? { value: null, created: false } : { value: null, plan, row, created: false };
    };
    const found = rows.get(key) ?? (await parts.statement(run, read));
    rows.set(key, found);
    if (found.row === undefined) return;
    Object.assign(value, fieldsOf(found.row));
    recordOrigin(value, plan, located, found.row, run, origin.nested);
  };
  for (const { value } of [...run.names.values()]) await refresh(value);
}

function isFields(value: Value): value is Fields {
  return isObject(value);
}

/** `name`, `name.attribute`, `Type.attribute` for the last instance of the type, or an attribute of the event itself. */
function valueNamed(text: string, event: string, { names }: Run): Value | undefined {
  const [local = '', ...path] = text.slice(text.lastIndexOf('/') + 1).split('.');
  const first = `${text.slice(0, text.lastIndexOf('/') + 1)}${local}`;
  const types = [...names.keys()].filter((name) => name.includes('/') && localOf(name) === first);
  const binding = names.get(first) ?? (types.length === 1 ? names.get(types[0] ?? '') : undefined);
  const value = binding === undefined && path.length === 0 ? fieldOf(names.get(event)?.value, first) : binding?.value;
  const found = path.reduce<Value | undefined>(fieldOf, value);
  return found === undefined ? undefined : outside(found);
}

function fieldOf(value: Value | undefined, name: string): Value | undefined {
  return value !== undefined && isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function plain(values: Fields): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, outside(value)]));
}
