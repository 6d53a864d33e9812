// The words of `platform access`: who may do what by the model, and why a user may do something or not.

import { type Command, Option } from 'commander';
import { examples, type Finish, ofProject } from '../command-parts.ts';
import type { Terminal } from '../terminal.ts';

export function addAccessCommands(program: Command, terminal: Terminal, finish: Finish): void {
  const access = program
    .command('access')
    .description('show who may do what, and why')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText(
      'after',
      examples(
        'platform access explain --user ann@example.com --op update --on /blog/Post/1',
        'platform access matrix',
        'platform access check --against access.json',
      ),
    );
  addExplain(access, terminal, finish);
  addMatrix(access, terminal, finish);
  addCheck(access, terminal, finish);
  addAssignOwners(access, terminal, finish);
}

interface ExplainWords {
  readonly config?: string;
  readonly user: string;
  readonly op: 'create' | 'read' | 'update' | 'delete' | 'execute';
  readonly on: string;
  readonly roles?: readonly string[];
  readonly json?: boolean;
}

function addExplain(access: Command, terminal: Terminal, finish: Finish): void {
  const operations = ['create', 'read', 'update', 'delete', 'execute'];
  ofProject(access.command('explain').description('tell by which rule, owner or grant a user may do something, or why by none'))
    .requiredOption('--user <email>', 'the user')
    .addOption(new Option('--op <operation>', 'what is done; execute of an event').choices(operations).makeOptionMandatory())
    .requiredOption('--on <path>', 'path of an instance, of a collection for create, or of an event, on either surface')
    .option('--roles <roles>', 'with these roles alone, as an API key of the user has them, with commas between them', listed)
    .option('--json', 'print it as JSON')
    .addHelpText(
      'after',
      `${examples(
        'platform access explain --user ann@example.com --op update --on /blog/Post/1',
        'platform access explain --user ann@example.com --op create --on /blog/Post/1/PostComment/Comment',
        'platform access explain shop --user ann@example.com --op execute --on /shop/purchase',
      )}

It reads the store of the project, also while the service runs, and changes nothing.`,
    )
    .action(async (path: string, options: ExplainWords) => {
      finish(await (await import('./explain.ts')).explain(path, options, terminal));
    });
}

function listed(given: string): readonly string[] {
  return given.split(',').map((each) => each.trim());
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

interface AssignWords {
  readonly config?: string;
  readonly from: string;
  readonly entity?: readonly string[];
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

function addAssignOwners(access: Command, terminal: Terminal, finish: Finish): void {
  ofProject(access.command('assign-owners').description('give instances that have no owner the users whom an attribute names'))
    .requiredOption('--from <attribute>', 'attribute that holds the e-mail address of a user')
    .option('--entity <type>', 'only of this entity: blog/Post; may be repeated', (text: string, before: readonly string[] = []) => [
      ...before,
      text,
    ])
    .option('--dry-run', 'change nothing, and tell what would be done')
    .option('--json', 'print it as JSON')
    .addHelpText(
      'after',
      `${examples(
        'platform access assign-owners --from author --dry-run',
        'platform access assign-owners shop --from buyer --entity shop/Order',
      )}

What has an owner of its own is left alone, so that it can be run again. What nobody owns is the admins’.
Exits with 1 when instances name somebody who is no user.`,
    )
    .action(async (path: string, options: AssignWords) => {
      finish(await (await import('./assign-owners.ts')).assign(path, options, terminal));
    });
}
