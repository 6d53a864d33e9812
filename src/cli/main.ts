// The `platform` command: what it is told becomes one call of a command; each command is read in only when it is called.

import { basename } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addAccessCommands } from './access/commands.ts';
import { addAgentCommands } from './agents/commands.ts';
import { addAuditCommands } from './audit/commands.ts';
import { examples, type Finish, ofProject, parsePort } from './command-parts.ts';
import { addMigrateCommands } from './migrate/commands.ts';
import { addPackageCommands } from './packages/commands.ts';
import { addResolverCommands } from './resolvers/commands.ts';
import { processTerminal, type Terminal } from './terminal.ts';
import { addTimerCommands } from './timers/commands.ts';
import { addBuild, addDataCommands } from './transfer/transfer.ts';
import { addUserCommands } from './users/commands.ts';

/** Milliseconds: no timer takes more. */
const longestTimer = 2 ** 31 - 1;

/** Runs the command of this process and sets its exit code: 0, 1 for a failure, 2 for a wrong command. */
export async function start(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<void> {
  process.stdout.on('error', (thrown: NodeJS.ErrnoException) => {
    // Who wants the beginning of a long output alone (`| head`) stops reading early.
    if (thrown.code === 'EPIPE') return;
    process.stderr.write(`platform: standard output cannot be written: ${thrown.message}\n`);
    process.exit(1);
  });
  // What a command waits for at its end may be a thread, which by itself keeps no process alive: it would end with what it waits for undone.
  const alive = setInterval(() => {}, longestTimer);
  process.exitCode = await main(argv, terminal);
  clearInterval(alive);
  // Whatever is still open must not keep a finished command alive.
  setTimeout(() => process.exit(), 500).unref();
}

export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const outcome = { code: 0 };
  const program = createProgram(terminal, (code) => {
    outcome.code = code;
  });
  try {
    await program.parseAsync([...wanted(argv, program)], { from: 'user' });
    return outcome.code;
  } catch (thrown) {
    return failure(thrown, argv, program, terminal);
  }
}

/** For a command that there is not, commander prints the general help as if all were well: without the wish for help it tells. */
function wanted(argv: readonly string[], program: Command): readonly string[] {
  const [first = '--help', second = '-'] = argv;
  const isUnknown = (word: string) => !word.startsWith('-') && word !== 'help' && program.commands.every((each) => each.name() !== word);
  if (isUnknown(first)) return [first];
  if (first === 'help' && isUnknown(second)) return [second];
  return argv.length === 0 ? [first] : argv;
}

function createProgram(terminal: Terminal, finish: Finish): Command {
  const { embedded } = terminal;
  const program = new Command(embedded === undefined ? 'platform' : `node ${basename(embedded.file)}`)
    .description(
      embedded === undefined
        ? 'Runs the application that a model describes.'
        : `Serves ${embedded.project.name}; without a command, with the flags of run.`,
    )
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text.trimEnd()), writeErr: () => {} })
    .addHelpText('after', (context) => `\n${context.command.name()} <command> --help tells more of a command.`);
  // What a built application has is what makes sense where the model cannot change.
  const adds =
    embedded === undefined
      ? [
          addRun,
          addCheck,
          addFormat,
          addDescriptions,
          addClient,
          addMcp,
          addConvert,
          addExplain,
          addInit,
          addBuild,
          addDataCommands,
          addMigrateCommands,
          addUserCommands,
          addAuditCommands,
          addAccessCommands,
          addResolverCommands,
          addAgentCommands,
          addTimerCommands,
          addPackageCommands,
        ]
      : [
          addRun,
          addCheck,
          addDescriptions,
          addExplain,
          addDataCommands,
          addMigrateCommands,
          addUserCommands,
          addAuditCommands,
          addAccessCommands,
          addResolverCommands,
          addAgentCommands,
          addTimerCommands,
          addPackageCommands,
        ];
  for (const add of adds) add(program, terminal, finish);
  return program;
}

function addRun(program: Command, terminal: Terminal, finish: Finish): void {
  ofProject(program.command('run').description('serve a project, or a single source file'))
    .option('-p, --port <number>', 'port to listen on, in place of service.port', parsePort)
    .option('--host <address>', 'address to listen on, in place of service.host')
    .addOption(
      new Option('-w, --watch', 'take up every change of the model and the configuration').hideHelp(terminal.embedded !== undefined),
    )
    .option('--workers <number>', 'how many processes serve it, on a store of type postgres', parseWorkers)
    .option('--trace', 'tell everybody, not admins alone, who sends the header Platform-Trace: 1 how long the steps of their workflow took')
    .option('--require-llm', 'refuse the start where an agent has no language model that can be asked')
    .option('--hints', 'print calls to try even when the output is not a terminal')
    .addHelpText('after', examples('platform run', 'platform run shop --port 9000 --watch', 'platform run notes.al'))
    .action(
      async (
        path: string,
        options: {
          config?: string;
          port?: number;
          host?: string;
          watch?: boolean;
          workers?: number;
          trace?: boolean;
          requireLlm?: boolean;
          hints?: boolean;
        },
      ) => {
        const { run } = await import('./run/run.ts');
        finish(await run(path, options, terminal));
      },
    );
}

function addCheck(program: Command, terminal: Terminal, finish: Finish): void {
  ofProject(program.command('check').description('examine the model and the configuration of a project'))
    .option('--json', 'print what is found as a JSON array')
    .addHelpText('after', `${examples('platform check', 'platform check shop --json')}\n\nExits with 1 when there are errors.`)
    .action(async (path: string, options: { config?: string; json?: boolean }) => {
      const { check } = await import('./project/check.ts');
      finish(await check(path, options, terminal));
    });
}

