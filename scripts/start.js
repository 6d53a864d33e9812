// `npm start`: installs and builds what is missing, then serves the example with `platform run`. `npm start -- <folder> [options]` serves another project.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, install, root } from './steps.js';

install();
build();

const given = process.argv.slice(2);
const project = given.length > 0 && !given[0].startsWith('-') ? [] : [join('examples', 'blog')];
const service = spawn(process.execPath, [join(root, 'bin', 'platform.js'), 'run', ...project, ...given, '--hints'], {
  cwd: root,
  stdio: 'inherit',
});
service.once('exit', (code) => process.exit(code ?? 1));
// A terminal gives this one to both.
process.on('SIGINT', () => undefined);
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => service.kill(signal));
if (process.env['npm_lifecycle_event'] === 'start') stopWithNpm();

/** A signal to npm ends the shell between npm and this process, which does not pass it on: the process then gets another parent. */
function stopWithNpm() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    service.kill('SIGTERM');
  }, 200);
}
