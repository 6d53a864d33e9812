// `platform explain`: what an event does, step by step, with the statement that each step asks of the store.

import { compile } from '../plan/compile.ts';
import type { Action, Find, Flow, FlowStep, NestedStep, ReportAction } from '../plan/dataflow.ts';
import { triggerKey } from '../plan/dataflow.ts';
import { conditionOf } from '../plan/dataflow-conditions.ts';
import { wholeEffects } from '../plan/dataflow-effects.ts';
import type { Plan, RowPlan } from '../plan/plan.ts';
import type { Shape } from '../plan/shape.ts';
import { positionOf } from '../source.ts';
import { sqliteDialect } from '../store/sqlite-dialect.ts';
import { compileShape } from '../store/statements.ts';
import { load } from './load.ts';
import { report, shownPath } from './report.ts';
import { type Terminal, withProgress } from './terminal.ts';

export async function explain(event: string, path: string, options: { config?: string }, terminal: Terminal): Promise<number> {
  const loaded = await withProgress(terminal, 'Reading the model', () =>
    load({ path, config: options.config, keepsStoreId: false }, terminal),
  );
  const { model, diagnostics, sources } = loaded;
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return 1;
  const plan = compile(model);
  const flows = flowsCalled(event, plan);
  const [flow, ...others] = flows;
  if (flow === undefined || others.length > 0) {
    const known = [...plan.dataflows.flows.keys()];
    const choice = flows.length > 1 ? flows.map((each) => each.name) : known;
    const problem = flows.length > 1 ? `several events are called ${event}` : `no event with a workflow is called ${event}`;
    terminal.err(`platform: ${problem}${choice.length === 0 ? '' : `; there are ${choice.join(', ')}`}`);
    return 1;
  }
  terminal.out(explanation(flow, plan, terminal.folder).join('\n'));
  return 0;
}

/** By its qualified name, or by its own where that is enough (decisions 9.4). */
function flowsCalled(event: string, { dataflows }: Plan): readonly Flow[] {
  const exact = dataflows.flows.get(event);
  if (exact !== undefined) return [exact];
  return [...dataflows.flows].filter(([name]) => name.slice(name.lastIndexOf('/') + 1) === event).map(([, flow]) => flow);
}

export function explanation(flow: Flow, plan: Plan, folder: string): readonly string[] {
  const { writes, waits } = wholeEffects(flow, plan.dataflows);
  const kind = writes
    ? `one transaction that writes${waits ? ', and waits for something outside the store while it has the writer' : ''}`
    : 'only reads';
  const lines = [`${flow.name}: ${kind}`];
  for (const [index, step] of flow.steps.entries()) lines.push(...stepLines(step, `${index + 1}`, '', plan, folder));
  lines.push(
    '',
    'Compiled at load, kept for every request: the steps, and one statement per pattern and per combination of absent values.',
  );
  return lines;
}

function stepLines(step: FlowStep, number: string, indent: string, plan: Plan, folder: string): readonly string[] {
  const { source, start, end } = step.span;
  const text = source.text.slice(start, end).replace(/\s+/g, ' ');
  const place = `${shownPath(source.file, folder)}:${positionOf(step.span).line}`;
  const inner = `${indent}   `;
  const lines = [`${indent}${number}. ${text.length > 100 ? `${text.slice(0, 99)}…` : text}  (${place})`];
  lines.push(...actionLines(step.action, plan).map((line) => `${inner}${line}`));
  for (const [index, each] of innerSteps(step).entries()) lines.push(...stepLines(each, `${number}.${index + 1}`, inner, plan, folder));
  return lines;
}

/** What a step holds: bodies of loops and branches, handlers. */
function innerSteps({ action, empty, then, catches, throws }: FlowStep): readonly FlowStep[] {
  const handlers = [...(empty === undefined ? [] : [empty]), ...[...catches, ...throws].map((each) => each.step), ...(then ?? [])];
  switch (action.kind) {
    case 'for':
      return [action.source, ...action.body, ...handlers];
    case 'if':
      return [...action.then, ...(action.otherwise ?? []), ...handlers];
    case 'match':
      return [...action.cases.flatMap((each) => each.body), ...(action.otherwise ?? []), ...handlers];
    case 'block':
      return [...action.steps, ...handlers];
    case 'return':
      return [action.step, ...handlers];
    case 'later':
      return [action.body, ...(action.done ?? []), ...action.handlers.map((each) => each.step), ...handlers];
    case 'rethrow':
      return [action.after, ...handlers];
    default:
      return handlers;
  }
}

function actionLines(action: Action, plan: Plan): readonly string[] {
  switch (action.kind) {
    case 'create':
      return [
        ...triggerLines('create', action.plan, plan),
        sql(action.plan.shapes.insert),
        ...action.nested.flatMap((each) => nestedLines(each, plan)),
      ];
    case 'find':
      return findLines(action, plan);
    case 'change':
      return [
        ...findLines(action.find, plan),
        ...triggerLines('update', action.find.plan, plan),
        sql(
          updateOf(
            action.find.plan,
            action.sets.map((each) => each.name),
          ),
        ),
      ];
    case 'remove':
      return [...findLines(action.find, plan), ...triggerLines('delete', action.find.plan, plan), sql(action.find.plan.shapes.remove)];
    case 'report':
      return [sql(reportShape(action))];
    case 'path':
      return [action.start, ...action.further.map((each) => each.find)].flatMap((each) => findLines(each, plan));
    case 'call':
      return [`runs ${action.event} in the same transaction`];
    case 'later':
      return ['runs after the commit, in a transaction of its own'];
    case 'unavailable':
      return [`${action.what} is not in this version`];
    default:
      return [];
  }
}

function triggerLines(operation: 'create' | 'update' | 'delete', { type }: RowPlan, { dataflows }: Plan): readonly string[] {
  return (['before', 'after'] as const).flatMap((when) =>
    (dataflows.triggers.get(triggerKey(when, operation, type)) ?? []).map(
      (each) => `${when} it: ${each.flow.name}${each.async ? ', after the commit' : ''}`,
    ),
  );
}

function findLines(find: Find, plan: Plan): readonly string[] {
  const { plan: row, order } = find;
  const filters = find.tests.some((each) => each.kind === 'filter') ? ['and a condition that is decided on the rows that were read'] : [];
  const shape: Shape = {
    kind: 'select',
    table: row.table,
    output: row.output,
    where: conditionOf(find.tests),
    order,
    limit: true,
    offset: find.offset !== undefined,
  };
  return [sql(shape), ...filters, ...find.nested.flatMap((each) => nestedLines(each, plan))];
}

function nestedLines(nested: NestedStep, plan: Plan): readonly string[] {
  const reads = nested.step.kind === 'contains' ? 'one statement for all of them' : 'two statements for all of them';
  return [
    `with ${nested.relationship.local}: ${reads}`,
    ...nested.actions.flatMap((each) => actionLines(each, plan)).map((line) => `  ${line}`),
  ];
}

function reportShape(action: ReportAction): Shape {
  const joins = action.joins.map(({ side, table, tests }) => ({ side, table, on: conditionOf(tests) }));
  return { ...action.shape, joins, where: conditionOf(action.tests) };
}

function updateOf(plan: RowPlan, columns: readonly string[]): Shape {
  const known = columns.filter((each) => plan.attribute.has(each));
  return { kind: 'update', table: plan.table, columns: known, version: undefined, where: plan.shapes.byKey.where, output: plan.output };
}

function sql(shape: Shape): string {
  return compileShape(shape, sqliteDialect).sql;
}
