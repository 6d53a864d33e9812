// How agents are asked in statements: with a message, and not before something is stored, at start or in what is put off, where nobody waits for a model.

import type { FaultReport } from '../fault-report.ts';
import { localOf, type Model, type TypeName } from '../model.ts';
import type { Statement } from '../pattern.ts';
import { eachNode, type Node, statementsOf } from '../walk.ts';

export function agentsAreAskedInTime(model: Model, report: FaultReport): void {
  if (model.agents.size === 0) return;
  const asks = (nodes: readonly Node[], seen: Set<TypeName> = new Set()): boolean => {
    let found = false;
    eachNode(nodes, (node) => {
      if (found || node.kind !== 'instance') return;
      const { text } = node.type;
      if (model.agents.has(text)) found = true;
      else if (!seen.has(text)) found = asks(bodyOf(text, model), seen.add(text));
    });
    return found;
  };
  const fault = (span: Statement['span'], what: string, instead: string): void =>
    report.fault('agent-not-asked-here', span, `an agent cannot be asked ${what}`, instead);
  eachNode(statementsOf(model), (node) => {
    if (node.kind !== 'instance' || !model.agents.has(node.type.text) || node.options.from !== undefined) return;
    const asked = model.agents.get(node.type.text)?.isEarlier === true ? ['message', 'UserInstruction'] : ['message'];
    if (!node.attributes.some(({ name }) => asked.includes(name.text)))
      report.fault('attribute-missing', node.type.span, `\`${localOf(node.type.text)}\` is asked without a \`message\``);
  });
  for (const { when, runs, span } of model.triggers) {
    const body = runs.kind === 'body' ? runs.body : bodyOf(runs.event, model);
    const isAgent = runs.kind === 'event' && model.agents.has(runs.event);
    if (when === 'before' && (isAgent || asks(body))) fault(span, 'before something is stored', 'use `@after`');
  }
  for (const { body, span, local } of model.workflows.values()) {
    if (asks(body))
      report.fault(
        'workflow-in-parts',
        span,
        `\`${local}\` asks an agent: it is one transaction for each part between two questions, and not one in all`,
      );
  }
  for (const each of model.startup) if (asks([each])) fault(each.span, 'at start', 'ask it in a workflow');
  eachNode(
    [...model.workflows.values()].flatMap(({ body }) => body),
    (node) => {
      if (node.kind === 'await' && asks([node.body, ...(node.done ?? [])])) fault(node.body.span, 'in what is put off', 'ask it before');
    },
  );
}

function bodyOf(event: TypeName, { workflows }: Model): readonly Statement[] {
  return workflows.get(event)?.body ?? [];
}
