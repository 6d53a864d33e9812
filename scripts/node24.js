// The other runtime of the long form: Node 24, as npm has it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, runNpm, say } from './steps.js';

const version = '24.9.0';

/** The program, fetched the first time. */
export function node24() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const folder = join(root, 'out', `node-${version}`);
  const program = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(program)) return program;
  say(`Fetching Node ${version} …`);
  const status = runNpm(['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${version}`]);
  if (status !== 0) throw new Error(`Node ${version} could not be fetched as ${name}`);
  return program;
}
