// What the commands have in common: where the project stands, which configuration it has, and how a command ends.

import type { Command } from 'commander';

/** With the exit code. */
export type Finish = (code: number) => void;

export function atProject(command: Command): Command {
  return command.argument('[path]', 'folder of the project, or a file', '.');
}

export function ofProject(command: Command): Command {
  return atProject(command).option('-c, --config <file>', 'configuration file, in place of the project’s config.al');
}

export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  $ ${line}`)].join('\n');
}
