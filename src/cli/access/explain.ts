// `platform access explain`: by which rule, owner or grant a user may do something, or why by none.

import { type AccessQuestion, explanationOf } from '../../access/explanation.ts';
import { surfaceOf } from '../../app.ts';
import { systemClock } from '../../clock.ts';
import { targetAt } from '../../operators/target.ts';
import { readSnapshot } from '../../store/snapshot.ts';
import type { Terminal } from '../terminal.ts';
import { jsonOf, linesOf } from './explanation-text.ts';
import { type OfProject, readGuarded } from './project.ts';

export interface ExplainOptions extends OfProject, AccessQuestion {
  readonly json?: boolean;
}

export async function explain(path: string, options: ExplainOptions, terminal: Terminal): Promise<number> {
  const guarded = await readGuarded(path, options, terminal);
  if (guarded === undefined) return 1;
  const { settings, plan, access } = guarded;
  const clock = systemClock();
  const surface = surfaceOf(plan, { ...settings, service: { ...settings.service, surfaces: ['current', 'earlier'] } });
  const target = targetAt(options.on, plan, surface);
  const explanation = await readSnapshot({ settings: settings.store, clock, tables: plan.tables }, (reader) =>
    explanationOf(target, options, { plan, access, clock }, reader),
  );
  terminal.out(options.json === true ? jsonOf(explanation, terminal.folder) : linesOf(explanation, terminal).join('\n'));
  return 0;
}
