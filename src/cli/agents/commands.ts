// The words of `platform runs`, what agents did, and of `platform test-agents`, whether they do what their scenarios say.

import { type Command, InvalidArgumentError } from 'commander';
import { examples, type Finish, ofProject } from '../command-parts.ts';
import type { Terminal } from '../terminal.ts';

const notes = `
They read the store of the project, also while the service runs, and change nothing.`;

interface ListWords {
  readonly config?: string;
  readonly agent?: string;
  readonly status?: string;
  readonly user?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export function addAgentCommands(program: Command, terminal: Terminal, finish: Finish): void {
  addRuns(program, terminal, finish);
  addTest(program, terminal, finish);
}

function addRuns(program: Command, terminal: Terminal, finish: Finish): void {
  const runs = ofProject(program.command('runs').description('list the runs of agents, and show what one of them did'))
    .option('--agent <name>', 'of this agent: desk/clerk')
    .option('--status <status>', 'queued, running, waiting, succeeded, failed, cancelled or interrupted')
    .option('--user <email>', 'of what this user asked')
    .option('--limit <number>', 'so many of the newest', parseLimit, 50)
    .option('--json', 'print them as JSON')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText(
      'after',
      `${examples('platform runs', 'platform runs shop --status failed', 'platform runs show 0199c4c2-0000-7000-8000-000000000000')}\n${notes}`,
    )
    .action(async (path: string, options: ListWords) => {
      finish(await (await import('./runs.ts')).list(path, options, terminal));
    });
  ofProject(
    runs.command('show').description('print one run: its steps, tokens, cost, and the calls of its tools').argument('<id>', 'the run'),
  )
    .option('--json', 'print it as JSON')
    .addHelpText('after', `${examples('platform runs show 0199c4c2-0000-7000-8000-000000000000 shop')}\n${notes}`)
    .action(async (id: string, path: string, _: unknown, command: Command) => {
      // Options that the group has too are read by the group.
      finish(await (await import('./runs.ts')).show(id, path, command.optsWithGlobals(), terminal));
    });
}

function addTest(program: Command, terminal: Terminal, finish: Finish): void {
  ofProject(program.command('test-agents').description('try every scenario of every agent'))
    .option('--agent <name>', 'of this agent alone')
    .option('--json', 'print the results as JSON')
    .option('--junit <file>', 'write them as JUnit XML too')
    .addHelpText(
      'after',
      `${examples('platform test-agents', 'platform test-agents shop --agent classify', 'LLM_REPLAY=replies platform test-agents --junit agents.xml')}

The language model of the settings is asked, or with LLM_REPLAY what LLM_RECORD has kept of its replies.
Each scenario has an empty store of its own; the data of the project is left alone, and nobody has to
approve of anything. An agent is not shown the scenario that it is tried with.
Exits with 1 when one of them fails.`,
    )
    .action(async (path: string, options: { config?: string; agent?: string; json?: boolean; junit?: string }) => {
      finish(await (await import('./test-agents.ts')).testAgents(path, options, terminal));
    });
}

function parseLimit(given: string): number {
  const limit = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  if (!(limit >= 1 && limit <= 100_000)) throw new InvalidArgumentError('It must be an integer from 1 to 100000.');
  return limit;
}
