// The steps of a run as the flows of the model lead to them: which step stands inside of which flow, and where each one leads.

import type { Agent, Flow, Model } from '../../model/model.ts';
import type { Values } from '../../values/value.ts';

export interface PlacedStep<T> {
  readonly item: T;
  /** 0 for steps of the run itself, 1 for those of a flow inside of it, and so on. */
  readonly depth: number;
  /** As the flow names the next step; absent where the flow ended there, or is another one by now. */
  readonly next: string | undefined;
}

/** In their order. Steps that the flows of the model do not lead to stand side by side. */
export function placed<T>(items: readonly T[], stepOf: (item: T) => Values, agent: string, model: Model): readonly PlacedStep<T>[] {
  const result: PlacedStep<T>[] = [];
  const left = [...items];
  const follow = (flow: Flow, depth: number): void => {
    let name: string | undefined = flow.first;
    while (name !== undefined) {
      const item = left.shift();
      if (item === undefined) return;
      const step = stepOf(item);
      const node = flow.nodes.get(name);
      const isKnown = node !== undefined && (!('name' in node) || node.name === step['name']);
      const next: string | undefined = isKnown ? nextOf(name, step, flow) : undefined;
      result.push({ item, depth, next });
      if (step['kind'] === 'flow') {
        const inner = flowOf(model.agents.get(String(step['name'])), model);
        if (inner !== undefined) follow(inner, depth + 1);
      }
      name = next;
    }
  };
  const flow = flowOf(model.agents.get(agent), model);
  if (flow !== undefined) follow(flow, 0);
  return [...result, ...left.map((item) => ({ item, depth: 0, next: undefined }))];
}

function flowOf(agent: Agent | undefined, { flows }: Model): Flow | undefined {
  return agent?.flow === undefined ? undefined : flows.get(agent.flow);
}

function nextOf(name: string, { label, method }: Values, { steps }: Flow): string | undefined {
  const edges = steps.filter((each) => each.from === name);
  const isElse = method === 'else';
  return edges.find(({ condition }) => (isElse ? condition === undefined : condition !== undefined && condition === label))?.to;
}
