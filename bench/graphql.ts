// `npm run bench:graphql`: the same reads by GraphQL and by REST of one running service, in short slices in turn. `-- --profile` tells where the time of GraphQL goes.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fill } from './fill.ts';
import { Generator } from './generator.ts';
import { inTurn } from './in-turn.ts';
import { now, profiled, readProfile } from './profile.ts';
import { RunningServer, root } from './servers.ts';
import { summary } from './summary.ts';

interface Pair {
  readonly title: string;
  /** The most that GraphQL may cost of REST. */
  readonly aim: number;
  rest(ids: readonly string[]): readonly string[];
  graphql(ids: readonly string[]): readonly string[];
}

const tree = `{ noteList(limit: 100, where: {kind: {eq: a}, title: {eq: "tree"}}) { id title rank kind createdAt
  NoteComment(limit: 10) { _path id text createdAt CommentReply(limit: 10) { _path id text } } } }`;
const one = 'query ($id: UUID!) { note(id: $id) { id title rank kind createdAt } }';

const pairs: readonly Pair[] = [
  {
    title: 'read one',
    aim: 2.5,
    rest: (ids) => ids.map((id) => get(`/bench/Note/${id}`)),
    graphql: (ids) => ids.map((id) => ask(one, { id })),
  },
  {
    title: '3 levels over 100 instances',
    aim: 1.3,
    rest: () => [get('/bench/Note?@limit=100&kind=a&title=tree&@include=NoteComment.CommentReply')],
    graphql: () => [ask(tree, {})],
  },
];

const rounds = 20;
const sliceMs = 300;
const connections = 10;

const { values } = parseArgs({ options: { profile: { type: 'boolean', default: false } } });
const results = join(root, 'bench', 'results');
mkdirSync(results, { recursive: true });
const folder = mkdtempSync(join(results, 'data-'));
const generator = new Generator();
const server = await RunningServer.start('ours', {
  folder,
  logLevel: 'warn',
  arguments: ['-c', join(root, 'bench', 'model', 'graphql.al')],
  flags: values.profile ? profiled(folder) : [],
});
try {
  await server.answer('/health');
  const loaded = await fill(server, generator);
  await fillTree();
  await compareTrees();
  print('| operation | REST, CPU µs | GraphQL, CPU µs | ratio | aim |\n| --- | --: | --: | --: | --: |');
  const from = now();
  for (const { title, aim, rest, graphql } of pairs)
    print(await inTurn({ title, aim, requests: [rest, graphql], connections, rounds, slice: sliceMs }, loaded, generator));
  if (values.profile) {
    const until = now();
    await server.stop();
    for (const line of summary(readProfile(folder), from, until, 100)) print(line);
  }
} finally {
  generator.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** 100 notes, each with 3 comments, each with 3 replies. */
async function fillTree(): Promise<void> {
  const three = <T>(make: (n: number) => T): readonly T[] => [0, 1, 2].map(make);
  const comments = three((n) => ({
    text: `The comment with the number ${n}`,
    CommentReply: three((m) => ({ text: `The reply with the number ${m}` })),
  }));
  const notes = Array.from({ length: 100 }, () => ({ title: 'tree', rank: 5000, kind: 'a', NoteComment: comments }));
  const answer = await fetch(`http://127.0.0.1:${server.port}/bench/Note`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(notes),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** What is compared is the same tree. */
async function compareTrees(): Promise<void> {
  const rest = await server.answer('/bench/Note?@limit=100&kind=a&title=tree&@include=NoteComment.CommentReply');
  const graphql = await (
    await fetch(`http://127.0.0.1:${server.port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: tree }),
    })
  ).text();
  const texts = (text: string): string => [...text.matchAll(/"text":"[^"]*"/g)].join();
  if (texts(rest) === '' || texts(rest) !== texts(graphql)) throw new Error(`not the same: ${rest.slice(0, 500)} ${graphql.slice(0, 500)}`);
  print(`${rest.length} bytes by REST, ${graphql.length} by GraphQL`);
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n\r\n`;
}

function ask(query: string, variables: object): string {
  const text = JSON.stringify({ query, variables });
  const head = `host: localhost\r\naccept: application/json\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`;
  return `POST /graphql HTTP/1.1\r\n${head}\r\n\r\n${text}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
