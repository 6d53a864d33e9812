// `npm run test:mutations`: breaks each condition of access control once, in a copy of the project, and says which of them no test notices.

import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mutant, mutants } from './mutants.ts';

const root = join(import.meta.dirname, '../../../..');
/** The fast part: each of them on the embedded store, one surface, until something fails. */
const tests = ['strict', 'conditions', 'roles', 'trees', 'between', 'defaults', 'decisions', 'assignments'].map(
  (name) => `test/access/oracle/${name}.test.ts`,
);
const [from = '0', to = String(mutants.length)] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), 'platform-mutations-'));
try {
  for (const name of ['src', 'test', 'vitest.config.ts', 'package.json', 'tsconfig.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  if (!(await isGreen())) throw new Error('The tests fail without a change.');
  const survivors: string[] = [];
  for (const [at, mutant] of mutants.entries()) {
    if (at < Number(from) || at >= Number(to)) continue;
    const isNoticed = await notices(mutant);
    const line = `${at} ${mutant.file}: ${mutant.piece.trim()} → ${mutant.instead.trim()}`;
    process.stdout.write(`${isNoticed ? 'noticed' : 'SURVIVED'} ${line}\n`);
    if (!isNoticed) survivors.push(line);
  }
  process.stdout.write(`${survivors.length} of ${Number(to) - Number(from)} survived\n`);
  process.exitCode = survivors.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function notices({ file, piece, instead }: Mutant): Promise<boolean> {
  const place = join(folder, file);
  const source = readFileSync(place, 'utf8');
  if (source.split(piece).length !== 2) throw new Error(`${file} does not have this once: ${piece}`);
  writeFileSync(
    place,
    source.replace(piece, () => instead),
  );
  try {
    return !(await isGreen());
  } finally {
    writeFileSync(place, source);
  }
}

function isGreen(): Promise<boolean> {
  const runner = join(folder, 'node_modules/vitest/vitest.mjs');
  const options = ['run', '--project', 'sqlite', '--bail', '1', '--silent', '-t', 'on the current surface', ...tests];
  const child: ChildProcess = spawn(process.execPath, [runner, ...options], { cwd: folder, stdio: 'ignore' });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code === 0)));
}
