// `npm start`: installs and builds what is missing, then serves the example. `npm start -- <folder> [options]` serves another project.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, install, root } from './steps.js';

install();
build();

const given = process.argv.slice(2);
const project = given.length > 0 && !given[0].startsWith('-') ? [] : [join('examples', 'blog')];
const command = [join(root, 'bin', 'platform.js'), 'run', ...project, ...given, '--hints'];
const child = spawn(process.execPath, command, { cwd: root, stdio: 'inherit' });

// A terminal sends the signal to the whole group; one that is sent to this process alone is passed on.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => passOn(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));

function passOn(signal) {
  if (signal === 'SIGINT' && process.stdin.isTTY) return;
  child.kill(signal);
}
