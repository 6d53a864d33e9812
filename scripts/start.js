// `npm start`: installs and builds what is missing, then serves the example. `npm start -- <folder> [options]` serves another project.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, install, root } from './steps.js';

install();
build();

const given = process.argv.slice(2);
const project = given.length > 0 && !given[0].startsWith('-') ? [] : [join('examples', 'blog')];
process.chdir(root);
if (process.env['npm_lifecycle_event'] === 'start') stopWithNpm();
const { start } = await import(pathToFileURL(join(root, 'dist', 'cli.js')).href);
await start(['run', ...project, ...given, '--hints']);

/** A signal to npm ends the shell between npm and this process, which does not pass it on: the process then gets another parent. */
function stopWithNpm() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 200);
  timer.unref();
}
