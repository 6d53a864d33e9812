// The entry of a built application: its arguments are those of `run`, or name another command that works on its data.

import { isMainThread } from 'node:worker_threads';
import manifest from '../../package.json' with { type: 'json' };
import { start } from '../cli/main.ts';
import { processTerminal } from '../cli/terminal.ts';
import type { EmbeddedProject } from '../config/embedded-project.ts';
import { fileToRead } from '../store/sqlite/slow/messages.ts';
import { readPart } from './parts.ts';

(isMainThread && fileToRead() === undefined ? begin(process.argv.slice(2)) : inside()).catch((thrown: unknown) => {
  process.stderr.write(`platform: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exitCode = 1;
});

/** The same file is what its threads and processes are started with. */
async function inside(): Promise<void> {
  await import('../store/sqlite/slow/reader-main.ts');
  await import('../store/sqlite/backup/thread-main.ts');
  await import('../identity/passwords/hashing/thread-main.ts');
}

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
  // Flags alone are those of run; the wish for help is about all of it.
  const isRun = given[0] === undefined || (given[0].startsWith('-') && given[0] !== '-h' && given[0] !== '--help');
  await start(isRun ? ['run', ...given] : given, { ...processTerminal(), embedded: { file: __filename, project } });
}
