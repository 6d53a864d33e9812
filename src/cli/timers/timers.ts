// `platform timers`: the timers and schedules that are kept, in the order in which they are due.

import { systemClock } from '../../clock.ts';
import { compile } from '../../plan/compile.ts';
import { readSnapshot } from '../../store/snapshot.ts';
import { StartRefused } from '../../store/store.ts';
import { type KeptTimer, keptTimers } from '../../timers/inspect.ts';
import { load } from '../load.ts';
import { counted, printable, report } from '../report.ts';
import type { Colours, Terminal } from '../terminal.ts';

interface Options {
  readonly config?: string;
  readonly json?: boolean;
}

export async function timers(path: string, { config, json = false }: Options, terminal: Terminal): Promise<number> {
  const { model, settings, diagnostics, sources } = await load({ path, config, keepsStoreId: false }, terminal);
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return 1;
  const plan = compile(model);
  if (!plan.entities.has('platform/timer')) throw new StartRefused('The model has no timers and no schedules.');
  const found = await readSnapshot({ settings: settings.store, clock: systemClock(), tables: plan.tables }, (reader) =>
    keptTimers(plan, reader),
  );
  if (json) terminal.out(JSON.stringify(found, undefined, 2));
  else {
    for (const each of found) terminal.out(lineOf(each, terminal.colours));
    terminal.err(counted(found.length, 'timer'));
  }
  return 0;
}

function lineOf({ name, due, when, trigger, runs, user, error }: KeptTimer, colours: Colours): string {
  const what = trigger === name ? '' : ` runs ${printable(trigger)}`;
  const whose = user === null ? '' : ` for ${printable(user)}`;
  const failure = error === null ? '' : colours.red(`  failed: ${printable(error)}`);
  return `${due ?? 'never again             '}  ${colours.bold(printable(name))}${what} ${printable(when)}${whose}${colours.dim(`, ${counted(runs, 'run')}`)}${failure}`;
}
