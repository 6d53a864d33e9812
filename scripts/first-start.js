// What everybody does first, on a clean checkout: `npm start` (on a free port), the first request of the README, and a signal that stops it.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, say } from './steps.js';

const service = spawn('npm', ['start', '--', '--port', '0'], {
  cwd: root,
  shell: process.platform === 'win32',
  stdio: ['ignore', 'pipe', 'pipe'],
});
let said = '';
for (const stream of [service.stdout, service.stderr])
  stream.setEncoding('utf8').on('data', (text) => {
    said += text;
    process.stderr.write(text);
  });
const ended = new Promise((resolve) => service.once('close', resolve));

const address = await Promise.race([addressOfService(), ended.then(() => undefined)]);
if (address === undefined) fail('npm start ended before it said an address');
const { url, headers, body } = firstRequest(readFileSync(join(root, 'README.md'), 'utf8'));
const answer = await fetch(url.replace(/^[^/]+/, address), { method: 'POST', headers, body });
const text = await answer.text();
if (answer.status !== 201) fail(`the first request of the README is ${answer.status} ${text}`);
service.kill('SIGTERM');
// npm tells of the signal in its own way; whether the service is gone tells its port.
await ended;
if (await isReached()) fail('it still answers after the signal');
say(`\nThe first start answered ${answer.status} ${text} and ended.\n`);

function addressOfService() {
  return new Promise((resolve) => {
    const look = () => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    };
    service.stdout.on('data', look);
    service.stderr.on('data', look);
  });
}

function isReached() {
  return fetch(`${address}/health`).then(
    () => true,
    () => false,
  );
}

/** `$ curl localhost:8080/blog/Post -H 'Content-Type: application/json' -d '{…}'` */
function firstRequest(page) {
  const found = /^\$ curl (\S+) -H '([^:']+): ([^']+)' -d '([^']*)'$/m.exec(page);
  if (found === null) fail('the README has no request of the known form');
  const [, url, name, value, body] = found;
  return { url, headers: { [name]: value }, body };
}

function fail(message) {
  say(`FAILED: the first start: ${message}`);
  service.kill('SIGKILL');
  process.exit(1);
}
