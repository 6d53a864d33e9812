// Follows a flow: each step is run and recorded, then the edges that lead away from it are held against its result. The language model never decides
// which step comes next.

import { leadsToAgent } from '../../engine/flow/parts/parts.ts';
import { error, PlatformError } from '../../errors.ts';
import type { Agent, Flow, FlowNode, TypeName } from '../../model/model.ts';
import { statementName } from '../../plan/flow/flow.ts';
import type { Value } from '../../values/value.ts';
import { replyType } from '../reply.ts';
import { charge, type Run, tell } from '../run.ts';
import type { StepResult } from './context.ts';
import { resultType } from './placeholders.ts';
import { routeOf, routeTaken } from './route.ts';
import { keptAt } from './statement.ts';
import { type Finished, type FlowStep, runNode, type Stepped } from './step.ts';
import { suspendedAt } from './workflow.ts';

export interface FlowRun {
  readonly flow: Flow;
  /** Whose flow it is: a step of the same name is the agent alone. */
  readonly agent: Agent;
  readonly message: string;
  readonly depth: number;
}

const limits = { steps: 25, depth: 4 } as const;

/** The result of the last step. */
export async function runFlow(asked: FlowRun, run: Run): Promise<Value> {
  const { flow, depth } = asked;
  if (depth > limits.depth) throw error('flow-step-limit', { detail: `Flows are nested ${limits.depth} deep at the most.` });
  const results: StepResult[] = [];
  let name: string | undefined = flow.first;
  while (name !== undefined) {
    if (run.used.steps >= limits.steps) throw error('flow-step-limit', { detail: `A flow may make ${limits.steps} steps.` });
    const { value, routed, kept } = await runStep(name, asked, results, run);
    results.push({ name, value, kept, type: kept?.type ?? typeOf(nodeOf(name, flow), run) });
    name = routed.to;
  }
  return results.at(-1)?.value ?? null;
}

async function runStep(name: string, asked: FlowRun, results: readonly StepResult[], run: Run): Promise<Stepped> {
  const node = nodeOf(name, asked.flow);
  run.used.steps += 1;
  const no = run.used.steps;
  const edges = asked.flow.steps.filter((each) => each.from === name);
  const labels = edges.flatMap((each) => each.condition ?? []);
  const step = { no, name, node, labels, results, asked, nested: runFlow };
  const known = run.recorded.steps.get(no);
  // What has steps of its own is followed again through these, which are there too.
  if (known?.isDone === true && !hasSteps(step, run)) {
    charge(run, known);
    return { value: known.result, routed: routeTaken(known, edges), kept: keptAt(no, run) };
  }
  try {
    const told = node.kind === 'statement' ? name : node.name;
    tell(run, { kind: 'step', step: told });
    const stepped = await runNode(step, run, (finished: Finished) => routeOf(finished, edges, run));
    tell(run, { kind: 'step-end', step: told });
    return stepped;
  } catch (thrown) {
    throw inStep(thrown, name);
  }
}

function nodeOf(name: string, { nodes, name: flow }: Flow): FlowNode {
  const node = nodes.get(name);
  if (node === undefined) throw new Error(`${flow} has no step ${name}`);
  return node;
}

function typeOf(node: FlowNode, { context: { plan } }: Run): TypeName | undefined {
  const agent = node.kind === 'agent' ? plan.model.agents.get(node.name) : undefined;
  return node.kind === 'event' ? resultType(node.name, plan) : agent && replyType(agent, plan.model);
}

function hasSteps({ no, node, name, asked: { agent, flow } }: FlowStep, run: Run): boolean {
  const { plan } = run.context;
  if (node.kind !== 'agent' && suspendedAt(no, run) !== undefined) return true;
  switch (node.kind) {
    case 'agent':
      return node.name !== agent.name && plan.model.agents.get(node.name)?.flow !== undefined;
    case 'event':
      return leadsToAgent(node.name, plan.dataflows);
    case 'statement':
      return leadsToAgent(statementName(flow.name, name), plan.dataflows);
    default:
      return false;
  }
}

/** The innermost step is the one that failed. */
function inStep(thrown: unknown, step: string): unknown {
  if (!(thrown instanceof PlatformError) || thrown.details.step !== undefined || thrown.code === 'flow-step-limit') return thrown;
  return new PlatformError(thrown.code, { ...thrown.details, step }, thrown.cause, thrown.origin);
}
