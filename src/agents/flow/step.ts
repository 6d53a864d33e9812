// One step of a flow, by what it runs: an agent, a flow inside of the flow, a workflow, a decision. It is recorded when it begins and when it ends.

import type { KeptBinding } from '../../engine/flow/parts/checkpoint.ts';
import { unreachable } from '../../errors.ts';
import type { Agent, FlowNode } from '../../model/model.ts';
import type { Value } from '../../values/value.ts';
import { runAgent } from '../agent-step.ts';
import { titleOf } from '../prompt.ts';
import { bothSpent, type Run } from '../run.ts';
import { resultsAsData, type StepResult } from './context.ts';
import { runDecision } from './decision.ts';
import type { FlowRun } from './flow.ts';
import { namedResults } from './placeholders.ts';
import { begin, end, routeOfStep } from './record.ts';
import { type Result, type Routed, saidBy } from './route.ts';
import { runStatementNode } from './statement.ts';
import { runWorkflow } from './workflow.ts';

export interface FlowStep {
  readonly no: number;
  readonly name: string;
  readonly node: FlowNode;
  readonly labels: readonly string[];
  readonly results: readonly StepResult[];
  readonly asked: FlowRun;
  /** Runs a flow inside of this one. */
  nested(asked: FlowRun, run: Run): Promise<Value>;
}

export type Finished = Result;

export interface Stepped {
  readonly value: Value;
  readonly routed: Routed;
  readonly kept?: KeptBinding | undefined;
}

export type Route = (finished: Finished) => Promise<Routed>;

export async function runNode(step: FlowStep, run: Run, route: Route): Promise<Stepped> {
  const { node } = step;
  switch (node.kind) {
    case 'agent':
      return runAgentNode(step, agentCalled(node.name, run), run, route);
    case 'event':
      return runWorkflow(step, node.name, run);
    case 'decision':
      return runDecision(step, node.name, run);
    case 'statement':
      return runStatementNode(step, node.statement, run);
    default:
      return unreachable(node);
  }
}

function agentCalled(name: string, { context }: Run): Agent {
  const agent = context.plan.model.agents.get(name);
  if (agent === undefined) throw new Error(`there is no agent ${name}`);
  return agent;
}

async function runAgentNode(step: FlowStep, agent: Agent, run: Run, route: Route): Promise<Stepped> {
  const { no, asked, results, labels } = step;
  const { message } = asked;
  const flow = agent.flow === undefined || agent.name === asked.agent.name ? undefined : run.context.plan.model.flows.get(agent.flow);
  const known = run.recorded.steps.get(no);
  if (known === undefined) begin({ no, name: titleOf(agent), kind: flow === undefined ? 'agent' : 'flow', input: message }, run);
  if (flow !== undefined) {
    const value = await step.nested({ flow, agent, message: withResults(message, results), depth: asked.depth + 1 }, run);
    const routed = await route({ value, said: undefined });
    if (known?.isDone !== true) end(no, { result: value, ...routeOfStep(routed) }, run);
    return { value, routed };
  }
  const { value, model, ...spent } = await runAgent(
    { agent, no, labels, message, data: [...resultsAsData(results), ...namedResults(agent, results)], conversation: run.turns },
    run,
  );
  const routed = await route({ value, said: saidBy(agent) });
  const { inputTokens, outputTokens, cost } = bothSpent(spent, routed);
  end(no, { result: value, model, inputTokens, outputTokens, cost: cost ?? null, ...routeOfStep(routed) }, run);
  return { value, routed };
}

/** A flow inside of a flow is asked with what came before it. */
function withResults(message: string, results: readonly StepResult[]): string {
  return [message, ...resultsAsData(results).map(({ name, text }) => `${name}: ${text}`)].join('\n\n');
}
