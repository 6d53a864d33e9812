// The words of `platform users` and `platform keys`: accounts of a project, for the operator who has its store and no token.

import { Argument, type Command } from 'commander';
import { examples, type Finish, ofProject } from '../command-parts.ts';
import type { Terminal } from '../terminal.ts';

const notes = `
They work on the store of the project. The embedded store belongs to one process: stop the service first,
but for list, which works beside it; on PostgreSQL all of them do. A password is asked for on the terminal,
or is the first line of standard input; it is never an argument.`;

export function addUserCommands(program: Command, terminal: Terminal, finish: Finish): void {
  const users = program
    .command('users')
    .description('list, add, remove, disable users, set their passwords and roles')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', `${examples('platform users list', 'platform users add ann@example.com --role admin')}\n${notes}`);
  addList(users, terminal, finish);
  addAdd(users, terminal, finish);
  addRemove(users, terminal, finish);
  addPassword(users, terminal, finish);
  addRole(users, terminal, finish);
  addSwitch(users, ['disable', 'let a user in no more: no login, no token, no key'], terminal, finish);
  addSwitch(users, ['enable', 'let a user in again who was disabled'], terminal, finish);
  addKeys(program, terminal, finish);
}

const email = ['<email>', 'address of the user'] as const;

function addList(users: Command, terminal: Terminal, finish: Finish): void {
  ofProject(users.command('list').description('list the users, with their roles'))
    .option('--json', 'print it as JSON')
    .addHelpText('after', examples('platform users list', 'platform users list shop --json'))
    .action(async (path: string, options: { config?: string; json?: boolean }) => {
      finish(await (await import('./users.ts')).list(path, options, terminal));
    });
}

function addAdd(users: Command, terminal: Terminal, finish: Finish): void {
  ofProject(
    users
      .command('add')
      .description('add a user, who need not confirm the address')
      .argument(...email),
  )
    .option('--role <role>', 'role to give; may be repeated', collect)
    .option('--name <name>', 'name of the user')
    .addHelpText(
      'after',
      examples(
        'platform users add ann@example.com --role admin',
        'platform users add ann@example.com shop --name "Ann Lee" < password.txt',
      ),
    )
    .action(async (given: string, path: string, options: { config?: string; role?: readonly string[]; name?: string }) => {
      finish(await (await import('./users.ts')).add(given, path, options, terminal));
    });
}

function addRemove(users: Command, terminal: Terminal, finish: Finish): void {
  ofProject(
    users
      .command('remove')
      .description('remove a user, with roles, keys and sessions')
      .argument(...email),
  )
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', `${examples('platform users remove ann@example.com --yes')}\n\nWithout a terminal to ask on, it wants --yes.`)
    .action(async (given: string, path: string, options: { config?: string; yes?: boolean }) => {
      finish(await (await import('./users.ts')).remove(given, path, options, terminal));
    });
}

function addPassword(users: Command, terminal: Terminal, finish: Finish): void {
  ofProject(
    users
      .command('password')
      .description('set the password of a user, and end the sessions')
      .argument(...email),
  )
    .addHelpText('after', examples('platform users password ann@example.com', 'platform users password ann@example.com < password.txt'))
    .action(async (given: string, path: string, options: { config?: string }) => {
      finish(await (await import('./users.ts')).password(given, path, options, terminal));
    });
}

function addRole(users: Command, terminal: Terminal, finish: Finish): void {
  ofProject(
    users
      .command('role')
      .description('give a user a role, or take it away')
      .argument(...email)
      .addArgument(new Argument('<change>', 'add or remove').choices(['add', 'remove']))
      .argument('<role>', 'name of the role'),
  )
    .addHelpText('after', examples('platform users role ann@example.com add admin', 'platform users role ann@example.com remove admin'))
    .action(async (given: string, change: 'add' | 'remove', role: string, path: string, options: { config?: string }) => {
      finish(await (await import('./users.ts')).role({ email: given, change, role }, path, options, terminal));
    });
}

function addSwitch(users: Command, [name, description]: readonly ['disable' | 'enable', string], terminal: Terminal, finish: Finish): void {
  ofProject(
    users
      .command(name)
      .description(description)
      .argument(...email),
  )
    .addHelpText('after', examples(`platform users ${name} ann@example.com`))
    .action(async (given: string, path: string, options: { config?: string }) => {
      finish(await (await import('./users.ts'))[name](given, path, options, terminal));
    });
}

const keyNotes = `
Running services sign with the new key within a minute. Tokens that the old one has signed are valid until they expire.`;

function addKeys(program: Command, terminal: Terminal, finish: Finish): void {
  const keys = program
    .command('keys')
    .description('replace the key that tokens are signed with')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', `${examples('platform keys rotate')}\n${keyNotes}`);
  ofProject(keys.command('rotate').description('make a new key that signs from now on'))
    .addHelpText('after', `${examples('platform keys rotate', 'platform keys rotate shop')}\n${keyNotes}`)
    .action(async (path: string, options: { config?: string }) => {
      finish(await (await import('./users.ts')).rotate(path, options, terminal));
    });
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
