// The words of `platform migrate`: plan, apply, status, undo, purge.

import type { Command } from 'commander';
import { examples, type Finish, ofProject } from '../command-parts.ts';
import type { Terminal } from '../terminal.ts';
import type { MigrateOptions } from './migrate.ts';

type Act = (path: string, options: MigrateOptions, terminal: Terminal) => Promise<number>;

const notes = `
A start does by itself what only adds or renames (@was("old"), :was), and retires what holds nothing. What
would lose or narrow data is refused there; apply does it. What is dropped is retired: hidden, kept, and back when the model has it
again, until purge removes it. On SQLite stop the service before apply, undo and purge; plan and status
work beside it.`;

export function addMigrateCommands(program: Command, terminal: Terminal, finish: Finish): void {
  const migrate = program
    .command('migrate')
    .description('bring the stored data into the form of a changed model')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', `${examples('platform migrate plan', 'platform migrate apply shop --yes', 'platform migrate undo')}\n${notes}`);
  const add = (name: string, description: string, act: Act): Command =>
    ofProject(migrate.command(name).description(description)).action(async (path: string, options: MigrateOptions) => {
      finish(await act(path, options, terminal));
    });
  const yes = ['-y, --yes', 'do not ask'] as const;
  const json = ['--json', 'print it as JSON'] as const;
  const set = ['--set <entity.attribute=value>', 'what stored instances get that have no value of it; may be repeated', collect] as const;
  add('plan', 'tell what a changed model will do: in words, in SQL, with rows', async (...all) =>
    (await import('./migrate.ts')).plan(...all),
  )
    .option('--sql', 'print the statements alone, for whoever runs them by hand')
    .option('--check', 'exit with 1 when something is pending')
    .option(...set)
    .option(...json)
    .addHelpText('after', examples('platform migrate plan', 'platform migrate plan shop --sql', 'platform migrate plan --check'));
  add('apply', 'do it, in one transaction', async (...all) => (await import('./migrate.ts')).apply(...all))
    .option(...yes)
    .option(...set)
    .option(...json)
    .addHelpText(
      'after',
      examples('platform migrate apply', 'platform migrate apply shop --yes', 'platform migrate apply --set Product.weight=1'),
    );
  add('status', 'tell what is pending, what was done, and what is retired', async (...all) => (await import('./migrate.ts')).status(...all))
    .option(...json)
    .addHelpText('after', examples('platform migrate status', 'platform migrate status --json'));
  add('undo', 'take back the last migration; what it retired is back, what it added is retired', async (...all) =>
    (await import('./migrate.ts')).undo(...all),
  )
    .option(...yes)
    .option(...json)
    .addHelpText('after', examples('platform migrate undo'));
  add('purge', 'remove for good what is retired', async (...all) => (await import('./migrate.ts')).purge(...all))
    .option(...yes)
    .option(...json)
    .addHelpText('after', `${examples('platform migrate purge --yes')}\n\nWithout a terminal to ask on, it wants --yes.`);
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
