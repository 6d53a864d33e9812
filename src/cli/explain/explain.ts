// `platform explain`: what an event does, step by step, or how a list is read: the statements that are asked of the store, how they get at their rows, and
// what is kept.

import { surfaceOf } from '../../app.ts';
import type { Settings } from '../../config/config.ts';
import { listShape } from '../../engine/crud/list.ts';
import { error, PlatformError } from '../../errors.ts';
import type { ExplainedStep } from '../../http/platform/description.ts';
import { explanation, listExplanation } from '../../http/platform/explain/explain.ts';
import { localOf } from '../../model/model.ts';
import { compile } from '../../plan/compile.ts';
import type { FlowProgram } from '../../plan/flow/flow.ts';
import type { Plan } from '../../plan/plan.ts';
import type { StoreSettings } from '../../store/open.ts';
import { load } from '../load.ts';
import { report, shownPath } from '../report.ts';
import { type Terminal, withProgress } from '../terminal.ts';

export async function explain(event: string, path: string, options: { config?: string }, terminal: Terminal): Promise<number> {
  const loaded = await withProgress(terminal, 'Reading the model', () =>
    load({ path, config: options.config, keepsStoreId: false }, terminal),
  );
  const { model, diagnostics, sources, settings } = loaded;
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return 1;
  const plan = compile(model);
  if (event.startsWith('/')) return explainList(event, plan, settings, terminal);
  const flows = flowsCalled(event, plan);
  const [flow, ...others] = flows;
  if (flow === undefined || others.length > 0) {
    const known = [...plan.dataflows.flows.keys()];
    const choice = flows.length > 1 ? flows.map((each) => each.name) : known;
    const problem = flows.length > 1 ? `several events are called ${event}` : `no event with a workflow is called ${event}`;
    terminal.err(`platform: ${problem}${choice.length === 0 ? '' : `; there are ${choice.join(', ')}`}`);
    return 1;
  }
  const { summary, steps } = explanation(flow, { plan, store: settings.store });
  const lines = steps.flatMap((step) => stepLines(step, '', terminal.folder));
  terminal.out([`${flow.name}: ${summary}`, ...lines, '', ...keptLines(settings.store)].join('\n'));
  return 0;
}

/** By its qualified name, or by its own where that is enough. */
function flowsCalled(event: string, { dataflows }: Plan): readonly FlowProgram[] {
  const exact = dataflows.flows.get(event);
  if (exact !== undefined) return [exact];
  return [...dataflows.flows].filter(([name]) => localOf(name) === event).map(([, flow]) => flow);
}

/** A list goes by its path, with or without a query. */
function explainList(target: string, plan: Plan, settings: Settings, terminal: Terminal): number {
  const mark = target.indexOf('?');
  const [path, query] = mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
  try {
    const asked = surfaceOf(plan, settings).toOperation({ method: 'GET', path, query, headers: {}, body: undefined, id: '', remote: '' });
    if (asked.kind !== 'operation' || asked.operation.kind !== 'list') throw error('path-unknown');
    const { at, query: wanted } = asked.operation;
    const { summary, lines } = listExplanation(listShape(at, wanted), settings.store);
    terminal.out([`GET ${path}: ${summary}`, ...lines].join('\n'));
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof PlatformError)) throw thrown;
    const faults = (thrown.details.errors ?? []).map(({ attribute, message }) => `${attribute} ${message}`);
    const why = thrown.code === 'path-unknown' ? 'there is no list at this path' : [thrown.message, ...faults].join(' ');
    terminal.err(`platform: ${path}: ${why}`);
    return 1;
  }
}

function keptLines(store: StoreSettings): readonly string[] {
  const prepared =
    store.type === 'sqlite'
      ? 'is prepared when it is first asked, and kept.'
      : store.prepare
        ? 'is prepared on each connection when it is first asked there, and kept.'
        : 'is kept as text, and prepared each time it is asked: `store.prepare` is false.';
  return [
    'Kept from when the model is loaded: the steps, and what each of them asks.',
    `Each statement ${prepared} What is compared with \`null\`, and lists of other lengths, are statements of their own; one with more than a thousand values is not kept.`,
  ];
}

function stepLines(step: ExplainedStep, indent: string, folder: string): readonly string[] {
  const inner = `${indent}   `;
  return [
    `${indent}${step.number}. ${step.text}  (${shownPath(step.file, folder)}:${step.line})`,
    ...step.lines.map((line) => `${inner}${line}`),
    ...step.steps.flatMap((each) => stepLines(each, inner, folder)),
  ];
}
