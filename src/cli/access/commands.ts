// The words of `platform access`: who may do what by the model, and why a user may do something or not.

import type { Command } from 'commander';
import { examples, type Finish, ofProject } from '../command-parts.ts';
import type { Terminal } from '../terminal.ts';

export function addAccessCommands(program: Command, terminal: Terminal, finish: Finish): void {
  const access = program
    .command('access')
    .description('show who may do what, and why')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', examples('platform access matrix', 'platform access check --against access.json'));
  addMatrix(access, terminal, finish);
  addCheck(access, terminal, finish);
}

function addMatrix(access: Command, terminal: Terminal, finish: Finish): void {
  ofProject(access.command('matrix').description('print who may do what with which type, by the model alone'))
    .option('--json', 'print it as JSON, one right on each line')
    .addHelpText('after', examples('platform access matrix', 'platform access matrix shop --json > shop/access.json'))
    .action(async (path: string, options: { config?: string; json?: boolean }) => {
      finish(await (await import('./matrix.ts')).matrix(path, options, terminal));
    });
}

function addCheck(access: Command, terminal: Terminal, finish: Finish): void {
  ofProject(access.command('check').description('tell what the model allows otherwise than a file says'))
    .requiredOption('--against <file>', 'what platform access matrix printed, as a table or as JSON')
    .addHelpText(
      'after',
      `${examples('platform access check --against access.json', 'platform access check shop --against shop/access.json')}\n\nExits with 1 when they differ.`,
    )
    .action(async (path: string, options: { config?: string; against: string }) => {
      finish(await (await import('./matrix.ts')).check(path, options, terminal));
    });
}
