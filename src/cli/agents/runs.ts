// `platform runs`: lists what agents did, and shows one run as a tree of its steps and the calls of its tools.

import { type RunFilter, runsIn, type WholeRun, wholeRun } from '../../agents/runs/inspect.ts';
import { systemClock } from '../../clock.ts';
import { type Model, runType } from '../../model/model.ts';
import { compile } from '../../plan/compile.ts';
import type { Plan } from '../../plan/plan.ts';
import type { StoreSettings } from '../../store/open.ts';
import { StartRefused } from '../../store/store.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Values } from '../../values/value.ts';
import { load } from '../load.ts';
import { counted, printable, report } from '../report.ts';
import type { Terminal } from '../terminal.ts';
import { runLine, runTree } from './run-tree.ts';

interface OfProject {
  readonly config?: string;
  readonly json?: boolean;
}

export async function list(path: string, options: OfProject & RunFilter, terminal: Terminal): Promise<number> {
  const parts = await read(path, options, terminal);
  if (parts === undefined) return 1;
  const { agent, status, user, limit } = options;
  const runs = await runsIn(parts, { agent, status, user, limit });
  if (options.json === true) terminal.out(`[${runs.map(writeJson).join(',\n')}]`);
  else {
    for (const each of runs) terminal.out(runLine(each, terminal.colours));
    terminal.err(counted(runs.length, 'run'));
  }
  return 0;
}

export async function show(id: string, path: string, options: OfProject, terminal: Terminal): Promise<number> {
  const parts = await read(path, options, terminal);
  if (parts === undefined) return 1;
  const found = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? await wholeRun(parts, id) : undefined;
  if (found === undefined) throw new StartRefused(`There is no run ${printable(id)} in the store of this project.`);
  if (options.json === true) terminal.out(writeJson(asJson(found)));
  else terminal.out(runTree(found, parts.model, parts.port, terminal.colours).join('\n'));
  return 0;
}

function asJson({ run, steps }: WholeRun): Values {
  return { ...run, steps: steps.map(({ step, calls }) => ({ ...step, calls })) };
}

interface ProjectParts {
  readonly plan: Plan;
  readonly store: StoreSettings;
  readonly clock: ReturnType<typeof systemClock>;
  readonly model: Model;
  readonly port: number;
}

async function read(path: string, { config }: OfProject, terminal: Terminal): Promise<ProjectParts | undefined> {
  const { model, settings, diagnostics, sources } = await load({ path, config, keepsStoreId: false }, terminal);
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return undefined;
  if (!model.entities.has(runType))
    throw new StartRefused('There are no agents in this project, and no workflows that resolvers may suspend.');
  const plan = compile(model, { identified: settings.auth !== undefined });
  return { plan, store: settings.store, clock: systemClock(), model, port: settings.service.port };
}
