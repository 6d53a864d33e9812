// What the commands have in common: where the project stands, which configuration it has, and how a command ends.

import { type Command, InvalidArgumentError } from 'commander';

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

export function parsePort(given: string): number {
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('It must be an integer from 0 to 65535.');
  return port;
}
