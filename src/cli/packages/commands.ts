// The words of `platform packages`: which models a project depends on.

import type { Command } from 'commander';
import { examples, type Finish, ofProject } from '../command-parts.ts';
import type { Terminal } from '../terminal.ts';

export function addPackageCommands(program: Command, terminal: Terminal, finish: Finish): void {
  ofProject(program.command('packages').description('list the model packages that a project depends on, with their modules'))
    .option('--json', 'print them as JSON')
    .addHelpText('after', `${examples('platform packages', 'platform packages staff --json')}\n\nExits with 1 when there are errors.`)
    .action(async (path: string, options: { config?: string; json?: boolean }) => {
      finish(await (await import('./packages.ts')).packages(path, options, terminal));
    });
}
