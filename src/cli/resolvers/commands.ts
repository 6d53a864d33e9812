// The words of `platform resolvers`: calls of composing resolvers that left the other system and the store with different things.

import { Argument, type Command } from 'commander';
import { examples, type Finish, ofProject } from '../command-parts.ts';
import type { Terminal } from '../terminal.ts';

export function addResolverCommands(program: Command, terminal: Terminal, finish: Finish): void {
  const resolvers = program
    .command('resolvers')
    .description('list and settle what calls of composing resolvers left open')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', examples('platform resolvers pending', 'platform resolvers settle 01a1e800-33dc-738f-a3dc-b6bf32b0f979'));
  ofProject(resolvers.command('pending').description('list what could neither be undone nor settled'))
    .option('--json', 'print it as JSON')
    .addHelpText(
      'after',
      `${examples('platform resolvers pending', 'platform resolvers pending shop --json')}\n\nIt works beside a service that runs.`,
    )
    .action(async (path: string, options: { config?: string; json?: boolean }) => {
      finish(await (await import('./resolvers.ts')).pending(path, options, terminal));
    });
  ofProject(
    resolvers
      .command('settle')
      .description('ask the other system what it has, and store that')
      .addArgument(new Argument('<id>', 'identifier of what is pending')),
  )
    .option('--discard', 'strike it out as it is: somebody has seen to it')
    .addHelpText(
      'after',
      `${examples('platform resolvers settle 01a1e800-33dc-738f-a3dc-b6bf32b0f979', 'platform resolvers settle 01a1e800-33dc-738f-a3dc-b6bf32b0f979 --discard')}

On the embedded store the service must be stopped; each start tries it by itself.
Exits with 1 where it cannot be settled.`,
    )
    .action(async (id: string, path: string, options: { config?: string; discard?: boolean }) => {
      finish(await (await import('./resolvers.ts')).settle(id, path, options, terminal));
    });
}
