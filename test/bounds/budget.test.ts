// What all requests together hold in memory: a read that finds no room waits, is refused after its time, and gives back what it held.

import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Options, open, type Project, type Served, serve } from '../support/app.ts';

const blog: Project = `
module blog
entity Post { id Int @id, title String, body String @optional }
entity Comment { id Int @id, text String }
relationship PostComment contains(Post, Comment)
event all {}
workflow all { {Post {id?>= 0}} }
event sorted {}
workflow sorted { {Post {id?>= 0}, @orderBy(title)} }
event first {}
workflow first { {Post {id?>= 0}, @limit(2)} }
event rounds { list Int[] }
workflow rounds { for a in rounds.list { {Comment {id? a}} } }
record Copy { text String }
event copies { list Int[], text String }
workflow copies { {Comment {id? 10}}; for a in copies.list { {Copy {text copies.text}} } }
event lists { list Int[], text String }
workflow lists { {Comment {id? 10}}; for a in lists.list { [lists.text, "a"] } }
event joined {}
workflow joined { {Post {id?>= 0}, @join Comment {id? Post.id}, @into {body Post.body, text Comment.text}} }
event tried {}
workflow tried { {Post {id?>= 0}} @catch {error {Comment {id? 1}}} }
event one { n Int }
workflow one { {Post {id? one.n}} }
event counted { n Int }
workflow counted { {Post {id? counted.n}} @as [p]; p.id }
event found { list Int[] }
workflow found { for a in found.list { {Post {id? a}} } }
event called { list Int[] }
workflow called { for a in called.list { {one {n a}} } }
event inside { list Int[] }
workflow inside { for a in inside.list { {Post {id? a}} @as [p]; {"it": {"is": [p]}} } }
event nested { list Int[] }
workflow nested { for a in nested.list { for b in [1, 2] { {Post {id? a}} } } }
event named { list Int[] }
workflow named { {Post {id?>= 0}, @limit(9)} @as some; {Post {id?>= 9}, @limit(9)} @as others; 1 }
event passed { list Int[] }
workflow passed { for a in passed.list { {Post {id? a}} }; for a in passed.list { {counted {n a}} } }
`;

const mebibyte = 1024 * 1024;
const megabyte = 'x'.repeat(1_000_000);
/** More than the buffers of both ends of a connection take. */
const unreadable = 30;

interface Listening extends Served {
  readonly port: number;
  figure(name: string): Promise<number>;
}

async function listening(limits: Options['limits'], given?: Served): Promise<Listening> {
  const served = given ?? (await serve(blog, { limits: { body: 4 * mebibyte, ...limits } }));
  const [address = ''] = await served.app.listen();
  const figure = async (name: string): Promise<number> =>
    Number(new RegExp(`^request_memory_${name} (\\d+)$`, 'm').exec((await served.get('/metrics')).text)?.[1]);
  return { ...served, port: Number(new URL(address).port), figure };
}

async function withPosts(limits: Options['limits'], count = unreadable, given?: Served): Promise<Listening> {
  const served = await listening(limits, given);
  for (let id = 0; id < count; id += 1) expect((await served.post('/blog/Post', { id, title: 'a', body: megabyte })).status).toBe(201);
  return served;
}

/** Asks, and reads nothing of the answer. */
function unread(port: number, target: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.pause();
      socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`, () => resolve(socket));
    });
    socket.on('error', reject);
    onTestFinished(() => {
      socket.destroy();
    });
  });
}

interface Asked {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

function ask(port: number, target: string, method = 'GET', body?: string): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = httpRequest({ host: '127.0.0.1', port, path: target, method, headers, agent: false }, (answer) => {
      const pieces: string[] = [];
      answer.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
      answer
        .on('error', reject)
        .on('end', () => resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], text: pieces.join('') }));
    });
    call.on('error', reject).end(body);
  });
}

/** Fills the budget with clients that send large bodies, slowly and for ever. */
async function uploading(served: Listening): Promise<readonly Socket[]> {
  const head = `POST /blog/Post HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n`;
  const sockets = [];
  for (let count = 1; count <= 4; count += 1) {
    const socket = connect(served.port, '127.0.0.1');
    const drip = setInterval(() => socket.write('x'), 200);
    onTestFinished(() => {
      socket.destroy();
    });
    socket.on('close', () => clearInterval(drip));
    socket.on('error', () => {});
    socket.write(`${head}{"${megabyte}${'y'.repeat(100_000)}`);
    sockets.push(socket);
    await expect.poll(() => served.figure('reserved_bytes')).toBeGreaterThan(count * 1_100_000);
  }
  return sockets;
}

/** Fills the budget with clients that do not read. */
async function filled(served: Listening): Promise<readonly Socket[]> {
  const sockets = [];
  for (let before = 0; before < 4_000_000; before = await served.figure('reserved_bytes')) {
    sockets.push(await unread(served.port, '/blog/Post'));
    await expect.poll(() => served.figure('reserved_bytes')).toBeGreaterThan(before);
  }
  return sockets;
}

