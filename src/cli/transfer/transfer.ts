// The commands that take an application or its data elsewhere: build, backup, export, import, store copy.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { atProject, examples, type Finish, ofProject } from '../command-parts.ts';
import type { Terminal } from '../terminal.ts';

export function addDataCommands(program: Command, terminal: Terminal, finish: Finish): void {
  addBackup(program, terminal, finish);
  addExport(program, terminal, finish);
  addImport(program, terminal, finish);
  addStore(program, terminal, finish);
}

const buildNotes = `
The file runs where there is nothing but Node 20 or newer: node out/<name>-<version>.cjs -c <config>.
It takes the flags of run. No configuration is put into it; relative paths go from the configuration
file, else from the current folder. --platform takes a list such as linux-x64,darwin-arm64, or all.`;

export function addBuild(program: Command, terminal: Terminal, finish: Finish): void {
  atProject(program.command('build').description('write a project into one file that runs anywhere'))
    .option('-o, --out <folder>', 'folder to write to, in place of out in the project')
    .option('--platform <list>', 'machines to build for, in place of one like this')
    .addHelpText('after', `${examples('platform build', 'platform build shop --platform all')}\n${buildNotes}`)
    .action(async (path: string, options: { out?: string; platform?: string }) => {
      const { build, parsePlatforms } = await import('../build/build.ts');
      const platform = options.platform === undefined ? undefined : parsePlatforms(options.platform);
      if (options.platform !== undefined && platform === undefined) {
        throw new InvalidArgumentError(
          '--platform takes linux-x64, linux-arm64, darwin-x64, darwin-arm64, win32-x64, win32-arm64, or all.',
        );
      }
      const { out } = options;
      finish(await build(path, { ...(out === undefined ? {} : { out }), ...(platform === undefined ? {} : { platform }) }, terminal));
    });
}

const backupNotes = `
The service may run meanwhile: the copy is the data at one moment. It is checked, and private to you;
nothing is overwritten. To restore, stop the service, put the copy in the place of the database, start.
A project on PostgreSQL is told which command of PostgreSQL does the same.`;

function addBackup(program: Command, terminal: Terminal, finish: Finish): void {
  ofProject(program.command('backup').description('copy the data to a file while the service runs').argument('<file>', 'file to make'))
    .addHelpText('after', `${examples('platform backup monday.db', 'platform backup /backup/shop.db shop')}\n${backupNotes}`)
    .action(async (file: string, path: string, options: { config?: string }) => {
      const { backup } = await import('./backup.ts');
      finish(await backup(file, path, options, terminal));
    });
}

const exportNotes = `
All entities and links go to a folder, one file each (export where nothing is said); one of them goes
to standard output, or to a file that ends with .jsonl or .csv. The service may run meanwhile.
Secrets are in it as hashes: keep the files to yourself, or leave them out with --no-secrets.`;

function addExport(program: Command, terminal: Terminal, finish: Finish): void {
  ofProject(program.command('export').description('write the data as lines of JSON, or as CSV'))
    .option('-e, --entity <name>', 'one entity or link, in place of all')
    .addOption(new Option('-f, --format <format>', 'jsonl or csv').choices(['jsonl', 'csv']))
    .option('-o, --out <place>', 'folder or file to make, or - for standard output')
    .option('--no-secrets', 'leave the hashes of secrets out')
    .addHelpText('after', `${examples('platform export --out monday', 'platform export -e Post -f csv > posts.csv')}\n${exportNotes}`)
    .action(
      async (path: string, options: { config?: string; entity?: string; format?: 'jsonl' | 'csv'; out?: string; secrets: boolean }) => {
        const { exportData } = await import('./export.ts');
        finish(await exportData(path, options, terminal));
      },
    );
}

const importNotes = `
Every line is checked as a request is, and added with its identifier, place, version and hashes; no
trigger runs. Lines that do not fit are told with file and line, and the others are added. Cut off, the
same command goes on where it was; what is there already, exactly so, is left alone. The embedded store
takes one process: stop the service first. Exits with 1 when a line was refused.`;

function addImport(program: Command, terminal: Terminal, finish: Finish): void {
  ofProject(
    program.command('import').description('add exported data').argument('<from>', 'folder, or a file that ends with .jsonl or .csv'),
  )
    .option('-e, --entity <name>', 'what the file holds, or the one to take from the folder')
    .option('--strict', 'end at the first batch of lines with one that does not fit')
    .option('--checkpoint <file>', 'where to remember how far it came, in place of a file beside the data')
    .addHelpText('after', `${examples('platform import monday', 'platform import posts.csv --entity Post')}\n${importNotes}`)
    .action(async (from: string, path: string, options: { config?: string; entity?: string; strict?: boolean; checkpoint?: string }) => {
      const { importData } = await import('./import/import.ts');
      finish(await importData(from, path, options, terminal));
    });
}

const copyNotes = `
A store is named as sqlite:<file>, as postgres://<user>:<password>@<host>:<port>/<database>, or as
config:<file>, which is the store of that configuration and keeps the password out of the command.
The target gets the tables first; one that holds data is refused. Counts and hashes are compared.`;

function addStore(program: Command, terminal: Terminal, finish: Finish): void {
  const store = program.command('store').description('move the data to another store');
  ofProject(store.command('copy').description('copy all data of a project from one store to another'))
    .option('--from <store>', 'store to read, in place of the project’s own')
    .requiredOption('--to <store>', 'store to fill')
    .addHelpText(
      'after',
      `${examples('platform store copy --to config:live.al', 'platform store copy --from sqlite:data/shop.db --to postgres://me@db/shop')}\n${copyNotes}`,
    )
    .action(async (path: string, options: { config?: string; from?: string; to: string }) => {
      const { copyStore } = await import('./store-copy.ts');
      finish(await copyStore(path, options, terminal));
    });
}
