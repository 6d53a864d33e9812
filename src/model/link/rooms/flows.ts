// Flows: what each step runs, where it leads, and whether every step can be reached.

import type { FlowStep } from '../../declaration.ts';
import { normalizedLabel } from '../../label.ts';
import type { Flow, FlowNode, TypeName } from '../../model.ts';
import type { Name, Statement } from '../../pattern.ts';
import { emptyEnvironment, type Logic } from '../logic/environment.ts';
import { linkStatement } from '../logic/statements.ts';
import { type FlowEntry, lookUpAsked, reportUnknown } from '../scope.ts';

export function linkFlows(logic: Logic): ReadonlyMap<TypeName, Flow> {
  const flows = new Map<TypeName, Flow>();
  for (const entry of logic.linking.scope.flows.values()) flows.set(entry.name, linkFlow(entry, logic));
  return flows;
}

/** A step with the name of its right side: a pattern goes by its alias, or by a number that no name can be. */
interface NamedStep {
  readonly step: FlowStep;
  readonly to: string;
}

function linkFlow(entry: FlowEntry, logic: Logic): Flow {
  const { name, module, local, span, declaration } = entry;
  const named = declaration.steps.map((step, index): NamedStep => ({ step, to: targetName(step, index) }));
  const nodes = linkNodes(entry, named, logic);
  // The left side of the first line is where a flow begins.
  const first = declaration.steps[0]?.from.text;
  if (first === undefined) logic.linking.report.fault('flow-without-start', span, `the flow \`${local}\` has no steps`);
  else checkReachable(first, named, logic);
  checkRoutes(declaration.steps, logic);
  checkLabels(declaration.steps, nodes, logic);
  const steps = named.map(({ step, to }) => ({ from: step.from.text, condition: conditionOf(step), to }));
  return { name, module, local, span, first: first ?? '', steps, nodes };
}

function targetName({ to }: FlowStep, index: number): string {
  if (!isStatement(to)) return to.text;
  return to.as?.kind === 'whole' ? to.as.name.text : `#${index + 1}`;
}

function isStatement(to: Name | Statement): to is Statement {
  return 'pattern' in to;
}

function conditionOf({ condition }: FlowStep): string | undefined {
  return condition === undefined ? undefined : String(condition.value);
}

function linkNodes(entry: FlowEntry, named: readonly NamedStep[], logic: Logic): ReadonlyMap<string, FlowNode> {
  const nodes = new Map<string, FlowNode>();
  // In a pattern the result of every step can be read, and what the flow was given.
  const bound = new Set([entry.local, ...named.flatMap(({ step, to }) => [step.from.text, to])]);
  for (const { step, to } of named) {
    if (isStatement(step.to)) {
      const statement = linkStatement(step.to, { ...emptyEnvironment(entry.module), bound: new Set(bound) }, logic);
      nodes.set(to, { kind: 'statement', statement });
    }
  }
  for (const { step } of named) {
    for (const each of isStatement(step.to) ? [step.from] : [step.from, step.to]) {
      const node = nodes.has(each.text) ? undefined : findNode(each, entry.module, logic);
      if (node !== undefined) nodes.set(each.text, node);
    }
  }
  return nodes;
}

const stepKinds: ReadonlyMap<string, 'agent' | 'event' | 'decision'> = new Map([
  ['agent', 'agent'],
  ['event', 'event'],
  ['open-event', 'event'],
  ['decision', 'decision'],
]);

function findNode(name: Name, module: string, { linking }: Logic): FlowNode | undefined {
  const entry = lookUpAsked(name.text, module, linking.scope);
  const kind = entry === undefined ? undefined : stepKinds.get(entry.kind);
  if (entry !== undefined && kind !== undefined) return { kind, name: entry.name };
  const wanted = { what: 'agent, workflow or decision', name: name.text, span: name.span, module };
  reportUnknown(linking, 'flow-step-unknown', wanted, (each) => stepKinds.has(each.kind));
  return undefined;
}

function checkReachable(first: string, named: readonly NamedStep[], { linking }: Logic): void {
  const next = new Map<string, string[]>();
  for (const { step, to } of named) {
    const known = next.get(step.from.text);
    if (known === undefined) next.set(step.from.text, [to]);
    else known.push(to);
  }
  const reached = new Set([first]);
  for (const each of reached) for (const to of next.get(each) ?? []) reached.add(to);
  for (const { step } of named) {
    if (reached.has(step.from.text)) continue;
    reached.add(step.from.text);
    const message = `no way leads from \`${first}\`, the first step, to \`${step.from.text}\``;
    linking.report.fault('flow-step-unreachable', step.from.span, message);
  }
}

/** From one step, each value and "otherwise" lead to one place: a matcher could not tell more apart. */
function checkRoutes(steps: readonly FlowStep[], { linking }: Logic): void {
  const taken = new Set<string>();
  for (const step of steps) {
    const condition = conditionOf(step);
    const route = JSON.stringify([step.from.text, condition === undefined ? null : normalizedLabel(condition)]);
    if (taken.has(route)) {
      const what =
        condition === undefined ? 'a second step without a condition' : `a second step for "${condition}", or for what reads the same,`;
      linking.report.fault('flow-route-repeated', step.span, `${what} leads away from \`${step.from.text}\``);
    }
    taken.add(route);
  }
}

/** What no case of a decision gives can never be its result. */
function checkLabels(steps: readonly FlowStep[], nodes: ReadonlyMap<string, FlowNode>, { linking }: Logic): void {
  for (const step of steps) {
    const node = nodes.get(step.from.text);
    const entry = node?.kind === 'decision' ? linking.scope.entries.get(node.name) : undefined;
    const label = conditionOf(step);
    if (entry?.kind !== 'decision' || label === undefined) continue;
    const results = entry.declaration.cases.flatMap((each) => each.results.map(({ text }) => text));
    if (results.some((each) => normalizedLabel(each) === normalizedLabel(label))) continue;
    linking.report.unknown('flow-label-unknown', step.span, `no case of \`${entry.local}\` gives "${label}"`, label, results);
  }
}
