// What is measured: seven kinds of request, the same bytes for both servers but for the identifiers that each has given.

export const caseNames = ['read', 'list100', 'list1000', 'filter', 'create', 'nested', 'workflow'] as const;
export type CaseName = (typeof caseNames)[number];

export interface Case {
  readonly name: CaseName;
  readonly title: string;
  /** The most that our CPU time per request should be of the baseline's, at 16 connections. */
  readonly aim: number;
  /** The same on PostgreSQL; absent where nothing is aimed at. */
  readonly aimOnPostgres?: number;
  /** Status of every answer. */
  readonly status: number;
  /** HTTP requests, sent in turn; `ids` are those of stored notes. */
  requests(ids: readonly string[]): readonly string[];
}

export const noteCount = 10_000;
const ranks = 1000;

export const cases: readonly Case[] = [
  {
    name: 'read',
    title: 'read one',
    aim: 1.1,
    aimOnPostgres: 1.4,
    status: 200,
    requests: (ids) => ids.map((id) => get(`/bench/Note/${id}`)),
  },
  { name: 'list100', title: 'list 100', aim: 1.1, aimOnPostgres: 0.6, status: 200, requests: () => [get('/bench/Note?@limit=100')] },
  { name: 'list1000', title: 'list 1,000', aim: 1.0, status: 200, requests: () => [get('/bench/Note?@limit=1000')] },
  { name: 'filter', title: 'filter (10 of 10,000)', aim: 1.25, status: 200, requests: () => numbers(ranks).map(filterByRank) },
  // Of no rank that is filtered by: what is created must not make the other cases longer.
  {
    name: 'create',
    title: 'create',
    aim: 1.15,
    aimOnPostgres: 1.5,
    status: 201,
    requests: () => numbers(ranks).map((number) => note(number, ranks + number)),
  },
  { name: 'nested', title: 'nested create', aim: 1.7, status: 201, requests: (ids) => ids.map(comment) },
  { name: 'workflow', title: 'workflow of 5 statements', aim: 2.2, status: 200, requests: (ids) => ids.map(order) },
];

/** What is measured on PostgreSQL: the hand-written program there has no orders. */
export const casesOnPostgres: readonly Case[] = cases
  .filter(({ name }) => name !== 'workflow')
  .map((each) => ({ ...each, aim: each.aimOnPostgres ?? Number.POSITIVE_INFINITY }));

/** The requests that fill a server with its notes. */
export function fillRequests(): readonly string[] {
  return numbers(noteCount).map((number) => note(number, number % ranks));
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function filterByRank(rank: number): string {
  return get(`/bench/Note?rank=${rank}`);
}

function note(number: number, rank: number): string {
  return post('/bench/Note', { title: `The note with the number ${number}`, rank, kind: number % 2 === 0 ? 'a' : 'b' });
}

function comment(id: string, number: number): string {
  return post(`/bench/Note/${id}/NoteComment/Comment`, { text: `The comment with the number ${number}` });
}

function order(id: string, number: number): string {
  return post('/bench/order', {
    note: id,
    title: `The note with the order ${number}`,
    item: `The item with the number ${number}`,
    amount: 3,
  });
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n\r\n`;
}

function post(path: string, body: object): string {
  const text = JSON.stringify(body);
  const head = `host: localhost\r\naccept: application/json\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`;
  return `POST ${path} HTTP/1.1\r\n${head}\r\n\r\n${text}`;
}