const budget = { memoryTotal: 4.5 * mebibyte };

test('while others hold all of the memory a large read waits, small ones do not, and it is answered when one of them goes', async () => {
  const served = await withPosts(budget);
  const [first] = await uploading(served);
  let isAnswered = false;
  const large = ask(served.port, '/blog/Post/1').then((answer) => {
    isAnswered = true;
    return answer;
  });
  await expect.poll(() => served.figure('waiting_requests')).toBe(1);
  expect(await ask(served.port, '/blog/Post?@select=id&@limit=5')).toMatchObject({ status: 200 });
  expect(await ask(served.port, '/blog/Post', 'POST', JSON.stringify({ id: 1000, title: 'small' }))).toMatchObject({ status: 201 });
  expect(isAnswered).toBe(false);
  first?.destroy();
  expect(JSON.parse((await large).text)).toMatchObject({ id: 1, body: megabyte });
  expect(await served.figure('refused_total')).toBe(0);
});

test('one that finds no room in its time is 503 store-busy with Retry-After, whatever it is', async () => {
  const served = await withPosts(budget);
  for (const id of [1, 2]) await served.post('/blog/Post/1/PostComment/Comment', { id, text: megabyte });
  const sockets = await uploading(served);
  const large = JSON.stringify({ id: 2000, title: 'a', body: megabyte });
  const rounds = JSON.stringify({ list: Array.from({ length: 100 }, (_, id) => id), text: 'x'.repeat(10_000) });
  const answers = await Promise.all([
    ask(served.port, '/blog/Post/1'),
    ask(served.port, '/blog/Post?@sort=-title'),
    ask(served.port, '/blog/Post/1?@tree=true'),
    ask(served.port, '/blog/Post/1?@include=PostComment'),
    ask(served.port, '/blog/first', 'POST', '{}'),
    ask(served.port, '/blog/Post', 'POST', large),
    ask(served.port, '/blog/rounds', 'POST', JSON.stringify({ list: Array.from({ length: 1000 }, (_, id) => id + 10) })),
    // Of what a round gives its texts count: by themselves so few rounds are nothing.
    ask(served.port, '/blog/copies', 'POST', rounds),
    ask(served.port, '/blog/lists', 'POST', rounds),
  ]);
  for (const { status, retryAfter, text } of answers)
    expect([status, retryAfter, JSON.parse(text)['code']]).toEqual([503, '1', 'store-busy']);
  expect(await served.figure('refused_total')).toBe(answers.length);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => served.figure('reserved_bytes')).toBe(0);
  expect(await ask(served.port, '/blog/Post/2000')).toMatchObject({ status: 404 });
  expect(await ask(served.port, '/blog/Post', 'POST', large)).toMatchObject({ status: 201 });
  expect(await ask(served.port, '/blog/Post/1?@tree=true')).toMatchObject({ status: 200 });
});

test('a client that goes away while it waits, or in the middle of its answer or its body, leaves nothing behind', async () => {
  const served = await withPosts(budget);
  const sockets = await uploading(served);
  const waiting = await unread(served.port, '/blog/Post/1');
  await expect.poll(() => served.figure('waiting_requests')).toBe(1);
  waiting.destroy();
  await expect.poll(() => served.figure('waiting_requests')).toBe(0);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => served.figure('reserved_bytes')).toBe(0);
  const sending = connect(served.port, '127.0.0.1');
  sending.write(`POST /blog/Post HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n{"${megabyte}`);
  await expect.poll(() => served.figure('reserved_bytes')).toBeGreaterThan(900_000);
  sending.destroy();
  await expect.poll(() => served.figure('reserved_bytes')).toBe(0);
  expect(await served.figure('refused_total')).toBe(0);
});

test('clients that read nothing, or send nothing more, are cut when somebody waits for the memory that they hold', async () => {
  const served = await withPosts(budget);
  const unreading = await filled(served);
  expect(await ask(served.port, '/blog/Post/1')).toMatchObject({ status: 200 });
  for (const socket of unreading) socket.destroy();
  const body = connect(served.port, '127.0.0.1');
  const answer = new Promise<string>((resolve) => {
    let text = '';
    body.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    body.on('error', () => {}).on('close', () => resolve(text));
  });
  await expect.poll(() => served.figure('reserved_bytes')).toBe(0);
  body.write(
    `POST /blog/Post HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 4100000\r\n\r\n{"${megabyte.repeat(4)}`,
  );
  await expect.poll(() => served.figure('reserved_bytes')).toBeGreaterThan(4_000_000);
  expect(await ask(served.port, '/blog/Post/1')).toMatchObject({ status: 200 });
  expect(await answer).toMatch(/^HTTP\/1\.1 408 .*request-timeout/s);
  expect(await served.figure('refused_total')).toBe(0);
});

