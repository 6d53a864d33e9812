// What runs do: ask an agent, follow its flow, or do a workflow that asks agents. Made from a request, or again from what was kept of one.

import { userOf } from '../engine/caller.ts';
import { performPart } from '../engine/execute.ts';
import type { AskingFlow } from '../engine/flow/parts/checkpoint.ts';
import { flowOf } from '../engine/flow/parts/run-part.ts';
import type { Agent, TypeName } from '../model/model.ts';
import { asksAgents } from '../plan/flow/effects.ts';
import type { Plan } from '../plan/plan.ts';
import { writeJson } from '../values/json/json.ts';
import { runOne, type Work } from './execution.ts';
import { runFlow } from './flow/flow.ts';
import { Conversation } from './runs/conversation.ts';
import { nothingRecorded } from './runs/recorded.ts';
import { runWorkflow } from './workflow/workflow.ts';

/** With a conversation, the agent is reminded of what was said in it. */
export function agentWork(agent: Agent, message: string, conversation?: string): Work {
  return {
    name: agent.name,
    kind: agent.flow === undefined ? 'agent' : 'flow',
    message,
    input: JSON.stringify({ agent: agent.name, message, conversation }),
    perform: allowedStill(agent.name, async (run) => {
      const { plan, store, caller } = run.context;
      const isKept = conversation !== undefined && agent.settings['stateless'] !== true;
      const said = isKept ? new Conversation(plan, agent.name, userOf(caller), conversation) : undefined;
      if (said !== undefined) run.turns.push(...(await store.read((tx) => said.turns(tx))));
      const flow = agent.flow === undefined ? undefined : run.context.plan.model.flows.get(agent.flow);
      const value = await (flow === undefined ? runOne(agent, message, run) : runFlow({ flow, agent, message, depth: 1 }, run));
      const reply = typeof value === 'string' ? value : writeJson(value);
      if (said !== undefined) run.journal.note((writing) => said.add({ message, reply }, writing));
      return { kind: 'reply', value, run: run.id };
    }),
  };
}

export function workflowWork(asked: AskingFlow, { dataflows }: Plan): Work {
  const flow = flowOf(asked, dataflows);
  if (flow === undefined) throw new Error(`there is no flow ${asked.name}`);
  const perform: Work['perform'] = (run) => runWorkflow(asked, flow, run);
  return {
    name: asked.name,
    kind: 'workflow',
    message: null,
    input: JSON.stringify({ workflow: asked.isSecret === true ? null : asked }),
    // What logic does is nobody's to be allowed.
    perform: asked.index === undefined && asked.isGranted !== true ? allowedStill(asked.name, perform) : perform,
  };
}

/** Whoever asked was allowed to when the run began; the one that is taken up later may be of somebody who is not any more. */
function allowedStill(name: TypeName, perform: Work['perform']): Work['perform'] {
  return async (run) => (run.recorded === nothingRecorded ? perform(run) : performPart(name, run.context, () => perform(run)));
}

interface KeptInput {
  readonly agent?: string;
  readonly message?: string;
  readonly conversation?: string;
  readonly workflow?: AskingFlow | null;
}

/** Whether it asks language models: what goes on without them uses up nothing of what its user has left today. */
export function mayAsk(input: string, { dataflows }: Plan): boolean {
  const { workflow = null }: KeptInput = JSON.parse(input);
  const flow = workflow === null ? undefined : flowOf(workflow, dataflows);
  return flow === undefined || asksAgents(flow, dataflows);
}

/** Nothing where the model has it no more, or not all of it was kept. */
export function workFrom(input: string, plan: Plan): Work | undefined {
  const { agent: name = '', message = '', conversation, workflow = null }: KeptInput = JSON.parse(input);
  if (workflow !== null) return flowOf(workflow, plan.dataflows) === undefined ? undefined : workflowWork(workflow, plan);
  const agent = plan.model.agents.get(name);
  return agent === undefined ? undefined : agentWork(agent, message, conversation);
}
