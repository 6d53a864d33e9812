// The entry of a built application: its arguments are those of `run`, or name another command that works on its data.

import manifest from '../../package.json' with { type: 'json' };
import type { EmbeddedProject } from '../config/embedded-project.ts';
import { start } from './main.ts';
import { readPart } from './standalone-parts.ts';
import { processTerminal } from './terminal.ts';

/** What makes sense where the model cannot change. */
const commands: ReadonlySet<string> = new Set(['run', 'check', 'openapi', 'explain', 'migrate', 'backup', 'export', 'import', 'store']);

begin(process.argv.slice(2)).catch((thrown: unknown) => {
  process.stderr.write(`platform: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exitCode = 1;
});

async function begin(given: readonly string[]): Promise<void> {
  if (given[0] === '--licences') {
    process.stdout.write(readPart(__filename, 'third-party')?.toString() ?? '');
    return;
  }
  const part = readPart(__filename, 'project');
  if (part === undefined) throw new Error(`the file ${__filename} holds no application`);
  const project: EmbeddedProject = JSON.parse(part.toString());
  if (given[0] === '-V' || given[0] === '--version') {
    process.stdout.write(`${project.name} ${project.version} (platform ${manifest.version})\n`);
    return;
  }
  await start(commands.has(given[0] ?? '') ? given : ['run', ...given], { ...processTerminal(), embedded: { file: __filename, project } });
}
