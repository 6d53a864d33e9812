// A pattern as a step of a flow: it sees the results of the steps before it under their names, and what it writes and that it has ended are kept in one transaction.

import { decisionOf } from '../../engine/flow/invoke.ts';
import type { AskingFlow, KeptBinding } from '../../engine/flow/parts/checkpoint.ts';
import { keep } from '../../engine/flow/parts/kept.ts';
import { leadsToAgent } from '../../engine/flow/parts/parts.ts';
import { runStatement } from '../../engine/flow/parts/run-part.ts';
import type { Statement } from '../../model/pattern.ts';
import { someNode } from '../../model/walk.ts';
import { maySuspend, wholeEffects } from '../../plan/flow/effects.ts';
import { statementName } from '../../plan/flow/flow.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Value } from '../../values/value.ts';
import type { Run } from '../run.ts';
import { now } from '../runs/runs.ts';
import { shownOf } from '../tools/call.ts';
import { begin, routeOfStep } from './record.ts';
import { routeOfValue } from './route.ts';
import type { FlowStep, Stepped } from './step.ts';
import { goOn, runAsking, runSuspending, suspendedAt } from './workflow.ts';

export async function runStatementNode(step: FlowStep, statement: Statement, run: Run): Promise<Stepped> {
  const { no, name, asked } = step;
  const { dataflows } = run.context.plan;
  const key = statementName(asked.flow.name, name);
  const program = dataflows.flows.get(key);
  if (program === undefined) throw new Error(`there is no step ${key}`);
  if (!run.recorded.steps.has(no)) begin({ no, name, kind: 'workflow', input: asked.message }, run);
  const names = namesFor(step, statement);
  if (leadsToAgent(key, dataflows)) return runAsking(step, { name: key, names }, run);
  if (maySuspend(program, dataflows)) return runSuspendingNode(step, { name: key, names }, run);
  const edges = asked.flow.steps.filter((each) => each.from === name);
  const options = { waits: wholeEffects(program, dataflows).waits, decides: decisionOf([program], run.context) };
  return run.journal.with(async (writing) => {
    const { result, kept } = await runStatement(program, names, writing);
    const value = shownOf(result);
    const routed = routeOfValue(value, edges, run);
    await run.runs.changeStep(run.id, no, { result: value, status: 'succeeded', ended: now(writing), ...routeOfStep(routed) }, writing);
    await run.runs.keepPart(run.id, no, JSON.stringify(kept), writing);
    return { value, routed, kept };
  }, options);
}

async function runSuspendingNode(step: FlowStep, asking: AskingFlow, run: Run): Promise<Stepped> {
  const before = suspendedAt(step.no, run);
  return before === undefined ? runSuspending(step, asking, step.asked.message, run) : goOn(step, asking, before, run);
}

/** What a pattern gave when the run was there before. */
export function keptAt(no: number, { recorded }: Run): KeptBinding | undefined {
  const text = recorded.parts.get(no);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Results by the names of their steps, the last of each; the flow's own name stands for what it was asked, where an attribute of it is named. */
function namesFor({ results, asked }: FlowStep, statement: Statement): AskingFlow['names'] {
  const { flow, message } = asked;
  const names = new Map<string, KeptBinding>();
  for (const { name, value, kept } of results) names.set(name, kept ?? { value: keep(value, undefined) });
  if (!names.has(flow.local) || looksInto(flow.local, statement))
    names.set(flow.local, { value: keep({ ...objectOr(results.findLast(({ name }) => name === flow.local)?.value), message }, undefined) });
  return [...names];
}

function objectOr(value: Value | undefined): { readonly [name: string]: Value } {
  return value !== undefined && isObject(value) ? value : {};
}

function looksInto(name: string, statement: Statement): boolean {
  return someNode([statement], (node) => node.kind === 'reference' && node.path[0] === name && node.path.length > 1);
}
