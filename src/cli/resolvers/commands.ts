// The words of `platform resolvers`: what calls of composing resolvers left open, and calls recorded to be tried without the other system.

import { resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import { examples, type Finish, ofProject, parsePort } from '../command-parts.ts';
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
  addRecordedCommands(program, terminal, finish);
}

function addRecordedCommands(program: Command, terminal: Terminal, finish: Finish): void {
  const resolver = program
    .command('resolver')
    .description('record the calls of a resolver, and serve them again without the other system')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText(
      'after',
      examples('platform resolver record hr/people --out people.calls', 'platform resolver fake hr/people --from people.calls'),
    );
  served(resolver.command('record').description('serve the project, and record the calls of a resolver against the other system'))
    .requiredOption('-o, --out <file>', 'file that the calls are written into; one that is there is not written over')
    .addHelpText(
      'after',
      `${examples('platform resolver record hr/people --out people.calls', 'platform resolver record hr/people hr --out people.calls --port 9000')}

It serves until a signal ends it. Headers of the configuration and attributes that nobody is answered are not written down.`,
    )
    .action(async (name: string, path: string, { out, ...options }: ServedOptions & { out: string }) => {
      const { run } = await import('../run/run.ts');
      finish(await run(path, { ...options, resolver: { name, record: resolve(terminal.folder, out) } }, terminal));
    });
  served(resolver.command('fake').description('serve the project with recorded calls in place of the other system'))
    .requiredOption('-f, --from <file>', 'file of recorded calls')
    .addHelpText(
      'after',
      `${examples('platform resolver fake hr/people --from people.calls')}

A call that is not recorded is refused with 422. The setting {"name": "hr/people", "fake": "people.calls"} of resolvers does the same.`,
    )
    .action(async (name: string, path: string, { from, ...options }: ServedOptions & { from: string }) => {
      const { run } = await import('../run/run.ts');
      finish(await run(path, { ...options, resolver: { name, fake: resolve(terminal.folder, from) } }, terminal));
    });
}

interface ServedOptions {
  readonly config?: string;
  readonly port?: number;
  readonly host?: string;
}

function served(command: Command): Command {
  return ofProject(command.addArgument(new Argument('<name>', 'qualified name of the resolver, such as hr/people')))
    .option('-p, --port <number>', 'port to listen on, in place of service.port', parsePort)
    .option('--host <address>', 'address to listen on, in place of service.host');
}
