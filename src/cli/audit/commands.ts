// The words of `platform audit`: whether the trail is as it was written, and what is in it.

import { type Command, InvalidArgumentError } from 'commander';
import { examples, type Finish, ofProject } from '../command-parts.ts';
import type { Terminal } from '../terminal.ts';

const notes = `
verify and show read the store of the project, also while the service runs, and change nothing.`;

export function addAuditCommands(program: Command, terminal: Terminal, finish: Finish): void {
  const audit = program
    .command('audit')
    .description('prove that the audit trail is as it was written, and show it')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', `${examples('platform audit verify', 'platform audit show --type blog/Post --instance 1')}\n${notes}`);
  addVerify(audit, terminal, finish);
  addShow(audit, terminal, finish);
  addRotate(audit, terminal, finish);
}

function addRotate(audit: Command, terminal: Terminal, finish: Finish): void {
  ofProject(audit.command('rotate').description('put a new key in the place of the one that entries are signed with'))
    .addHelpText(
      'after',
      `${examples('platform audit rotate', 'platform audit rotate shop')}

Stop the service first, on all machines, and give each of them the new file of the key before it starts
again. The keys before stay in the file: they prove what they have signed, and sign nothing any more.`,
    )
    .action(async (path: string, options: { config?: string }) => {
      finish(await (await import('./audit.ts')).rotate(path, options, terminal));
    });
}

function addVerify(audit: Command, terminal: Terminal, finish: Finish): void {
  ofProject(audit.command('verify').description('find what was altered, removed, inserted, reordered or cut off'))
    .option('--json', 'print it as JSON')
    .addHelpText(
      'after',
      `${examples('platform audit verify', 'platform audit verify shop --json')}

It needs the key of the trail (auditTrail.key) and its anchor (auditTrail.anchor).
Exits with 1 when something is not as it was written, or cannot be verified.`,
    )
    .action(async (path: string, options: { config?: string; json?: boolean }) => {
      finish(await (await import('./audit.ts')).verify(path, options, terminal));
    });
}

interface ShowWords {
  readonly config?: string;
  readonly type?: string;
  readonly instance?: string;
  readonly user?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly json?: boolean;
}

function addShow(audit: Command, terminal: Terminal, finish: Finish): void {
  ofProject(audit.command('show').description('print entries, with what changed in each'))
    .option('--type <type>', 'of instances of this type: blog/Post')
    .option('--instance <id>', 'of this instance: its identifier, or its __path__ where it stands under another one')
    .option('--user <email>', 'of what this user did')
    .option('--since <time>', 'not before this time: 2026-01-31, or 2026-01-31T12:00:00Z', parseTime)
    .option('--until <time>', 'not after this time', parseTime)
    .option('--limit <number>', 'so many of the newest', parseLimit, 50)
    .option('--json', 'print them as JSON')
    .addHelpText(
      'after',
      examples('platform audit show', 'platform audit show shop --user ann@example.com --since 2026-01-31', 'platform audit show --json'),
    )
    .action(async (path: string, options: ShowWords) => {
      finish(await (await import('./audit.ts')).show(path, options, terminal));
    });
}

function parseLimit(given: string): number {
  const limit = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  if (!(limit >= 1 && limit <= 100_000)) throw new InvalidArgumentError('It must be an integer from 1 to 100000.');
  return limit;
}

/** A day begins at midnight, UTC. */
function parseTime(given: string): string {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(given) && !Number.isNaN(Date.parse(given));
  if (!isTime) throw new InvalidArgumentError('It must be a date, or a time with its zone: 2026-01-31T12:00:00Z.');
  return new Date(given).toISOString();
}