test('after each kind of answer nothing is held: read, list, HEAD, tree, include, event, replay, refusal, transit', async () => {
  const served = await withPosts({}, 3);
  for (const id of [1, 2]) await served.post('/blog/Post/1/PostComment/Comment', { id, text: megabyte });
  const large = JSON.stringify({ id: 50, title: 'a', body: megabyte });
  const unknown = JSON.stringify({ id: 51, title: 'a', [megabyte]: 1 });
  const asked: readonly (readonly [status: number, method: string, target: string, body?: string])[] = [
    [200, 'GET', '/blog/Post/1'],
    [200, 'HEAD', '/blog/Post/1'],
    [200, 'GET', '/blog/Post'],
    [200, 'HEAD', '/blog/Post'],
    [200, 'GET', '/blog/Post?@sort=-title'],
    [200, 'GET', '/blog/Post/1?@tree=true'],
    [200, 'GET', '/blog/Post/1?@include=PostComment'],
    [200, 'GET', '/blog/Post?@include=PostComment'],
    [404, 'GET', `/blog/Post/99?@tree=true`],
    [200, 'POST', '/blog/all', '{}'],
    [200, 'POST', '/blog/joined', '{}'],
    [201, 'POST', '/blog/Post', large],
    [409, 'POST', '/blog/Post', large],
    [422, 'POST', '/blog/Post', unknown],
    [200, 'GET', '/openapi.json'],
    [200, 'GET', '/docs/scalar.js'],
  ];
  for (const [status, method, target, body] of asked) {
    expect((await ask(served.port, target, method, body)).status, `${method} ${target}`).toBe(status);
    await expect.poll(() => served.figure('reserved_bytes'), { message: `${method} ${target}` }).toBe(0);
  }
  for (const replay of [false, true]) {
    const body = JSON.stringify({ id: 60, title: 'a', body: megabyte });
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k', accept: 'application/transit+json' };
    const answer = await fetch(`http://127.0.0.1:${served.port}/blog/Post`, { method: 'POST', headers, body });
    expect([answer.status, (await answer.text()).length > megabyte.length, replay]).toEqual([201, true, replay]);
    await expect.poll(() => served.figure('reserved_bytes')).toBe(0);
  }
  expect(served.failures).toEqual([]);
});

test('several answers on one connection, and one that is cut in the middle, are each given back', async () => {
  const served = await withPosts(budget);
  const socket = connect(served.port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  let received = 0;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  for (let count = 0; count < 5; count += 1) socket.write('GET /blog/Post/1 HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => received).toBeGreaterThan(5 * megabyte.length);
  await expect.poll(() => served.figure('reserved_bytes')).toBe(0);
  const cut = await unread(served.port, '/blog/Post');
  await expect.poll(() => served.figure('reserved_bytes')).toBeGreaterThan(900_000);
  cut.resetAndDestroy();
  await expect.poll(() => served.figure('reserved_bytes')).toBe(0);
});

test('a query of a workflow that would hold more than a request may is 422 dataflow-limit, which no handler catches', async () => {
  const served = await listening({});
  for (let id = 0; id < 20; id += 1) await served.post('/blog/Post', { id, title: 'a', body: megabyte, PostComment: [{ id, text: 'a' }] });
  const refused = { status: 422, body: { code: 'dataflow-limit', detail: 'It would hold more than 16777216 bytes at once.' } };
  for (const name of ['all', 'sorted', 'joined', 'tried']) expect(await served.post(`/blog/${name}`, {}), name).toMatchObject(refused);
  expect(await served.post('/blog/first', {})).toMatchObject({ status: 200, body: { length: 2 } });
});

test('what a workflow holds counts together, from the first row on: of a round what it gives, of what it calls the result', async () => {
  const served = await listening({});
  const list = Array.from({ length: 20 }, (_, id) => id);
  for (const id of list) await served.post('/blog/Post', { id, title: 'a', body: megabyte });
  const refused = { status: 422, body: { code: 'dataflow-limit', detail: 'It would hold more than 16777216 bytes at once.' } };
  for (const name of ['found', 'called', 'inside', 'nested', 'named'])
    expect(await served.post(`/blog/${name}`, { list }), name).toMatchObject(refused);
  for (const name of ['found', 'called', 'inside'])
    expect((await served.post(`/blog/${name}`, { list: list.slice(0, 8) })).status, name).toBe(200);
  expect(await served.post('/blog/passed', { list })).toMatchObject({ status: 200, body: list });
});

test('a service that stops gives everything back', async () => {
  const served = await withPosts(budget, unreadable, await open(blog, { limits: { body: 4 * mebibyte, ...budget } }));
  const sockets = await filled(served);
  const closed = served.close();
  for (const socket of sockets) socket.destroy();
  await closed;
  await expect.poll(() => served.figure('reserved_bytes')).toBe(0);
});
