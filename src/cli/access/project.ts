// The project of a command about access control: its plan, with the rules of the model as the guard has them.

import type { AccessPlan } from '../../plan/access/right.ts';
import { compile } from '../../plan/compile.ts';
import type { Plan } from '../../plan/plan.ts';
import { StartRefused } from '../../store/store.ts';
import { load, type Ready } from '../load.ts';
import { report } from '../report.ts';
import type { Terminal } from '../terminal.ts';

export interface OfProject {
  readonly config?: string;
}

export interface Guarded extends Ready {
  readonly plan: Plan;
  readonly access: AccessPlan;
}

/** Nothing where the model has errors, which are printed. */
export async function readGuarded(
  path: string,
  { config }: OfProject,
  terminal: Terminal,
  keepsStoreId = false,
): Promise<Guarded | undefined> {
  const loaded = await load({ path, config, keepsStoreId }, terminal);
  const { model, diagnostics, sources } = loaded;
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return undefined;
  const plan = compile(model, { identified: true });
  if (plan.access === undefined) throw new StartRefused('Access control is off in this project. Set rbac.enabled.');
  return { ...loaded, model, plan, access: plan.access };
}
