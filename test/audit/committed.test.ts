// Entries are exactly what was committed: under load, with requests that fail, with processes that are killed, on PostgreSQL with two of them.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { command, ensureBuilt, freePort, platform, type Running, type Workspace, workspace } from '../cli/harness.ts';
import { isLong } from '../support/form.ts';
import { storeOfRun } from '../support/store.ts';
import { type Entry, replayed } from './replay.ts';

const [operations, kills] = isLong ? [10_000, 40] : [300, 2];
const instances = storeOfRun() === 'postgres' ? 2 : 1;
const writers = 8;

const model = `module blog
entity Post { id Int @id, title String, comments Int @expr(count(PostComment)), @meta {"audit": true} }
entity Comment { id Int @id, text String, @meta {"audit": true} }
entity Tag { id Int @id, @meta {"audit": true} }
entity Log { id UUID @id @default(uuid()), text String @unique, @meta {"audit": true} }
relationship PostComment contains(Post, Comment)
relationship Tagged between(Post, Tag) @meta {"audit": true}
workflow swap { {Post {id? swap.one, title swap.title}}; {Post {id? swap.other, title swap.title}}; {Log {text swap.title}} }
workflow fails { {Post {id? fails.one, title fails.title}}; {Log {text fails.title}}; throw("no") }
workflow @after create:Tag { {Post {id? this.id, title "tagged"}} }
`;

let place: Workspace;
const started: Running[] = [];
beforeAll(async () => {
  ensureBuilt();
  place = workspace({ 'src/core.al': model });
  const store = await storeSettings();
  place.write('config.al', JSON.stringify({ store, auditTrail: { enabled: true }, log: { level: 'error' } }));
}, 300_000);
afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ exit }) => exit));
  if (instances > 1) await (await import('../support/postgres.ts')).giveBack(place.folder);
  place.remove();
});

async function storeSettings(): Promise<object> {
  if (instances === 1) return { type: 'sqlite', dbname: 'blog.db' };
  const { databaseOf, postgresSettings } = await import('../support/postgres.ts');
  const { host, port, username, password, dbname } = postgresSettings(await databaseOf(place.folder));
  return { type: 'postgres', host, port, username, password, dbname };
}

/** What was asked under which name, and what came of it. */
interface Asked {
  readonly method: string;
  readonly status: number | undefined;
}