function addFormat(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command('format')
    .description('lay out source files, in place')
    .argument('[paths...]', 'folders of projects, or files')
    .option('--check', 'change nothing, name the files that would change, and exit with 1 if there are any')
    .addHelpText('after', examples('platform format', 'platform format shop/src/core.al', 'platform format --check'))
    .action(async (paths: string[], options: { check?: boolean }) => {
      const { format } = await import('./project/format.ts');
      finish(await format(paths, options, terminal));
    });
}

function addDescriptions(program: Command, terminal: Terminal, finish: Finish): void {
  ofProject(program.command('openapi').description('print the OpenAPI document of a project'))
    .addHelpText('after', `${examples('platform openapi', 'platform openapi shop > shop.json')}\n\nExits with 1 when there are errors.`)
    .action(async (path: string, options: { config?: string }) => {
      const { openapi } = await import('./project/openapi.ts');
      finish(await openapi(path, options, terminal));
    });

  ofProject(program.command('graphql').description('print the GraphQL schema of a project'))
    .addHelpText('after', `${examples('platform graphql', 'platform graphql shop > shop.graphql')}\n\nExits with 1 when there are errors.`)
    .action(async (path: string, options: { config?: string }) => {
      const { graphql } = await import('./project/graphql.ts');
      finish(await graphql(path, options, terminal));
    });
}

function addClient(program: Command, terminal: Terminal, finish: Finish): void {
  ofProject(program.command('client').description('write a typed client of the API as one TypeScript file'))
    .option('-o, --out <file>', 'file to write, TypeScript or, named .js, JavaScript; without it the client is printed')
    .option('--check', 'write nothing, and exit with 1 where the file is not what the model says')
    .addHelpText('after', examples('platform client --out web/api.ts', 'platform client shop --out web/api.ts --check'))
    .action(async (path: string, options: { config?: string; out?: string; check?: boolean }) => {
      const { client } = await import('./client/client.ts');
      finish(await client(path, options, terminal));
    });
}

function addMcp(program: Command, terminal: Terminal, finish: Finish): void {
  ofProject(program.command('mcp').description('speak the Model Context Protocol over standard input and output, for an assistant'))
    .option('--user <email>', 'who asks, where authentication is on')
    .option('--url <address>', 'a service that runs, in place of the project')
    .addHelpText(
      'after',
      `${examples('platform mcp shop', 'platform mcp shop --user ann@example.com', 'platform mcp --url http://localhost:8080')}\n\nPLATFORM_API_KEY holds the API key of who asks, in place of --user. The embedded store belongs to one process:\nbeside a service that runs, --url asks that service.`,
    )
    .action(async (path: string, options: { config?: string; user?: string; url?: string }) => {
      const { mcp } = await import('./mcp/mcp.ts');
      finish(await mcp(path, options, terminal));
    });
}

function addConvert(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command('convert')
    .description('write a project in the other surface')
    .argument('<project>', 'folder of the project, or a file')
    .argument('<out>', 'folder to make it in')
    .addHelpText(
      'after',
      `${examples('platform convert company company-current')}\n\nWhat has no counterpart is listed, and kept as a comment.`,
    )
    .action(async (project: string, out: string) => {
      const { convert } = await import('./project/convert.ts');
      finish(await convert(project, out, terminal));
    });
}

function addExplain(program: Command, terminal: Terminal, finish: Finish): void {
  ofProject(
    program
      .command('explain')
      .description('tell what an event does, with the statement of each step, or how a list is read')
      .argument('<event>', 'name of the event, bare or qualified; or the path of a list, with its query'),
  )
    .addHelpText(
      'after',
      `${examples('platform explain purchase', 'platform explain shop/purchase shop', "platform explain '/shop/Purchase?quantity[gt]=3' shop")}\n\nExits with 1 when there are errors.`,
    )
    .action(async (event: string, path: string, options: { config?: string }) => {
      const { explain } = await import('./explain/explain.ts');
      finish(await explain(event, path, options, terminal));
    });
}

function addInit(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command('init')
    .description('make a new project')
    .argument('<project>', 'folder to make it in')
    .addHelpText(
      'after',
      `${examples('platform init shop')}\n\nA folder that holds a project is left as it is; in another one its files are kept.`,
    )
    .action(async (project: string) => {
      const { init } = await import('./project/init.ts');
      finish(init(project, terminal));
    });
}

function parseWorkers(given: string): number {
  const count = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (!(count >= 1 && count <= 256)) throw new InvalidArgumentError('It must be an integer from 1 to 256.');
  return count;
}

async function failure(thrown: unknown, argv: readonly string[], program: Command, terminal: Terminal): Promise<number> {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return 0;
    terminal.err(`platform: ${mistake(thrown, argv, program)}; see ${program.name()} --help`);
    return 2;
  }
  const { refusal } = await import('./refusal.ts');
  const line = refusal(thrown);
  const bug = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  terminal.err(line === undefined ? `platform: something unexpected happened\n${bug}` : `platform: ${line}`);
  return 1;
}

/** Of a command that is a group, commander says nothing. */
function mistake({ code, message }: CommanderError, argv: readonly string[], program: Command): string {
  const group = program.commands.find((each) => each.name() === argv[0])?.commands.map((each) => each.name()) ?? [];
  if (code === 'commander.help') return `${argv[0] ?? ''} wants a word more: ${group.filter((each) => each !== 'help').join(', ')}`;
  return message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\.$/, '');
}
