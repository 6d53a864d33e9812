// People who write, in a process of their own: how long they wait is not to be what those who listen take from them. Each creates, changes and deletes
// their own, one after the other; all together write so many a second. Plain JavaScript, as processes are not transformed.

import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** One that is not used for a while is closed here, before the service does it while a request is on its way. */
const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: 3000 });

/** Milliseconds until the whole answer is there; throws what is none. */
function ask(port, method, path, body, headers) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const given =
    body === undefined ? headers : { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, method, path, agent, headers: given }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        answer += chunk;
      });
      response.once('error', reject).once('end', () => {
        if (response.statusCode < 300) resolve(performance.now() - started);
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
      });
    });
    call.once('error', (thrown) => reject(new Error(`${method} ${path}`, { cause: thrown })));
    call.end(text);
  });
}

async function write({ ports, people, types, seconds, perSecond, from }) {
  const [done, times] = [[], []];
  const writers = people.map(({ email, headers }) => ({ email, headers, own: [], last: Promise.resolve() }));
  let next = from;
  const one = async ({ email, headers, own }, n) => {
    const kind = own.length < 2 ? 'create' : own.length > 5 || n % 7 === 0 ? 'delete' : 'update';
    const at = kind === 'create' ? { type: types[n % types.length], id: next++ } : own[n % own.length];
    const port = ports[n % ports.length];
    const path = `/m/${at.type}${kind === 'create' ? '' : `/${at.id}`}`;
    if (kind === 'create') times.push(await ask(port, 'POST', path, { id: at.id, n, person: email }, headers));
    else if (kind === 'update') times.push(await ask(port, 'PUT', path, { n }, headers));
    else times.push(await ask(port, 'DELETE', path, undefined, headers));
    if (kind === 'create') own.push(at);
    if (kind === 'delete') own.splice(own.indexOf(at), 1);
    done.push({ email, ...at, line: kind === 'delete' ? 'delete' : `${kind} ${n}` });
  };
  const started = performance.now();
  for (let n = 0; n < seconds * perSecond; n += 1) {
    const wait = started + (n * 1000) / perSecond - performance.now();
    if (wait > 0) await pause(wait);
    const person = writers[Math.floor(n * 7.3) % writers.length];
    person.last = person.last.then(() => one(person, n));
  }
  await Promise.all(writers.map(({ last }) => last));
  return { done, times };
}

process.on('message', async (asked) => {
  try {
    process.send(await write(asked));
  } catch (thrown) {
    process.send({ fault: String(thrown.cause ?? thrown) });
  }
});
