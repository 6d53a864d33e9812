// The words of `platform timers`: what is due when.

import type { Command } from 'commander';
import { examples, type Finish, ofProject } from '../command-parts.ts';
import type { Terminal } from '../terminal.ts';

export function addTimerCommands(program: Command, terminal: Terminal, finish: Finish): void {
  ofProject(program.command('timers').description('list timers and schedules: when they are due, what they run, and what failed'))
    .option('--json', 'print them as JSON')
    .addHelpText(
      'after',
      `${examples('platform timers', 'platform timers shop --json')}

It reads the store of the project, also while the service runs, and changes nothing.`,
    )
    .action(async (path: string, options: { config?: string; json?: boolean }) => {
      finish(await (await import('./timers.ts')).timers(path, options, terminal));
    });
}