interface Drawn {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Few instances, so that they are made, changed and removed many times, and often refused. */
function drawn(number: number, random: (below: number) => number): Drawn {
  const [post, other, child] = [random(12), random(12), random(4)];
  const title = `title ${number}`;
  const kinds: readonly Drawn[] = [
    { method: 'POST', path: '/blog/Post', body: { id: post, title } },
    {
      method: 'POST',
      path: '/blog/Post',
      body: {
        id: post,
        title,
        PostComment: [
          { id: 0, text: title },
          { id: 1, text: title },
        ],
      },
    },
    { method: 'PUT', path: `/blog/Post/${post}`, body: { title } },
    { method: 'PUT', path: `/blog/Post/${post}`, body: { title } },
    { method: 'PUT', path: `/blog/Post/${post}`, body: { title: 5 } },
    { method: 'DELETE', path: `/blog/Post/${post}` },
    { method: 'POST', path: `/blog/Post/${post}/PostComment/Comment`, body: { id: child, text: title } },
    { method: 'PUT', path: `/blog/Post/${post}/PostComment/Comment/${child}`, body: { text: title } },
    { method: 'DELETE', path: `/blog/Post/${post}/PostComment/Comment/${child}` },
    { method: 'POST', path: '/blog/Tag', body: { id: child } },
    { method: 'DELETE', path: `/blog/Tag/${child}` },
    { method: 'POST', path: '/blog/Tagged', body: { Post: post, Tag: child } },
    { method: 'POST', path: '/blog/swap', body: { one: post, other, title } },
    { method: 'POST', path: '/blog/fails', body: { one: post, title } },
  ];
  return kinds[random(kinds.length)] ?? { method: 'GET', path: '/blog/Post' };
}

/** The same for the same seed. */
function randomWith(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function begin(port: number): Promise<Running> {
  const running = platform(place.folder, 'run', '--port', String(port));
  started.push(running);
  await running.until(/ at http/);
  return running;
}

async function send(port: number, { method, path, body }: Drawn, id: string): Promise<number | undefined> {
  try {
    const headers = { 'content-type': 'application/json', 'x-request-id': id };
    const url = `http://127.0.0.1:${port}${path}`;
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    await answer.text();
    return answer.status;
  } catch {
    return undefined;
  }
}

async function all(port: number, path: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (let next = `${path}?@limit=500`; next !== ''; ) {
    const answer = await fetch(`http://127.0.0.1:${port}${next}`);
    found.push(...JSON.parse(await answer.text()));
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
  }
  return found;
}

function entriesIn(found: readonly unknown[]): readonly Entry[] {
  return JSON.parse(JSON.stringify(found));
}

test(`entries are the committed changes over ${operations} operations with ${kills} kills, by ${instances} at once, and replayed they are the rows`, {
  timeout: 3_600_000,
}, async () => {
  const ports = await Promise.all(Array.from({ length: instances }, () => freePort()));
  const running = await Promise.all(ports.map(begin));
  const asked = new Map<string, Asked>();
  let number = 0;
  const write = async (writer: number, end: number): Promise<void> => {
    const random = randomWith(writer * 1000 + end);
    while (number < end) {
      number += 1;
      const id = `op-${number}`;
      const one = drawn(number, random);
      const port = ports[random(ports.length)] ?? 0;
      asked.set(id, { method: one.method, status: await send(port, one, id) });
    }
  };
  for (let round = 1; round <= kills + 1; round += 1) {
    const end = Math.floor((operations * round) / (kills + 1));
    const work = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer, end)));
    const victim = round % ports.length;
    if (round <= kills) {
      await expect.poll(() => number > end - operations / (2 * (kills + 1)), { interval: 2 }).toBe(true);
      running[victim]?.child.kill('SIGKILL');
      await running[victim]?.exit;
    }
    await work;
    if (round <= kills) running[victim] = await begin(ports[victim] ?? 0);
  }
  const [port = 0] = ports;
  const entries = entriesIn(await all(port, '/platform.audit/Entry'));
  const rows = await storedRows(port);
  expect(Object.fromEntries([...replayed(entries)].map(([name, text]) => [name, JSON.parse(text)]))).toEqual(rows);
  expectByRequest(entries, asked);
  for (const { child, exit } of running) {
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  }
  const { code, out } = await command(place.folder, 'audit', 'verify', '--json');
  const { found, sealed, unsealed } = JSON.parse(out);
  // What a killed process was to seal is sealed when its lease is over, or at the next start.
  expect([code, found, sealed + unsealed]).toEqual([0, 0, entries.length]);
});

/** As replaying gives them. */
async function storedRows(port: number): Promise<Readonly<Record<string, unknown>>> {
  const found: [string, unknown][] = [];
  for (const type of ['Post', 'Comment', 'Tag', 'Log', 'Tagged']) {
    for (const row of await all(port, `/blog/${type}`)) {
      const values: Record<string, unknown> = Object(row);
      found.push([`blog/${type} ${String(values['__path__'] ?? values['__Id__'] ?? values['id'])}`, row]);
    }
  }
  return Object.fromEntries(found);
}

/** What was answered with success has entries, and what was refused has none; of what nobody answered, one or the other holds. */
function expectByRequest(entries: readonly Entry[], asked: ReadonlyMap<string, Asked>): void {
  const counts = new Map<string, number>();
  for (const { requestId } of entries) counts.set(String(requestId), (counts.get(String(requestId)) ?? 0) + 1);
  const wrong = [...asked].filter(([id, { status }]) => {
    if (status === undefined || status >= 500) return false;
    return status < 300 ? !counts.has(id) : counts.has(id);
  });
  expect(wrong).toEqual([]);
  expect([...counts.keys()].filter((id) => !asked.has(id))).toEqual([]);
  const answered = [...asked.values()];
  expect(answered.filter(({ status }) => status !== undefined && status < 300).length).toBeGreaterThan(operations / 5);
  expect(answered.filter(({ status }) => status !== undefined && status >= 400).length).toBeGreaterThan(operations / 10);
  if (isLong) process.stdout.write(`${entries.length} entries of ${asked.size} operations\n`);
}
